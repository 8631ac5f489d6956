//! The interface of the page, one file per view. `docs/page-api.md` describes it.

mod call;
mod dialogue;
mod events;
mod goto;
mod history;
mod live;
mod origins;
mod question;
mod report;
mod side;
mod source;
mod state;
mod timeline;
mod told;
mod tree;
mod value;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use past::{CallId, Past, SourceLine, Time};
use serde::Serialize;

use crate::desk::Desk;
use crate::failure::Failure;

pub fn routes() -> Router<Arc<Desk>> {
    Router::new()
        .route("/api/session", get(dialogue::session))
        .route("/api/answer", post(dialogue::answer))
        .route("/api/move", post(dialogue::back_or_forth))
        .route("/api/choose", post(dialogue::choose))
        .route("/api/zoom", post(dialogue::zoom))
        .route("/api/question", get(question::question))
        .route("/api/goto", get(goto::goto))
        .route("/api/report", get(report::markdown))
        .route("/api/report.html", get(report::page))
        .route("/api/tree", get(tree::rows).post(tree::change))
        .route("/api/call/{call}", get(call::call))
        .route("/api/call/{call}/state", post(state::state))
        .route("/api/call/{call}/events", get(events::events))
        .route("/api/call/{call}/rows", get(events::rows))
        .route("/api/call/{call}/source", get(source::source))
        .route("/api/call/{call}/text", get(source::text))
        .route("/api/call/{call}/line", get(source::line))
        .route("/api/step", get(events::step))
        .route("/api/text", get(value::text))
        .route("/api/change", get(value::change))
        .route("/api/history", get(history::history))
        .route("/api/about", get(events::about))
        .route("/api/slice", get(origins::slice))
        .route("/api/omissions", get(origins::omissions))
        .route("/api/timeline", get(timeline::timeline))
        .route("/api/timeline/call/{call}", get(timeline::spot))
        .route("/api/timeline/mark", get(timeline::mark))
        .route("/api/live", get(live::live))
}

/// A place in a source file.
#[derive(Serialize)]
pub struct PlaceJson {
    file: Option<String>,
    line: Option<u32>,
}

impl PlaceJson {
    fn of(place: Option<&SourceLine>) -> PlaceJson {
        PlaceJson {
            file: place.and_then(|place| place.file.clone()),
            line: place.and_then(|place| place.line),
        }
    }
}

/// A call that the recording has.
fn known_call(past: &Past, number: u64) -> Result<CallId, Failure> {
    CallId::of_number(number)
        .filter(|&id| past.call_row(id).is_some())
        .ok_or_else(|| Failure::Missing(format!("call with the number {number}")))
}

/// What somebody wrote who looks at a call, so that it stands alone: `list` and `this.list` are that call's.
fn written_out(past: &Past, text: &str, call: Option<u64>, at: Option<Time>) -> String {
    let text = text.trim();
    let call = call.filter(|_| !text.contains(['#', '@'])).and_then(|call| known_call(past, call).ok());
    let Some(call) = call.map(|call| past.call_name(call)) else { return text.to_owned() };
    let names = [format!("{call}:{text}"), format!("{call}:this.{text}")];
    let found = names.into_iter().find(|name| past.find_value(name, at).is_ok());
    found.unwrap_or_else(|| text.to_owned())
}

/// A moment that was named, or the end.
fn moment(past: &Past, text: Option<&str>) -> Result<Time, Failure> {
    Ok(match text.filter(|text| !text.is_empty()) {
        Some(text) => past.find_time(text)?,
        None => past.last_time().unwrap_or(Time(0)),
    })
}
