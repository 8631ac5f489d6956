//! The interface of the page, one file per view. `docs/page-api.md` describes it,
//! `docs/wire.md` what goes in and out.

mod call;
mod dialogue;
mod events;
mod goto;
mod history;
mod live;
mod origins;
mod question;
mod report;
mod session_json;
mod side;
mod source;
mod state;
mod symptoms;
mod timeline;
mod tree;
mod value;

use std::sync::Arc;

use axum::Router;
use past::{CallId, Past, Time};

use crate::failure::Failure;
use crate::shared_session::SharedSession;

pub fn routes() -> Router<Arc<SharedSession>> {
    [
        dialogue::routes(),
        question::routes(),
        goto::routes(),
        report::routes(),
        tree::routes(),
        call::routes(),
        state::routes(),
        symptoms::routes(),
        events::routes(),
        source::routes(),
        value::routes(),
        history::routes(),
        origins::routes(),
        timeline::routes(),
        live::routes(),
    ]
    .into_iter()
    .fold(Router::new(), Router::merge)
}

/// A call that the recording has.
fn known_call(past: &Past, number: u64) -> Result<CallId, Failure> {
    CallId::of_number(number)
        .filter(|&id| past.call_row(id).is_some())
        .ok_or_else(|| Failure::Missing(format!("call with the number {number}")))
}

/// What somebody wrote who looks at a call, so that it stands alone; as it is if it means nothing there.
fn absolute_name(past: &Past, text: &str, number: Option<u64>, at: Option<Time>) -> String {
    let call = number.and_then(|number| known_call(past, number).ok());
    session::absolute_name(past, call, text, at).unwrap_or_else(|_| text.trim().to_owned())
}

/// A moment that was named, or the end.
fn moment(past: &Past, text: Option<&str>) -> Result<Time, Failure> {
    Ok(match text.filter(|text| !text.is_empty()) {
        Some(text) => past.find_time(text)?,
        None => past.last_time().unwrap_or(Time(0)),
    })
}
