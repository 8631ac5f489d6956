//! Where the operands of calls and stores come from, as far as one basic block shows: the plain value of a variable,
//! or what a call gave. What lay on the stack when the block began is not followed.

use std::collections::{HashMap, HashSet};

use classfile::{ClassFile, Code, OperandStack, TypeKind, opcode as op};

use crate::cfg::Cfg;
use crate::code::{Insn, Local};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OperandSource {
    /// The result of the call at this place, unchanged.
    Result(u16),
    /// The variable in this slot, unchanged.
    Local(u16),
    #[default]
    Other,
}

type Stack = OperandStack<OperandSource>;

#[derive(Clone, Debug, Default)]
pub struct Operands {
    /// By place of a call: its arguments, the receiver first.
    arguments: HashMap<u16, Box<[OperandSource]>>,
    /// By place of a store to a variable: what is stored.
    stored: HashMap<u16, OperandSource>,
    /// Calls whose result is thrown away, or that have none.
    unused: HashSet<u16>,
}

impl Operands {
    pub fn of(insns: &[Insn], cfg: &Cfg, source: &Code<'_>, file: &ClassFile<'_>) -> Operands {
        let mut found = Operands::default();
        let mut stack = Stack::default();
        for (at, insn) in insns.iter().enumerate() {
            if cfg.block_at(insn.bci).is_some_and(|block| cfg.block(block).first == insn.bci) {
                stack.slots.clear();
            }
            let next = insns.get(at + 1).map(|next| next.op);
            found.step(*insn, next, source, file, &mut stack);
        }
        found
    }

    /// The arguments of the call at a place, the receiver first; none if there is no call.
    pub fn arguments(&self, bci: u16) -> &[OperandSource] {
        self.arguments.get(&bci).map_or(&[], |arguments| arguments)
    }

    /// What the instruction at a place stores in a variable.
    pub fn stored(&self, bci: u16) -> OperandSource {
        self.stored.get(&bci).copied().unwrap_or(OperandSource::Other)
    }

    /// Does nothing use the result of the call at a place?
    pub fn is_unused(&self, bci: u16) -> bool {
        self.unused.contains(&bci)
    }

    fn step(
        &mut self,
        insn: Insn,
        next: Option<u8>,
        source: &Code<'_>,
        file: &ClassFile<'_>,
        stack: &mut Stack,
    ) {
        // What damaged code does is not known.
        let Ok(effect) = insn.stack_effect(source, file) else { return stack.slots.clear() };
        stack.apply(effect, |operands| match insn.local {
            Some(Local::Load(slot)) => OperandSource::Local(slot),
            Some(Local::Store(_)) => {
                self.stored.insert(insn.bci, operands[0]);
                OperandSource::Other
            }
            _ if insn.op == op::CHECKCAST => operands[0],
            _ if op::is_invoke(insn.op) => {
                self.arguments.insert(insn.bci, operands.into());
                OperandSource::Result(insn.bci)
            }
            _ => OperandSource::Other,
        });
        // The value on the stack is what the variable held before.
        if let Some(Local::Store(slot) | Local::Increment(slot)) = insn.local {
            let stale = stack.slots.iter_mut().filter(|origin| **origin == OperandSource::Local(slot));
            stale.for_each(|origin| *origin = OperandSource::Other);
        }
        if op::is_invoke(insn.op) {
            let dropped = matches!(next, Some(op::POP | op::POP2));
            if dropped || (effect.gives() == TypeKind::Void && !is_constructor(insn, source, file)) {
                self.unused.insert(insn.bci);
            }
        }
    }
}

fn is_constructor(call: Insn, source: &Code<'_>, file: &ClassFile<'_>) -> bool {
    let callee = source.insn(call.bci.into()).and_then(|call| file.pool.member(source.index(call)));
    callee.is_ok_and(|callee| callee.name == b"<init>")
}
