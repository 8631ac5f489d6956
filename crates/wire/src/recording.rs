//! What was recorded, and whether it is whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `inquest stats`: what was recorded. A folder of several recordings gives an array of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stats {
    pub dir: String,
    /// Nothing was counted: events and calls are reckoned from a part of the recording, objects and strings from their highest
    /// numbers.
    pub about: bool,
    /// Calls of program code.
    pub calls: u64,
    pub events: u64,
    /// How many events of each kind, without the kinds that did not occur.
    pub kinds: BTreeMap<String, u64>,
    pub threads: u64,
    pub objects: u64,
    /// Objects whose identity may be that of another one.
    pub doubtful: u64,
    pub strings: u64,
    /// Bytes of the chunk files.
    pub bytes: u64,
    /// Bytes before compression.
    pub raw_bytes: u64,
    pub complete: bool,
    /// Why recording stopped before the program's end.
    pub stopped: Option<String>,
    /// What the program returned.
    pub exit: Option<i32>,
    /// Milliseconds that the program's threads waited for the recorder.
    pub waited_ms: u64,
    /// Places where log and code did not fit.
    pub gaps: u64,
    pub degraded: Vec<Degraded>,
    /// `calls`, `heap`, `full`
    pub detail: String,
    pub scope: Scope,
    pub jvm: Jvm,
    pub command: Vec<String>,
    /// Milliseconds since 1970.
    pub started: u64,
    pub ended: Option<u64>,
}

/// What was recorded of all that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scope {
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    /// Code from these folders is the program's own.
    pub folders: Vec<String>,
    /// The jar that was started.
    pub main_jar: Option<String>,
}

/// The JVM that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Jvm {
    pub version: String,
    pub vendor: String,
    pub home: String,
    pub class_path: String,
    pub module_path: String,
}

/// A method that is recorded with less detail than the rest, or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Degraded {
    pub class: String,
    /// Name and descriptor; null for a whole class.
    pub method: Option<String>,
    pub why: String,
}

/// `inquest verify`: what is damaged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Verification {
    pub ok: bool,
    pub events: u64,
    pub damaged: Vec<Damage>,
    /// Places where log and code did not fit; the first ones are among the damaged.
    pub gaps: u64,
    pub unfinished: Vec<Unfinished>,
    pub complete: bool,
}

/// Something that is damaged: in a file, or where log and code do not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Damage {
    pub what: String,
    pub thread: Option<u32>,
    /// In a file: which, and where in it.
    pub file: Option<String>,
    pub offset: Option<u64>,
    /// In a log: after how many events of the thread, and at which place in the code.
    pub after_events: Option<u64>,
    pub place: Option<String>,
}

/// Calls of a thread that were open at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Unfinished {
    pub thread: u32,
    pub calls: u32,
}

/// `inquest simulate`: an array with a row for each strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Simulated {
    #[cfg_attr(test, ts(type = "StrategyName"))]
    pub strategy: String,
    /// Transformations with commas between them, or `none`.
    pub transform: String,
    pub nodes: u32,
    /// Questions on average and at most; null if playing took too long.
    pub mean: Option<f64>,
    pub max: Option<u32>,
    /// Bugs that were not found.
    pub unfound: u64,
    pub log2: f64,
}
