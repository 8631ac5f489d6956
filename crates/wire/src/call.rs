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
    pub reads: Vec<Read>,
    pub reads_complete: bool,
    pub changes: Vec<Change>,
    pub changes_complete: bool,
    /// Methods of libraries that it called and of which nobody knows what they did.
    pub unknown_effects: Vec<String>,
    /// Collections and arrays that it was given and keeps itself, and that somebody else changes later: `lines kept as
    /// Order.lines, not a copy: Cart.clear changes it later`.
    pub kept: Vec<String>,
    /// How many objects it made.
    pub created: u64,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// Where it was called.
    pub called_at: Option<String>,
    /// With `--lines`: its source, with what ran.
    pub source: Option<SourceLines>,
}

/// What a call changed: a location, or what a stream, writer or builder was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Change {
    pub location: String,
    /// Null where only what was written is known, not what it made of the whole.
    pub before: Option<String>,
    pub after: Option<String>,
    /// First uses and bookkeeping, which nobody asks about: last.
    pub noise: bool,
    /// What was done to it, and what was written, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub wrote: Option<WrittenText>,
    /// What another thread wrote there meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub meanwhile: Option<OtherWrite>,
}

/// The last write of another thread to a location while a call ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OtherWrite {
    /// Null for something in a collection, of which only the whole is shown.
    pub value: Option<String>,
    pub thread: String,
    /// The call that wrote it.
    pub number: Option<u64>,
    /// In words: `meanwhile 5 by thread quick`.
    pub told: String,
}

impl From<session::Meanwhile> for OtherWrite {
    fn from(other: session::Meanwhile) -> OtherWrite {
        OtherWrite {
            told: words::other_write(&other),
            value: other.value,
            thread: other.thread,
            number: other.call.map(past::CallId::number),
        }
    }
}

/// What was written to a stream, writer, builder or file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WrittenText {
    /// `appended`, `printed` …
    pub did: String,
    /// In words: `appended "01"`.
    pub told: String,
    /// The whole text, if all of it is one and known to the letter.
    pub text: Option<String>,
    pub bytes: Option<Vec<u8>>,
    /// What it leads to: the file, or the object around which it is.
    pub leads_to: Option<String>,
    /// Nothing of it is unknown.
    pub exact: bool,
    /// How many calls into the library wrote it.
    pub calls: u64,
    /// Another one of the list was written through it.
    pub through: bool,
}

/// What a call read: a location, or what came from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Read {
    /// For what came from outside, how it was asked for.
    pub location: String,
    pub value: String,
    /// Where it came from: `clock`, `chance`, `environment`, a file, an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub bytes: Option<Vec<u8>>,
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

impl Change {
    pub fn of(location: String, before: String, after: String) -> Change {
        Change { location, before: Some(before), after: Some(after), ..Change::default() }
    }

    pub fn written(past: &past::Past, wrote: &past::Wrote, limits: &past::RenderLimits) -> Change {
        let whole = past::RenderLimits { string: usize::MAX, ..past::RenderLimits::default() };
        let content =
            |content: &past::Content| past.pieces_text(&[content.clone().piece()], past::Time(0), &whole);
        let (before, after) = match &wrote.held {
            Some((before, after)) => (Some(content(before)), Some(content(after))),
            None => (None, None),
        };
        let written = WrittenText {
            did: wrote.verb.to_owned(),
            told: words::wrote(past, wrote, limits),
            text: whole_text(&wrote.pieces),
            bytes: whole_bytes(&wrote.pieces),
            leads_to: wrote.leads_to.clone(),
            exact: wrote.is_exact(),
            calls: wrote.count as u64,
            through: wrote.through,
        };
        Change {
            location: wrote.name.clone(),
            before,
            after,
            noise: false,
            wrote: Some(written),
            meanwhile: None,
        }
    }
}

impl Read {
    pub fn of(location: String, value: String) -> Read {
        Read { location, value, from: None, text: None, bytes: None }
    }

    /// What came from outside.
    pub fn taken(past: &past::Past, input: &past::Input, limits: &past::RenderLimits) -> Read {
        let from = match &input.origin {
            past::Origin::Object(object) => past.sink_name(&past::Sink::Object(*object), input.to),
            past::Origin::File(name) => name.clone(),
            past::Origin::Clock => "clock".to_owned(),
            past::Origin::Chance => "chance".to_owned(),
            past::Origin::Environment => "environment".to_owned(),
        };
        Read {
            location: input.asked.clone(),
            value: words::taken(past, input, limits),
            from: Some(from),
            text: whole_text(&input.taken),
            bytes: whole_bytes(&input.taken),
        }
    }
}

/// The whole text, if all of it is one and known to the letter.
pub fn whole_text(pieces: &[past::Written]) -> Option<String> {
    match pieces {
        [] => Some(String::new()),
        // A lone surrogate is no text for JSON; it stands escaped in what is told.
        [past::Written::Text(text)] => String::from_utf16(text).ok(),
        _ => None,
    }
}

fn whole_bytes(pieces: &[past::Written]) -> Option<Vec<u8>> {
    match pieces {
        [past::Written::Bytes(bytes)] => Some(bytes.clone()),
        _ => None,
    }
}
