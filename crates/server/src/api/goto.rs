//! From what somebody types to a place in the recording: a call, a time, a location.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use past::{CallId, Error, Location, Past, Pointed, Time};
use wire::{GotoAnswer, GotoKind, GotoPlace, GotoQuery};

use crate::failure::Result;
use crate::shared_session::SharedSession;

/// Names that are offered where what was typed is none.
const OFFERED: usize = 12;

fn call_place(past: &Past, call: CallId) -> GotoPlace {
    let (name, number) = (past.call_name(call), Some(call.number()));
    GotoPlace { kind: GotoKind::Call, name, number, time: None, location: None, calls: None }
}

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/goto", get(goto))
}

async fn goto(
    State(shared): State<Arc<SharedSession>>,
    Query(query): Query<GotoQuery>,
) -> Result<GotoAnswer> {
    shared.past(move |past| Ok(find(past, query.text.trim()))).await.map(Json)
}

fn find(past: &Past, text: &str) -> GotoAnswer {
    let mut found = GotoAnswer::default();
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
        found.places.push(call_place(past, call));
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

fn moment(past: &Past, time: Time) -> Option<GotoPlace> {
    let call = past.call_at(past.position(time)?)?;
    let name = format!("time {} in {}", time.0, past.call_name(call));
    Some(GotoPlace { kind: GotoKind::Time, name, time: Some(time.0), ..call_place(past, call) })
}

fn place(past: &Past, text: &str, pointed: &Pointed) -> GotoPlace {
    let call = match pointed {
        Pointed::Location(Location::Local { call, .. }) => Some(*call),
        _ => text.split_once(':').and_then(|(call, _)| past.find_call(call).ok()),
    };
    let (kind, name) = match pointed {
        Pointed::Location(location) => (GotoKind::Location, past.location_name(location)),
        Pointed::Object(object) => (GotoKind::Object, past.object_name(*object)),
    };
    let (number, location) = (call.map(CallId::number), Some(name.clone()));
    GotoPlace { kind, name, number, time: None, location, calls: None }
}

/// Methods whose names have what was typed in them: by their first call, or by the first few of the only one.
fn alike(past: &Past, text: &str) -> Vec<GotoPlace> {
    let wanted = text.split(['#', '(']).next().unwrap_or(text).to_lowercase();
    let mut found = Vec::new();
    for (group, owner, method, ..) in past.methods() {
        let class = owner.rsplit('/').next().unwrap_or(owner).to_lowercase();
        let method = method.to_lowercase();
        // What the method is called counts for more than what its class is called, and the program's own for more than a library's.
        let by_class = match (method.contains(&wanted), format!("{class}.{method}").contains(&wanted)) {
            (true, _) => false,
            (_, true) => true,
            _ => continue,
        };
        let library = !past.ranked(group, 0).is_some_and(|call| past.is_program_call(call));
        found.push(((by_class, library, method.len()), group));
    }
    found.sort_by_key(|&(far, _)| far);
    let each = if found.len() == 1 { OFFERED as u64 } else { 1 };
    let groups = found.into_iter().take(OFFERED).map(|(_, group)| group);
    let calls = groups.flat_map(|group| {
        let count = past.call_count(group);
        (0..count.min(each)).filter_map(move |at| Some((past.ranked(group, at)?, count)))
    });
    calls.map(|(call, count)| GotoPlace { calls: Some(count), ..call_place(past, call) }).collect()
}
