//! The content of string builders. `java.lang` is not looked into by the recorder, but every call on a builder is
//! recorded with its arguments: carrying them out again gives the content, as long as nobody else had the builder in
//! hand. What `toString` gave is certain in any case.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use index::{Ending, Key, PostingKind, Target, Time};
use trace::{ObjectId, Text, Value};

use crate::past::{CallInfo, Past};

/// A builder with more calls is not followed.
const MAX_CALLS: usize = 50_000;
/// Builders that are remembered.
const MAX_BUILDERS: usize = 64;
/// Longer contents are not kept, in UTF-16 units.
const MAX_LENGTH: usize = 1 << 20;

/// Calls that had a builder in hand, by the time at which they ended; and its content as far as it was asked for.
pub(crate) struct Builder {
    calls: Arc<Vec<(Time, index::CallId)>>,
    done: usize,
    content: Option<Vec<u16>>,
}

pub(crate) type Builders = HashMap<ObjectId, Builder>;

impl Past {
    /// What a string builder held at a time, if that is known.
    pub(crate) fn builder_at(&self, object: ObjectId, time: Time) -> Option<Text> {
        let known = self.builders.lock().unwrap_or_else(PoisonError::into_inner).remove(&object);
        let mut builder = match known {
            Some(builder) => builder,
            None => Builder { calls: Arc::new(self.calls_with(object)?), done: 0, content: None },
        };
        let until = builder.calls.partition_point(|&(end, _)| end <= time);
        if until < builder.done {
            (builder.done, builder.content) = (0, None);
        }
        let calls = Arc::clone(&builder.calls);
        for &(_, call) in &calls[builder.done..until] {
            let content = builder.content.take();
            builder.content = self.call(call).and_then(|info| self.after(object, content, &info));
        }
        builder.done = until;
        let content = builder.content.clone();
        let mut builders = self.builders.lock().unwrap_or_else(PoisonError::into_inner);
        if builders.len() >= MAX_BUILDERS {
            builders.clear();
        }
        builders.insert(object, builder);
        let content = content?;
        Some(Text { chars: content.len() as u32, text: String::from_utf16_lossy(&content), cut: false })
    }

    fn calls_with(&self, object: ObjectId) -> Option<Vec<(Time, index::CallId)>> {
        let mut calls = Vec::new();
        for found in self.index.all(Key::uses(object), None).take(4 * MAX_CALLS) {
            let call = match found.posting.what {
                PostingKind::Used { call, .. } => {
                    index::CallId { stream: found.position.stream, index: call }
                }
                _ => continue,
            };
            if calls.last().is_none_or(|&(_, last)| last != call) {
                calls.push((found.time, call));
            }
        }
        if calls.len() > MAX_CALLS {
            return None;
        }
        for (time, call) in &mut calls {
            *time = self.call(*call)?.exit;
        }
        calls.sort();
        calls.dedup();
        Some(calls)
    }

    /// What a builder holds after a call that had it in hand, given what it held before.
    fn after(&self, object: ObjectId, content: Option<Vec<u16>>, info: &CallInfo) -> Option<Vec<u16>> {
        let Target::Library(_) = self.index.call(info.id)?.target else { return content };
        let (owner, name, _) = self.target(self.index.call(info.id)?.target);
        let own = jdk::builders::is_of_builder(&owner);
        if !own || info.receiver != Some(Value::Object(object)) {
            let only_reads = own || jdk::builders::leaves_builders(&owner);
            return content.filter(|_| only_reads);
        }
        if !matches!(info.ending, Ending::Returned(_)) {
            // A failed append may have left something.
            return None;
        }
        if name == "toString"
            && let Ending::Returned(Some(value)) = info.ending
        {
            return self.units(value, "Ljava/lang/String;", info.exit);
        }
        let mut content = if name == "<init>" { Vec::new() } else { content? };
        let text = |at: usize| {
            let arg = info.args.get(at)?;
            self.units(arg.value, &arg.descriptor, info.entry)
        };
        let int = |at: usize| match info.args.get(at)?.value {
            Value::Int(value) => usize::try_from(value).ok(),
            _ => None,
        };
        let is_int = |at: usize| info.args.get(at).is_some_and(|arg| arg.descriptor == "I");
        match (name.as_str(), info.args.len()) {
            ("<init>", 0) => {}
            ("<init>", 1) if is_int(0) => {}
            ("<init>" | "append", 1) => content.extend(text(0)?),
            ("append", 3) => {
                // A part of a text: characters from one index to another, or of an array by offset and length.
                let (from, second) = (int(1)?, int(2)?);
                let to = if info.args[0].descriptor == "[C" { from.checked_add(second)? } else { second };
                content.extend_from_slice(text(0)?.get(from..to)?);
            }
            ("appendCodePoint", 1) => {
                let one = char::from_u32(u32::try_from(int(0)?).ok()?)?;
                content.extend_from_slice(one.encode_utf16(&mut [0; 2]));
            }
            ("insert", 2) => {
                let at = int(0)?;
                let text = text(1)?;
                content.get(..at)?;
                content.splice(at..at, text);
            }
            ("delete", 2) => {
                let (from, to) = (int(0)?, int(1)?.min(content.len()));
                content.get(from..to)?;
                content.drain(from..to);
            }
            ("deleteCharAt", 1) => {
                let at = int(0)?;
                content.get(at)?;
                content.remove(at);
            }
            ("replace", 3) => {
                let (from, to) = (int(0)?, int(1)?.min(content.len()));
                content.get(from..to)?;
                content.splice(from..to, text(2)?);
            }
            ("setLength", 1) => content.resize(int(0)?.min(MAX_LENGTH + 1), 0),
            ("setCharAt", 2) => *content.get_mut(int(0)?)? = *text(1)?.first()?,
            ("reverse", 0) => {
                let text = String::from_utf16(&content).ok()?;
                content = text.chars().rev().collect::<String>().encode_utf16().collect();
            }
            ("insert" | "append" | "repeat", _) => return None,
            // The others only read, or change what cannot be seen.
            _ => {}
        }
        Some(content).filter(|content| content.len() <= MAX_LENGTH)
    }

    /// What `String.valueOf` makes of a value, if that does not depend on code that was not recorded.
    fn units(&self, value: Value, descriptor: &str, time: Time) -> Option<Vec<u16>> {
        let heap = self.heap_at(time);
        if let Some(text) = render::Heap::string(&heap, value) {
            return (!text.cut).then(|| text.text.encode_utf16().collect());
        }
        let text = match value {
            Value::Null if descriptor != "[C" => "null".to_owned(),
            Value::Int(code) if descriptor == "C" => return Some(vec![code as u16]),
            Value::Box { kind: b'C', bits } => return Some(vec![bits as u16]),
            Value::Int(_) | Value::Long(_) | Value::Float(_) | Value::Double(_) => {
                self.recording.value(value, descriptor)
            }
            Value::Box { .. } | Value::Box64 { .. } => self.recording.value(value, ""),
            Value::Object(array) if descriptor == "[C" => {
                let length =
                    self.recording.objects().length(array).filter(|&length| length <= MAX_LENGTH as u32)?;
                let one = |index| match self.element_at(array, index, time) {
                    render::KnownValue::Value(Value::Int(code)) => Some(code as u16),
                    _ => None,
                };
                return (0..length).map(one).collect();
            }
            Value::Object(other) => {
                let class = self.class_of(other)?;
                if !jdk::builders::is_builder(class) {
                    return None;
                }
                return Some(self.builder_at(other, time)?.text.encode_utf16().collect());
            }
            _ => return None,
        };
        Some(text.encode_utf16().collect())
    }
}
