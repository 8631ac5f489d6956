//! Calls between recorded methods that leave nothing in the log: the caller announces whom it calls, the method that is
//! entered looks whether that is itself, and on the way back the same (see `trace::probes::announces`). Whatever else
//! comes in between notices that a call is announced and says that it is not linked.

use classfile::{Code, Insn, MemberRef, MethodDescriptor, Result, StackEffect, TypeKind, opcode as op};
use trace::probes::{self, Init, Linking};

use crate::OtherClasses;
use crate::asm::{Asm, parameter, recorder};
use crate::method::Weaver;

/// Announces a call, if it can be linked; says whether it did.
pub fn announce(
    w: &mut Weaver<'_, '_>,
    insn: Insn,
    callee: MemberRef<'_>,
    classes: &dyn OtherClasses,
) -> Result<bool> {
    // What a library changes in the receiver out of sight is looked at after each such call.
    if insn.op == op::INVOKEDYNAMIC
        || jdk::contents::changes_unseen(callee.class, callee.name, callee.descriptor)
    {
        return Ok(false);
    }
    let linking = probes::announces(w.class, insn, callee, w.init(insn));
    if linking == Linking::Never || !classes.is_announced(callee.class) {
        return Ok(false);
    }
    let number = classes.link(linking, callee);
    if number == 0 {
        return Ok(false);
    }
    let mut asm = Asm::default();
    if linking == Linking::Exact {
        asm.aload(w.recorder()).int(number as i32, w.pool)?;
        asm.call("announce", concat!("(", recorder!(), "I)V"), w.pool)?;
    } else {
        let kept = receiver(w, insn, callee, &mut asm)?;
        asm.aload(w.recorder()).int(number as i32, w.pool)?;
        asm.call("announce", concat!("(Ljava/lang/Object;", recorder!(), "I)V"), w.pool)?;
        kept.iter().for_each(|&(kind, slot)| {
            asm.load(kind, slot);
        });
    }
    w.before(insn.pc, &mut asm);
    w.announced.push(w.code.index(insn));
    Ok(true)
}

/// Puts the receiver of a call on top of the stack once more: from the local that it came from, or from below the
/// arguments. Those that have to be moved out of the way for that are in these locals then.
fn receiver(
    w: &mut Weaver<'_, '_>,
    insn: Insn,
    callee: MemberRef<'_>,
    asm: &mut Asm,
) -> Result<Vec<(TypeKind, u16)>> {
    if let Some(&(_, slot)) = w.receivers.iter().find(|(pc, _)| *pc == insn.pc) {
        asm.aload(slot);
        return Ok(vec![]);
    }
    let descriptor = MethodDescriptor::parse(callee.descriptor)?;
    let kinds = descriptor.parameters.iter().map(|p| TypeKind::of(p)).collect::<Result<Vec<_>>>()?;
    match kinds.as_slice() {
        [] => {
            asm.op(op::DUP);
            return Ok(vec![]);
        }
        [only] if only.slots() == 1 => {
            asm.op(op::DUP2).op(op::POP);
            return Ok(vec![]);
        }
        _ => {}
    }
    let total = kinds.iter().map(|kind| kind.slots()).sum::<u16>();
    // The first scratch local is taken by the receiver of `hashCode`.
    let mut slot = w.scratch(total + 1) + 1;
    let mut kept = Vec::with_capacity(kinds.len());
    for kind in kinds {
        kept.push((kind, slot));
        slot += kind.slots();
    }
    kept.iter().rev().for_each(|&(kind, slot)| {
        asm.store(kind, slot);
    });
    asm.op(op::DUP);
    Ok(kept)
}

/// An announced call came back: what is recorded if it was not linked.
pub fn back(w: &mut Weaver<'_, '_>, result: TypeKind, on: Option<Init>, asm: &mut Asm) -> Result<()> {
    match (result, on) {
        (TypeKind::Void, Some(Init::New { dup: true })) => w.reference_on_top(asm, "constructed"),
        (TypeKind::Void, Some(Init::This)) => {
            asm.aload(0).aload(w.recorder());
            asm.call("constructed", concat!("(Ljava/lang/Object;", recorder!(), ")V"), w.pool)?;
            Ok(())
        }
        (TypeKind::Void, _) => w.on_recorder(asm, "back"),
        (kind, _) => {
            asm.dup(kind).aload(w.recorder());
            let descriptor = format!(concat!("({}", recorder!(), ")V"), parameter(kind));
            asm.call("back", &descriptor, w.pool)?;
            w.wrote(14);
            Ok(())
        }
    }
}

/// pc of each call whose receiver was loaded from a local that still holds it, and that local.
pub fn receivers(w: &Weaver<'_, '_>) -> Result<Vec<(u32, u16)>> {
    let leaders = leaders(w.code, &w.insns)?;
    let mut found = Vec::new();
    // What is known of the topmost operands: the local that each came from. What lies deeper is not known.
    let mut stack: Vec<Option<u16>> = Vec::new();
    for &insn in &w.insns {
        if leaders.binary_search(&insn.pc).is_ok() {
            stack.clear();
        }
        let effect = w.code.stack_effect(insn, &w.class.pool)?;
        let (takes, gives) = effect.slots();
        if matches!(insn.op, op::INVOKEVIRTUAL | op::INVOKEINTERFACE)
            && let Some(Some(slot)) = stack.len().checked_sub(takes).map(|at| stack[at])
        {
            found.push((insn.pc, slot));
        }
        let operation = w.code.operation(insn);
        let top = stack.last().copied().flatten();
        stack.truncate(stack.len().saturating_sub(takes));
        let loads = matches!(operation, op::ALOAD | op::ALOAD_0..=op::ALOAD_3);
        match effect {
            _ if loads => stack.push(w.code.slot(insn)),
            StackEffect::Shuffles(_) if insn.op == op::DUP => stack.extend([top, top]),
            _ => stack.extend(std::iter::repeat_n(None, gives)),
        }
        // A store, also of the upper half of a long.
        if let Some(slot) = w.code.slot(insn).filter(|_| !loads) {
            let touched = |held: &Option<u16>| held.is_some_and(|held| held == slot || held == slot + 1);
            stack.iter_mut().filter(|held| touched(held)).for_each(|held| *held = None);
        }
    }
    Ok(found)
}

/// pcs at which control may arrive from elsewhere, ascending.
fn leaders(code: &Code<'_>, insns: &[Insn]) -> Result<Vec<u32>> {
    let mut leaders: Vec<u32> = code.exceptions.iter().map(|entry| entry.handler.into()).collect();
    for &insn in insns {
        if op::is_short_jump(insn.op) || op::is_wide_jump(insn.op) {
            leaders.push(code.jump_target(insn)?);
            leaders.push(insn.pc + insn.len);
        } else if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
            let switch = code.switch(insn)?;
            leaders.extend(switch.cases.iter().map(|case| case.1).chain([switch.default]));
        }
    }
    leaders.sort_unstable();
    leaders.dedup();
    Ok(leaders)
}
