//! The event list of a call as a tree, everything about an object, and steps from one event to another. Rows are asked
//! for around a moment; which calls are unfolded the page says itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::routing::get;
use axum::{Json, Router};
use past::{
    CallId, ChangeMark, KnownValue, Location, Past, Pointed, Position, RenderLimits, Step, Time, Touch, Value,
};
use wire::{
    AboutQuery, Event, EventMaker, EventMark, EventRow, EventRows, EventRowsQuery, Events, EventsQuery,
    LocationValue, StepDirection, StepQuery,
};

use super::{absolute_name, known_call, moment};
use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

/// Limits of what was read for an event.
const LIMITS: RenderLimits = RenderLimits { depth: 1, elements: 6, string: 40, width: 60, named: false };
const MAX_ROWS: usize = 500;
const MAX_UNFOLDED: usize = 2000;

fn row(past: &Past, maker: &mut EventMaker<'_>, row: &past::EventRow, mark: Option<ChangeMark>) -> EventRow {
    let reads = row.reads.iter().map(|(location, value)| {
        let descriptor = past.descriptor(location);
        let value = past.known_text(KnownValue::Value(*value), &descriptor, row.event.time, &LIMITS);
        LocationValue { location: past.location_name(location), value }
    });
    let mut event = maker.event(&row.event);
    if row.callee.is_none() {
        // The beginning of the call itself is the first of its own events.
        event.child = None;
    }
    EventRow {
        event,
        level: row.level,
        unfolded: row.unfolded,
        reads: reads.collect(),
        mark: mark.map(|mark| match mark {
            ChangeMark::Here => EventMark::Changed,
            ChangeMark::Within => EventMark::Within,
        }),
        role: None,
    }
}

fn touch_row(maker: &mut EventMaker<'_>, touch: Touch) -> EventRow {
    let parts: Vec<&str> = touch.parts.iter().map(words::call_part).collect();
    EventRow {
        event: maker.touch(&touch),
        level: 0,
        unfolded: false,
        reads: Vec::new(),
        mark: None,
        role: (!parts.is_empty()).then(|| parts.join(", ")),
    }
}

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new()
        .route("/api/call/{number}/events", get(events))
        .route("/api/call/{number}/rows", get(rows))
        .route("/api/about", get(about))
        .route("/api/step", get(step))
}

/// A call's own events from a moment on.
async fn events(
    State(shared): State<Arc<SharedSession>>,
    Path(number): Path<u64>,
    Query(query): Query<EventsQuery>,
) -> Result<Events> {
    shared
        .past(move |past| {
            let id = known_call(past, number)?;
            let from = query.from.map(|time| past.checked(time)).transpose()?;
            let page = past.events(id, from, limited(query.count, 200), false);
            let mut maker = EventMaker::new(past);
            let events = page.events.iter().map(|happened| maker.event(happened)).collect();
            Ok(Events { events, more: page.more })
        })
        .await
        .map(Json)
}

fn limited(wanted: Option<usize>, otherwise: usize) -> usize {
    wanted.unwrap_or(otherwise).min(MAX_ROWS)
}

async fn rows(
    State(shared): State<Arc<SharedSession>>,
    Path(number): Path<u64>,
    Query(query): Query<EventRowsQuery>,
) -> Result<EventRows> {
    shared
        .past(move |past| {
            let id = known_call(past, number)?;
            let at = query.at.map(|time| past.checked(time)).transpose()?;
            let numbers = query.unfolded.split(',').filter(|number| !number.is_empty()).take(MAX_UNFOLDED);
            let unfolded: Option<BTreeSet<CallId>> =
                numbers.map(|number| CallId::of_number(number.parse().ok()?)).collect();
            let unfolded =
                unfolded.ok_or_else(|| Failure::Bad("unfolded calls are named by numbers".into()))?;
            let (before, after) = (limited(query.before, 0), limited(query.after, 100));
            let call = past.call_row(id).ok_or_else(|| Failure::Missing("such call".into()))?;
            let time = |ordinal| past.time(Position { stream: id.stream, ordinal }).map_or(0, |time| time.0);
            let found = past.event_rows(id, &unfolded, at, before, after);
            let location = query.location.and_then(|text| past.find_location(&text, None).ok());
            let marks = match &location {
                Some(location) => past.changed_in(&found.rows, location),
                None => vec![None; found.rows.len()],
            };
            let mut maker = EventMaker::new(past);
            let rows = found.rows.iter().zip(marks).map(|(one, mark)| row(past, &mut maker, one, mark));
            Ok(EventRows {
                rows: rows.collect(),
                before: found.before,
                first: found.is_first,
                last: found.is_last,
                from: time(call.entry),
                to: time(call.exit),
                part_of: location.as_ref().and_then(|location| part_of(past, location)),
                about: location.map(|location| past.location_name(&location)),
            })
        })
        .await
        .map(Json)
}

/// All events of the run about an object, or about a location that holds none.
async fn about(
    State(shared): State<Arc<SharedSession>>,
    Query(query): Query<AboutQuery>,
) -> Result<EventRows> {
    shared
        .past(move |past| {
            let meant = query.meant.as_deref().map(|text| past.find_time(text)).transpose()?;
            let at = query.at.map(|time| past.checked(time)).transpose()?.unwrap_or(Time(0));
            let text = absolute_name(past, &query.location, query.number, meant);
            let named = past.find_value(&text, meant)?;
            let part_of = match &named {
                Pointed::Location(location) => part_of(past, location),
                Pointed::Object(_) => None,
            };
            let pointed = match named {
                Pointed::Location(location) => {
                    let time = meant.or(past.last_time()).unwrap_or(Time(0));
                    match past.value_at(&location, time) {
                        KnownValue::Value(Value::Object(object))
                        | KnownValue::Seen(Value::Object(object)) => Pointed::Object(object),
                        _ => Pointed::Location(location),
                    }
                }
                object => object,
            };
            let found = past.touches(&pointed, at, limited(query.before, 0), limited(query.after, 100));
            let mut maker = EventMaker::new(past);
            let name = match &pointed {
                Pointed::Object(object) => past.object_name(*object),
                Pointed::Location(location) => past.location_name(location),
            };
            Ok(EventRows {
                rows: found.list.into_iter().map(|touch| touch_row(&mut maker, touch)).collect(),
                before: found.before,
                first: found.is_first,
                last: found.is_last,
                from: 0,
                to: past.last_time().map_or(0, |time| time.0),
                about: Some(name),
                part_of,
            })
        })
        .await
        .map(Json)
}

/// The object that a location is a part of.
fn part_of(past: &Past, location: &Location) -> Option<String> {
    match location {
        Location::Field { object, .. } | Location::Element { array: object, .. } => {
            Some(past.object_name(*object))
        }
        Location::Static(_) | Location::Local { .. } => None,
    }
}

async fn step(
    State(shared): State<Arc<SharedSession>>,
    Query(query): Query<StepQuery>,
) -> Result<Option<Event>> {
    shared
        .past(move |past| {
            let time = moment(past, Some(&query.time.to_string()))?;
            let location = query.location.as_deref().map(|text| past.find_location(text, None));
            let location = location.transpose()?;
            let of =
                || location.clone().ok_or_else(|| Failure::Bad("a location is needed for this step".into()));
            let step = match query.direction {
                StepDirection::Into => Step::Into,
                StepDirection::Over => Step::Over,
                StepDirection::Out => Step::Out,
                StepDirection::BackInto => Step::BackInto,
                StepDirection::BackOver => Step::BackOver,
                StepDirection::BackOut => Step::BackOut,
                StepDirection::NextWrite => Step::NextWrite(of()?),
                StepDirection::LastWrite => Step::LastWrite(of()?),
                StepDirection::Thrown => Step::Thrown,
            };
            let position = past.position(time).ok_or_else(|| Failure::Missing("such time".into()))?;
            Ok(past.step(position, &step).map(|happened| EventMaker::new(past).event(&happened)))
        })
        .await
        .map(Json)
}
