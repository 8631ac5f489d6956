//! Details `calls` and `heap`: every event is a record of its own with the site it happened at, nothing is
//! replayed. A field or element is recorded after its write succeeded, so that an exception looks as it would
//! without us.

use classfile::{Insn, MemberRef, MethodDescriptor, Result, TypeKind, opcode as op};
use trace::probes::{self, Init, Leaves};

use crate::Sites;
use crate::asm::{Asm, parameter, recorder};
use crate::full::{back_edge, exit};
use crate::library::element_kind;
use crate::method::{Weaver, orders_threads};

/// Inserts the probes of one method; `heap` adds writes and allocations.
pub fn weave(w: &mut Weaver<'_, '_>, method: u32, heap: bool, sites: &mut Sites) -> Result<()> {
    w.entry(method)?;
    w.checked();
    let insns = w.insns.clone();
    let mut asm = Asm::default();
    for &insn in &insns {
        w.check_if_needed(insn.pc)?;
        match probes::leaves(w.class, w.code, insn)? {
            Leaves::Exit => {
                let result = TypeKind::of(w.descriptor.result)?;
                if w.is_synchronized() {
                    w.on_recorder(&mut asm, "sequence")?;
                }
                if result == TypeKind::Void {
                    exit(w, &mut asm)?;
                } else {
                    asm.aload(w.recorder()).iload(w.depth());
                    asm.call("exitValue", concat!("(", recorder!(), "I)V"), w.pool)?;
                    w.value_on_top(&mut asm, result)?;
                    asm.aload(w.recorder()).iload(w.depth());
                    asm.call("exited", concat!("(", recorder!(), "I)V"), w.pool)?;
                }
                w.before(insn.pc, &mut asm);
            }
            Leaves::Call(result) => call(w, insn, result, heap, sites)?,
            Leaves::Value(TypeKind::Reference)
                if heap && matches!(insn.op, op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY) =>
            {
                created(w, insn, &mut asm, sites)?;
                w.after(insn.pc, &mut asm);
            }
            Leaves::SeqAfter => {
                w.on_recorder(&mut asm, "sequence")?;
                w.after(insn.pc, &mut asm);
            }
            Leaves::SeqBefore => {
                w.on_recorder(&mut asm, "sequence")?;
                w.before(insn.pc, &mut asm);
            }
            _ => {}
        }
        if heap {
            write(w, insn, sites)?;
        }
        back_edge(w, insn)?;
    }
    Ok(())
}

fn created(w: &mut Weaver<'_, '_>, insn: Insn, asm: &mut Asm, sites: &mut Sites) -> Result<()> {
    asm.op(op::DUP).aload(w.recorder());
    asm.int(sites.at(insn.pc) as i32, w.pool)?;
    asm.call("created", concat!("(Ljava/lang/Object;", recorder!(), "I)V"), w.pool)?;
    Ok(())
}

/// Calls of the method's own class are not announced: the callee's `enter` says it all.
fn call(w: &mut Weaver<'_, '_>, insn: Insn, result: TypeKind, heap: bool, sites: &mut Sites) -> Result<()> {
    let callee: MemberRef<'_> = w.class.pool.member(w.code.index(insn))?;
    let on = w.inits.iter().find(|(pc, _)| *pc == insn.pc).map(|(_, on)| *on);
    let own = callee.class == w.class.name()? && insn.op != op::INVOKEDYNAMIC;
    let mut asm = Asm::default();
    let ordering = orders_threads(callee.class, callee.name);
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
        w.before(insn.pc, &mut asm);
    }
    w.clone_call(insn, callee.name, callee.descriptor)?;
    w.hash_call(insn, callee)?;
    // The arguments of super() may stand beside an object that is not one yet; they show in the callee's `enter`.
    let announced = !own && on != Some(Init::This);
    if announced {
        let receiver = on.is_none() && !matches!(insn.op, op::INVOKESTATIC | op::INVOKEDYNAMIC);
        arguments(w, insn, callee, receiver, &mut asm, sites)?;
        w.before(insn.pc, &mut asm);
        if result == TypeKind::Void {
            w.on_recorder(&mut asm, "returned")?;
        } else {
            w.value_on_top(&mut asm, result)?;
            w.on_recorder(&mut asm, "check")?;
        }
    } else {
        w.on_recorder(&mut asm, "check")?;
    }
    if heap && on == Some(Init::New { dup: true }) {
        created(w, insn, &mut asm, sites)?;
    }
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
    }
    w.after(insn.pc, &mut asm);
    w.checked();
    Ok(())
}

/// `call` and the arguments, which are taken off the stack into scratch locals and put back.
fn arguments(
    w: &mut Weaver<'_, '_>,
    insn: Insn,
    callee: MemberRef<'_>,
    receiver: bool,
    asm: &mut Asm,
    sites: &mut Sites,
) -> Result<()> {
    let descriptor = MethodDescriptor::parse(callee.descriptor)?;
    let mut kinds = Vec::with_capacity(descriptor.parameters.len() + 1);
    if receiver {
        kinds.push(TypeKind::Reference);
    }
    for p in &descriptor.parameters {
        kinds.push(TypeKind::of(p)?);
    }
    let total: u16 = kinds.iter().map(|k| k.slots()).sum();
    let base = w.scratch(total + 1) + 1;
    let mut slot = base + total;
    for kind in kinds.iter().rev() {
        slot -= kind.slots();
        asm.store(*kind, slot);
    }
    asm.aload(w.recorder());
    asm.int(sites.at(insn.pc) as i32, w.pool)?;
    asm.int(kinds.len() as i32, w.pool)?;
    asm.call("calling", concat!("(", recorder!(), "II)V"), w.pool)?;
    for kind in &kinds {
        asm.load(*kind, slot);
        w.value_on_top(asm, *kind)?;
        slot += kind.slots();
    }
    Ok(())
}

fn write(w: &mut Weaver<'_, '_>, insn: Insn, sites: &mut Sites) -> Result<()> {
    let mut asm = Asm::default();
    match insn.op {
        op::PUTFIELD => {
            let kind = TypeKind::of(w.class.pool.member(w.code.index(insn))?.descriptor)?;
            if w.is_constructor() && before_super(w, insn.pc) {
                return Ok(());
            }
            let slot = w.scratch(2);
            asm.store(kind, slot).op(op::DUP).load(kind, slot);
            w.before(insn.pc, &mut asm);
            asm.load(kind, slot);
            record(w, insn, "field", "Ljava/lang/Object;", kind, &mut asm, sites)?;
        }
        op::PUTSTATIC => {
            let kind = TypeKind::of(w.class.pool.member(w.code.index(insn))?.descriptor)?;
            asm.dup(kind);
            w.before(insn.pc, &mut asm);
            record(w, insn, "written", "", kind, &mut asm, sites)?;
        }
        op::IASTORE..=op::SASTORE => {
            let kind = element_kind(insn);
            let slot = w.scratch(2);
            asm.store(kind, slot).op(op::DUP2).load(kind, slot);
            w.before(insn.pc, &mut asm);
            asm.load(kind, slot);
            record(w, insn, "element", "Ljava/lang/Object;I", kind, &mut asm, sites)?;
        }
        _ => {}
    }
    Ok(())
}

fn record(
    w: &mut Weaver<'_, '_>,
    insn: Insn,
    name: &str,
    place: &str,
    kind: TypeKind,
    asm: &mut Asm,
    sites: &mut Sites,
) -> Result<()> {
    asm.aload(w.recorder());
    asm.int(sites.at(insn.pc) as i32, w.pool)?;
    asm.call(name, &format!(concat!("({}{}", recorder!(), "I)V"), place, parameter(kind)), w.pool)?;
    w.after(insn.pc, asm);
    Ok(())
}

/// A constructor may write its class's own fields before `super()`; the object has no name then.
pub fn before_super(w: &Weaver<'_, '_>, pc: u32) -> bool {
    w.inits.iter().any(|(at, on)| *on == Init::This && *at > pc)
}
