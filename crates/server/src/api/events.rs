//! The event list of a call as a tree, everything about an object, and steps from one event to another. Rows are asked
//! for around a moment; which calls are unfolded the page says itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use past::{
    CallId, ChangeMark, EventRow, KnownValue, Past, Pointed, Position, RenderLimits, ShownEvent, SourceLine,
    Step, Time,
};
use past::{Touch, Value};
use serde::{Deserialize, Serialize};

use super::{PlaceJson, known_call, moment, written_out};
use crate::desk::Desk;
use crate::failure::{Failure, Result};

#[derive(Serialize)]
pub struct EventJson {
    time: u64,
    kind: &'static str,
    text: String,
    /// The call of program code in which it happened, and its name.
    call: Option<u64>,
    name: Option<String>,
    location: Option<String>,
    /// The call that begins here.
    child: Option<ChildJson>,
    /// Unfolded calls around it.
    level: u32,
    /// What was read for it: names and values.
    reads: Vec<(String, String)>,
    /// What it did to the location that was asked about: `changed`, `within`.
    mark: Option<&'static str>,
    /// In which role the object that was asked about took part.
    role: Option<String>,
    #[serde(flatten)]
    place: PlaceJson,
}

#[derive(Serialize)]
struct ChildJson {
    call: u64,
    /// Calls in it, itself included: they have the numbers from its own on.
    calls: u32,
    events: u64,
    /// When it ended.
    until: u64,
    unfolded: bool,
}

const LIMITS: RenderLimits = RenderLimits { depth: 1, elements: 6, string: 40, width: 60 };

impl EventJson {
    fn new(past: &Past, position: Position, time: Time, kind: &'static str, text: String) -> EventJson {
        let call = past.stepping_in(position).and_then(|call| past.program_call(call));
        let prints = kind == "call" && past.prints(position);
        EventJson {
            time: time.0,
            kind: if prints { "output" } else { kind },
            text,
            call: call.map(CallId::number),
            name: None,
            location: None,
            child: None,
            level: 0,
            reads: Vec::new(),
            mark: None,
            role: None,
            place: PlaceJson::of(None),
        }
    }

    fn of(past: &Past, event: &ShownEvent) -> EventJson {
        EventJson {
            location: event.location.as_ref().map(|location| past.location_name(location)),
            child: event.child.and_then(|child| ChildJson::of(past, child, false)),
            place: PlaceJson::of(event.place.as_ref()),
            ..EventJson::new(past, event.position, event.time, event.kind, event.text.clone())
        }
    }

    fn of_row(past: &Past, row: &EventRow, mark: Option<ChangeMark>) -> EventJson {
        let reads = row.reads.iter().map(|(location, value)| {
            let descriptor = past.descriptor(location);
            let value = past.known_text(KnownValue::Value(*value), &descriptor, row.event.time, &LIMITS);
            (past.location_name(location), value)
        });
        EventJson {
            // The call itself, where its beginning is the first of its own events.
            child: row.callee.and_then(|_| ChildJson::of(past, row.event.child?, row.unfolded)),
            level: row.level,
            reads: reads.collect(),
            mark: mark.map(|mark| match mark {
                ChangeMark::Here => "changed",
                ChangeMark::Within => "within",
            }),
            ..EventJson::of(past, &row.event)
        }
    }

    fn of_touch(past: &Past, touch: Touch) -> EventJson {
        let place: Option<&SourceLine> = touch.place.as_ref();
        let call = touch.call.and_then(|call| past.program_call(call));
        EventJson {
            call: call.map(CallId::number),
            name: call.map(|call| past.call_name(call)),
            location: touch.location.as_ref().map(|location| past.location_name(location)),
            child: touch.child.and_then(|child| ChildJson::of(past, child, false)),
            role: touch.role,
            place: PlaceJson::of(place),
            ..EventJson::new(past, touch.position, touch.time, touch.kind, touch.text)
        }
    }
}

impl ChildJson {
    fn of(past: &Past, child: CallId, unfolded: bool) -> Option<ChildJson> {
        let row = past.call_row(child)?;
        let until = past.time(Position { stream: child.stream, ordinal: row.exit })?;
        let events = row.exit - row.entry + 1;
        Some(ChildJson { call: child.number(), calls: row.size, events, until: until.0, unfolded })
    }
}

#[derive(Deserialize)]
pub struct From {
    from: Option<u64>,
    count: Option<usize>,
}

#[derive(Serialize)]
pub struct Events {
    events: Vec<EventJson>,
    more: bool,
}

/// A call's own events from a moment on.
pub async fn events(
    State(desk): State<Arc<Desk>>,
    Path(call): Path<u64>,
    Query(wanted): Query<From>,
) -> Result<Events> {
    desk.past(move |past| {
        let id = known_call(past, call)?;
        let from = wanted.from.map(|time| past.checked(time)).transpose()?;
        let page = past.events(id, from, limited(wanted.count, 200), false);
        let events = page.events.iter().map(|happened| EventJson::of(past, happened)).collect();
        Ok(Events { events, more: page.more })
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct Wanted {
    /// The moment; the call's beginning if there is none.
    at: Option<u64>,
    before: Option<usize>,
    after: Option<usize>,
    /// Numbers of calls that are unfolded, with commas between them.
    #[serde(default)]
    unfolded: String,
    /// What is to be marked where it changed.
    location: Option<String>,
}

#[derive(Serialize)]
pub struct Rows {
    rows: Vec<EventJson>,
    /// How many of them are before the moment.
    before: usize,
    first: bool,
    last: bool,
    /// The first and the last moment of the whole list.
    from: u64,
    to: u64,
    /// The name of what was asked about, if there is such a thing.
    about: Option<String>,
}

const MAX_ROWS: usize = 500;
const MAX_UNFOLDED: usize = 2000;

fn limited(wanted: Option<usize>, otherwise: usize) -> usize {
    wanted.unwrap_or(otherwise).min(MAX_ROWS)
}

pub async fn rows(
    State(desk): State<Arc<Desk>>,
    Path(call): Path<u64>,
    Query(wanted): Query<Wanted>,
) -> Result<Rows> {
    desk.past(move |past| {
        let id = known_call(past, call)?;
        let at = wanted.at.map(|time| past.checked(time)).transpose()?;
        let numbers = wanted.unfolded.split(',').filter(|number| !number.is_empty()).take(MAX_UNFOLDED);
        let unfolded: Option<BTreeSet<CallId>> =
            numbers.map(|number| CallId::of_number(number.parse().ok()?)).collect();
        let unfolded = unfolded.ok_or_else(|| Failure::Bad("unfolded calls are named by numbers".into()))?;
        let (before, after) = (limited(wanted.before, 0), limited(wanted.after, 100));
        let row = past.call_row(id).ok_or_else(|| Failure::Missing("such call".into()))?;
        let time = |ordinal| past.time(Position { stream: id.stream, ordinal }).map_or(0, |time| time.0);
        let found = past.event_rows(id, &unfolded, at, before, after);
        let location = wanted.location.and_then(|text| past.find_location(&text, None).ok());
        let marks = match &location {
            Some(location) => past.changed_in(&found.rows, location),
            None => vec![None; found.rows.len()],
        };
        let rows = found.rows.iter().zip(marks).map(|(row, mark)| EventJson::of_row(past, row, mark));
        Ok(Rows {
            rows: rows.collect(),
            before: found.before,
            first: found.is_first,
            last: found.is_last,
            from: time(row.entry),
            to: time(row.exit),
            about: location.map(|location| past.location_name(&location)),
        })
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct About {
    location: String,
    /// In which call and when the name is meant.
    call: Option<u64>,
    meant: Option<String>,
    at: Option<u64>,
    before: Option<usize>,
    after: Option<usize>,
}

/// All events of the run about an object, or about a location that holds none.
pub async fn about(State(desk): State<Arc<Desk>>, Query(wanted): Query<About>) -> Result<Rows> {
    desk.past(move |past| {
        let meant = wanted.meant.as_deref().map(|text| past.find_time(text)).transpose()?;
        let at = wanted.at.map(|time| past.checked(time)).transpose()?.unwrap_or(Time(0));
        let text = written_out(past, &wanted.location, wanted.call, meant);
        let pointed = match past.find_value(&text, meant)? {
            Pointed::Location(location) => {
                let time = meant.or(past.last_time()).unwrap_or(Time(0));
                match past.value_at(&location, time) {
                    KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => {
                        Pointed::Object(object)
                    }
                    _ => Pointed::Location(location),
                }
            }
            object => object,
        };
        let found = past.touches(&pointed, at, limited(wanted.before, 0), limited(wanted.after, 100));
        let name = match &pointed {
            Pointed::Object(object) => past.object_name(*object),
            Pointed::Location(location) => past.location_name(location),
        };
        Ok(Rows {
            rows: found.list.into_iter().map(|touch| EventJson::of_touch(past, touch)).collect(),
            before: found.before,
            first: found.is_first,
            last: found.is_last,
            from: 0,
            to: past.last_time().map_or(0, |time| time.0),
            about: Some(name),
        })
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct Direction {
    time: u64,
    /// `into`, `over`, `out`, `back-into`, `back-over`, `back-out`, `next-write`, `last-write`, `thrown`
    direction: String,
    location: Option<String>,
}

pub async fn step(
    State(desk): State<Arc<Desk>>,
    Query(wanted): Query<Direction>,
) -> Result<Option<EventJson>> {
    desk.past(move |past| {
        let time = moment(past, Some(&wanted.time.to_string()))?;
        let location = wanted.location.as_deref().map(|text| past.find_location(text, None));
        let location = location.transpose()?;
        let of = || location.clone().ok_or_else(|| Failure::Bad("a location is needed for this step".into()));
        let step = match wanted.direction.as_str() {
            "into" => Step::Into,
            "over" => Step::Over,
            "out" => Step::Out,
            "back-into" => Step::BackInto,
            "back-over" => Step::BackOver,
            "back-out" => Step::BackOut,
            "next-write" => Step::NextWrite(of()?),
            "last-write" => Step::LastWrite(of()?),
            "thrown" => Step::Thrown,
            other => return Err(Failure::Bad(format!("{other} is no direction"))),
        };
        let position = past.position(time).ok_or_else(|| Failure::Missing("such time".into()))?;
        Ok(past.step(position, &step).map(|happened| EventJson::of(past, &happened)))
    })
    .await
    .map(Json)
}
