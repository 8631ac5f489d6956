//! One call: what it got and gave, where it is, and what it did.

use past::{CallInfo, Ending, KnownValue, Past, RenderLimits};
use serde::{Deserialize, Serialize};

use crate::place::SourcePlace;
use crate::source::SourceLines;

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NamedValue {
    pub name: String,
    pub value: String,
}

/// A location and what it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LocationValue {
    pub location: String,
    pub value: String,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum CallEnd {
    Returned,
    Threw,
    /// It had not ended when the recording did.
    Open,
}

/// A call with what it got and gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Call {
    /// `MergeSort.merge#3`
    pub call: String,
    pub number: u64,
    /// `MergeSort.merge`
    pub method: String,
    /// The object that it was called on.
    pub this: Option<String>,
    pub args: Vec<NamedValue>,
    /// Null for a call that gave nothing or did not return.
    pub result: Option<String>,
    pub thrown: Option<String>,
    pub finished: bool,
    pub ending: CallEnd,
    /// Calls that it made itself.
    pub children: u32,
    /// Events in it, those of its callees included.
    pub events: u64,
    /// Code of a library: believed to be right unless somebody says otherwise.
    pub trusted: bool,
    /// The thread by number.
    pub thread: u32,
    /// The times of its first and its last event.
    pub entry: u64,
    pub exit: u64,
}

/// `inquest tree`: a row for each call, in pre-order. `file` and `line` are where it was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallRow {
    #[serde(flatten)]
    pub call: Call,
    /// Calls around it, from where the tree begins.
    pub depth: u32,
    #[serde(flatten)]
    pub place: SourcePlace,
}

/// `inquest show`: a call with all that it read and changed. `file` and `line` are where its method is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ShownCall {
    #[serde(flatten)]
    pub call: Call,
    /// What it read that was there before.
    pub reads: Vec<LocationValue>,
    pub reads_complete: bool,
    pub changes: Vec<Change>,
    pub changes_complete: bool,
    /// How many objects it made.
    pub created: u64,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// Where it was called.
    pub called_at: Option<String>,
    /// With `--lines`: its source, with what ran.
    pub source: Option<SourceLines>,
}

/// A location that a call changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Change {
    pub location: String,
    pub before: String,
    pub after: String,
    /// First uses and bookkeeping, which nobody asks about: last.
    pub noise: bool,
}

/// `GET call/N`: a call and the calls around it. `file` and `line` are where it was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallDetails {
    #[serde(flatten)]
    pub call: Call,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The call on one line.
    pub text: String,
    pub thread_name: String,
    /// The calls around it, the outermost first; of a long path its two ends.
    pub path: Vec<NamedCall>,
    /// How many calls are left out in the path, after its first `outer`.
    pub skipped: usize,
    pub outer: usize,
    /// Locations that it changed, as far as they were counted; `more`: there may be more.
    pub changes: usize,
    pub more: bool,
}

/// A call by name and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NamedCall {
    pub call: String,
    pub number: u64,
}

impl Call {
    pub fn of(past: &Past, info: &CallInfo, limits: &RenderLimits) -> Call {
        let text = |value, descriptor: &str, time| {
            past.known_text(KnownValue::Value(value), descriptor, time, limits)
        };
        let arg = |arg: &past::Named| NamedValue {
            name: arg.name.clone(),
            value: text(arg.value, &arg.descriptor, info.entry),
        };
        let (result, thrown) = match info.ending {
            Ending::Open | Ending::Returned(None) => (None, None),
            Ending::Returned(Some(value)) => (Some(text(value, &info.result_descriptor, info.exit)), None),
            Ending::Threw(Some(value)) => (None, Some(text(value, "", info.exit))),
            Ending::Threw(None) => (None, Some("an unknown exception".to_owned())),
        };
        Call {
            call: info.name.clone(),
            number: info.id.number(),
            method: info.method.clone(),
            this: info.receiver.map(|receiver| text(receiver, "", info.entry)),
            args: info.args.iter().map(arg).collect(),
            result,
            thrown,
            finished: info.ending != Ending::Open,
            ending: match info.ending {
                Ending::Open => CallEnd::Open,
                Ending::Returned(_) => CallEnd::Returned,
                Ending::Threw(_) => CallEnd::Threw,
            },
            children: info.children,
            events: info.events,
            trusted: info.library,
            thread: info.id.stream.0,
            entry: info.entry.0,
            exit: info.exit.0,
        }
    }
}

impl CallRow {
    pub fn of(past: &Past, info: &CallInfo, depth: u32, limits: &RenderLimits) -> CallRow {
        CallRow { call: Call::of(past, info, limits), depth, place: info.site.as_ref().into() }
    }
}

impl NamedCall {
    pub fn of(past: &Past, call: past::CallId) -> NamedCall {
        NamedCall { call: past.call_name(call), number: call.number() }
    }
}
