//! Events: what happened, one after the other.

use past::{Action, CallId, Location, Past, Position, RenderLimits, ShownEvent, SourceLine, Time, Touch};
use serde::{Deserialize, Serialize};

use crate::call::{CallRow, LocationValue, NamedCall};
use crate::place::SourcePlace;

/// Something that happened: `inquest events` gives an array of them, `inquest step` one or null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Event {
    pub time: u64,
    /// What happened by itself, or `output` for a call that prints, `seen` for a value that was only seen.
    #[cfg_attr(test, ts(type = "EventName | \"output\" | \"seen\""))]
    pub kind: String,
    pub text: String,
    /// The text without the word for its kind, where it begins with one.
    pub details: String,
    /// The call of program code in which it happened.
    pub call: Option<String>,
    pub number: Option<u64>,
    /// Open calls of program code.
    pub depth: u32,
    /// What was written.
    pub location: Option<String>,
    /// The call that begins here.
    pub child: Option<ChildCall>,
    #[serde(flatten)]
    pub place: SourcePlace,
}

/// A call that begins with an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChildCall {
    pub call: String,
    pub number: u64,
    /// Calls in it, itself included: they have the numbers from its own on.
    pub calls: u32,
    pub events: u64,
    /// When it ended.
    pub until: u64,
}

/// A row of an event list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventRow {
    #[serde(flatten)]
    pub event: Event,
    /// Unfolded calls around it.
    pub level: u32,
    /// The events of the call that begins here follow.
    pub unfolded: bool,
    /// What was read for it.
    pub reads: Vec<LocationValue>,
    /// What it did to the location that was asked about.
    pub mark: Option<EventMark>,
    /// In which role the object that was asked about took part.
    pub role: Option<String>,
}

/// What an event did to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum EventMark {
    Changed,
    Within,
}

/// Rows around a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventRows {
    pub rows: Vec<EventRow>,
    /// How many of them are before the moment.
    pub before: usize,
    /// The rows begin with the first one, and end with the last one there is.
    pub first: bool,
    pub last: bool,
    /// The first and the last moment of the whole list.
    pub from: u64,
    pub to: u64,
    /// The name of what was asked about, if there is such a thing.
    pub about: Option<String>,
    /// The object whose part that is.
    pub part_of: Option<String>,
}

/// `GET call/N/events`: a call's own events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Events {
    pub events: Vec<Event>,
    pub more: bool,
}

/// Parameters of `GET call/N/events`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct EventsQuery {
    pub from: Option<u64>,
    pub count: Option<usize>,
}

/// Parameters of `GET call/N/rows`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct EventRowsQuery {
    /// The moment; the call's beginning if there is none.
    pub at: Option<u64>,
    pub before: Option<usize>,
    pub after: Option<usize>,
    /// Numbers of calls that are unfolded, with commas between them.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional = nullable))]
    pub unfolded: String,
    /// What is to be marked where it changed.
    pub location: Option<String>,
}

/// Parameters of `GET about`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct AboutQuery {
    pub location: String,
    /// In which call and when the name is meant.
    pub number: Option<u64>,
    pub meant: Option<String>,
    pub at: Option<u64>,
    pub before: Option<usize>,
    pub after: Option<usize>,
}

/// Parameters of `GET step`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StepQuery {
    pub time: u64,
    pub direction: StepDirection,
    /// For `next-write` and `last-write`.
    pub location: Option<String>,
}

/// From one event to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum StepDirection {
    Into,
    Over,
    Out,
    BackInto,
    BackOver,
    BackOut,
    NextWrite,
    LastWrite,
    Thrown,
}

/// What `inquest find` finds: calls, or events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Match {
    Call(Box<CallMatch>),
    Event(EventMatch),
}

/// A call that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallMatch {
    #[serde(flatten)]
    pub row: CallRow,
    /// What of it matches.
    #[serde(rename = "match")]
    pub why: String,
}

/// An event that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventMatch {
    pub time: u64,
    pub kind: MatchKind,
    /// Null for output that is not known.
    pub text: Option<String>,
    /// What was written.
    pub location: Option<String>,
    /// The call in which it happened; for output the call of program code that printed it.
    pub call: Option<String>,
    pub number: Option<u64>,
    /// The call into the library that printed it, for output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub printer: Option<String>,
    #[serde(flatten)]
    pub place: SourcePlace,
}

/// What an event that was found did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum MatchKind {
    Write,
    Throw,
    Output,
}

/// A line of `inquest dump --json`: an event as it was recorded, with what no list of events shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RecordedEvent {
    pub thread: u32,
    pub depth: u32,
    #[cfg_attr(test, ts(type = "EventName"))]
    pub kind: String,
    /// `Class.method:line`
    pub place: Option<String>,
    /// It happened in code of a library.
    pub library: bool,
    pub text: String,
}

impl ChildCall {
    pub fn of(past: &Past, child: CallId) -> Option<ChildCall> {
        let row = past.call_row(child)?;
        let until = past.time(Position { stream: child.stream, ordinal: row.exit })?;
        Some(ChildCall {
            call: past.call_name(child),
            number: child.number(),
            calls: row.size,
            events: row.exit - row.entry + 1,
            until: until.0,
        })
    }
}

/// Makes events of a list, most of which happened in the same call: its name is looked up once.
pub struct EventMaker<'p> {
    past: &'p Past,
    last: Option<NamedCall>,
}

/// What an event is made of, whoever found it.
struct Found<'e> {
    time: Time,
    position: Position,
    kind: &'static str,
    action: &'e Action,
    /// The call in which it happened.
    call: Option<CallId>,
    depth: u32,
    child: Option<CallId>,
    location: Option<&'e Location>,
    place: Option<&'e SourceLine>,
}

impl<'p> EventMaker<'p> {
    pub fn new(past: &'p Past) -> EventMaker<'p> {
        EventMaker { past, last: None }
    }

    pub fn event(&mut self, event: &ShownEvent) -> Event {
        let found = Found {
            time: event.time,
            position: event.position,
            kind: event.kind,
            action: &event.action,
            call: self.past.stepping_in(event.position),
            depth: event.depth,
            child: event.child,
            location: event.location.as_ref(),
            place: event.place.as_ref(),
        };
        self.make(found, &words::LIST)
    }

    pub fn touch(&mut self, touch: &Touch) -> Event {
        let found = Found {
            time: touch.time,
            position: touch.position,
            kind: touch.kind,
            action: &touch.action,
            call: touch.call,
            depth: 0,
            child: touch.child,
            location: touch.location.as_ref(),
            place: touch.place.as_ref(),
        };
        self.make(found, &words::TOUCH)
    }

    fn make(&mut self, found: Found<'_>, limits: &RenderLimits) -> Event {
        let past = self.past;
        let words = words::event(past, found.action, found.time, limits);
        let call = found.call.and_then(|call| past.program_call(call)).map(|call| self.named(call));
        let prints = found.kind == "call" && past.prints(found.position);
        Event {
            time: found.time.0,
            kind: if prints { "output" } else { found.kind }.to_owned(),
            text: words.to_string(),
            details: words.details,
            number: call.as_ref().map(|call| call.number),
            call: call.map(|call| call.call),
            depth: found.depth,
            location: found.location.map(|location| past.location_name(location)),
            child: found.child.and_then(|child| ChildCall::of(past, child)),
            place: found.place.into(),
        }
    }

    fn named(&mut self, call: CallId) -> NamedCall {
        match &self.last {
            Some(last) if last.number == call.number() => last.clone(),
            _ => self.last.insert(NamedCall::of(self.past, call)).clone(),
        }
    }
}
