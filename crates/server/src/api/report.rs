//! The verdict as a file: a page that stands alone, or Markdown.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use session::{Report, Verdict};
use words::About;

use crate::dialogue::{Dialogue, Reached};
use crate::failure::Failure;
use crate::shared_session::{SharedSession, now};

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/report", get(markdown)).route("/api/report.html", get(page))
}

async fn page(State(shared): State<Arc<SharedSession>>) -> Result<impl IntoResponse, Failure> {
    let page = shared.with(|dialogue, _| {
        let report = found(dialogue)?;
        Ok(words::html(&report, &About::of(&dialogue.session, now())))
    });
    Ok((attached("text/html; charset=utf-8", "attachment; filename=\"inquest-report.html\""), page.await?))
}

async fn markdown(State(shared): State<Arc<SharedSession>>) -> Result<impl IntoResponse, Failure> {
    let text = shared.with(|dialogue, _| Ok(words::markdown(&found(dialogue)?))).await?;
    Ok((attached("text/markdown; charset=utf-8", "attachment; filename=\"inquest-report.md\""), text))
}

/// It is a file to keep: a browser is not to show it in place of the page.
fn attached(kind: &'static str, name: &'static str) -> [(header::HeaderName, &'static str); 2] {
    [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)]
}

fn found(dialogue: &mut Dialogue) -> Result<Report, Failure> {
    match dialogue.reached() {
        Reached::Verdict(Verdict::Buggy(guilty)) => {
            let guilty = *guilty;
            Ok(dialogue.session.report(&guilty)?)
        }
        _ => Err(Failure::Missing("verdict yet".into())),
    }
}
