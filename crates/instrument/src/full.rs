//! Detail `full`: record just what the reader cannot recompute (see `trace::probes`). Nothing is recorded for
//! locals, branches, arithmetic and writes: the reader replays them.

use classfile::{Insn, MemberRef, MethodDescriptor, Result, TypeKind, opcode as op};
use jdk::arrays::leaves_arrays;
use trace::probes::{self, Init, Leaves};

use crate::Classes;
use crate::asm::Asm;
use crate::method::Weaver;

/// Inserts the probes of one method.
pub fn weave(w: &mut Weaver<'_, '_>, method: u32, classes: &dyn Classes) -> Result<()> {
    w.entry(method)?;
    w.checked();
    let insns = w.insns.clone();
    let mut asm = Asm::default();
    for &insn in &insns {
        w.check_if_needed(insn.pc)?;
        match probes::leaves(w.class, w.code, insn)? {
            Leaves::Nothing => {}
            Leaves::Value(kind) => {
                if matches!(insn.op, op::NEWARRAY | op::ANEWARRAY) {
                    w.reference_on_top(&mut asm, "made")?;
                } else {
                    w.value_on_top(&mut asm, kind)?;
                }
                if insn.op == op::MULTIANEWARRAY {
                    // The arrays in it came into being with it; nothing else tells which they are.
                    w.reference_on_top(&mut asm, "given")?;
                }
                w.after(insn.pc, &mut asm);
            }
            Leaves::Sameness => {
                asm.op(op::DUP2).call("same", "(Ljava/lang/Object;Ljava/lang/Object;)I", w.pool)?;
                w.value(&mut asm, TypeKind::Int)?;
                w.before(insn.pc, &mut asm);
            }
            Leaves::Call(result) => call(w, insn, result, classes)?,
            Leaves::Exit => {
                if w.is_synchronized() {
                    w.on_recorder(&mut asm, "sequence")?;
                }
                exit(w, &mut asm)?;
                w.before(insn.pc, &mut asm);
            }
            Leaves::SeqAfter => {
                w.on_recorder(&mut asm, "sequence")?;
                w.after(insn.pc, &mut asm);
            }
            Leaves::SeqBefore => {
                w.on_recorder(&mut asm, "sequence")?;
                w.before(insn.pc, &mut asm);
            }
        }
        order_volatile(w, insn, classes)?;
        back_edge(w, insn)?;
    }
    Ok(())
}

/// Volatile fields order threads: `seq` after a read and before a write.
pub fn order_volatile(w: &mut Weaver<'_, '_>, insn: Insn, classes: &dyn Classes) -> Result<()> {
    if !matches!(insn.op, op::GETFIELD | op::GETSTATIC | op::PUTFIELD | op::PUTSTATIC)
        || !classes.is_volatile(w.class.pool.member(w.code.index(insn))?)
    {
        return Ok(());
    }
    let mut asm = Asm::default();
    w.on_recorder(&mut asm, "sequence")?;
    if matches!(insn.op, op::GETFIELD | op::GETSTATIC) {
        w.after(insn.pc, &mut asm);
    } else {
        w.before(insn.pc, &mut asm);
    }
    Ok(())
}

/// `exit` without a value.
pub fn exit(w: &mut Weaver<'_, '_>, asm: &mut Asm) -> Result<()> {
    asm.aload(w.recorder()).iload(w.depth());
    asm.call("exit", concat!("(", crate::asm::recorder!(), "I)V"), w.pool)?;
    Ok(())
}

fn call(w: &mut Weaver<'_, '_>, insn: Insn, result: TypeKind, classes: &dyn Classes) -> Result<()> {
    let callee: MemberRef<'_> = w.class.pool.member(w.code.index(insn))?;
    let on = w.inits.iter().find(|(pc, _)| *pc == insn.pc).map(|(_, on)| *on);
    let mut asm = Asm::default();
    let ordering = jdk::threads::orders(callee.class, callee.name);
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
        w.before(insn.pc, &mut asm);
    }
    w.hash_call(insn, callee)?;
    let library = insn.op != op::INVOKEDYNAMIC && !classes.is_program(callee.class);
    let given = if library && on != Some(Init::This) { arrays_given(w, insn, callee)? } else { vec![] };
    if result == TypeKind::Void {
        w.on_recorder(&mut asm, "returned")?;
        match on {
            Some(Init::New { dup: true }) => w.reference_on_top(&mut asm, "result")?,
            Some(Init::This) => {
                asm.aload(0);
                w.value(&mut asm, TypeKind::Reference)?;
            }
            _ => {}
        }
    } else if result == TypeKind::Reference {
        w.reference_on_top(&mut asm, "result")?;
        if library && callee.descriptor.windows(2).any(|d| d == b")[") {
            w.reference_on_top(&mut asm, "given")?;
        }
    } else {
        w.value_on_top(&mut asm, result)?;
    }
    for slot in given {
        asm.aload(slot).aload(w.recorder());
        asm.call("given", concat!("(Ljava/lang/Object;", crate::asm::recorder!(), ")V"), w.pool)?;
    }
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
    }
    w.after(insn.pc, &mut asm);
    Ok(())
}

/// Keeps the arrays that a library call is given, so that what it did to them can be recorded: locals that hold them.
fn arrays_given(w: &mut Weaver<'_, '_>, insn: Insn, callee: MemberRef<'_>) -> Result<Vec<u16>> {
    if !callee.descriptor.contains(&b'[') || leaves_arrays(callee.class, callee.name) {
        return Ok(vec![]);
    }
    let descriptor = MethodDescriptor::parse(callee.descriptor)?;
    let Some(first) = descriptor.parameters.iter().position(|p| p.starts_with(b"[")) else {
        return Ok(vec![]);
    };
    let kinds = descriptor.parameters[first..].iter().map(|p| TypeKind::of(p)).collect::<Result<Vec<_>>>()?;
    let total: u16 = kinds.iter().map(|k| k.slots()).sum();
    // The first scratch local is taken by the receiver of `hashCode`.
    let base = w.scratch(total + 1) + 1;
    let mut asm = Asm::default();
    let mut slot = base + total;
    for kind in kinds.iter().rev() {
        slot -= kind.slots();
        asm.store(*kind, slot);
    }
    let mut arrays = Vec::new();
    for (kind, parameter) in kinds.iter().zip(&descriptor.parameters[first..]) {
        asm.load(*kind, slot);
        if parameter.starts_with(b"[") {
            arrays.push(slot);
        }
        slot += kind.slots();
    }
    w.before(insn.pc, &mut asm);
    Ok(arrays)
}

/// A loop that records must check the chunk's limit once a round.
pub fn back_edge(w: &mut Weaver<'_, '_>, insn: Insn) -> Result<()> {
    let target = if op::is_short_jump(insn.op) || op::is_wide_jump(insn.op) {
        w.code.jump_target(insn)?
    } else if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
        let switch = w.code.switch(insn)?;
        switch.cases.iter().map(|c| c.1).chain([switch.default]).min().unwrap_or(insn.pc)
    } else {
        return Ok(());
    };
    if target <= insn.pc && w.records_between(target, insn.pc) {
        let mut asm = Asm::default();
        w.on_recorder(&mut asm, "check")?;
        w.before(insn.pc, &mut asm);
        w.checked();
    }
    Ok(())
}
