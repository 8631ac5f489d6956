//! Detail `full`: record just what the reader cannot recompute (see `trace::probes`). Nothing is recorded for
//! locals, branches, arithmetic and writes: the reader replays them.

use classfile::{Error, Insn, MemberRef, MethodDescriptor, Result, TypeKind, opcode as op};
use jdk::arrays::leaves_arrays;
use trace::probes::Init;

use crate::asm::Asm;
use crate::method::Weaver;
use crate::{OtherClasses, link};

/// The value that an instruction pushed.
pub fn value(w: &mut Weaver<'_, '_>, insn: Insn, kind: TypeKind) -> Result<()> {
    let mut asm = Asm::default();
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
    Ok(())
}

/// Whether the two references that are compared are the same.
pub fn sameness(w: &mut Weaver<'_, '_>, insn: Insn) -> Result<()> {
    let mut asm = Asm::default();
    asm.op(op::DUP2).call("same", "(Ljava/lang/Object;Ljava/lang/Object;)I", w.pool)?;
    w.value(&mut asm, TypeKind::Int)?;
    w.before(insn.pc, &mut asm);
    Ok(())
}

/// What is recorded when a call has come back.
pub fn called(
    w: &mut Weaver<'_, '_>,
    insn: Insn,
    callee: MemberRef<'_>,
    result: TypeKind,
    classes: &dyn OtherClasses,
    asm: &mut Asm,
) -> Result<()> {
    let on = w.init(insn);
    if link::announce(w, insn, callee, classes)? {
        return link::back(w, result, on, asm);
    }
    let library = insn.op != op::INVOKEDYNAMIC && !classes.is_program(callee.class);
    let receiver = if on.is_none() { changed_unseen(w, insn, callee)? } else { None };
    let given = match receiver {
        None if library && on != Some(Init::This) => arrays_given(w, insn, callee)?,
        _ => vec![],
    };
    if result == TypeKind::Void {
        w.on_recorder(asm, "returned")?;
        match on {
            Some(Init::New { dup: true }) => w.reference_on_top(asm, "result")?,
            // What a library's constructor left in `this` is seen here for the first time.
            Some(Init::This) => {
                asm.aload(0);
                w.value(asm, TypeKind::Reference)?;
            }
            _ => {}
        }
    } else if result == TypeKind::Reference {
        w.reference_on_top(asm, "result")?;
        if library && callee.descriptor.windows(2).any(|d| d == b")[") {
            w.reference_on_top(asm, "given")?;
        }
    } else {
        w.value_on_top(asm, result)?;
    }
    const GIVEN: &str = concat!("(Ljava/lang/Object;", crate::asm::recorder!(), ")V");
    for slot in given {
        asm.aload(slot).aload(w.recorder()).call("given", GIVEN, w.pool)?;
    }
    if let Some(slot) = receiver {
        asm.aload(slot).aload(w.recorder()).call("again", GIVEN, w.pool)?;
    }
    Ok(())
}

/// Keeps the receiver of a call that may change it in a way that is not recorded: the local that holds it.
fn changed_unseen(w: &mut Weaver<'_, '_>, insn: Insn, callee: MemberRef<'_>) -> Result<Option<u16>> {
    if !op::has_receiver(insn.op)
        || insn.op == op::INVOKEDYNAMIC
        || !jdk::contents::changes_unseen(callee.class, callee.name, callee.descriptor)
    {
        return Ok(None);
    }
    let descriptor = MethodDescriptor::parse(callee.descriptor)?;
    let kinds = descriptor.parameters.iter().map(|p| TypeKind::of(p)).collect::<Result<Vec<_>>>()?;
    let kinds: Vec<TypeKind> = std::iter::once(TypeKind::Reference).chain(kinds).collect();
    let base = keep(w, insn, &kinds)?;
    Ok(Some(base))
}

/// Keeps the last operands of a call in locals: the first of these.
fn keep(w: &mut Weaver<'_, '_>, insn: Insn, kinds: &[TypeKind]) -> Result<u16> {
    let total: usize = kinds.iter().map(|kind| usize::from(kind.slots())).sum();
    let total =
        u16::try_from(total).ok().filter(|&total| total <= 255).ok_or(Error::TooLarge("arguments"))?;
    // The first scratch local is taken by the receiver of `hashCode`.
    let base = w.scratch(total + 1) + 1;
    let mut asm = Asm::default();
    let mut slot = base + total;
    for kind in kinds.iter().rev() {
        slot -= kind.slots();
        asm.store(*kind, slot);
    }
    for kind in kinds {
        asm.load(*kind, slot);
        slot += kind.slots();
    }
    w.before(insn.pc, &mut asm);
    Ok(base)
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
    let mut slot = keep(w, insn, &kinds)?;
    let mut arrays = Vec::new();
    for (kind, parameter) in kinds.iter().zip(&descriptor.parameters[first..]) {
        if parameter.starts_with(b"[") {
            arrays.push(slot);
        }
        slot += kind.slots();
    }
    Ok(arrays)
}
