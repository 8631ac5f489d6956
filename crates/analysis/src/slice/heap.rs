//! Who wrote what a location in the heap held: looked up in the index. What a library wrote is put down to the program's
//! call of it. What was copied within a library is followed to where it came from.

use index::{Evidence, Key, Position, PostingKind, RESULT, Target, Time, TimedPosting};
use past::{CallId, KnownValue, Location, Past, same};
use trace::{ObjectId, Value};

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueSource {
    /// An instruction of the program wrote it.
    Written(Position),
    /// An instruction of the program wrote many elements at once, this one among them.
    Range(Position, u32),
    /// A call of a library, that begins there, stored it.
    Library(Position),
    /// It came out of a library with the call (or instruction) at this place of a call's code, told by this event.
    Seen(Position, CallId, u16),
    /// It is what a new object or array holds.
    Created(Position),
    /// Constants of a class, and zeros of statics.
    Constant,
    Unknown,
}

/// Copies of copies, and ranges that do not matter, are followed so far.
const MAX_STEPS: usize = 10_000;
/// Sightings of an element that said nothing new are passed over so many times.
const MAX_SIGHTINGS: usize = 16;

/// Where the value came from that a location held at a time.
pub fn source(past: &Past, location: &Location, time: Time) -> ValueSource {
    source_past(past, location, time, &mut Vec::new())
}

/// The same. `left`: where an element was seen since, after a library could have written it and had not; the event that told
/// it, the call, and the place in its code.
pub fn source_past(
    past: &Past,
    location: &Location,
    time: Time,
    left: &mut Vec<(Position, CallId, u16)>,
) -> ValueSource {
    match *location {
        Location::Element { array, index } => element(past, array, index, time, left),
        Location::Field { object, field } => match past.index().last(Key::field(object, field), time) {
            Some(found) if past.value_at(location, time) != KnownValue::Unknown => {
                single(past, location, &found)
            }
            Some(_) => ValueSource::Unknown,
            None => created(past, location, object, time),
        },
        Location::Static(field) => match past.index().last(Key::of_static(field), time) {
            Some(found) => single(past, location, &found),
            None if past.value_at(location, time) == KnownValue::Unknown => ValueSource::Unknown,
            None => ValueSource::Constant,
        },
        Location::Local { .. } => ValueSource::Unknown,
    }
}

fn created(past: &Past, location: &Location, object: ObjectId, time: Time) -> ValueSource {
    match past.index().last(Key::created(object), time) {
        Some(made) if past.value_at(location, time) != KnownValue::Unknown => match made.posting.library {
            true => for_library(past, made.position),
            false => ValueSource::Created(made.position),
        },
        _ => cloned(past, object),
    }
}

/// The program's call of a library that called a constructor.
fn for_library(past: &Past, position: Position) -> ValueSource {
    let row = |call| past.index().call(call);
    let maker = past.index().call_at(position).and_then(row).and_then(|constructor| constructor.parent);
    let maker = maker.and_then(|index| row(CallId { stream: position.stream, index }));
    match maker {
        Some(maker) if matches!(maker.target, Target::Library(_)) => {
            ValueSource::Library(Position { stream: position.stream, ordinal: maker.entry })
        }
        _ => ValueSource::Unknown,
    }
}

/// What nobody wrote is there from the beginning, if the object is a copy of another.
fn cloned(past: &Past, object: ObjectId) -> ValueSource {
    let first = past.index().all(Key::uses(object), None).next();
    let Some(PostingKind::Used { call, part: RESULT }) = first.map(|found| found.posting.what) else {
        return ValueSource::Unknown;
    };
    let call = first.map(|found| CallId { stream: found.position.stream, index: call });
    let row = call.and_then(|call| past.index().call(call).map(|row| (call, row)));
    match row {
        Some((call, row))
            if past.target(row.target).1 == "clone" && matches!(row.target, Target::Library(_)) =>
        {
            ValueSource::Library(Position { stream: call.stream, ordinal: row.entry })
        }
        _ => ValueSource::Unknown,
    }
}

/// A posting of one location.
fn single(past: &Past, location: &Location, found: &TimedPosting) -> ValueSource {
    match found.posting.what {
        PostingKind::Written(Value::Top) => ValueSource::Unknown,
        PostingKind::Written(_) if found.posting.library => by_library(past, found.position),
        PostingKind::Written(_) => ValueSource::Written(found.position),
        PostingKind::Seen(value) | PostingKind::Read(value) => {
            // If it was known to be so before, whoever wrote it then is the one.
            let Some(before) = found.time.0.checked_sub(1).map(Time) else { return ValueSource::Unknown };
            match past.value_at(location, before) {
                KnownValue::Value(old) | KnownValue::Seen(old) if same(Some(old), Some(value)) => {
                    source(past, location, before)
                }
                _ => ValueSource::Unknown,
            }
        }
        _ => ValueSource::Unknown,
    }
}

/// The program's call of a library in which something happened.
pub fn by_library(past: &Past, position: Position) -> ValueSource {
    let row = past.index().call_at(position).and_then(|call| past.index().call(call));
    match row {
        Some(row) if matches!(row.target, Target::Library(_)) => {
            ValueSource::Library(Position { stream: position.stream, ordinal: row.entry })
        }
        _ => ValueSource::Unknown,
    }
}

fn element(
    past: &Past,
    array: ObjectId,
    index: u32,
    time: Time,
    left: &mut Vec<(Position, CallId, u16)>,
) -> ValueSource {
    let (mut array, mut index, mut time) = (array, index, time);
    let mut sightings = 0;
    for _ in 0..MAX_STEPS {
        let location = Location::Element { array, index };
        let Some(found) = last_touch(past, array, index, time) else {
            return created(past, &location, array, time);
        };
        let Some(before) = found.time.0.checked_sub(1).map(Time) else { return ValueSource::Unknown };
        match found.posting.what {
            PostingKind::Copied { source, from, to, .. } if found.posting.library => {
                (array, index, time) = (source, from.wrapping_add(index - to), before);
            }
            PostingKind::Filled { value: Value::Top, .. } => return ValueSource::Unknown,
            PostingKind::Filled { .. } if found.posting.library => return by_library(past, found.position),
            PostingKind::Copied { .. } | PostingKind::Filled { .. } => {
                return ValueSource::Range(found.position, index);
            }
            PostingKind::SeenRange { .. } => {
                sightings += 1;
                if sightings > MAX_SIGHTINGS {
                    return ValueSource::Unknown;
                }
                let seen = past.index().content(found.position.stream, found.posting.what, index);
                match past.value_at(&location, before) {
                    KnownValue::Value(old) | KnownValue::Seen(old) if same(Some(old), seen) => {
                        let call = past.index().call_at(found.position);
                        left.extend(call.map(|call| (found.position, call, found.posting.bci)));
                        time = before;
                    }
                    _ => {
                        let Some(call) = past.index().call_at(found.position) else {
                            return ValueSource::Unknown;
                        };
                        return ValueSource::Seen(found.position, call, found.posting.bci);
                    }
                }
            }
            _ => return single(past, &location, &found),
        }
    }
    ValueSource::Unknown
}

/// The last posting that says something of an array's element: a write of its own, or one of a range with it.
fn last_touch(past: &Past, array: ObjectId, element: u32, time: Time) -> Option<TimedPosting> {
    let own = past.index().last(Key::element(array, element), time);
    let mut until = time;
    for _ in 0..MAX_STEPS {
        let Some(range) = past.index().last(Key::ranges(array), until) else { break };
        if own.is_some_and(|own| own.time >= range.time) {
            break;
        }
        if covers(range.posting.what, element) {
            return Some(range);
        }
        let Some(before) = range.time.0.checked_sub(1) else { break };
        until = Time(before);
    }
    own
}

fn covers(what: PostingKind, element: u32) -> bool {
    match what {
        PostingKind::Copied { to, length, .. } => {
            element.checked_sub(to).is_some_and(|offset| offset < length)
        }
        PostingKind::Filled { from, to, .. } => (from..to).contains(&element),
        PostingKind::SeenRange { from, count, cut, .. } => {
            element.checked_sub(from).is_some_and(|offset| offset < count || cut)
        }
        _ => false,
    }
}
