//! Anything as a question: what is asked now with more about it, and whatever else a person wants to judge.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use session::{QuestionDetail, Subject};
use wire::{AskableQuestion, QuestionQuery};

use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new().route("/api/question", get(question))
}

async fn question(
    State(shared): State<Arc<SharedSession>>,
    Query(query): Query<QuestionQuery>,
) -> Result<AskableQuestion> {
    let subject = match (query.number, &query.subject) {
        (Some(number), _) => Subject::Call { call: number },
        (None, Some(text)) => serde_json::from_str::<wire::Subject>(text)
            .map_err(|error| Failure::Bad(format!("no subject: {error}")))?
            .into(),
        (None, None) => return Err(Failure::Bad("a subject or a number is needed".into())),
    };
    shared
        .past(move |past| {
            let detail = if query.more { QuestionDetail::More } else { QuestionDetail::Short };
            let question = session::question(past, &subject, detail)?;
            let call = subject.call();
            Ok(AskableQuestion {
                trusted: call.and_then(|call| past.call(call)).is_some_and(|info| info.library),
                question: question.into(),
            })
        })
        .await
        .map(Json)
}
