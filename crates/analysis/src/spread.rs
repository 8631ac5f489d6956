//! A hasher for what is words already: numbers and sets of bits. Tables are looked into for every call that ends, so
//! it has to cost next to nothing.

use std::hash::Hasher;

/// Words of bits need no more than being mixed.
#[derive(Default)]
pub struct Spread(u64);

impl Spread {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref() {
            self.mix(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        words.remainder().iter().for_each(|&byte| self.mix(byte.into()));
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.mix(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }
}
