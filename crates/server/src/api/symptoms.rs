//! What went wrong in the run, and where the search begins.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use wire::{SymptomRequest, SymptomRow};

use super::dialogue::change;
use crate::failure::Result;
use crate::shared_session::{SharedSession, now};

/// Symptoms that a page lists, at most.
const LISTED: usize = 500;

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/symptoms", get(symptoms)).route("/api/symptom", post(begin))
}

async fn symptoms(State(shared): State<Arc<SharedSession>>) -> Result<Vec<SymptomRow>> {
    let list = shared.past(|past| {
        let found = session::symptoms(past);
        let rows = found.iter().take(LISTED).enumerate();
        Ok(rows.map(|(at, symptom)| SymptomRow::of(past, Some(at + 1), symptom)).collect())
    });
    list.await.map(Json)
}

/// Begins anew at another symptom.
async fn begin(
    State(shared): State<Arc<SharedSession>>,
    Json(said): Json<SymptomRequest>,
) -> Result<wire::Session> {
    change(shared, move |session| Ok(session.begin_at(said.symptom, now())?)).await
}
