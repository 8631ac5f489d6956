//! A call: which one, what was called, what it got and how it ended.

use crate::ids::{CalleeId, MethodId, StreamId};
use crate::value::Value;

/// A call: its thread's stream, and its number there in the order in which calls began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    pub stream: StreamId,
    pub index: u32,
}

impl CallId {
    /// One number for both, for people and programs: small for the first thread.
    pub fn number(self) -> u64 {
        u64::from(self.stream.0.saturating_sub(1)) << 32 | (u64::from(self.index) + 1)
    }

    pub fn of_number(number: u64) -> Option<CallId> {
        let index = (number as u32).checked_sub(1)?;
        let stream = u32::try_from(number >> 32).ok()?.checked_add(1)?;
        Some(CallId { stream: StreamId(stream), index })
    }
}

/// What was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A method of the program.
    Method(MethodId),
    /// Something in a library, as the calling class names it.
    Library(CalleeId),
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// It did not, as far as is recorded.
    Open,
    /// With this result; none for void, and where the value is not known.
    Returned(Option<Value>),
    /// By this exception; none if it is not known.
    Threw(Option<Value>),
}

/// The arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    pub receiver: Option<Value>,
    pub values: Vec<Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_calls() {
        for (stream, index) in [(1, 0), (1, 41), (3, 7)] {
            let call = CallId { stream: StreamId(stream), index };
            assert_eq!(CallId::of_number(call.number()), Some(call));
        }
        assert_eq!(CallId { stream: StreamId(1), index: 0 }.number(), 1);
        assert_eq!(CallId::of_number(0), None);
    }
}
