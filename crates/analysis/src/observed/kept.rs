//! The points-to analysis of a recorded program, kept for the next time. It is found again under a
//! key of all that goes into it, so that a result that no longer fits is never used, only replaced.

use std::hash::Hasher;

use index::Evidence;
use past::Past;
use pointsto::{Solution, solve};
use program::stamps;
use shelf::Shelf;
use siphasher::sip128::{Hasher128, SipHasher};

use super::classes::{RunClasses, is_program};
use super::facts::observed;
use crate::error::Result;

/// Part of the key: to be raised when the same input gives another result.
const VERSION: u64 = 1;

/// Under which it is kept.
const NAME: &str = "points-to";

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisProgress {
    /// Looking at what the run showed.
    Looking { rows: u64, of: u64 },
    /// Reading and solving; more methods become known on the way.
    Solving { read: u32, known: u32 },
}

/// The analysis of the run's program: as it was kept, or made anew and kept.
pub fn points_to(past: &Past, shelf: &Shelf, progress: &mut dyn FnMut(AnalysisProgress)) -> Result<Solution> {
    let classes = RunClasses::new(past);
    let key = key(past, &classes);
    if let Some(kept) = shelf.read(NAME).and_then(|bytes| Solution::decode(&bytes, &key)) {
        return Ok(kept);
    }
    let observed = observed(past, &mut |rows, of| progress(AnalysisProgress::Looking { rows, of }))?;
    let solution =
        solve(&classes, &observed, &mut |read, known| progress(AnalysisProgress::Solving { read, known }))?;
    shelf.keep(NAME, &solution.encode(&key));
    Ok(solution)
}

/// What the run showed is not in it as such, but the recording is that it comes from: looking at every call again takes
/// longer than loading the result.
fn key(past: &Past, classes: &RunClasses<'_>) -> [u8; 32] {
    let mut key = Key::new();
    key.number(VERSION);
    let manifest = past.recording().manifest();
    for fact in
        [manifest.started, u64::from(manifest.pid), past.recording().raw_bytes(), past.index().events()]
    {
        key.number(fact);
    }
    key.text(&manifest.jvm.version);
    let mut recorded: Vec<_> = classes.recorded().collect();
    recorded.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    key.number(recorded.len() as u64);
    for class in recorded {
        key.text(&class.name);
        key.bytes(&class.bytes);
        key.number(u64::from(is_program(class)));
    }
    for place in classes.path().places() {
        key.text(&place.to_string_lossy());
        for stamp in stamps(place) {
            key.text(&stamp.path);
            key.number(stamp.size);
            key.number(stamp.seconds.cast_unsigned());
            key.number(stamp.nanoseconds.cast_unsigned());
        }
    }
    key.done()
}

/// Two hashes of 128 bits with different keys: no accident makes two inputs alike.
struct Key([SipHasher; 2]);

impl Key {
    fn new() -> Key {
        Key([SipHasher::new_with_keys(1, 2), SipHasher::new_with_keys(3, 4)])
    }

    fn number(&mut self, number: u64) {
        self.0.iter_mut().for_each(|hasher| hasher.write_u64(number));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.iter_mut().for_each(|hasher| hasher.write(bytes));
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn done(self) -> [u8; 32] {
        let mut key = [0; 32];
        for (half, hasher) in key.chunks_exact_mut(16).zip(self.0) {
            half.copy_from_slice(&hasher.finish128().as_bytes());
        }
        key
    }
}
