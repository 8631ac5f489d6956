//! Where the operands of a method's instructions come from, as the code says: a variable, a field of that, what a call
//! gave. The stack is followed over blocks as long as all ways agree on it.

use std::collections::HashMap;
use std::sync::Arc;

use classfile::{ClassFile, MethodDescriptor, TypeKind, opcode as op};
use pointsto::Member;
use trace::text::from_modified;

use crate::cfg::BlockId;
use crate::code::{Code, Insn, Local};
use crate::operands::{effect, shuffle};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// What a variable holds at an instruction that loads it.
    Load {
        slot: u16,
        at: u16,
    },
    Field(Arc<Origin>, Arc<Member>),
    Element(Arc<Origin>, u32),
    Static(Arc<Member>),
    /// What the call at a place gives.
    Result(u16),
    /// What the `invokedynamic` at a place makes.
    Lambda(u16),
    /// An object that comes into being here.
    New,
    Int(i32),
    Null,
    Other,
}

/// What instructions name and get.
#[derive(Debug, Default)]
pub struct Origins {
    /// Operands of calls, of accesses to fields and elements, of stores and of returns; the deepest first.
    operands: HashMap<u16, Box<[Origin]>>,
    /// Fields and methods that instructions name.
    names: HashMap<u16, Arc<Member>>,
    /// Methods behind lambdas and method references.
    lambdas: HashMap<u16, Member>,
    /// Instructions that give a reference back.
    returns: Vec<u16>,
}

impl Origins {
    pub fn of(code: &Code, source: &classfile::Code<'_>, file: &ClassFile<'_>) -> Origins {
        let mut walk =
            Walk { found: Origins::default(), source, file, stack: Vec::new(), interned: HashMap::new() };
        let blocks = code.cfg.blocks.len();
        let mut entries: Vec<Option<Vec<Origin>>> = vec![None; blocks];
        let mut insns = code.insns.as_slice();
        for id in code.cfg.ids() {
            let handler = code.cfg.before(id).any(|edge| edge.exceptional);
            let caught = || if handler { vec![Origin::Other] } else { Vec::new() };
            walk.stack = entries[usize::from(id.0)].take().unwrap_or_else(caught);
            let (first, last) = (code.cfg.block(id).first, code.cfg.block(id).last);
            let own = insns.iter().take_while(|insn| insn.bci <= last).count();
            for insn in insns[..own].iter().filter(|insn| insn.bci >= first) {
                walk.step(*insn);
            }
            insns = &insns[own..];
            for edge in code.cfg.after(id).filter(|edge| !edge.exceptional && edge.to > id) {
                join(&mut entries, edge.to, &walk.stack);
            }
        }
        walk.found
    }

    pub fn operand(&self, bci: u16, at: u8) -> Origin {
        let operands = self.operands.get(&bci);
        operands.and_then(|list| list.get(usize::from(at))).cloned().unwrap_or(Origin::Other)
    }

    pub fn operands(&self, bci: u16) -> &[Origin] {
        self.operands.get(&bci).map_or(&[], |list| list)
    }

    pub fn name(&self, bci: u16) -> Option<&Arc<Member>> {
        self.names.get(&bci)
    }

    pub fn lambda(&self, bci: u16) -> Option<&Member> {
        self.lambdas.get(&bci)
    }

    pub fn returns(&self) -> &[u16] {
        &self.returns
    }
}

/// Ways that do not agree on what lies in a slot leave nothing known of it.
fn join(entries: &mut [Option<Vec<Origin>>], to: BlockId, stack: &[Origin]) {
    match &mut entries[usize::from(to.0)] {
        Some(known) if known.len() == stack.len() => {
            let differing = known.iter_mut().zip(stack).filter(|(slot, other)| slot != other);
            differing.for_each(|(slot, _)| *slot = Origin::Other);
        }
        Some(known) => known.clear(),
        entry => *entry = Some(stack.to_vec()),
    }
}

struct Walk<'a> {
    found: Origins,
    source: &'a classfile::Code<'a>,
    file: &'a ClassFile<'a>,
    stack: Vec<Origin>,
    interned: HashMap<u16, Arc<Member>>,
}

impl Walk<'_> {
    fn step(&mut self, insn: Insn) {
        match insn.op {
            code if op::is_invoke(code) => self.call(insn),
            op::GETSTATIC | op::PUTSTATIC | op::GETFIELD | op::PUTFIELD => self.field(insn),
            op::MULTIANEWARRAY => {
                let dimensions = self.byte(insn, 3);
                self.pop(dimensions.into());
                self.stack.push(Origin::New);
            }
            op::NEW => self.stack.push(Origin::New),
            op::NEWARRAY | op::ANEWARRAY => {
                self.pop(1);
                self.stack.push(Origin::New);
            }
            op::ACONST_NULL => self.stack.push(Origin::Null),
            op::ICONST_M1..=op::ICONST_5 => {
                self.stack.push(Origin::Int(i32::from(insn.op) - i32::from(op::ICONST_0)));
            }
            op::BIPUSH => self.stack.push(Origin::Int((self.byte(insn, 1) as i8).into())),
            op::SIPUSH => {
                let value = i16::from_be_bytes([self.byte(insn, 1), self.byte(insn, 2)]);
                self.stack.push(Origin::Int(value.into()));
            }
            op::CHECKCAST => {}
            op::DUP..=op::SWAP => {
                if !shuffle(&mut self.stack, insn.op) {
                    self.stack.clear();
                }
            }
            code if op::is_array_load(code) => {
                let wide = matches!(code, op::LALOAD | op::DALOAD);
                let operands = self.take(&[1, 1]);
                let element = match operands.as_slice() {
                    [array, Origin::Int(index)] if *index >= 0 => {
                        Origin::Element(Arc::new(array.clone()), *index as u32)
                    }
                    _ => Origin::Other,
                };
                self.found.operands.insert(insn.bci, operands.into());
                self.push(element, if wide { 2 } else { 1 });
            }
            code if op::is_array_store(code) => {
                let wide = matches!(code, op::LASTORE | op::DASTORE);
                let operands = self.take(&[1, 1, if wide { 2 } else { 1 }]);
                self.found.operands.insert(insn.bci, operands.into());
            }
            op::ARETURN => {
                let operands = self.take(&[1]);
                self.found.operands.insert(insn.bci, operands.into());
                self.found.returns.push(insn.bci);
            }
            code => self.plain(insn, code),
        }
    }

    fn plain(&mut self, insn: Insn, code: u8) {
        let (pops, pushes) = effect(code);
        match insn.local {
            Some(Local::Load(slot)) => self.push(Origin::Load { slot, at: insn.bci }, pushes),
            Some(Local::Store(_)) => {
                let operands = self.take(&[pops]);
                self.found.operands.insert(insn.bci, operands.into());
            }
            _ => {
                self.pop(pops);
                self.push(Origin::Other, pushes);
            }
        }
    }

    fn field(&mut self, insn: Insn) {
        let Some(name) = self.member(insn) else { return self.stack.clear() };
        let kind = TypeKind::of(name.descriptor.as_bytes()).map_or(1, TypeKind::slots);
        let width = usize::from(kind);
        match insn.op {
            op::GETSTATIC => self.push(Origin::Static(name.clone()), width),
            op::GETFIELD => {
                let operands = self.take(&[1]);
                let field = Origin::Field(Arc::new(operands[0].clone()), name.clone());
                self.found.operands.insert(insn.bci, operands.into());
                self.push(field, width);
            }
            op::PUTFIELD => {
                let operands = self.take(&[1, width]);
                self.found.operands.insert(insn.bci, operands.into());
            }
            _ => {
                let operands = self.take(&[width]);
                self.found.operands.insert(insn.bci, operands.into());
            }
        }
        self.found.names.insert(insn.bci, name);
    }

    fn call(&mut self, insn: Insn) {
        let Some(name) = self.member(insn) else { return self.stack.clear() };
        let Ok(parsed) = MethodDescriptor::parse(name.descriptor.as_bytes()) else {
            return self.stack.clear();
        };
        let receiver = usize::from(!matches!(insn.op, op::INVOKESTATIC | op::INVOKEDYNAMIC));
        let slots = |one: &[u8]| TypeKind::of(one).map_or(1, |kind| usize::from(kind.slots()));
        let widths = parsed.parameters.iter().map(|one| slots(one));
        let widths: Vec<usize> = std::iter::repeat_n(1, receiver).chain(widths).collect();
        let operands = self.take(&widths);
        self.found.operands.insert(insn.bci, operands.into());
        let result = if insn.op == op::INVOKEDYNAMIC {
            if let Some(target) = lambda_behind(self.file, self.index(insn)) {
                self.found.lambdas.insert(insn.bci, target);
            }
            Origin::Lambda(insn.bci)
        } else {
            Origin::Result(insn.bci)
        };
        self.push(result, slots(parsed.result));
        self.found.names.insert(insn.bci, name);
    }

    fn member(&mut self, insn: Insn) -> Option<Arc<Member>> {
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

    /// Takes operands of these widths, the deepest first.
    fn take(&mut self, widths: &[usize]) -> Vec<Origin> {
        let total: usize = widths.iter().sum();
        let missing = total.saturating_sub(self.stack.len());
        let mut slots = vec![Origin::Other; missing];
        slots.extend(self.stack.drain(self.stack.len() + missing - total..));
        let mut at = 0;
        let operands = widths.iter().map(|&width| {
            let operand = slots.get(at).cloned().unwrap_or(Origin::Other);
            at += width;
            operand
        });
        operands.collect()
    }

    fn pop(&mut self, slots: usize) {
        self.stack.truncate(self.stack.len().saturating_sub(slots));
    }

    fn push(&mut self, origin: Origin, slots: usize) {
        self.stack.extend(std::iter::repeat_n(origin, slots));
    }
}

/// The method behind a lambda, given the constant of its `invokedynamic`: the second argument of the bootstrap method.
pub fn lambda_behind(file: &ClassFile<'_>, index: u16) -> Option<Member> {
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

fn named(file: &ClassFile<'_>, index: u16) -> Option<Member> {
    let member = file.pool.member(index).ok()?;
    Some(Member {
        class: from_modified(member.class),
        name: from_modified(member.name),
        descriptor: from_modified(member.descriptor),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_goes_below_what_it_is_put_under() {
        let mut stack = vec![Origin::Int(1), Origin::Int(2), Origin::Int(3)];
        shuffle(&mut stack, op::DUP_X1);
        assert_eq!(stack, [1, 3, 2, 3].map(Origin::Int));
        shuffle(&mut stack, op::SWAP);
        assert_eq!(stack, [1, 3, 3, 2].map(Origin::Int));
        shuffle(&mut stack, op::DUP2_X2);
        assert_eq!(stack, [3, 2, 1, 3, 3, 2].map(Origin::Int));
    }

    #[test]
    fn ways_that_do_not_agree_leave_nothing_known_of_a_slot() {
        let mut entries = vec![None];
        join(&mut entries, BlockId(0), &[Origin::Null, Origin::Int(1)]);
        join(&mut entries, BlockId(0), &[Origin::Null, Origin::Int(2)]);
        assert_eq!(entries[0], Some(vec![Origin::Null, Origin::Other]));
    }
}
