//! What arrays hold after a call into a library: they are looked at when it has come back, so what it wrote into them is
//! told by the events right behind its last one, and not at that.

use index::{CallId, CallRow, Ending, Key, PostingKind, Target, Time};
use trace::{ObjectId, Value};

use crate::past::Past;

impl Past {
    /// When it was told what an array holds that a call into a library got or gave; none if nobody looked.
    pub(crate) fn looked_at(&self, call: CallId, array: ObjectId) -> Option<Time> {
        let row = self.index.call(call)?;
        let found = self.looked_into(call, &row, array)?;
        self.time_of(call.stream, found)
    }

    /// The last event that tells what a call did: behind its own last one if arrays were looked at then.
    pub(crate) fn last_event(&self, call: CallId, row: &CallRow) -> u64 {
        if !matches!(row.target, Target::Library(_)) {
            return row.exit;
        }
        let given = match row.ending {
            Ending::Returned(given) => given,
            _ => None,
        };
        let args = self.index.arguments(call).map(|args| args.values).unwrap_or_default();
        let arrays = args.into_iter().chain(given).filter_map(|value| match value {
            Value::Object(object) if self.array_length(object).is_some() => Some(object),
            _ => None,
        });
        arrays.filter_map(|array| self.looked_into(call, row, array)).max().unwrap_or(row.exit)
    }

    /// The event by which the elements of an array were told, the last of them if there are several.
    fn looked_into(&self, call: CallId, row: &CallRow, array: ObjectId) -> Option<u64> {
        let exit = self.time_of(call.stream, row.exit)?;
        let next = CallId { index: call.index.saturating_add(row.size), ..call };
        let before = self.index.call(next).map_or(u64::MAX, |next| next.entry);
        // Element by element from the first, by events that follow each other.
        let (mut last, mut elements) = (None, 0);
        for found in self.index.all(Key::ranges(array), Some(exit)) {
            let at = found.position.ordinal;
            let is_next = found.position.stream == call.stream
                && found.posting.bci == row.bci
                && at < before
                && last.is_none_or(|last| at == last + 1);
            match found.posting.what {
                PostingKind::SeenRange { from, count, .. } if is_next && from == elements => {
                    (last, elements) = (Some(at), from + count);
                }
                _ => break,
            }
        }
        last
    }
}
