//! Code: the lines of a call's method, and what the call did on them.

use serde::{Deserialize, Serialize};

use crate::call::NamedValue;

/// `GET call/N/source`: the method of a call, and what the call did on its lines. For a call into a library, that of
/// the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Source {
    /// Whose method it is: the call, or what called it if it is a library's.
    pub call: String,
    pub number: u64,
    /// The line on which a library was called, if that is what was asked for.
    pub site: Option<u32>,
    /// Where the text is from; null if there is no source. `GET call/N/text` gives what it says.
    pub file: Option<String>,
    /// The source file by the class's own word.
    pub named: Option<String>,
    pub suspicious: Option<String>,
    /// The instructions, where there is no source.
    pub listing: Vec<Instruction>,
    /// Lines (or instructions) of the method, ascending.
    pub code: Vec<u32>,
    /// What is not among `lines` did not run.
    pub complete: bool,
    /// More can be known by asking for all.
    pub more: bool,
    /// The line of the last event up to the moment.
    pub current: Option<u32>,
    pub lines: Vec<LineRun>,
}

/// An instruction, where there is no source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Instruction {
    /// Where it is in the bytecode.
    pub bci: u32,
    pub line: Option<u16>,
    pub text: String,
}

/// What a call did on a line, or at an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LineRun {
    pub line: u32,
    /// How often control came to it.
    pub count: u64,
    /// How often up to the moment.
    pub until: u64,
    pub values: Vec<NamedValue>,
}

/// The source of a call in `inquest show --lines`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceLines {
    /// Where the text is from; null if there is no source.
    pub file: Option<String>,
    /// Lines are instructions.
    pub bytecode: bool,
    /// A reason not to believe that it is the source of what ran.
    pub suspicious: Option<String>,
    pub lines: Vec<SourceLine>,
}

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceLine {
    pub line: u32,
    pub text: String,
    /// How often something happened on it in this call.
    pub executed: u64,
    /// What was written on it last.
    pub values: Vec<NamedValue>,
}

/// Parameters of `GET call/N/source`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SourceQuery {
    pub at: Option<u64>,
    /// Look through the whole call, however long that takes.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub all: bool,
}

/// Parameters of `GET call/N/line`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LineQuery {
    pub line: u32,
    /// The moment after which, or before which, an event is wanted.
    pub at: Option<u64>,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub back: bool,
}

/// The next event on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LineEvent {
    pub time: Option<u64>,
    /// If there is no time: all of the call was looked through.
    pub sure: bool,
}
