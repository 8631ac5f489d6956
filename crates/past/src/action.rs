//! What an event did, as data: objects by identity, values as recorded, names of what has no identity; and how that is
//! made of what was recorded. What it says to a person is made of this elsewhere, once for all clients.

use base::{CallId, ObjectId, Value};
use index::{Ending, Position};
use render::KnownValue;
use trace::{BulkWrite, Event, EventKind, GapReason, Site, kinds};

use crate::events::ShownEvent;
use crate::location::Location;
use crate::past::Past;

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A call begins; of an object, that it took part in a call.
    Call(CallId),
    Return {
        value: Option<Value>,
        descriptor: String,
    },
    /// A call is left by an exception.
    Unwind {
        exception: Option<Value>,
    },
    FieldWrite {
        object: Option<ObjectId>,
        field: String,
        value: Value,
        descriptor: String,
    },
    StaticWrite {
        class: String,
        field: String,
        value: Value,
        descriptor: String,
    },
    ElementWrite {
        array: ObjectId,
        index: i32,
        value: Value,
        descriptor: String,
    },
    LocalWrite {
        name: String,
        value: Value,
        descriptor: String,
    },
    /// What locations became, or were seen to be.
    Hold(Vec<(Location, KnownValue)>),
    /// `line`: where the jump leads to.
    Branch {
        taken: bool,
        line: Option<u16>,
    },
    Switch {
        key: i32,
        is_default: bool,
    },
    New {
        class: String,
        object: Option<ObjectId>,
    },
    /// A lambda takes an object with it.
    Captured {
        object: ObjectId,
    },
    NewArray {
        array: ObjectId,
        length: u32,
    },
    Throw {
        exception: Option<Value>,
    },
    Catch {
        exception: Option<Value>,
    },
    Lock {
        object: Value,
    },
    Unlock {
        object: Value,
    },
    Copy {
        source: Option<ObjectId>,
        from: i64,
        target: Option<ObjectId>,
        to: i64,
        length: i64,
    },
    Clone {
        source: Option<ObjectId>,
        target: Option<ObjectId>,
    },
    /// `range`: all of it if there is none.
    Fill {
        array: ObjectId,
        range: Option<(i64, i64)>,
        value: KnownValue,
        descriptor: String,
    },
    /// A library left these elements so.
    SeenRange {
        array: ObjectId,
        from: u64,
        to: u64,
    },
    /// From here on nothing is known.
    Gap {
        why: GapReason,
    },
    /// Nothing more is recorded of the thread.
    Stop,
}

impl Past {
    /// An event as it is shown; none for bookkeeping.
    pub(crate) fn happened(&self, event: &Event<'_>, position: Position) -> Option<ShownEvent> {
        let time = self.index.time(position)?;
        let resolved = |value: Value| self.index.resolved(position.stream, value);
        let object = |value: Value| match resolved(value) {
            Value::Object(id) => Some(id),
            _ => None,
        };
        let mut place = event.site.filter(|_| !event.library).map(|site| self.source_line(site));
        let (mut child, mut location, mut written) = (None, None, None);
        let action = match event.kind {
            EventKind::Enter { .. } => {
                let call = self.index.call_at(position)?;
                child = Some(call);
                Action::Call(call)
            }
            EventKind::Exit { value } => {
                let call = self.index.call_at(position);
                let value = value.map(resolved).or_else(|| match self.index.call(call?)?.ending {
                    Ending::Returned(value) => value,
                    _ => None,
                });
                Action::Return { value, descriptor: self.result_descriptor(event.site) }
            }
            EventKind::Unwind { exception, .. } => Action::Unwind { exception: exception.map(resolved) },
            EventKind::Call { .. } => {
                let call = self.index.call_at(position)?;
                // A call without a row of its own is none to a person.
                if self.index.call(call)?.entry != position.ordinal {
                    return None;
                }
                child = Some(call);
                Action::Call(call)
            }
            EventKind::FieldWrite { object: owner, field, value } => {
                let (object, value) = (object(owner), resolved(value));
                if let (Some(object), Some(id)) = (object, field.used_id(self.recording.program())) {
                    location = Some(Location::Field { object, field: id });
                }
                written = Some(value);
                let descriptor = field.descriptor.clone();
                Action::FieldWrite { object, field: field.name.clone(), value, descriptor }
            }
            EventKind::StaticWrite { field, value } => {
                let value = resolved(value);
                location = field.id(self.recording.program()).map(Location::Static);
                written = Some(value);
                let (class, descriptor) = (trace::simple_name(&field.owner), field.descriptor.clone());
                Action::StaticWrite { class, field: field.name.clone(), value, descriptor }
            }
            EventKind::ArrayWrite { array, index, value } => {
                let (array, value) = (object(array)?, resolved(value));
                location = Some(Location::Element { array, index: index as u32 });
                written = Some(value);
                Action::ElementWrite { array, index, value, descriptor: self.element_descriptor(array) }
            }
            EventKind::LocalWrite { slot, value } => {
                let site = event.site?;
                let (name, descriptor) = self.local(site, slot);
                let (call, value) = (self.index.call_at(position)?, resolved(value));
                location = Some(Location::Local { call, name: name.clone() });
                written = Some(value);
                Action::LocalWrite { name, value, descriptor }
            }
            EventKind::Branch { taken } => {
                let target = event.site.and_then(|site| self.recording.program().jump_target(site));
                Action::Branch { taken, line: target.and_then(|target| self.recording.line_of(target)) }
            }
            EventKind::Switch { key, case } => Action::Switch { key, is_default: case.is_none() },
            EventKind::New { class, object: made } => {
                Action::New { class: trace::simple_name(class), object: object(made) }
            }
            EventKind::NewArray { array, .. } => {
                let array = object(array)?;
                Action::NewArray { array, length: self.recording.objects().length(array)? }
            }
            EventKind::Throw { exception } => Action::Throw { exception: exception.map(resolved) },
            EventKind::Catch { exception } => Action::Catch { exception: exception.map(resolved) },
            EventKind::MonitorEnter { object } => Action::Lock { object: resolved(object) },
            EventKind::MonitorExit { object } => Action::Unlock { object: resolved(object) },
            EventKind::BulkWrite(bulk) => match bulk {
                BulkWrite::Copy { source, from, target, to, length } => Action::Copy {
                    source: object(source),
                    from: from.into(),
                    target: object(target),
                    to: to.into(),
                    length: length.into(),
                },
                BulkWrite::Clone { source, target } => {
                    Action::Clone { source: object(source), target: object(target) }
                }
                BulkWrite::Fill { array, range, value } => {
                    let array = object(array)?;
                    Action::Fill {
                        array,
                        range: range.map(|(from, to)| (from.into(), to.into())),
                        value: KnownValue::Value(resolved(value)),
                        descriptor: self.element_descriptor(array),
                    }
                }
            },
            EventKind::Gap { why } => Action::Gap { why },
            EventKind::Stop { .. } => Action::Stop,
            kinds! { threads contents Return Named OrderingPoint } => return None,
        };
        if event.library {
            place = self.index.call_at(position).and_then(|call| self.place_in(call, index::NO_BCI));
        }
        Some(ShownEvent {
            time,
            position,
            kind: event.kind.name(),
            action,
            place,
            depth: event.depth,
            child,
            location,
            value: written,
        })
    }

    fn result_descriptor(&self, site: Option<Site>) -> String {
        let method = site.and_then(|site| self.recording.program().method(site.method));
        method.map_or(String::new(), |(_, method)| {
            method.descriptor.rsplit(')').next().unwrap_or("").to_owned()
        })
    }
}
