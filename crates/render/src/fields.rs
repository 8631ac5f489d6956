//! Reading the fields of JDK objects by name. One reader serves one rendering of one object: it remembers whether
//! anything it relied on was only seen, and it bounds the walk through chains that damage may have closed.

use std::cell::Cell;

use base::{ObjectId, Value};

use crate::heap::{FieldValue, Heap, KnownValue};

/// So many nodes and slots are visited for one object at most, and for all that one rendering shows.
const STEPS: u32 = 100_000;
const ALL_STEPS: u32 = 500_000;

/// The steps that are left to one rendering.
pub(crate) struct Steps(Cell<u32>);

impl Steps {
    pub fn new() -> Self {
        Steps(Cell::new(ALL_STEPS))
    }
}

pub(crate) struct Reader<'h> {
    pub heap: &'h dyn Heap,
    seen: Cell<bool>,
    steps: Cell<u32>,
    all_steps: &'h Steps,
    nesting: Cell<u32>,
}

/// A stay inside a collection that is part of another one's form.
pub(crate) struct Inside<'r>(&'r Cell<u32>);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// A reference that is known: to an object, or null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ref {
    Null,
    To(ObjectId),
}

impl<'h> Reader<'h> {
    pub fn new(heap: &'h dyn Heap, all_steps: &'h Steps) -> Self {
        Reader { heap, seen: Cell::new(false), steps: Cell::new(STEPS), all_steps, nesting: Cell::new(0) }
    }

    /// Was anything that was read only seen?
    pub fn relied_on_seen(&self) -> bool {
        self.seen.get()
    }

    /// Counts one step of a walk; false when there were too many.
    pub fn step(&self) -> bool {
        let left = (self.steps.get().checked_sub(1), self.all_steps.0.get().checked_sub(1));
        let (Some(own), Some(all)) = left else { return false };
        self.steps.set(own);
        self.all_steps.0.set(all);
        true
    }

    /// Enters a collection that another one stands on; `None` past `limit` of them.
    pub fn inside(&self, limit: u32) -> Option<Inside<'_>> {
        let nesting = self.nesting.get();
        if nesting >= limit {
            return None;
        }
        self.nesting.set(nesting + 1);
        Some(Inside(&self.nesting))
    }

    pub fn fields(&self, object: ObjectId) -> Fields<'_> {
        Fields { reader: self, list: self.heap.fields(object) }
    }

    /// The type and its superclasses, upwards.
    pub fn classes(&self, object: ObjectId) -> Vec<String> {
        let mut classes = self.heap.supertypes(object);
        if let Some(own) = self.heap.type_name(object)
            && classes.first() != Some(&own)
        {
            classes.insert(0, own);
        }
        classes
    }

    pub fn is_a(&self, object: ObjectId, class: &str) -> bool {
        self.classes(object).iter().any(|own| own == class)
    }

    pub fn value(&self, known: KnownValue) -> Option<Value> {
        match known {
            KnownValue::Value(value) => Some(value),
            KnownValue::Seen(value) => {
                self.seen.set(true);
                Some(value)
            }
            KnownValue::Unknown => None,
        }
    }

    pub fn reference(&self, known: KnownValue) -> Option<Ref> {
        match self.value(known)? {
            Value::Null => Some(Ref::Null),
            Value::Object(id) => Some(Ref::To(id)),
            _ => None,
        }
    }

    pub fn int(&self, known: KnownValue) -> Option<i64> {
        match self.value(known)? {
            Value::Int(value) => Some(i64::from(value)),
            Value::Long(value) => Some(value),
            Value::Box { bits, .. } => Some(i64::from(bits)),
            Value::Box64 { bits, .. } => Some(bits),
            _ => None,
        }
    }
}

/// The fields of one object. A name is looked up from the topmost class down: a subclass of the program may
/// declare the same name again.
pub(crate) struct Fields<'r> {
    pub reader: &'r Reader<'r>,
    list: Vec<FieldValue>,
}

impl Fields<'_> {
    pub fn get(&self, name: &str) -> KnownValue {
        self.list.iter().find(|field| field.name == name).map_or(KnownValue::Unknown, |field| field.value)
    }

    /// The field of the lowest class that has one of that name.
    pub fn lowest(&self, name: &str) -> KnownValue {
        self.list.iter().rfind(|field| field.name == name).map_or(KnownValue::Unknown, |field| field.value)
    }

    pub fn reference(&self, name: &str) -> Option<Ref> {
        self.reader.reference(self.get(name))
    }

    /// The object that a field refers to; `None` if that is unknown or null.
    pub fn object(&self, name: &str) -> Option<ObjectId> {
        match self.reference(name)? {
            Ref::To(id) => Some(id),
            Ref::Null => None,
        }
    }

    /// The text that a field refers to, whole; `Some(None)` if it is null.
    pub fn text(&self, name: &str) -> Option<Option<String>> {
        match self.reader.value(self.get(name))? {
            Value::Null => Some(None),
            value => self.reader.heap.string(value).filter(|text| !text.cut).map(|text| Some(text.text)),
        }
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        self.reader.int(self.get(name))
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        self.int(name).map(|value| value != 0)
    }

    /// A number of elements or an index into an array.
    pub fn count(&self, name: &str) -> Option<u32> {
        self.int(name).and_then(|value| u32::try_from(value).ok())
    }
}
