//! The bytecode interpreter. Instructions that need a record ask for it before they change anything, so that
//! they can be left for a nested call and started anew. Arithmetic is exactly Java's.

use std::convert::Infallible;
use std::ops::ControlFlow;

use classfile::opcode as op;

use super::{Flow, Replay, Step};
use crate::code::{Code, Insn};
use crate::event::{Event, EventKind};
use crate::record::tag;
use crate::value::Value;

const OPERANDS: Flow = Flow::Gap("the operands are of another kind than the code needs");

impl<'p, V: FnMut(&Event<'_>) -> ControlFlow<()>> Replay<'p, V> {
    /// Runs the innermost call until another one is on top, or until it cannot go on.
    pub(super) fn interpret(&mut self) -> Flow {
        let Some(code) = self.top.code else { return Flow::Gap("the method's code is missing") };
        match self.run_code(code) {
            Ok(never) => match never {},
            Err(flow) => flow,
        }
    }

    fn run_code(&mut self, code: &'p Code) -> Step<Infallible> {
        /// `binary!(pattern, result)`: two operands of a kind in, one out.
        macro_rules! binary {
            ($kind:ident, |$a:ident, $b:ident| $result:expr) => {{
                let (Value::$kind($b), Value::$kind($a)) = (self.pop_value()?, self.pop_value()?) else {
                    return Err(OPERANDS);
                };
                self.push_value($result)?;
            }};
        }
        macro_rules! binary_wide {
            ($kind:ident, |$a:ident, $b:ident| $result:expr) => {{
                let ($b, $a) = (self.pop_wide()?, self.pop_wide()?);
                let (Value::$kind($a), Value::$kind($b)) = ($a, $b) else { return Err(OPERANDS) };
                let result = $result;
                self.push_value(result)?;
                if matches!(result, Value::Long(_) | Value::Double(_)) {
                    self.push_value(Value::Top)?;
                }
            }};
        }
        /// The shift distance is an int whatever is shifted.
        macro_rules! shift_wide {
            (|$a:ident, $by:ident| $result:expr) => {{
                let (Value::Int($by), Value::Long($a)) = (self.pop_value()?, self.pop_wide()?) else {
                    return Err(OPERANDS);
                };
                self.push_wide(Value::Long($result))?;
            }};
        }
        macro_rules! unary {
            ($kind:ident, |$a:ident| $result:expr) => {{
                let Value::$kind($a) = self.pop_value()? else { return Err(OPERANDS) };
                self.push_value($result)?;
            }};
        }
        macro_rules! widen {
            ($kind:ident, |$a:ident| $result:expr) => {{
                let Value::$kind($a) = self.pop_value()? else { return Err(OPERANDS) };
                self.push_wide($result)?;
            }};
        }
        macro_rules! narrow {
            ($kind:ident, |$a:ident| $result:expr) => {{
                let Value::$kind($a) = self.pop_wide()? else { return Err(OPERANDS) };
                self.push_value($result)?;
            }};
        }
        macro_rules! unary_wide {
            ($kind:ident, |$a:ident| $result:expr) => {{
                let Value::$kind($a) = self.pop_wide()? else { return Err(OPERANDS) };
                self.push_wide($result)?;
            }};
        }
        macro_rules! branch_on {
            ($insn:ident, $taken:expr) => {{
                let taken = $taken;
                self.emit(EventKind::Branch { taken });
                if taken {
                    self.jump($insn.b as u32)?;
                    continue;
                }
            }};
        }
        macro_rules! compare_zero {
            ($insn:ident, |$a:ident| $taken:expr) => {{
                let Value::Int($a) = self.pop_value()? else { return Err(OPERANDS) };
                branch_on!($insn, $taken);
            }};
        }
        macro_rules! compare_ints {
            ($insn:ident, |$a:ident, $b:ident| $taken:expr) => {{
                let (Value::Int($b), Value::Int($a)) = (self.pop_value()?, self.pop_value()?) else {
                    return Err(OPERANDS);
                };
                branch_on!($insn, $taken);
            }};
        }
        loop {
            let Some(&insn) = code.insns.get(self.top.ip as usize) else {
                return Err(Flow::Gap("the code ends without a return"));
            };
            match insn.op {
                op::NOP => {}
                op::SIPUSH => self.push_value(Value::Int(insn.b))?,
                op::LDC => {
                    let value = code.constants.get(insn.b as usize).copied().ok_or(OPERANDS)?;
                    self.push_value(value)?;
                    if insn.wide {
                        self.push_value(Value::Top)?;
                    }
                }
                op::LDC_W => {
                    let value = self.read(insn.a as u8)?;
                    self.push_of(insn, value)?;
                }
                op::ILOAD => {
                    let value = self.local(insn.a)?;
                    self.push_value(value)?;
                }
                op::LLOAD => {
                    let value = self.local(insn.a)?;
                    self.push_wide(value)?;
                }
                op::ISTORE => {
                    let value = self.pop_value()?;
                    self.set_local(insn.a, value)?;
                    self.emit(EventKind::LocalWrite { slot: insn.a, value });
                }
                op::LSTORE => {
                    let value = self.pop_wide()?;
                    self.set_local(insn.a, value)?;
                    self.emit(EventKind::LocalWrite { slot: insn.a, value });
                }
                op::IINC => {
                    let Value::Int(old) = self.local(insn.a)? else { return Err(OPERANDS) };
                    let value = Value::Int(old.wrapping_add(insn.b));
                    self.set_local(insn.a, value)?;
                    self.emit(EventKind::LocalWrite { slot: insn.a, value });
                }
                op::POP => {
                    self.pop_value()?;
                }
                op::POP2 => {
                    self.pop_wide()?;
                }
                op::DUP => {
                    let value = self.operand(0)?;
                    self.push_value(value)?;
                }
                op::DUP_X1 => self.duplicate(1, 1)?,
                op::DUP_X2 => self.duplicate(1, 2)?,
                op::DUP2 => self.duplicate(2, 0)?,
                op::DUP2_X1 => self.duplicate(2, 1)?,
                op::DUP2_X2 => self.duplicate(2, 2)?,
                op::SWAP => {
                    let (first, second) = (self.pop_value()?, self.pop_value()?);
                    self.push_value(first)?;
                    self.push_value(second)?;
                }
                op::IADD => binary!(Int, |a, b| Value::Int(a.wrapping_add(b))),
                op::ISUB => binary!(Int, |a, b| Value::Int(a.wrapping_sub(b))),
                op::IMUL => binary!(Int, |a, b| Value::Int(a.wrapping_mul(b))),
                op::IDIV | op::IREM => {
                    if self.operand(0)? == Value::Int(0) {
                        return self.must_throw().and(Err(Flow::Switch));
                    }
                    if insn.op == op::IDIV {
                        binary!(Int, |a, b| Value::Int(a.wrapping_div(b)));
                    } else {
                        binary!(Int, |a, b| Value::Int(a.wrapping_rem(b)));
                    }
                }
                op::LADD => binary_wide!(Long, |a, b| Value::Long(a.wrapping_add(b))),
                op::LSUB => binary_wide!(Long, |a, b| Value::Long(a.wrapping_sub(b))),
                op::LMUL => binary_wide!(Long, |a, b| Value::Long(a.wrapping_mul(b))),
                op::LDIV | op::LREM => {
                    if self.operand(1)? == Value::Long(0) {
                        return self.must_throw().and(Err(Flow::Switch));
                    }
                    if insn.op == op::LDIV {
                        binary_wide!(Long, |a, b| Value::Long(a.wrapping_div(b)));
                    } else {
                        binary_wide!(Long, |a, b| Value::Long(a.wrapping_rem(b)));
                    }
                }
                op::FADD => binary!(Float, |a, b| Value::Float(a + b)),
                op::FSUB => binary!(Float, |a, b| Value::Float(a - b)),
                op::FMUL => binary!(Float, |a, b| Value::Float(a * b)),
                op::FDIV => binary!(Float, |a, b| Value::Float(a / b)),
                op::FREM => binary!(Float, |a, b| Value::Float(a % b)),
                op::DADD => binary_wide!(Double, |a, b| Value::Double(a + b)),
                op::DSUB => binary_wide!(Double, |a, b| Value::Double(a - b)),
                op::DMUL => binary_wide!(Double, |a, b| Value::Double(a * b)),
                op::DDIV => binary_wide!(Double, |a, b| Value::Double(a / b)),
                op::DREM => binary_wide!(Double, |a, b| Value::Double(a % b)),
                op::INEG => unary!(Int, |a| Value::Int(a.wrapping_neg())),
                op::LNEG => unary_wide!(Long, |a| Value::Long(a.wrapping_neg())),
                op::FNEG => unary!(Float, |a| Value::Float(-a)),
                op::DNEG => unary_wide!(Double, |a| Value::Double(-a)),
                // Rust's wrapping shifts take the distance modulo the width, as Java's do.
                op::ISHL => binary!(Int, |a, b| Value::Int(a.wrapping_shl(b as u32))),
                op::ISHR => binary!(Int, |a, b| Value::Int(a.wrapping_shr(b as u32))),
                op::IUSHR => binary!(Int, |a, b| Value::Int((a as u32).wrapping_shr(b as u32) as i32)),
                op::LSHL => shift_wide!(|a, by| a.wrapping_shl(by as u32)),
                op::LSHR => shift_wide!(|a, by| a.wrapping_shr(by as u32)),
                op::LUSHR => shift_wide!(|a, by| (a as u64).wrapping_shr(by as u32) as i64),
                op::IAND => binary!(Int, |a, b| Value::Int(a & b)),
                op::IOR => binary!(Int, |a, b| Value::Int(a | b)),
                op::IXOR => binary!(Int, |a, b| Value::Int(a ^ b)),
                op::LAND => binary_wide!(Long, |a, b| Value::Long(a & b)),
                op::LOR => binary_wide!(Long, |a, b| Value::Long(a | b)),
                op::LXOR => binary_wide!(Long, |a, b| Value::Long(a ^ b)),
                // `as` saturates and makes 0 of NaN, as Java does.
                op::I2L => widen!(Int, |a| Value::Long(i64::from(a))),
                op::I2F => unary!(Int, |a| Value::Float(a as f32)),
                op::I2D => widen!(Int, |a| Value::Double(f64::from(a))),
                op::L2I => narrow!(Long, |a| Value::Int(a as i32)),
                op::L2F => narrow!(Long, |a| Value::Float(a as f32)),
                op::L2D => unary_wide!(Long, |a| Value::Double(a as f64)),
                op::F2I => unary!(Float, |a| Value::Int(a as i32)),
                op::F2L => widen!(Float, |a| Value::Long(a as i64)),
                op::F2D => widen!(Float, |a| Value::Double(f64::from(a))),
                op::D2I => narrow!(Double, |a| Value::Int(a as i32)),
                op::D2L => unary_wide!(Double, |a| Value::Long(a as i64)),
                op::D2F => narrow!(Double, |a| Value::Float(a as f32)),
                op::I2B => unary!(Int, |a| Value::Int(i32::from(a as i8))),
                op::I2C => unary!(Int, |a| Value::Int(i32::from(a as u16))),
                op::I2S => unary!(Int, |a| Value::Int(i32::from(a as i16))),
                op::LCMP => binary_wide!(Long, |a, b| Value::Int(a.cmp(&b) as i32)),
                op::FCMPL => binary!(Float, |a, b| compared(a.partial_cmp(&b), -1)),
                op::FCMPG => binary!(Float, |a, b| compared(a.partial_cmp(&b), 1)),
                op::DCMPL => binary_wide!(Double, |a, b| compared(a.partial_cmp(&b), -1)),
                op::DCMPG => binary_wide!(Double, |a, b| compared(a.partial_cmp(&b), 1)),
                op::IFEQ => compare_zero!(insn, |a| a == 0),
                op::IFNE => compare_zero!(insn, |a| a != 0),
                op::IFLT => compare_zero!(insn, |a| a < 0),
                op::IFGE => compare_zero!(insn, |a| a >= 0),
                op::IFGT => compare_zero!(insn, |a| a > 0),
                op::IFLE => compare_zero!(insn, |a| a <= 0),
                op::IF_ICMPEQ => compare_ints!(insn, |a, b| a == b),
                op::IF_ICMPNE => compare_ints!(insn, |a, b| a != b),
                op::IF_ICMPLT => compare_ints!(insn, |a, b| a < b),
                op::IF_ICMPGE => compare_ints!(insn, |a, b| a >= b),
                op::IF_ICMPGT => compare_ints!(insn, |a, b| a > b),
                op::IF_ICMPLE => compare_ints!(insn, |a, b| a <= b),
                op::IF_ACMPEQ | op::IF_ACMPNE => {
                    let same = self.read(b'I')? != Value::Int(0);
                    self.pop_wide()?;
                    branch_on!(insn, same == (insn.op == op::IF_ACMPEQ));
                }
                op::IFNULL | op::IFNONNULL => {
                    let null = self.pop_value()?.is_null();
                    branch_on!(insn, null == (insn.op == op::IFNULL));
                }
                op::GOTO => {
                    self.jump(insn.b as u32)?;
                    continue;
                }
                op::JSR => {
                    self.push_value(Value::ReturnAddress(self.top.ip + 1))?;
                    self.jump(insn.b as u32)?;
                    continue;
                }
                op::RET => {
                    let Value::ReturnAddress(target) = self.local(insn.a)? else { return Err(OPERANDS) };
                    self.jump(target)?;
                    continue;
                }
                op::TABLESWITCH | op::LOOKUPSWITCH => {
                    let Value::Int(key) = self.pop_value()? else { return Err(OPERANDS) };
                    let switch = code.switches.get(insn.b as usize).ok_or(OPERANDS)?;
                    let case = switch.cases.binary_search_by_key(&key, |case| case.0).ok();
                    self.emit(EventKind::Switch { key, case: case.map(|case| case as u32) });
                    self.jump(case.map_or(switch.default, |case| switch.cases[case].1))?;
                    continue;
                }
                op::IALOAD..=op::SALOAD => self.array_load(insn)?,
                op::IASTORE..=op::SASTORE => self.array_store(insn)?,
                op::GETSTATIC | op::GETFIELD | op::PUTSTATIC | op::PUTFIELD => self.field(code, insn)?,
                op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => self.invoke(code, insn.b as usize)?,
                op::IRETURN..=op::RETURN => return self.leave(insn).and(Err(Flow::Switch)),
                op::ATHROW => return self.must_throw().and(Err(Flow::Switch)),
                op::MONITORENTER | op::MONITOREXIT => self.monitor(insn)?,
                _ => self.object(code, insn)?,
            }
            self.top.ip += 1;
        }
    }

    /// The value that an instruction takes from the log.
    #[inline]
    pub(super) fn read(&mut self, kind: u8) -> Step<Value> {
        loop {
            let tag = self.source.tag();
            if tag::is_value(tag) {
                return self.source.value(tag, kind).ok_or(Flow::Gap("the log has a value of another kind"));
            }
            self.between(tag)?;
        }
    }

    /// The instruction cannot succeed: an exception must be ahead.
    #[cold]
    pub(super) fn must_throw(&mut self) -> Step {
        loop {
            let tag = self.source.tag();
            self.between(tag)?;
        }
    }

    #[inline]
    pub(super) fn push_value(&mut self, value: Value) -> Step {
        match self.slots.get_mut(self.top.sp) {
            Some(slot) => *slot = value,
            None => return Err(Flow::Gap("more operands than the method may have")),
        }
        self.top.sp += 1;
        Ok(())
    }

    #[inline]
    fn push_wide(&mut self, value: Value) -> Step {
        self.push_value(value)?;
        self.push_value(Value::Top)
    }

    #[inline]
    pub(super) fn push_of(&mut self, insn: Insn, value: Value) -> Step {
        if insn.wide { self.push_wide(value) } else { self.push_value(value) }
    }

    #[inline]
    pub(super) fn pop_value(&mut self) -> Step<Value> {
        if self.top.sp <= self.top.floor {
            return Err(OPERANDS);
        }
        self.top.sp -= 1;
        Ok(self.slots[self.top.sp])
    }

    #[inline]
    pub(super) fn pop_wide(&mut self) -> Step<Value> {
        if self.top.sp < self.top.floor + 2 {
            return Err(OPERANDS);
        }
        self.top.sp -= 2;
        Ok(self.slots[self.top.sp])
    }

    /// The operand that lies `below` slots under the top.
    #[inline]
    pub(super) fn operand(&self, below: usize) -> Step<Value> {
        if self.top.sp < self.top.floor + below + 1 {
            return Err(OPERANDS);
        }
        Ok(self.slots[self.top.sp - 1 - below])
    }

    #[inline]
    fn local(&self, slot: u16) -> Step<Value> {
        let at = self.top.locals + usize::from(slot);
        if at < self.top.floor { Ok(self.slots[at]) } else { Err(OPERANDS) }
    }

    #[inline]
    fn set_local(&mut self, slot: u16, value: Value) -> Step {
        let at = self.top.locals + usize::from(slot);
        if at >= self.top.floor {
            return Err(OPERANDS);
        }
        self.slots[at] = value;
        Ok(())
    }

    /// Copies the topmost `count` slots to below the `under` slots beneath them.
    fn duplicate(&mut self, count: usize, under: usize) -> Step {
        let sp = self.top.sp;
        if sp < self.top.floor + count + under || sp + count > self.slots.len() {
            return Err(OPERANDS);
        }
        let from = sp - count - under;
        self.slots.copy_within(from..sp, from + count);
        self.slots.copy_within(sp..sp + count, from);
        self.top.sp = sp + count;
        Ok(())
    }

    #[inline]
    fn jump(&mut self, target: u32) -> Step {
        if target <= self.top.ip {
            let distance = self.top.ip - target + 1;
            match self.fuel.checked_sub(distance) {
                Some(left) => self.fuel = left,
                None => self.refuel()?,
            }
        }
        self.top.ip = target;
        Ok(())
    }

    /// Many loops went by: were there records among them, and are there any more?
    #[cold]
    fn refuel(&mut self) -> Step {
        if self.stopped {
            return Err(Flow::End);
        }
        let position = self.source.position();
        if position != self.fuel_position {
            self.fuel_position = position;
            self.rounds = 0;
        } else {
            self.rounds += 1;
            if self.source.tag() == tag::END {
                return Err(Flow::End);
            }
            if self.rounds > self.limits.elsewhere {
                self.rounds = 0;
                self.limits.elsewhere = 1;
                self.limits.at_end = (self.limits.at_end / 2).max(1000);
                self.fuel = self.limits.at_end;
                return Err(Flow::Gap("a loop without end, though the log goes on"));
            }
        }
        self.fuel = self.limits.at_end;
        Ok(())
    }

    /// `xreturn`: the log says that the call ends.
    fn leave(&mut self, insn: Insn) -> Step {
        let value = match insn.op {
            op::RETURN => None,
            op::LRETURN | op::DRETURN => Some(self.operand(1)?),
            _ => Some(self.operand(0)?.narrowed(self.top.method.map_or(b'L', |method| method.result))),
        };
        self.expect(tag::EXIT)?;
        self.emit(EventKind::Exit { value });
        self.pop(false);
        Ok(())
    }
}

fn compared(order: Option<std::cmp::Ordering>, unordered: i32) -> Value {
    Value::Int(order.map_or(unordered, |order| order as i32))
}
