//! A dialogue as it stands, and what is said in it: the page's requests, and the lines of `inquest ask --json`.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::answer::{Contradiction, GivenAnswer};
use crate::omission::{Balloon, Omissions};
use crate::question::{AskedQuestion, LikelyPlace, Question};
use crate::report::{Report, TrustedPart};
use crate::subject::{NamedSubject, Subject};

/// `GET session`, and the answer of every request that changes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Session {
    /// The version of all these types.
    pub version: u32,
    pub recording: Recording,
    /// The call in which the search began, and why there.
    pub symptom: NamedSubject,
    pub symptom_why: String,
    /// What failed, in one line; null where nothing failed by itself.
    pub symptom_line: Option<String>,
    #[cfg_attr(test, ts(type = "StrategyName"))]
    pub strategy: String,
    #[cfg_attr(test, ts(type = "TransformName[]"))]
    pub transforms: Vec<String>,
    /// The transformations are off.
    pub plain: bool,
    /// The program may still be running.
    pub live: bool,
    /// Nodes of the tree mean the same as long as this is the same.
    pub generation: u64,
    pub question: Option<AskedQuestion>,
    pub verdict: Option<Verdict>,
    /// Oracles have more to say before a person is asked: `POST advance` lets them.
    pub advancing: bool,
    /// The last of the answers that hold, the first first.
    pub answers: Vec<GivenAnswer>,
    /// How many there are.
    pub answered: usize,
    /// How many of them a person gave.
    pub asked: usize,
    pub can_undo: bool,
    pub can_redo: bool,
    /// Why the tree is not transformed as it was asked for, or a program is not asked any more.
    pub note: Option<String>,
    /// What the last answer that missed something found.
    pub missing: Option<Omissions>,
    /// Why it found nothing.
    pub missing_failed: Option<String>,
    /// Why what is said is not kept for other sessions.
    pub forgets: Option<String>,
    pub contradictions: Vec<Contradiction>,
    /// The number of the call that is looked into, statement by statement.
    pub zoomed: Option<u64>,
    /// The news, as they are counted by `live`, that are in this.
    pub news: u64,
}

/// The recording that a dialogue is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Recording {
    /// Its folder's name; with the folder around it for one JVM among several.
    pub name: String,
    pub path: String,
    /// What was run.
    pub command: Vec<String>,
    /// What the program returned, if it ended.
    pub exit: Option<i32>,
    pub events: u64,
    pub calls: u64,
    pub threads: usize,
    pub last_time: u64,
    /// Damaged places.
    pub damaged: usize,
    /// Thousandths of the run that are looked at, while it is not all of it: the numbers are of these.
    pub looked_at: Option<u32>,
}

/// How a dialogue ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Outcome {
    /// The guilty code is known.
    Buggy,
    /// Nothing under the root is wrong.
    Correct,
    /// Only what nobody could judge is left.
    Suspects,
    /// What is left has not ended yet.
    Running,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Verdict {
    pub verdict: Outcome,
    /// For `buggy`: whether that is certain, and how likely it is if not.
    pub certain: bool,
    pub probability: Option<f64>,
    /// Why it is not certain.
    pub doubt: Option<String>,
    /// For `buggy`.
    pub report: Option<Report>,
    /// For `suspects`: what is left.
    pub suspects: Vec<NamedSubject>,
    /// For `suspects`: what would make it certain, where only evidence is lacking.
    pub lacking: Option<String>,
}

/// Body of `POST answer`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct AnswerRequest {
    /// What it is about: what is asked now, or anything else.
    pub subject: Subject,
    /// The letter of an answer that nothing has to be said with; `back` takes back what was said, with `instead`.
    pub answer: String,
    /// With `n`: the location whose value is wrong.
    pub because: Option<String>,
    /// With `n`: the location to which something should have happened.
    pub missing: Option<String>,
    /// With `n`: what should have come out.
    pub expected: Option<String>,
    /// The page believes that this is what is asked now.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub asked: bool,
    /// It takes the place of what was said about it before.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub instead: bool,
}

/// Body of `POST move`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MoveRequest {
    /// Take back what was said last; otherwise say it again.
    pub undo: bool,
}

/// Body of `POST choose`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChooseRequest {
    #[cfg_attr(test, ts(type = "StrategyName"))]
    pub strategy: String,
    #[cfg_attr(test, ts(type = "TransformName[]"))]
    pub transforms: Vec<String>,
    /// Transformations off.
    pub plain: bool,
}

/// Body of `POST zoom`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ZoomRequest {
    /// A guilty call, to be looked into statement by statement; null: back to calls. That is to be said, too.
    #[serde(deserialize_with = "Option::deserialize")]
    pub number: Option<u64>,
}

/// A line of `inquest ask --json`: which of them it is, its first field says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AskLine {
    Answered(Box<AnswerLine>),
    Verdict(Box<VerdictLine>),
    /// An answer was taken back, or said again.
    Moved {
        moved: Moved,
    },
    /// More about the question.
    More {
        more: Box<Question>,
    },
    Contradiction {
        contradiction: Contradiction,
    },
    /// Something to know.
    Note {
        note: String,
    },
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AnswerLine {
    pub question: Question,
    /// For an open question: what is likeliest to be wrong, the likeliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<Vec<LikelyPlace>>", optional))]
    pub places: Vec<LikelyPlace>,
    /// The letter of the answer; null if the answers ran out before.
    pub answer: Option<String>,
    /// Who answered, as in `GivenAnswer`.
    pub by: Option<String>,
    /// What a program said about why, and how sure it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub reliability: Option<f64>,
    /// With an answer that missed something: what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub missing: Option<Vec<Balloon>>,
    /// Why nothing was found, or why an answer was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub note: Option<String>,
    /// Where a program drives the dialogue, one line out for one line in: what became of its answer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub previous: Option<Previous>,
}

/// What became of an answer, with the next line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Previous {
    /// What was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The letter of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// It was taken back, or said again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// With an answer that missed something: what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<Balloon>>,
    /// Why nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// It does not go together with others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<Contradiction>,
}

/// The last line of a dialogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct VerdictLine {
    pub verdict: Outcome,
    /// For `buggy`: whether that is certain, and how likely it is if not.
    #[serde(default)]
    pub certain: bool,
    #[serde(default)]
    pub probability: Option<f64>,
    /// The guilty call, its method, file and lines.
    pub call: Option<String>,
    pub number: Option<u64>,
    pub method: Option<String>,
    pub file: Option<String>,
    pub lines: Vec<u32>,
    /// Those of the lines that what came out wrong depends on.
    pub likely: Vec<u32>,
    /// Those of which nobody can say whether it depends on them.
    pub unsure: Vec<u32>,
    /// The lines that made what came out wrong, the likeliest first.
    pub made: Vec<u32>,
    /// Questions that a person answered.
    pub questions: usize,
    /// All answers that hold.
    pub answers: usize,
    /// For `suspects`: what is left.
    pub suspects: Vec<NamedSubject>,
    /// For `suspects`: what would make it certain, where only evidence is lacking.
    pub lacking: Option<String>,
    /// What was called there and nobody judged: the defect may lie in it as well.
    pub trusted: Vec<TrustedPart>,
    /// Where else the defect may be, each to follow on "or": calls that kept what others changed, calls before all that was looked at.
    #[serde(default)]
    pub elsewhere: Vec<String>,
    /// Why what is missing could not be looked for.
    pub missing_failed: Option<String>,
    /// As in `AnswerLine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub previous: Option<Previous>,
}

/// Which way an answer was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Moved {
    Undo,
    Redo,
}

impl AnswerLine {
    /// A question that has no answer yet.
    pub fn open(question: Question) -> AnswerLine {
        AnswerLine {
            question,
            places: Vec::new(),
            answer: None,
            by: None,
            why: None,
            reliability: None,
            missing: None,
            note: None,
            previous: None,
        }
    }
}

impl From<&session::Verdict> for Outcome {
    fn from(outcome: &session::Verdict) -> Outcome {
        match outcome {
            session::Verdict::Buggy(_) => Outcome::Buggy,
            session::Verdict::Correct => Outcome::Correct,
            session::Verdict::Suspects(_) => Outcome::Suspects,
            session::Verdict::Running => Outcome::Running,
        }
    }
}

/// What is left, if that is how a dialogue ended.
pub fn suspects(session: &session::Session, outcome: &session::Verdict) -> Vec<NamedSubject> {
    let session::Verdict::Suspects(left) = outcome else { return Vec::new() };
    let mut seen = HashSet::new();
    let named = left.iter().map(|left| NamedSubject::of(session.past(), left));
    named.filter(|suspect| seen.insert((suspect.call.clone(), suspect.line))).collect()
}

impl Recording {
    pub fn of(past: &past::Past) -> Recording {
        let manifest = past.manifest();
        let path = past.path();
        let part = |path: &std::path::Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let own = part(path).unwrap_or_default();
        let outer = path.parent().and_then(part).filter(|_| own.starts_with("jvm-"));
        Recording {
            name: outer.map_or(own.clone(), |outer| format!("{outer}/{own}")),
            path: path.display().to_string(),
            command: manifest.command.clone(),
            exit: manifest.exit,
            events: past.event_count(),
            calls: past.streams().iter().map(|&stream| u64::from(past.calls_in(stream))).sum(),
            threads: past.thread_count(),
            last_time: past.last_time().map_or(0, |time| time.0),
            damaged: past.flaws().damaged,
            looked_at: past.partial().map(|part| ((part.share() * 1000.0).ceil() as u32).min(999)),
        }
    }
}
