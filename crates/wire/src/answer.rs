//! What was said: an answer that holds, and answers that do not go together.

use serde::{Deserialize, Serialize};
use session::Author;

use crate::subject::NamedSubject;

/// An answer that holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GivenAnswer {
    #[serde(flatten)]
    pub about: NamedSubject,
    /// Its letter, as it is typed.
    pub answer: String,
    /// In words, with what was said about it.
    pub words: String,
    /// `user`, `rule`, `remembered`, `inferred`, `assertion`, `reference:DIR`, `tests:DIR`, `command:CMD`, `agent:NAME`
    pub by: String,
    /// The same in words.
    pub by_words: String,
    /// Milliseconds since 1970.
    pub at: u64,
    /// What a program said about why, and how sure it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub reliability: Option<f64>,
}

/// Answers that do not go together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Contradiction {
    pub why: String,
    pub answers: Vec<GivenAnswer>,
}

impl GivenAnswer {
    pub fn of(past: &past::Past, judged: &session::Judged) -> GivenAnswer {
        GivenAnswer {
            about: NamedSubject::of(past, &judged.subject),
            answer: judged.answer.letter().to_owned(),
            words: words::answer(&judged.answer),
            by: by(&judged.by),
            by_words: words::author(&judged.by),
            at: judged.at,
            why: why(&judged.by),
            reliability: reliability(&judged.by),
        }
    }
}

impl Contradiction {
    pub fn of(session: &session::Session, found: &session::Contradiction) -> Contradiction {
        let given = |judged| GivenAnswer::of(session.past(), judged);
        Contradiction {
            why: words::clash(found.clash).to_owned(),
            answers: found.answers.iter().map(given).collect(),
        }
    }
}

/// What a program said about why it answered so.
pub fn why(author: &Author) -> Option<String> {
    match author {
        Author::Command { why, .. } => why.clone(),
        _ => None,
    }
}

/// How sure a program is, from 0 to 1.
pub fn reliability(author: &Author) -> Option<f64> {
    match author {
        Author::Command { reliability, .. } => Some(reliability.share()),
        _ => None,
    }
}

/// Who answered, for programs.
pub fn by(author: &Author) -> String {
    match author {
        Author::Person => "user".to_owned(),
        Author::Rule => "rule".to_owned(),
        Author::Reference(place) => format!("reference:{place}"),
        Author::Tests(place) => format!("tests:{place}"),
        Author::Assertion => "assertion".to_owned(),
        Author::Command { command, .. } => format!("command:{command}"),
        Author::Remembered => "remembered".to_owned(),
        Author::Inferred => "inferred".to_owned(),
        Author::Agent(name) => format!("agent:{name}"),
    }
}
