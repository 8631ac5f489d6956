//! Where a value came from, and what should have happened but did not.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use session::{OmissionOptions, SliceLimits};
use wire::{Omissions, OmissionsQuery, Slice, SliceQuery};

use super::absolute_name;
use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

const MAX_ROWS: usize = 1000;
/// Events that are replayed for a trail, unless somebody wants to wait.
const NEAR: u64 = 1_500_000;

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/slice", get(slice)).route("/api/omissions", get(omissions))
}

async fn slice(State(shared): State<Arc<SharedSession>>, Query(query): Query<SliceQuery>) -> Result<Slice> {
    shared
        .past(move |past| {
            let at = query.at.as_deref().map(|text| past.find_time(text)).transpose()?;
            let elements = query.count.unwrap_or(200).min(MAX_ROWS);
            let all = SliceLimits::default();
            let events = if query.far { all.events } else { NEAR };
            let limits = SliceLimits { elements, events, ..all };
            Ok(Slice::of(past, &session::trail(past, &query.location, at, &limits)?))
        })
        .await
        .map(Json)
}

/// What is missing at an object. The first search of a recording may take long: the session is free meanwhile.
async fn omissions(
    State(shared): State<Arc<SharedSession>>,
    Query(query): Query<OmissionsQuery>,
) -> Result<Omissions> {
    let work = move || {
        let (past, finder, live) = {
            let mut slot = shared.lock();
            let session = slot.session()?;
            (session.shared_past(), session.shared_finder(), session.is_live())
        };
        let at = query.at.as_deref().map(|text| past.find_time(text)).transpose()?;
        // A name that is wrong is told before anything is worked out.
        let location = absolute_name(&past, &query.location, query.number, at);
        past.find_value(&location, at)?;
        finder.prepare(&past, live, &mut |_| ())?;
        let options = OmissionOptions { at, reads: query.reads, ..OmissionOptions::default() };
        Ok(finder.find(&past, &location, &options, &[])?.into())
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| Failure::Broken)?.map(Json)
}

/// Has ready what the omission finder needs, so that an answer that asks for it holds the session for a short time only.
pub(super) async fn prepare(shared: &Arc<SharedSession>) -> std::result::Result<(), Failure> {
    let (past, finder, live) = {
        let mut slot = shared.lock();
        let session = slot.session()?;
        (session.shared_past(), session.shared_finder(), session.is_live())
    };
    let work = move || finder.prepare(&past, live, &mut |_| ());
    Ok(tokio::task::spawn_blocking(work).await.map_err(|_| Failure::Broken)??)
}
