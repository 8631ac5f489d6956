//! A heap that a test draws up object by object. Objects are numbered in the order in which they are made.

use std::collections::HashMap;

use base::{ObjectId, StringId, Text, TypeId, Value};
use render::{FieldValue, Heap, KnownValue};

#[derive(Default)]
pub struct FakeHeap {
    objects: Vec<Object>,
    strings: Vec<Text>,
    classes: Vec<String>,
    constants: HashMap<(TypeId, u16), String>,
}

#[derive(Default)]
struct Object {
    classes: Vec<String>,
    fields: Vec<FieldValue>,
    elements: Option<Vec<KnownValue>>,
    constant: Option<String>,
    message: Option<Text>,
    record: bool,
    lambda: Option<String>,
}

/// A value that is not known.
pub const UNKNOWN: KnownValue = KnownValue::Unknown;
pub const NULL: KnownValue = KnownValue::Value(Value::Null);

pub fn int(value: i32) -> KnownValue {
    KnownValue::Value(Value::Int(value))
}

pub fn long(value: i64) -> KnownValue {
    KnownValue::Value(Value::Long(value))
}

/// An `Integer`.
pub fn boxed(value: i32) -> KnownValue {
    KnownValue::Value(Value::Box { kind: b'I', bits: value })
}

pub fn boxes(values: impl IntoIterator<Item = i32>) -> Vec<KnownValue> {
    values.into_iter().map(boxed).collect()
}

pub fn to(object: ObjectId) -> KnownValue {
    KnownValue::Value(Value::Object(object))
}

impl FakeHeap {
    /// An object of a class, which may be followed by its superclasses: `"demo/MyList < java/util/ArrayList"`.
    pub fn object(&mut self, classes: &str, fields: &[(&str, KnownValue)]) -> ObjectId {
        let classes: Vec<String> = classes.split(" < ").map(str::to_owned).collect();
        let declared_in = classes.last().cloned().unwrap_or_default();
        let field = |&(name, value): &(&str, KnownValue)| {
            // "Point.x:I" is the field x of the class Point with its descriptor.
            let (name, descriptor) = name.split_once(':').unwrap_or((name, ""));
            let (class, name) = name.rsplit_once('.').unwrap_or((&declared_in, name));
            let (name, declared_in, descriptor) = (name.to_owned(), class.to_owned(), descriptor.to_owned());
            FieldValue { name, declared_in, descriptor, value }
        };
        let fields = fields.iter().map(field).collect();
        self.add(Object { classes, fields, ..Object::default() })
    }

    pub fn array(&mut self, class: &str, elements: impl IntoIterator<Item = KnownValue>) -> ObjectId {
        let elements = Some(elements.into_iter().collect());
        self.add(Object { classes: vec![class.to_owned()], elements, ..Object::default() })
    }

    /// An `Object[]`.
    pub fn objects(&mut self, elements: impl IntoIterator<Item = KnownValue>) -> ObjectId {
        self.array("[Ljava/lang/Object;", elements)
    }

    pub fn record(&mut self, class: &str, fields: &[(&str, KnownValue)]) -> ObjectId {
        let object = self.object(class, fields);
        self.objects[object.0 as usize - 1].record = true;
        object
    }

    pub fn constant(&mut self, class: &str, name: &str, fields: &[(&str, KnownValue)]) -> ObjectId {
        let object = self.object(class, fields);
        self.objects[object.0 as usize - 1].constant = Some(name.to_owned());
        object
    }

    pub fn exception(
        &mut self,
        classes: &str,
        message: Option<&str>,
        fields: &[(&str, KnownValue)],
    ) -> ObjectId {
        let object = self.object(classes, fields);
        self.objects[object.0 as usize - 1].message = message.map(text);
        object
    }

    pub fn lambda(&mut self, place: &str) -> ObjectId {
        self.add(Object {
            classes: vec!["demo/Main$$Lambda/0x0001".to_owned()],
            lambda: Some(place.to_owned()),
            ..Object::default()
        })
    }

    pub fn string(&mut self, content: &str) -> KnownValue {
        self.cut_string(text(content))
    }

    pub fn cut_string(&mut self, text: Text) -> KnownValue {
        self.strings.push(text);
        KnownValue::Value(Value::Str(StringId(self.strings.len() as u32)))
    }

    pub fn class(&mut self, name: &str) -> TypeId {
        self.classes.push(name.to_owned());
        TypeId(self.classes.len() as u32 - 1)
    }

    pub fn library_constant(&mut self, ty: TypeId, ordinal: u16, name: &str) {
        self.constants.insert((ty, ordinal), name.to_owned());
    }

    /// Changes a field, so that objects can refer to later ones.
    pub fn set(&mut self, object: ObjectId, field: &str, value: KnownValue) {
        let fields = &mut self.objects[object.0 as usize - 1].fields;
        fields.iter_mut().filter(|known| known.name == field).for_each(|known| known.value = value);
    }

    fn add(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId(self.objects.len() as u32)
    }

    fn get(&self, object: ObjectId) -> Option<&Object> {
        self.objects.get((object.0 as usize).checked_sub(1)?)
    }
}

fn text(content: &str) -> Text {
    Text { text: content.to_owned(), chars: content.encode_utf16().count() as u32, cut: false }
}

impl Heap for FakeHeap {
    fn type_name(&self, object: ObjectId) -> Option<String> {
        self.get(object)?.classes.first().cloned()
    }

    fn supertypes(&self, object: ObjectId) -> Vec<String> {
        self.get(object).map_or(Vec::new(), |object| object.classes.clone())
    }

    fn fields(&self, object: ObjectId) -> Vec<FieldValue> {
        self.get(object).map_or(Vec::new(), |object| object.fields.clone())
    }

    fn length(&self, array: ObjectId) -> Option<u32> {
        self.get(array)?.elements.as_ref().map(|elements| elements.len() as u32)
    }

    fn element(&self, array: ObjectId, index: u32) -> KnownValue {
        let elements = self.get(array).and_then(|array| array.elements.as_ref());
        elements.and_then(|elements| elements.get(index as usize)).copied().unwrap_or(KnownValue::Unknown)
    }

    fn string(&self, value: Value) -> Option<Text> {
        let Value::Str(id) = value else { return None };
        self.strings.get((id.0 as usize).checked_sub(1)?).cloned()
    }

    fn class_name(&self, ty: TypeId) -> Option<String> {
        self.classes.get(ty.0 as usize).cloned()
    }

    fn enum_constant(&self, value: Value) -> Option<(String, String)> {
        match value {
            Value::Object(id) => Some((self.type_name(id)?, self.get(id)?.constant.clone()?)),
            Value::Enum { ty, ordinal } => {
                Some((self.class_name(ty)?, self.constants.get(&(ty, ordinal))?.clone()))
            }
            _ => None,
        }
    }

    fn message(&self, exception: ObjectId) -> Option<Text> {
        self.get(exception)?.message.clone()
    }

    fn is_record(&self, object: ObjectId) -> bool {
        self.get(object).is_some_and(|object| object.record)
    }

    fn name(&self, object: ObjectId) -> String {
        let class =
            self.type_name(object).map_or_else(|| "object".to_owned(), |name| render::short_name(&name));
        format!("{class}@{}", object.0)
    }

    fn lambda(&self, object: ObjectId) -> Option<String> {
        self.get(object)?.lambda.clone()
    }
}
