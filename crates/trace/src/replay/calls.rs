//! Calls that a replayed method makes: what is called with which arguments, what comes back, and the objects
//! that get their identity when their constructor returns.

use std::mem;

use super::slot::{TOP, as_pending};
use super::{Interrupt, Replay, ReplayResult, Stage, Visitor};
use crate::code::{Code, is_wide};
use crate::event::{BulkCall, BulkWrite, Callee, EventKind, GapReason};
use crate::ids::PendingId;
use crate::link::Link;
use crate::probes::Init;
use crate::record::tag;
use crate::value::Value;

impl<'p, V: Visitor> Replay<'p, V> {
    /// Executes an invoke instruction. May be left and come back to while other calls run within it.
    pub(super) fn invoke(&mut self, code: &'p Code, callee: usize) -> ReplayResult {
        let callee = code.callees.get(callee).ok_or(Interrupt::Gap(GapReason::NoCallee))?;
        let first = self.top.sp.wrapping_sub(callee.slots as usize);
        if first < self.top.floor || first > self.top.sp {
            return Err(Interrupt::Gap(GapReason::TooFewOperands));
        }
        if self.top.stage == Stage::Fresh {
            // What the operands hold that were seen for the first time; it would hide whether the call is linked.
            self.contents_if_ahead()?;
            if callee.orders_threads {
                self.ordering_point_if_ahead();
            }
            let linked = callee.link != Link::Never && self.is_linked()?;
            if callee.receiver && self.slots[first] == 0 {
                return self.must_throw();
            }
            let target = if linked { Some(self.target(callee, first)?) } else { None };
            let mut args = mem::take(&mut self.args);
            args.clear();
            self.arguments(callee, first, &mut args);
            self.emit(EventKind::Call { callee, args: &args });
            self.top.stage = Stage::Called;
            if let Some(target) = target {
                return self.enter_linked(target, args);
            }
            self.args = args;
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
        self.called(first, result)?;
        self.contents_if_ahead()?;
        if callee.orders_threads {
            self.ordering_point_if_ahead();
        }
        Ok(())
    }

    /// The call whose operands start at slot `first` came back: its result takes their place.
    pub(super) fn called(&mut self, first: usize, result: Option<Value>) -> ReplayResult {
        self.top.sp = first;
        if let Some(value) = result {
            self.push_value(value)?;
            if matches!(value, Value::Long(_) | Value::Double(_)) {
                self.push_slot(TOP)?;
            }
        }
        self.top.stage = Stage::Fresh;
        Ok(())
    }

    /// The arguments of a call, from the operands that start at slot `first`.
    fn arguments(&self, callee: &Callee, first: usize, args: &mut Vec<Value>) {
        let mut at = first;
        for &kind in &callee.kinds {
            args.push(self.boxes.unpack(self.slots[at], kind));
            at += if is_wide(kind) { 2 } else { 1 };
        }
    }

    /// Takes a record without payload.
    pub(super) fn expect(&mut self, wanted: u8) -> ReplayResult {
        loop {
            let tag = self.source.wanted();
            if tag == wanted {
                self.source.skip(1);
                return Ok(());
            }
            self.between(tag)?;
        }
    }

    /// The constructor that was called on `slots[receiver]` has returned: from now on the object has a name.
    pub(super) fn name(&mut self, receiver: usize, is_this: bool, object: Value) -> ReplayResult {
        let old = self.slots[receiver];
        let Some(pending) = as_pending(old) else {
            return Err(Interrupt::Gap(GapReason::ConstructedTwice));
        };
        let new = self.boxes.pack(object);
        let mut at = self.top.locals;
        while at < self.top.sp {
            // The bits of a long may look like anything: it is told by its second slot.
            let wide = self.slots.get(at + 1) == Some(&TOP);
            if self.slots[at] == old && !wide {
                self.slots[at] = new;
            }
            at += 1;
        }
        self.tell_name(pending, object);
        if is_this {
            self.top.this_named = true;
            self.top.made = new;
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
        let mut args = mem::take(&mut self.args);
        args.clear();
        self.arguments(callee, first, &mut args);
        let bulk = match (bulk, args.as_slice()) {
            (BulkCall::Copy, &[source, Value::Int(from), target, Value::Int(to), Value::Int(length)]) => {
                Some(BulkWrite::Copy { source, from, target, to, length })
            }
            (BulkCall::Clone, &[source]) => result.map(|target| BulkWrite::Clone { source, target }),
            (BulkCall::Fill, &[array, Value::Int(from), Value::Int(to), value]) => {
                Some(BulkWrite::Fill { array, range: Some((from, to)), value })
            }
            (BulkCall::Fill, &[array, value]) => Some(BulkWrite::Fill { array, range: None, value }),
            _ => None,
        };
        self.args = args;
        if let Some(bulk) = bulk {
            self.emit(EventKind::BulkWrite(bulk));
        }
    }
}
