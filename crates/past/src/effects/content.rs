//! What builders, string writers and byte streams in memory hold at a moment. `java.lang` and `java.io` are not looked
//! into by the recorder, but every call on such an object is recorded with its arguments: carrying them out again gives
//! the content, as long as nobody else had the object in hand. What `toString` gave is certain in any case.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use index::{CallId, Ending, Key, PostingKind, RESULT, Target, Time};
use jdk::effects::{Does, Form, Hand};
use trace::{ObjectId, Text, Value};

use super::kind::Kind;
use super::{Deed, Done, Effect, Piece, joined};
use crate::past::{BareCall, Past};

/// An object with more calls is not followed.
const MAX_CALLS: usize = 50_000;
/// Objects that are remembered.
const MAX_OBJECTS: usize = 64;
/// Longer contents are not kept.
const MAX_LENGTH: usize = 1 << 20;

/// Everything that was written to an object and is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// In units of UTF-16.
    Text(Vec<u16>),
    Bytes(Vec<u8>),
}

impl Content {
    pub fn len(&self) -> usize {
        match self {
            Content::Text(text) => text.len(),
            Content::Bytes(bytes) => bytes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn piece(self) -> Piece {
        match self {
            Content::Text(text) => Piece::Text(text),
            Content::Bytes(bytes) => Piece::Bytes(bytes),
        }
    }
}

/// Calls that had an object in hand, by the time at which they ended; and its content as far as it was asked for.
pub(crate) struct Held {
    calls: Arc<Calls>,
    done: usize,
    now: State,
}

struct Calls {
    /// None where a lambda took the object in hand that is no code of the program's.
    list: Vec<(Time, Option<CallId>)>,
    /// The object itself, and what writes straight to it.
    own: HashSet<ObjectId>,
}

#[derive(Clone, Default)]
struct State {
    content: Option<Content>,
    /// Somebody has it in hand who may write to it unseen: what is known holds only at that moment.
    escaped: bool,
    /// When the content was last seen.
    seen: Option<Time>,
}

pub(crate) type Contents = HashMap<ObjectId, Held>;

impl Past {
    /// What an object that keeps what it is given held at a time, if that is known.
    pub fn content_at(&self, object: ObjectId, time: Time) -> Option<Content> {
        jdk::effects::form(self.class_of(object)?)?;
        let known = self.contents.lock().unwrap_or_else(PoisonError::into_inner).remove(&object);
        let mut held = match known {
            Some(held) => held,
            None => Held { calls: Arc::new(self.calls_with(object)?), done: 0, now: State::default() },
        };
        let until = held.calls.list.partition_point(|&(end, _)| end <= time);
        if until < held.done {
            (held.done, held.now) = (0, State::default());
        }
        let calls = Arc::clone(&held.calls);
        for (at, &(_, call)) in calls.list.iter().enumerate().take(until).skip(held.done) {
            let Some(info) = call.and_then(|call| self.bare_call(call)) else {
                held.now = State { content: None, escaped: true, seen: None };
                continue;
            };
            let state = std::mem::take(&mut held.now);
            if info.args.iter().any(|arg| arg.value == Value::Object(object)) {
                // Appended to itself: what it holds is asked for again, and must not be worked out from the start.
                let now = state.clone();
                self.remember(object, Held { calls: Arc::clone(&calls), done: at, now });
            }
            held.now = self.after(object, &calls.own, state, &info);
        }
        held.done = until;
        let State { content, escaped, seen } = held.now.clone();
        self.remember(object, held);
        content.filter(|_| !escaped || seen == Some(time))
    }

    /// Who wrote each character or byte that an object held at a time; none of one that was there before anybody was seen
    /// to write it. As a change of the content shows: of several equal ones in a row any may be the one that came.
    pub(super) fn written_by(&self, object: ObjectId, time: Time) -> Option<Vec<Option<CallId>>> {
        jdk::effects::form(self.class_of(object)?)?;
        let calls = self.calls_with(object)?;
        let (mut state, mut by) = (State::default(), Vec::new());
        for &(_, call) in calls.list.iter().take_while(|&&(end, _)| end <= time) {
            let Some((call, info)) = call.and_then(|call| Some((call, self.bare_call(call)?))) else {
                state = State { content: None, escaped: true, seen: None };
                continue;
            };
            let old = state.content.clone();
            state = self.after(object, &calls.own, state, &info);
            match (&old, &state.content) {
                (Some(Content::Text(old)), Some(Content::Text(new))) => mark(&mut by, old, new, call),
                (Some(Content::Bytes(old)), Some(Content::Bytes(new))) => mark(&mut by, old, new, call),
                (_, new) => by = vec![None; new.as_ref().map_or(0, Content::len)],
            }
        }
        state.content.map(|_| by)
    }

    /// May somebody write to an object that keeps what it is given without that being recorded? A library has it in hand,
    /// or it cannot be said.
    pub(crate) fn is_out_of_sight(&self, object: ObjectId, time: Time) -> bool {
        if self.class_of(object).and_then(jdk::effects::form).is_none() {
            return false;
        }
        self.content_at(object, time);
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.get(&object).is_none_or(|held| held.now.escaped)
    }

    fn remember(&self, object: ObjectId, held: Held) {
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if contents.len() >= MAX_OBJECTS {
            contents.clear();
        }
        contents.insert(object, held);
    }

    /// What a string builder or writer held at a time, as text.
    pub(crate) fn builder_at(&self, object: ObjectId, time: Time) -> Option<Text> {
        match self.content_at(object, time)? {
            Content::Text(units) => {
                Some(Text { chars: units.len() as u32, text: base::text::from_units(&units), cut: false })
            }
            Content::Bytes(_) => None,
        }
    }

    fn calls_with(&self, object: ObjectId) -> Option<Calls> {
        let mut list = Vec::new();
        let mut own = HashSet::from([object]);
        let mut waiting = vec![object];
        while let Some(next) = waiting.pop() {
            let mut last = None;
            for found in self.index.all(Key::uses(next), None).take(4 * MAX_CALLS) {
                if found.posting.what == PostingKind::Captured && !self.is_own_lambda(&found) {
                    list.push((found.time, None));
                }
                let PostingKind::Used { call, part } = found.posting.what else { continue };
                let call = CallId { stream: found.position.stream, index: call };
                if let Some(other) = self.passes_on(call, part)
                    && own.insert(other)
                {
                    waiting.push(other);
                }
                if last != Some(call) {
                    list.push((found.time, Some(call)));
                    last = Some(call);
                }
                if list.len() > MAX_CALLS {
                    return None;
                }
            }
        }
        for (time, call) in &mut list {
            if let Some(call) = call {
                let row = self.index.call(*call)?;
                *time = self.time_of(call.stream, row.exit)?;
            }
        }
        list.sort();
        list.dedup();
        Some(Calls { list, own })
    }

    /// What writes straight to an object from a call on that had it in hand: a wrapper around it, or its buffer.
    fn passes_on(&self, call: CallId, part: u32) -> Option<ObjectId> {
        let row = self.index.call(call)?;
        let Target::Library(callee) = row.target else { return None };
        if part == RESULT || part > 1 {
            return None;
        }
        let (owner, name, descriptor) = self.target(Target::Library(callee));
        let args = self.index.arguments(call)?;
        let other = match part {
            1 if name == "<init>" && jdk::effects::passes_on(&owner, &descriptor) => args.receiver,
            0 if self.kind(callee, args.receiver) == Kind::Does(Does::Exposes) => match row.ending {
                Ending::Returned(value) => value,
                _ => None,
            },
            _ => None,
        };
        match other {
            Some(Value::Object(other)) => Some(other),
            _ => None,
        }
    }

    /// What an object holds after a call that had it in hand, given what it held before.
    fn after(&self, object: ObjectId, own: &HashSet<ObjectId>, state: State, info: &BareCall) -> State {
        let lost = |escaped: bool| State { content: None, escaped: state.escaped || escaped, seen: None };
        let Some(Target::Library(callee)) = self.index.call(info.id).map(|row| row.target) else {
            return state;
        };
        let (owner, name, descriptor) = self.target(Target::Library(callee));
        let is_own = |value: Option<Value>| matches!(value, Some(Value::Object(one)) if own.contains(&one));
        let given = info.args.iter().any(|arg| is_own(Some(arg.value)));
        if !is_own(info.receiver) {
            return match () {
                () if !given => state,
                () if name == "<init>" && jdk::effects::passes_on(&owner, &descriptor) => state,
                () => match jdk::effects::hand(&owner, &name) {
                    Hand::Reads => state,
                    _ if matches!(self.kind(callee, info.receiver), Kind::Does(Does::Writes(_))) => state,
                    Hand::Writes => lost(false),
                    Hand::Keeps => lost(true),
                },
            };
        }
        let itself = info.receiver == Some(Value::Object(object));
        if let (true, Ending::Returned(Some(value))) = (itself, info.ending) {
            let seen = match name.as_str() {
                "toString" if info.args.is_empty() => self.string_units(value).map(Content::Text),
                "toByteArray" | "toCharArray" => self.array_content(info.id, value),
                _ => None,
            };
            let fits =
                |seen: &Content| self.class_of(object).and_then(jdk::effects::form) == Some(form(seen));
            if let Some(seen) = seen.filter(fits) {
                return State { content: Some(seen), escaped: state.escaped, seen: Some(info.exit) };
            }
        }
        if name == "<init>" {
            if !itself {
                return state;
            }
            let content = self.class_of(object).and_then(jdk::effects::form).and_then(|form| {
                let is_text = info.args.first().is_some_and(|arg| arg.descriptor != "I");
                match form {
                    Form::Bytes => Some(Content::Bytes(Vec::new())),
                    Form::Text if is_text => self.argument_text(info, 0).map(Content::Text),
                    Form::Text => Some(Content::Text(Vec::new())),
                }
            });
            let content = content.filter(|_| matches!(info.ending, Ending::Returned(_)));
            return State { content, escaped: false, seen: Some(info.exit) };
        }
        let effect = match self.kind(callee, info.receiver) {
            Kind::Silent | Kind::Does(Does::Looks | Does::Exposes | Does::WritesInto(_)) => return state,
            Kind::Unknown => return lost(true),
            Kind::Does(does) => match self.done(info, does, None) {
                Done::Wrote(effect) => effect,
                Done::Nothing | Done::Took(_) | Done::Hidden(_) => return state,
                Done::Unknown => return lost(false),
            },
        };
        let content =
            state.content.clone().filter(|_| effect.whole).and_then(|content| apply(content, &effect));
        let content = content.filter(|content| content.len() <= MAX_LENGTH);
        match content {
            Some(content) => State { content: Some(content), seen: None, ..state },
            None => lost(false),
        }
    }

    /// A text of the run in units of UTF-16, where all of it is known.
    pub fn string_units(&self, value: Value) -> Option<Vec<u16>> {
        let text = render::Heap::string(&self.heap_at(Time(0)), value)?;
        (!text.cut).then(|| base::text::units(&text.text).collect())
    }

    /// What an array holds that a call gave.
    fn array_content(&self, call: CallId, value: Value) -> Option<Content> {
        let Value::Object(array) = value else { return None };
        let time = self.looked_at(call, array)?;
        let length = self.array_length(array)? as usize;
        let codes = self.codes(array, 0, length, time)?;
        match self.class_of(array)? {
            "[B" => Some(Content::Bytes(codes.into_iter().map(|code| code as u8).collect())),
            "[C" => Some(Content::Text(codes.into_iter().map(|code| code as u16).collect())),
            _ => None,
        }
    }
}

/// Marks what a call changed with it.
fn mark<T: PartialEq>(by: &mut Vec<Option<CallId>>, old: &[T], new: &[T], call: CallId) {
    let same = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let behind = old[same..].iter().rev().zip(new[same..].iter().rev());
    let behind = behind.take_while(|(one, other)| one == other).count();
    by.splice(same..old.len() - behind, vec![Some(call); new.len() - behind - same]);
}

fn form(content: &Content) -> Form {
    match content {
        Content::Text(_) => Form::Text,
        Content::Bytes(_) => Form::Bytes,
    }
}

/// What a content becomes by an effect; none if that is not known to the letter.
pub(crate) fn apply(content: Content, effect: &Effect) -> Option<Content> {
    match content {
        Content::Text(mut text) => {
            let new = match joined(&effect.pieces).as_slice() {
                [] => Vec::new(),
                [Piece::Text(new)] => new.clone(),
                _ => return None,
            };
            edit(&mut text, &effect.deed, new)?;
            if effect.deed == Deed::Reverse {
                swap_pairs(&mut text);
            }
            Some(Content::Text(text))
        }
        Content::Bytes(mut bytes) => {
            let new = match joined(&effect.pieces).as_slice() {
                [] => Vec::new(),
                [Piece::Bytes(new)] => new.clone(),
                _ => return None,
            };
            edit(&mut bytes, &effect.deed, new)?;
            Some(Content::Bytes(bytes))
        }
    }
}

fn edit<T: Clone + Default>(content: &mut Vec<T>, deed: &Deed, new: Vec<T>) -> Option<()> {
    match *deed {
        Deed::Append => content.extend(new),
        Deed::Insert(at) => {
            let at = at as usize;
            content.get(..at)?;
            content.splice(at..at, new);
        }
        Deed::Replace(from, to) => {
            let (from, to) = (from as usize, (to as usize).min(content.len()));
            content.get(from..to)?;
            content.splice(from..to, new);
        }
        Deed::SetAt(at) => *content.get_mut(at as usize)? = new.into_iter().next()?,
        Deed::SetLength(length) => content.resize((length as usize).min(MAX_LENGTH + 1), T::default()),
        Deed::Reverse => content.reverse(),
        Deed::Clear => content.clear(),
        Deed::Other(_) => return None,
    }
    Some(())
}

/// Pairs of surrogates stay pairs when a text is reversed.
fn swap_pairs(text: &mut [u16]) {
    let mut at = 1;
    while at < text.len() {
        if (0xdc00..0xe000).contains(&text[at - 1]) && (0xd800..0xdc00).contains(&text[at]) {
            text.swap(at - 1, at);
            at += 1;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        base::text::units(text).collect()
    }

    fn after(content: &str, deed: Deed, new: &str) -> Option<String> {
        let effect = Effect {
            call: CallId { stream: trace::StreamId(1), index: 0 },
            from: Time(0),
            to: Time(1),
            sink: super::super::Sink::Object(ObjectId(1)),
            deed,
            pieces: vec![Piece::Text(units(new))],
            whole: true,
            through: None,
        };
        match apply(Content::Text(units(content)), &effect)? {
            Content::Text(text) => Some(base::text::from_units(&text)),
            Content::Bytes(_) => None,
        }
    }

    #[test]
    fn deeds_do_to_a_text_what_a_builder_does() {
        for (content, deed, new, expected) in [
            ("ab", Deed::Append, "cd", Some("abcd")),
            ("ab", Deed::Insert(1), "cd", Some("acdb")),
            ("ab", Deed::Insert(3), "cd", None),
            ("abcd", Deed::Replace(1, 3), "", Some("ad")),
            ("abcd", Deed::Replace(2, 99), "x", Some("abx")),
            ("abc", Deed::SetAt(1), "x", Some("axc")),
            ("abc", Deed::SetLength(2), "", Some("ab")),
            ("a", Deed::SetLength(2), "", Some("a\0")),
            ("a😀b", Deed::Reverse, "", Some("b😀a")),
            ("abc", Deed::Clear, "", Some("")),
            ("abc", Deed::Other("changed"), "", None),
        ] {
            let name = format!("{content} {deed:?} {new}");
            assert_eq!(after(content, deed, new).as_deref(), expected, "{name}");
        }
    }
}
