//! What was said about a question, by whom and when.

mod kind;
mod reliability;

use serde::{Deserialize, Serialize};

use crate::subject::Subject;

pub use kind::{AnswerKind, AnswerRow, InputKind, Takes};
pub use reliability::Reliability;

/// What trust is given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustScope {
    Method,
    Class,
    Package,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Correct,
    /// `because`: the location whose value is wrong; `missing`: the one to which something should have happened;
    /// `expected`: what the result should have been, in the person's words.
    Wrong {
        because: Option<String>,
        missing: Option<String>,
        expected: Option<String>,
    },
    /// The code is believed to be right: all calls of it, not what it calls.
    Trust {
        scope: TrustScope,
        name: String,
    },
    /// This call should never have been made like this.
    Inadmissible,
    DontKnow,
}

impl Answer {
    /// As it is typed.
    pub fn letter(&self) -> &'static str {
        self.kind().letter()
    }

    /// Can it say where to look next?
    pub(crate) fn leads(&self) -> bool {
        matches!(self, Answer::Wrong { .. } | Answer::Inadmissible)
    }

    pub fn wrong() -> Answer {
        Answer::Wrong { because: None, missing: None, expected: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Author {
    Person,
    /// A rule of trust.
    Rule,
    /// A reference recording.
    Reference(String),
    /// The recording of passing tests.
    Tests(String),
    /// An assertion of the test that failed, before it did.
    Assertion,
    /// A program that answers questions, and how sure it is.
    Command {
        command: String,
        why: Option<String>,
        reliability: Reliability,
    },
    /// An earlier session.
    Remembered,
    /// Concluded from other answers.
    Inferred,
    Agent(String),
}

impl Author {
    /// Is the answer made of what is on the disk anyway?
    pub(crate) fn can_be_asked_again(&self) -> bool {
        match self {
            Author::Rule
            | Author::Reference(_)
            | Author::Tests(_)
            | Author::Assertion
            | Author::Remembered
            | Author::Inferred => true,
            // A program may take long, and say something else the next time.
            Author::Person | Author::Agent(_) | Author::Command { .. } => false,
        }
    }

    /// Is its word enough to blame somebody?
    pub(crate) fn is_sure(&self) -> bool {
        match self {
            Author::Command { reliability, .. } => reliability.is_full(),
            Author::Person
            | Author::Rule
            | Author::Reference(_)
            | Author::Tests(_)
            | Author::Assertion
            | Author::Remembered
            | Author::Inferred
            | Author::Agent(_) => true,
        }
    }
}

/// An answer with all that is kept of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub subject: Subject,
    pub answer: Answer,
    pub by: Author,
    /// Milliseconds since 1970.
    pub at: u64,
    /// Milliseconds that the person took, from when the question was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<u64>,
}

impl Judged {
    /// Does a person say of the same that it is right where somebody else says that it is wrong, or the other way round?
    pub(crate) fn is_overruled_by(&self, other: &Judged) -> bool {
        let judges = |answer: &Answer| match answer {
            Answer::Correct => Some(true),
            Answer::Wrong { .. } => Some(false),
            Answer::Trust { .. } | Answer::Inadmissible | Answer::DontKnow => None,
        };
        let opposed = judges(&self.answer).zip(judges(&other.answer)).is_some_and(|(one, two)| one != two);
        let person = other.by == Author::Person && self.by != Author::Person;
        person && self.subject == other.subject && opposed
    }

    /// Did somebody else than a person call it right? What follows from a person's word is that.
    pub(crate) fn is_oracles_right(&self) -> bool {
        self.answer == Answer::Correct && !matches!(self.by, Author::Person | Author::Inferred)
    }
}
