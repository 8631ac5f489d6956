//! What other threads wrote to a location while a call ran. None of that is the call's own doing; and where the call wrote
//! what it had worked out before, theirs is lost.

use index::{CallId, PostingKind, Time};
use render::KnownValue;
use trace::StreamId;

use crate::location::Location;
use crate::past::Past;

/// Writes of one location that are gone through, at most.
const MAX_WRITES: usize = 64;

/// The last write of another thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OtherWrite {
    pub value: KnownValue,
    pub time: Time,
    pub thread: StreamId,
    pub call: Option<CallId>,
}

impl Past {
    /// The last write of another thread to a location after one time and up to another.
    pub fn written_by_others(
        &self,
        location: &Location,
        thread: StreamId,
        from: Time,
        to: Time,
    ) -> Option<OtherWrite> {
        self.meanwhile(location, thread, from, to).1
    }

    /// The last write of the thread itself, and that of another one.
    pub(crate) fn meanwhile(
        &self,
        location: &Location,
        thread: StreamId,
        from: Time,
        to: Time,
    ) -> (Option<(Time, KnownValue)>, Option<OtherWrite>) {
        let (mut own, mut other) = (None, None);
        let Some(key) = location.key().filter(|_| !self.one_thread) else {
            return (own, other);
        };
        let mut until = to;
        for _ in 0..MAX_WRITES {
            let Some(found) = self.index.last(key, until).filter(|found| found.time > from) else { break };
            if let PostingKind::Written(value) = found.posting.what {
                let value = KnownValue::Value(value);
                match found.position.stream == thread {
                    true => own = own.or(Some((found.time, value))),
                    false => {
                        let call = self.index.call_at(found.position);
                        let write =
                            OtherWrite { value, time: found.time, thread: found.position.stream, call };
                        other = other.or(Some(write));
                    }
                }
            }
            if own.is_some() && other.is_some() || found.time.0 == 0 {
                break;
            }
            until = Time(found.time.0 - 1);
        }
        (own, other)
    }

    /// What a thread made of a location, if another one had the last word; and what that one wrote.
    pub fn own_part(
        &self,
        location: &Location,
        thread: StreamId,
        (from, to): (Time, Time),
        after: KnownValue,
    ) -> (KnownValue, Option<OtherWrite>) {
        let (own, other) = self.meanwhile(location, thread, from, to);
        match (own, other) {
            (Some((at, value)), Some(other)) if other.time > at => (value, Some(other)),
            (_, other) => (after, other),
        }
    }
}
