//! What a page says: answers, what is taken back, and how questions are chosen. Each request answers with the session
//! as it is then. Only these write to the journal; `GET session` describes.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use session::{Answer, AnswerKind, Author, Session, Strategy, Subject, Transform};
use wire::{AnswerRequest, ChooseRequest, MoveRequest, ZoomRequest};

use super::known_call;
use super::session_json::describe;
use crate::dialogue::Reached;
use crate::failure::{Failure, Result};
use crate::shared_session::{SharedSession, now};

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new()
        .route("/api/session", get(session))
        .route("/api/advance", post(advance))
        .route("/api/answer", post(answer))
        .route("/api/move", post(back_or_forth))
        .route("/api/choose", post(choose))
        .route("/api/insist", post(insist))
        .route("/api/zoom", post(zoom))
}

async fn session(State(shared): State<Arc<SharedSession>>) -> Result<wire::Session> {
    shared.with(describe).await.map(Json)
}

/// Changes the session, and goes on to what is asked next.
pub(super) async fn change(
    shared: Arc<SharedSession>,
    work: impl FnOnce(&mut Session) -> std::result::Result<(), Failure> + Send + 'static,
) -> Result<wire::Session> {
    shared
        .with(move |dialogue, shared| {
            work(&mut dialogue.session)?;
            dialogue.advance()?;
            shared.notify_pages();
            describe(dialogue, shared)
        })
        .await
        .map(Json)
}

/// Lets oracles say more, if they may have more to say.
async fn advance(State(shared): State<Arc<SharedSession>>) -> Result<wire::Session> {
    shared
        .with(|dialogue, shared| {
            if let Reached::Advancing = dialogue.reached() {
                dialogue.advance()?;
                shared.notify_pages();
            }
            describe(dialogue, shared)
        })
        .await
        .map(Json)
}

/// What was said, as an answer; none takes back what was said before.
fn meant(session: &Session, said: AnswerRequest) -> std::result::Result<Option<Answer>, Failure> {
    if said.answer == BACK && said.instead {
        return Ok(None);
    }
    let kind = AnswerKind::plain(&said.answer)
        .ok_or_else(|| Failure::Bad(format!("{} is no answer", said.answer)))?;
    let nothing = || Failure::Missing("code here that could be trusted as a whole".into());
    let mut answer = session.answer_of(&said.subject.into(), kind, None).ok_or_else(nothing)?;
    if let Answer::Wrong { because, missing, expected } = &mut answer {
        (*because, *missing, *expected) = (said.because, said.missing, said.expected);
    }
    Ok(Some(answer))
}

/// Takes back what was said.
const BACK: &str = "back";

async fn answer(
    State(shared): State<Arc<SharedSession>>,
    Json(said): Json<AnswerRequest>,
) -> Result<wire::Session> {
    if said.missing.is_some() {
        super::origins::prepare(&shared).await?;
    }
    change(shared, move |session| {
        let (subject, instead): (Subject, bool) = (said.subject.into(), said.instead);
        if said.asked && session.pending() != Some(subject) {
            return Err(Failure::Outdated);
        }
        let meant = meant(session, said)?;
        match meant {
            answer if instead => session.revise(subject, answer, Author::Person, now())?,
            Some(answer) => session.judge(subject, answer, Author::Person, now())?,
            None => {}
        }
        Ok(())
    })
    .await
}

async fn back_or_forth(
    State(shared): State<Arc<SharedSession>>,
    Json(said): Json<MoveRequest>,
) -> Result<wire::Session> {
    change(shared, move |session| {
        if said.undo { session.undo() } else { session.redo() }?;
        Ok(())
    })
    .await
}

async fn choose(
    State(shared): State<Arc<SharedSession>>,
    Json(said): Json<ChooseRequest>,
) -> Result<wire::Session> {
    change(shared, move |session| {
        let strategy: Strategy = said
            .strategy
            .parse()
            .map_err(|_| Failure::Bad(format!("no strategy is called {}", said.strategy)))?;
        let transforms = said.transforms.iter().map(|name| {
            name.parse::<Transform>().map_err(|_| Failure::Bad(format!("no transformation is called {name}")))
        });
        session.choose_by(strategy, transforms.collect::<std::result::Result<_, _>>()?);
        if session.is_plain() != said.plain {
            session.plain(said.plain)?;
        }
        Ok(())
    })
    .await
}

/// A verdict that is only likely does not end the search any more.
async fn insist(State(shared): State<Arc<SharedSession>>) -> Result<wire::Session> {
    change(shared, |session| Ok(session.insist()?)).await
}

async fn zoom(
    State(shared): State<Arc<SharedSession>>,
    Json(said): Json<ZoomRequest>,
) -> Result<wire::Session> {
    change(shared, move |session| {
        match said.number {
            Some(number) => {
                let call = known_call(session.past(), number)?;
                session.zoom(call);
            }
            None => session.zoom_out(),
        }
        Ok(())
    })
    .await
}
