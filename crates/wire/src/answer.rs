//! What was said: an answer that holds, and answers that do not go together.

use serde::{Deserialize, Serialize};
use session::Author;

use crate::subject::NamedSubject;

/// An answer that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GivenAnswer {
    #[serde(flatten)]
    pub about: NamedSubject,
    /// Its letter, as it is typed.
    pub answer: String,
    /// In words, with what was said about it.
    pub words: String,
    /// `user`, `rule`, `remembered`, `inferred`, `reference:DIR`, `tests:DIR`, `agent:NAME`
    pub by: String,
    /// The same in words.
    pub by_words: String,
    /// Milliseconds since 1970.
    pub at: u64,
}

/// Answers that do not go together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        }
    }
}

impl Contradiction {
    pub fn of(session: &session::Session, found: &session::Contradiction) -> Contradiction {
        let answers = found.answers.iter().filter_map(|&at| session.answers().get(at));
        Contradiction {
            why: words::clash(found.clash).to_owned(),
            answers: answers.map(|judged| GivenAnswer::of(session.past(), judged)).collect(),
        }
    }
}

/// Who answered, for programs.
pub fn by(author: &Author) -> String {
    match author {
        Author::Person => "user".to_owned(),
        Author::Rule => "rule".to_owned(),
        Author::Reference(place) => format!("reference:{place}"),
        Author::Tests(place) => format!("tests:{place}"),
        Author::Remembered => "remembered".to_owned(),
        Author::Inferred => "inferred".to_owned(),
        Author::Agent(name) => format!("agent:{name}"),
    }
}
