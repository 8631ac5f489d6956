//! One call: where it is, how it ended, how much it changed. Nothing here grows with the call.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use past::{CallId, Ending, Past, RenderLimits};
use serde::Serialize;

use super::{PlaceJson, known_call};
use crate::desk::Desk;
use crate::failure::{Failure, Result};

const LIMITS: RenderLimits = RenderLimits { depth: 1, elements: 20, string: 200, width: 200 };
/// Changed locations that are counted.
const COUNTED: usize = 500;
/// Calls around it that are named, at both ends of a long path.
const OUTER: usize = 3;
const INNER: usize = 6;

#[derive(Serialize)]
pub struct CallJson {
    call: u64,
    name: String,
    method: String,
    text: String,
    library: bool,
    entry: u64,
    exit: u64,
    events: u64,
    children: u32,
    thread: String,
    /// How it ended: `returned`, `threw`, `open`.
    ending: &'static str,
    /// Where it was called.
    site: PlaceJson,
    /// The calls around it, the outermost first; of a long path its two ends.
    path: Vec<Around>,
    /// How many calls are left out in the path, after its first `outer`.
    skipped: usize,
    outer: usize,
    /// Locations that it changed, and whether there may be more.
    changes: usize,
    more: bool,
}

#[derive(Serialize)]
struct Around {
    call: u64,
    name: String,
}

pub async fn call(State(desk): State<Arc<Desk>>, Path(call): Path<u64>) -> Result<CallJson> {
    desk.past(move |past| tell(past, known_call(past, call)?)).await.map(Json)
}

fn tell(past: &Past, id: CallId) -> std::result::Result<CallJson, Failure> {
    let info = past.call(id).ok_or_else(|| Failure::Missing("such call".into()))?;
    let mut around: Vec<CallId> = std::iter::successors(info.parent, |&above| past.parent(above)).collect();
    around.reverse();
    let skipped = around.len().saturating_sub(OUTER + INNER);
    if skipped > 0 {
        around.drain(OUTER..OUTER + skipped);
    }
    let path = around.into_iter().map(|id| Around { call: id.number(), name: past.call_name(id) });
    let (changes, all) = past.interval(info.entry, info.exit).count(COUNTED);
    Ok(CallJson {
        call: id.number(),
        text: past.call_text(id, &LIMITS),
        library: info.library,
        entry: info.entry.0,
        exit: info.exit.0,
        events: info.events,
        children: info.children,
        thread: past.thread_name(id.stream),
        ending: match info.ending {
            Ending::Open => "open",
            Ending::Returned(_) => "returned",
            Ending::Threw(_) => "threw",
        },
        site: PlaceJson::of(info.site.as_ref()),
        path: path.collect(),
        skipped,
        outer: OUTER,
        changes,
        more: !all,
        name: info.name,
        method: info.method,
    })
}
