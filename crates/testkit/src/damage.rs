//! Damage to bytes, at random.

use std::time::Duration;

use crate::chance::{Chance, seed};

impl Chance {
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

/// How long the ignored tests run, and from which seed on: another one each time, unless `INQUEST_SEED` names one.
#[track_caller]
pub fn long_run() -> (Duration, u64) {
    let seconds = std::env::var("INQUEST_FUZZ_SECONDS").map_or(60, |text| text.parse().unwrap());
    (Duration::from_secs(seconds), seed(fastrand::u64(..1 << 40)))
}
