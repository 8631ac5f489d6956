//! What a page says: answers, what is taken back, and how questions are chosen. Each request answers with the session
//! as it is then.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use session::{Answer, AnswerKind, Author, Session, Strategy, Subject, Transform};

use super::told::{SessionJson, tell};
use crate::desk::{Desk, now};
use crate::failure::{Failure, Result};

pub async fn session(State(desk): State<Arc<Desk>>) -> Result<SessionJson> {
    desk.with(tell).await.map(Json)
}

#[derive(Deserialize)]
pub struct Said {
    /// What it is about: what is asked now, or anything else.
    subject: Subject,
    /// The letter of an answer that nothing has to be said with; `back` takes back what was said, with `instead`.
    answer: String,
    because: Option<String>,
    missing: Option<String>,
    expected: Option<String>,
    /// The page believes that this is what is asked now.
    #[serde(default)]
    asked: bool,
    /// It takes the place of what was said about it before.
    #[serde(default)]
    instead: bool,
}

/// What was said, as an answer; none takes back what was said before.
fn meant(session: &Session, said: Said) -> std::result::Result<Option<Answer>, Failure> {
    if said.answer == BACK && said.instead {
        return Ok(None);
    }
    let kind = AnswerKind::plain(&said.answer)
        .ok_or_else(|| Failure::Bad(format!("{} is no answer", said.answer)))?;
    let nothing = || Failure::Missing("code here that could be trusted as a whole".into());
    let mut answer = session.answer_of(&said.subject, kind, None).ok_or_else(nothing)?;
    if let Answer::Wrong { because, missing, expected } = &mut answer {
        (*because, *missing, *expected) = (said.because, said.missing, said.expected);
    }
    Ok(Some(answer))
}

/// Takes back what was said.
const BACK: &str = "back";

pub async fn answer(State(desk): State<Arc<Desk>>, Json(said): Json<Said>) -> Result<SessionJson> {
    if said.missing.is_some() {
        super::origins::prepare(&desk).await?;
    }
    desk.with(move |session, desk| {
        if said.asked && session.pending() != Some(said.subject) {
            return Err(Failure::Outdated);
        }
        let (subject, instead) = (said.subject, said.instead);
        let meant = meant(session, said)?;
        match meant {
            answer if instead => session.revise(subject, answer, Author::Person, now())?,
            Some(answer) => session.judge(subject, answer, Author::Person, now())?,
            None => {}
        }
        desk.touch();
        tell(session, desk)
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct Move {
    undo: bool,
}

pub async fn back_or_forth(State(desk): State<Arc<Desk>>, Json(said): Json<Move>) -> Result<SessionJson> {
    desk.with(move |session, desk| {
        if said.undo { session.undo() } else { session.redo() }?;
        desk.touch();
        tell(session, desk)
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct Choose {
    strategy: String,
    transforms: Vec<String>,
    plain: bool,
}

pub async fn choose(State(desk): State<Arc<Desk>>, Json(said): Json<Choose>) -> Result<SessionJson> {
    desk.with(move |session, desk| {
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
        desk.touch();
        tell(session, desk)
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct Zoom {
    /// None: back from statements to calls. That is to be said, too.
    #[serde(deserialize_with = "Option::deserialize")]
    call: Option<u64>,
}

pub async fn zoom(State(desk): State<Arc<Desk>>, Json(said): Json<Zoom>) -> Result<SessionJson> {
    desk.with(move |session, desk| {
        match said.call {
            Some(call) => {
                let call = super::known_call(session.past(), call)?;
                session.zoom(call);
            }
            None => session.zoom_out(),
        }
        desk.touch();
        tell(session, desk)
    })
    .await
    .map(Json)
}
