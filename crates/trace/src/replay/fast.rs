//! The inner loop of replay: all instructions in their ordinary course. What is out of the ordinary (no value
//! where one is wanted, an exception ahead, a class initialiser, a call) is left to the slow path, which finds
//! everything as it was before the instruction.

use classfile::opcode as op;

use super::slot::{self, TOP, as_object, as_return_address, int, return_address};
use super::source::{RAISED, WAIT};
use super::{Activation, Read, ReadKind, Replay, Then, Visitor};
use crate::code::Code;
use crate::event::{Event, EventKind, Site};
use crate::record::tag;
use crate::value::Value;

/// How many instructions in loops go by between two looks at whether a pause is due.
const PORTION: u64 = 1 << 16;

/// Why the inner loop stopped.
pub(super) enum Pause {
    /// The instruction at `ip` is for the slow path.
    Slow,
    /// Many loops without looking up.
    Fuel,
    /// The visitor wants no more.
    Stopped,
    /// Operands or jumps that verified code cannot have.
    Malformed,
}

impl<'p, V: Visitor> Replay<'p, V> {
    pub(super) fn run_fast(&mut self, code: &'p Code) -> Pause {
        let Replay { source, visitor, slots, boxes, objects, open, .. } = self;
        let Activation { id: method, locals, limit, .. } = self.top;
        let Some(slots) = slots.get_mut(locals..limit) else { return Pause::Malformed };
        let depth = *open;
        // Where a pause is wanted, loops come back to see whether it is time.
        let granted = match self.until {
            u64::MAX => self.fuel,
            until => self.fuel.min(until.saturating_sub(self.outcome.events).min(PORTION) as i64),
        };
        let mut fuel = granted;
        let mut events = 0;
        let mut ip = self.top.ip as usize;
        let mut sp = self.top.sp - locals;

        macro_rules! at {
            ($index:expr) => {
                match slots.get($index) {
                    Some(&slot) => slot,
                    None => break Pause::Malformed,
                }
            };
        }
        macro_rules! set {
            ($index:expr, $value:expr) => {{
                let value = $value;
                match slots.get_mut($index) {
                    Some(slot) => *slot = value,
                    None => break Pause::Malformed,
                }
            }};
        }
        macro_rules! push {
            ($value:expr) => {{
                set!(sp, $value);
                sp += 1;
            }};
        }
        macro_rules! push_wide {
            ($value:expr) => {{
                push!($value);
                push!(TOP);
            }};
        }
        macro_rules! pop {
            () => {{
                sp = sp.wrapping_sub(1);
                at!(sp)
            }};
        }
        macro_rules! pop_wide {
            () => {{
                sp = sp.wrapping_sub(2);
                at!(sp)
            }};
        }
        macro_rules! emit {
            ($kind:expr) => {{
                events += 1;
                let bci = code.pcs.get(ip).copied().unwrap_or(u16::MAX);
                let site = Some(Site { method, bci });
                let event = Event { site, depth, library: false, end: None, kind: $kind };
                if let Then::Stop = visitor.event(&event) {
                    break Pause::Stopped;
                }
            }};
        }
        // Of most programs' events these are two thirds.
        macro_rules! emit_flow {
            ($kind:expr) => {
                if V::FLOW {
                    emit!($kind);
                } else {
                    events += 1;
                    visitor.flow(&$kind);
                }
            };
        }
        macro_rules! jump {
            ($target:expr) => {{
                let target = $target as usize;
                if target <= ip {
                    fuel -= (ip - target + 1) as i64;
                    ip = target;
                    if fuel < 0 {
                        break Pause::Fuel;
                    }
                } else {
                    ip = target;
                }
                continue;
            }};
        }
        macro_rules! branch {
            ($insn:ident, $taken:expr) => {{
                let taken = $taken;
                emit_flow!(EventKind::Branch { taken });
                if taken {
                    jump!($insn.b);
                }
            }};
        }
        macro_rules! compare {
            ($insn:ident, $operator:tt) => {{
                let (b, a) = (pop!() as i32, pop!() as i32);
                branch!($insn, a $operator b);
            }};
        }
        macro_rules! compare_zero {
            ($insn:ident, $operator:tt) => {{
                let a = pop!() as i32;
                branch!($insn, a $operator 0);
            }};
        }
        macro_rules! ints {
            (|$a:ident, $b:ident| $result:expr) => {{
                let ($b, $a) = (pop!() as i32, pop!() as i32);
                push!(int($result));
            }};
        }
        macro_rules! longs {
            (|$a:ident, $b:ident| $result:expr) => {{
                let ($b, $a) = (pop_wide!() as i64, pop_wide!() as i64);
                push_wide!($result as u64);
            }};
        }
        macro_rules! shifts {
            (|$a:ident, $by:ident| $result:expr) => {{
                let ($by, $a) = (pop!() as u32, pop_wide!() as i64);
                push_wide!($result as u64);
            }};
        }
        macro_rules! floats {
            (|$a:ident, $b:ident| $result:expr) => {{
                let ($b, $a) = (f32::from_bits(pop!() as u32), f32::from_bits(pop!() as u32));
                push!(bits($result));
            }};
        }
        macro_rules! doubles {
            (|$a:ident, $b:ident| $result:expr) => {{
                let ($b, $a) = (f64::from_bits(pop_wide!()), f64::from_bits(pop_wide!()));
                push_wide!(($result).to_bits());
            }};
        }
        // The value that the log has for an instruction that pushes one; the rest is for the slow path.
        macro_rules! recorded {
            ($kind:expr) => {{
                let tag = source.wanted();
                match source.slot(tag, $kind) {
                    Some(slot) => slot,
                    None => break Pause::Slow,
                }
            }};
        }
        // Before a write: it went well if neither an exception nor anything doubtful is ahead.
        macro_rules! goes_well {
            ($($doubtful:pat),*) => {
                if matches!(source.wanted(), RAISED | WAIT | tag::SEQ $(| $doubtful)*) {
                    break Pause::Slow;
                }
            };
        }

        macro_rules! tell_read {
            ($kind:expr) => {{
                let bci = code.pcs.get(ip).copied().unwrap_or(u16::MAX);
                visitor.read(&Read { site: Site { method, bci }, depth, kind: $kind });
            }};
        }

        let pause = loop {
            let Some(&insn) = code.insns.get(ip) else { break Pause::Malformed };
            match insn.op {
                op::NOP => {}
                op::SIPUSH => push!(int(insn.b)),
                op::LDC => {
                    let Some(&value) = code.constants.get(insn.b as usize) else { break Pause::Malformed };
                    push!(boxes.pack(value));
                    if insn.wide {
                        push!(TOP);
                    }
                }
                op::ILOAD => push!(at!(usize::from(insn.a))),
                op::LLOAD => push_wide!(at!(usize::from(insn.a))),
                op::ISTORE | op::FSTORE | op::ASTORE => {
                    let value = pop!();
                    set!(usize::from(insn.a), value);
                    let value = match insn.op {
                        op::ISTORE => Value::Int(value as i32),
                        op::FSTORE => Value::Float(f32::from_bits(value as u32)),
                        _ => boxes.unpack_reference(value),
                    };
                    emit_flow!(EventKind::LocalWrite { slot: insn.a, value });
                }
                op::LSTORE | op::DSTORE => {
                    let value = pop_wide!();
                    set!(usize::from(insn.a), value);
                    set!(usize::from(insn.a) + 1, TOP);
                    let value = match insn.op {
                        op::LSTORE => Value::Long(value as i64),
                        _ => Value::Double(f64::from_bits(value)),
                    };
                    emit_flow!(EventKind::LocalWrite { slot: insn.a, value });
                }
                op::IINC => {
                    let value = (at!(usize::from(insn.a)) as i32).wrapping_add(insn.b);
                    set!(usize::from(insn.a), int(value));
                    emit_flow!(EventKind::LocalWrite { slot: insn.a, value: Value::Int(value) });
                }
                op::POP => sp = sp.wrapping_sub(1),
                op::POP2 => sp = sp.wrapping_sub(2),
                op::DUP => push!(at!(sp.wrapping_sub(1))),
                op::DUP_X1 | op::DUP_X2 | op::DUP2 | op::DUP2_X1 | op::DUP2_X2 => {
                    let (count, under) = (usize::from(insn.a), insn.b as usize);
                    if sp < count + under || sp + count > slots.len() {
                        break Pause::Malformed;
                    }
                    let from = sp - count - under;
                    slots.copy_within(from..sp, from + count);
                    slots.copy_within(sp..sp + count, from);
                    sp += count;
                }
                op::SWAP => {
                    let (first, second) = (pop!(), pop!());
                    push!(first);
                    push!(second);
                }
                op::IADD => ints!(|a, b| a.wrapping_add(b)),
                op::ISUB => ints!(|a, b| a.wrapping_sub(b)),
                op::IMUL => ints!(|a, b| a.wrapping_mul(b)),
                op::IDIV | op::IREM if at!(sp.wrapping_sub(1)) as i32 == 0 => break Pause::Slow,
                op::IDIV => ints!(|a, b| a.wrapping_div(b)),
                op::IREM => ints!(|a, b| a.wrapping_rem(b)),
                op::LADD => longs!(|a, b| a.wrapping_add(b)),
                op::LSUB => longs!(|a, b| a.wrapping_sub(b)),
                op::LMUL => longs!(|a, b| a.wrapping_mul(b)),
                op::LDIV | op::LREM if at!(sp.wrapping_sub(2)) == 0 => break Pause::Slow,
                op::LDIV => longs!(|a, b| a.wrapping_div(b)),
                op::LREM => longs!(|a, b| a.wrapping_rem(b)),
                op::FADD => floats!(|a, b| a + b),
                op::FSUB => floats!(|a, b| a - b),
                op::FMUL => floats!(|a, b| a * b),
                op::FDIV => floats!(|a, b| a / b),
                op::FREM => floats!(|a, b| a % b),
                op::DADD => doubles!(|a, b| a + b),
                op::DSUB => doubles!(|a, b| a - b),
                op::DMUL => doubles!(|a, b| a * b),
                op::DDIV => doubles!(|a, b| a / b),
                op::DREM => doubles!(|a, b| a % b),
                op::INEG => push!(int((pop!() as i32).wrapping_neg())),
                op::LNEG => push_wide!((pop_wide!() as i64).wrapping_neg() as u64),
                op::FNEG => push!(bits(-f32::from_bits(pop!() as u32))),
                op::DNEG => push_wide!((-f64::from_bits(pop_wide!())).to_bits()),
                // Rust's wrapping shifts take the distance modulo the width, as Java's do.
                op::ISHL => ints!(|a, b| a.wrapping_shl(b as u32)),
                op::ISHR => ints!(|a, b| a.wrapping_shr(b as u32)),
                op::IUSHR => ints!(|a, b| (a as u32).wrapping_shr(b as u32) as i32),
                op::LSHL => shifts!(|a, by| a.wrapping_shl(by)),
                op::LSHR => shifts!(|a, by| a.wrapping_shr(by)),
                op::LUSHR => shifts!(|a, by| (a as u64).wrapping_shr(by)),
                op::IAND => ints!(|a, b| a & b),
                op::IOR => ints!(|a, b| a | b),
                op::IXOR => ints!(|a, b| a ^ b),
                op::LAND => longs!(|a, b| a & b),
                op::LOR => longs!(|a, b| a | b),
                op::LXOR => longs!(|a, b| a ^ b),
                // `as` saturates and makes 0 of NaN, as Java does.
                op::I2L => push_wide!(i64::from(pop!() as i32) as u64),
                op::I2F => push!(bits(pop!() as i32 as f32)),
                op::I2D => push_wide!(f64::from(pop!() as i32).to_bits()),
                op::L2I => push!(int(pop_wide!() as i32)),
                op::L2F => push!(bits(pop_wide!() as i64 as f32)),
                op::L2D => push_wide!((pop_wide!() as i64 as f64).to_bits()),
                op::F2I => push!(int(f32::from_bits(pop!() as u32) as i32)),
                op::F2L => push_wide!(f32::from_bits(pop!() as u32) as i64 as u64),
                op::F2D => push_wide!(f64::from(f32::from_bits(pop!() as u32)).to_bits()),
                op::D2I => push!(int(f64::from_bits(pop_wide!()) as i32)),
                op::D2L => push_wide!(f64::from_bits(pop_wide!()) as i64 as u64),
                op::D2F => push!(bits(f64::from_bits(pop_wide!()) as f32)),
                op::I2B => push!(int(i32::from(pop!() as i8))),
                op::I2C => push!(int(i32::from(pop!() as u16))),
                op::I2S => push!(int(i32::from(pop!() as i16))),
                op::LCMP => {
                    let (b, a) = (pop_wide!() as i64, pop_wide!() as i64);
                    push!(int(a.cmp(&b) as i32));
                }
                op::FCMPL | op::FCMPG => {
                    let (b, a) = (f32::from_bits(pop!() as u32), f32::from_bits(pop!() as u32));
                    let unordered = if insn.op == op::FCMPL { -1 } else { 1 };
                    push!(int(a.partial_cmp(&b).map_or(unordered, |order| order as i32)));
                }
                op::DCMPL | op::DCMPG => {
                    let (b, a) = (f64::from_bits(pop_wide!()), f64::from_bits(pop_wide!()));
                    let unordered = if insn.op == op::DCMPL { -1 } else { 1 };
                    push!(int(a.partial_cmp(&b).map_or(unordered, |order| order as i32)));
                }
                op::IFEQ => compare_zero!(insn, ==),
                op::IFNE => compare_zero!(insn, !=),
                op::IFLT => compare_zero!(insn, <),
                op::IFGE => compare_zero!(insn, >=),
                op::IFGT => compare_zero!(insn, >),
                op::IFLE => compare_zero!(insn, <=),
                op::IF_ICMPEQ => compare!(insn, ==),
                op::IF_ICMPNE => compare!(insn, !=),
                op::IF_ICMPLT => compare!(insn, <),
                op::IF_ICMPGE => compare!(insn, >=),
                op::IF_ICMPGT => compare!(insn, >),
                op::IF_ICMPLE => compare!(insn, <=),
                op::IF_ACMPEQ | op::IF_ACMPNE => {
                    let same = recorded!(b'I') != 0;
                    sp = sp.wrapping_sub(2);
                    branch!(insn, same == (insn.op == op::IF_ACMPEQ));
                }
                op::IFNULL => {
                    let null = pop!() == 0;
                    branch!(insn, null);
                }
                op::IFNONNULL => {
                    let null = pop!() == 0;
                    branch!(insn, !null);
                }
                op::GOTO => jump!(insn.b),
                op::JSR => {
                    push!(return_address(ip as u32 + 1));
                    jump!(insn.b);
                }
                op::RET => match as_return_address(at!(usize::from(insn.a))) {
                    Some(target) => jump!(target),
                    None => break Pause::Malformed,
                },
                op::TABLESWITCH | op::LOOKUPSWITCH => {
                    let key = pop!() as i32;
                    let Some(switch) = code.switches.get(insn.b as usize) else { break Pause::Malformed };
                    let case = switch.cases.binary_search_by_key(&key, |case| case.0).ok();
                    emit_flow!(EventKind::Switch { key, case: case.map(|case| case as u32) });
                    jump!(case.map_or(switch.default, |case| switch.cases[case].1));
                }
                op::IALOAD..=op::SALOAD => {
                    let value = recorded!(insn.a as u8);
                    sp = sp.wrapping_sub(2);
                    if V::READS {
                        let array = boxes.unpack_reference(at!(sp));
                        let index = at!(sp.wrapping_add(1)) as i32;
                        let value = boxes.unpack(value, insn.a as u8);
                        tell_read!(ReadKind::Element { array, index, value });
                    }
                    push!(value);
                    if insn.wide {
                        push!(TOP);
                    }
                }
                op::GETFIELD | op::GETSTATIC => {
                    let Some(field) = code.fields.get(insn.b as usize) else { break Pause::Malformed };
                    if field.volatile {
                        break Pause::Slow;
                    }
                    let value = recorded!(insn.a as u8);
                    if insn.op == op::GETFIELD {
                        sp = sp.wrapping_sub(1);
                    }
                    if V::READS {
                        let value = boxes.unpack(value, field.kind);
                        tell_read!(if insn.op == op::GETFIELD {
                            ReadKind::Field { object: boxes.unpack_reference(at!(sp)), field, value }
                        } else {
                            ReadKind::Static { field, value }
                        });
                    }
                    push!(value);
                    if insn.wide {
                        push!(TOP);
                    }
                }
                op::IASTORE..=op::SASTORE => {
                    goes_well!();
                    let value_at = sp.wrapping_sub(if insn.wide { 2 } else { 1 });
                    let array = at!(value_at.wrapping_sub(2));
                    if array == 0 {
                        break Pause::Slow;
                    }
                    let value = boxes.unpack(at!(value_at), insn.a as u8).narrowed(insn.b as u8);
                    let index = at!(value_at.wrapping_sub(1)) as i32;
                    sp = value_at.wrapping_sub(2);
                    let array = boxes.unpack_reference(array);
                    emit!(EventKind::ArrayWrite { array, index, value });
                }
                op::PUTFIELD => {
                    let Some(field) = code.fields.get(insn.b as usize) else { break Pause::Malformed };
                    goes_well!();
                    let value_at = sp.wrapping_sub(if insn.wide { 2 } else { 1 });
                    let object = at!(value_at.wrapping_sub(1));
                    if field.volatile || object == 0 {
                        break Pause::Slow;
                    }
                    let value = boxes.unpack(at!(value_at), field.kind).narrowed(field.kind);
                    sp = value_at.wrapping_sub(1);
                    let object = boxes.unpack_reference(object);
                    emit!(EventKind::FieldWrite { object, field, value });
                }
                op::PUTSTATIC => {
                    let Some(field) = code.fields.get(insn.b as usize) else { break Pause::Malformed };
                    goes_well!(tag::ENTER);
                    if field.volatile {
                        break Pause::Slow;
                    }
                    sp = sp.wrapping_sub(if insn.wide { 2 } else { 1 });
                    let value = boxes.unpack(at!(sp), field.kind).narrowed(field.kind);
                    emit!(EventKind::StaticWrite { field, value });
                }
                op::ARRAYLENGTH => {
                    let length = as_object(at!(sp.wrapping_sub(1))).and_then(|id| objects.length(id));
                    let Some(length) = length else { break Pause::Slow };
                    set!(sp.wrapping_sub(1), u64::from(length));
                }
                op::CHECKCAST => goes_well!(),
                op::INSTANCEOF => {
                    let outcome = recorded!(b'I');
                    set!(sp.wrapping_sub(1), outcome);
                }
                _ => break Pause::Slow,
            }
            ip += 1;
        };
        self.top.ip = ip as u32;
        // A stack pointer that left its range says so when it is used next.
        self.top.sp = locals.saturating_add(sp).min(limit);
        self.fuel -= granted - fuel;
        self.outcome.events += events;
        pause
    }
}

fn bits(value: f32) -> slot::Slot {
    u64::from(value.to_bits())
}
