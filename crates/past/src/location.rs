//! A place that holds a value.

use index::{CallId, Key};
use trace::{FieldId, ObjectId};

/// What holds a value, by identity: it means the same at every time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    Field {
        object: ObjectId,
        field: FieldId,
    },
    Static(FieldId),
    Element {
        array: ObjectId,
        index: u32,
    },
    /// A variable of a call, by its name; `local3` where the class file has no names.
    Local {
        call: CallId,
        name: String,
    },
}

impl Location {
    pub(crate) fn key(&self) -> Option<Key> {
        match *self {
            Location::Field { object, field } => Some(Key::field(object, field)),
            Location::Static(field) => Some(Key::of_static(field)),
            Location::Element { array, index } => Some(Key::element(array, index)),
            Location::Local { .. } => None,
        }
    }
}
