//! What instructions do to the stack, as far as it is the same for every value: slots taken and given, by opcode or by
//! the constant that the instruction names.

use classfile::opcode as op;
use classfile::{Code, Constant, ConstantPool, ExceptionEntry, Insn, MethodDescriptor, TypeKind};

pub const MALFORMED: &str = "its code is malformed";

pub struct Context<'a> {
    pub code: Code<'a>,
    pub pool: &'a ConstantPool<'a>,
    /// All operands can be asked for, not only those that are written to.
    pub program: bool,
}

/// Slots taken from the stack, how many parameters these are, and what is put there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    pub slots: u16,
    pub result: Slot,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slot {
    #[default]
    Nothing,
    One,
    Two,
    Reference,
}

pub fn parse(info: &[u8]) -> Option<Code<'_>> {
    let u2 = |at: usize| Some(u16::from_be_bytes(info.get(at..at + 2)?.try_into().ok()?));
    let len = u32::from_be_bytes(info.get(4..8)?.try_into().ok()?) as usize;
    if len == 0 || len > 65535 {
        return None;
    }
    let code = info.get(8..8 + len)?;
    let table = 8 + len;
    let exceptions = (0..u2(table)? as usize)
        .map(|i| {
            let at = table + 2 + 8 * i;
            Some(ExceptionEntry {
                start: u2(at)?,
                end: u2(at + 2)?,
                handler: u2(at + 4)?,
                catch_type: u2(at + 6)?,
            })
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Code { max_stack: u2(0)?, max_locals: u2(2)?, code, exceptions, attributes: Vec::new() })
}

fn slot_of(descriptor: &[u8]) -> Result<Slot, &'static str> {
    Ok(match TypeKind::of(descriptor).map_err(|_| MALFORMED)? {
        TypeKind::Void => Slot::Nothing,
        TypeKind::Reference => Slot::Reference,
        TypeKind::Long | TypeKind::Double => Slot::Two,
        TypeKind::Int | TypeKind::Float => Slot::One,
    })
}

pub fn shape(cx: &Context<'_>, insn: Insn) -> Result<Shape, &'static str> {
    Ok(match insn.op {
        op::LDC | op::LDC_W | op::LDC2_W => {
            let result = match cx.pool.get(constant(cx, insn)).map_err(|_| MALFORMED)? {
                Constant::Integer(_) | Constant::Float(_) => Slot::One,
                Constant::Long(_) | Constant::Double(_) => Slot::Two,
                Constant::Dynamic { .. } => {
                    slot_of(cx.pool.member(constant(cx, insn)).map_err(|_| MALFORMED)?.descriptor)?
                }
                _ => Slot::Reference,
            };
            Shape { slots: 0, result }
        }
        op::GETSTATIC | op::PUTSTATIC | op::GETFIELD | op::PUTFIELD => {
            let member = cx.pool.member(cx.code.index(insn)).map_err(|_| MALFORMED)?;
            let result = slot_of(member.descriptor)?;
            Shape { slots: 1 + (result == Slot::Two) as u16, result }
        }
        op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => {
            let member = cx.pool.member(cx.code.index(insn)).map_err(|_| MALFORMED)?;
            let d = MethodDescriptor::parse(member.descriptor).map_err(|_| MALFORMED)?;
            let receiver = !matches!(insn.op, op::INVOKESTATIC | op::INVOKEDYNAMIC);
            Shape { slots: d.slots() + receiver as u16, result: slot_of(d.result)? }
        }
        _ => Shape::default(),
    })
}

pub fn constant(cx: &Context<'_>, insn: Insn) -> u16 {
    if insn.op == op::LDC { cx.code.code[insn.pc as usize + 1] as u16 } else { cx.code.index(insn) }
}

/// The descriptor of `newarray`'s element.
pub fn letter(code: u8) -> Option<u8> {
    b"ZCFDBSIJ".get((code as usize).checked_sub(4)?).copied()
}

/// Slots taken and given by instructions that no reference passes through.
pub fn plain(opcode: u8) -> Option<(usize, usize)> {
    Some(match opcode {
        op::NOP | op::IINC | op::GOTO | op::GOTO_W | op::RET | op::RETURN => (0, 0),
        op::ACONST_NULL..=op::ICONST_5 | op::FCONST_0..=op::FCONST_2 | op::BIPUSH | op::SIPUSH => (0, 1),
        op::LCONST_0 | op::LCONST_1 | op::DCONST_0 | op::DCONST_1 => (0, 2),
        op::ILOAD | op::FLOAD | op::ILOAD_0..=op::ILOAD_3 | op::FLOAD_0..=op::FLOAD_3 => (0, 1),
        op::LLOAD | op::DLOAD | op::LLOAD_0..=op::LLOAD_3 | op::DLOAD_0..=op::DLOAD_3 => (0, 2),
        op::POP => (1, 0),
        op::POP2 => (2, 0),
        op::IADD | op::FADD | op::ISUB | op::FSUB | op::IMUL | op::FMUL | op::IDIV | op::FDIV => (2, 1),
        op::IREM | op::FREM | op::ISHL | op::ISHR | op::IUSHR | op::IAND | op::IOR | op::IXOR => (2, 1),
        op::LADD | op::DADD | op::LSUB | op::DSUB | op::LMUL | op::DMUL | op::LDIV | op::DDIV => (4, 2),
        op::LREM | op::DREM | op::LAND | op::LOR | op::LXOR => (4, 2),
        op::INEG | op::FNEG | op::I2F | op::F2I | op::I2B | op::I2C | op::I2S => (1, 1),
        op::LNEG | op::DNEG | op::L2D | op::D2L => (2, 2),
        op::LSHL | op::LSHR | op::LUSHR => (3, 2),
        op::I2L | op::I2D | op::F2L | op::F2D => (1, 2),
        op::L2I | op::L2F | op::D2I | op::D2F => (2, 1),
        op::LCMP | op::DCMPL | op::DCMPG => (4, 1),
        op::FCMPL | op::FCMPG => (2, 1),
        op::IFEQ..=op::IFLE | op::TABLESWITCH | op::LOOKUPSWITCH | op::IRETURN | op::FRETURN => (1, 0),
        op::IF_ICMPEQ..=op::IF_ICMPLE | op::LRETURN | op::DRETURN => (2, 0),
        op::JSR | op::JSR_W => (0, 1),
        _ => return None,
    })
}
