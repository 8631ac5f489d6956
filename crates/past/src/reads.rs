//! What a call read before it wrote it: its input, besides its arguments.

use std::collections::HashSet;

use base::{CallId, ObjectId, Value};

use crate::accesses::AccessKind;
use crate::affected::Slot;
use crate::location::Location;
use crate::past::Past;

/// A location with the value that was read first.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadLocation {
    pub location: Location,
    pub value: Value,
}

/// Longer calls are read up to here.
const MAX_EVENTS: u64 = 300_000;

impl Past {
    /// Locations that a call (with its callees) read before writing them, at most `limit`, and whether that is all.
    /// Those of objects that it created itself are left out.
    pub fn reads(&self, call: CallId, limit: usize) -> (Vec<ReadLocation>, bool) {
        let Some(row) = self.index.call(call) else { return (Vec::new(), true) };
        let last = row.exit.min(row.entry.saturating_add(MAX_EVENTS));
        let mut list: Vec<ReadLocation> = Vec::new();
        // What is known of a location from the first access on, and objects that were made.
        let (mut touched, mut made) = (HashSet::<Slot>::new(), HashSet::<ObjectId>::new());
        let mut whole = last == row.exit;
        let known = self.accesses(call.stream, row.entry, last, |access| {
            match access.kind {
                AccessKind::Wrote(slot) => {
                    touched.insert(slot);
                }
                AccessKind::Made(object) => {
                    made.insert(object);
                }
                AccessKind::Read(slot, _) if slot.object().is_some_and(|object| made.contains(&object)) => {}
                AccessKind::Read(slot, value) => {
                    if touched.contains(&slot) {
                        return true;
                    }
                    if list.len() == limit {
                        whole = false;
                        return false;
                    }
                    touched.insert(slot);
                    list.push(ReadLocation { location: self.location(slot.0), value });
                }
            }
            true
        });
        (list, whole && known)
    }
}
