//! Fingerprints: a call's question and its answer as numbers that mean the same in every recording of every version of
//! the program. They do not depend on identities, on hash codes, nor on what the call did not look at.
//!
//! - *code*: the method, by what its instructions do;
//! - *input*: receiver and arguments, what the call read before it wrote it (in that order), what it gave to libraries,
//!   and what came in from outside; objects are numbered as they are met;
//! - *output*: the result, or the exception's type and message, and what each location that was written holds
//!   afterwards, in terms of the same numbers; new objects with all they hold.
//!
//! A fingerprint is none if something that matters is not known, or if there is too much of it. Equal code and equal
//! input mean that the same execution was asked for. Calls of *different* code read different things, and are
//! compared side by side instead (`oracle/compare.rs`).

mod code;
mod course;
mod facts;
mod footprint;
mod graph;
mod visible;
mod written;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::hash::Hasher;

use base::{Arguments, CallId, Ending, ObjectId, Position, Target, Time, Value};
use past::{Location, Past};
use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128, SipHasher24};

pub use code::code;
pub(crate) use course::{Course, Courses};
pub(crate) use facts::Facts;
pub(crate) use footprint::{Footprint, Interaction, existed};
pub(crate) use graph::{
    Contents, Label, PlainValue, contents, is_builder, is_lambda, is_scattered_entry, known_value, label,
    plain,
};
pub(crate) use written::{Place, written};

/// Objects and elements that are looked at for one call, at most.
pub(crate) const MAX_NODES: usize = 100_000;

/// 128 bits of SipHash-2-4 under a fixed key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(pub u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Fingerprint> for String {
    fn from(print: Fingerprint) -> String {
        print.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Fingerprint, Self::Error> {
        u128::from_str_radix(&text, 16).map(Fingerprint)
    }
}

/// What one call was asked and what it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprints {
    pub code: Fingerprint,
    pub input: Fingerprint,
    pub output: Fingerprint,
}

/// The fingerprints of a call of the program that is over; none if they cannot be known.
pub fn fingerprints(past: &Past, call: CallId) -> Option<Fingerprints> {
    fingerprints_by(past, &Facts::default(), call).0
}

/// The same, with what is known of the recording already; and how much was looked at for it.
pub(crate) fn fingerprints_by(past: &Past, facts: &Facts, call: CallId) -> (Option<Fingerprints>, usize) {
    let mut naming =
        Naming { past, facts, numbers: HashMap::new(), old: HashSet::new(), met: Vec::new(), nodes: 0 };
    (naming.fingerprints(call), naming.nodes)
}

/// The hash under way.
pub(crate) struct Print(SipHasher24);

impl Print {
    pub fn new() -> Print {
        Print(SipHasher24::new_with_keys(0x696e_7175_6573_7431, 0x6669_6e67_6572_7072))
    }

    /// Bytes with their length, so that what follows cannot be taken for a part of them.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.write_u64(bytes.len() as u64);
        self.0.write(bytes);
    }

    /// A value, all but an object, which is given back to be followed. None if it is not known.
    pub fn value(&mut self, value: PlainValue) -> Option<Option<ObjectId>> {
        match value {
            PlainValue::Unknown => return None,
            PlainValue::Bits(kind, bits) => {
                self.write_u8(kind);
                self.write_u64(bits);
            }
            PlainValue::Text(kind, text) => {
                self.write_u8(kind);
                self.bytes(text.as_bytes());
            }
            PlainValue::Object(object) => {
                self.write_u8(b'@');
                return Some(Some(object));
            }
        }
        Some(None)
    }

    pub fn label(&mut self, label: &Label<'_>) {
        self.bytes(label.class.as_bytes());
        self.write_u64(label.length.map_or(u64::MAX, u64::from));
        self.bytes(label.constant.as_deref().unwrap_or_default().as_bytes());
    }

    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.0.finish128().into())
    }
}

impl Hasher for Print {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// A call that is looked at.
struct Looked {
    id: CallId,
    given: Arguments,
    ending: Ending,
    entry: Time,
    exit: Time,
}

/// Objects by number, in the order in which they were met.
struct Naming<'p> {
    past: &'p Past,
    facts: &'p Facts,
    numbers: HashMap<ObjectId, u32>,
    /// Those that are the call's input.
    old: HashSet<ObjectId>,
    /// Those met since the output began, in order.
    met: Vec<ObjectId>,
    nodes: usize,
}

impl Naming<'_> {
    fn fingerprints(&mut self, call: CallId) -> Option<Fingerprints> {
        let row = self.past.call_row(call)?;
        let Target::Method(method) = row.target else { return None };
        let time = |ordinal| self.past.time(Position { stream: call.stream, ordinal });
        let info = Looked {
            id: call,
            given: self.past.arguments(call)?,
            ending: row.ending,
            entry: time(row.entry)?,
            exit: time(row.exit)?,
        };
        let code = self.facts.code(self.past, method)?;
        let footprint = Footprint::of(self.past, self.facts, call)?;
        self.nodes += footprint.reads.len();
        let input = self.input(&info, &footprint)?;
        let output = self.output(&info, &footprint)?;
        Some(Fingerprints { code, input, output })
    }

    fn input(&mut self, info: &Looked, footprint: &Footprint) -> Option<Fingerprint> {
        let mut print = Print::new();
        for &value in info.given.receiver.iter().chain(&info.given.values) {
            self.value(value, &mut print)?;
        }
        for read in &footprint.reads {
            // What a library made within the call follows from what it was given.
            if let Some(object) = owner(&read.location)
                && !self.numbers.contains_key(&object)
                && !existed(self.past, object, info.entry)
            {
                continue;
            }
            self.location(&read.location, &mut print)?;
            self.value(read.value, &mut print)?;
        }
        for &(array, from, length) in &footprint.copied {
            if existed(self.past, array, info.entry) {
                self.value(Value::Object(array), &mut print)?;
                print.write_u32(from);
                self.elements(array, from, length, info.entry, &mut print)?;
            }
        }
        let handed = footprint.handed.iter();
        let before: VecDeque<ObjectId> = handed
            .copied()
            .filter(|object| self.numbers.contains_key(object) || !footprint.given.contains(object))
            .filter(|&object| existed(self.past, object, info.entry))
            .collect();
        self.follow(before, info.entry, &mut print, true, |object| !object.is_program())?;
        self.old = self.numbers.keys().copied().collect();
        for interaction in footprint.outside.iter().chain(&footprint.callbacks) {
            print.bytes(interaction.method.as_bytes());
            for &value in &interaction.values {
                self.value(value, &mut print)?;
            }
            self.ending(interaction.ending, &mut print)?;
        }
        Some(print.fingerprint())
    }

    fn output(&mut self, info: &Looked, footprint: &Footprint) -> Option<Fingerprint> {
        let mut print = Print::new();
        self.met.clear();
        self.ending(info.ending, &mut print)?;
        let mut writes = Vec::new();
        for location in &footprint.writes {
            let number = match owner(location) {
                None => 0,
                Some(object) if !self.is_old(object, info.entry) => continue,
                Some(object) => *self.numbers.get(&object)? + 1,
            };
            writes.push((number, place(self.past, location)?, location));
        }
        writes.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        for (number, place, location) in writes {
            print.write_u32(number);
            print.bytes(place.as_bytes());
            let value = known_value(self.past.value_at(location, info.exit))?;
            self.value(value, &mut print)?;
        }
        // String builders are changed without a write that is recorded.
        for &builder in footprint.handed.iter().filter(|&&object| is_builder(self.past, object)) {
            if let Some(&number) = self.numbers.get(&builder)
                && self.is_old(builder, info.entry)
            {
                print.write_u32(number);
                let text = render::Heap::builder(&self.past.heap_at(info.exit), builder)?;
                print.bytes(text.text.as_bytes());
            }
        }
        self.written(info, &mut print)?;
        let new = std::mem::take(&mut self.met);
        let old: HashSet<ObjectId> =
            new.iter().copied().filter(|&object| self.is_old(object, info.entry)).collect();
        let list = new.into_iter().filter(|object| !old.contains(object)).collect();
        let (past, input) = (self.past, std::mem::take(&mut self.old));
        self.follow(list, info.exit, &mut print, false, |object| {
            !input.contains(&object) && !existed(past, object, info.entry)
        })?;
        Some(print.fingerprint())
    }

    fn is_old(&self, object: ObjectId, entry: Time) -> bool {
        self.old.contains(&object) || existed(self.past, object, entry)
    }

    /// What objects hold, and what those hold in turn as far as `further` says. Lambdas are only known by who they
    /// call, which is input.
    fn follow(
        &mut self,
        mut list: VecDeque<ObjectId>,
        time: Time,
        print: &mut Print,
        lambdas: bool,
        further: impl Fn(ObjectId) -> bool,
    ) -> Option<()> {
        let mut done: HashSet<ObjectId> = HashSet::new();
        while let Some(object) = list.pop_front() {
            if !done.insert(object) {
                continue;
            }
            self.value(Value::Object(object), print)?;
            let label = label(self.past, object)?;
            let mut values = Vec::new();
            match contents(self.past, self.facts, object, &label, time)? {
                Contents::Lambda if !lambdas => return None,
                Contents::Lambda => print.write_u8(b'?'),
                Contents::Text(text) => print.bytes(text.as_bytes()),
                Contents::Elements(length) => values = self.elements(object, 0, length, time, print)?,
                Contents::Fields(fields) => {
                    for (name, known) in fields.iter() {
                        print.bytes(name.as_bytes());
                        let value = known_value(known)?;
                        self.value(value, print)?;
                        values.push(value);
                    }
                }
            }
            let next = values.into_iter().filter_map(footprint::object);
            list.extend(next.filter(|&next| !done.contains(&next) && further(next)));
        }
        Some(())
    }

    fn elements(
        &mut self,
        array: ObjectId,
        from: u32,
        length: u32,
        time: Time,
        print: &mut Print,
    ) -> Option<Vec<Value>> {
        self.nodes = self.nodes.saturating_add(length as usize);
        if self.nodes > MAX_NODES {
            return None;
        }
        let mut values = Vec::with_capacity(length as usize);
        for known in self.past.elements_at(array, from, length, time) {
            let value = known_value(known)?;
            self.value(value, print)?;
            values.push(value);
        }
        Some(values)
    }

    fn ending(&mut self, ending: Ending, print: &mut Print) -> Option<()> {
        match ending {
            Ending::Open => None,
            Ending::Returned(None) => {
                print.write_u8(0);
                Some(())
            }
            Ending::Returned(Some(value)) => {
                print.write_u8(1);
                self.value(value, print)
            }
            Ending::Threw(exception) => {
                print.write_u8(2);
                let (class, message) = thrown(self.past, exception)?;
                print.bytes(class.as_bytes());
                print.bytes(message.as_bytes());
                Some(())
            }
        }
    }

    fn value(&mut self, value: Value, print: &mut Print) -> Option<()> {
        if let Some(object) = print.value(plain(self.past, value))? {
            self.met.push(object);
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry(object).or_insert(next);
            print.write_u32(number);
            if number == next {
                self.nodes += 1;
                print.label(&label(self.past, object)?);
            }
        }
        (self.nodes <= MAX_NODES).then_some(())
    }

    fn location(&mut self, location: &Location, print: &mut Print) -> Option<()> {
        if let Some(object) = owner(location) {
            self.value(Value::Object(object), print)?;
        }
        print.bytes(place(self.past, location)?.as_bytes());
        Some(())
    }
}

pub(crate) fn owner(location: &Location) -> Option<ObjectId> {
    match *location {
        Location::Field { object, .. } => Some(object),
        Location::Element { array, .. } => Some(array),
        Location::Static(_) | Location::Local { .. } => None,
    }
}

/// A location within its object. Indexes are as long as each other, so that they sort as numbers.
pub(crate) fn place(past: &Past, location: &Location) -> Option<String> {
    match location {
        Location::Element { index, .. } => Some(format!("[{index:010}]")),
        Location::Field { field, .. } | Location::Static(field) => {
            let (class, field) = past.program().field(*field)?;
            Some(format!("{}.{}:{}", class.name, field.name, field.descriptor))
        }
        Location::Local { .. } => None,
    }
}

/// Type and message of an exception.
pub(crate) fn thrown(past: &Past, exception: Option<Value>) -> Option<(String, String)> {
    let Some(Value::Object(object)) = exception else { return None };
    let class = past.class_of(object)?.to_owned();
    let message = render::Heap::message(&past.heap_at(Time(0)), object);
    match message {
        Some(text) if text.cut => None,
        message => Some((class, message.map_or(String::new(), |text| text.text))),
    }
}
