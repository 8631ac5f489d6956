//! Every write to a location, in order. For an element of an array that includes writes to ranges with it, for a field of
//! a clone the copy, and contents that were seen to differ from what was known before.

use index::{CallId, Key, Position, PostingKind, Time, TimedPosting};
use render::KnownValue;
use trace::Value;

use crate::error::Result;
use crate::location::Location;
use crate::past::{Past, SourceLine};
use crate::state::covers;

/// How a value got there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// An instruction of the program wrote it.
    Written,
    /// Code of a library wrote it.
    ByLibrary,
    /// It was seen to be so: who wrote it, and when exactly, is not known.
    Seen,
    /// With the object's creation.
    Created,
}

/// One write to a location, or a moment at which it was seen to hold something else than known.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    pub time: Time,
    pub position: Position,
    pub value: KnownValue,
    pub manner: Manner,
    /// The call that wrote it; for a library's write, the innermost call that is recorded.
    pub call: Option<CallId>,
    pub place: Option<SourceLine>,
}

impl Past {
    /// All writes to a location.
    pub fn history(&self, location: &Location) -> Result<Vec<HistoryEntry>> {
        Ok(self.writes(location, None).collect())
    }

    /// The writes to a location in order, after a time or from the beginning, each found when it is asked for.
    pub fn writes<'p>(
        &'p self,
        location: &Location,
        after: Option<Time>,
    ) -> Box<dyn Iterator<Item = HistoryEntry> + 'p> {
        let found: Box<dyn Iterator<Item = TimedPosting> + 'p> = match location {
            Location::Local { call, name } => {
                let entries = self.local_history(*call, name, None).into_iter();
                return Box::new(entries.filter(move |entry| after.is_none_or(|after| entry.time > after)));
            }
            Location::Element { array, index } => {
                let index = *index;
                let own = self.index.all(Key::element(*array, index), after);
                let ranges = self.index.all(Key::ranges(*array), after);
                Box::new(by_time(own, ranges.filter(move |range| covers(range.posting.what, index))))
            }
            // A clone has its fields from its original.
            Location::Field { object, field } => {
                let own = self.index.all(Key::field(*object, *field), after);
                let copies = self.index.all(Key::ranges(*object), after);
                Box::new(by_time(own, copies.filter(is_copy)))
            }
            location => match location.key() {
                Some(key) => Box::new(self.index.all(key, after)),
                None => return Box::new(std::iter::empty()),
            },
        };
        // What was only seen is news if it differs from what was known.
        let mut before = after.map(|after| value_of(self.value_at(location, after)));
        let location = location.clone();
        let found = found.filter(|found| found.posting.what != PostingKind::Read(Value::Top));
        Box::new(found.map(move |found| self.entry(&location, &found)).filter(move |entry| {
            let value = value_of(entry.value);
            let news = entry.manner != Manner::Seen || before.is_none_or(|before| !same(before, value));
            before = Some(value);
            news
        }))
    }

    fn entry(&self, location: &Location, found: &TimedPosting) -> HistoryEntry {
        let value = match found.posting.what {
            PostingKind::Written(Value::Top) => KnownValue::Unknown,
            PostingKind::Written(value) => KnownValue::Value(value),
            PostingKind::Seen(value) | PostingKind::Read(value) => KnownValue::Seen(value),
            _ => self.value_at(location, found.time),
        };
        let manner = match found.posting.what {
            PostingKind::Seen(_) | PostingKind::Read(_) | PostingKind::SeenRange { .. } => Manner::Seen,
            _ if found.posting.library => Manner::ByLibrary,
            _ => Manner::Written,
        };
        let call = self.index.call_at(found.position);
        let place = call.and_then(|call| self.place_in(call, found.posting.bci));
        HistoryEntry { time: found.time, position: found.position, value, manner, call, place }
    }

    /// The last write to a location at or before a time.
    pub fn last_write(&self, location: &Location, time: Time) -> Option<HistoryEntry> {
        let found = match location {
            Location::Local { call, name } => {
                return self.local_writes_before(*call, name, time, 1).pop();
            }
            Location::Element { array, index } => crate::state::last_touch(&self.index, *array, *index, time),
            Location::Field { object, field } => {
                let own = self.index.last(Key::field(*object, *field), time);
                let copied = self.index.last(Key::ranges(*object), time).filter(is_copy);
                copied.filter(|copied| own.is_none_or(|own| own.time < copied.time)).or(own)
            }
            location => self.index.last(location.key()?, time),
        };
        found.map(|found| self.entry(location, &found))
    }

    /// The first write to a location after a time.
    pub fn next_write(&self, location: &Location, time: Time) -> Option<HistoryEntry> {
        match location {
            Location::Local { call, name } => self.local_writes_after(*call, name, time, 1).pop(),
            location => self.writes(location, Some(time)).next(),
        }
    }
}

fn is_copy(found: &TimedPosting) -> bool {
    matches!(found.posting.what, PostingKind::Copied { .. })
}

/// Two lists in order of time as one.
fn by_time(
    one: impl Iterator<Item = TimedPosting>,
    other: impl Iterator<Item = TimedPosting>,
) -> impl Iterator<Item = TimedPosting> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(first), Some(second)) if second.time < first.time => other.next(),
        (Some(_), _) => one.next(),
        _ => other.next(),
    })
}

pub(crate) fn value_of(known: KnownValue) -> Option<Value> {
    match known {
        KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
        KnownValue::Unknown => None,
    }
}

/// Is it the same value? Bit by bit: one NaN is another's equal, and the two zeros differ.
pub fn same(one: Option<Value>, other: Option<Value>) -> bool {
    match (one, other) {
        (Some(Value::Double(one)), Some(Value::Double(other))) => one.to_bits() == other.to_bits(),
        (Some(Value::Float(one)), Some(Value::Float(other))) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}
