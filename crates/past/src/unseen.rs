//! Writes out of sight: what is read from a location is another value than all that was told before. When it got there
//! nobody knows; it was while code ran that is not recorded, so until such code ran the old value holds.

use index::{Ending, Key, Position, PostingKind, Target, Time};
use render::{Heap, KnownValue};
use trace::{FieldId, Text, Value};

use crate::history::{same, value_of};
use crate::past::Past;

/// Calls that are looked at for one that could have written.
const MAX_CALLS: u32 = 64;

impl Past {
    /// What a location holds by all that was told, unless what is read from it next is something else.
    pub(crate) fn unless_read(&self, key: Key, field: FieldId, time: Time, told: KnownValue) -> KnownValue {
        if !self.index.is_read_unwritten(field) {
            return told;
        }
        let Some(old) = value_of(told) else { return told };
        let next = self.index.all(key, Some(time)).next();
        match next.map(|next| next.posting.what) {
            Some(PostingKind::Read(value)) if !self.is_alike(old, value) && !self.is_quiet(key, time) => {
                KnownValue::Unknown
            }
            _ => told,
        }
    }

    /// The same value; a string of the code and one that was recorded may be.
    fn is_alike(&self, one: Value, other: Value) -> bool {
        let text = |value| match value {
            Value::Str(_) | Value::Literal { .. } => Heap::string(&self.heap_at(Time(0)), value),
            _ => None,
        };
        let are_one =
            |one: Text, other: Text| (one.chars, &one.text) == (other.chars, &other.text) && !one.cut;
        same(Some(one), Some(other))
            || text(one).is_some_and(|one| text(other).is_some_and(|other| are_one(one, other)))
    }

    /// Does a location hold what it held, to a person? A text is what it says, whichever object it is.
    pub fn is_unchanged(&self, before: KnownValue, after: KnownValue) -> bool {
        match (value_of(before), value_of(after)) {
            (Some(before), Some(after)) => self.is_alike(before, after),
            (before, after) => same(before, after),
        }
    }

    /// Did no code run that is not recorded and may write, since a location was told of last?
    fn is_quiet(&self, key: Key, time: Time) -> bool {
        let created = Key::created(trace::ObjectId(key.object));
        let last = self.index.last(key, time).or_else(|| self.index.last(created, time));
        let Some(Position { stream, ordinal: from }) = last.map(|last| last.position) else { return false };
        if !self.one_thread {
            return false;
        }
        let Some(to) = self.index.happened(stream, time).checked_sub(1) else { return false };
        self.is_within_program(Position { stream, ordinal: from }, to) && self.calls_nothing(stream, from, to)
    }

    /// Has no library been returned to after an event and up to another?
    fn is_within_program(&self, from: Position, to: u64) -> bool {
        let mut around = self.index.call_at(from);
        while let Some(call) = around {
            let Some(row) = self.index.call(call) else { return false };
            if row.ending == Ending::Open || row.exit > to {
                return true;
            }
            around = self.parent(call);
            let above = around.and_then(|above| self.index.call(above));
            let is_back = matches!(row.target, Target::Method(_));
            if is_back && above.is_none_or(|above| matches!(above.target, Target::Library(_))) {
                return false;
            }
        }
        false
    }

    /// Was no library called between two events of which nobody knows what it did?
    fn calls_nothing(&self, stream: trace::StreamId, from: u64, to: u64) -> bool {
        let first = self.first_call_after(stream, from);
        for index in first..first.saturating_add(MAX_CALLS) {
            let row = self.index.call(index::CallId { stream, index });
            let Some(row) = row.filter(|row| row.entry <= to) else { return true };
            if let Target::Library(_) = row.target {
                let (owner, name, _) = self.target(row.target);
                if jdk::calls::effect(&owner, &name) == jdk::calls::Effect::Unknown {
                    return false;
                }
            }
        }
        false
    }

    /// The number of the first call of a thread that began after an event.
    fn first_call_after(&self, stream: trace::StreamId, ordinal: u64) -> u32 {
        let (mut low, mut high) = (0, self.index.calls(stream));
        while low < high {
            let middle = low + (high - low) / 2;
            let row = self.index.call(index::CallId { stream, index: middle });
            if row.is_some_and(|row| row.entry <= ordinal) { low = middle + 1 } else { high = middle }
        }
        low
    }
}
