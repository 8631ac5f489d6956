//! Detail `full`: record just what the reader cannot recompute (see `trace::probes`). Nothing is recorded for
//! locals, branches, arithmetic and writes: the reader replays them.

use classfile::{Insn, MemberRef, Result, TypeKind, opcode as op};
use trace::probes::{self, Init, Leaves};

use crate::Classes;
use crate::asm::Asm;
use crate::method::{Weaver, orders_threads};

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
                if matches!(insn.op, op::GETFIELD | op::GETSTATIC)
                    && classes.is_volatile(w.class.pool.member(w.code.index(insn))?)
                {
                    w.on_recorder(&mut asm, "sequence")?;
                }
                w.after(insn.pc, &mut asm);
            }
            Leaves::Sameness => {
                asm.op(op::DUP2).call("same", "(Ljava/lang/Object;Ljava/lang/Object;)I", w.pool)?;
                w.value(&mut asm, TypeKind::Int)?;
                w.before(insn.pc, &mut asm);
            }
            Leaves::Call(result) => call(w, insn, result)?,
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
        if matches!(insn.op, op::PUTFIELD | op::PUTSTATIC)
            && classes.is_volatile(w.class.pool.member(w.code.index(insn))?)
        {
            w.on_recorder(&mut asm, "sequence")?;
            w.before(insn.pc, &mut asm);
        }
        back_edge(w, insn)?;
    }
    Ok(())
}

/// `exit` without a value.
pub fn exit(w: &mut Weaver<'_, '_>, asm: &mut Asm) -> Result<()> {
    asm.aload(w.recorder()).iload(w.depth());
    asm.call("exit", concat!("(", crate::asm::recorder!(), "I)V"), w.pool)?;
    Ok(())
}

fn call(w: &mut Weaver<'_, '_>, insn: Insn, result: TypeKind) -> Result<()> {
    let callee: MemberRef<'_> = w.class.pool.member(w.code.index(insn))?;
    let mut asm = Asm::default();
    let ordering = orders_threads(callee.class, callee.name);
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
        w.before(insn.pc, &mut asm);
    }
    w.clone_call(insn, callee.name, callee.descriptor)?;
    w.hash_call(insn, callee)?;
    if result == TypeKind::Void {
        w.on_recorder(&mut asm, "returned")?;
        if callee.name == b"<init>" {
            match w.inits.iter().find(|(pc, _)| *pc == insn.pc).map(|(_, on)| *on) {
                Some(Init::New { dup: true }) => w.reference_on_top(&mut asm, "result")?,
                Some(Init::This) if w.is_constructor() => {
                    asm.aload(0);
                    w.value(&mut asm, TypeKind::Reference)?;
                }
                _ => {}
            }
        }
    } else {
        if result == TypeKind::Reference {
            w.reference_on_top(&mut asm, "result")?;
        } else {
            w.value_on_top(&mut asm, result)?;
            w.on_recorder(&mut asm, "check")?;
        }
    }
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
    }
    w.after(insn.pc, &mut asm);
    w.checked();
    Ok(())
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
    }
    Ok(())
}
