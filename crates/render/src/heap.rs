//! What the renderer asks of a heap. A trait, because the state of a recording and the heaps that tests draw up
//! are different things; nothing here may fail, since "not known" is an ordinary answer.

use base::{ObjectId, Text, TypeId, Value};

/// The heap at one moment, as far as it is known.
pub trait Heap {
    /// With slashes, as in class files: `java/util/ArrayList`, `[I`, `demo/Main$Point`.
    fn type_name(&self, object: ObjectId) -> Option<String>;
    /// The superclasses from the type itself upwards, with slashes.
    fn supertypes(&self, object: ObjectId) -> Vec<String>;
    /// The instance fields, those of superclasses first.
    fn fields(&self, object: ObjectId) -> Vec<FieldValue>;
    fn length(&self, array: ObjectId) -> Option<u32>;
    fn element(&self, array: ObjectId, index: u32) -> KnownValue;
    /// Many elements of an array, from one on, all of which it has: the same as each by itself.
    fn elements(&self, array: ObjectId, from: u32, count: u32) -> Vec<KnownValue> {
        (from..from.saturating_add(count)).map(|index| self.element(array, index)).collect()
    }
    /// The content of `Value::Str` and `Value::Literal`.
    fn string(&self, value: Value) -> Option<Text>;
    /// The class that a `Value::Class` stands for, with slashes.
    fn class_name(&self, ty: TypeId) -> Option<String>;
    /// Name of the type and of the constant, for `Value::Enum` and for enum objects of the program.
    fn enum_constant(&self, value: Value) -> Option<(String, String)>;
    /// The detail message of an exception.
    fn message(&self, exception: ObjectId) -> Option<Text>;
    fn is_record(&self, object: ObjectId) -> bool;
    /// What the object is called: `ArrayList@1`.
    fn name(&self, object: ObjectId) -> String;
    /// The content of a string builder, where it is known without its fields.
    fn builder(&self, _builder: ObjectId) -> Option<Text> {
        None
    }
    /// Where a lambda was written (`Main.java:17`), if the object is one.
    fn lambda(&self, object: ObjectId) -> Option<String>;
}

/// An instance field of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldValue {
    pub name: String,
    /// The class that declares it, with slashes.
    pub declared_in: String,
    pub descriptor: String,
    pub value: KnownValue,
}

/// What is known of the value in a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KnownValue {
    Value(Value),
    /// As a library's result last showed it; it may have changed since.
    Seen(Value),
    Unknown,
}

impl From<Value> for KnownValue {
    fn from(value: Value) -> Self {
        KnownValue::Value(value)
    }
}
