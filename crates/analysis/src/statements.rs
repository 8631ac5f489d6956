//! What one call's own code did, statement by statement.

use index::Evidence;
use past::{CallId, KnownValue, Location, Past, Position, Time, Value};
use trace::{Event, EventKind, FieldRef, Method, kinds};

use crate::code::Code;
use crate::error::Result;
use crate::follow::Walk;
use crate::loops::code_of;
use crate::own::own_events;

/// A statement's execution: the evaluation of what it needs, calls included, and the one thing that it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub line: Option<u16>,
    /// The instruction that did it.
    pub bci: u16,
    /// Ordinals of its first and last event.
    pub first: u64,
    pub last: u64,
    pub role: Role,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// `location` (also a local) got a value.
    Assign {
        location: Location,
        descriptor: String,
        before: KnownValue,
        after: Value,
    },
    /// A part of a condition (`a` of `a && b`): did control jump, and to which line did it go? `holds`: is what was
    /// written true, judging by how compilers write it: what stands behind a condition runs if it holds.
    Condition {
        jumped: bool,
        holds: bool,
        to: Option<u16>,
    },
    /// The key, the number of the case by ascending key (none: default), and the line of the arm.
    Switch {
        key: i32,
        case: Option<u32>,
        to: Option<u16>,
    },
    Catch {
        exception: Option<Value>,
    },
    /// An exception arose and was not caught in the same statement.
    Throw {
        exception: Option<Value>,
    },
    Return {
        value: Option<Value>,
    },
    /// A call whose result is not used.
    Call {
        call: CallId,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statements {
    pub list: Vec<Statement>,
    /// Not so if there were more than asked for, or something in the call is not known.
    pub complete: bool,
}

/// The executed statements of a call's own code in order, at most `limit`. A line may be several: `a[i++] = b` writes
/// two locations, `a && b` asks two questions.
pub fn statements(past: &Past, call: CallId, limit: usize) -> Result<Statements> {
    let code = code_of(past, call)?;
    let mut telling = Telling {
        past,
        call,
        code: &code,
        method: past.recording().program().method(code.method).map(|(_, method)| method),
        limit,
        slots: vec![None; usize::from(code.slots)],
        this: None,
        walk: Walk::default(),
        calling: None,
        first: None,
        told: Statements { list: Vec::new(), complete: true },
    };
    own_events(past, call, &mut |event, at| telling.event(event, at))?;
    Ok(telling.told)
}

/// A call that is out: its first event, where it is made, and whether it is a constructor's of the same object.
struct Calling {
    ordinal: u64,
    bci: u16,
    own_constructor: bool,
}

struct Telling<'a> {
    past: &'a Past,
    call: CallId,
    code: &'a Code,
    method: Option<&'a Method>,
    limit: usize,
    /// What the variables hold.
    slots: Vec<Option<Value>>,
    this: Option<Value>,
    walk: Walk,
    calling: Option<Calling>,
    /// The first event of the statement that is being evaluated.
    first: Option<u64>,
    told: Statements,
}

impl Telling<'_> {
    /// False if nothing more can be told.
    fn event(&mut self, event: &Event<'_>, at: u64) -> bool {
        if let EventKind::Enter { receiver, args, .. } = event.kind {
            self.this = receiver;
            for (&slot, &value) in self.code.arguments.iter().zip(receiver.iter().chain(args)) {
                self.hold(slot, value);
            }
            return true;
        }
        if matches!(event.kind, EventKind::Gap { .. }) {
            self.told.complete = false;
            return false;
        }
        let Some(site) = event.site.filter(|site| site.method == self.code.method) else { return true };
        self.walk.event(&self.code.cfg, site.bci, &event.kind, &mut |_, _| {});
        self.first.get_or_insert(at);
        let role = match event.kind {
            EventKind::LocalWrite { slot, value } => self.local(slot, site.bci, value),
            EventKind::FieldWrite { object, field, value } => self.field(object, field, value, at),
            EventKind::StaticWrite { field, value } => {
                let location = field.id(self.past.recording().program()).map(Location::Static);
                location.map(|location| self.assign(location, field.descriptor.clone(), value, at))
            }
            EventKind::ArrayWrite { array, index, value } => match self.resolved(array) {
                Value::Object(array) => {
                    let location = Location::Element { array, index: index as u32 };
                    let descriptor = self.past.descriptor(&location);
                    Some(self.assign(location, descriptor, value, at))
                }
                _ => None,
            },
            EventKind::Branch { taken } => Some(Role::Condition {
                jumped: taken,
                holds: taken == self.code.cfg.jumps_if_true(site.bci),
                to: self.line_ahead(),
            }),
            EventKind::Switch { key, case } => Some(Role::Switch { key, case, to: self.line_ahead() }),
            EventKind::Catch { exception } => {
                Some(Role::Catch { exception: exception.map(|value| self.resolved(value)) })
            }
            EventKind::Throw { exception } => {
                self.calling = None;
                Some(Role::Throw { exception: exception.map(|value| self.resolved(value)) })
            }
            EventKind::Exit { value } => {
                Some(Role::Return { value: value.map(|value| self.resolved(value)) })
            }
            EventKind::Call { args, .. } => {
                let own_constructor = self.this.is_some_and(|this| args.first() == Some(&this))
                    && matches!(self.this, Some(Value::Pending(_)));
                self.calling = Some(Calling { ordinal: at, bci: site.bci, own_constructor });
                None
            }
            EventKind::Return { .. } => self.came_back(),
            kinds! { threads creations locks contents losses Enter Unwind BulkWrite } => None,
        };
        let Some(role) = role else { return true };
        let first = self.first.take().unwrap_or(at);
        if self.told.list.len() == self.limit {
            self.told.complete = false;
            return false;
        }
        let line = self.method.and_then(|method| method.line(site.bci));
        self.told.list.push(Statement { line, bci: site.bci, first, last: at, role });
        true
    }

    fn resolved(&self, value: Value) -> Value {
        self.past.index().resolved(self.call.stream, value)
    }

    fn hold(&mut self, slot: u16, value: Value) -> Option<Value> {
        let value = self.resolved(value);
        self.slots.get_mut(usize::from(slot)).and_then(|held| held.replace(value))
    }

    /// The line that control goes to.
    fn line_ahead(&self) -> Option<u16> {
        let ahead = self.code.cfg.block(self.walk.block()).first;
        self.method.filter(|_| !self.walk.is_lost()).and_then(|method| method.line(ahead))
    }

    /// Variables that only the compiler knows (the iterator of a loop over a list) are part of what comes next.
    fn local(&mut self, slot: u16, bci: u16, value: Value) -> Option<Role> {
        let named = self.method.and_then(|method| method.local(slot, bci));
        if named.is_none() && self.method.is_some_and(|method| method.locals().next().is_some()) {
            self.hold(slot, value);
            return None;
        }
        let name = named.map_or_else(|| format!("local{slot}"), |(name, _)| name.to_owned());
        let descriptor = named.map_or_else(String::new, |(_, descriptor)| descriptor.to_owned());
        let before = self.hold(slot, value).filter(|_| !self.code.declares(bci));
        let before = before.map_or(KnownValue::Unknown, KnownValue::Value);
        let location = Location::Local { call: self.call, name };
        Some(Role::Assign { location, descriptor, before, after: self.resolved(value) })
    }

    fn field(&self, object: Value, field: &FieldRef, value: Value, at: u64) -> Option<Role> {
        let Value::Object(object) = self.resolved(object) else { return None };
        let id = field.used_id(self.past.recording().program())?;
        let location = Location::Field { object, field: id };
        Some(self.assign(location, field.descriptor.clone(), value, at))
    }

    fn assign(&self, location: Location, descriptor: String, value: Value, at: u64) -> Role {
        let time = self.past.index().time(Position { stream: self.call.stream, ordinal: at });
        let earlier = time.and_then(|time| time.0.checked_sub(1));
        let before = earlier.map_or(KnownValue::Unknown, |time| self.past.value_at(&location, Time(time)));
        Role::Assign { location, descriptor, before, after: self.resolved(value) }
    }

    /// The call that was out came back; it is a statement if nothing uses its result.
    fn came_back(&mut self) -> Option<Role> {
        let calling = self.calling.take()?;
        if !calling.own_constructor && !self.code.operands().is_unused(calling.bci) {
            return None;
        }
        let position = Position { stream: self.call.stream, ordinal: calling.ordinal };
        let call = self.past.index().call_at(position)?;
        // What has no row of its own (`Object()`, linking of lambdas) is no call to a person.
        let has_row = self.past.index().call(call)?.entry == calling.ordinal;
        has_row.then_some(Role::Call { call })
    }
}
