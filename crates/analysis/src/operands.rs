//! Where the operands of calls and stores come from, as far as one basic block shows: the plain value of a variable,
//! or what a call gave. What lay on the stack when the block began is not followed.

use std::collections::{HashMap, HashSet};

use classfile::{ClassFile, Code, MethodDescriptor, TypeKind, opcode as op};

use crate::cfg::Cfg;
use crate::code::{Insn, Local};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The result of the call at this place, unchanged.
    Result(u16),
    /// The variable in this slot, unchanged.
    Local(u16),
    Other,
}

#[derive(Clone, Debug, Default)]
pub struct Operands {
    /// By place of a call: its arguments, the receiver first.
    arguments: HashMap<u16, Box<[Origin]>>,
    /// By place of a store to a variable: what is stored.
    stored: HashMap<u16, Origin>,
    /// Calls whose result is thrown away, or that have none.
    unused: HashSet<u16>,
}

impl Operands {
    pub fn of(insns: &[Insn], cfg: &Cfg, source: &Code<'_>, file: &ClassFile<'_>) -> Operands {
        let mut found = Operands::default();
        let mut stack = Stack::default();
        for (at, insn) in insns.iter().enumerate() {
            if cfg.block_at(insn.bci).is_some_and(|block| cfg.block(block).first == insn.bci) {
                stack.0.clear();
            }
            let next = insns.get(at + 1).map(|next| next.op);
            found.step(*insn, next, source, file, &mut stack);
        }
        found
    }

    /// The arguments of the call at a place, the receiver first; none if there is no call.
    pub fn arguments(&self, bci: u16) -> &[Origin] {
        self.arguments.get(&bci).map_or(&[], |arguments| arguments)
    }

    /// What the instruction at a place stores in a variable.
    pub fn stored(&self, bci: u16) -> Origin {
        self.stored.get(&bci).copied().unwrap_or(Origin::Other)
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
        let index = || {
            let at = usize::from(insn.bci);
            source.code.get(at + 1..at + 3).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
        };
        match insn.op {
            code if op::is_invoke(code) => self.call(insn, next, index(), file, stack),
            op::GETSTATIC | op::PUTSTATIC | op::GETFIELD | op::PUTFIELD => {
                let kind =
                    file.pool.member(index()).ok().and_then(|field| TypeKind::of(field.descriptor).ok());
                let slots = kind.map_or(1, slots_of);
                let object = usize::from(matches!(insn.op, op::GETFIELD | op::PUTFIELD));
                match insn.op {
                    op::GETSTATIC | op::GETFIELD => stack.change(object, slots),
                    _ => stack.change(object + slots, 0),
                }
            }
            op::MULTIANEWARRAY => {
                let dimensions = source.code.get(usize::from(insn.bci) + 3).copied().unwrap_or(1);
                stack.change(dimensions.into(), 1);
            }
            op::CHECKCAST => {}
            op::DUP..=op::SWAP => stack.shuffle(insn.op),
            code => {
                let (pops, pushes) = effect(code);
                if let Some(Local::Store(_)) = insn.local {
                    self.stored.insert(insn.bci, stack.peek(pops));
                }
                stack.change(pops, pushes);
                if let Some(Local::Load(slot)) = insn.local {
                    stack.mark(pushes, Origin::Local(slot));
                }
                // The value on the stack is what the variable held before.
                if let Some(Local::Store(slot) | Local::Increment(slot)) = insn.local {
                    stack.forget(slot);
                }
            }
        }
    }

    fn call(&mut self, insn: Insn, next: Option<u8>, index: u16, file: &ClassFile<'_>, stack: &mut Stack) {
        let member = file.pool.member(index).ok();
        let parsed = member.as_ref().and_then(|member| MethodDescriptor::parse(member.descriptor).ok());
        let Some(parsed) = parsed else { return stack.0.clear() };
        let receiver = usize::from(!matches!(insn.op, op::INVOKESTATIC | op::INVOKEDYNAMIC));
        let kinds = parsed.parameters.iter().map(|one| TypeKind::of(one).map_or(1, slots_of));
        let widths: Vec<usize> = std::iter::repeat_n(1, receiver).chain(kinds).collect();
        let mut left: usize = widths.iter().sum();
        let total = left;
        let arguments = widths.iter().map(|&width| {
            let origin = stack.peek(left);
            left -= width;
            origin
        });
        self.arguments.insert(insn.bci, arguments.collect());
        let result = TypeKind::of(parsed.result).map_or(0, slots_of);
        stack.change(total, result);
        stack.mark(result, Origin::Result(insn.bci));
        let constructor = member.is_some_and(|member| member.name == b"<init>");
        if matches!(next, Some(op::POP | op::POP2)) || (result == 0 && !constructor) {
            self.unused.insert(insn.bci);
        }
    }
}

/// The slots that are known, the topmost last.
#[derive(Default)]
struct Stack(Vec<Origin>);

impl Stack {
    /// What lies in the slot that is `depth` from the top, 1 being the topmost.
    fn peek(&self, depth: usize) -> Origin {
        let at = self.0.len().checked_sub(depth);
        at.and_then(|at| self.0.get(at)).copied().unwrap_or(Origin::Other)
    }

    fn change(&mut self, pops: usize, pushes: usize) {
        self.0.truncate(self.0.len().saturating_sub(pops));
        self.0.extend(std::iter::repeat_n(Origin::Other, pushes));
    }

    fn mark(&mut self, top: usize, origin: Origin) {
        let from = self.0.len().saturating_sub(top);
        self.0[from..].fill(origin);
    }

    fn forget(&mut self, slot: u16) {
        for origin in self.0.iter_mut().filter(|origin| **origin == Origin::Local(slot)) {
            *origin = Origin::Other;
        }
    }

    fn shuffle(&mut self, code: u8) {
        let Some((copied, below)) = copies(code) else {
            let (one, other) = (self.peek(1), self.peek(2));
            self.change(2, 0);
            return self.0.extend([one, other]);
        };
        let top: Vec<Origin> = (1..=copied).rev().map(|depth| self.peek(depth)).collect();
        let under: Vec<Origin> = (copied + 1..=copied + below).rev().map(|depth| self.peek(depth)).collect();
        self.change(copied + below, 0);
        self.0.extend(top.iter().chain(&under).chain(&top));
    }
}

/// How many slots a `dup` of some kind copies, and below how many it puts them; none for `swap`.
fn copies(code: u8) -> Option<(usize, usize)> {
    Some(match code {
        op::DUP => (1, 0),
        op::DUP_X1 => (1, 1),
        op::DUP_X2 => (1, 2),
        op::DUP2 => (2, 0),
        op::DUP2_X1 => (2, 1),
        op::DUP2_X2 => (2, 2),
        _ => return None,
    })
}

/// What `dup` of every kind and `swap` do to a stack; false if the stack is too short for that.
pub(crate) fn shuffle<T: Clone>(stack: &mut Vec<T>, code: u8) -> bool {
    let (copied, below) = copies(code).unwrap_or((1, 1));
    let Some(from) = stack.len().checked_sub(copied + below) else { return false };
    if code == op::SWAP {
        stack.swap(from, from + 1);
        return true;
    }
    let top = stack[from + below..].to_vec();
    stack.splice(from..from, top);
    true
}

pub(crate) fn slots_of(kind: TypeKind) -> usize {
    match kind {
        TypeKind::Void => 0,
        TypeKind::Long | TypeKind::Double => 2,
        _ => 1,
    }
}

/// Slots that an instruction takes from the stack and puts there, where its opcode tells.
pub(crate) fn effect(code: u8) -> (usize, usize) {
    let wide = |first: u8| matches!((code - first) % 4, 1 | 3);
    match code {
        op::ACONST_NULL..=op::ICONST_5 | op::FCONST_0..=op::FCONST_2 | op::BIPUSH..=op::LDC_W => (0, 1),
        op::LCONST_0 | op::LCONST_1 | op::DCONST_0 | op::DCONST_1 | op::LDC2_W => (0, 2),
        op::ILOAD | op::FLOAD | op::ALOAD | op::NEW | op::JSR | op::JSR_W => (0, 1),
        op::LLOAD | op::DLOAD | op::LLOAD_0..=op::LLOAD_3 | op::DLOAD_0..=op::DLOAD_3 => (0, 2),
        op::ILOAD_0..=op::ALOAD_3 => (0, 1),
        op::LALOAD | op::DALOAD => (2, 2),
        op::IALOAD..=op::SALOAD => (2, 1),
        op::LSTORE | op::DSTORE | op::LSTORE_0..=op::LSTORE_3 | op::DSTORE_0..=op::DSTORE_3 => (2, 0),
        op::ISTORE..=op::ASTORE_3 => (1, 0),
        op::LASTORE | op::DASTORE => (4, 0),
        op::IASTORE..=op::SASTORE => (3, 0),
        op::POP => (1, 0),
        op::POP2 => (2, 0),
        op::IADD..=op::DREM if wide(op::IADD) => (4, 2),
        op::IADD..=op::DREM => (2, 1),
        op::LNEG | op::DNEG => (2, 2),
        op::LSHL | op::LSHR | op::LUSHR => (3, 2),
        op::LAND | op::LOR | op::LXOR => (4, 2),
        op::ISHL..=op::IXOR => (2, 1),
        op::I2L | op::I2D | op::F2L | op::F2D => (1, 2),
        op::L2I | op::L2F | op::D2I | op::D2F => (2, 1),
        op::L2D | op::D2L => (2, 2),
        op::LCMP | op::DCMPL | op::DCMPG => (4, 1),
        op::FCMPL | op::FCMPG => (2, 1),
        op::INEG | op::FNEG | op::I2F..=op::I2S => (1, 1),
        op::NEWARRAY..=op::ARRAYLENGTH | op::INSTANCEOF => (1, 1),
        op::IF_ICMPEQ..=op::IF_ACMPNE => (2, 0),
        op::IFEQ..=op::IFLE | op::IFNULL | op::IFNONNULL | op::TABLESWITCH | op::LOOKUPSWITCH => (1, 0),
        op::MONITORENTER | op::MONITOREXIT | op::ATHROW => (1, 0),
        _ => (0, 0),
    }
}
