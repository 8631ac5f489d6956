//! One row of the node view: a value at two moments, and how it compares.

use past::{
    Differs, Interval, KnownValue, Location, ObjectId, ObjectPart, Past, RenderLimits, Time, VariableState,
    differs,
};
use serde::Serialize;

/// A variable or a part of an object.
#[derive(Serialize)]
pub struct Row {
    pub label: String,
    /// `this`, `argument`, `local`, `result`, `thrown`, `static`, `part`
    pub role: &'static str,
    /// As `history` and `slice` take it.
    pub location: Option<String>,
    #[serde(flatten)]
    pub pair: Pair,
    pub mark: Mark,
    /// Parts that can be opened.
    pub total: u64,
    /// Parts before the first of `rows`.
    pub skip: usize,
    /// The parts, if it is open.
    pub rows: Option<Vec<Row>>,
}

#[derive(Serialize)]
pub struct Pair {
    pub before: Option<Side>,
    pub after: Option<Side>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    Same,
    /// It holds another value.
    Changed,
    /// It holds the same object, and something in there is another.
    Within,
    /// What it held is not known on one side.
    Maybe,
    /// It holds the same object, and not all that is in there could be looked at.
    MaybeWithin,
    New,
    Gone,
}

/// What is shown of a value at one moment.
#[derive(Serialize)]
pub struct Side {
    pub text: String,
    /// `set`, `unset`, `out-of-scope`, `unknown`
    pub state: &'static str,
    pub object: Option<String>,
    /// Known only from what a library last showed of it.
    pub seen: bool,
    /// Chars of a text that is longer than what is shown.
    pub chars: Option<u32>,
}

impl Side {
    pub fn of(past: &Past, known: KnownValue, descriptor: &str, time: Time, limits: &RenderLimits) -> Side {
        let object = match known {
            KnownValue::Value(past::Value::Object(object))
            | KnownValue::Seen(past::Value::Object(object)) => Some(object),
            _ => None,
        };
        let is_array = object.is_some_and(|object| past.array_length(object).is_some());
        let limits = if is_array { RenderLimits { depth: limits.depth.max(1), ..*limits } } else { *limits };
        let chars = past.text_of(known, time).map(|text| text.chars);
        Side {
            text: past.known_text(known, descriptor, time, &limits),
            state: if known == KnownValue::Unknown { "unknown" } else { "set" },
            object: object.map(|object| past.object_name(object)),
            seen: matches!(known, KnownValue::Seen(_)),
            chars: chars.filter(|&chars| chars as usize > limits.string),
        }
    }

    pub fn of_held(
        past: &Past,
        held: VariableState,
        descriptor: &str,
        time: Time,
        limits: &RenderLimits,
    ) -> Side {
        let state = match held {
            VariableState::Value(known) => return Side::of(past, known, descriptor, time, limits),
            VariableState::Unset => "unset",
            VariableState::OutOfScope => "out-of-scope",
        };
        Side { text: String::new(), state, object: None, seen: false, chars: None }
    }
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
