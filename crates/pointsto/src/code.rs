//! A method's code as the translation needs it: without attributes, and with what each instruction does to the stack
//! worked out once, since blocks are followed several times.

use classfile::{Code, ConstantPool, ExceptionEntry, Insn, StackEffect, TypeKind};

pub const MALFORMED: &str = "its code is malformed";

pub struct Context<'a> {
    pub code: Code<'a>,
    pub pool: &'a ConstantPool<'a>,
    /// All operands can be asked for, not only those that are written to.
    pub program: bool,
}

/// What an instruction does to the stack: slots taken, and what is put there. Of those that move slots nothing is said.
#[derive(Clone, Copy, Debug)]
pub struct SlotEffect {
    pub takes: u16,
    pub gives: TypeKind,
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

pub fn shape(cx: &Context<'_>, insn: Insn) -> Result<SlotEffect, &'static str> {
    let (slots, gives) = match cx.code.stack_effect(insn, cx.pool).map_err(|_| MALFORMED)? {
        StackEffect::Values { takes, gives } => (takes.slots(), gives),
        StackEffect::Drops(slots) => (slots, TypeKind::Void),
        StackEffect::Shuffles(_) => (0, TypeKind::Void),
    };
    Ok(SlotEffect { takes: u16::try_from(slots).map_err(|_| MALFORMED)?, gives })
}
