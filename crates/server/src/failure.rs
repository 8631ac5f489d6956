//! What a request can fail with, as the page is told: `{"error": …}` with what can be done about
//! it, or `{"waiting": …}` as long as there is no session yet.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use wire::{Refusal, Waiting};

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Session(#[from] session::Error),
    #[error(transparent)]
    Past(#[from] past::Error),
    #[error(transparent)]
    Analysis(#[from] analysis::Error),
    #[error("{0}")]
    Bad(String),
    #[error("there is no {0}")]
    Missing(String),
    /// Another page answered in between, or the tree changed.
    #[error("the question has changed since: look at it again")]
    Outdated,
    /// There is no session yet.
    #[error("{0}")]
    Waiting(String),
    #[error("the server failed at this request; the recording and all answers are as they were")]
    Broken,
}

pub type Result<T> = std::result::Result<Json<T>, Failure>;

impl Failure {
    fn code(&self) -> StatusCode {
        use session::Error;
        match self {
            Failure::Bad(_) => StatusCode::BAD_REQUEST,
            Failure::Past(error) | Failure::Session(Error::Past(error)) => asked(error.is_of_files()),
            Failure::Analysis(error) | Failure::Session(Error::Analysis(error)) => asked(error.is_of_files()),
            Failure::Missing(_)
            | Failure::Session(Error::Nothing | Error::NoRule(_) | Error::NoSymptom { .. }) => {
                StatusCode::NOT_FOUND
            }
            Failure::Outdated | Failure::Session(Error::NothingTo(_)) => StatusCode::CONFLICT,
            // Nothing has failed: it is only not there yet.
            Failure::Waiting(_) => StatusCode::ACCEPTED,
            // The disk is full, or the folder cannot be written to.
            Failure::Session(Error::Journal { .. }) => StatusCode::INSUFFICIENT_STORAGE,
            Failure::Session(_) | Failure::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// What the disk or the recording's files do is not the fault of whoever asks, and to ask otherwise does not help.
fn asked(by_files: bool) -> StatusCode {
    if by_files { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::BAD_REQUEST }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if let Failure::Waiting(why) = &self {
            return (self.code(), Json(Waiting { waiting: why.clone() })).into_response();
        }
        let kept = match &self {
            Failure::Session(session::Error::Journal { .. }) => "; this was not kept, try again",
            _ => "",
        };
        error_response(self.code(), &format!("{self}{kept}"))
    }
}

/// A refusal in the form that the page expects.
pub fn error_response(code: StatusCode, text: &str) -> Response {
    (code, Json(Refusal { error: text.to_owned() })).into_response()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn what_the_disk_does_is_not_told_as_a_mistake_of_whoever_asks() {
        let unreadable =
            || trace::Error::Read { path: "chunks-000.inq".into(), source: io::Error::other("bad sector") };
        let past = || past::Error::from(unreadable());
        let typed = || past::Error::Path("`x` is no array".to_owned());
        for (failure, code) in [
            (Failure::from(past()), 500),
            (Failure::from(session::Error::from(past())), 500),
            (Failure::from(analysis::Error::Replay(3)), 500),
            (Failure::from(session::Error::from(analysis::Error::Replay(3))), 500),
            (Failure::from(typed()), 400),
            (Failure::from(session::Error::from(typed())), 400),
            (Failure::from(analysis::Error::Variable), 400),
        ] {
            assert_eq!(failure.code().as_u16(), code, "{failure}");
        }
    }
}
