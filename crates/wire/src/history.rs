//! Every write to a location.

use past::{CallId, HistoryEntry, KnownValue, Manner, Past, RenderLimits};
use serde::{Deserialize, Serialize};

use crate::place::SourcePlace;

/// A write: `inquest history` gives an array of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Write {
    pub time: u64,
    pub value: String,
    pub known: bool,
    pub manner: WriteManner,
    /// The call that wrote it; for a library's write, the innermost call that is recorded.
    pub call: Option<String>,
    pub number: Option<u64>,
    /// The class of the call's method.
    pub class: Option<String>,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The thread by number.
    pub thread: u32,
    pub location: String,
}

/// A write to a stream, writer, builder or buffer: `inquest history` of one gives an array of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SinkWrite {
    pub time: u64,
    /// In words: `appended "01"`.
    pub value: String,
    /// Nothing of it is unknown.
    pub known: bool,
    /// What was done: `appended`, `printed` …
    pub manner: String,
    /// What was written, if all of it is one text.
    pub text: Option<String>,
    /// What it holds afterwards, if that is known.
    pub content: Option<String>,
    /// The call of program code that did it.
    pub call: Option<String>,
    pub number: Option<u64>,
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The thread by number.
    pub thread: u32,
    pub location: String,
}

/// How a value got there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum WriteManner {
    /// An instruction of the program wrote it.
    Written,
    /// Code of a library wrote it.
    Library,
    /// It was seen to be so: who wrote it, and when exactly, is not known.
    Seen,
    /// With the object's creation.
    Created,
}

/// `GET history`: some of the writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct History {
    /// By its own name, which means the same at every moment.
    pub location: String,
    pub entries: Vec<Write>,
    /// There are earlier ones.
    pub earlier: bool,
    /// There are later ones.
    pub more: bool,
}

/// Parameters of `GET history`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct HistoryQuery {
    pub location: String,
    /// The moment at which a path is followed.
    pub at: Option<String>,
    /// The moment around which writes are wanted: the last ones up to it and the first ones behind it. Without one,
    /// from the beginning.
    pub around: Option<u64>,
    pub before: Option<usize>,
    pub after: Option<usize>,
}

impl Write {
    pub fn of(past: &Past, location: &past::Location, entry: &HistoryEntry, limits: &RenderLimits) -> Write {
        Write {
            time: entry.time.0,
            value: past.known_text(entry.value, &past.descriptor(location), entry.time, limits),
            known: entry.value != KnownValue::Unknown,
            manner: entry.manner.into(),
            call: entry.call.map(|call| past.call_name(call)),
            number: entry.call.map(CallId::number),
            class: entry.call.and_then(|call| past.call_parts(call)).map(|(method, _)| method.class),
            place: entry.place.as_ref().into(),
            thread: entry.position.stream.0,
            location: past.location_name(location),
        }
    }
}

impl From<Manner> for WriteManner {
    fn from(manner: Manner) -> WriteManner {
        match manner {
            Manner::Written => WriteManner::Written,
            Manner::ByLibrary => WriteManner::Library,
            Manner::Seen => WriteManner::Seen,
            Manner::Created => WriteManner::Created,
        }
    }
}
