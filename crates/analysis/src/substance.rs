//! How much there is in a piece of code that somebody can get wrong: what compares, computes, names a constant, calls or
//! stores. Loading a variable, jumping and returning is not counted; code that only hands on has next to none.

use std::collections::HashMap;

use classfile::opcode as op;
use trace::{MethodId, Program};

use crate::cfg::BlockId;
use crate::code::{Code, each_body};

/// Of code without anything to get wrong: never nothing.
pub const LEAST: f64 = 0.05;

/// The substance of whole methods, whatever of them ran. Methods without code are left out.
pub fn of_methods(program: &Program, methods: &[MethodId]) -> HashMap<MethodId, f64> {
    let mut found = HashMap::new();
    each_body(program, methods, &mut |id, _, member, code| {
        let ops: Vec<u8> =
            code.insns().map_while(|insn| insn.ok()).map(|insn| code.operation(insn)).collect();
        found.insert(id, of_ops(&ops, member.name == b"<init>"));
    });
    found
}

/// Does a method do nothing but give what a field holds, what one other call gives, or a constant?
pub fn is_accessor(program: &Program, method: MethodId) -> bool {
    let mut found = false;
    each_body(program, &[method], &mut |_, _, member, code| {
        let ops: Vec<u8> =
            code.insns().map_while(|insn| insn.ok()).map(|insn| code.operation(insn)).collect();
        found = member.name != b"<init>" && only_gives(&ops);
    });
    found
}

/// Something is returned that was read or given by one call, or one constant, and nothing else is done.
fn only_gives(ops: &[u8]) -> bool {
    let loads = |op: u8| matches!(op, op::ILOAD..=op::ALOAD | op::ILOAD_0..=op::ALOAD_3);
    let reads = |op: u8| matches!(op, op::GETFIELD | op::GETSTATIC | op::CHECKCAST);
    let gives = |op: u8| op::is_return(op) && op != op::RETURN;
    let calls = ops.iter().filter(|&&op| op::is_invoke(op)).count();
    let constant = |op: u8| matches!(op, op::ICONST_M1..=op::LDC2_W);
    let constants = ops.iter().filter(|&&op| constant(op)).count();
    let reads_any = calls > 0 || ops.iter().any(|&op| reads(op));
    let known = |op: u8| loads(op) || reads(op) || gives(op) || constant(op) || op::is_invoke(op);
    let plain = ops.iter().all(|&op| known(op));
    plain && if constants > 0 { constants == 1 && !reads_any } else { reads_any && calls <= 1 }
}

fn of_ops(ops: &[u8], constructor: bool) -> f64 {
    if is_handed_on(ops, constructor) {
        return LEAST;
    }
    ops.iter().map(|&op| weight(op)).sum::<f64>().max(LEAST)
}

/// Of one block.
pub fn of_block(code: &Code, block: BlockId) -> f64 {
    let (first, last) = (code.cfg.block(block).first, code.cfg.block(block).last);
    let from = code.insns.partition_point(|insn| insn.bci < first);
    let insns = code.insns[from..].iter().take_while(|insn| insn.bci <= last);
    insns.map(|insn| weight(insn.op)).sum()
}

/// Is there nothing in the method to get wrong?
pub fn hands_on(code: &Code) -> bool {
    let ops: Vec<u8> = code.insns.iter().map(|insn| insn.op).collect();
    is_handed_on(&ops, code.constructor)
}

/// Getters, setters, constants, constructors that keep what they are given, calls handed on to one other method: no branch,
/// nothing computed, and at most one thing done.
fn is_handed_on(ops: &[u8], constructor: bool) -> bool {
    let branches = |op: u8| {
        op::is_conditional(op) || matches!(op, op::GOTO | op::TABLESWITCH | op::LOOKUPSWITCH | op::ATHROW)
    };
    let computes = |op: u8| matches!(op, op::IADD..=op::LXOR | op::IINC | op::LCMP..=op::DCMPG);
    if ops.iter().any(|&op| branches(op) || computes(op)) {
        return false;
    }
    let constant = |op: u8| matches!(op, op::ICONST_M1..=op::LDC2_W);
    let count = |is: &dyn Fn(u8) -> bool| ops.iter().filter(|&&op| is(op)).count();
    let done = count(&|op| weight(op) > 0.0 && !constant(op));
    let stores = count(&|op| op == op::PUTFIELD);
    let constructed = count(&|op| op == op::INVOKESPECIAL);
    match constructor {
        // What is above it, and the fields.
        true => done == stores + constructed && constructed <= 1 && count(&constant) == 0,
        false => done <= 1,
    }
}

/// How often an instruction is what is wrong, in proportion to the others: what decides and what computes most.
fn weight(op: u8) -> f64 {
    match op {
        op::IFEQ..=op::IF_ACMPNE | op::IFNULL | op::IFNONNULL | op::TABLESWITCH | op::LOOKUPSWITCH => 1.0,
        op::IADD..=op::LXOR | op::IINC => 1.0,
        op::LCMP..=op::DCMPG | op::INSTANCEOF | op::ATHROW => 0.3,
        op::ICONST_M1..=op::LDC2_W => 0.3,
        op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => 0.3,
        op::PUTSTATIC | op::PUTFIELD => 0.3,
        other if op::is_array_load(other) || op::is_array_store(other) => 0.3,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_gives_what_is_there_is_an_accessor() {
        for (name, ops, expected) in [
            ("getter", &[op::ALOAD_0, op::GETFIELD, op::IRETURN][..], true),
            ("of a part", &[op::ALOAD_0, op::GETFIELD, op::GETFIELD, op::ARETURN], true),
            ("handed on", &[op::ALOAD_0, op::GETFIELD, op::ILOAD_1, op::INVOKEVIRTUAL, op::ARETURN], true),
            ("setter", &[op::ALOAD_0, op::ILOAD_1, op::PUTFIELD, op::RETURN], false),
            ("constant", &[op::ICONST_3, op::IRETURN], true),
            ("call with a constant", &[op::ALOAD_0, op::ICONST_3, op::INVOKEVIRTUAL, op::IRETURN], false),
            ("what it was given", &[op::ILOAD_1, op::IRETURN], false),
            ("sum", &[op::ALOAD_0, op::GETFIELD, op::ILOAD_1, op::IADD, op::IRETURN], false),
            ("element", &[op::ALOAD_0, op::GETFIELD, op::ILOAD_1, op::AALOAD, op::ARETURN], false),
            ("two calls", &[op::ALOAD_0, op::INVOKEVIRTUAL, op::INVOKEVIRTUAL, op::ARETURN], false),
            (
                "condition",
                &[op::ALOAD_0, op::GETFIELD, op::IFNULL, op::ALOAD_0, op::GETFIELD, op::ARETURN],
                false,
            ),
        ] {
            assert_eq!(only_gives(ops), expected, "{name}");
        }
    }

    #[test]
    fn what_only_hands_on_has_next_to_nothing_to_get_wrong() {
        for (name, constructor, ops, expected) in [
            ("getter", false, &[op::ALOAD_0, op::GETFIELD, op::IRETURN][..], LEAST),
            ("setter", false, &[op::ALOAD_0, op::ILOAD_1, op::PUTFIELD, op::RETURN], LEAST),
            ("constant", false, &[op::ICONST_3, op::IRETURN], LEAST),
            ("handed on", false, &[op::ALOAD_0, op::GETFIELD, op::INVOKEVIRTUAL, op::ARETURN], LEAST),
            ("empty constructor", true, &[op::ALOAD_0, op::INVOKESPECIAL, op::RETURN], LEAST),
            (
                "constructor that keeps",
                true,
                &[op::ALOAD_0, op::INVOKESPECIAL, op::ALOAD_0, op::ILOAD_1, op::PUTFIELD, op::RETURN],
                LEAST,
            ),
            ("sum", false, &[op::ILOAD_0, op::ILOAD_1, op::IADD, op::IRETURN], 1.0),
            (
                "condition",
                false,
                &[op::ILOAD_0, op::IFEQ, op::ICONST_1, op::IRETURN, op::ICONST_0, op::IRETURN],
                1.6,
            ),
        ] {
            assert_eq!(of_ops(ops, constructor), expected, "{name}");
        }
    }
}
