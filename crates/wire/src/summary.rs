//! How long a hunt took, and on what.

use serde::{Deserialize, Serialize};

/// `inquest ask --summary --json`: the last session about a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Summary {
    /// Where it began: a call, or the whole run.
    pub root: String,
    /// Milliseconds since 1970.
    pub began: u64,
    /// Milliseconds from the beginning to the last answer.
    pub lasted: u64,
    /// Milliseconds that persons took, as far as that is known.
    pub thought: u64,
    /// Questions that a person answered, what was taken back included.
    pub questions: usize,
    /// What it came to, as in `Outcome`; null while it goes on.
    pub verdict: Option<String>,
    /// In the order in which it was said.
    pub answers: Vec<TimedAnswer>,
}

/// An answer, and how long it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimedAnswer {
    /// The question on one line.
    pub text: String,
    pub call: String,
    /// Its letter, as it is typed.
    pub answer: String,
    /// As in `GivenAnswer`.
    pub by: String,
    /// Milliseconds since 1970.
    pub at: u64,
    /// Milliseconds from when the question was shown; null where that is not known.
    pub took: Option<u64>,
    /// It was not taken back.
    pub holds: bool,
}

impl From<&session::Summary> for Summary {
    fn from(summary: &session::Summary) -> Summary {
        let answers = summary.answers.iter().map(|given| TimedAnswer {
            text: words::listed(&given.question),
            call: given.question.call().to_owned(),
            answer: given.answer.letter().to_owned(),
            by: crate::answer::by(&given.by),
            at: given.at,
            took: given.took,
            holds: given.holds,
        });
        let persons = summary.answers.iter().filter(|given| given.by == session::Author::Person);
        Summary {
            root: summary.root.clone(),
            began: summary.began,
            lasted: summary.lasted(),
            thought: summary.thought().0,
            questions: persons.count(),
            verdict: summary.verdict.clone(),
            answers: answers.collect(),
        }
    }
}
