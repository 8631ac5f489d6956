//! What happened to an object or a location in the whole run, from any moment on in both directions: creation, writes,
//! calls that got it or gave it, places where it was stored. All of it is looked up; nothing is replayed.

use index::{CallId, Position, PostingKind, RESULT, Time, TimedPosting};
use render::KnownValue;
use trace::{ObjectId, Value};

use crate::action::Action;
use crate::find::CallPart;
use crate::history::{HistoryEntry, Manner};
use crate::location::Location;
use crate::names::Pointed;
use crate::past::{Past, SourceLine};

/// One thing that happened to an object or a location, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    pub time: Time,
    pub position: Position,
    /// As of events: `call`, `return`, `field`, `element`, `static`, `local`, `bulk`, `new`, `seen`.
    pub kind: &'static str,
    pub action: Action,
    /// As what of a call it took part, in their order.
    pub parts: Vec<CallPart>,
    /// The call it happened in; for a call, the one that made it.
    pub call: Option<CallId>,
    pub child: Option<CallId>,
    pub location: Option<Location>,
    pub place: Option<SourceLine>,
}

/// Some of what happened, around a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touches {
    pub list: Vec<Touch>,
    /// How many of them are before the moment that was asked for.
    pub before: usize,
    pub is_first: bool,
    pub is_last: bool,
}

/// Locations that are told of one event that showed many.
const MAX_SEEN: usize = 8;
/// Postings that one event may leave: it is the receiver, several arguments, and is stored.
const PER_EVENT: usize = 8;

impl Past {
    /// What happened to it around a moment: at most `before` events before it, and `after` from it on.
    pub fn touches(&self, about: &Pointed, at: Time, before: usize, after: usize) -> Touches {
        self.stay_small();
        let (mut list, mut later) = match about {
            Pointed::Object(object) => self.object_touches(*object, at, before + 1, after + 1),
            Pointed::Location(location) => self.location_touches(location, at, before + 1, after + 1),
        };
        let is_first = list.len() <= before;
        list.drain(..list.len().saturating_sub(before));
        let is_last = later.len() <= after;
        later.truncate(after);
        let before = list.len();
        list.append(&mut later);
        Touches { list, before, is_first, is_last }
    }

    fn object_touches(
        &self,
        object: ObjectId,
        at: Time,
        before: usize,
        after: usize,
    ) -> (Vec<Touch>, Vec<Touch>) {
        let earlier = self.index.of_object_before(object, at, before.saturating_mul(PER_EVENT));
        let mut earlier = self.grouped(object, earlier.into_iter(), usize::MAX);
        earlier.drain(..earlier.len().saturating_sub(before));
        let from = at.0.checked_sub(1).map(Time);
        (earlier, self.grouped(object, self.index.of_object_since(object, from), after))
    }

    /// One for each event, however many postings it left.
    fn grouped(
        &self,
        object: ObjectId,
        found: impl Iterator<Item = TimedPosting>,
        limit: usize,
    ) -> Vec<Touch> {
        let mut list: Vec<Touch> = Vec::new();
        for found in found {
            let Some(touch) = self.touch(object, &found) else { continue };
            let full = list.len() == limit;
            match list.last_mut().filter(|last| last.time == touch.time) {
                Some(last) => match (last.parts.is_empty(), touch.parts.is_empty()) {
                    (false, false) if last.parts != touch.parts => last.parts.extend(touch.parts),
                    (true, true) if last.kind == "seen" => {
                        if let (Action::Hold(list), Action::Hold(more)) = (&mut last.action, touch.action)
                            && list.len() < MAX_SEEN
                        {
                            list.extend(more);
                        }
                    }
                    _ => {}
                },
                None if full => break,
                None => list.push(touch),
            }
        }
        list
    }

    fn touch(&self, object: ObjectId, found: &TimedPosting) -> Option<Touch> {
        let known = |value| if value == Value::Top { KnownValue::Unknown } else { KnownValue::Value(value) };
        let stream = found.position.stream;
        let (mut parts, mut child, mut location) = (Vec::new(), None, None);
        let (kind, action) = match found.posting.what {
            PostingKind::Used { call, part } => {
                let id = CallId { stream, index: call };
                parts.extend(self.call_part(id, part));
                child = (part != RESULT).then_some(id);
                (if part == RESULT { "return" } else { "call" }, Action::Call(id))
            }
            PostingKind::Read(Value::Top) => return None,
            PostingKind::Written(value) | PostingKind::Seen(value) | PostingKind::Read(value) => {
                let at = self.location(found.posting.key);
                let seen = !matches!(found.posting.what, PostingKind::Written(_));
                let kind = if seen { "seen" } else { kind_of(&at) };
                location = Some(at.clone());
                (kind, Action::Hold(vec![(at, known(value))]))
            }
            PostingKind::Stored(key) => {
                let at = self.location(key);
                location = Some(at.clone());
                (kind_of(&at), Action::Hold(vec![(at, KnownValue::Value(Value::Object(object)))]))
            }
            PostingKind::Created => {
                let class = self.class_of(object).map(trace::simple_name).unwrap_or_default();
                ("new", Action::New { class, object: Some(object) })
            }
            PostingKind::Captured => ("lambda", Action::Captured { object }),
            PostingKind::Copied { source, from, to, length } => {
                let (from, to, length) = (from.into(), to.into(), length.into());
                ("bulk", Action::Copy { source: Some(source), from, target: Some(object), to, length })
            }
            PostingKind::Filled { from, to, value } => {
                let (range, descriptor) = ((from.into(), to.into()), self.element_descriptor(object));
                ("bulk", Action::Fill { array: object, range: Some(range), value: known(value), descriptor })
            }
            PostingKind::SeenRange { from, count, .. } => {
                let (from, to) = (u64::from(from), u64::from(from) + u64::from(count));
                ("seen", Action::SeenRange { array: object, from, to })
            }
        };
        let inner = self.index.call_at(found.position);
        let call = match (child, inner) {
            (Some(child), _) => {
                let parent = self.index.call(child)?.parent;
                parent.map(|index| CallId { stream, index }).or(Some(child))
            }
            (None, inner) => inner,
        };
        let place = match child {
            Some(child) => self.call(child).and_then(|info| info.site),
            None => inner.and_then(|call| self.place_in(call, found.posting.bci)),
        };
        let (time, position) = (found.time, found.position);
        Some(Touch { time, position, kind, action, parts, call, child, location, place })
    }

    fn location_touches(
        &self,
        location: &Location,
        at: Time,
        before: usize,
        after: usize,
    ) -> (Vec<Touch>, Vec<Touch>) {
        let from = at.0.checked_sub(1).map(Time);
        let (earlier, later): (Vec<HistoryEntry>, Vec<HistoryEntry>) = match (location, from) {
            (Location::Local { call, name }, Some(from)) => (
                self.local_writes_before(*call, name, from, before),
                self.local_writes_after(*call, name, from, after),
            ),
            (Location::Local { .. }, None) => (Vec::new(), self.writes(location, None).take(after).collect()),
            (_, from) => {
                let mut earlier = Vec::new();
                let mut until = from;
                while let Some(entry) = until.and_then(|until| self.last_write(location, until))
                    && earlier.len() < before
                {
                    until = entry.time.0.checked_sub(1).map(Time);
                    if entry.manner != Manner::Seen || self.is_other(location, entry.time) {
                        earlier.push(entry);
                    }
                }
                earlier.reverse();
                (earlier, self.writes(location, from).take(after).collect())
            }
        };
        let spare = earlier.len().saturating_sub(before);
        let touches =
            |list: Vec<HistoryEntry>| list.into_iter().map(|entry| self.entry_touch(location, entry));
        (touches(earlier).skip(spare).collect(), touches(later).collect())
    }

    fn entry_touch(&self, location: &Location, entry: HistoryEntry) -> Touch {
        Touch {
            time: entry.time,
            position: entry.position,
            kind: if entry.manner == Manner::Seen { "seen" } else { kind_of(location) },
            action: Action::Hold(vec![(location.clone(), entry.value)]),
            parts: Vec::new(),
            call: entry.call,
            child: None,
            location: Some(location.clone()),
            place: entry.place,
        }
    }
}

fn kind_of(location: &Location) -> &'static str {
    match location {
        Location::Field { .. } => "field",
        Location::Static(_) => "static",
        Location::Element { .. } => "element",
        Location::Local { .. } => "local",
    }
}
