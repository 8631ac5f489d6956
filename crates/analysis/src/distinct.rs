//! A set for facts that a run repeats millions of times: in front of it stand those seen last.

use std::hash::{BuildHasher, Hash};

use rustc_hash::{FxBuildHasher, FxHashSet};

pub(crate) struct Distinct<T> {
    recent: Vec<Option<T>>,
    all: FxHashSet<T>,
}

const RECENT_BITS: u32 = 13;

impl<T: Copy + Eq> Default for Distinct<T> {
    fn default() -> Self {
        Distinct { recent: vec![None; 1 << RECENT_BITS], all: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> Distinct<T> {
    pub fn add(&mut self, fact: T) {
        let at = FxBuildHasher.hash_one(fact) >> (64 - RECENT_BITS);
        let recent = &mut self.recent[at as usize];
        if *recent != Some(fact) {
            *recent = Some(fact);
            self.all.insert(fact);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.all.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pushed_out_of_the_front_is_still_there_once() {
        let mut set = Distinct::default();
        for round in 0..3u32 {
            for number in 0..50_000u32 {
                set.add((number, (number % 7) as u16));
            }
            assert_eq!(set.iter().count(), 50_000, "round {round}");
        }
    }
}
