//! Goes over a method's instructions and inserts what each of them leaves in the log (see `trace::probes`). What all
//! details have in common is here: ordering points, exits, checks of the chunk's limit. What differs is in `full` and
//! `explicit`.

use classfile::{Insn, Result, TypeKind, opcode as op};
use trace::probes::{self, Leaves};

use crate::asm::Asm;
use crate::method::Weaver;
use crate::{OtherClasses, ProgramDetail, Sites, explicit, full};

/// Inserts the probes of one method.
pub fn weave(
    w: &mut Weaver<'_, '_>,
    method: u32,
    detail: ProgramDetail,
    sites: &mut Sites,
    classes: &dyn OtherClasses,
) -> Result<()> {
    if detail == ProgramDetail::Full {
        w.prepare_links(classes)?;
    }
    w.entry(method)?;
    w.checked();
    for insn in w.insns.clone() {
        w.check_if_needed(insn.pc)?;
        let mut asm = Asm::default();
        match probes::leaves(w.class, w.code, insn)? {
            Leaves::Nothing => {}
            Leaves::Value(kind) if detail == ProgramDetail::Full => full::value(w, insn, kind)?,
            Leaves::Sameness if detail == ProgramDetail::Full => full::sameness(w, insn)?,
            Leaves::Value(_) if detail == ProgramDetail::Heap => explicit::array(w, insn, sites)?,
            Leaves::Value(_) | Leaves::Sameness => {}
            Leaves::Call(result) => call(w, insn, result, detail, sites, classes)?,
            Leaves::Exit => {
                if w.is_synchronized() {
                    w.on_recorder(&mut asm, "order")?;
                }
                match TypeKind::of(w.descriptor.result)? {
                    TypeKind::Void => exit(w, &mut asm)?,
                    _ if detail == ProgramDetail::Full => exit(w, &mut asm)?,
                    result => explicit::exit_value(w, &mut asm, result)?,
                }
                w.before(insn.pc, &mut asm);
            }
            Leaves::OrderAfter => {
                w.on_recorder(&mut asm, "order")?;
                w.after(insn.pc, &mut asm);
            }
            Leaves::OrderBefore => {
                w.on_recorder(&mut asm, "order")?;
                w.before(insn.pc, &mut asm);
            }
        }
        order_volatile(w, insn, classes)?;
        if detail == ProgramDetail::Heap {
            explicit::write(w, insn, sites)?;
        }
        back_edge(w, insn)?;
    }
    Ok(())
}

fn call(
    w: &mut Weaver<'_, '_>,
    insn: Insn,
    result: TypeKind,
    detail: ProgramDetail,
    sites: &mut Sites,
    classes: &dyn OtherClasses,
) -> Result<()> {
    let callee = w.class.pool.member(w.code.index(insn))?;
    let ordering = jdk::threads::orders(callee.class, callee.name);
    let mut asm = Asm::default();
    if ordering {
        w.on_recorder(&mut asm, "order")?;
        w.before(insn.pc, &mut asm);
    }
    w.hash_call(insn, callee)?;
    match detail {
        ProgramDetail::Full => full::called(w, insn, callee, result, classes, &mut asm)?,
        ProgramDetail::Heap => explicit::called(w, insn, callee, sites, &mut asm)?,
        ProgramDetail::Calls => {}
    }
    if ordering {
        w.on_recorder(&mut asm, "order")?;
    }
    if !asm.code.is_empty() {
        w.after(insn.pc, &mut asm);
    }
    Ok(())
}

/// `exit` without a value.
fn exit(w: &mut Weaver<'_, '_>, asm: &mut Asm) -> Result<()> {
    asm.aload(w.recorder()).iload(w.depth());
    match w.linked() {
        None => asm.call("exit", concat!("(", crate::asm::recorder!(), "I)V"), w.pool)?,
        Some(linked) => {
            asm.iload(linked).call("exit", concat!("(", crate::asm::recorder!(), "IZ)V"), w.pool)?
        }
    };
    Ok(())
}

/// Volatile fields order threads: `seq` after a read and before a write.
fn order_volatile(w: &mut Weaver<'_, '_>, insn: Insn, classes: &dyn OtherClasses) -> Result<()> {
    if !matches!(insn.op, op::GETFIELD | op::GETSTATIC | op::PUTFIELD | op::PUTSTATIC)
        || !classes.is_volatile(w.class.pool.member(w.code.index(insn))?)
    {
        return Ok(());
    }
    let mut asm = Asm::default();
    w.on_recorder(&mut asm, "order")?;
    if matches!(insn.op, op::GETFIELD | op::GETSTATIC) {
        w.after(insn.pc, &mut asm);
    } else {
        w.before(insn.pc, &mut asm);
    }
    Ok(())
}

/// A loop that records must check the chunk's limit once a round.
fn back_edge(w: &mut Weaver<'_, '_>, insn: Insn) -> Result<()> {
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
