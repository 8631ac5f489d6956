//! What should have happened to an object and did not.

use serde::{Deserialize, Serialize};

use crate::place::SourcePlace;

/// `GET omissions`: what could have happened to an object and did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Omissions {
    /// What was asked about, by its name.
    pub object: String,
    pub time: u64,
    /// The most telling first.
    pub balloons: Vec<Balloon>,
    /// Operations that would only have read it, and are not shown.
    pub reads: usize,
    /// Operations of methods that were not wanted.
    pub hidden: usize,
    /// Why the answer may lack something.
    pub partial: Vec<String>,
    /// Why there is nothing to look for: such an object never changes.
    pub nothing: Option<String>,
    /// How often it was written after it was made, up to then.
    pub writes: u64,
    /// By which methods of the program most often.
    pub writers: Vec<Writer>,
}

/// A method that wrote to an object, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Writer {
    pub method: String,
    pub writes: u64,
}

/// One operation that was prevented at one place; `inquest omissions` gives an array of them. `file` and `line` are
/// where the operation is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Balloon {
    pub at: Prevention,
    /// `ArrayList@1.add(…)`
    pub operation: String,
    /// The name of the method that would have been called, as `--hide` takes it; null for other operations.
    pub called: Option<String>,
    /// The methods on the way from what was prevented to the operation.
    pub chain: Vec<String>,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// Other ways to the same operation, and other lines with it, that the same place prevented.
    pub ways: u64,
    /// How often it was prevented there.
    pub events: u64,
    /// It may have been more often.
    pub more: bool,
    /// When, the first ones.
    pub times: Vec<u64>,
    /// In which calls, by number.
    pub numbers: Vec<u64>,
    pub certainty: Certainty,
    pub extent: Extent,
    /// The way that was taken did something else to the same object: rather a choice than an omission.
    pub instead: bool,
}

/// What prevented something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Prevention {
    pub call: String,
    pub number: u64,
    pub time: u64,
    #[serde(flatten)]
    pub place: SourcePlace,
    pub kind: PreventionKind,
}

/// How something was prevented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum PreventionKind {
    Branch,
    Switch,
    LoopEnd,
    Return,
    Throw,
    /// Another method was called.
    Dispatch,
    /// Nobody calls it.
    Uncalled,
}

/// Would it have been this very object?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Certainty {
    Certain,
    Possible,
}

/// Was it never done in that call, or less often than it might have been?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Extent {
    Total,
    Partial,
}

/// Parameters of `GET omissions`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct OmissionsQuery {
    pub location: String,
    /// The moment; the end without one.
    pub at: Option<String>,
    /// What would only have read it is wanted, too.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub reads: bool,
    /// The call that somebody looks at who wrote the location.
    pub number: Option<u64>,
}

impl From<session::Missing> for Omissions {
    fn from(missing: session::Missing) -> Omissions {
        let writers = missing.writers.into_iter();
        Omissions {
            object: missing.object,
            time: missing.time,
            balloons: missing.balloons.into_iter().map(Into::into).collect(),
            reads: missing.reads,
            hidden: missing.hidden,
            partial: missing.partial.iter().map(words::incomplete).collect(),
            nothing: missing.unchangeable.as_deref().map(words::unchangeable),
            writes: missing.writes,
            writers: writers.map(|(method, writes)| Writer { method, writes }).collect(),
        }
    }
}

impl From<session::Balloon> for Balloon {
    fn from(balloon: session::Balloon) -> Balloon {
        let at = balloon.at;
        Balloon {
            at: Prevention {
                call: at.call,
                number: at.number,
                time: at.time,
                place: SourcePlace { file: at.file, line: at.line },
                kind: at.kind.into(),
            },
            operation: balloon.operation,
            called: balloon.called,
            chain: balloon.chain,
            place: SourcePlace { file: balloon.file, line: balloon.line },
            ways: balloon.ways,
            events: balloon.events,
            more: balloon.more,
            times: balloon.times,
            numbers: balloon.calls,
            certainty: match balloon.certainty {
                session::Certainty::Certain => Certainty::Certain,
                session::Certainty::Possible => Certainty::Possible,
            },
            extent: match balloon.extent {
                session::OmissionExtent::Total => Extent::Total,
                session::OmissionExtent::Partial => Extent::Partial,
            },
            instead: balloon.instead,
        }
    }
}

impl From<session::Prevention> for PreventionKind {
    fn from(kind: session::Prevention) -> PreventionKind {
        match kind {
            session::Prevention::Branch => PreventionKind::Branch,
            session::Prevention::Switch => PreventionKind::Switch,
            session::Prevention::LoopEnd => PreventionKind::LoopEnd,
            session::Prevention::Return => PreventionKind::Return,
            session::Prevention::Throw => PreventionKind::Throw,
            session::Prevention::Dispatch => PreventionKind::Dispatch,
            session::Prevention::Uncalled => PreventionKind::Uncalled,
        }
    }
}
