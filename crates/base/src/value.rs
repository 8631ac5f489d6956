//! A value as the program saw it. Strings, boxes, enum constants and classes are known by value, other
//! objects by identity. Plain data of 16 bytes: replay copies values for every bytecode.

use crate::ids::{ClassId, ObjectId, PendingId, StringId, TypeId};

/// A value. Objects without identity of their own are here by content, so that two of them can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// boolean, byte, char, short and int: which of them is told by a descriptor.
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Null,
    Object(ObjectId),
    /// An object that was recorded without its identity.
    Unidentified,
    Str(StringId),
    /// A string constant of a class: `index` in the constant pool of `class`.
    Literal {
        class: ClassId,
        index: u16,
    },
    /// A box of a 32-bit kind (its descriptor letter) or less.
    Box {
        kind: u8,
        bits: i32,
    },
    Box64 {
        kind: u8,
        bits: i64,
    },
    Class(TypeId),
    Enum {
        ty: TypeId,
        ordinal: u16,
    },
    /// An object under construction, before its constructor called `Object()`. A `Named` event follows.
    Pending(PendingId),
    /// What `jsr` leaves on the stack: the number of an instruction.
    ReturnAddress(u32),
    /// No value: a local that was not written yet, and the second slot of a long or double.
    Top,
}

impl Value {
    pub fn is_null(self) -> bool {
        self == Value::Null
    }

    /// The value of an object reference as records have it.
    pub fn of_ref(id: u32) -> Value {
        match id {
            0 => Value::Null,
            ObjectId::UNIDENTIFIED => Value::Unidentified,
            id => Value::Object(ObjectId(id)),
        }
    }

    /// What an int becomes when it is stored in a place of this descriptor letter.
    pub fn narrowed(self, kind: u8) -> Value {
        match (self, kind) {
            (Value::Int(v), b'Z') => Value::Int(v & 1),
            (Value::Int(v), b'B') => Value::Int(i32::from(v as i8)),
            (Value::Int(v), b'C') => Value::Int(i32::from(v as u16)),
            (Value::Int(v), b'S') => Value::Int(i32::from(v as i16)),
            (value, _) => value,
        }
    }
}
