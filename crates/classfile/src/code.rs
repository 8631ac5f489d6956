//! The Code attribute: instructions, exception table, line numbers, local variable names.

use crate::bytes::{Cursor, i4, u2};
use crate::class::{Attribute, attributes};
use crate::constant_pool::ConstantPool;
use crate::opcode as op;
use crate::{Error, Result};

#[derive(Debug, Clone)]
pub struct Code<'a> {
    pub max_stack: u16,
    pub max_locals: u16,
    pub code: &'a [u8],
    pub exceptions: Vec<ExceptionEntry>,
    pub attributes: Vec<Attribute<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExceptionEntry {
    pub start: u16,
    pub end: u16,
    pub handler: u16,
    /// Class constant, or 0 for any exception.
    pub catch_type: u16,
}

/// One instruction: where it stands, its opcode and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insn {
    pub pc: u32,
    pub op: u8,
    pub len: u32,
}

/// A decoded `tableswitch` or `lookupswitch`; targets are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    pub default: u32,
    /// (key, target), by ascending key.
    pub cases: Vec<(i32, u32)>,
}

impl<'a> Code<'a> {
    pub(crate) fn parse(info: &'a [u8], pool: &ConstantPool<'a>) -> Result<Self> {
        let mut c = Cursor::new(info, "a Code attribute");
        let (max_stack, max_locals) = (c.u2()?, c.u2()?);
        let len = c.u4()? as usize;
        if len == 0 || len > 65535 {
            return Err(Error::Code(0, "its length is not between 1 and 65535"));
        }
        let code = c.take(len)?;
        let count = c.u2()?;
        let exceptions = (0..count)
            .map(|_| {
                Ok(ExceptionEntry { start: c.u2()?, end: c.u2()?, handler: c.u2()?, catch_type: c.u2()? })
            })
            .collect::<Result<Vec<_>>>()?;
        let attributes = attributes(&mut c, pool)?;
        if !c.at_end() {
            return Err(Error::Trailing(info.len() - c.pos));
        }
        Ok(Code { max_stack, max_locals, code, exceptions, attributes })
    }

    pub fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|a| a.name == name.as_bytes())
    }

    pub fn insns(&self) -> Insns<'a> {
        Insns { code: self.code, pc: 0 }
    }

    /// (pc, line) pairs of all LineNumberTables, as they stand.
    pub fn lines(&self) -> Vec<(u16, u16)> {
        let mut lines = Vec::new();
        for a in self.attributes.iter().filter(|a| a.name == b"LineNumberTable") {
            lines.extend(
                a.info
                    .get(2..)
                    .unwrap_or(&[])
                    .chunks_exact(4)
                    .map(|e| (u16::from_be_bytes([e[0], e[1]]), u16::from_be_bytes([e[2], e[3]]))),
            );
        }
        lines
    }

    /// The name of the local variable in `slot` at `pc`, from the LocalVariableTable. A variable's range begins
    /// after the store that initialises it, so `pc` may also be that store.
    pub fn local_name(&self, pool: &ConstantPool<'a>, slot: u16, pc: u32) -> Option<(&'a [u8], &'a [u8])> {
        let store_len = instruction_length(self.code, pc).unwrap_or(0);
        let table = self.attribute("LocalVariableTable")?;
        table.info.get(2..)?.chunks_exact(10).find_map(|e| {
            let field = |i: usize| u16::from_be_bytes([e[i], e[i + 1]]);
            let (start, len) = (field(0) as u32, field(2) as u32);
            let covers = (start <= pc && pc < start + len) || start == pc + store_len;
            if field(8) != slot || !covers {
                return None;
            }
            Some((pool.utf8(field(4)).ok()?, pool.utf8(field(6)).ok()?))
        })
    }

    /// Absolute target of a jump instruction.
    pub fn jump_target(&self, insn: Insn) -> Result<u32> {
        let at = insn.pc as usize + 1;
        let offset = if op::is_wide_jump(insn.op) {
            i4(self.code, at)
        } else {
            u2(self.code, at).map(|o| o as i16 as i32)
        };
        let target = offset.map(|o| insn.pc as i64 + o as i64);
        match target {
            Some(t) if t >= 0 && t < self.code.len() as i64 => Ok(t as u32),
            _ => Err(Error::Code(insn.pc, "jump out of the method")),
        }
    }

    /// Decodes a switch instruction.
    pub fn switch(&self, insn: Insn) -> Result<Switch> {
        let err = || Error::Code(insn.pc, "malformed switch");
        let base = (insn.pc as usize + 4) & !3;
        let word = |i: usize| i4(self.code, base + 4 * i).ok_or_else(err);
        let target = |offset: i32| {
            let t = insn.pc as i64 + offset as i64;
            if t >= 0 && t < self.code.len() as i64 { Ok(t as u32) } else { Err(err()) }
        };
        let default = target(word(0)?)?;
        let mut cases = Vec::new();
        if insn.op == op::TABLESWITCH {
            let (low, high) = (word(1)?, word(2)?);
            for (i, key) in (low..=high).enumerate() {
                cases.push((key, target(word(3 + i)?)?));
            }
        } else {
            for i in 0..word(1)?.max(0) as usize {
                cases.push((word(2 + 2 * i)?, target(word(3 + 2 * i)?)?));
            }
        }
        Ok(Switch { default, cases })
    }

    /// The instruction at `pc`, where one has to begin.
    pub fn insn(&self, pc: u32) -> Result<Insn> {
        let len = instruction_length(self.code, pc)?;
        Ok(Insn { pc, op: self.code[pc as usize], len })
    }

    /// The opcode, that which `wide` widens in its place.
    pub fn operation(&self, insn: Insn) -> u8 {
        match insn.op {
            op::WIDE => self.code.get(insn.pc as usize + 1).copied().unwrap_or(insn.op),
            code => code,
        }
    }

    /// Index of the constant that the instruction names, if it is one that names a constant.
    pub fn constant(&self, insn: Insn) -> u16 {
        match insn.op {
            op::LDC => self.code.get(insn.pc as usize + 1).copied().unwrap_or(0).into(),
            _ => self.index(insn),
        }
    }

    /// The unsigned 16-bit operand right after the opcode (constant index of `getfield`, `new`, …).
    pub fn index(&self, insn: Insn) -> u16 {
        u2(self.code, insn.pc as usize + 1).unwrap_or(0)
    }

    /// Slot of a load, store, `iinc` or `ret`, in its short, normal or wide form.
    pub fn slot(&self, insn: Insn) -> Option<u16> {
        let at = insn.pc as usize;
        match insn.op {
            op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE | op::RET | op::IINC => {
                self.code.get(at + 1).map(|&s| s as u16)
            }
            o @ op::ILOAD_0..=op::ALOAD_3 => Some(((o - op::ILOAD_0) & 3) as u16),
            o @ op::ISTORE_0..=op::ASTORE_3 => Some(((o - op::ISTORE_0) & 3) as u16),
            op::WIDE => u2(self.code, at + 2),
            _ => None,
        }
    }
}

/// Iterates over the instructions; ends after the first malformed one.
#[derive(Debug, Clone)]
pub struct Insns<'a> {
    code: &'a [u8],
    pc: u32,
}

impl Iterator for Insns<'_> {
    type Item = Result<Insn>;

    fn next(&mut self) -> Option<Self::Item> {
        let pc = self.pc;
        let op = *self.code.get(pc as usize)?;
        match instruction_length(self.code, pc) {
            Ok(len) => {
                self.pc = pc + len;
                Some(Ok(Insn { pc, op, len }))
            }
            Err(e) => {
                self.pc = self.code.len() as u32;
                Some(Err(e))
            }
        }
    }
}

fn instruction_length(code: &[u8], pc: u32) -> Result<u32> {
    let at = pc as usize;
    let op = *code.get(at).ok_or(Error::Code(pc, "past the end"))?;
    let len = match op {
        op::TABLESWITCH | op::LOOKUPSWITCH => {
            let base = (at + 4) & !3;
            let word = |i: usize| i4(code, base + 4 * i).ok_or(Error::Code(pc, "malformed switch"));
            let words = if op == op::TABLESWITCH {
                let (low, high) = (word(1)? as i64, word(2)? as i64);
                if high < low || high - low > 65535 {
                    return Err(Error::Code(pc, "malformed switch"));
                }
                3 + (high - low + 1) as usize
            } else {
                let pairs = word(1)?;
                if !(0..=65535).contains(&pairs) {
                    return Err(Error::Code(pc, "malformed switch"));
                }
                2 + 2 * pairs as usize
            };
            base + 4 * words - at
        }
        op::WIDE => match code.get(at + 1) {
            Some(&op::IINC) => 6,
            Some(&(op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE | op::RET)) => 4,
            _ => return Err(Error::Code(pc, "malformed wide instruction")),
        },
        _ => match op::LENGTH.get(op as usize) {
            Some(&len) => len as usize,
            None => return Err(Error::Code(pc, "unknown opcode")),
        },
    };
    if at + len > code.len() {
        return Err(Error::Code(pc, "the instruction is cut short"));
    }
    Ok(len as u32)
}
