//! Every write to a location, some at a time: a location may have been written ten million times.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use past::{Location, Past, RenderLimits, Time};
use wire::{History, HistoryQuery, Write};

use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

/// Writes that are given at once, in each direction.
const MAX_WRITES: usize = 1_000;
const WRITES: usize = 200;
const LIMITS: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 120, width: 160, named: false };

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/history", get(history))
}

async fn history(
    State(shared): State<Arc<SharedSession>>,
    Query(query): Query<HistoryQuery>,
) -> Result<History> {
    shared
        .past(move |past| {
            let location = find(past, &query.location, query.at.as_deref())?;
            let count = |wanted: Option<usize>| wanted.unwrap_or(WRITES).min(MAX_WRITES);
            let last = past.last_time().unwrap_or(Time(0));
            let (after, before) = (count(query.after), count(query.before));
            let writes = match query.around {
                Some(around) => past.writes_around(&location, Time(around).min(last), before, after),
                None => past.writes_around(&location, Time(0), 1, after),
            };
            let entries = writes.entries.iter().map(|entry| Write::of(past, &location, entry, &LIMITS));
            Ok(History {
                entries: entries.collect(),
                location: past.location_name(&location),
                earlier: writes.earlier,
                more: writes.later,
            })
        })
        .await
        .map(Json)
}

/// The location that a text means at a moment. A path that leads nowhere there, because its call was not running, is
/// followed at the call's end.
fn find(past: &Past, text: &str, at: Option<&str>) -> std::result::Result<Location, Failure> {
    let at = at.filter(|at| !at.is_empty()).map(|text| past.find_time(text)).transpose()?;
    Ok(match past.find_location(text, at) {
        Err(past::Error::Path(_)) if at.is_some() => past.find_location(text, None)?,
        found => found?,
    })
}
