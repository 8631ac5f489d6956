//! What a path led to in an executed call, at a moment: this decides whether an operation would have reached the object.

use std::collections::HashMap;
use std::sync::Arc;

use index::{CallRow, Evidence};
use past::{CallId, Ending, KnownValue, Location, ObjectId, Past, Time, Value};
use pointsto::MemberName;
use trace::{FieldId, TypeId};

use super::paths::{Base, Hop, Path};

/// Callees of one call that are looked at, and of all together.
const CHILDREN: usize = 1024;
const ALL_CHILDREN: usize = 50_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectMatch {
    Same,
    Other,
    Unknown,
}

/// A moment of an executed call.
pub struct CallState<'a> {
    pub call: CallId,
    pub time: Time,
    /// What the variable in a slot held.
    pub variable: &'a dyn Fn(u16) -> Option<Value>,
}

pub struct Values<'p> {
    past: &'p Past,
    fields: HashMap<(TypeId, Arc<MemberName>), Option<FieldId>>,
    statics: HashMap<Arc<MemberName>, Option<FieldId>>,
    children: HashMap<CallId, Arc<Children>>,
    /// Callees that may still be looked at.
    left: usize,
}

/// What a call called, in order.
#[derive(Debug, Default)]
pub struct Children {
    pub list: Vec<(CallId, CallRow)>,
    /// These are not all.
    pub cut: bool,
}

impl<'p> Values<'p> {
    pub fn new(past: &'p Past) -> Values<'p> {
        let (fields, statics, children) = (HashMap::new(), HashMap::new(), HashMap::new());
        Values { past, fields, statics, children, left: ALL_CHILDREN }
    }

    /// Did the path lead to this object?
    pub fn verdict(&mut self, path: &Path, moment: &CallState<'_>, object: ObjectId) -> ObjectMatch {
        let known = match &path.base {
            Base::Argument(at) => {
                self.argument(moment.call, *at).map_or(KnownValue::Unknown, KnownValue::Value)
            }
            Base::Variable(slot) => (moment.variable)(*slot).map_or(KnownValue::Unknown, KnownValue::Value),
            Base::Given(bci) => self.given(moment, *bci).map_or(KnownValue::Unknown, KnownValue::Value),
            Base::Static(field) => match self.static_field(field) {
                Some(field) => self.past.value_at(&Location::Static(field), moment.time),
                None => KnownValue::Unknown,
            },
            Base::New | Base::Null | Base::Lambda(_) => return ObjectMatch::Other,
            Base::Unknown => return ObjectMatch::Unknown,
        };
        let (mut value, mut sure) = match known {
            KnownValue::Value(value) => (value, true),
            KnownValue::Seen(value) => (value, false),
            KnownValue::Unknown => return ObjectMatch::Unknown,
        };
        for hop in &path.hops {
            let at = match self.past.index().resolved(moment.call.stream, value) {
                Value::Object(at) => at,
                Value::Null if sure => return ObjectMatch::Other,
                _ => return ObjectMatch::Unknown,
            };
            let location = match hop {
                Hop::Field(field) => {
                    let Some(field) = self.field(at, field) else { return ObjectMatch::Unknown };
                    Location::Field { object: at, field }
                }
                Hop::Element(index) => Location::Element { array: at, index: *index },
            };
            value = match self.past.value_at(&location, moment.time) {
                KnownValue::Value(value) => value,
                KnownValue::Seen(value) => {
                    sure = false;
                    value
                }
                KnownValue::Unknown => return ObjectMatch::Unknown,
            };
        }
        match self.past.index().resolved(moment.call.stream, value) {
            Value::Object(found) if found == object => ObjectMatch::Same,
            Value::Unidentified | Value::Pending(_) | Value::Top => ObjectMatch::Unknown,
            _ if sure => ObjectMatch::Other,
            _ => ObjectMatch::Unknown,
        }
    }

    /// The receiver is argument 0 if there is one.
    pub fn argument(&self, call: CallId, at: u8) -> Option<Value> {
        let arguments = self.past.index().arguments(call)?;
        let value = arguments.receiver.iter().chain(&arguments.values).nth(at.into()).copied()?;
        Some(self.past.index().resolved(call.stream, value))
    }

    pub fn children(&mut self, call: CallId) -> Arc<Children> {
        if let Some(known) = self.children.get(&call) {
            return known.clone();
        }
        let index = self.past.index();
        let wanted = CHILDREN.min(self.left);
        let list = index.children(call, 0, wanted).into_iter();
        let list: Vec<_> = list.filter_map(|child| Some((child, index.call(child)?))).collect();
        self.left -= list.len().min(self.left);
        let children = Arc::new(Children { cut: list.len() == wanted, list });
        self.children.insert(call, children.clone());
        children
    }

    /// What the last call from a place had given by then.
    fn given(&mut self, moment: &CallState<'_>, bci: u16) -> Option<Value> {
        let children = self.children(moment.call);
        let index = self.past.index();
        let before = |&&(child, row): &&(CallId, CallRow)| {
            let exit = || index.time(index::Position { stream: child.stream, ordinal: row.exit });
            row.bci == bci && exit().is_some_and(|exit| exit <= moment.time)
        };
        if children.cut {
            return None;
        }
        match children.list.iter().rev().find(before)?.1.ending {
            Ending::Returned(Some(value)) => Some(index.resolved(moment.call.stream, value)),
            _ => None,
        }
    }

    pub fn field(&mut self, object: ObjectId, name: &Arc<MemberName>) -> Option<FieldId> {
        let ty = self.past.recording().objects().type_of(object)?;
        if let Some(&known) = self.fields.get(&(ty, name.clone())) {
            return known;
        }
        let program = self.past.recording().program();
        let same = |field: &trace::Field| field.name == name.name && field.descriptor == name.descriptor;
        let all = program.instance_fields(ty);
        let mut fitting: Vec<FieldId> =
            all.into_iter().filter(|(_, field)| same(field)).map(|(id, _)| id).collect();
        // A field may hide another: what is meant is that of the named class, or the nearest above it.
        if fitting.len() > 1 {
            let named =
                |id: &&FieldId| program.field(**id).is_some_and(|(class, _)| class.name == name.class);
            let one = fitting.iter().find(named).copied();
            fitting = one.into_iter().collect();
        }
        let found = fitting.pop();
        self.fields.insert((ty, name.clone()), found);
        found
    }

    pub fn static_field(&mut self, name: &Arc<MemberName>) -> Option<FieldId> {
        if let Some(&known) = self.statics.get(name) {
            return known;
        }
        let program = self.past.recording().program();
        let mut owner = name.class.clone();
        let mut found = None;
        for _ in 0..64 {
            let Some(class) = program.classes().iter().find(|class| class.name == owner) else { break };
            let same = |field: &trace::Field| field.name == name.name && field.descriptor == name.descriptor;
            found = program.static_fields(class).find(|(_, field)| same(field)).map(|(id, _)| id);
            let above = program.model(class).and_then(|model| model.super_name.clone());
            match above {
                Some(above) if found.is_none() => owner = above,
                _ => break,
            }
        }
        self.statics.insert(name.clone(), found);
        found
    }
}
