//! The course of a call: all that it and its callees read, and what they gave each other and libraries, in order, as
//! one number. Objects count by their class, so it is much less than a fingerprint; but those of all calls of a
//! recording are had from one pass. Calls of the same code (callees included) that were asked the same took the same
//! course: who looks for one of them needs to look at no others.
//!
//! It is a polynomial over what happened, so that the number of a call follows from those before its beginning and at
//! its end.

use std::collections::HashMap;
use std::hash::Hasher;

use base::{CallId, Ending, FieldId, StreamId, Target, TypeId, Value};
use past::{AccessKind, CallRow, Location, Past};
use rustc_hash::FxHashMap;

use super::{PlainValue, Print, place, plain};

/// Odd, and as irregular as any.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// A recording with more calls is not gone through: each has two numbers in memory.
const MAX_CALLS: u64 = 1 << 23;

/// The courses of all calls of a recording.
pub struct Courses {
    by_stream: HashMap<StreamId, Vec<Course>>,
}

#[derive(Clone, Copy, Default)]
pub struct Course {
    pub taken: u64,
    /// The same with what the call was given and what it gave.
    pub whole: u64,
}

impl Courses {
    /// None if there are too many calls, or if not all of them can be followed.
    pub fn of(past: &Past) -> Option<Courses> {
        let streams = past.streams();
        if streams.iter().map(|&stream| u64::from(past.calls_in(stream))).sum::<u64>() > MAX_CALLS {
            return None;
        }
        let mut words = Words::new(past);
        let mut by_stream = HashMap::new();
        for stream in streams {
            let mut walk = Walk::new(stream, past.calls_in(stream));
            let Some(last) = past.events_in(stream).and_then(|events| events.checked_sub(1)) else {
                by_stream.insert(stream, Vec::new());
                continue;
            };
            let known = past.accesses(stream, 0, last, |access| {
                walk.advance(past, &mut words, access.after);
                if let AccessKind::Read(slot, value) = access.kind {
                    walk.take(words.read(&past.location_of(slot), value));
                }
                true
            });
            if !known {
                return None;
            }
            walk.advance(past, &mut words, u64::MAX);
            by_stream.insert(stream, walk.found);
        }
        Some(Courses { by_stream })
    }

    pub fn get(&self, call: CallId) -> Option<Course> {
        self.by_stream.get(&call.stream)?.get(call.index as usize).copied()
    }
}

/// Where a pass over calls and accesses is.
struct Walk {
    stream: StreamId,
    next: u32,
    /// The row of the call that begins next.
    row: Option<CallRow>,
    end: u32,
    sum: u64,
    taken: u64,
    open: Vec<Open>,
    /// By call.
    found: Vec<Course>,
}

struct Open {
    index: u32,
    row: CallRow,
    /// What stands for the call itself.
    word: u64,
    sum: u64,
    taken: u64,
}

impl Walk {
    fn new(stream: StreamId, end: u32) -> Walk {
        let found = vec![Course::default(); end as usize];
        Walk { stream, next: 0, row: None, end, sum: 0, taken: 0, open: Vec::new(), found }
    }

    fn take(&mut self, word: u64) {
        self.sum = self.sum.wrapping_mul(BASE).wrapping_add(word);
        self.taken += 1;
    }

    /// Calls that began or ended before the event of this number.
    fn advance(&mut self, past: &Past, words: &mut Words<'_>, event: u64) {
        loop {
            if self.row.is_none() && self.next < self.end {
                self.row = past.call_row(CallId { stream: self.stream, index: self.next });
            }
            let begins = self.row.map_or(u64::MAX, |row| row.entry);
            let ends = self.open.last().map_or(u64::MAX, |open| open.row.exit);
            if ends < event && ends < begins {
                let Some(open) = self.open.pop() else { return };
                let before = open.sum.wrapping_mul(power(self.taken - open.taken));
                let (taken, gave) = (self.sum.wrapping_sub(before), words.ending(open.row.ending));
                let whole = mixed(mixed(open.word, taken), gave);
                self.found[open.index as usize] = Course { taken, whole };
                self.take(gave);
            } else if let Some(row) = self.row.filter(|_| begins < event) {
                let index = self.next;
                let word = words.call(CallId { stream: self.stream, index }, row.target);
                self.take(word);
                self.open.push(Open { index, row, word, sum: self.sum, taken: self.taken });
                self.row = None;
                self.next += 1;
            } else {
                return;
            }
        }
    }
}

fn power(mut exponent: u64) -> u64 {
    let (mut base, mut result) = (BASE, 1u64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// What happened, as numbers that mean the same in every recording.
struct Words<'p> {
    past: &'p Past,
    texts: FxHashMap<(u64, u64), u64>,
    types: FxHashMap<TypeId, u64>,
    fields: FxHashMap<FieldId, u64>,
    targets: FxHashMap<Target, u64>,
}

impl<'p> Words<'p> {
    fn new(past: &'p Past) -> Words<'p> {
        let (texts, types, fields, targets) = Default::default();
        Words { past, texts, types, fields, targets }
    }

    fn read(&mut self, location: &Location, value: Value) -> u64 {
        let place = match *location {
            Location::Element { index, .. } => u64::from(index),
            Location::Field { field, .. } | Location::Static(field) => {
                let past = self.past;
                let name = || place(past, location).unwrap_or_default();
                *self.fields.entry(field).or_insert_with(|| text(b'.', &name()))
            }
            Location::Local { .. } => 0,
        };
        mixed(place, self.value(value))
    }

    fn call(&mut self, call: CallId, target: Target) -> u64 {
        let past = self.past;
        let name = || {
            let (owner, name, descriptor) = past.target(target);
            format!("{}.{name}{descriptor}", jdk::owner::stable_name(&owner))
        };
        let mut word = *self.targets.entry(target).or_insert_with(|| text(b'(', &name()));
        let args = past.arguments(call).unwrap_or_default();
        for value in args.receiver.into_iter().chain(args.values) {
            word = mixed(word, self.value(value));
        }
        word
    }

    fn ending(&mut self, ending: Ending) -> u64 {
        match ending {
            Ending::Open => 1,
            Ending::Returned(None) => 2,
            Ending::Returned(Some(value)) => mixed(3, self.value(value)),
            Ending::Threw(value) => mixed(4, value.map_or(0, |value| self.value(value))),
        }
    }

    fn value(&mut self, value: Value) -> u64 {
        let past = self.past;
        let key = match value {
            Value::Int(value) => return mixed(1, value as u32 as u64),
            Value::Null => return mixed(0, 0),
            Value::Object(object) if past.is_doubtful(object) => return 5,
            Value::Object(object) => {
                let Some(ty) = past.type_of(object) else { return 5 };
                let class = || {
                    let name = past.class_of(object).unwrap_or_default();
                    text(b'@', jdk::owner::stable_name(name))
                };
                let class = *self.types.entry(ty).or_insert_with(class);
                return mixed(class, past.array_length(object).map_or(u64::MAX, u64::from));
            }
            Value::Str(id) => (1, u64::from(id.0)),
            Value::Literal { class, index } => (2, u64::from(class.0) << 16 | u64::from(index)),
            Value::Class(ty) => (3, u64::from(ty.0)),
            Value::Enum { ty, ordinal } => (4, u64::from(ty.0) << 16 | u64::from(ordinal)),
            value => return plain_word(plain(past, value)),
        };
        *self.texts.entry(key).or_insert_with(|| plain_word(plain(past, value)))
    }
}

fn plain_word(plain: PlainValue) -> u64 {
    match plain {
        PlainValue::Bits(kind, bits) => mixed(u64::from(kind), bits),
        PlainValue::Text(kind, all) => text(kind, &all),
        PlainValue::Object(_) | PlainValue::Unknown => 5,
    }
}

fn text(kind: u8, text: &str) -> u64 {
    let mut print = Print::new();
    print.write_u8(kind);
    print.bytes(text.as_bytes());
    print.finish()
}

fn mixed(one: u64, other: u64) -> u64 {
    let mut bits = one.rotate_left(23).wrapping_mul(BASE) ^ other;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_what_multiplying_gives() {
        let mut naive = 1u64;
        for exponent in 0..200 {
            assert_eq!(power(exponent), naive);
            naive = naive.wrapping_mul(BASE);
        }
    }
}
