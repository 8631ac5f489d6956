//! What failed in a build's tests: the symptoms of the run with their numbers, those that likely have one cause together.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use past::{Past, Settings};
use session::SymptomReason;
use wire::{SymptomRow, TestFailure, TestRun};
use words::symptom_line;

use super::alike;
use super::testimony::Taken;
use crate::green;
use crate::symptoms::{Listed, Run};

/// What is known of a run before its recordings are read.
pub struct RunFacts {
    /// The folder of its recordings.
    pub dir: PathBuf,
    /// The exit code of the command.
    pub code: u8,
    pub tests: u64,
    pub skipped: u64,
    /// It was ended from outside.
    pub cut_off: bool,
}

/// What came of a build whose tests were recorded.
pub struct Failures {
    /// The folder of its recordings.
    pub dir: PathBuf,
    /// Absent where nothing can have failed.
    pub run: Option<Run>,
    pub list: Vec<Failure>,
    /// Places in the list: of those that likely have one cause, the most telling first.
    pub groups: Vec<Vec<usize>>,
    pub tests: u64,
    pub skipped: u64,
    pub code: u8,
    /// Recordings that are kept, and their size.
    pub jvms: usize,
    pub bytes: u64,
    /// What is left of those that are not kept.
    pub taken: Taken,
}

pub struct Failure {
    pub row: SymptomRow,
    /// The test, or the call that shows it.
    pub name: String,
    pub is_test: bool,
    /// What prepares tests failed, so that a test did not run.
    prepares: bool,
    pub listed: Listed,
}

impl Failures {
    /// Reads what may have failed in the recordings of a run. `suspects`: those in which something may have.
    pub fn find(
        facts: RunFacts,
        places: &[PathBuf],
        suspects: Vec<PathBuf>,
        settings: &Settings,
    ) -> Result<Failures> {
        for place in places.iter().filter(|place| !suspects.contains(place)) {
            green::mark(place);
        }
        let RunFacts { dir, code, tests, skipped, cut_off } = facts;
        let (mut list, mut groups) = (Vec::new(), Vec::new());
        let mut run = match suspects.is_empty() {
            true => None,
            false => Some(Run::open_these(suspects, places.len(), settings)?),
        };
        if let Some(run) = &mut run {
            for listed in run.listed(None) {
                let (_, past) = &run.jvms[listed.jvm];
                list.extend(Failure::of(run.jvm(listed.jvm), past, listed, cut_off));
            }
            groups = alike::groups(run, &list, settings)?;
        }
        // A test that did not come to its own call because of what prepares it is one that ran, too.
        let prepared = list.iter().filter(|one| one.prepares).count() as u64;
        let (jvms, bytes) = (places.len(), places.iter().map(|place| file_bytes(place)).sum());
        Ok(Failures {
            dir,
            run,
            list,
            groups,
            tests: tests + prepared,
            skipped,
            code,
            jvms,
            bytes,
            taken: Taken::default(),
        })
    }

    /// Of a run in which nothing was recorded.
    pub fn none(code: u8) -> Failures {
        let (run, list, groups) = (None, Vec::new(), Vec::new());
        let taken = Taken::default();
        Failures {
            dir: PathBuf::new(),
            run,
            list,
            groups,
            tests: 0,
            skipped: 0,
            code,
            jvms: 0,
            bytes: 0,
            taken,
        }
    }

    /// Tests that failed or had not ended.
    pub fn failed(&self) -> u64 {
        self.list.iter().filter(|one| one.is_test).count() as u64
    }

    pub fn passed(&self) -> u64 {
        self.tests.saturating_sub(self.failed() + self.skipped)
    }

    /// The recordings in which nothing failed, if something did in others.
    pub fn green<'p>(&self, places: &'p [PathBuf]) -> Vec<&'p PathBuf> {
        let Some(run) = self.run.as_ref().filter(|_| !self.list.is_empty()) else { return Vec::new() };
        let guilty: HashSet<&Path> =
            self.list.iter().map(|one| run.jvms[one.listed.jvm].0.as_path()).collect();
        places.iter().filter(|place| !guilty.contains(place.as_path())).collect()
    }

    /// Removes recordings in which nothing failed.
    pub fn drop(&mut self, green: &[&PathBuf]) {
        for place in green {
            self.bytes -= file_bytes(place);
            self.jvms -= 1;
            let _ = fs::remove_dir_all(place);
        }
    }

    pub fn as_json(&self) -> TestRun {
        let dir = self.dir.display().to_string();
        let first =
            |at: usize| self.groups.iter().find(|group| group.contains(&at)).map_or(at, |group| group[0]);
        let failure = |(at, one): (usize, &Failure)| TestFailure {
            symptom: one.row.clone(),
            dir: dir.clone(),
            alike: self.list[first(at)].listed.number,
        };
        TestRun {
            failures: self.list.iter().enumerate().map(failure).collect(),
            tests: self.tests,
            passed: self.passed(),
            failed: self.failed(),
            skipped: self.skipped,
            exit: self.code,
        }
    }
}

/// Of the chunk files of a recording.
pub fn file_bytes(place: &Path) -> u64 {
    trace::frame_reader::file_bytes(place).unwrap_or(0)
}

impl Failure {
    /// The test without what it was given.
    pub fn method(&self) -> &str {
        self.name.split('(').next().unwrap_or(&self.name)
    }

    /// None if a symptom is nothing that failed: threads that still did something when a build's JVM was over are as they should be,
    /// unless they are why it was ended.
    fn of(jvm: Option<String>, past: &Past, listed: Listed, cut_off: bool) -> Option<Failure> {
        let call = listed.symptom.call;
        let (is_test, prepares) = match listed.symptom.why {
            SymptomReason::FailedTest { .. } => (true, session::prepares_tests(past, call)),
            SymptomReason::NeverEnded { .. } => {
                let is_test = session::is_test(past, call);
                if !is_test && !cut_off {
                    return None;
                }
                (is_test, false)
            }
            _ => (false, false),
        };
        let row = SymptomRow { jvm, ..SymptomRow::of(past, Some(listed.number), &listed.symptom) };
        let name = symptom_line(past, &listed.symptom);
        Some(Failure { row, name, is_test, prepares, listed })
    }
}
