//! What tests that passed say where their recording is gone: how many of them ran which method, and what was asked and answered
//! in them, as fingerprints. It is a file of the run, a few megabytes at most, beside the recordings that are kept; who debugs one of
//! those hears it. It says no more than the tests would: what was called in one that passed is right, as far as a test can tell.

mod file;
mod hear;
mod passed;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base::MethodId;
use past::Past;

use crate::fingerprint::{Fingerprint, Fingerprints, Print, code};

pub(crate) use passed::{in_tests, passed};

/// The name of the file in the folder of a run.
pub const FILE: &str = "testimony";
/// A larger file is none of ours.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Testimony {
    pub witnesses: Vec<Witness>,
    /// By name, descriptor and code: two JVMs of a run may have other code under one name.
    methods: HashMap<TestedMethod, u32>,
    /// Sorted; each once.
    calls: Vec<TestedCall>,
}

/// A JVM that ran tests, and how much of it was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The name of its recording's folder.
    pub jvm: String,
    /// Tests of which it says which methods they ran.
    pub tests: u64,
    /// Calls in these tests.
    pub calls: u64,
    /// Those of them that fingerprints stand for: all, as far as there was room and time.
    pub looked_into: u64,
    /// Only a part of its recording was read.
    pub in_part: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct TestedMethod {
    owner: String,
    name: String,
    descriptor: String,
    code: Fingerprint,
}

/// A call in a test that passed: the course that it took, and all that a fingerprint says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct TestedCall {
    course: u64,
    print: Fingerprint,
}

#[derive(Debug, thiserror::Error)]
pub enum TestimonyError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is not what inquest keeps of tests that passed, or of another version", .0.display())]
    Other(PathBuf),
    #[error("{} is damaged", .0.display())]
    Damaged(PathBuf),
}

impl Testimony {
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.calls.is_empty()
    }

    /// How many calls have fingerprints.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// What there is in the folder of a run.
    pub fn load(run: &Path) -> Result<Option<Testimony>, TestimonyError> {
        let path = run.join(FILE);
        let unreadable = |source| TestimonyError::Unreadable { path: path.clone(), source };
        let bytes = match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
            Ok(found) if !found.is_file() || found.len() > MAX_BYTES => {
                return Err(TestimonyError::Other(path));
            }
            Ok(_) => fs::read(&path).map_err(unreadable)?,
        };
        match file::read(&bytes) {
            Ok(testimony) => Ok(Some(testimony)),
            Err(file::Unfit::Other) => Err(TestimonyError::Other(path)),
            Err(file::Unfit::Damaged) => Err(TestimonyError::Damaged(path)),
        }
    }

    /// What the other JVMs of its run left, if a recording is one of several.
    pub fn of_run(past: &Past) -> Result<Option<Testimony>, TestimonyError> {
        match run_of(past.path()) {
            Some(run) => Testimony::load(run),
            None => Ok(None),
        }
    }

    /// Writes it into the folder of a run, whole or not at all; gives its size.
    pub fn store(&self, run: &Path) -> io::Result<u64> {
        let bytes = file::written(self);
        let beside = run.join(format!("{FILE}.tmp"));
        fs::write(&beside, &bytes)?;
        fs::rename(&beside, run.join(FILE))?;
        Ok(bytes.len() as u64)
    }

    /// How many tests that passed ran the methods of a recording, as far as they are the same code.
    pub(crate) fn tests_by_method(&self, past: &Past) -> HashMap<MethodId, u32> {
        if self.methods.is_empty() {
            return HashMap::new();
        }
        let named: HashSet<(&str, &str)> =
            self.methods.keys().map(|method| (&*method.owner, &*method.name)).collect();
        let tests = |(group, owner, name, descriptor, _): (_, &str, &str, &str, u64)| {
            // Of most methods their code need not be read to know that they are none of these.
            let method = past.ranked(group, 0).filter(|_| named.contains(&(owner, name)))?;
            let method = past.method_of(method)?;
            let code = code(past.program(), method)?;
            let [owner, name, descriptor] = [owner, name, descriptor].map(str::to_owned);
            let tests = self.methods.get(&TestedMethod { owner, name, descriptor, code })?;
            Some((method, *tests))
        };
        past.methods().filter_map(tests).collect()
    }

    /// Did a call in a test that passed take this course?
    pub(crate) fn has_course(&self, course: u64) -> bool {
        self.of_course(course).next().is_some()
    }

    /// Was one of this course asked and answered the same?
    pub(crate) fn confirms(&self, course: u64, prints: &Fingerprints) -> bool {
        let wanted = joined(prints);
        self.of_course(course).any(|call| call.print == wanted)
    }

    fn of_course(&self, course: u64) -> impl Iterator<Item = &TestedCall> {
        let from = self.calls.partition_point(|call| call.course < course);
        self.calls[from..].iter().take_while(move |call| call.course == course)
    }
}

/// How many tests that passed in other JVMs of the run ran a method. What cannot be read says nothing; that it cannot is told where
/// recordings are opened.
pub(crate) fn tested_elsewhere(past: &Past) -> HashMap<MethodId, u32> {
    let testimony = Testimony::of_run(past).ok().flatten();
    testimony.map(|testimony| testimony.tests_by_method(past)).unwrap_or_default()
}

/// Code, input and output as one number.
fn joined(prints: &Fingerprints) -> Fingerprint {
    let mut print = Print::new();
    for one in [prints.code, prints.input, prints.output] {
        print.bytes(&one.0.to_le_bytes());
    }
    print.fingerprint()
}

/// The folder of the run that a recording is one of several of.
fn run_of(place: &Path) -> Option<&Path> {
    let name = place.file_name()?.to_str()?;
    name.strip_prefix("jvm-")?.parse::<u32>().ok()?;
    place.parent()
}
