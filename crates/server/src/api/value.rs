//! Parts of values that do not fit a row: long texts piece by piece, and where in a long list something changed.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use past::{Differs, Interval, KnownValue, Location, ObjectId, Past, Pointed, Time, Value, differs};
use serde::{Deserialize, Serialize};

use super::moment;
use super::side::{Both, paired};
use crate::desk::Desk;
use crate::failure::{Failure, Result};

#[derive(Deserialize)]
pub struct Wanted {
    location: String,
    at: Option<String>,
    #[serde(default)]
    skip: usize,
    count: Option<usize>,
}

#[derive(Serialize)]
pub struct Piece {
    text: String,
    /// Chars before it, and of all that is recorded.
    skip: usize,
    recorded: usize,
    /// Of the text in the program, in UTF-16 units.
    chars: u32,
    /// Only its beginning is recorded.
    cut: bool,
}

const MAX_CHARS: usize = 100_000;

/// A part of a string's or a string builder's text.
pub async fn text(State(desk): State<Arc<Desk>>, Query(wanted): Query<Wanted>) -> Result<Piece> {
    desk.past(move |past| {
        let time = moment(past, wanted.at.as_deref())?;
        let known = match past.find_value(&wanted.location, Some(time))? {
            Pointed::Object(object) => KnownValue::Value(Value::Object(object)),
            Pointed::Location(location) => past.value_at(&location, time),
        };
        let text = past
            .text_of(known, time)
            .ok_or_else(|| Failure::Missing(format!("text in {} at {}", wanted.location, time.0)))?;
        let count = wanted.count.unwrap_or(MAX_CHARS).min(MAX_CHARS);
        Ok(Piece {
            text: text.text.chars().skip(wanted.skip).take(count).collect(),
            skip: wanted.skip,
            recorded: text.text.chars().count(),
            chars: text.chars,
            cut: text.cut,
        })
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct Parts {
    /// The object at the two moments.
    before: Option<String>,
    after: Option<String>,
    from: u64,
    to: u64,
    #[serde(default)]
    raw: bool,
    /// The part from which on, or before which.
    index: usize,
    #[serde(default)]
    back: bool,
}

#[derive(Serialize)]
pub struct Changed {
    index: Option<u64>,
    /// Not all parts could be looked at.
    cut: bool,
}

/// Parts that are compared one by one, and so many at once.
const COMPARED: usize = 10_000;
const AT_ONCE: usize = 250;

/// The next part of an object that changed.
pub async fn change(State(desk): State<Arc<Desk>>, Query(wanted): Query<Parts>) -> Result<Changed> {
    desk.past(move |past| {
        let object = |name: &Option<String>| name.as_deref().map(|name| past.find_object(name)).transpose();
        let objects = (object(&wanted.before)?, object(&wanted.after)?);
        let (from, to) = (past.checked(wanted.from)?, past.checked(wanted.to)?);
        let interval = past.interval(from, to);
        if let (Some(before), Some(after)) = objects
            && let Some(array) = backing(past, after, to, wanted.raw)
            && backing(past, before, from, wanted.raw) == Some(array)
            && interval.touched(array).1
        {
            let start = u32::try_from(wanted.index).unwrap_or(u32::MAX);
            let found = past.changed_element(&interval, array, start, wanted.back);
            let total = past.pieces(after, to, 0, 0, wanted.raw).total;
            let index = found.map(u64::from).filter(|&index| index < total);
            return Ok(Changed { index, cut: false });
        }
        Ok(compared(past, &interval, objects, &wanted))
    })
    .await
    .map(Json)
}

/// The array that an object is, or whose elements are those of the list that it is.
fn backing(past: &Past, object: ObjectId, time: Time, raw: bool) -> Option<ObjectId> {
    match past.pieces(object, time, 0, 1, raw).list.first()?.location {
        Some(Location::Element { array, index: 0 }) => Some(array),
        _ => None,
    }
}

/// By comparing part by part, some at a time.
fn compared(
    past: &Past,
    interval: &Interval<'_>,
    objects: (Option<ObjectId>, Option<ObjectId>),
    wanted: &Parts,
) -> Changed {
    let is_changed = |part: &Both| match (part.before, part.after) {
        (Some(before), Some(after)) => differs(before, after) == Differs::Yes,
        _ => true,
    };
    let mut at = wanted.index;
    for _ in 0..COMPARED / AT_ONCE {
        let count = if wanted.back { at.min(AT_ONCE) } else { AT_ONCE };
        let start = if wanted.back { at - count } else { at };
        let parts = paired(past, interval, objects, start, count, wanted.raw);
        let found = match wanted.back {
            true => parts.iter().rposition(is_changed),
            false => parts.iter().position(is_changed),
        };
        let ends = if wanted.back { start == 0 } else { parts.len() < count };
        if found.is_some() || ends {
            return Changed { index: found.map(|found| (start + found) as u64), cut: false };
        }
        at = if wanted.back { start } else { at + count };
    }
    Changed { index: None, cut: true }
}
