//! Values and objects in terms that mean the same in every recording: no identities, no numbers of one run. What an
//! object holds is given part by part, so that both comparing and hashing decide how far they follow.

use std::sync::Arc;

use base::{FieldId, ObjectId, Time, Value};
use jdk::owner::stable_name;
use past::{KnownValue, Location, Past};
use render::Heap;

use super::facts::{Facts, TypeFacts};
use super::footprint::is_hashed_by_identity;

/// A value without identity, or an object to be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainValue {
    /// A number of this kind; `null` is 0 of kind 0.
    Bits(u8, u64),
    /// A string, class or enum constant, told apart by the letter.
    Text(u8, String),
    Object(ObjectId),
    Unknown,
}

/// What is the same of an object for its whole life.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label<'p> {
    pub class: &'p str,
    pub length: Option<u32>,
    /// The name of an enum constant.
    pub constant: Option<String>,
}

/// What an object holds at a moment.
pub enum Contents {
    Elements(u32),
    Fields(Fields),
    Text(String),
    /// A lambda: what it holds shows when it is called.
    Lambda,
}

/// The fields of an object, by declaring class and name.
pub struct Fields {
    facts: Arc<TypeFacts>,
    values: Vec<KnownValue>,
}

impl Fields {
    pub fn iter(&self) -> impl Iterator<Item = (&str, KnownValue)> {
        self.facts.fields.iter().zip(&self.values).map(|((_, name), &value)| (name.as_str(), value))
    }
}

pub fn plain(past: &Past, value: Value) -> PlainValue {
    let heap = past.heap_at(Time(0));
    match value {
        Value::Null => PlainValue::Bits(0, 0),
        Value::Int(value) => PlainValue::Bits(1, value as u32 as u64),
        Value::Long(value) => PlainValue::Bits(2, value as u64),
        Value::Float(value) => PlainValue::Bits(3, u64::from(value.to_bits())),
        Value::Double(value) => PlainValue::Bits(4, value.to_bits()),
        Value::Box { kind, bits } => PlainValue::Bits(kind, bits as u32 as u64),
        Value::Box64 { kind, bits } => PlainValue::Bits(kind, bits as u64),
        Value::Object(object) if past.is_doubtful(object) => PlainValue::Unknown,
        Value::Object(object) => PlainValue::Object(object),
        Value::Str(_) | Value::Literal { .. } => match heap.string(value) {
            Some(text) if !text.cut => PlainValue::Text(b's', text.text),
            _ => PlainValue::Unknown,
        },
        Value::Class(ty) => heap
            .class_name(ty)
            .map_or(PlainValue::Unknown, |name| PlainValue::Text(b'c', stable_name(&name).to_owned())),
        Value::Enum { .. } => match heap.enum_constant(value) {
            Some((class, name)) => PlainValue::Text(b'e', format!("{class}.{name}")),
            None => PlainValue::Unknown,
        },
        Value::Unidentified | Value::Pending(_) | Value::ReturnAddress(_) | Value::Top => PlainValue::Unknown,
    }
}

pub fn label(past: &Past, object: ObjectId) -> Option<Label<'_>> {
    Some(Label {
        class: stable_name(past.class_of(object)?),
        length: past.array_length(object),
        constant: past.heap_at(Time(0)).enum_constant(Value::Object(object)).map(|(_, name)| name),
    })
}

pub fn is_lambda(label: &Label<'_>) -> bool {
    label.class.ends_with(jdk::owner::LAMBDA)
}

pub fn is_builder(past: &Past, object: ObjectId) -> bool {
    past.class_of(object).is_some_and(jdk::builders::is_builder)
}

/// What an object holds at a time; none if that is not known. Who only knows that two objects are of one class knows
/// nothing of what they hold.
pub fn contents(
    past: &Past,
    facts: &Facts,
    object: ObjectId,
    label: &Label<'_>,
    time: Time,
) -> Option<Contents> {
    if let Some(length) = label.length {
        return Some(Contents::Elements(length));
    }
    if is_builder(past, object) {
        let text = past.heap_at(time).builder(object)?;
        return (!text.cut).then_some(Contents::Text(text.text));
    }
    if label.class == jdk::names::OBJECT {
        return Some(Contents::Fields(Fields { facts: Arc::default(), values: Vec::new() }));
    }
    if is_lambda(label) {
        return Some(Contents::Lambda);
    }
    let facts = facts.of_type(past, past.type_of(object)?);
    if facts.throwable {
        let message = past.heap_at(time).message(object).map_or(String::new(), |text| text.text);
        return Some(Contents::Text(message));
    }
    let value = |&(field, _): &(FieldId, String)| past.value_at(&Location::Field { object, field }, time);
    let fields = Fields { values: facts.fields.iter().map(value).collect(), facts };
    if object.is_program() {
        return Some(Contents::Fields(fields));
    }
    let all = fields.facts.complete || jdk::contents::is_recorded(label.class) && !fields.values.is_empty();
    if !all || fields.values.contains(&KnownValue::Unknown) {
        return None;
    }
    (!is_scattered(past, label, &fields)).then_some(Contents::Fields(fields))
}

/// Is it an entry of a hash table whose place there differs from run to run, because that of its key does?
fn is_scattered(past: &Past, label: &Label<'_>, fields: &Fields) -> bool {
    let identity = |(name, value): (&str, KnownValue)| {
        name.rsplit('.').next() == Some(jdk::collections::KEY)
            && known_value(value).is_some_and(|key| is_hashed_by_identity(past, key))
    };
    jdk::identity::is_hash_table(label.class) && fields.iter().any(identity)
}

/// The same of an object at a time.
pub fn is_scattered_entry(past: &Past, facts: &Facts, object: ObjectId, time: Time) -> bool {
    let Some((label, ty)) = label(past, object).zip(past.type_of(object)) else { return false };
    let facts = facts.of_type(past, ty);
    let value = |&(field, _): &(FieldId, String)| past.value_at(&Location::Field { object, field }, time);
    let values = facts.fields.iter().map(value).collect();
    is_scattered(past, &label, &Fields { values, facts })
}

pub fn known_value(known: KnownValue) -> Option<Value> {
    match known {
        KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
        KnownValue::Unknown => None,
    }
}
