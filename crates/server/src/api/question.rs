//! Anything as a question: what is asked now with more about it, and whatever else a person wants to judge.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use session::{Question, QuestionDetail, Subject};

use crate::desk::Desk;
use crate::failure::{Failure, Result};

#[derive(Deserialize)]
pub struct Wanted {
    /// A subject as JSON.
    subject: Option<String>,
    /// A call by its number.
    call: Option<u64>,
    #[serde(default)]
    more: bool,
}

#[derive(Serialize)]
pub struct Told {
    #[serde(flatten)]
    question: Question,
    call_number: Option<u64>,
    /// It is code that is not asked about: nobody here can change it.
    library: bool,
}

pub async fn question(State(desk): State<Arc<Desk>>, Query(wanted): Query<Wanted>) -> Result<Told> {
    let subject = match (wanted.call, &wanted.subject) {
        (Some(call), _) => Subject::Call { call },
        (None, Some(text)) => {
            serde_json::from_str(text).map_err(|error| Failure::Bad(format!("no subject: {error}")))?
        }
        (None, None) => return Err(Failure::Bad("a subject or a call is needed".into())),
    };
    desk.past(move |past| {
        let detail = if wanted.more { QuestionDetail::More } else { QuestionDetail::Short };
        let question = session::question(past, &subject, detail)?;
        let call = subject.call();
        Ok(Told {
            library: call.and_then(|call| past.call(call)).is_some_and(|info| info.library),
            call_number: call.map(past::CallId::number),
            question,
        })
    })
    .await
    .map(Json)
}
