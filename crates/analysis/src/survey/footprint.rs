//! What an open call has read and written, as far as links need it. Its own accesses and those of its callees are
//! kept apart: the former may stand between two callees. Each call's footprint is put into that of its caller when it
//! ends, the smaller into the larger one.

use index::Evidence;
use past::{ObjectId, Value};
use trace::{BulkWrite, EventKind, FieldRef, Program, kinds};

use super::keys::{self, LocationKey, LocationKeys};

/// A call that touched more locations than these is not linked to others.
pub const MAX_FOOTPRINT: usize = 4096;
/// Locations of a call and of its callees that are kept while it is open.
const MAX_OPEN: usize = 16 * MAX_FOOTPRINT;

#[derive(Default)]
pub struct Footprint {
    /// What the call's own code touched, with the ordinal of its last write there; 0 if it only read.
    pub own: LocationKeys,
    /// What its callees touched, with the ordinal of the end of the last of them, or of some event in it.
    pub callees: LocationKeys,
    /// What its own code wrote since its last callee ended.
    pub gap: Vec<LocationKey>,
    /// Has a callee ended, so that writes are to be noted in `gap`?
    pub watching: bool,
    /// Something is not known of it: it is not linked, nor is what it is part of.
    pub unknown: bool,
    /// It may have changed something that it did not make itself.
    pub impure: bool,
    /// Objects that its own code made.
    created: LocationKeys,
    /// What the library call that is out was given.
    given: Vec<LocationKey>,
    /// The run of linked callees is to be cut before the next one.
    pub cut: bool,
}

impl Footprint {
    pub fn clear(&mut self) {
        self.own.clear();
        self.callees.clear();
        self.gap.clear();
        self.created.clear();
        self.given.clear();
        (self.watching, self.unknown, self.impure, self.cut) = (false, false, false, false);
    }

    pub fn len(&self) -> usize {
        self.own.len() + self.callees.len()
    }

    pub fn contains(&self, key: LocationKey) -> bool {
        self.own.contains(key) || self.callees.contains(key)
    }

    pub fn iter(&self) -> impl Iterator<Item = LocationKey> + '_ {
        self.own.iter().chain(self.callees.iter()).map(|(key, _)| key)
    }

    #[inline]
    pub fn read(&mut self, key: LocationKey) {
        self.own.raise(key, 0);
        self.bound();
    }

    #[inline]
    pub fn write(&mut self, key: LocationKey, at: u64) {
        self.own.raise(key, at);
        if self.watching {
            self.gap.push(key);
        }
        if !self.impure && !self.created.contains(key >> 32) {
            self.impure = true;
        }
        self.bound();
    }

    pub fn create(&mut self, object: ObjectId) {
        if self.created.len() < MAX_FOOTPRINT {
            self.created.raise(object.0.into(), 0);
        }
    }

    pub fn has_created(&self, object: ObjectId) -> bool {
        self.created.contains(object.0.into())
    }

    /// A range of an array; a long one makes the call's footprint unknown.
    fn range(&mut self, array: ObjectId, from: u32, count: u32, written: Option<u64>) {
        if count as usize > MAX_FOOTPRINT {
            self.unknown = true;
            self.cut = true;
            self.impure |= written.is_some() && !self.has_created(array);
            return;
        }
        for index in from..from.saturating_add(count) {
            match written {
                Some(at) => self.write(keys::element(array, index), at),
                None => self.read(keys::element(array, index)),
            }
        }
    }

    /// An event of its own code, or of a library that it called, that touches the heap.
    pub fn event(&mut self, kind: &EventKind<'_>, at: u64, heap: &HeapQuestions<'_>) {
        match *kind {
            EventKind::FieldWrite { object, field, .. } => match (heap.object(object), heap.field(field)) {
                (Some(object), Some(field)) => self.write(keys::field(object, field), at),
                (Some(_), None) => (self.unknown, self.cut) = (true, true),
                _ => {}
            },
            EventKind::StaticWrite { field, .. } => match heap.field(field) {
                Some(field) => self.write(keys::of_static(field), at),
                None => (self.unknown, self.cut) = (true, true),
            },
            EventKind::ArrayWrite { array, index, .. } => {
                if let Some(array) = heap.object(array) {
                    self.write(keys::element(array, index as u32), at);
                }
            }
            EventKind::New { object, .. } | EventKind::NewArray { array: object, .. } => {
                if let Some(object) = heap.object(object) {
                    self.create(object);
                }
            }
            EventKind::BulkWrite(bulk) => self.bulk(bulk, at, heap),
            EventKind::ArrayContents { array, from, elements, length } => {
                if let trace::Elements::References(values) = elements
                    && self.has_created(array)
                {
                    // What came into being together with the array that holds it.
                    values
                        .iter()
                        .filter_map(|&value| heap.object(value))
                        .for_each(|inner| self.create(inner));
                }
                self.range(array, from, length.saturating_sub(from), Some(at));
            }
            kinds! {
                threads calls branches exceptions locks losses LocalWrite Named ObjectContents
            } => {}
        }
    }

    fn bulk(&mut self, bulk: BulkWrite, at: u64, heap: &HeapQuestions<'_>) {
        let number = |number: i32| number.max(0) as u32;
        match bulk {
            BulkWrite::Copy { source, from, target, to, length } => {
                if let Some(source) = heap.object(source) {
                    self.range(source, number(from), number(length), None);
                }
                if let Some(target) = heap.object(target) {
                    self.range(target, number(to), number(length), Some(at));
                }
            }
            BulkWrite::Clone { source, target } => {
                if let Some(source) = heap.object(source) {
                    self.range(source, 0, heap.length(source), None);
                }
                if let Some(target) = heap.object(target) {
                    self.create(target);
                    self.range(target, 0, heap.length(target), Some(at));
                }
            }
            BulkWrite::Fill { array, range, .. } => {
                if let Some(array) = heap.object(array) {
                    let (from, to) =
                        range.map_or((0, heap.length(array)), |(from, to)| (number(from), number(to)));
                    self.range(array, from, to.saturating_sub(from), Some(at));
                }
            }
        }
    }

    /// A library was given an object of its own, or what has a name.
    pub fn give(&mut self, key: LocationKey) {
        self.read(key);
        self.given.push(key);
    }

    pub fn took_back(&mut self) {
        self.given.clear();
    }

    /// The library that is out has changed something: it may be seen in all that it was given.
    pub fn library_wrote(&mut self, at: u64) {
        for key in std::mem::take(&mut self.given) {
            self.write(key, at);
        }
    }

    /// Keeps what is kept of an open call within bounds: then it is too large to be linked itself, and its next
    /// callee is not linked to the last.
    #[inline]
    fn bound(&mut self) {
        if self.own.len() > MAX_OPEN || self.gap.len() > MAX_OPEN {
            self.own.clear();
            self.gap.clear();
            (self.unknown, self.cut) = (true, true);
        }
    }

    /// The same for what its callees touched. `crowded`: there is too much of that in all open calls together.
    pub fn bound_callees(&mut self, crowded: bool) {
        if self.callees.len() > MAX_OPEN || crowded {
            self.callees.clear();
            (self.unknown, self.cut) = (true, true);
        }
    }
}

/// What a footprint asks about the heap.
pub struct HeapQuestions<'a> {
    pub past: &'a past::Past,
    pub program: &'a Program,
    pub stream: past::StreamId,
}

impl HeapQuestions<'_> {
    #[inline]
    pub fn object(&self, value: Value) -> Option<ObjectId> {
        match value {
            Value::Object(object) => Some(object),
            Value::Pending(_) => match self.past.index().resolved(self.stream, value) {
                Value::Object(object) => Some(object),
                _ => None,
            },
            _ => None,
        }
    }

    #[inline]
    pub fn field(&self, field: &FieldRef) -> Option<trace::FieldId> {
        field.used_id(self.program)
    }

    fn length(&self, array: ObjectId) -> u32 {
        self.past.recording().objects().length(array).unwrap_or(0)
    }
}
