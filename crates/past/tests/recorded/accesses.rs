//! Accesses of program code, stretch by stretch, against one replay of the whole thread; and what calls read, against
//! a plain reading of those.

use std::collections::{BTreeSet, HashSet};

use index::Evidence;
use past::{AccessKind, CallId, Location, ObjectId, Past, StreamId, Target, Value};
use testkit::{Program, check_all, jdks};
use trace::{Event, EventKind, Paused, Read, ReadKind, Then, Visitor, kinds};

/// Some with several checkpoints, one with threads.
const PROGRAMS: [(&str, &str); 4] =
    [("slices", "Far"), ("links", "Links"), ("state", "CollectionStates"), ("state", "ThreadStates")];
/// Calls of each thread whose reads are compared.
const CALLS: usize = 60;

#[test]
fn stretches_have_the_accesses_that_one_replay_has_and_calls_read_what_is_among_them() {
    let jdks = jdks();
    let cases: Vec<_> = jdks.iter().flat_map(|jdk| PROGRAMS.map(|program| (jdk, program))).collect();
    check_all(&cases, |&(jdk, (group, program))| {
        let past = crate::past(&Program::new(group, &[program]), jdk);
        let faults = past.streams().into_iter().filter_map(|stream| check(&past, stream));
        faults.map(|fault| format!("{program}: {fault}")).next()
    });
}

fn check(past: &Past, stream: StreamId) -> Option<String> {
    let all = replayed(past, stream);
    let events = past.events_in(stream).unwrap_or(0);
    let found = accesses(past, stream, 0, events.saturating_sub(1));
    let inside: Vec<Seen> = all.iter().filter(|one| one.after > 0 && one.after < events).cloned().collect();
    if found != inside {
        let at = found.iter().zip(&inside).position(|(one, other)| one != other);
        let (one, other) = (found.len(), inside.len());
        return Some(format!("{stream:?}: {one} and {other} accesses, first difference at {at:?}"));
    }
    let step = (past.calls_in(stream) as usize / CALLS).max(1);
    for index in (0..past.calls_in(stream)).step_by(step) {
        let call = CallId { stream, index };
        let row = past.call_row(call)?;
        if !matches!(row.target, Target::Method(_)) || row.exit - row.entry > 300_000 {
            continue;
        }
        let expected = naive(all.iter().filter(|one| one.after > row.entry && one.after <= row.exit));
        let (reads, whole) = past.reads(call, usize::MAX);
        let reads: Vec<(Location, Value)> =
            reads.into_iter().map(|read| (read.location, read.value)).collect();
        if !whole || reads != expected {
            return Some(format!("{}: {reads:?}, not {expected:?}", past.call_name(call)));
        }
        let few = past.reads(call, 2);
        if few.0.len() != expected.len().min(2) || few.1 != (expected.len() <= 2) {
            return Some(format!("{}: of two reads {few:?}", past.call_name(call)));
        }
    }
    None
}

fn accesses(past: &Past, stream: StreamId, first: u64, last: u64) -> Vec<Seen> {
    let mut list = Vec::new();
    let known = past.accesses(stream, first, last, |access| {
        let what = match access.kind {
            AccessKind::Read(slot, value) => What::Read(past.location_of(slot), value),
            AccessKind::Wrote(slot) => What::Wrote(past.location_of(slot)),
            AccessKind::Made(object) => What::Made(object),
        };
        list.push(Seen { after: access.after, what });
        true
    });
    assert!(known);
    list
}

/// What was read before it was written, of objects that were there before.
fn naive<'a>(accesses: impl Iterator<Item = &'a Seen>) -> Vec<(Location, Value)> {
    let (mut made, mut known) = (HashSet::new(), BTreeSet::new());
    let mut list = Vec::new();
    for access in accesses {
        match &access.what {
            What::Made(object) => {
                made.insert(*object);
            }
            What::Wrote(location) => {
                known.insert(location.clone());
            }
            What::Read(location, value) => {
                let is_new = match location {
                    Location::Field { object, .. } | Location::Element { array: object, .. } => {
                        made.contains(object)
                    }
                    Location::Static(_) | Location::Local { .. } => false,
                };
                if !is_new && known.insert(location.clone()) {
                    list.push((location.clone(), *value));
                }
            }
        }
    }
    list
}

#[derive(Clone, Debug, PartialEq)]
struct Seen {
    after: u64,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Read(Location, Value),
    Wrote(Location),
    Made(ObjectId),
}

struct Naive<'p> {
    past: &'p Past,
    stream: StreamId,
    next: u64,
    list: Vec<Seen>,
}

impl Naive<'_> {
    fn object(&self, value: Value) -> Option<ObjectId> {
        match self.past.resolved(self.stream, value) {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl Visitor for Naive<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.next;
        self.next += 1;
        let program = self.past.program();
        let what = match event.kind {
            EventKind::FieldWrite { object, field, .. } => {
                let object = self.object(object).zip(field.id(program));
                object.map(|(object, field)| What::Wrote(Location::Field { object, field }))
            }
            EventKind::StaticWrite { field, .. } => {
                field.id(program).map(|field| What::Wrote(Location::Static(field)))
            }
            EventKind::ArrayWrite { array, index, .. } => {
                let array = self.object(array);
                array.map(|array| What::Wrote(Location::Element { array, index: index as u32 }))
            }
            EventKind::New { object, .. } | EventKind::NewArray { array: object, .. } => {
                self.object(object).map(What::Made)
            }
            kinds! {
                threads calls branches exceptions locks contents losses BulkWrite LocalWrite Named
            } => None,
        };
        self.list.extend(what.map(|what| Seen { after: at, what }));
        Then::On
    }

    fn read(&mut self, read: &Read<'_>) {
        let program = self.past.program();
        let found = match read.kind {
            ReadKind::Field { object, field, value } => {
                let object = self.object(object).zip(field.id(program));
                object.map(|(object, field)| (Location::Field { object, field }, value))
            }
            ReadKind::Static { field, value } => {
                field.id(program).map(|field| (Location::Static(field), value))
            }
            ReadKind::Element { array, index, value } => {
                self.object(array).map(|array| (Location::Element { array, index: index as u32 }, value))
            }
        };
        if let Some((location, value)) = found {
            let value = self.past.resolved(self.stream, value);
            self.list.push(Seen { after: self.next, what: What::Read(location, value) });
        }
    }
}

/// All accesses of a thread by one replay from its beginning.
fn replayed(past: &Past, stream: StreamId) -> Vec<Seen> {
    let mut replay = past.recording().replay(stream, Naive { past, stream, next: 0, list: Vec::new() });
    while replay.run(u64::MAX) == Paused::Reached {}
    replay.into_visitor().list
}
