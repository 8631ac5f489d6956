//! Who answers before a person is asked: a recording of a good version, a recording of tests that pass, what was
//! answered in earlier sessions, what a test asserted, a program. An oracle that is not sure does not answer; it never says
//! that it does not know.

mod advisor;
mod asserted;
mod changes;
mod compare;
mod memory;
mod pairs;
mod passing;
mod reference;
mod testified;
mod trust;
mod twins;
mod workers;
mod written;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use base::{CallId, Ending, MethodId, Target};
use past::{Past, Settings};

use crate::answer::{Answer, Author};
use crate::fingerprint::{Facts, Fingerprints, fingerprints_by};
use crate::subject::Subject;
use crate::testimony::{Testimony, TestimonyError};

pub(crate) use advisor::Advising;
pub use advisor::{Advice, Advisor};
pub(crate) use asserted::asserted;
pub use memory::{MemoryError, Remembered, RememberedAnswers, data_folder, memory_path};
pub use passing::Passing;
pub use reference::Reference;
use testified::Testified;
pub use trust::{CodeKind, Trust, TrustRule, TrustedCode, code_kind, method_rule};
pub(crate) use workers::each;

/// Members of a run that are looked at, at most.
const MAX_MEMBERS: usize = 1_000;

/// An oracle as it is asked for: `user`, `reference:DIR`, `tests:DIR`, `remembered`, `command:CMD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleSpec {
    User,
    Reference(PathBuf),
    Tests(PathBuf),
    Remembered,
    /// To be run by a shell.
    Command(String),
}

#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    #[error("`{0}` is no oracle: there is user, reference:DIR, tests:DIR, remembered and command:CMD")]
    UnknownKind(String),
    #[error("`{0}` needs the folder of a recording: {0}:DIR")]
    NoFolder(&'static str),
    #[error("`{0}` is a program, and not a recording that can be opened")]
    Program(String),
    #[error("`command` needs a command that a shell can run: command:CMD")]
    NoCommand,
    #[error("the oracle `{0}` takes no folder")]
    NeedlessFolder(&'static str),
    #[error("cannot use {} as an oracle: there is no such folder", .0.display())]
    Missing(PathBuf),
    #[error("cannot use {} as an oracle: {error}", path.display())]
    Recording { path: PathBuf, error: past::Error },
    #[error(
        "the reference {name} is of another program: no method of this recording was called there \
             (there: {theirs}, here: {ours})"
    )]
    OtherProgram { name: String, theirs: String, ours: String },
    #[error("{name} is no recording of passing tests: {why}")]
    NotPassing { name: String, why: String },
    #[error(transparent)]
    Testimony(#[from] TestimonyError),
    #[error("there is no place for remembered answers: neither XDG_DATA_HOME nor HOME is set")]
    NoMemory,
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl FromStr for OracleSpec {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<OracleSpec, OracleError> {
        let (kind, folder) = match text.split_once(':') {
            Some((kind, folder)) => (kind, Some(folder)),
            None => (text, None),
        };
        let needed = |name| {
            folder.filter(|folder| !folder.is_empty()).map(PathBuf::from).ok_or(OracleError::NoFolder(name))
        };
        let alone =
            |name, spec| if folder.is_none() { Ok(spec) } else { Err(OracleError::NeedlessFolder(name)) };
        match kind {
            "user" => alone("user", OracleSpec::User),
            "remembered" => alone("remembered", OracleSpec::Remembered),
            "reference" => needed("reference").map(OracleSpec::Reference),
            "tests" => needed("tests").map(OracleSpec::Tests),
            "command" => match folder.map(str::trim).filter(|command| !command.is_empty()) {
                Some(command) => Ok(OracleSpec::Command(command.to_owned())),
                None => Err(OracleError::NoCommand),
            },
            _ => Err(OracleError::UnknownKind(text.to_owned())),
        }
    }
}

impl fmt::Display for OracleSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OracleSpec::User => f.write_str("user"),
            OracleSpec::Remembered => f.write_str("remembered"),
            OracleSpec::Reference(folder) => write!(f, "reference:{}", folder.display()),
            OracleSpec::Tests(folder) => write!(f, "tests:{}", folder.display()),
            OracleSpec::Command(command) => write!(f, "command:{command}"),
        }
    }
}

/// An oracle that is ready to be asked.
pub enum Oracle {
    /// The person: answers nothing here, and stands for the place in the order of oracles where the person comes.
    User,
    Reference {
        name: String,
        reference: Box<Reference>,
    },
    Tests {
        name: String,
        passing: Box<Passing>,
    },
    /// What is left of tests whose recordings are gone.
    Testified {
        name: String,
        testified: Box<Testified>,
    },
    Remembered {
        memory: RememberedAnswers,
        facts: Box<Facts>,
        /// Of calls that are over: strategies come back to the same ones.
        prints: HashMap<CallId, Option<Fingerprints>>,
    },
}

impl Oracle {
    /// `past` is the recording that is debugged, `memory` where remembered answers are. Programs are run by who asks.
    pub fn open(
        spec: &OracleSpec,
        past: &Past,
        memory: Option<&Path>,
        settings: &Settings,
    ) -> Result<Oracle, OracleError> {
        Ok(match spec {
            OracleSpec::User => Oracle::User,
            OracleSpec::Command(command) => return Err(OracleError::Program(command.clone())),
            OracleSpec::Reference(path) => {
                let name = path.display().to_string();
                let reference = Reference::new(open(path, settings)?, &name, past)?;
                Oracle::Reference { name, reference: Box::new(reference) }
            }
            OracleSpec::Tests(path) => {
                let name = path.display().to_string();
                if let Some(testimony) = testimony(path)? {
                    let testified = Box::new(Testified::new(testimony));
                    return Ok(Oracle::Testified { name, testified });
                }
                let passing = Passing::new(open(path, settings)?, &name)?;
                Oracle::Tests { name, passing: Box::new(passing) }
            }
            OracleSpec::Remembered => {
                let memory = RememberedAnswers::open(memory.ok_or(OracleError::NoMemory)?)?;
                Oracle::Remembered { memory, facts: Box::default(), prints: HashMap::new() }
            }
        })
    }

    /// What the oracle says of a subject; none if it does not know. Of several calls together it knows that they are
    /// right if each of them is. That one of them is wrong does not make them wrong together: another may make up for
    /// it. Then the session is left to ask about the members.
    pub fn answer(&mut self, past: &Past, subject: &Subject) -> Option<(Answer, Author)> {
        match *subject {
            Subject::Call { call } | Subject::Nest { call, .. } => {
                self.answer_call(past, CallId::of_number(call)?)
            }
            Subject::Run { first, last, .. } => {
                let (first, last) = (CallId::of_number(first)?, CallId::of_number(last)?);
                let mut author = None;
                for member in members(past, first, last)? {
                    match self.answer_call(past, member)? {
                        (Answer::Correct, by) => author = Some(by),
                        _ => return None,
                    }
                }
                author.map(|by| (Answer::Correct, by))
            }
            Subject::Thread { .. } | Subject::Loop { .. } | Subject::Statement { .. } => None,
        }
    }

    /// Can it look into all calls of a run at once, as fast as into some of them?
    pub(crate) fn sweeps(&self) -> bool {
        match self {
            Oracle::Tests { .. } | Oracle::Testified { .. } => true,
            Oracle::Reference { reference, .. } => reference.knows_changes(),
            Oracle::User | Oracle::Remembered { .. } => false,
        }
    }

    /// What is said of a subject where all of a run is looked at: nothing once that has taken long.
    pub(crate) fn swept(&mut self, past: &Past, subject: &Subject) -> Option<(Answer, Author)> {
        if let (Oracle::Reference { reference, .. }, Some(call)) = (&*self, subject.call())
            && !reference.is_cheap(past, call)
        {
            return None;
        }
        self.answer(past, subject)
    }

    /// May these be tests that pass although what they call is wrong? They were run with the very code that is looked into.
    pub(crate) fn may_pass_by_chance(&mut self, past: &Past) -> bool {
        match self {
            Oracle::Tests { passing, .. } => passing.has_same_code(past),
            Oracle::Testified { .. } => true,
            Oracle::User | Oracle::Reference { .. } | Oracle::Remembered { .. } => false,
        }
    }

    /// The methods that are other code where it was right, if it knows of code at all.
    pub(crate) fn other_code(&mut self, past: &Past) -> Option<&HashSet<MethodId>> {
        match self {
            Oracle::Tests { passing, .. } => passing.other_code(past),
            Oracle::Reference { reference, .. } => reference.other_code(),
            Oracle::User | Oracle::Testified { .. } | Oracle::Remembered { .. } => None,
        }
    }

    /// Works out what it would say of these, so that asking is quick.
    pub(crate) fn look_into(&mut self, past: &Past, calls: &[CallId]) {
        match self {
            Oracle::Tests { passing, .. } => passing.look_into(past, calls),
            Oracle::Testified { testified, .. } => testified.look_into(past, calls),
            Oracle::User | Oracle::Reference { .. } | Oracle::Remembered { .. } => {}
        }
    }

    fn answer_call(&mut self, past: &Past, call: CallId) -> Option<(Answer, Author)> {
        match self {
            Oracle::User => None,
            Oracle::Reference { name, reference } => {
                let right = reference.answer(past, call)?;
                let answer = if right { Answer::Correct } else { Answer::wrong() };
                Some((answer, Author::Reference(name.clone())))
            }
            Oracle::Tests { name, passing } => {
                passing.confirms(past, call).then(|| (Answer::Correct, Author::Tests(name.clone())))
            }
            Oracle::Testified { name, testified } => {
                testified.confirms(past, call).then(|| (Answer::Correct, Author::Tests(name.clone())))
            }
            Oracle::Remembered { memory, facts, prints } => {
                if memory.is_empty() || past.call_row(call)?.ending == Ending::Open {
                    return None;
                }
                let prints = prints.entry(call).or_insert_with(|| fingerprints_by(past, facts, call).0);
                let remembered = memory.lookup(prints.as_ref()?)?;
                Some((remembered.answer.clone(), Author::Remembered))
            }
        }
    }
}

/// Calls of program code from one sibling to another; none if they are no siblings, or too many.
pub(crate) fn members(past: &Past, first: CallId, last: CallId) -> Option<Vec<CallId>> {
    let parent = past.call_row(first)?.parent;
    if first.stream != last.stream || past.call_row(last)?.parent != parent {
        return None;
    }
    let mut members = Vec::new();
    let mut at = first;
    while at.index <= last.index {
        let row = past.call_row(at)?;
        match row.target {
            Target::Method(_) => members.push(at),
            // What a library called back is under it.
            Target::Library(_) if row.size > 1 => return None,
            Target::Library(_) => {}
        }
        if members.len() > MAX_MEMBERS {
            return None;
        }
        at.index = at.index.checked_add(row.size.max(1))?;
    }
    Some(members)
}

/// What tests that passed left in the folder of a run, where that is no recording itself.
fn testimony(path: &Path) -> Result<Option<Testimony>, OracleError> {
    if path.join("manifest.json").exists() {
        return Ok(None);
    }
    let found = Testimony::load(path)?;
    if found.as_ref().is_some_and(|found| found.calls() == 0) {
        let name = path.display().to_string();
        let why = "it holds no calls of tests that passed; name the folder of one of its JVMs".to_owned();
        return Err(OracleError::NotPassing { name, why });
    }
    Ok(found)
}

fn open(path: &Path, settings: &Settings) -> Result<Past, OracleError> {
    if !path.exists() {
        return Err(OracleError::Missing(path.to_owned()));
    }
    Past::open(path, settings, &mut |_| {})
        .map_err(|error| OracleError::Recording { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oracles_are_named_as_they_are_shown() {
        for text in ["user", "remembered", "reference:good", "tests:/a/b:c", "command:ask --all 'x: y'"] {
            assert_eq!(text.parse::<OracleSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_oracle_is_told_with_what_would_be() {
        for (text, expected) in [
            ("referense:x", "reference:DIR, tests:DIR, remembered and command:CMD"),
            ("", "user, reference:DIR"),
            ("reference", "reference:DIR"),
            ("tests:", "tests:DIR"),
            ("command: ", "command:CMD"),
            ("user:x", "takes no folder"),
        ] {
            let error = text.parse::<OracleSpec>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
