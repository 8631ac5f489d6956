//! The verdict as a file: a page that stands alone, or Markdown.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use session::{Next, Report, Session, Verdict};

use crate::desk::{Desk, now};
use crate::failure::Failure;

pub async fn page(State(desk): State<Arc<Desk>>) -> Result<impl IntoResponse, Failure> {
    let page = desk.with(|session, _| Ok(session::html(&found(session)?, &session.about(now())))).await?;
    Ok((attached("text/html; charset=utf-8", "attachment; filename=\"inquest-report.html\""), page))
}

pub async fn markdown(State(desk): State<Arc<Desk>>) -> Result<impl IntoResponse, Failure> {
    let text = desk.with(|session, _| Ok(session::markdown(&found(session)?))).await?;
    Ok((attached("text/markdown; charset=utf-8", "attachment; filename=\"inquest-report.md\""), text))
}

/// It is a file to keep: a browser is not to show it in place of the page.
fn attached(kind: &'static str, name: &'static str) -> [(header::HeaderName, &'static str); 2] {
    [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)]
}

fn found(session: &mut Session) -> Result<Report, Failure> {
    match session.next(now())? {
        Next::Verdict(Verdict::Buggy(guilty)) => Ok(session.report(&guilty)?),
        _ => Err(Failure::Missing("verdict yet".into())),
    }
}
