//! Values of variables, objects and their parts: at one moment, and at two side by side.

use serde::{Deserialize, Serialize};

/// `inquest state`: what a location or an object held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LocationState {
    pub location: String,
    pub time: u64,
    pub value: String,
    pub known: bool,
    /// Known only from what a library last showed of it.
    pub seen: bool,
    pub parts: Vec<StatePart>,
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StatePart {
    pub name: String,
    pub value: String,
    pub parts: Vec<StatePart>,
}

/// Body of `POST call/N/state`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StateRequest {
    /// The moment up to which; the call's end if there is none.
    pub to: Option<u64>,
    /// Fields as they are, and not what an object stands for.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub raw: bool,
    /// What is unfolded.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub open: Vec<OpenedObject>,
    /// All statics, and not only some.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub statics: bool,
}

/// An object that is open: the labels on the way to it, and the first part to show.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OpenedObject {
    pub path: Vec<String>,
    #[serde(default)]
    pub skip: usize,
}

/// The variables of a call at two moments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallState {
    pub from: u64,
    pub to: u64,
    /// It is the call's end.
    pub whole: bool,
    pub rows: Vec<StateRow>,
    pub statics: Vec<StateRow>,
    pub more_statics: usize,
    /// There may be statics that are not known.
    pub statics_cut: bool,
}

/// A variable or a part of an object, at two moments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StateRow {
    pub label: String,
    pub role: StateRole,
    /// As `history` and `slice` take it.
    pub location: Option<String>,
    pub before: Option<StateSide>,
    pub after: Option<StateSide>,
    pub mark: StateMark,
    /// Parts that can be opened.
    pub total: u64,
    /// Parts before the first of `rows`.
    pub skip: usize,
    /// The parts, if it is open.
    pub rows: Option<Vec<StateRow>>,
}

/// What a row of the state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum StateRole {
    This,
    Argument,
    Local,
    Result,
    Thrown,
    Static,
    Part,
}

/// How the two moments compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum StateMark {
    Same,
    /// It holds another value.
    Changed,
    /// It holds the same object, and something in there is another.
    Within,
    /// What it held is not known on one side.
    Maybe,
    /// It holds the same object, and not all that is in there could be looked at.
    MaybeWithin,
    New,
    Gone,
}

/// What is shown of a value at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StateSide {
    pub text: String,
    pub state: SideState,
    /// The object that it holds, by its name.
    pub object: Option<String>,
    /// Known only from what a library last showed of it.
    pub seen: bool,
    /// Characters of a text that is longer than what is shown.
    pub chars: Option<u32>,
}

/// Is there a value?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SideState {
    Set,
    Unset,
    OutOfScope,
    Unknown,
}

/// Parameters of `GET text`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct TextQuery {
    pub location: String,
    pub at: Option<String>,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub skip: usize,
    pub count: Option<usize>,
}

/// A part of a long text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TextPart {
    pub text: String,
    /// Characters before it.
    pub skip: usize,
    /// Characters that are recorded.
    pub recorded: usize,
    /// Of the text in the program, in UTF-16 units.
    pub chars: u32,
    /// Only its beginning is recorded.
    pub cut: bool,
}

/// Parameters of `GET change`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ChangeQuery {
    /// The object at the two moments.
    pub before: Option<String>,
    pub after: Option<String>,
    pub from: u64,
    pub to: u64,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub raw: bool,
    /// The part from which on, or before which.
    pub index: usize,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub back: bool,
}

/// The next part of an object that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChangedPart {
    pub index: Option<u64>,
    /// Not all parts could be looked at.
    pub cut: bool,
}
