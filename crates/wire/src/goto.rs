//! From what somebody types to a place in the recording.

use serde::{Deserialize, Serialize};

/// Parameters of `GET goto`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GotoQuery {
    /// A call, a time, a location, a part of a method's name.
    pub text: String,
}

/// `GET goto`: where that leads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GotoAnswer {
    /// What is called so; otherwise calls of methods that are called alike.
    pub places: Vec<GotoPlace>,
    /// Why there is no place of this name.
    pub why: Option<String>,
}

/// A place that is called so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GotoPlace {
    pub kind: GotoKind,
    /// What it is called.
    pub name: String,
    /// The call to go to.
    pub number: Option<u64>,
    pub time: Option<u64>,
    pub location: Option<String>,
    /// How many calls of this method there are, where it stands for them.
    pub calls: Option<u64>,
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum GotoKind {
    Call,
    Time,
    Location,
    Object,
}
