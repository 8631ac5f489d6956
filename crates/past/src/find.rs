//! Looking for calls and writes by what they have in common: a method, a value, an object, an exception. Methods,
//! objects and exceptions are looked up; a value is looked for in everything.

use index::{CallId, Ending, Position, PostingKind, RESULT, Time, TimedPosting};
use trace::{ObjectId, Value, simple_name};

use crate::error::{Error, Result};
use crate::history::Manner;
use crate::location::Location;
use crate::past::{Past, SourceLine};

/// What to look for; a match has all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchQuery {
    pub method: Option<String>,
    /// As it is shown: `7`, `"text"`, `null`, `Node@3`.
    pub value: Option<String>,
    pub object: Option<String>,
    /// Class of an exception or one above it, a part of its class's name, or of its message.
    pub thrown: Option<String>,
}

/// What of a call a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallPart {
    This,
    /// By name.
    Argument(String),
    Result,
    Exception,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Match {
    /// A call, and what of it matches; none if that is the call itself, or is not known.
    Call { call: CallId, part: Option<CallPart> },
    /// A write to a location.
    Write {
        time: Time,
        position: Position,
        location: Location,
        value: Value,
        manner: Manner,
        place: Option<SourceLine>,
    },
    /// An exception was thrown.
    Throw {
        time: Time,
        position: Position,
        call: Option<CallId>,
        exception: Value,
        place: Option<SourceLine>,
    },
}

impl Past {
    /// What matches a query, in order of time within each kind, at most `limit`; and whether there is more.
    pub fn find(&self, query: &SearchQuery, limit: usize) -> Result<(Vec<Match>, bool)> {
        let wanted = query.value.as_deref().map(|text| self.wanted(text)).transpose()?;
        let object = query.object.as_deref().map(|name| self.find_object(name)).transpose()?;
        let mut found = Vec::new();
        let groups = match &query.method {
            Some(method) => Some(self.find_methods(method)?),
            None => None,
        };
        let full = |found: &Vec<Match>| found.len() > limit;
        if let Some(thrown) = &query.thrown {
            self.find_throws(thrown, limit, &mut found);
        } else if let Some(groups) = groups {
            for group in groups {
                for rank in 0..self.index.count(group) {
                    if full(&found) {
                        break;
                    }
                    let Some(call) = self.index.ranked(group, rank) else { break };
                    if let Some(part) = self.call_matches(call, wanted.as_ref(), object) {
                        found.push(Match::Call { call, part });
                    }
                }
            }
        } else if let Some(object) = object {
            self.find_object_events(object, wanted.as_ref(), limit, &mut found);
        } else if let Some(wanted) = &wanted {
            self.find_value_everywhere(wanted, limit, &mut found);
        } else {
            return Err(Error::Path(
                "say what to find: a method, a value, an object or what was thrown".to_owned(),
            ));
        }
        let more = found.len() > limit;
        found.truncate(limit);
        Ok((found, more))
    }

    /// None if it does not match.
    fn call_matches(
        &self,
        call: CallId,
        wanted: Option<&ValuePattern>,
        object: Option<ObjectId>,
    ) -> Option<Option<CallPart>> {
        if wanted.is_none() && object.is_none() {
            return Some(None);
        }
        let args = self.index.arguments(call)?;
        let fits = |value: Value| {
            wanted.is_none_or(|wanted| self.fits(value, wanted))
                && object.is_none_or(|object| value == Value::Object(object))
        };
        if args.receiver.is_some_and(fits) {
            return Some(Some(CallPart::This));
        }
        if let Some(at) = args.values.iter().position(|&value| fits(value)) {
            let name = self.call(call).and_then(|info| info.args.get(at).map(|arg| arg.name.clone()));
            return Some(Some(CallPart::Argument(name.unwrap_or_else(|| format!("arg{at}")))));
        }
        match self.index.call(call)?.ending {
            Ending::Returned(Some(value)) if fits(value) => Some(Some(CallPart::Result)),
            Ending::Threw(Some(value)) if fits(value) => Some(Some(CallPart::Exception)),
            _ => None,
        }
    }

    fn find_throws(&self, thrown: &str, limit: usize, found: &mut Vec<Match>) {
        for throw in self.index.throws() {
            if found.len() > limit {
                break;
            }
            let Some(time) = self.index.time(throw.position) else { continue };
            let mut exception = None;
            let mut place = None;
            self.replay_from(throw.position, &mut |event, at| {
                if at.ordinal < throw.position.ordinal {
                    return crate::events::Next::On;
                }
                if let trace::EventKind::Throw { exception: Some(value) } = event.kind {
                    exception = Some(self.index.resolved(at.stream, value));
                    place = event.site.map(|site| self.source_line(site));
                }
                crate::events::Next::Stop
            });
            let Some(exception @ Value::Object(id)) = exception else { continue };
            let classes = render::Heap::supertypes(&self.heap_at(time), id);
            let is_class = classes.iter().enumerate().any(|(above, class)| {
                let dotted = class.replace(['/', '$'], ".");
                // A part of a name that is above all of them would match everything.
                above == 0 && dotted.contains(&thrown.replace('$', "."))
                    || [render::short_name(class), simple_name(class), dotted]
                        .iter()
                        .any(|name| name == thrown)
            });
            let message = render::Heap::message(&self.heap_at(time), id);
            if is_class || message.is_some_and(|message| message.text.contains(thrown)) {
                let (position, call) = (throw.position, throw.call);
                found.push(Match::Throw { time, position, call, exception, place });
            }
        }
    }

    /// Everything that happened with an object: calls that got or gave it, writes to it, places it was stored in.
    fn find_object_events(
        &self,
        object: ObjectId,
        wanted: Option<&ValuePattern>,
        limit: usize,
        found: &mut Vec<Match>,
    ) {
        for posting in self.index.of_object(object) {
            if found.len() > limit {
                break;
            }
            match posting.posting.what {
                PostingKind::Used { call, part } => {
                    let call = CallId { stream: posting.position.stream, index: call };
                    if wanted.is_none() {
                        found.push(Match::Call { call, part: self.call_part(call, part) });
                    }
                }
                PostingKind::Read(Value::Top) => {}
                PostingKind::Written(value) | PostingKind::Seen(value) | PostingKind::Read(value)
                    if posting.posting.key.is_location()
                        && wanted.is_none_or(|wanted| self.fits(value, wanted)) =>
                {
                    found.push(self.write_match(&posting, self.location(posting.posting.key), value));
                }
                PostingKind::Stored(key) if wanted.is_none() => {
                    found.push(self.write_match(&posting, self.location(key), Value::Object(object)));
                }
                _ => {}
            }
        }
    }

    /// What a part is that the index has by its number.
    pub(crate) fn call_part(&self, call: CallId, part: u32) -> Option<CallPart> {
        if part == RESULT {
            return Some(CallPart::Result);
        }
        let info = self.call(call)?;
        match (part as usize).checked_sub(usize::from(info.receiver.is_some())) {
            None => Some(CallPart::This),
            Some(at) => info.args.get(at).map(|arg| CallPart::Argument(arg.name.clone())),
        }
    }

    fn write_match(&self, found: &TimedPosting, location: Location, value: Value) -> Match {
        let call = self.index.call_at(found.position);
        Match::Write {
            time: found.time,
            position: found.position,
            location,
            value,
            manner: match found.posting.what {
                PostingKind::Seen(_) | PostingKind::Read(_) => Manner::Seen,
                _ if found.posting.library => Manner::ByLibrary,
                _ => Manner::Written,
            },
            place: call.and_then(|call| self.place_in(call, found.posting.bci)),
        }
    }

    fn find_value_everywhere(&self, wanted: &ValuePattern, limit: usize, found: &mut Vec<Match>) {
        for stream in self.streams() {
            for index in 0..self.index.calls(stream) {
                if found.len() > limit {
                    return;
                }
                let call = CallId { stream, index };
                if let Some(part) = self.call_matches(call, Some(wanted), None) {
                    found.push(Match::Call { call, part });
                }
            }
        }
        // The first of each thread; then of all.
        let mut writes = Vec::new();
        for stream in self.streams() {
            let wanted = |found: &TimedPosting| match found.posting.what {
                PostingKind::Written(value) => found.posting.key.is_location() && self.fits(value, wanted),
                _ => false,
            };
            writes.extend(self.index.of_stream(stream).filter(wanted).take(limit + 1));
        }
        writes.sort_by_key(|found| found.time);
        for posting in writes {
            if found.len() > limit {
                return;
            }
            if let PostingKind::Written(value) = posting.posting.what {
                found.push(self.write_match(&posting, self.location(posting.posting.key), value));
            }
        }
    }

    /// A value as a person writes it.
    fn wanted(&self, text: &str) -> Result<ValuePattern> {
        let text = text.trim();
        if let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return Ok(ValuePattern::Text(inner.replace("\\\"", "\"").replace("\\\\", "\\")));
        }
        Ok(match text {
            "null" => ValuePattern::Null,
            "true" => ValuePattern::Number(1.0, Some(true)),
            "false" => ValuePattern::Number(0.0, Some(true)),
            text if text.contains('@') => ValuePattern::Object(self.find_object(text)?),
            text => match text.parse::<f64>() {
                Ok(number) => ValuePattern::Number(number, None),
                Err(_) => ValuePattern::Text(text.to_owned()),
            },
        })
    }

    fn fits(&self, value: Value, wanted: &ValuePattern) -> bool {
        match (value, wanted) {
            (Value::Null, ValuePattern::Null) => true,
            (Value::Object(id), ValuePattern::Object(other)) => id == *other,
            (Value::Int(value), ValuePattern::Number(number, _)) => f64::from(value) == *number,
            (Value::Box { kind: b'F', bits }, ValuePattern::Number(number, None)) => {
                f64::from(f32::from_bits(bits as u32)) == *number
            }
            (Value::Box { kind, bits }, ValuePattern::Number(number, boolean)) => {
                (boolean.is_none() || kind == b'Z') && f64::from(bits) == *number
            }
            (
                Value::Long(value) | Value::Box64 { kind: b'J', bits: value },
                ValuePattern::Number(number, None),
            ) => value as f64 == *number,
            (Value::Box64 { bits, .. }, ValuePattern::Number(number, None)) => {
                f64::from_bits(bits as u64) == *number
            }
            (Value::Float(value), ValuePattern::Number(number, None)) => f64::from(value) == *number,
            (Value::Double(value), ValuePattern::Number(number, None)) => value == *number,
            (Value::Str(_) | Value::Literal { .. }, ValuePattern::Text(text)) => {
                let heap = self.heap_at(Time(0));
                render::Heap::string(&heap, value).is_some_and(|own| own.text == *text && !own.is_redacted())
            }
            _ => false,
        }
    }
}

enum ValuePattern {
    Null,
    Text(String),
    /// A number; true if it was written as a truth value.
    Number(f64, Option<bool>),
    Object(ObjectId),
}

/// Something that was printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    pub time: Time,
    /// The call that printed it, of a library as a rule.
    pub call: CallId,
    /// Whose code called that.
    pub by: Option<CallId>,
    /// Where that is known.
    pub text: Option<String>,
}

impl Past {
    /// What was printed, and has this text in it, in order of time: at most `limit`, and whether there is more.
    pub fn output(&self, containing: Option<&str>, limit: usize) -> (Vec<Printed>, bool) {
        let mut list = Vec::new();
        for noted in self.index.output() {
            let (Some(time), Some(call)) = (self.index.time(noted.position), noted.call) else { continue };
            let text = self.printed(call);
            if containing.is_some_and(|part| !text.as_ref().is_some_and(|text| text.contains(part))) {
                continue;
            }
            if list.len() > limit {
                break;
            }
            list.push(Printed { time, call, by: self.program_call(call), text });
        }
        let more = list.len() > limit;
        list.truncate(limit);
        list.sort_by_key(|printed| printed.time);
        (list, more)
    }

    /// What a call printed, where that is known.
    pub fn printed(&self, call: CallId) -> Option<String> {
        let info = self.call(call)?;
        let arg = match info.args.as_slice() {
            [] => return Some(String::new()),
            [one] => one,
            _ => return None,
        };
        let heap = self.heap_at(info.entry);
        if let Some(text) = render::Heap::string(&heap, arg.value) {
            return Some(text.text);
        }
        match arg.value {
            Value::Object(_) => {
                // What its `toString` gave, if that is the program's own.
                let children = self.index.children(call, 0, 4);
                let called = children.into_iter().filter_map(|child| self.call(child));
                let text =
                    called.filter(|child| child.method.ends_with(".toString")).find_map(|child| match child
                        .ending
                    {
                        Ending::Returned(Some(value)) => render::Heap::string(&heap, value),
                        _ => None,
                    });
                text.map(|text| text.text)
            }
            Value::Int(code) if arg.descriptor == "C" => {
                char::from_u32(code as u32).map(|one| one.to_string())
            }
            value => Some(self.recording.value(value, &arg.descriptor)),
        }
    }
}
