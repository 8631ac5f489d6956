//! What a call of a library depends on besides its operands: what the collections, builders and arrays held that it was
//! given. Reads by libraries are not recorded, so that is told from what was stored: for a value that came out, the call
//! that put that very value in; for anything else, the calls that changed the object last.

use index::{Ending, Evidence, Key, Position, PostingKind, Target, Time};
use jdk::util_parts::{is_hidden, is_of_util};
use past::{CallId, Location, Past, same};
use trace::{ObjectId, Value};

use super::heap::{self, ValueSource};

/// What a call of a library came from.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    /// Calls of libraries whose outcome or content it goes on with, by where they begin.
    pub calls: Vec<Position>,
    /// Calls of libraries that stored the value that it gave, by where they begin.
    pub stored: Vec<(Position, Value)>,
    /// Other writes that made what it was given.
    pub sources: Vec<ValueSource>,
    /// Results of program code that it called, by where they are.
    pub results: Vec<Position>,
    /// Something is not known.
    pub unknown: bool,
}

/// Objects behind a view or an iterator that are looked at.
const MAX_FAMILY: usize = 16;
/// Uses of an object that are gone through.
const MAX_USES: usize = 512;
/// Elements of an array that a library was given, and calls that a library made.
const MAX_PARTS: u32 = 32;

/// What the result of a call depends on, or what it stored besides the values that it was given.
pub fn of_result(past: &Past, call: CallId) -> Causes {
    let mut causes = Causes::default();
    let Some(row) = past.index().call(call) else { return causes };
    let Some(time) = past.index().time(Position { stream: call.stream, ordinal: row.entry }) else {
        return causes;
    };
    let args = past.index().arguments(call).unwrap_or_default();
    let (owner, ..) = past.target(row.target);
    let result = match row.ending {
        Ending::Returned(value) => value,
        _ => None,
    };
    // Clocks, chance, input: it came from outside.
    causes.unknown |= is_hidden(&owner) || (args.receiver.is_none() && args.values.is_empty());
    callbacks(past, call, row.children, &mut causes);
    if let Some(Value::Object(receiver)) = args.receiver {
        held(past, call, receiver, result, time, &mut causes);
    }
    for value in &args.values {
        let Value::Object(object) = *value else { continue };
        match past.recording().objects().length(object) {
            Some(length) => elements(past, object, length, time, &mut causes),
            None => held(past, call, object, None, time, &mut causes),
        }
    }
    causes
}

/// What a call that stored a value depends on for it: nothing but its operands, if it was given the value.
pub fn of_stored(past: &Past, call: CallId, value: Value) -> Causes {
    let mut causes = of_handed(past, call, value);
    let args = past.index().arguments(call).unwrap_or_default();
    let given = args.values.iter().any(|&arg| same_text(past, arg, value));
    if let (false, Some(row)) = (given, past.index().call(call)) {
        callbacks(past, call, row.children, &mut causes);
    }
    causes
}

/// What a call that gave a value to program code depends on for it.
pub fn of_handed(past: &Past, call: CallId, value: Value) -> Causes {
    let mut causes = Causes::default();
    let Some(row) = past.index().call(call) else { return causes };
    let Some(time) = past.index().time(Position { stream: call.stream, ordinal: row.entry }) else {
        return causes;
    };
    let args = past.index().arguments(call).unwrap_or_default();
    if args.receiver.iter().chain(&args.values).any(|&arg| same_text(past, arg, value)) {
        return causes;
    }
    for holder in args.receiver.iter().chain(&args.values) {
        if let Value::Object(object) = *holder {
            held(past, call, object, Some(value), time, &mut causes);
        }
    }
    causes
}

/// Results of program code that the library called.
fn callbacks(past: &Past, call: CallId, children: u32, causes: &mut Causes) {
    causes.unknown |= children > MAX_PARTS;
    for child in past.index().children(call, children.saturating_sub(MAX_PARTS), MAX_PARTS as usize) {
        if let Some(row) = past.index().call(child)
            && let (Target::Method(_), Ending::Returned(Some(_))) = (row.target, row.ending)
        {
            causes.results.push(Position { stream: child.stream, ordinal: row.exit });
        }
    }
}

fn elements(past: &Past, array: ObjectId, length: u32, time: Time, causes: &mut Causes) {
    causes.unknown |= length > MAX_PARTS;
    for index in 0..length.min(MAX_PARTS) {
        let source = heap::source(past, &Location::Element { array, index }, time);
        if !causes.sources.contains(&source) {
            causes.sources.push(source);
        }
    }
}

/// What an object of a library held when a call began. `result`: what came out of it.
fn held(past: &Past, call: CallId, object: ObjectId, result: Option<Value>, time: Time, causes: &mut Causes) {
    if object.is_program() {
        return;
    }
    let class = past.class_of(object).unwrap_or("");
    if jdk::owner::is_lambda(class) || past.recording().objects().length(object).is_some() {
        return;
    }
    if !is_of_util(class) {
        let before =
            uses(past, object, time).find(|&(used, part)| part == 0 && used != call && changes(past, used));
        causes.calls.extend(before.and_then(|(used, _)| begin(past, used)));
        return;
    }
    let family = family(past, object, time);
    let stored = match result {
        Some(value @ Value::Object(id)) => stored(past, id, &family, time).map(|at| (at, value)),
        Some(
            value @ (Value::Str(_)
            | Value::Literal { .. }
            | Value::Box { .. }
            | Value::Box64 { .. }
            | Value::Enum { .. }),
        ) => given(past, call, value, &family, time).map(|at| (at, value)),
        _ => None,
    };
    if let Some(stored) = stored {
        causes.stored.push(stored);
        return;
    }
    for &member in &family {
        changed(past, member, time, causes);
    }
}

/// The calls that wrote the fields of an object last.
fn changed(past: &Past, object: ObjectId, time: Time, causes: &mut Causes) {
    let program = past.recording().program();
    let Some(ty) = past.recording().objects().type_of(object) else { return };
    for field in program.fields(ty).iter().filter_map(|field| field.id(program)) {
        let Some(found) = past.index().last(Key::field(object, field), time) else { continue };
        if let (true, ValueSource::Library(at)) =
            (found.posting.library, heap::by_library(past, found.position))
            && !causes.calls.contains(&at)
        {
            causes.calls.push(at);
        }
    }
}

/// An object of a library and what its fields refer to: the list behind an iterator, the map behind its keys.
fn family(past: &Past, object: ObjectId, time: Time) -> Vec<ObjectId> {
    let program = past.recording().program();
    let objects = past.recording().objects();
    let mut family = vec![object];
    let mut at = 0;
    while let Some(&member) = family.get(at) {
        at += 1;
        let fields = objects.type_of(member).map_or(&[][..], |ty| program.fields(ty));
        for field in fields.iter().filter_map(|field| field.id(program)) {
            let found = past.index().last(Key::field(member, field), time);
            let (PostingKind::Written(Value::Object(other)) | PostingKind::Seen(Value::Object(other))) =
                found.map_or(PostingKind::Created, |found| found.posting.what)
            else {
                continue;
            };
            let of_library = !other.is_program() && objects.length(other).is_none();
            let collection = past.class_of(other).is_some_and(is_of_util);
            if of_library && collection && family.len() < MAX_FAMILY && !family.contains(&other) {
                family.push(other);
            }
        }
    }
    family
}

/// The last call of a library that stored an object while it had one of the family in hand.
fn stored(past: &Past, value: ObjectId, family: &[ObjectId], time: Time) -> Option<Position> {
    let mut until = time;
    for _ in 0..MAX_USES {
        let found = past.index().last(Key::uses(value), until)?;
        if let (PostingKind::Stored(_), true) = (found.posting.what, found.posting.library)
            && let ValueSource::Library(at) = heap::by_library(past, found.position)
            && let Some(call) = past.index().call_at(at)
            && had(past, call, family)
        {
            return Some(at);
        }
        until = Time(found.time.0.checked_sub(1)?);
    }
    None
}

/// The last call on one of the family that was given a value which has no identity.
fn given(past: &Past, call: CallId, value: Value, family: &[ObjectId], time: Time) -> Option<Position> {
    let calls = family.iter().filter_map(|&member| {
        let (used, _) = uses(past, member, time).find(|&(used, _)| {
            let args = past.index().arguments(used).unwrap_or_default();
            used != call && args.values.iter().any(|&arg| same_text(past, arg, value))
        })?;
        begin(past, used)
    });
    calls.max_by_key(|&at| past.index().time(at))
}

fn same_text(past: &Past, one: Value, other: Value) -> bool {
    let text = |value| match value {
        Value::Str(id) => past.recording().objects().string(id).map(|text| text.text),
        Value::Literal { class, index } => {
            past.recording().program().literal(class, index).map(str::to_owned)
        }
        _ => None,
    };
    match (text(one), text(other)) {
        (Some(one), Some(other)) => one == other,
        _ => same(Some(one), Some(other)),
    }
}

fn had(past: &Past, call: CallId, family: &[ObjectId]) -> bool {
    let args = past.index().arguments(call).unwrap_or_default();
    let is_member = |value: &Value| matches!(value, Value::Object(id) if family.contains(id));
    args.receiver.iter().chain(&args.values).any(is_member)
}

/// Calls into libraries that were given an object before a time, the latest first.
fn uses(past: &Past, object: ObjectId, time: Time) -> impl Iterator<Item = (CallId, u32)> + '_ {
    let mut until = Some(time);
    let mut left = MAX_USES;
    std::iter::from_fn(move || {
        loop {
            left = left.checked_sub(1)?;
            let found = past.index().last(Key::uses(object), until?)?;
            until = found.time.0.checked_sub(1).map(Time);
            let PostingKind::Used { call, part } = found.posting.what else { continue };
            let id = CallId { stream: found.position.stream, index: call };
            if part != index::RESULT && !past.index().is_program_call(id) {
                return Some((id, part));
            }
        }
    })
}

/// Where a call begins.
fn begin(past: &Past, call: CallId) -> Option<Position> {
    past.index().call(call).map(|row| Position { stream: call.stream, ordinal: row.entry })
}

/// May a call change the object that it is made on?
fn changes(past: &Past, call: CallId) -> bool {
    let Some(row) = past.index().call(call) else { return false };
    let (owner, name, _) = past.target(row.target);
    !(jdk::builders::is_builder(&owner) && jdk::builders::only_looks(&name))
}
