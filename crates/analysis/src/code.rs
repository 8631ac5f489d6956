//! The code of a method, read once: its instructions, and what is worked out of them when it is first asked for.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use classfile::{ClassFile, Member, MethodDescriptor, StackEffect, TypeKind, access, opcode as op};
use trace::{MethodId, Mode, Program};

use crate::cfg::Cfg;
use crate::defuse::DefUse;
use crate::dominators::Dominators;
use crate::error::{Error, Result};
use crate::natural_loops::NaturalLoops;
use crate::operands::Operands;

/// What an instruction does with a variable of the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    Load(u16),
    Store(u16),
    /// `iinc`: reads and writes it.
    Increment(u16),
}

impl Local {
    pub fn slot(self) -> u16 {
        match self {
            Local::Load(slot) | Local::Store(slot) | Local::Increment(slot) => slot,
        }
    }

    pub fn is_read(self) -> bool {
        !matches!(self, Local::Store(_))
    }

    pub fn is_written(self) -> bool {
        !matches!(self, Local::Load(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insn {
    pub bci: u16,
    /// Without `wide`.
    pub op: u8,
    pub local: Option<Local>,
}

impl Insn {
    /// What it does to the operand stack.
    pub fn stack_effect<'a>(
        self,
        source: &classfile::Code<'a>,
        file: &ClassFile<'a>,
    ) -> classfile::Result<StackEffect<'a>> {
        source.stack_effect(source.insn(self.bci.into())?, &file.pool)
    }
}

pub struct Code {
    pub method: MethodId,
    pub insns: Vec<Insn>,
    pub cfg: Cfg,
    /// Slots that hold arguments when the method begins, and how many slots there are.
    pub arguments: Vec<u16>,
    pub slots: u16,
    /// Are branches and variables recorded?
    pub replayed: bool,
    pub constructor: bool,
    /// Stores with which a variable's life begins, ascending; empty without debug information.
    declarations: Vec<u16>,
    dominators: OnceLock<Dominators>,
    loops: OnceLock<NaturalLoops>,
    defuse: OnceLock<DefUse>,
    operands: OnceLock<Operands>,
}

/// Tells each of these methods that has code. Each class is read once.
pub fn each_body(
    program: &Program,
    methods: &[MethodId],
    tell: &mut dyn FnMut(MethodId, &ClassFile<'_>, &Member<'_>, &classfile::Code<'_>),
) {
    let mut sorted = methods.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let first = |id: &MethodId| program.method(*id).map(|(class, _)| class.first_method);
    for of_class in sorted.chunk_by(|one, other| first(one) == first(other)) {
        let Some((class, _)) = program.method(of_class[0]) else { continue };
        let Ok(file) = ClassFile::parse(&class.bytes) else { continue };
        for &id in of_class {
            let index = id.0.wrapping_sub(class.first_method.0) as usize;
            let Some(member) = file.methods.get(index) else { continue };
            if let Ok(Some(code)) = member.code(&file) {
                tell(id, &file, member, &code);
            }
        }
    }
}

impl Code {
    /// None for a method without code.
    pub fn read(program: &Program, id: MethodId) -> Result<Option<Code>> {
        let Some((class, method)) = program.method(id) else { return Ok(None) };
        let unreadable = |source| Error::Class { class: class.name.clone(), source };
        let file = ClassFile::parse(&class.bytes).map_err(unreadable)?;
        let index = id.0.wrapping_sub(class.first_method.0) as usize;
        let Some(member) = file.methods.get(index) else { return Ok(None) };
        let replayed = method.mode == Mode::Replayed;
        Code::of(&file, member, id, replayed).map_err(unreadable)
    }

    /// The code of a method that need not be in a recording; none for a method without code.
    pub fn of(
        file: &ClassFile<'_>,
        member: &Member<'_>,
        id: MethodId,
        replayed: bool,
    ) -> classfile::Result<Option<Code>> {
        let Some(source) = member.code(file)? else { return Ok(None) };
        let mut insns = Vec::new();
        for insn in source.insns() {
            let insn = insn?;
            let base = source.operation(insn);
            insns.push(Insn { bci: insn.pc as u16, op: base, local: local(base, source.slot(insn)) });
        }
        let cfg = Cfg::build(&source)?;
        let mut arguments = Vec::new();
        let mut slot = 0;
        let receiver = (!member.is(access::STATIC)).then_some(1);
        let parsed = MethodDescriptor::parse(member.descriptor)?;
        let widths = parsed.parameters.iter().map(|one| TypeKind::of(one).map_or(1, TypeKind::slots));
        for width in receiver.into_iter().chain(widths) {
            arguments.push(slot);
            slot += width;
        }
        let operands = OnceLock::new();
        let _ = operands.set(Operands::of(&insns, &cfg, &source, file));
        Ok(Some(Code {
            method: id,
            insns,
            cfg,
            arguments,
            slots: source.max_locals,
            replayed,
            constructor: member.name == b"<init>",
            declarations: declarations(&source),
            dominators: OnceLock::new(),
            loops: OnceLock::new(),
            defuse: OnceLock::new(),
            operands,
        }))
    }

    pub fn dominators(&self) -> &Dominators {
        self.dominators.get_or_init(|| Dominators::of(&self.cfg))
    }

    pub fn loops(&self) -> &NaturalLoops {
        self.loops.get_or_init(|| NaturalLoops::of(&self.cfg, self.dominators()))
    }

    pub fn defuse(&self) -> &DefUse {
        self.defuse.get_or_init(|| DefUse::of(self))
    }

    pub fn operands(&self) -> &Operands {
        self.operands.get_or_init(Operands::default)
    }

    /// Does a variable's life begin with the store at a place? What was in its slot before is another one's.
    pub fn declares(&self, bci: u16) -> bool {
        self.declarations.binary_search(&bci).is_ok()
    }

    /// The place of an instruction in `insns`.
    pub fn at(&self, bci: u16) -> Option<usize> {
        self.insns.binary_search_by_key(&bci, |insn| insn.bci).ok()
    }
}

fn declarations(source: &classfile::Code<'_>) -> Vec<u16> {
    let Some(table) = source.attribute("LocalVariableTable") else { return Vec::new() };
    let entries = table.info.get(2..).unwrap_or(&[]).chunks_exact(10);
    let mut starts: Vec<u32> =
        entries.map(|entry| u32::from(u16::from_be_bytes([entry[0], entry[1]]))).collect();
    starts.sort_unstable();
    // A variable's range begins behind the store that initialises it.
    let stores = source.insns().map_while(|insn| insn.ok());
    let declaring = stores.filter(|insn| starts.binary_search(&(insn.pc + insn.len)).is_ok());
    declaring.map(|insn| insn.pc as u16).collect()
}

fn local(base: u8, slot: Option<u16>) -> Option<Local> {
    let slot = slot?;
    match base {
        op::ILOAD..=op::ALOAD | op::ILOAD_0..=op::ALOAD_3 => Some(Local::Load(slot)),
        op::ISTORE..=op::ASTORE | op::ISTORE_0..=op::ASTORE_3 => Some(Local::Store(slot)),
        op::IINC => Some(Local::Increment(slot)),
        _ => None,
    }
}

/// The methods that were looked at.
#[derive(Default)]
pub struct Codes {
    known: HashMap<MethodId, Option<Arc<Code>>>,
}

impl Codes {
    /// None for a method without code, or with code that cannot be read.
    pub fn get(&mut self, program: &Program, id: MethodId) -> Option<Arc<Code>> {
        let read = || Code::read(program, id).ok().flatten().map(Arc::new);
        self.known.entry(id).or_insert_with(read).clone()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A static method of these bytes, without arguments but those in `arguments`.
    pub fn method(bytes: &[u8], exceptions: &[(u16, u16, u16)], arguments: &[u16]) -> Code {
        let exceptions = exceptions.iter().map(|&(start, end, handler)| classfile::ExceptionEntry {
            start,
            end,
            handler,
            catch_type: 0,
        });
        let source = classfile::Code {
            max_stack: 8,
            max_locals: 8,
            code: bytes,
            exceptions: exceptions.collect(),
            attributes: Vec::new(),
        };
        let insns = source.insns().map(|insn| {
            let insn = insn.unwrap();
            Insn { bci: insn.pc as u16, op: insn.op, local: local(insn.op, source.slot(insn)) }
        });
        Code {
            method: MethodId(0),
            insns: insns.collect(),
            cfg: Cfg::build(&source).unwrap(),
            arguments: arguments.to_vec(),
            slots: 8,
            replayed: true,
            constructor: false,
            declarations: Vec::new(),
            dominators: OnceLock::new(),
            loops: OnceLock::new(),
            defuse: OnceLock::new(),
            operands: OnceLock::new(),
        }
    }

    /// `i = 0; while (i < n) { i++; } return;` with `n` in slot 0 and `i` in slot 1.
    pub const WHILE: [u8; 14] = [
        op::ICONST_0,
        op::ISTORE_1,
        op::ILOAD_1, // 2: the head
        op::ILOAD_0,
        op::IF_ICMPGE,
        0,
        9,
        op::IINC, // 7: the body
        1,
        1,
        op::GOTO,
        0xff,
        0xf8,
        op::RETURN, // 13
    ];

    /// `i = 0; do { i++; } while (i < n); return;`
    pub const DO: [u8; 11] = [
        op::ICONST_0,
        op::ISTORE_1,
        op::IINC, // 2: the head
        1,
        1,
        op::ILOAD_1,
        op::ILOAD_0,
        op::IF_ICMPLT,
        0xff,
        0xfb,
        op::RETURN, // 10
    ];

    /// `try { f(); } catch (Throwable e) { }`, the call standing for an `aload_0; athrow` that may not happen.
    pub const TRY: [u8; 9] = [
        op::ILOAD_0,
        op::IFEQ,
        0,
        5,
        op::ALOAD_1, // 4
        op::ATHROW,
        op::RETURN,   // 6
        op::ASTORE_1, // 7: the handler
        op::RETURN,
    ];
}
