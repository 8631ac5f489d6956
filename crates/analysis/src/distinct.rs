//! A set for facts that a run repeats millions of times: in front of it stand those seen last.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

pub(crate) struct Distinct<T> {
    recent: Vec<Option<T>>,
    all: HashSet<T, Quick>,
}

const RECENT_BITS: u32 = 13;

impl<T: Copy + Eq> Default for Distinct<T> {
    fn default() -> Self {
        Distinct { recent: vec![None; 1 << RECENT_BITS], all: HashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> Distinct<T> {
    pub fn add(&mut self, fact: T) {
        let at = Quick::default().hash_one(fact) >> (64 - RECENT_BITS);
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

/// For keys of a few small numbers that nobody chooses to do harm.
pub(crate) type Quick = BuildHasherDefault<QuickHasher>;

#[derive(Default)]
pub(crate) struct QuickHasher(u64);

impl QuickHasher {
    fn mix(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.mix(u64::from(byte)));
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_isize(&mut self, number: isize) {
        self.mix(number as u64);
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
