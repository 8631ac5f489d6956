//! Who produces the operands of an instruction: for every value that it takes from the stack, the instructions that may
//! have put it there. Followed through copies on the stack and across blocks, so that both arms of `c ? a : b` are known.

use std::collections::HashMap;

use classfile::{ClassFile, Code, OperandStack, opcode as op};

use crate::cfg::{BlockId, Cfg};
use crate::code::Insn;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Producer {
    /// The instruction; for an exception, where its handler begins.
    pub bci: u16,
    /// It is the exception that a handler caught.
    pub caught: bool,
}

/// One value: one producer, or those of several ways that meet. Sorted.
pub type OperandProducers = Box<[Producer]>;

#[derive(Clone, Debug, Default)]
pub struct Producers {
    /// By instruction: its operands, the deepest first, as values (a long is one).
    of: HashMap<u16, Box<[OperandProducers]>>,
}

/// Who may have put there what lies on the stack, slot by slot.
type Stack = OperandStack<Vec<Producer>>;

impl Producers {
    pub fn of(insns: &[Insn], cfg: &Cfg, source: &Code<'_>, file: &ClassFile<'_>) -> Producers {
        let mut found = Producers::default();
        let mut before: Vec<Option<Stack>> = vec![None; cfg.blocks.len()];
        let Some(first) = before.first_mut() else { return found };
        *first = Some(Stack::default());
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
                let thrown = Stack { slots: vec![vec![caught]] };
                let arriving = if edge.exceptional { &thrown } else { &stack };
                if meet(&mut before[usize::from(edge.to.0)], arriving) {
                    open.push(edge.to);
                }
            }
        }
        found
    }

    /// The operands of the instruction at a place, the deepest first.
    pub fn operands(&self, bci: u16) -> &[OperandProducers] {
        self.of.get(&bci).map_or(&[], |operands| operands)
    }

    fn step(&mut self, insn: Insn, source: &Code<'_>, file: &ClassFile<'_>, stack: &mut Stack) {
        // What damaged code does is not known.
        let Ok(effect) = insn.stack_effect(source, file) else { return stack.slots.clear() };
        stack.apply(effect, |mut operands| {
            if !operands.is_empty() {
                let given = operands.iter().map(|one| OperandProducers::from(one.as_slice()));
                self.of.insert(insn.bci, given.collect());
            }
            if insn.op == op::CHECKCAST {
                return operands.pop().unwrap_or_default();
            }
            vec![Producer { bci: insn.bci, caught: false }]
        });
    }
}

/// Takes in what another way leaves on the stack; true if that says something new.
fn meet(known: &mut Option<Stack>, arriving: &Stack) -> bool {
    let Some(known) = known else {
        *known = Some(arriving.clone());
        return true;
    };
    let mut grew = false;
    for (set, more) in known.slots.iter_mut().zip(&arriving.slots) {
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
        let operand = |operand: &OperandProducers| operand.iter().map(one).collect::<Vec<_>>().join("|");
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
