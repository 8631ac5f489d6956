//! From what somebody types to a place in the recording: a call, a time, a location.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use past::{CallId, Error, Location, Past, Pointed, Time};
use serde::{Deserialize, Serialize};

use crate::desk::Desk;
use crate::failure::Result;

/// Names that are offered where what was typed is none.
const OFFERED: usize = 12;

#[derive(Deserialize)]
pub struct Typed {
    text: String,
}

#[derive(Default, Serialize)]
pub struct Found {
    /// What is called so; otherwise calls of methods that are called alike.
    places: Vec<Spot>,
    /// Why there is no place of this name.
    why: Option<String>,
}

#[derive(Serialize)]
struct Spot {
    kind: &'static str,
    name: String,
    call: Option<u64>,
    time: Option<u64>,
    location: Option<String>,
    /// How many calls of this method there are, where it stands for them.
    calls: Option<u64>,
}

impl Spot {
    fn call(past: &Past, call: CallId) -> Spot {
        let name = past.call_name(call);
        Spot { kind: "call", name, call: Some(call.number()), time: None, location: None, calls: None }
    }
}

pub async fn goto(State(desk): State<Arc<Desk>>, Query(typed): Query<Typed>) -> Result<Found> {
    desk.past(move |past| Ok(find(past, typed.text.trim()))).await.map(Json)
}

fn find(past: &Past, text: &str) -> Found {
    let mut found = Found::default();
    if text.is_empty() {
        return found;
    }
    if let Some(time) = text.strip_prefix("#time ").or(text.strip_prefix("time ")) {
        match past.find_time(time) {
            Ok(time) => found.places.extend(moment(past, time)),
            Err(error) => found.why = Some(error.to_string()),
        }
        return found;
    }
    let call = past.find_call(text);
    if let Ok(call) = call {
        found.places.push(Spot::call(past, call));
    }
    if let Ok(time) = past.find_time(text) {
        found.places.extend(moment(past, time));
    }
    let value = past.find_value(text, None);
    if let Ok(pointed) = &value {
        found.places.push(place(past, text, pointed));
    }
    if found.places.is_empty() {
        found.places = alike(past, text);
    }
    if found.places.is_empty() {
        let error = match value {
            Err(error) if text.contains(['@', ':']) => Some(error),
            _ => call.err(),
        };
        // What else there is was looked for above.
        let first = |error: Error| error.to_string().split(';').next().unwrap_or_default().to_owned();
        found.why = error.map(first);
    }
    found
}

fn moment(past: &Past, time: Time) -> Option<Spot> {
    let call = past.call_at(past.position(time)?)?;
    let name = format!("time {} in {}", time.0, past.call_name(call));
    Some(Spot { kind: "time", name, time: Some(time.0), ..Spot::call(past, call) })
}

fn place(past: &Past, text: &str, pointed: &Pointed) -> Spot {
    let call = match pointed {
        Pointed::Location(Location::Local { call, .. }) => Some(*call),
        _ => text.split_once(':').and_then(|(call, _)| past.find_call(call).ok()),
    };
    let (kind, name) = match pointed {
        Pointed::Location(location) => ("location", past.location_name(location)),
        Pointed::Object(object) => ("object", past.object_name(*object)),
    };
    let (call, location) = (call.map(CallId::number), Some(name.clone()));
    Spot { kind, name, call, time: None, location, calls: None }
}

/// Methods whose names have what was typed in them: by their first call, or by the first few of the only one.
fn alike(past: &Past, text: &str) -> Vec<Spot> {
    let wanted = text.split(['#', '(']).next().unwrap_or(text).to_lowercase();
    let mut found = Vec::new();
    for (group, owner, method, ..) in past.methods() {
        let class = owner.rsplit('/').next().unwrap_or(owner).to_lowercase();
        let method = method.to_lowercase();
        // What the method is called counts for more than what its class is called.
        let far = match (method.contains(&wanted), format!("{class}.{method}").contains(&wanted)) {
            (true, _) => method.len(),
            (_, true) => 1000 + method.len(),
            _ => continue,
        };
        found.push((far, group));
    }
    found.sort_by_key(|&(far, _)| far);
    let each = if found.len() == 1 { OFFERED as u64 } else { 1 };
    let groups = found.into_iter().take(OFFERED).map(|(_, group)| group);
    let calls = groups.flat_map(|group| {
        let count = past.call_count(group);
        (0..count.min(each)).filter_map(move |at| Some((past.ranked(group, at)?, count)))
    });
    calls.map(|(call, count)| Spot { calls: Some(count), ..Spot::call(past, call) }).collect()
}
