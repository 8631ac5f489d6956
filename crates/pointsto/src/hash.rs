//! Hash tables with a cheap hash: keys here are small numbers made by us, looked up millions of times, and no one can
//! gain from choosing them badly.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;
pub type Set<K> = HashSet<K, BuildHasherDefault<Mix>>;

#[derive(Default, Clone, Copy)]
pub struct Mix(u64);

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for w in &mut words {
            self.write_u64(u64::from_le_bytes(w.try_into().unwrap_or_default()));
        }
        let mut last = bytes.len() as u64;
        for &b in words.remainder() {
            last = last << 8 | u64::from(b);
        }
        self.write_u64(last);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(FACTOR);
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u16(&mut self, n: u16) {
        self.write_u64(u64::from(n));
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

/// The hash of a text.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut mix = Mix::default();
    mix.write(bytes);
    mix.finish()
}

pub fn of_number(n: u32) -> u64 {
    let mut mix = Mix::default();
    mix.write_u32(n.wrapping_add(1));
    mix.finish().wrapping_mul(FACTOR)
}
