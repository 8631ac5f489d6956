//! Calls that a replayed method makes: what is called with which arguments, what comes back, and the objects
//! that get their identity when their constructor returns.

use std::mem;
use std::ops::ControlFlow;

use super::{Flow, Replay, Stage, Step};
use crate::code::Code;
use crate::event::{Bulk, BulkCall, Callee, Event, EventKind};
use crate::ids::PendingId;
use crate::probes::Init;
use crate::record::tag;
use crate::value::Value;

impl<'p, V: FnMut(&Event<'_>) -> ControlFlow<()>> Replay<'p, V> {
    /// Executes an invoke instruction. May be left and come back to while other calls run within it.
    pub(super) fn invoke(&mut self, code: &'p Code, callee: usize) -> Step {
        let callee = code.callees.get(callee).ok_or(Flow::Gap("a call of nothing"))?;
        let first = self.top.sp.wrapping_sub(callee.slots as usize);
        if first < self.top.floor || first > self.top.sp {
            return Err(Flow::Gap("too few operands"));
        }
        if self.top.stage == Stage::Fresh {
            if callee.orders_threads {
                self.sync_if_ahead();
            }
            if callee.receiver && self.slots[first].is_null() {
                return self.must_throw();
            }
            let mut args = mem::take(&mut self.args);
            args.clear();
            args.extend(self.slots[first..self.top.sp].iter().filter(|&&value| value != Value::Top));
            self.emit(EventKind::Call { callee, args: &args });
            self.args = args;
            self.top.stage = Stage::Called;
        }
        let mut result = None;
        if self.top.stage != Stage::Returned {
            if callee.result == b'V' {
                self.expect(tag::RETURN)?;
            } else {
                result = Some(self.read(callee.result)?);
            }
            if let Some(bulk) = callee.bulk {
                self.bulk(bulk, callee, first, result);
            }
            self.emit(EventKind::Return { value: result });
            self.top.stage = Stage::Returned;
        }
        if let Some(init @ (Init::This | Init::New { dup: true })) = callee.init {
            let object = self.read(b'L')?;
            self.name(first, init == Init::This, object)?;
        }
        self.top.sp = first;
        if let Some(value) = result {
            self.push_value(value)?;
            if matches!(value, Value::Long(_) | Value::Double(_)) {
                self.push_value(Value::Top)?;
            }
        }
        if callee.orders_threads {
            self.sync_if_ahead();
        }
        self.top.stage = Stage::Fresh;
        Ok(())
    }

    /// Takes a record without payload.
    pub(super) fn expect(&mut self, wanted: u8) -> Step {
        loop {
            let tag = self.source.tag();
            if tag == wanted {
                self.source.skip(1);
                return Ok(());
            }
            self.between(tag)?;
        }
    }

    /// The constructor that was called on `slots[receiver]` has returned: from now on the object has a name.
    fn name(&mut self, receiver: usize, is_this: bool, object: Value) -> Step {
        let Value::Pending(pending) = self.slots[receiver] else {
            return Err(Flow::Gap("a constructor was called on an object that already is one"));
        };
        for slot in &mut self.slots[self.top.locals..self.top.sp] {
            if *slot == Value::Pending(pending) {
                *slot = object;
            }
        }
        self.tell_name(pending, object);
        if is_this {
            self.top.this_named = true;
        }
        Ok(())
    }

    fn tell_name(&mut self, pending: PendingId, object: Value) {
        // The constructor itself has told it already if it was replayed.
        if self.top.child_named != Some(pending) {
            self.emit(EventKind::Named { pending, object });
        }
        self.top.child_named = None;
    }

    fn bulk(&mut self, bulk: BulkCall, callee: &Callee, first: usize, result: Option<Value>) {
        let args = &self.slots[first..self.top.sp];
        let bulk = match (bulk, args) {
            (BulkCall::Copy, &[source, Value::Int(from), target, Value::Int(to), Value::Int(length)]) => {
                Some(Bulk::Copy { source, from, target, to, length })
            }
            (BulkCall::Clone, &[source]) => result.map(|target| Bulk::Clone { source, target }),
            (BulkCall::Fill, &[array, Value::Int(from), Value::Int(to), value, ..]) if callee.kinds.len() == 4 => {
                Some(Bulk::Fill { array, range: Some((from, to)), value })
            }
            (BulkCall::Fill, &[array, value, ..]) if callee.kinds.len() == 2 => {
                Some(Bulk::Fill { array, range: None, value })
            }
            _ => None,
        };
        if let Some(bulk) = bulk {
            self.emit(EventKind::BulkWrite(bulk));
        }
    }
}
