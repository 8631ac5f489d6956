//! Every write to a location, some at a time: a location may have been written ten million times.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use past::{CallId, HistoryEntry, Location, Manner, Past, RenderLimits, Time};
use serde::{Deserialize, Serialize};

use super::PlaceJson;
use crate::desk::Desk;
use crate::failure::{Failure, Result};

#[derive(Deserialize)]
pub struct Asked {
    location: String,
    /// The moment at which a path is followed.
    at: Option<String>,
    /// The moment around which writes are wanted: the last ones up to it and the first ones behind it. Without one,
    /// from the beginning.
    around: Option<u64>,
    before: Option<usize>,
    after: Option<usize>,
}

#[derive(Serialize)]
pub struct History {
    /// By its own name, which means the same at every moment.
    location: String,
    entries: Vec<Write>,
    /// There are earlier ones.
    earlier: bool,
    more: bool,
}

#[derive(Serialize)]
struct Write {
    time: u64,
    value: String,
    call: Option<u64>,
    name: Option<String>,
    #[serde(flatten)]
    place: PlaceJson,
    /// `written`, `library`, `seen`, `created`
    manner: &'static str,
}

/// Writes that are given at once, in each direction.
const MAX_WRITES: usize = 1_000;
const WRITES: usize = 200;
const LIMITS: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 120, width: 160 };

pub async fn history(State(desk): State<Arc<Desk>>, Query(asked): Query<Asked>) -> Result<History> {
    desk.past(move |past| {
        let location = find(past, &asked.location, asked.at.as_deref())?;
        let count = |wanted: Option<usize>| wanted.unwrap_or(WRITES).min(MAX_WRITES);
        let last = past.last_time().unwrap_or(Time(0));
        let writes = match asked.around {
            Some(around) => {
                past.writes_around(&location, Time(around).min(last), count(asked.before), count(asked.after))
            }
            None => past.writes_around(&location, Time(0), 1, count(asked.after)),
        };
        let descriptor = past.descriptor(&location);
        let entries = writes.entries.iter().map(|entry| told(past, entry, &descriptor)).collect();
        let name = past.location_name(&location);
        Ok(History { location: name, entries, earlier: writes.earlier, more: writes.later })
    })
    .await
    .map(Json)
}

fn told(past: &Past, entry: &HistoryEntry, descriptor: &str) -> Write {
    Write {
        time: entry.time.0,
        value: past.known_text(entry.value, descriptor, entry.time, &LIMITS),
        call: entry.call.map(CallId::number),
        name: entry.call.map(|call| past.call_name(call)),
        place: PlaceJson::of(entry.place.as_ref()),
        manner: match entry.manner {
            Manner::Written => "written",
            Manner::ByLibrary => "library",
            Manner::Seen => "seen",
            Manner::Created => "created",
        },
    }
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
