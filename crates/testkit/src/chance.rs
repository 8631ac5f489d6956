//! Numbers at random that can be had again: a test says which seed it used, and takes another one from `INQUEST_SEED`.

use std::panic::Location;

pub struct Chance(fastrand::Rng);

impl Chance {
    /// The same numbers for the same seed, on every machine.
    pub fn new(seed: u64) -> Chance {
        Chance(fastrand::Rng::with_seed(seed))
    }

    /// Of this seed, unless `INQUEST_SEED` names another.
    #[track_caller]
    pub fn seeded(usual: u64) -> Chance {
        Chance::new(seed(usual))
    }

    /// Another seed each time, unless `INQUEST_SEED` names one.
    #[track_caller]
    pub fn fresh() -> Chance {
        Chance::new(seed(fastrand::u64(..1_000_000)))
    }

    /// A number below this one; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end.max(1))
    }

    pub fn below_u64(&mut self, end: u64) -> u64 {
        self.0.u64(..end.max(1))
    }

    pub fn byte(&mut self) -> u8 {
        self.0.u8(..)
    }
}

/// This seed, unless `INQUEST_SEED` names another; said where a failed test shows it.
#[track_caller]
pub fn seed(usual: u64) -> u64 {
    let named = std::env::var("INQUEST_SEED").ok();
    let seed = named.map_or(usual, |text| {
        text.parse().unwrap_or_else(|error| panic!("INQUEST_SEED={text} is no number: {error}"))
    });
    println!("{}: INQUEST_SEED={seed}", Location::caller());
    seed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_one_others() {
        let numbers = |seed| -> Vec<usize> {
            let mut chance = Chance::new(seed);
            (0..50).map(|_| chance.below(1000)).collect()
        };
        assert_eq!(numbers(4), numbers(4));
        assert_ne!(numbers(4), numbers(5));
        assert!(numbers(4).iter().all(|&number| number < 1000));
        assert_eq!(Chance::new(1).below(0), 0);
    }
}
