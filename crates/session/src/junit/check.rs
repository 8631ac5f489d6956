//! What a test looks at after the call: the result against what was expected, or everything that came out against
//! what was judged wrong.

use base::{FieldId, ObjectId};
use jdk::collections::{Recipe, has_equals};
use past::{KnownValue, Location, Time, Value};
use render::{Heap, Items};

use super::WhyNot;
use super::content::content;
use super::inputs::Inputs;

/// Levels of new objects that are compared field by field.
const DEPTH: usize = 3;

/// Conditions, all of which hold if it came out as it was recorded.
pub(super) struct Checks<'i, 'p> {
    pub inputs: &'i mut Inputs<'p>,
    pub exit: Time,
    pub list: Vec<String>,
}

impl Checks<'_, '_> {
    /// The value in an expression of this type.
    pub fn value(&mut self, expression: &str, known: KnownValue, descriptor: &str, depth: usize) {
        let (KnownValue::Value(value) | KnownValue::Seen(value)) = known else { return };
        let condition = match (value, descriptor.as_bytes().first()) {
            (Value::Double(_), Some(b'D')) | (Value::Float(_), Some(b'F')) => {
                let class = if descriptor == "D" { "Double" } else { "Float" };
                self.inputs
                    .literal(known, descriptor, self.exit)
                    .map(|literal| format!("{class}.compare({expression}, {literal}) == 0"))
            }
            (Value::Int(_) | Value::Long(_), Some(_)) => self
                .inputs
                .literal(known, descriptor, self.exit)
                .map(|literal| format!("{expression} == {literal}")),
            (Value::Null, _) => Ok(format!("{expression} == null")),
            (Value::Object(object), _) => return self.object(expression, object, depth),
            _ => self.deep_equals(expression, known, descriptor),
        };
        self.list.extend(condition);
    }

    fn deep_equals(
        &mut self,
        expression: &str,
        known: KnownValue,
        descriptor: &str,
    ) -> Result<String, WhyNot> {
        let literal = self.inputs.literal(known, descriptor, self.exit)?;
        let objects = self.inputs.names.jdk("java.util.Objects");
        Ok(format!("{objects}.deepEquals({expression}, {literal})"))
    }

    /// The object that an expression refers to.
    pub fn object(&mut self, expression: &str, object: ObjectId, depth: usize) {
        if object.is_program()
            && let Some(variable) = self.inputs.variable(object)
        {
            if variable != expression {
                let condition = format!("{expression} == {variable}");
                self.list.push(condition);
            }
            return;
        }
        let known = KnownValue::Value(Value::Object(object));
        let heap = self.inputs.past.heap_at(self.exit);
        if heap.type_name(object).is_some_and(|class| !has_equals(&class)) {
            return self.queue(expression, object);
        }
        if let Ok(condition) = self.deep_equals(expression, known, "") {
            return self.list.push(condition);
        }
        self.list.push(format!("{expression} != null"));
        if depth < DEPTH && object.is_program() && heap.lambda(object).is_none() {
            let Some(ty) = self.inputs.past.type_of(object) else { return };
            for (field, _) in self.inputs.past.program().instance_fields(ty) {
                self.field(expression, object, field, depth + 1);
            }
        }
    }

    /// Queues have no `equals`: their elements are compared in order.
    fn queue(&mut self, expression: &str, object: ObjectId) {
        let heap = self.inputs.past.heap_at(self.exit);
        let Some(Ok((Recipe::Copy(_), Items::Elements(elements)))) = content(&heap, object) else { return };
        let texts: Result<Vec<String>, WhyNot> =
            elements.into_iter().map(|one| self.inputs.literal(one, "", self.exit)).collect();
        let Ok(texts) = texts else { return };
        let (list, arrays) =
            (self.inputs.names.jdk("java.util.ArrayList"), self.inputs.names.jdk("java.util.Arrays"));
        self.list.push(format!("new {list}<>({expression}).equals({arrays}.asList({}))", texts.join(", ")));
    }

    /// A field of the object that an expression refers to.
    pub fn field(&mut self, expression: &str, object: ObjectId, field: FieldId, depth: usize) {
        let past = self.inputs.past;
        let known = past.value_at(&Location::Field { object, field }, self.exit);
        let Some((class, model)) = past.program().field(field) else { return };
        let Ok(owner) = self.inputs.names.of_class(&class.name) else { return };
        let typed = self.inputs.variable(object).is_some_and(|variable| variable == expression);
        if typed && self.inputs.names.may_use(model.access, &class.name) {
            return self.value(&format!("{expression}.{}", model.name), known, &model.descriptor, depth);
        }
        self.inputs.helpers.insert("get");
        let read = format!("get({expression}, {owner}.class, \"{}\")", model.name);
        self.reflected(&read, known, &model.descriptor, depth);
    }

    pub fn static_field(&mut self, field: FieldId) {
        let past = self.inputs.past;
        let known = past.value_at(&Location::Static(field), self.exit);
        let Some((class, model)) = past.program().field(field) else { return };
        let Ok(owner) = self.inputs.names.of_class(&class.name) else { return };
        if self.inputs.names.may_use(model.access, &class.name) {
            return self.value(&format!("{owner}.{}", model.name), known, &model.descriptor, 1);
        }
        self.inputs.helpers.insert("get");
        let read = format!("get(null, {owner}.class, \"{}\")", model.name);
        self.reflected(&read, known, &model.descriptor, 1);
    }

    /// What reflection gives is an object, whatever the field is.
    fn reflected(&mut self, read: &str, known: KnownValue, descriptor: &str, depth: usize) {
        match known {
            KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => {
                self.object(read, object, depth);
            }
            KnownValue::Unknown => {}
            known => {
                let condition = self.deep_equals(read, known, descriptor);
                self.list.extend(condition);
            }
        }
    }
}
