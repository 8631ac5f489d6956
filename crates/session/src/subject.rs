//! What a question is about, in terms that hold across trees, processes and transformations: recorded calls.

use base::CallId;
use past::Past;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A call, by `CallId::number`.
    Call { call: u64 },
    /// All that one thread did, by the number of its first call.
    Thread { first: u64 },
    /// Siblings together, first to last, other calls under the same caller between them left out if trusted.
    Run { first: u64, last: u64, collapsed: bool, independent: bool },
    /// A call with the calls of the same method that are nested in it, so many levels.
    Nest { call: u64, levels: u32 },
    /// The `run`th loop execution within a call, and which of its iterations; all of them if `to` is none.
    Loop { call: u64, run: u32, from: u32, to: Option<u32> },
    /// The `at`th statement executed in a call.
    Statement { call: u64, at: u32 },
}

impl Subject {
    /// The first call that it covers, or the call that it lies in.
    pub fn call(&self) -> Option<CallId> {
        let number = match *self {
            Subject::Call { call }
            | Subject::Nest { call, .. }
            | Subject::Loop { call, .. }
            | Subject::Statement { call, .. } => call,
            Subject::Thread { first } | Subject::Run { first, .. } => first,
        };
        CallId::of_number(number)
    }

    /// The line that a statement is on; of others, none.
    pub fn line(&self, past: &Past) -> Option<u16> {
        let (Subject::Statement { at, .. }, Some(call)) = (self, self.call()) else { return None };
        let found = analysis::statements(past, call, *at as usize + 1).ok()?;
        found.list.get(*at as usize)?.line
    }
}
