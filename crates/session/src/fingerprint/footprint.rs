//! The footprint of a call: what it took from the state before it and from outside, and where it wrote. Two calls got
//! the same question if everything in their footprints was the same; what else differs between their states is none
//! of their business.
//!
//! The recorder shows each read of program code. What a library reads is not shown: so everything that a library was
//! given counts as read, with its whole content as far as that belongs to libraries and arrays. A footprint that
//! could not be complete is none at all.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use base::{CallId, Ending, ObjectId, Target, Time, Value};
use jdk::{calls, identity};
use past::{Affected, Location, Past, ReadLocation, Slot};

use super::facts::Facts;

/// Calls with more calls, events, reads or writes in them are not compared.
const MAX_CALLS: u32 = 100_000;
const MAX_EVENTS: u64 = 300_000;
const MAX_READS: usize = 50_000;
const MAX_WRITES: usize = 50_000;

/// What a call took and where it wrote, complete: what cannot be is not made.
#[derive(Debug)]
pub struct Footprint {
    /// What program code read before it wrote it, in order.
    pub reads: Vec<ReadLocation>,
    first: HashMap<Location, Value>,
    /// What was given to libraries: library objects and arrays, in order, each once.
    pub handed: Vec<ObjectId>,
    /// Library objects that follow from what libraries were given, or from the code itself (lambdas), though they may
    /// be older than the call: an empty list is always the same one.
    pub given: HashSet<ObjectId>,
    /// Ranges of arrays that were copied: array, first element, how many.
    pub copied: Vec<(ObjectId, u32, u32)>,
    /// Calls into libraries that may bring something in, in order.
    pub outside: Vec<Interaction>,
    /// Calls that libraries made: what they were given may come from a lambda.
    pub callbacks: Vec<Interaction>,
    /// Locations that were written, those of objects that the call created left out.
    pub writes: BTreeSet<Location>,
}

/// One exchange with the world outside the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Owner, name and descriptor.
    pub method: Arc<str>,
    pub values: Vec<Value>,
    pub ending: Ending,
}

impl Footprint {
    /// None if the call is not over, too large, or not recorded in full.
    pub fn of(past: &Past, facts: &Facts, call: CallId) -> Option<Footprint> {
        let row = past.call_row(call)?;
        if row.exit - row.entry > MAX_EVENTS {
            return None;
        }
        if row.ending == Ending::Open || row.size > MAX_CALLS || !matches!(row.target, Target::Method(_)) {
            return None;
        }
        if past.has_gap(call.stream, row.entry..=row.exit) {
            return None;
        }
        let mut footprint = Footprint {
            reads: Vec::new(),
            first: HashMap::new(),
            handed: Vec::new(),
            given: HashSet::new(),
            copied: Vec::new(),
            outside: Vec::new(),
            callbacks: Vec::new(),
            writes: BTreeSet::new(),
        };
        footprint.calls(past, facts, call, row.size)?;
        let (mut reads, complete) = past.reads(call, MAX_READS);
        if !complete {
            return None;
        }
        reads.retain(|read| !is_cache(past, facts, &read.location));
        footprint.first = reads.iter().map(|read| (read.location.clone(), read.value)).collect();
        footprint.reads = reads;
        footprint.writes(past, facts, call, row.entry, row.exit)?;
        Some(footprint)
    }

    /// What the location held when the call first read it.
    pub fn first(&self, location: &Location) -> Option<Value> {
        self.first.get(location).copied()
    }

    fn calls(&mut self, past: &Past, facts: &Facts, call: CallId, size: u32) -> Option<()> {
        let mut handed: HashSet<ObjectId> = HashSet::new();
        let (mut hashed, mut ordered) = (false, false);
        for at in call.index..call.index.checked_add(size)? {
            let id = CallId { stream: call.stream, index: at };
            let row = past.call_row(id)?;
            if let Target::Method(method) = row.target {
                if !facts.reads_are_visible(past, method) {
                    return None;
                }
                let parent = row.parent.filter(|_| at != call.index);
                let parent = parent.and_then(|index| past.call_row(CallId { index, ..id }));
                if !parent.is_some_and(|parent| matches!(parent.target, Target::Library(_))) {
                    continue;
                }
            }
            let callee = facts.callee(past, row.target);
            let args = past.arguments(id)?;
            let values: Vec<Value> = args.receiver.into_iter().chain(args.values).collect();
            let interaction = |values: &[Value]| Interaction {
                method: Arc::clone(&callee.name),
                values: values.to_vec(),
                ending: row.ending,
            };
            if matches!(row.target, Target::Method(_)) {
                self.callbacks.push(interaction(&values));
                continue;
            }
            match callee.outcome {
                calls::Outcome::Copy => {
                    let [Value::Object(source), Value::Int(from), _, _, Value::Int(length)] = values[..]
                    else {
                        return None;
                    };
                    if let (Ending::Returned(_), Ok(from), Ok(length)) =
                        (row.ending, u32::try_from(from), u32::try_from(length))
                    {
                        self.copied.push((source, from, length));
                    }
                    continue;
                }
                calls::Outcome::Output => continue,
                calls::Outcome::Determined => {
                    if let Ending::Returned(Some(Value::Object(result))) = row.ending
                        && !result.is_program()
                    {
                        self.given.insert(result);
                    }
                }
                calls::Outcome::Outside => self.outside.push(interaction(&values)),
            }
            let mut table = false;
            for object in values.iter().filter_map(|&value| object(value)) {
                let class = past.class_of(object).unwrap_or("");
                table |= identity::is_unordered(class);
                if jdk::owner::is_lambda(class) {
                    self.given.insert(object);
                }
                if !object.is_program() && handed.insert(object) {
                    self.handed.push(object);
                }
            }
            hashed |= table && values.iter().any(|&value| is_hashed_by_identity(past, value));
            // A constructor that is given a table shows its order, that of a table does not.
            let given =
                args_from(&values).any(|object| past.class_of(object).is_some_and(identity::is_unordered));
            ordered |= table && callee.shows_order || given && callee.name.contains(".<init>(");
        }
        // The order in which such a table shows its keys is another one in each run.
        (!(hashed && ordered)).then_some(())
    }

    fn writes(&mut self, past: &Past, facts: &Facts, call: CallId, entry: u64, exit: u64) -> Option<()> {
        let mut created: HashSet<ObjectId> = HashSet::new();
        let mut slots: BTreeSet<Slot> = BTreeSet::new();
        for (_, affected) in past.affected(call.stream, entry, exit) {
            match affected {
                Affected::Slot(slot) => {
                    slots.insert(slot);
                }
                Affected::Created(object) => {
                    created.insert(object);
                }
                Affected::Elements { array, from, count } => {
                    if count as usize > MAX_WRITES || slots.len() > MAX_WRITES {
                        return None;
                    }
                    slots.extend((from..from.checked_add(count)?).map(|index| Slot::element(array, index)));
                }
                Affected::Used(_) => {}
            }
        }
        slots.retain(|slot| slot.object().is_none_or(|object| !created.contains(&object)));
        let written = slots.into_iter().map(|slot| past.location_of(slot));
        self.writes = written.filter(|location| !is_cache(past, facts, location)).collect();
        (self.writes.len() <= MAX_WRITES).then_some(())
    }
}

fn is_cache(past: &Past, facts: &Facts, location: &Location) -> bool {
    match *location {
        Location::Field { field, .. } | Location::Static(field) => facts.is_cache(past, field),
        Location::Element { .. } | Location::Local { .. } => false,
    }
}

/// Objects among the arguments, without the receiver.
fn args_from(values: &[Value]) -> impl Iterator<Item = ObjectId> {
    values.iter().skip(1).filter_map(|&value| object(value))
}

/// Was the object known before a moment?
pub fn existed(past: &Past, object: ObjectId, time: Time) -> bool {
    let Some(before) = time.0.checked_sub(1).map(Time) else { return false };
    past.is_known_by(object, before)
}

pub fn object(value: Value) -> Option<ObjectId> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Does the value's hash code differ from run to run?
pub fn is_hashed_by_identity(past: &Past, value: Value) -> bool {
    let object = match value {
        Value::Enum { .. } | Value::Class(_) => return true,
        Value::Object(object) => object,
        _ => return false,
    };
    if past.array_length(object).is_some() {
        return true;
    }
    let program = past.program();
    let Some(mut ty) = past.type_of(object).and_then(|ty| program.type_info(ty)) else { return true };
    for _ in 0..1000 {
        let class = ty.class.and_then(|class| program.class(class));
        let Some(class) = class.or_else(|| program.class_named(&ty.name, ty.loader)) else {
            // Of libraries only what is known to compare contents.
            return !identity::is_hashed_by_contents(&ty.name);
        };
        let own = program.model(class).is_some_and(|model| {
            model.methods.iter().any(|method| method.name == "hashCode" && method.descriptor == "()I")
        });
        if own {
            return false;
        }
        let Some(above) = ty.super_type.and_then(|above| program.type_info(above)) else { return true };
        ty = above;
    }
    true
}
