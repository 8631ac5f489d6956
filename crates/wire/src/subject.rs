//! What can be judged: a call, several together, or something that lies in one.

use serde::{Deserialize, Serialize};

/// What can be judged, by numbers of calls. It means the same in every tree and every process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Subject {
    Call {
        number: u64,
    },
    /// All that one thread did, by the number of its first call.
    Thread {
        first: u64,
    },
    /// Calls beside each other, by the numbers of the first and the last.
    Run {
        first: u64,
        last: u64,
        collapsed: bool,
        independent: bool,
    },
    /// A call with the calls of the same method that are nested in it.
    Nest {
        number: u64,
        levels: u32,
    },
    /// The `run`th loop execution within a call, and which of its iterations; all of them if `to` is null.
    Loop {
        number: u64,
        run: u32,
        from: u32,
        to: Option<u32>,
    },
    /// The `at`th statement that was executed in a call.
    Statement {
        number: u64,
        at: u32,
    },
}

/// A subject with the name of its call, or of the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NamedSubject {
    pub subject: Subject,
    pub call: String,
    pub number: Option<u64>,
    /// Of a statement, the line that it is on.
    pub line: Option<u16>,
}

impl From<session::Subject> for Subject {
    fn from(subject: session::Subject) -> Subject {
        match subject {
            session::Subject::Call { call } => Subject::Call { number: call },
            session::Subject::Thread { first } => Subject::Thread { first },
            session::Subject::Run { first, last, collapsed, independent } => {
                Subject::Run { first, last, collapsed, independent }
            }
            session::Subject::Nest { call, levels } => Subject::Nest { number: call, levels },
            session::Subject::Loop { call, run, from, to } => Subject::Loop { number: call, run, from, to },
            session::Subject::Statement { call, at } => Subject::Statement { number: call, at },
        }
    }
}

impl From<Subject> for session::Subject {
    fn from(subject: Subject) -> session::Subject {
        match subject {
            Subject::Call { number } => session::Subject::Call { call: number },
            Subject::Thread { first } => session::Subject::Thread { first },
            Subject::Run { first, last, collapsed, independent } => {
                session::Subject::Run { first, last, collapsed, independent }
            }
            Subject::Nest { number, levels } => session::Subject::Nest { call: number, levels },
            Subject::Loop { number, run, from, to } => session::Subject::Loop { call: number, run, from, to },
            Subject::Statement { number, at } => session::Subject::Statement { call: number, at },
        }
    }
}

impl NamedSubject {
    pub fn of(past: &past::Past, subject: &session::Subject) -> NamedSubject {
        let call = subject.call();
        NamedSubject {
            subject: (*subject).into(),
            call: call.map(|call| past.call_name(call)).unwrap_or_default(),
            number: call.map(past::CallId::number),
            line: subject.line(past),
        }
    }
}
