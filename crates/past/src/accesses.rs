//! What program code read, wrote and made, in order, a stretch of a thread at a time: one replay from a checkpoint to
//! the next. Calls that are compared lie near each other, and each of them alone would replay the same stretch to get
//! to its beginning; so the last stretches are kept.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

use base::{FieldId, ObjectId, Position, StreamId, Value};
use index::Key;
use trace::{Event, EventKind, FieldRef, Paused, Read, ReadKind, Then, Visitor, kinds};

use crate::affected::Slot;
use crate::past::Past;

/// Accesses that are kept, at most: 32 bytes each.
const MAX_KEPT: usize = 1 << 21;

/// One access of program code to the heap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    /// How many events of its thread came before it.
    pub after: u64,
    pub kind: AccessKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AccessKind {
    Read(Slot, Value),
    Wrote(Slot),
    Made(ObjectId),
}

/// An access as it is kept, to its stretch's beginning.
struct Kept {
    after: u32,
    kind: AccessKind,
}

struct Stretch {
    stream: StreamId,
    events: Range<u64>,
    accesses: Arc<Vec<Kept>>,
}

/// The stretches that were asked for last, the latest first.
#[derive(Default)]
pub(crate) struct Stretches {
    list: VecDeque<Stretch>,
}

impl Past {
    /// Accesses of a thread while its events `first..=last` happened, in order, until `each` says that it is enough:
    /// those after event `first`, up to event `last`. False if they cannot be known.
    pub fn accesses(
        &self,
        stream: StreamId,
        first: u64,
        last: u64,
        mut each: impl FnMut(&Access) -> bool,
    ) -> bool {
        let mut at = first;
        while at <= last {
            let events = self.index.stretch(Position { stream, ordinal: at });
            let Some(accesses) = self.stretch_accesses(stream, &events) else { return false };
            let begin = accesses.partition_point(|access| events.start + u64::from(access.after) <= first);
            for access in &accesses[begin..] {
                let access = Access { after: events.start + u64::from(access.after), kind: access.kind };
                if access.after > last {
                    return true;
                }
                if !each(&access) {
                    return true;
                }
            }
            if events.end <= at {
                return false;
            }
            at = events.end;
        }
        true
    }

    fn stretch_accesses(&self, stream: StreamId, events: &Range<u64>) -> Option<Arc<Vec<Kept>>> {
        let kept = || self.stretches.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut kept = kept();
            let is_it = |one: &Stretch| one.stream == stream && one.events == *events;
            if let Some(at) = kept.list.iter().position(is_it) {
                let found = kept.list.remove(at)?;
                let accesses = Arc::clone(&found.accesses);
                kept.list.push_front(found);
                return Some(accesses);
            }
        }
        let accesses = Arc::new(self.replayed(stream, events)?);
        let mut kept = kept();
        kept.list.push_front(Stretch { stream, events: events.clone(), accesses: Arc::clone(&accesses) });
        let mut left = MAX_KEPT.min(self.memory / 8 / size_of::<Kept>());
        kept.list.retain(|one| {
            let fits = one.accesses.len() <= left;
            left = left.saturating_sub(one.accesses.len());
            fits
        });
        Some(accesses)
    }

    fn replayed(&self, stream: StreamId, events: &Range<u64>) -> Option<Vec<Kept>> {
        let checkpoint = self.index.checkpoint(Position { stream, ordinal: events.start });
        let next = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
        let listening =
            Listening { past: self, stream, start: events.start, next, end: events.end, list: Vec::new() };
        let mut replay = match &checkpoint {
            Some(checkpoint) => self.recording.replay_at(checkpoint, listening)?,
            None => self.recording.replay(stream, listening),
        };
        while replay.run(u64::MAX) == Paused::Reached {}
        Some(replay.into_visitor().list)
    }
}

struct Listening<'p> {
    past: &'p Past,
    stream: StreamId,
    start: u64,
    next: u64,
    end: u64,
    list: Vec<Kept>,
}

impl Listening<'_> {
    fn object(&self, value: Value) -> Option<ObjectId> {
        match self.past.index.resolved(self.stream, value) {
            Value::Object(id) => Some(id),
            _ => None,
        }
    }

    fn field(&self, field: &FieldRef) -> Option<FieldId> {
        field.used_id(self.past.recording.program())
    }

    fn note(&mut self, after: u64, kind: Option<AccessKind>) {
        let after = after.checked_sub(self.start).and_then(|after| u32::try_from(after).ok());
        if let Some((after, kind)) = after.zip(kind) {
            self.list.push(Kept { after, kind });
        }
    }
}

impl Visitor for Listening<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.next;
        self.next += 1;
        let kind = match event.kind {
            EventKind::FieldWrite { object, field, .. } => self
                .object(object)
                .zip(self.field(field))
                .map(|(object, field)| AccessKind::Wrote(Slot(Key::field(object, field)))),
            EventKind::StaticWrite { field, .. } => {
                self.field(field).map(|field| AccessKind::Wrote(Slot(Key::of_static(field))))
            }
            EventKind::ArrayWrite { array, index, .. } => {
                self.object(array).map(|array| AccessKind::Wrote(Slot::element(array, index as u32)))
            }
            EventKind::New { object, .. } | EventKind::NewArray { array: object, .. } => {
                self.object(object).map(AccessKind::Made)
            }
            kinds! {
                threads calls branches exceptions locks contents losses BulkWrite LocalWrite Named
            } => None,
        };
        self.note(at, kind);
        if self.next >= self.end { Then::Stop } else { Then::On }
    }

    fn read(&mut self, read: &Read<'_>) {
        let kind = match read.kind {
            ReadKind::Field { object, field, value } => self
                .object(object)
                .zip(self.field(field))
                .map(|(object, field)| (Slot(Key::field(object, field)), value)),
            ReadKind::Static { field, value } => {
                self.field(field).map(|field| (Slot(Key::of_static(field)), value))
            }
            ReadKind::Element { array, index, value } => {
                self.object(array).map(|array| (Slot::element(array, index as u32), value))
            }
        };
        let kind =
            kind.map(|(slot, value)| AccessKind::Read(slot, self.past.index.resolved(self.stream, value)));
        self.note(self.next, kind);
    }
}
