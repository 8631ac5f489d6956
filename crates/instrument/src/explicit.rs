//! Details `calls` and `heap`: every event is a record of its own with the site it happened at, nothing is
//! replayed. A field or element is recorded after its write succeeded, so that an exception looks as it would
//! without us.

use classfile::{Insn, MemberRef, Result, TypeKind, opcode as op};
use trace::probes::{self, Init, Leaves};

use crate::asm::{Asm, parameter, recorder};
use crate::full::{back_edge, exit, order_volatile};
use crate::library::{COPIED, COPY_SLOTS, element_kind, is_copy, reload_copy, spill_copy};
use crate::method::Weaver;
use crate::{Classes, Sites};

/// Inserts the probes of one method; `heap` adds writes and allocations.
pub fn weave(
    w: &mut Weaver<'_, '_>,
    method: u32,
    heap: bool,
    sites: &mut Sites,
    classes: &dyn Classes,
) -> Result<()> {
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
            Leaves::Call(_) => call(w, insn, heap, sites)?,
            Leaves::Value(TypeKind::Reference)
                if heap && matches!(insn.op, op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY) =>
            {
                created(w, insn, &mut asm, sites)?;
                if insn.op == op::MULTIANEWARRAY {
                    w.reference_on_top(&mut asm, "given")?;
                }
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
        order_volatile(w, insn, classes)?;
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

/// Calls into libraries are not recorded at these details: taking the arguments off the stack and putting them back
/// costs more than everything else together. What a call of program code does shows in its own `enter` and `exit`.
fn call(w: &mut Weaver<'_, '_>, insn: Insn, heap: bool, sites: &mut Sites) -> Result<()> {
    let callee: MemberRef<'_> = w.class.pool.member(w.code.index(insn))?;
    let mut asm = Asm::default();
    let ordering = jdk::threads::orders(callee.class, callee.name);
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
        w.before(insn.pc, &mut asm);
    }
    w.hash_call(insn, callee)?;
    if heap && is_copy(callee) {
        let scratch = w.scratch(COPY_SLOTS);
        spill_copy(&mut asm, scratch);
        w.before(insn.pc, &mut asm);
        reload_copy(&mut asm, scratch);
        asm.int(sites.at(insn.pc) as i32, w.pool)?;
        asm.call("copied", COPIED, w.pool)?;
    }
    let on = w.inits.iter().find(|(pc, _)| *pc == insn.pc).map(|(_, on)| *on);
    if heap && on == Some(Init::New { dup: true }) {
        created(w, insn, &mut asm, sites)?;
    }
    if ordering {
        w.on_recorder(&mut asm, "sequence")?;
    }
    if !asm.code.is_empty() {
        w.after(insn.pc, &mut asm);
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
