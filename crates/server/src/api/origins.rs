//! Where a value came from, and what should have happened but did not.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use session::{Missing, OmissionOptions, SliceLimits, Trail};

use super::written_out;
use crate::desk::Desk;
use crate::failure::{Failure, Result};

#[derive(Deserialize)]
pub struct Asked {
    location: String,
    at: Option<String>,
    #[serde(default)]
    reads: bool,
    count: Option<usize>,
    /// The call that somebody looks at who wrote the location.
    call: Option<u64>,
    /// As far back as takes seconds.
    #[serde(default)]
    far: bool,
}

const MAX_ROWS: usize = 1000;
/// Events that are replayed for a trail, unless somebody wants to wait.
const NEAR: u64 = 1_500_000;

pub async fn slice(State(desk): State<Arc<Desk>>, Query(asked): Query<Asked>) -> Result<Trail> {
    desk.past(move |past| {
        let at = asked.at.as_deref().map(|text| past.find_time(text)).transpose()?;
        let elements = asked.count.unwrap_or(200).min(MAX_ROWS);
        let all = SliceLimits::default();
        let events = if asked.far { all.events } else { NEAR };
        let limits = SliceLimits { elements, events, ..all };
        Ok(session::trail(past, &asked.location, at, &limits)?)
    })
    .await
    .map(Json)
}

/// What is missing at an object. The first search of a recording may take long: the session is free meanwhile.
pub async fn omissions(State(desk): State<Arc<Desk>>, Query(asked): Query<Asked>) -> Result<Missing> {
    let work = move || {
        let (past, finder, live) = {
            let mut seat = desk.seat();
            let session = seat.session()?;
            (session.shared_past(), session.shared_finder(), session.is_live())
        };
        let at = asked.at.as_deref().map(|text| past.find_time(text)).transpose()?;
        // A name that is wrong is told before anything is worked out.
        let location = written_out(&past, &asked.location, asked.call, at);
        past.find_value(&location, at)?;
        finder.prepare(&past, live, &mut |_| ())?;
        let options = OmissionOptions { at, reads: asked.reads, ..OmissionOptions::default() };
        Ok(finder.find(&past, &location, &options, &[])?)
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| Failure::Broken)?.map(Json)
}

/// Has ready what the omission finder needs, so that an answer that asks for it holds the session for a short time only.
pub(super) async fn prepare(desk: &Arc<Desk>) -> std::result::Result<(), Failure> {
    let (past, finder, live) = {
        let mut seat = desk.seat();
        let session = seat.session()?;
        (session.shared_past(), session.shared_finder(), session.is_live())
    };
    let work = move || finder.prepare(&past, live, &mut |_| ());
    Ok(tokio::task::spawn_blocking(work).await.map_err(|_| Failure::Broken)??)
}
