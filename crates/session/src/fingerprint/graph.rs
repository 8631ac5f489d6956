//! Values and objects in terms that mean the same in every recording: no identities, no numbers of one run. What an
//! object holds is given part by part, so that both comparing and hashing decide how far they follow.

use base::{ObjectId, Time, Value};
use jdk::caches::is_cache;
use jdk::owner::stable_name;
use past::{KnownValue, Past};
use render::Heap;

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
pub struct Label {
    pub class: String,
    pub length: Option<u32>,
    /// The name of an enum constant.
    pub constant: Option<String>,
}

/// What an object holds at a moment.
pub enum Contents {
    Elements(u32),
    /// By declaring class and name.
    Fields(Vec<(String, KnownValue)>),
    Text(String),
    /// Nothing is known of it, and it may be anything.
    Opaque,
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

pub fn label(past: &Past, object: ObjectId) -> Option<Label> {
    Some(Label {
        class: stable_name(past.class_of(object)?).to_owned(),
        length: past.array_length(object),
        constant: past.heap_at(Time(0)).enum_constant(Value::Object(object)).map(|(_, name)| name),
    })
}

pub fn is_lambda(label: &Label) -> bool {
    label.class.ends_with(jdk::owner::LAMBDA)
}

pub fn is_builder(past: &Past, object: ObjectId) -> bool {
    past.class_of(object).is_some_and(jdk::builders::is_builder)
}

/// What an object holds at a time; none if it should be known and is not.
pub fn contents(past: &Past, object: ObjectId, label: &Label, time: Time) -> Option<Contents> {
    let heap = past.heap_at(time);
    if let Some(length) = label.length {
        return Some(Contents::Elements(length));
    }
    if is_builder(past, object) {
        let text = heap.builder(object)?;
        return (!text.cut).then_some(Contents::Text(text.text));
    }
    if label.class == jdk::names::OBJECT {
        return Some(Contents::Fields(Vec::new()));
    }
    if heap.supertypes(object).iter().any(|class| class == jdk::names::THROWABLE) {
        let message = heap.message(object).map_or(String::new(), |text| text.text);
        return Some(Contents::Text(message));
    }
    let fields: Vec<(String, KnownValue)> = heap
        .fields(object)
        .into_iter()
        .filter(|field| !is_cache(&field.declared_in, &field.name))
        .map(|field| (format!("{}.{}", field.declared_in, field.name), field.value))
        .collect();
    let known = fields.iter().all(|(_, value)| *value != KnownValue::Unknown);
    if object.is_program() {
        return Some(Contents::Fields(fields));
    }
    let collection = jdk::collections::is_followed(&label.class);
    match (known && !fields.is_empty(), collection) {
        (true, true) => {
            let identity = |name: &str, value: &KnownValue| {
                name.rsplit('.').next() == Some(jdk::collections::KEY)
                    && known_value(*value).is_some_and(|key| is_hashed_by_identity(past, key))
            };
            // Where such a key is kept in a table differs from run to run.
            let spread = jdk::identity::is_hash_table(&label.class)
                && fields.iter().any(|(name, value)| identity(name, value));
            (!spread).then_some(Contents::Fields(fields))
        }
        (false, true) => None,
        (_, false) => Some(Contents::Opaque),
    }
}

pub fn known_value(known: KnownValue) -> Option<Value> {
    match known {
        KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
        KnownValue::Unknown => None,
    }
}
