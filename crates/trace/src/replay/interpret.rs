//! A replayed call: the inner loop for the ordinary course of things, and the slow path for the rest.
//! Instructions that need a record ask for it before they change anything, so that they can be left for a nested
//! call and started anew.

use std::convert::Infallible;

use classfile::opcode as op;

use super::fast::Pause;
use super::slot::{Slot, TOP};
use super::source::WAIT;
use super::{Interrupt, Read, ReadKind, Replay, ReplayResult, Visitor};
use crate::code::{Code, Insn};
use crate::event::{EventKind, GapReason};
use crate::record::tag;
use crate::value::Value;

pub(super) const OPERANDS: Interrupt = Interrupt::Gap(GapReason::WrongOperands);

impl<'p, V: Visitor> Replay<'p, V> {
    /// Runs the innermost call until another one is on top, or until it cannot go on.
    pub(super) fn interpret(&mut self) -> Interrupt {
        let Some(code) = self.top.code else { return Interrupt::Gap(GapReason::NoCode) };
        match self.run_code(code) {
            Ok(never) => match never {},
            Err(flow) => flow,
        }
    }

    fn run_code(&mut self, code: &'p Code) -> ReplayResult<Infallible> {
        loop {
            if self.fuel < 0 {
                self.refuel()?;
            }
            match self.run_fast(code) {
                Pause::Slow => {
                    let insn = *code.insns.get(self.top.ip as usize).ok_or(OPERANDS)?;
                    if self.source.waits() {
                        return Err(Interrupt::Wait);
                    }
                    self.slow(code, insn)?;
                    self.top.ip = self.top.ip.wrapping_add(1);
                }
                Pause::Fuel => {}
                Pause::Stopped => self.stop(),
                Pause::Malformed => return Err(OPERANDS),
            }
            if self.outcome.events >= self.until {
                return Err(Interrupt::Switch);
            }
        }
    }

    /// One instruction, out of the ordinary or too big for the inner loop.
    fn slow(&mut self, code: &'p Code, insn: Insn) -> ReplayResult {
        match insn.op {
            op::LDC_W => {
                let value = self.read(insn.a as u8)?;
                self.push_of(insn, value)
            }
            // The inner loop divides unless it is by zero.
            op::IDIV | op::IREM | op::LDIV | op::LREM | op::ATHROW => self.must_throw(),
            op::IF_ACMPEQ | op::IF_ACMPNE => self.compare_references(insn),
            op::IALOAD..=op::SALOAD => {
                let value = self.read(insn.a as u8)?;
                if V::READS {
                    let (array, index) = (self.operand(1)?, self.operand(0)? as i32);
                    let array = self.boxes.unpack_reference(array);
                    self.tell_read(ReadKind::Element { array, index, value });
                }
                self.drop_slots(2)?;
                self.push_of(insn, value)
            }
            op::IASTORE..=op::SASTORE => self.array_store(insn),
            op::GETSTATIC | op::GETFIELD | op::PUTSTATIC | op::PUTFIELD => self.field(code, insn),
            op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => self.invoke(code, insn.b as usize),
            op::IRETURN..=op::RETURN => self.leave(insn).and(Err(Interrupt::Switch)),
            op::MONITORENTER | op::MONITOREXIT => self.monitor(insn),
            _ => self.object(code, insn),
        }
    }

    /// The outcome was not there at once; the instruction itself does not fail.
    fn compare_references(&mut self, insn: Insn) -> ReplayResult {
        let same = self.read(b'I')? != Value::Int(0);
        self.drop_slots(2)?;
        let taken = same == (insn.op == op::IF_ACMPEQ);
        self.emit(EventKind::Branch { taken });
        if taken {
            // The caller goes to the next instruction.
            self.top.ip = (insn.b as u32).wrapping_sub(1);
            self.fuel -= 1;
        }
        Ok(())
    }

    /// The value that an instruction takes from the log.
    pub(super) fn read(&mut self, kind: u8) -> ReplayResult<Value> {
        loop {
            let tag = self.source.wanted();
            if tag::is_value(tag) {
                return self.source.value(tag, kind).ok_or(Interrupt::Gap(GapReason::OtherValue));
            }
            self.between(tag)?;
        }
    }

    pub(super) fn tell_read(&mut self, kind: ReadKind<'_>) {
        self.visitor.read(&Read { site: self.top.site(), depth: self.open, kind });
    }

    /// The instruction cannot succeed: an exception must be ahead.
    pub(super) fn must_throw(&mut self) -> ReplayResult {
        loop {
            let tag = self.source.wanted();
            self.between(tag)?;
        }
    }

    pub(super) fn push_slot(&mut self, slot: Slot) -> ReplayResult {
        match self.slots.get_mut(self.top.sp) {
            Some(place) => *place = slot,
            None => return Err(OPERANDS),
        }
        self.top.sp += 1;
        Ok(())
    }

    pub(super) fn push_value(&mut self, value: Value) -> ReplayResult {
        if self.boxes.is_full() {
            self.boxes.collect(&self.slots);
        }
        let slot = self.boxes.pack(value);
        self.push_slot(slot)
    }

    pub(super) fn push_of(&mut self, insn: Insn, value: Value) -> ReplayResult {
        self.push_value(value)?;
        if insn.wide { self.push_slot(TOP) } else { Ok(()) }
    }

    pub(super) fn drop_slots(&mut self, count: usize) -> ReplayResult {
        if self.top.sp < self.top.floor + count {
            return Err(OPERANDS);
        }
        self.top.sp -= count;
        Ok(())
    }

    /// The slot that lies `below` slots under the top.
    pub(super) fn operand(&self, below: usize) -> ReplayResult<Slot> {
        if self.top.sp < self.top.floor + below + 1 {
            return Err(OPERANDS);
        }
        self.slots.get(self.top.sp - 1 - below).copied().ok_or(OPERANDS)
    }

    /// Many loops went by: were there records among them, and are there any more?
    fn refuel(&mut self) -> ReplayResult {
        let offset = self.source.offset();
        if offset != self.fuel_offset {
            self.fuel_offset = offset;
            self.rounds = 0;
        } else {
            match self.source.wanted() {
                tag::END => return Err(Interrupt::End),
                WAIT => return Err(Interrupt::Wait),
                _ => self.rounds += 1,
            }
            if self.rounds > self.limits.elsewhere {
                self.rounds = 0;
                self.limits.elsewhere = 1;
                self.limits.at_end = (self.limits.at_end / 2).max(1000);
                self.fuel = self.limits.at_end.into();
                // Whoever leaves this call out would go on with other limits.
                self.forbid_skipping();
                return Err(Interrupt::Gap(GapReason::EndlessLoop));
            }
        }
        self.fuel = self.limits.at_end.max(1 << 16).into();
        Ok(())
    }

    /// `xreturn`: the log says that the call ends.
    fn leave(&mut self, insn: Insn) -> ReplayResult {
        let kind = self.top.method.map_or(b'L', |method| method.result);
        let value = match insn.op {
            op::RETURN => None,
            op::LRETURN => Some(Value::Long(self.operand(1)? as i64)),
            op::DRETURN => Some(Value::Double(f64::from_bits(self.operand(1)?))),
            op::FRETURN => Some(Value::Float(f32::from_bits(self.operand(0)? as u32))),
            op::ARETURN => Some(self.boxes.unpack_reference(self.operand(0)?)),
            _ => Some(Value::Int(self.operand(0)? as i32).narrowed(kind)),
        };
        if self.top.linked.is_some() {
            return self.leave_linked(value);
        }
        self.expect(tag::EXIT)?;
        self.exit(self.source.offset().wrapping_sub(1), value);
        Ok(())
    }
}
