//! The parts of an object a window at a time, with the values themselves and where they lie: for a client that compares
//! two moments, or pages through a list of a million elements.

use base::ObjectId;

use crate::fields::{Reader, Steps};
use crate::form::{Label, Wish, form};
use crate::heap::{Heap, KnownValue};
use crate::limits::RenderLimits;
use crate::line::line;
use crate::node::ValueKind;
use crate::sequences::slice_of;

/// The place that a part's value lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Element(ObjectId, u32),
    /// A field of a library's object: the uppermost of that name.
    Field(ObjectId, &'static str),
    /// A field by its number in the list of the object's fields.
    Own(ObjectId, usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct NamedPart {
    /// The name of a field, `[3]` for an element, the text of the key for a pair of a map.
    pub label: String,
    /// The key of a pair.
    pub key: Option<KnownValue>,
    pub value: KnownValue,
    pub descriptor: String,
    pub home: Option<Home>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub kind: ValueKind,
    /// From the first that was asked for on.
    pub list: Vec<NamedPart>,
    /// How many there are in all.
    pub total: u64,
}

/// The parts of an object from `skip` on, at most `count`; `raw` for its plain fields.
pub fn parts(heap: &dyn Heap, object: ObjectId, skip: usize, count: usize, raw: bool) -> Parts {
    let steps = Steps::new();
    let reader = Reader::new(heap, &steps);
    if let Some(length) = heap.length(object) {
        let element = heap.type_name(object).and_then(|name| name.strip_prefix('[').map(str::to_owned));
        let part = |index: u32| NamedPart {
            label: format!("[{index}]"),
            key: None,
            value: heap.element(object, index),
            descriptor: element.clone().unwrap_or_default(),
            home: Some(Home::Element(object, index)),
        };
        let list = window(skip, count, length).map(part).collect();
        return Parts { kind: ValueKind::Array, list, total: u64::from(length) };
    }
    // A list on an array is read where it is asked for, unless the program has added fields of its own.
    let own = heap.fields(object).iter().any(|field| !jdk::owner::is_jdk(&field.declared_in));
    if !raw
        && !own
        && let Some(slice) = slice_of(&reader, object)
    {
        let part = |index: u32| {
            let item = slice.item(&reader, index);
            NamedPart {
                label: format!("[{index}]"),
                key: None,
                value: item.value,
                descriptor: String::new(),
                home: item.home,
            }
        };
        let list = window(skip, count, slice.count).map(part).collect();
        return Parts { kind: ValueKind::List, list, total: u64::from(slice.count) };
    }
    let wish = Wish { parts: skip.saturating_add(count), string: 0, raw, steps: &steps };
    let form = form(heap, object, wish);
    let total = form.count();
    let list = form.fields.into_iter().chain(form.parts).skip(skip).take(count).map(|part| {
        let (label, key) = match part.label {
            Label::Index(index) => (format!("[{index}]"), None),
            Label::Name(name) => (name, None),
            Label::Key(key) => {
                let limits = RenderLimits { elements: 6, string: 60, width: 60, ..RenderLimits::line() };
                (line(heap, key, "", &limits, raw, vec![object], &steps), Some(key))
            }
        };
        NamedPart { label, key, value: part.value, descriptor: part.descriptor, home: part.home }
    });
    Parts { kind: form.kind, list: list.collect(), total }
}

fn window(skip: usize, count: usize, length: u32) -> std::ops::Range<u32> {
    let from = u32::try_from(skip).unwrap_or(u32::MAX).min(length);
    let to = u32::try_from(skip.saturating_add(count)).unwrap_or(u32::MAX).min(length);
    from..to
}
