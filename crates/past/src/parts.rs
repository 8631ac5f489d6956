//! The parts of an object at a moment, some at a time, each with the location that it lies in.

use index::Time;
use render::{Heap, Home, KnownValue};
use trace::{ObjectId, Text, Value};

use crate::history::value_of;
use crate::location::Location;
use crate::past::Past;

/// A part of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectPart {
    /// The name of a field, `[3]` for an element, the text of the key for a pair of a map.
    pub label: String,
    pub key: Option<KnownValue>,
    pub value: KnownValue,
    pub descriptor: String,
    pub location: Option<Location>,
}

/// Some of an object's parts.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectParts {
    pub list: Vec<ObjectPart>,
    /// How many the object has in all.
    pub total: u64,
}

impl Past {
    /// The parts of an object from `skip` on, at most `count`; `raw` for its plain fields.
    pub fn pieces(&self, object: ObjectId, time: Time, skip: usize, count: usize, raw: bool) -> ObjectParts {
        self.stay_small();
        let parts = render::parts(&self.heap_at(time), object, skip, count, raw);
        let list = parts.list.into_iter().map(|part| ObjectPart {
            label: part.label,
            key: part.key,
            value: part.value,
            descriptor: part.descriptor,
            location: part.home.and_then(|home| self.home(home)),
        });
        ObjectParts { list: list.collect(), total: parts.total }
    }

    fn home(&self, home: Home) -> Option<Location> {
        let field = |object: ObjectId, pick: &dyn Fn(usize, &str) -> bool| {
            let fields = self.fields_of(object);
            let found = fields.into_iter().enumerate().find(|(at, (_, name))| pick(*at, name));
            found.map(|(_, (field, _))| Location::Field { object, field })
        };
        match home {
            Home::Element(array, index) => Some(Location::Element { array, index }),
            Home::Field(object, wanted) => field(object, &|_, name| name == wanted),
            Home::Own(object, wanted) => field(object, &|at, _| at == wanted),
        }
    }

    /// The text that a value is: a string's, or what a string builder holds at the time.
    pub fn text_of(&self, known: KnownValue, time: Time) -> Option<Text> {
        match value_of(known)? {
            // To ask what is none costs a look at all of its uses.
            Value::Object(object) if !jdk::builders::is_builder(self.class_of(object)?) => None,
            Value::Object(object) => self.heap_at(time).builder(object),
            value => self.heap_at(time).string(value),
        }
    }
}
