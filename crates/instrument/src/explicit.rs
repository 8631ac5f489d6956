//! Details `calls` and `heap`: every event is a record of its own with the site it happened at, nothing is
//! replayed. A field or element is recorded after its write succeeded, so that an exception looks as it would
//! without us.

use classfile::{Insn, MemberRef, Result, TypeKind, opcode as op};
use trace::probes::Init;

use crate::Sites;
use crate::around::{self, COPY_SLOTS, Write, is_before_super, is_copy};
use crate::asm::{Asm, recorder};
use crate::method::Weaver;

/// `exit` with the value on top of the stack.
pub fn exit_value(w: &mut Weaver<'_, '_>, asm: &mut Asm, result: TypeKind) -> Result<()> {
    asm.aload(w.recorder()).iload(w.depth());
    asm.call("exitValue", concat!("(", recorder!(), "I)V"), w.pool)?;
    asm.dup(result);
    w.argument(asm, result)?;
    asm.aload(w.recorder()).iload(w.depth());
    asm.call("exited", concat!("(", recorder!(), "I)V"), w.pool)?;
    Ok(())
}

/// The array that an instruction made, if it did. Detail `heap`.
pub fn array(w: &mut Weaver<'_, '_>, insn: Insn, sites: &mut Sites) -> Result<()> {
    if !matches!(insn.op, op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY) {
        return Ok(());
    }
    let mut asm = Asm::default();
    created(w, insn, &mut asm, sites)?;
    if insn.op == op::MULTIANEWARRAY {
        w.reference_on_top(&mut asm, "given")?;
    }
    w.after(insn.pc, &mut asm);
    Ok(())
}

fn created(w: &mut Weaver<'_, '_>, insn: Insn, asm: &mut Asm, sites: &mut Sites) -> Result<()> {
    asm.op(op::DUP).aload(w.recorder());
    asm.int(sites.at(insn.pc) as i32, w.pool)?;
    asm.call("created", concat!("(Ljava/lang/Object;", recorder!(), "I)V"), w.pool)?;
    Ok(())
}

/// What is recorded when a call has come back, at detail `heap`. Calls into libraries are not: taking the arguments off
/// the stack and putting them back costs more than everything else together. What a call of program code does shows in
/// its own `enter` and `exit`.
pub fn called(
    w: &mut Weaver<'_, '_>,
    insn: Insn,
    callee: MemberRef<'_>,
    sites: &mut Sites,
    asm: &mut Asm,
) -> Result<()> {
    if is_copy(callee) {
        let scratch = w.scratch(COPY_SLOTS);
        let mut copy = around::copy(scratch, sites.at(insn.pc), w.pool)?;
        w.before(insn.pc, &mut copy.before);
        asm.code.extend(copy.after.take());
    }
    if w.init(insn) == Some(Init::New { dup: true }) {
        created(w, insn, asm, sites)?;
    }
    Ok(())
}

/// What an instruction writes, if it does. Detail `heap`.
pub fn write(w: &mut Weaver<'_, '_>, insn: Insn, sites: &mut Sites) -> Result<()> {
    let Some(write) = Write::of(w.class, w.code, insn)? else { return Ok(()) };
    let name = match insn.op {
        op::PUTFIELD if is_before_super(&w.inits, insn.pc) => return Ok(()),
        op::PUTFIELD => "field",
        op::PUTSTATIC => "written",
        _ => "element",
    };
    let mut around = write.keep(|| w.scratch(2));
    w.before(insn.pc, &mut around.before);
    around.after.aload(w.recorder()).int(sites.at(insn.pc) as i32, w.pool)?;
    let descriptor = format!(concat!("({}", recorder!(), "I)V"), write.parameters());
    around.after.call(name, &descriptor, w.pool)?;
    w.after(insn.pc, &mut around.after);
    Ok(())
}
