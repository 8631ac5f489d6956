//! Where the operands of a method's instructions come from, as the code says: a variable, a field of that, what a call
//! gave. The stack is followed over blocks as long as all ways agree on it.

use std::collections::HashMap;
use std::sync::Arc;

use classfile::{ClassFile, OperandStack, opcode as op};
use pointsto::MemberName;
use trace::text::from_modified;

use crate::cfg::BlockId;
use crate::code::{Code, Insn, Local};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ValueExpression {
    /// What a variable holds at an instruction that loads it.
    Load {
        slot: u16,
        at: u16,
    },
    Field(Arc<ValueExpression>, Arc<MemberName>),
    Element(Arc<ValueExpression>, u32),
    Static(Arc<MemberName>),
    /// What the call at a place gives.
    Result(u16),
    /// What the `invokedynamic` at a place makes.
    Lambda(u16),
    /// An object that comes into being here.
    New,
    Int(i32),
    Null,
    #[default]
    Other,
}

type Stack = OperandStack<ValueExpression>;

/// What instructions name and get.
#[derive(Debug, Default)]
pub struct Origins {
    /// Operands of calls, of accesses to fields and elements, of stores and of returns; the deepest first.
    operands: HashMap<u16, Box<[ValueExpression]>>,
    /// Fields and methods that instructions name.
    names: HashMap<u16, Arc<MemberName>>,
    /// Methods behind lambdas and method references.
    lambdas: HashMap<u16, MemberName>,
    /// Instructions that give a reference back.
    returns: Vec<u16>,
}

impl Origins {
    pub fn of(code: &Code, source: &classfile::Code<'_>, file: &ClassFile<'_>) -> Origins {
        let mut walk = Walk { found: Origins::default(), source, file, interned: HashMap::new() };
        let blocks = code.cfg.blocks.len();
        let mut entries: Vec<Option<Stack>> = vec![None; blocks];
        let mut insns = code.insns.as_slice();
        for id in code.cfg.ids() {
            let handler = code.cfg.before(id).any(|edge| edge.exceptional);
            let caught = || Stack { slots: vec![ValueExpression::Other; handler.into()] };
            let mut stack = entries[usize::from(id.0)].take().unwrap_or_else(caught);
            let (first, last) = (code.cfg.block(id).first, code.cfg.block(id).last);
            let own = insns.iter().take_while(|insn| insn.bci <= last).count();
            for insn in insns[..own].iter().filter(|insn| insn.bci >= first) {
                walk.step(*insn, &mut stack);
            }
            insns = &insns[own..];
            for edge in code.cfg.after(id).filter(|edge| !edge.exceptional && edge.to > id) {
                join(&mut entries, edge.to, &stack);
            }
        }
        walk.found
    }

    pub fn operand(&self, bci: u16, at: u8) -> ValueExpression {
        let operands = self.operands.get(&bci);
        operands.and_then(|list| list.get(usize::from(at))).cloned().unwrap_or(ValueExpression::Other)
    }

    pub fn operands(&self, bci: u16) -> &[ValueExpression] {
        self.operands.get(&bci).map_or(&[], |list| list)
    }

    pub fn name(&self, bci: u16) -> Option<&Arc<MemberName>> {
        self.names.get(&bci)
    }

    pub fn lambda(&self, bci: u16) -> Option<&MemberName> {
        self.lambdas.get(&bci)
    }

    pub fn returns(&self) -> &[u16] {
        &self.returns
    }
}

/// Ways that do not agree on what lies in a slot leave nothing known of it.
fn join(entries: &mut [Option<Stack>], to: BlockId, stack: &Stack) {
    match &mut entries[usize::from(to.0)] {
        Some(known) if known.slots.len() == stack.slots.len() => {
            let differing = known.slots.iter_mut().zip(&stack.slots).filter(|(slot, other)| slot != other);
            differing.for_each(|(slot, _)| *slot = ValueExpression::Other);
        }
        Some(known) => known.slots.clear(),
        entry => *entry = Some(stack.clone()),
    }
}

struct Walk<'a> {
    found: Origins,
    source: &'a classfile::Code<'a>,
    file: &'a ClassFile<'a>,
    interned: HashMap<u16, Arc<MemberName>>,
}

impl Walk<'_> {
    fn step(&mut self, insn: Insn, stack: &mut Stack) {
        // What damaged code does is not known.
        let Ok(effect) = insn.stack_effect(self.source, self.file) else { return stack.slots.clear() };
        stack.apply(effect, |operands| {
            let given = self.given(insn, &operands);
            if is_asked_for(insn) {
                self.found.operands.insert(insn.bci, operands.into());
            }
            given
        });
    }

    /// What the instruction gives, if it gives something.
    fn given(&mut self, insn: Insn, operands: &[ValueExpression]) -> ValueExpression {
        match insn.op {
            op::INVOKEDYNAMIC => {
                if let Some(target) = lambda_behind(self.file, self.index(insn)) {
                    self.found.lambdas.insert(insn.bci, target);
                }
                self.name(insn);
                ValueExpression::Lambda(insn.bci)
            }
            code if op::is_invoke(code) => {
                self.name(insn);
                ValueExpression::Result(insn.bci)
            }
            op::GETSTATIC..=op::PUTFIELD => {
                let Some(name) = self.name(insn) else { return ValueExpression::Other };
                match (insn.op, operands) {
                    (op::GETSTATIC, _) => ValueExpression::Static(name),
                    (op::GETFIELD, [object]) => ValueExpression::Field(Arc::new(object.clone()), name),
                    _ => ValueExpression::Other,
                }
            }
            code if op::is_array_load(code) => match operands {
                [array, ValueExpression::Int(index)] if *index >= 0 => {
                    ValueExpression::Element(Arc::new(array.clone()), *index as u32)
                }
                _ => ValueExpression::Other,
            },
            op::NEW | op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY => ValueExpression::New,
            op::ACONST_NULL => ValueExpression::Null,
            op::ICONST_M1..=op::ICONST_5 => {
                ValueExpression::Int(i32::from(insn.op) - i32::from(op::ICONST_0))
            }
            op::BIPUSH => ValueExpression::Int((self.byte(insn, 1) as i8).into()),
            op::SIPUSH => ValueExpression::Int((self.index(insn) as i16).into()),
            op::CHECKCAST => operands[0].clone(),
            op::ARETURN => {
                self.found.returns.push(insn.bci);
                ValueExpression::Other
            }
            _ => match insn.local {
                Some(Local::Load(slot)) => ValueExpression::Load { slot, at: insn.bci },
                _ => ValueExpression::Other,
            },
        }
    }

    /// The field or method that the instruction names, which is kept.
    fn name(&mut self, insn: Insn) -> Option<Arc<MemberName>> {
        let name = self.member(insn)?;
        self.found.names.insert(insn.bci, name.clone());
        Some(name)
    }

    fn member(&mut self, insn: Insn) -> Option<Arc<MemberName>> {
        let index = self.index(insn);
        if let Some(known) = self.interned.get(&index) {
            return Some(known.clone());
        }
        let member = Arc::new(named(self.file, index)?);
        self.interned.insert(index, member.clone());
        Some(member)
    }

    fn index(&self, insn: Insn) -> u16 {
        u16::from_be_bytes([self.byte(insn, 1), self.byte(insn, 2)])
    }

    fn byte(&self, insn: Insn, at: usize) -> u8 {
        self.source.code.get(usize::from(insn.bci) + at).copied().unwrap_or(0)
    }
}

/// Are the operands of this instruction kept?
fn is_asked_for(insn: Insn) -> bool {
    op::is_invoke(insn.op)
        || matches!(insn.op, op::PUTSTATIC | op::GETFIELD | op::PUTFIELD | op::ARETURN)
        || op::is_array_load(insn.op)
        || op::is_array_store(insn.op)
        || matches!(insn.local, Some(Local::Store(_)))
}

/// The method behind a lambda, given the constant of its `invokedynamic`: the second argument of the bootstrap method.
pub fn lambda_behind(file: &ClassFile<'_>, index: u16) -> Option<MemberName> {
    let classfile::Constant::InvokeDynamic { bootstrap, .. } = file.pool.get(index).ok()? else {
        return None;
    };
    let linker = file.bootstraps().ok()?.into_iter().nth(usize::from(bootstrap))?;
    let &[_, implementation, _, ..] = linker.arguments.as_slice() else { return None };
    match file.pool.get(implementation).ok()? {
        classfile::Constant::MethodHandle { reference, .. } => named(file, reference),
        _ => None,
    }
}

fn named(file: &ClassFile<'_>, index: u16) -> Option<MemberName> {
    let member = file.pool.member(index).ok()?;
    Some(MemberName {
        class: from_modified(member.class),
        name: from_modified(member.name),
        descriptor: from_modified(member.descriptor),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_that_do_not_agree_leave_nothing_known_of_a_slot() {
        let mut entries = vec![None];
        let stack = |top| Stack { slots: vec![ValueExpression::Null, top] };
        join(&mut entries, BlockId(0), &stack(ValueExpression::Int(1)));
        join(&mut entries, BlockId(0), &stack(ValueExpression::Int(2)));
        assert_eq!(entries[0], Some(stack(ValueExpression::Other)));
    }
}
