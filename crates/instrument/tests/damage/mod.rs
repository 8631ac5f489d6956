//! Damage to bytes that is random but the same for the same seed on every machine, so that a failure can be had again.

use std::time::{Duration, SystemTime};

/// Xorshift.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    /// Flips bits, puts in numbers of which `likely` are more likely to be understood, cuts and doubles pieces.
    pub fn damage(&mut self, bytes: &mut Vec<u8>, likely: &[u8]) {
        for _ in 0..=self.below(5) {
            let at = self.below(bytes.len());
            let end = (at + self.below(24)).min(bytes.len());
            match self.below(8) {
                0 if self.below(4) == 0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                3 if !bytes.is_empty() => bytes[at] = likely[self.below(likely.len())],
                4 => bytes[at..end.min(at + 4)].fill(0xff),
                _ if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                _ => {}
            }
        }
    }
}

/// How long the ignored tests run, and from which seed on: another one each time.
pub fn long_run() -> (Duration, u64) {
    let seconds = std::env::var("INQUEST_FUZZ_SECONDS").map_or(60, |text| text.parse().unwrap());
    (Duration::from_secs(seconds), SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64)
}
