//! Hash tables with a cheap hash: keys here are small numbers made by us, looked up millions of times, and no one can
//! gain from choosing them badly.

use std::hash::Hasher;

pub use rustc_hash::{FxHashMap as Map, FxHashSet as Set};

/// The hash of a text.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Of a number that is one of a set, whose hash is the sum over its members: unlike those of a table, hashes must not be
/// multiples of their numbers, or sets with equal sums would have equal hashes.
pub fn of_number(number: u32) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = (u64::from(number) + 1).wrapping_mul(FACTOR);
    (mixed ^ mixed >> 29).wrapping_mul(FACTOR)
}
