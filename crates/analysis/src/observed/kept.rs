//! The points-to analysis of a recorded program, kept in the recording's folder `analysis`. It is found again under a
//! key of all that goes into it, so that a result that no longer fits is never used, only replaced.

use std::fs;
use std::hash::Hasher;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use past::Past;
use pointsto::{Solution, solve};
use siphasher::sip128::{Hasher128, SipHasher};

use super::classes::{RunClasses, is_program};
use super::facts::observed;
use crate::error::Result;

/// Part of the key: to be raised when the same input gives another result.
const VERSION: u64 = 1;

/// So many files of a folder on the class path are looked at. Further ones may change without being noticed.
const MOST_FILES: usize = 50_000;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Looking at what the run showed.
    Looking { rows: u64, of: u64 },
    /// Reading and solving; more methods become known on the way.
    Solving { read: u32, known: u32 },
}

/// The analysis of the run's program: as it was kept, or made anew and kept.
pub fn points_to(past: &Past, progress: &mut dyn FnMut(Progress)) -> Result<Solution> {
    let classes = RunClasses::new(past);
    let key = key(past, &classes);
    let place = place(past);
    if let Ok(Some(kept)) = Solution::load(&place, &key) {
        return Ok(kept);
    }
    let observed = observed(past, &mut |rows, of| progress(Progress::Looking { rows, of }))?;
    let solution =
        solve(&classes, &observed, &mut |read, known| progress(Progress::Solving { read, known }))?;
    // The folder of a running recording is its recorder's. Elsewhere there may be no room, or no right to write:
    // then it is made again next time.
    let is_running = past.recording().path().join(trace::POOL).exists();
    if !is_running && place.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) {
        let _ = solution.save(&place, &key);
    }
    Ok(solution)
}

/// Where it is kept.
pub fn place(past: &Past) -> PathBuf {
    past.recording().path().join("analysis").join("points-to")
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
        key.files(place);
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

    /// Size and time of a file, or of all class files in a folder.
    fn files(&mut self, place: &Path) {
        let mut waiting = vec![place.to_owned()];
        let mut left = MOST_FILES;
        while let Some(path) = waiting.pop() {
            let Ok(found) = fs::symlink_metadata(&path).and_then(|link| {
                // A jar is often reached through a link; folders within a folder are not, lest there be no end.
                if path == place { fs::metadata(&path) } else { Ok(link) }
            }) else {
                continue;
            };
            if found.is_dir() {
                let mut inside: Vec<PathBuf> =
                    fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
                inside.sort_unstable();
                inside.truncate(left);
                left -= inside.len();
                waiting.extend(inside);
            } else if path == place || path.extension().is_some_and(|end| end == "class") {
                self.text(&path.to_string_lossy());
                self.number(found.len());
                self.number(found.mtime().cast_unsigned());
                self.number(found.mtime_nsec().cast_unsigned());
            }
        }
    }

    fn done(self) -> [u8; 32] {
        let mut key = [0; 32];
        for (half, hasher) in key.chunks_exact_mut(16).zip(self.0) {
            half.copy_from_slice(&hasher.finish128().as_bytes());
        }
        key
    }
}
