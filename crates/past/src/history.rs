//! Every write to a location, in order. For an element of an array that includes writes to ranges with it, and
//! contents that were seen to differ from what was known before.

use index::{CallId, Found, Key, Position, Time, What};
use render::Known;
use trace::Value;

use crate::error::Result;
use crate::location::Location;
use crate::past::{Past, Place};
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

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub time: Time,
    pub position: Position,
    pub value: Known,
    pub manner: Manner,
    /// The call that wrote it; for a library's write, the innermost call that is recorded.
    pub call: Option<CallId>,
    pub place: Option<Place>,
}

impl Past {
    /// All writes to a location.
    pub fn history(&self, location: &Location) -> Result<Vec<Entry>> {
        let mut entries = match location {
            Location::Local { call, name } => return Ok(self.local_history(*call, name)),
            Location::Element { array, index } => {
                let mut found = self.index.all(Key::element(*array, *index));
                let ranges = self.index.all(Key::ranges(*array));
                found.extend(ranges.into_iter().filter(|range| covers(range.posting.what, *index)));
                found.sort_by_key(|found| found.time);
                found
            }
            location => location.key().map_or_else(Vec::new, |key| self.index.all(key)),
        }
        .into_iter()
        .map(|found| self.entry(location, &found))
        .collect::<Vec<_>>();
        // What was only seen is news if it differs from what was known.
        let mut before = None;
        entries.retain(|entry| {
            let value = value_of(entry.value);
            let news = entry.manner != Manner::Seen || before.is_none_or(|before| !same(before, value));
            before = Some(value);
            news
        });
        Ok(entries)
    }

    fn entry(&self, location: &Location, found: &Found) -> Entry {
        let value = match found.posting.what {
            What::Written(Value::Top) => Known::Unknown,
            What::Written(value) => Known::Value(value),
            What::Seen(value) => Known::Seen(value),
            _ => self.value_at(location, found.time),
        };
        let manner = match found.posting.what {
            What::Seen(_) | What::SeenRange { .. } => Manner::Seen,
            _ if found.posting.library => Manner::ByLibrary,
            _ => Manner::Written,
        };
        let call = self.index.call_at(found.position);
        let place = call.and_then(|call| self.place_in(call, found.posting.bci));
        Entry { time: found.time, position: found.position, value, manner, call, place }
    }

    /// The last write to a location at or before a time.
    pub fn last_write(&self, location: &Location, time: Time) -> Option<Entry> {
        let found = match location {
            Location::Local { call, name } => {
                return self.local_history(*call, name).into_iter().rfind(|entry| entry.time <= time);
            }
            Location::Element { array, index } => crate::state::last_touch(&self.index, *array, *index, time),
            location => self.index.last(location.key()?, time),
        };
        found.map(|found| self.entry(location, &found))
    }

    /// The first write to a location after a time.
    pub fn next_write(&self, location: &Location, time: Time) -> Option<Entry> {
        self.history(location).ok()?.into_iter().find(|entry| entry.time > time)
    }
}

pub(crate) fn value_of(known: Known) -> Option<Value> {
    match known {
        Known::Value(value) | Known::Seen(value) => Some(value),
        Known::Unknown => None,
    }
}

/// Is it the same value? Bit by bit: one NaN is another's equal, and the two zeros differ.
pub(crate) fn same(one: Option<Value>, other: Option<Value>) -> bool {
    match (one, other) {
        (Some(Value::Double(one)), Some(Value::Double(other))) => one.to_bits() == other.to_bits(),
        (Some(Value::Float(one)), Some(Value::Float(other))) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}
