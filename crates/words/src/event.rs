//! What an event says. The one place in which events become text, for the terminal, the page and everything else.

use std::fmt;

use past::{Action, KnownValue, ObjectId, Past, RenderLimits, Time, Value};

use crate::call::call;
use crate::recorded::gap_reason;

/// Limits of values in a list of a call's events.
pub const LIST: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 80, width: 400, named: false };
/// Limits of values in a list of all that happened to an object.
pub const TOUCH: RenderLimits = RenderLimits { depth: 1, elements: 10, string: 80, width: 200, named: false };

/// What an event says: the word for what was done, if there is one, and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventWords {
    pub word: &'static str,
    pub details: String,
}

impl fmt::Display for EventWords {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.word.is_empty() || self.details.is_empty() { "" } else { " " };
        write!(out, "{}{gap}{}", self.word, self.details)
    }
}

pub fn event(past: &Past, action: &Action, time: Time, limits: &RenderLimits) -> EventWords {
    let known = |known: KnownValue, descriptor: &str| past.known_text(known, descriptor, time, limits);
    let value = |value: Value, descriptor: &str| known(KnownValue::Value(value), descriptor);
    let object = |id: Option<ObjectId>| id.map_or("?".to_owned(), |id| past.object_name(id));
    let exception =
        |thrown: &Option<Value>| thrown.map_or("an exception".to_owned(), |thrown| value(thrown, ""));
    let (word, details) = match action {
        Action::Call(id) => ("", call(past, *id, limits).to_string()),
        Action::Return { value: Some(given), descriptor } => ("return", value(*given, descriptor)),
        Action::Return { value: None, .. } => ("return", String::new()),
        Action::Unwind { exception: thrown } => ("left", format!("by {}", exception(thrown))),
        Action::FieldWrite { object: owner, field, value: new, descriptor } => {
            ("", format!("{}.{field} = {}", object(*owner), value(*new, descriptor)))
        }
        Action::StaticWrite { class, field, value: new, descriptor } => {
            ("", format!("{class}.{field} = {}", value(*new, descriptor)))
        }
        Action::ElementWrite { array, index, value: new, descriptor } => {
            ("", format!("{}[{index}] = {}", past.object_name(*array), value(*new, descriptor)))
        }
        Action::LocalWrite { name, value: new, descriptor } => {
            ("", format!("{name} = {}", value(*new, descriptor)))
        }
        Action::Hold(list) => {
            let one = |(location, held): &(past::Location, KnownValue)| {
                format!("{} = {}", past.location_name(location), known(*held, &past.descriptor(location)))
            };
            ("", list.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        Action::Branch { taken: true, line: Some(line) } => ("", format!("goes to line {line}")),
        Action::Branch { taken: false, line: Some(line) } => ("", format!("goes on, not to line {line}")),
        Action::Branch { taken: true, line: None } => ("", "jumps".to_owned()),
        Action::Branch { taken: false, line: None } => ("", "does not jump".to_owned()),
        Action::Switch { key, is_default: false } => ("", format!("case {key}")),
        Action::Switch { key, is_default: true } => ("", format!("{key}: default")),
        Action::New { object: Some(id), .. } => ("new", past.object_name(*id)),
        Action::New { class, object: None } => ("new", class.clone()),
        Action::Captured { object } => ("a lambda takes", past.object_name(*object)),
        Action::NewArray { array, length } => {
            ("new", format!("{} of {length} elements", past.object_name(*array)))
        }
        Action::Throw { exception: thrown } => ("throw", exception(thrown)),
        Action::Catch { exception: thrown } => ("catch", exception(thrown)),
        Action::Lock { object } => ("lock", value(*object, "")),
        Action::Unlock { object } => ("unlock", value(*object, "")),
        Action::Copy { source, from, target, to, length } => {
            let (end, last) = (to + length, from + length);
            ("", format!("{}[{to}..{end}] = {}[{from}..{last}]", object(*target), object(*source)))
        }
        Action::Clone { source, target } => {
            ("", format!("{} = copy of {}", object(*target), object(*source)))
        }
        Action::Fill { array, range, value: new, descriptor } => {
            let range = range.map_or(String::new(), |(from, to)| format!("{from}..{to}"));
            ("", format!("{}[{range}] = {}", past.object_name(*array), known(*new, descriptor)))
        }
        Action::SeenRange { array, from, to } => {
            ("", format!("{}[{from}..{to}] as a library left it", past.object_name(*array)))
        }
        Action::Gap { why } => ("", format!("from here on not known: {}", gap_reason(*why))),
        Action::Stop => ("", "nothing more is recorded of this thread".to_owned()),
    };
    EventWords { word, details }
}
