//! Who produces the operands of an instruction: for every value that it takes from the stack, the instructions that may
//! have put it there. Followed through copies on the stack and across blocks, so that both arms of `c ? a : b` are known.

use std::collections::HashMap;

use classfile::{ClassFile, Code, MethodDescriptor, TypeKind, opcode as op};

use crate::cfg::{BlockId, Cfg};
use crate::code::Insn;
use crate::operands::{effect, shuffle, slots_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Producer {
    /// The instruction; for an exception, where its handler begins.
    pub bci: u16,
    /// It is the exception that a handler caught.
    pub caught: bool,
}

/// One value: one producer, or those of several ways that meet. Sorted.
pub type Operand = Box<[Producer]>;

#[derive(Clone, Debug, Default)]
pub struct Producers {
    /// By instruction: its operands, the deepest first, as values (a long is one).
    of: HashMap<u16, Box<[Operand]>>,
}

/// What lies on the stack, slot by slot, the topmost last. A long's two slots say the same.
type Stack = Vec<Vec<Producer>>;

impl Producers {
    pub fn of(insns: &[Insn], cfg: &Cfg, source: &Code<'_>, file: &ClassFile<'_>) -> Producers {
        let mut found = Producers::default();
        let mut before: Vec<Option<Stack>> = vec![None; cfg.blocks.len()];
        let Some(first) = before.first_mut() else { return found };
        *first = Some(Vec::new());
        let mut open = vec![BlockId(0)];
        while let Some(block) = open.pop() {
            let Some(mut stack) = before[usize::from(block.0)].clone() else { continue };
            let (from, to) = (cfg.block(block).first, cfg.block(block).last);
            let start = insns.partition_point(|insn| insn.bci < from);
            for insn in insns[start..].iter().take_while(|insn| insn.bci <= to) {
                found.step(*insn, source, file, &mut stack);
            }
            for edge in cfg.after(block) {
                let caught = Producer { bci: cfg.block(edge.to).first, caught: true };
                let arriving = if edge.exceptional { &vec![vec![caught]] } else { &stack };
                if meet(&mut before[usize::from(edge.to.0)], arriving) {
                    open.push(edge.to);
                }
            }
        }
        found
    }

    /// The operands of the instruction at a place, the deepest first.
    pub fn operands(&self, bci: u16) -> &[Operand] {
        self.of.get(&bci).map_or(&[], |operands| operands)
    }

    fn step(&mut self, insn: Insn, source: &Code<'_>, file: &ClassFile<'_>, stack: &mut Stack) {
        let at = usize::from(insn.bci);
        let index =
            || source.code.get(at + 1..at + 3).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
        let field = || {
            let kind = file.pool.member(index()).ok().and_then(|field| TypeKind::of(field.descriptor).ok());
            kind.map_or(1, slots_of)
        };
        let (widths, pushes) = match insn.op {
            op::CHECKCAST | op::NOP => return,
            op::DUP..=op::SWAP => {
                shuffle(stack, insn.op);
                return;
            }
            op::POP | op::POP2 => {
                stack.truncate(stack.len().saturating_sub(effect(insn.op).0));
                return;
            }
            code if op::is_invoke(code) => call(insn, index(), file),
            op::GETSTATIC => (vec![], field()),
            op::PUTSTATIC => (vec![field()], 0),
            op::GETFIELD => (vec![1], field()),
            op::PUTFIELD => (vec![1, field()], 0),
            op::MULTIANEWARRAY => {
                let dimensions = source.code.get(at + 3).copied().unwrap_or(1);
                (vec![1; dimensions.into()], 1)
            }
            op::IRETURN | op::FRETURN | op::ARETURN => (vec![1], 0),
            op::LRETURN | op::DRETURN => (vec![2], 0),
            op::LASTORE | op::DASTORE => (vec![1, 1, 2], 0),
            op::LSHL | op::LSHR | op::LUSHR => (vec![2, 1], 2),
            code => {
                let (pops, pushes) = effect(code);
                let wide = matches!(code, op::LCMP | op::DCMPL | op::DCMPG) || (pushes == 2 && pops == 4);
                let width = if wide || (pops == 2 && is_one_wide(code)) { 2 } else { 1 };
                (vec![width; pops / width], pushes)
            }
        };
        let total: usize = widths.iter().sum();
        let mut place = stack.len().saturating_sub(total);
        let operands: Vec<Operand> = widths
            .iter()
            .map(|&width| {
                let operand = stack.get(place).map_or(Operand::default(), |set| set.clone().into());
                place += width;
                operand
            })
            .collect();
        stack.truncate(stack.len().saturating_sub(total));
        let own = vec![Producer { bci: insn.bci, caught: false }];
        stack.extend(std::iter::repeat_n(own, pushes));
        if !operands.is_empty() {
            self.of.insert(insn.bci, operands.into());
        }
    }
}

/// Does an instruction that takes two slots take one long or double?
fn is_one_wide(code: u8) -> bool {
    matches!(
        code,
        op::LNEG
            | op::DNEG
            | op::L2I
            | op::L2F
            | op::L2D
            | op::D2I
            | op::D2F
            | op::D2L
            | op::LSTORE
            | op::DSTORE
            | op::LSTORE_0..=op::LSTORE_3
            | op::DSTORE_0..=op::DSTORE_3
    )
}

fn call(insn: Insn, index: u16, file: &ClassFile<'_>) -> (Vec<usize>, usize) {
    let member = file.pool.member(index).ok();
    let parsed = member.as_ref().and_then(|member| MethodDescriptor::parse(member.descriptor).ok());
    let Some(parsed) = parsed else { return (Vec::new(), 0) };
    let receiver = usize::from(!matches!(insn.op, op::INVOKESTATIC | op::INVOKEDYNAMIC));
    let kinds = parsed.parameters.iter().map(|one| TypeKind::of(one).map_or(1, slots_of));
    let widths = std::iter::repeat_n(1, receiver).chain(kinds).collect();
    (widths, TypeKind::of(parsed.result).map_or(0, slots_of))
}

/// Takes in what another way leaves on the stack; true if that says something new.
fn meet(known: &mut Option<Stack>, arriving: &Stack) -> bool {
    let Some(known) = known else {
        *known = Some(arriving.clone());
        return true;
    };
    let mut grew = false;
    for (set, more) in known.iter_mut().zip(arriving) {
        for producer in more {
            if let Err(at) = set.binary_search(producer) {
                set.insert(at, *producer);
                grew = true;
            }
        }
    }
    grew
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::method;

    /// Operands of the instruction at a place: producers of one joined by `|`, `!` for what was caught.
    fn drawn(bytes: &[u8], handlers: &[(u16, u16, u16)], bci: u16) -> String {
        // class A, without anything in it
        let class: Vec<u8> =
            [&b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x03\x01\0\x01A\x07\0\x01\0\x21\0\x02"[..], &[0; 10]].concat();
        let file = ClassFile::parse(&class).unwrap();
        let code = method(bytes, handlers, &[0]);
        let source =
            Code { max_stack: 8, max_locals: 8, code: bytes, exceptions: Vec::new(), attributes: Vec::new() };
        let found = Producers::of(&code.insns, &code.cfg, &source, &file);
        let one = |producer: &Producer| format!("{}{}", producer.bci, if producer.caught { "!" } else { "" });
        let operand = |operand: &Operand| operand.iter().map(one).collect::<Vec<_>>().join("|");
        found.operands(bci).iter().map(operand).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn both_arms_of_a_choice_give_the_value() {
        // d = a ? b : c
        let choice =
            [op::ILOAD_0, op::IFEQ, 0, 7, op::ILOAD_1, op::GOTO, 0, 4, op::ILOAD_2, op::ISTORE_3, op::RETURN];
        assert_eq!(drawn(&choice, &[], 9), "4|8");
        assert_eq!(drawn(&choice, &[], 1), "0");
    }

    #[test]
    fn copies_on_the_stack_and_wide_values_are_followed() {
        // a[i]++ and a long that is kept
        let element =
            [op::ALOAD_0, op::ILOAD_1, op::DUP2, op::IALOAD, op::ICONST_1, op::IADD, op::IASTORE, op::RETURN];
        assert_eq!(drawn(&element, &[], 3), "0 1");
        assert_eq!(drawn(&element, &[], 6), "0 1 5");
        let wide = [
            op::ALOAD_0,
            op::LLOAD_1,
            op::DUP2_X1,
            op::LCONST_1,
            op::LCMP,
            op::POP,
            op::POP,
            op::LSTORE_3,
            op::RETURN,
        ];
        assert_eq!(drawn(&wide, &[], 4), "1 3");
        assert_eq!(drawn(&wide, &[], 7), "1");
        let swapped = [op::ILOAD_0, op::ILOAD_1, op::SWAP, op::ISUB, op::IRETURN];
        assert_eq!(drawn(&swapped, &[], 3), "1 0");
        assert_eq!(drawn(&swapped, &[], 4), "3");
    }

    #[test]
    fn a_handler_gets_what_was_caught() {
        let code = [op::ALOAD_0, op::ATHROW, op::ASTORE_1, op::RETURN];
        assert_eq!(drawn(&code, &[(0, 2, 2)], 2), "2!");
        assert_eq!(drawn(&code, &[(0, 2, 2)], 1), "0");
    }
}
