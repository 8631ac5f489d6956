//! Static fields that a call, with its callees, read: found by replaying it, up to a bound.

use std::collections::BTreeSet;

use index::{CallId, Position};
use trace::{Event, FieldId, Paused, Read, ReadKind, Then, Visitor};

use crate::past::Past;

/// Longer calls are replayed up to here.
const MAX_EVENTS: u64 = 30_000;

impl Past {
    /// Statics that a call read up to an event of its thread, and whether these are all.
    pub fn statics_read(&self, call: CallId, until: u64) -> (BTreeSet<FieldId>, bool) {
        let Some(row) = self.index.call(call) else { return (BTreeSet::new(), true) };
        let end = until.min(row.exit);
        let last = end.min(row.entry.saturating_add(MAX_EVENTS));
        let start = Position { stream: call.stream, ordinal: row.entry };
        let checkpoint = self.index.checkpoint(start);
        let next = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
        let reading = Reading { past: self, next, first: row.entry, last, found: BTreeSet::new() };
        let replay = match &checkpoint {
            Some(checkpoint) => self.recording.replay_at(checkpoint, reading),
            None => Some(self.recording.replay(call.stream, reading)),
        };
        let Some(mut replay) = replay else { return (BTreeSet::new(), false) };
        while replay.run(u64::MAX) == Paused::Reached {}
        (replay.into_visitor().found, last == end)
    }
}

struct Reading<'p> {
    past: &'p Past,
    next: u64,
    first: u64,
    last: u64,
    found: BTreeSet<FieldId>,
}

impl Visitor for Reading<'_> {
    const READS: bool = true;

    fn event(&mut self, _: &Event<'_>) -> Then {
        let at = self.next;
        self.next += 1;
        if at >= self.last { Then::Stop } else { Then::On }
    }

    fn read(&mut self, read: &Read<'_>) {
        if let ReadKind::Static { field, .. } = read.kind
            && self.next > self.first
            && let Some(field) = field.id(self.past.recording.program())
        {
            self.found.insert(field);
        }
    }
}
