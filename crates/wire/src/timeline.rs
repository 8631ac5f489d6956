//! The run from outside: threads with their calls as flames.

use serde::{Deserialize, Serialize};

/// `GET timeline`: a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Timeline {
    pub from: u64,
    pub to: u64,
    pub threads: Vec<TimelineThread>,
    /// Threads that are not given because there are so many.
    pub left_out: usize,
    /// Methods; flames have their places here.
    pub methods: Vec<TimelineMethod>,
}

/// A method that flames are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineMethod {
    /// `MergeSort.merge`
    pub method: String,
    /// `merge`
    pub name: String,
}

/// A thread on the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineThread {
    pub thread: u32,
    pub name: String,
    /// Calls that began in the stretch.
    pub calls: u32,
    /// The first level that is given.
    pub top: u32,
    pub flames: Vec<Flame>,
    pub crowds: Vec<Crowd>,
    pub throws: Vec<TimelineMark>,
    pub output: Vec<TimelineMark>,
}

/// A call that is long enough to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Flame {
    pub number: u64,
    /// Which of the timeline's methods it is of.
    pub method: usize,
    pub level: u32,
    pub from: u64,
    pub to: u64,
    /// Code of a library.
    pub trusted: bool,
    pub threw: bool,
}

/// Calls too short to be told apart: from when to when, on which levels (`deepest` is the last).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Crowd {
    pub from: u64,
    pub to: u64,
    pub level: u32,
    pub deepest: u32,
    pub calls: u32,
    /// The first of the calls.
    pub number: u64,
}

/// Something that was thrown or printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineMark {
    pub time: u64,
    /// The call of the program that it happened in.
    pub number: Option<u64>,
    /// How many there are so near together.
    pub count: usize,
}

/// `GET timeline/call/N`: where a call is on the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineCall {
    pub call: String,
    pub number: u64,
    pub thread: u32,
    pub level: u32,
    pub from: u64,
    pub to: u64,
}

/// `GET timeline/mark`: what was thrown or printed at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MarkText {
    pub text: String,
}

/// Parameters of `GET timeline`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct TimelineQuery {
    pub from: Option<u64>,
    pub to: Option<u64>,
    /// Columns: of one or a few pixels.
    pub width: Option<u32>,
    /// The first level that is wanted of one thread; of the others it is the outermost.
    pub thread: Option<u32>,
    pub top: Option<u32>,
}

/// Parameters of `GET timeline/mark`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MarkQuery {
    pub time: u64,
}
