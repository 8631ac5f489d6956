//! One side of a row of the node view: a value at a moment. And which parts of two moments belong together.

use past::{
    Differs, Interval, KnownValue, Location, ObjectId, ObjectPart, Past, RenderLimits, Time, Value,
    VariableState, differs,
};
use wire::{SideState, StateSide};

pub fn side(
    past: &Past,
    known: KnownValue,
    descriptor: &str,
    time: Time,
    limits: &RenderLimits,
) -> StateSide {
    let object = match known {
        KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => Some(object),
        _ => None,
    };
    let is_array = object.is_some_and(|object| past.array_length(object).is_some());
    let limits = if is_array { RenderLimits { depth: limits.depth.max(1), ..*limits } } else { *limits };
    let chars = past.text_of(known, time).map(|text| text.chars);
    StateSide {
        text: past.known_text(known, descriptor, time, &limits),
        state: if known == KnownValue::Unknown { SideState::Unknown } else { SideState::Set },
        object: object.map(|object| past.object_name(object)),
        seen: matches!(known, KnownValue::Seen(_)),
        chars: chars.filter(|&chars| chars as usize > limits.string),
    }
}

pub fn held_side(
    past: &Past,
    held: VariableState,
    descriptor: &str,
    time: Time,
    limits: &RenderLimits,
) -> StateSide {
    let state = match held {
        VariableState::Value(known) => return side(past, known, descriptor, time, limits),
        VariableState::Unset => SideState::Unset,
        VariableState::OutOfScope => SideState::OutOfScope,
    };
    StateSide { text: String::new(), state, object: None, seen: false, chars: None }
}

/// A part at two moments.
pub struct Both {
    pub label: String,
    pub descriptor: String,
    pub before: Option<KnownValue>,
    pub after: Option<KnownValue>,
    /// Where it is at the second moment; where it was, if it is no more.
    pub location: Option<Location>,
    /// It may have been there before, among what was not looked at.
    pub unsure: bool,
}

/// Pairs of a map that are looked through for a key.
const KEYS: usize = 2_000;

/// The parts of an object at two moments, from `skip` on. Elements and fields belong together by their labels, pairs of
/// a map by their keys.
pub fn paired(
    past: &Past,
    interval: &Interval<'_>,
    (before, after): (Option<ObjectId>, Option<ObjectId>),
    skip: usize,
    count: usize,
    raw: bool,
) -> Vec<Both> {
    let pieces = |object: Option<ObjectId>, time, skip, count| match object {
        Some(object) => {
            let pieces = past.pieces(object, time, skip, count, raw);
            (pieces.list, pieces.total)
        }
        None => (Vec::new(), 0),
    };
    let (now, now_total) = pieces(after, interval.to, skip, count);
    let keyed = now.first().is_some_and(|piece| piece.key.is_some());
    let (mut old, old_total) = match keyed {
        true => pieces(before, interval.from, 0, KEYS),
        false => pieces(before, interval.from, skip, count),
    };
    let unsure = keyed && old_total > KEYS as u64;
    let is_same = |one: &ObjectPart, other: &ObjectPart| match (one.key, other.key) {
        (Some(one), Some(other)) => differs(one, other) == Differs::No,
        _ => one.label == other.label,
    };
    let mut list: Vec<Both> = Vec::new();
    for piece in now {
        let was = old.iter().position(|old| is_same(old, &piece)).map(|at| old.remove(at));
        list.push(Both {
            label: piece.label,
            descriptor: piece.descriptor,
            before: was.map(|was| was.value),
            after: Some(piece.value),
            location: piece.location,
            unsure,
        });
    }
    // What is no more: at the end, and for a map only where all that is there now was looked at.
    let complete = !keyed || (skip == 0 && now_total <= count as u64);
    if complete {
        list.extend(old.into_iter().take(count).map(|piece| Both {
            label: piece.label,
            descriptor: piece.descriptor,
            before: Some(piece.value),
            after: None,
            location: piece.location,
            unsure: false,
        }));
    }
    list
}
