//! One call: where it is, how it ended, how much it changed. Nothing here grows with the call.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Json, Router};
use past::{CallId, Past, RenderLimits};
use wire::{Call, CallDetails, NamedCall};

use super::known_call;
use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

const LIMITS: RenderLimits = RenderLimits { depth: 1, elements: 20, string: 200, width: 200, named: false };
/// Changed locations that are counted.
const COUNTED: usize = 500;
/// Calls around it that are named, at both ends of a long path.
const OUTER: usize = 3;
const INNER: usize = 6;

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/call/{number}", get(call))
}

async fn call(State(shared): State<Arc<SharedSession>>, Path(number): Path<u64>) -> Result<CallDetails> {
    shared.past(move |past| call_json(past, known_call(past, number)?)).await.map(Json)
}

fn call_json(past: &Past, id: CallId) -> std::result::Result<CallDetails, Failure> {
    let info = past.call(id).ok_or_else(|| Failure::Missing("such call".into()))?;
    let mut around: Vec<CallId> = std::iter::successors(info.parent, |&above| past.parent(above)).collect();
    around.reverse();
    let skipped = around.len().saturating_sub(OUTER + INNER);
    if skipped > 0 {
        around.drain(OUTER..OUTER + skipped);
    }
    let (changes, all) = past.interval(info.entry, info.exit).count(COUNTED);
    Ok(CallDetails {
        call: Call::of(past, &info, &LIMITS),
        place: info.site.as_ref().into(),
        text: words::call(past, id, &LIMITS).to_string(),
        thread_name: past.thread_name(id.stream),
        path: around.into_iter().map(|id| NamedCall::of(past, id)).collect(),
        skipped,
        outer: OUTER,
        changes,
        more: !all,
    })
}
