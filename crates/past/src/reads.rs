//! What a call read before it wrote it: its input, besides its arguments. Found by replaying it.

use std::collections::{BTreeMap, HashSet};

use index::{CallId, Position};
use trace::{Event, EventKind, Paused, Read, ReadKind, Then, Value, Visitor, kinds};

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
        let start = Position { stream: call.stream, ordinal: row.entry };
        let last = row.exit.min(row.entry.saturating_add(MAX_EVENTS));
        let checkpoint = self.index.checkpoint(start);
        let ordinal = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
        let reading = Reading {
            past: self,
            stream: call.stream,
            next: ordinal,
            first: row.entry,
            last,
            limit,
            found: BTreeMap::new(),
            order: Vec::new(),
            written: HashSet::new(),
            created: HashSet::new(),
            cut: last < row.exit,
        };
        let replay = match &checkpoint {
            Some(checkpoint) => self.recording.replay_at(checkpoint, reading),
            None => Some(self.recording.replay(call.stream, reading)),
        };
        let Some(mut replay) = replay else { return (Vec::new(), false) };
        while replay.run(u64::MAX) == Paused::Reached {}
        let reading = replay.into_visitor();
        let Reading { order, mut found, cut, .. } = reading;
        let list = order.into_iter().filter_map(|location| {
            let value = found.remove(&location)?;
            Some(ReadLocation { location, value })
        });
        (list.collect(), !cut)
    }
}

struct Reading<'p> {
    past: &'p Past,
    stream: trace::StreamId,
    next: u64,
    first: u64,
    last: u64,
    limit: usize,
    found: BTreeMap<Location, Value>,
    order: Vec<Location>,
    written: HashSet<Location>,
    /// Objects by number.
    created: HashSet<u32>,
    cut: bool,
}

impl Reading<'_> {
    fn object(&self, value: Value) -> Option<trace::ObjectId> {
        match self.past.index.resolved(self.stream, value) {
            Value::Object(id) => Some(id),
            _ => None,
        }
    }

    fn active(&self) -> bool {
        self.next > self.first
    }
}

impl Visitor for Reading<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.next;
        self.next += 1;
        if at < self.first {
            return Then::On;
        }
        match event.kind {
            EventKind::FieldWrite { object, field, .. } => {
                if let (Some(object), Some(field)) =
                    (self.object(object), field.id(self.past.recording.program()))
                {
                    self.written.insert(Location::Field { object, field });
                }
            }
            EventKind::StaticWrite { field, .. } => {
                if let Some(field) = field.id(self.past.recording.program()) {
                    self.written.insert(Location::Static(field));
                }
            }
            EventKind::ArrayWrite { array, index, .. } => {
                if let Some(array) = self.object(array) {
                    self.written.insert(Location::Element { array, index: index as u32 });
                }
            }
            EventKind::New { object, .. } | EventKind::NewArray { array: object, .. } => {
                if let Some(object) = self.object(object) {
                    self.created.insert(object.0);
                }
            }
            kinds! {
                threads calls branches exceptions locks contents losses BulkWrite LocalWrite Named
            } => {}
        }
        if at >= self.last { Then::Stop } else { Then::On }
    }

    fn read(&mut self, read: &Read<'_>) {
        if !self.active() {
            return;
        }
        let (location, value) = match read.kind {
            ReadKind::Field { object, field, value } => {
                let (Some(object), Some(field)) =
                    (self.object(object), field.id(self.past.recording.program()))
                else {
                    return;
                };
                if self.created.contains(&object.0) {
                    return;
                }
                (Location::Field { object, field }, value)
            }
            ReadKind::Static { field, value } => {
                let Some(field) = field.id(self.past.recording.program()) else { return };
                (Location::Static(field), value)
            }
            ReadKind::Element { array, index, value } => {
                let Some(array) = self.object(array) else { return };
                if self.created.contains(&array.0) {
                    return;
                }
                (Location::Element { array, index: index as u32 }, value)
            }
        };
        if self.written.contains(&location) || self.found.contains_key(&location) {
            return;
        }
        if self.found.len() == self.limit {
            self.cut = true;
            return;
        }
        self.order.push(location.clone());
        self.found.insert(location, self.past.index.resolved(self.stream, value));
    }
}
