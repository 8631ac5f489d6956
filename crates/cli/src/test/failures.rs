//! What failed in a build's tests: the symptoms of the run with their numbers, those that likely have one cause together.

use std::path::{Path, PathBuf};

use anyhow::Result;
use past::{Past, Settings};
use session::{SymptomReason, TestCount};
use wire::{SymptomRow, TestFailure, TestRun};
use words::symptom_line;

use super::alike;
use crate::green;
use crate::symptoms::{Listed, Run};

/// What is known of a run before its recordings are read.
pub struct RunFacts {
    /// The folder of its recordings, as the user would type it.
    pub dir: PathBuf,
    /// The exit code of the command.
    pub code: u8,
    pub tests: TestCount,
    /// It was ended from outside.
    pub cut_off: bool,
}

/// What came of a build whose tests were recorded.
pub struct Failures {
    /// As the user would type it.
    pub dir: PathBuf,
    /// Absent where nothing can have failed.
    pub run: Option<Run>,
    pub list: Vec<Failure>,
    /// Places in the list: of those that likely have one cause, the most telling first.
    pub groups: Vec<Vec<usize>>,
    pub tests: u64,
    pub skipped: u64,
    pub code: u8,
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
        let RunFacts { dir, code, tests, cut_off } = facts;
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
        let (tests, skipped) = (tests.ran + prepared, tests.skipped);
        Ok(Failures { dir, run, list, groups, tests, skipped, code })
    }

    /// Of a run in which nothing was recorded.
    pub fn none(code: u8) -> Failures {
        let (run, list, groups) = (None, Vec::new(), Vec::new());
        Failures { dir: PathBuf::new(), run, list, groups, tests: 0, skipped: 0, code }
    }

    /// Tests that failed or had not ended.
    pub fn failed(&self) -> u64 {
        self.list.iter().filter(|one| one.is_test).count() as u64
    }

    pub fn passed(&self) -> u64 {
        self.tests.saturating_sub(self.failed() + self.skipped)
    }

    /// Folders of the recordings in which something failed.
    pub fn guilty(&self) -> Vec<&Path> {
        let Some(run) = &self.run else { return Vec::new() };
        let mut jvms: Vec<usize> = self.list.iter().map(|one| one.listed.jvm).collect();
        jvms.sort_unstable();
        jvms.dedup();
        jvms.into_iter().map(|jvm| run.jvms[jvm].0.as_path()).collect()
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
            exit: self.code,
        }
    }
}

impl Failure {
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
