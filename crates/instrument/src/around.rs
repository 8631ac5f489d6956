//! Code around an instruction that changes something or gives something away: what will be needed is kept before it, and
//! told after it succeeded, so that an exception looks as it would without us. Which locals are free for that, and what is
//! told, is for the weaver to say.

use classfile::{
    ClassFile, Code, Insn, MemberRef, MethodDescriptor, PoolBuilder, Result, StackEffect, TypeKind,
    opcode as op,
};
use jdk::unseen::Place;
use trace::probes::Init;

use crate::asm::{Asm, parameter};
use crate::hash;

#[derive(Default)]
pub struct Around {
    pub before: Asm,
    pub after: Asm,
}

/// A write to a field or an array's element.
pub struct Write {
    /// Where to, then what: the object, or the array and the index, and the value.
    operands: Vec<TypeKind>,
}

impl Write {
    /// None if the instruction writes nothing.
    pub fn of(class: &ClassFile<'_>, code: &Code<'_>, insn: Insn) -> Result<Option<Write>> {
        if !(matches!(insn.op, op::PUTFIELD | op::PUTSTATIC) || op::is_array_store(insn.op)) {
            return Ok(None);
        }
        Ok(match code.stack_effect(insn, &class.pool)? {
            StackEffect::Values { takes, .. } => Some(Write { operands: takes.iter().collect() }),
            _ => None,
        })
    }

    /// Leaves the operands on the stack once more, to be told after the write. The value is kept in a local, unless it is
    /// all that is needed.
    pub fn keep(&self, scratch: impl FnOnce() -> u16) -> Around {
        let mut around = Around::default();
        let Some((&value, place)) = self.operands.split_last() else { return around };
        let copy = match place.len() {
            0 => {
                around.before.dup(value);
                return around;
            }
            1 => op::DUP,
            _ => op::DUP2,
        };
        let scratch = scratch();
        around.before.store(value, scratch).op(copy).load(value, scratch);
        around.after.load(value, scratch);
        around
    }

    /// The descriptors by which the recorder's methods take the operands.
    pub fn parameters(&self) -> String {
        self.operands.iter().map(|&kind| parameter(kind)).collect()
    }
}

/// The arguments of `System.arraycopy`: source, position, target, position, length.
const COPY: [TypeKind; 5] =
    [TypeKind::Reference, TypeKind::Int, TypeKind::Reference, TypeKind::Int, TypeKind::Int];

/// Locals that are needed to keep them.
pub const COPY_SLOTS: u16 = COPY.len() as u16;

pub fn is_copy(callee: MemberRef<'_>) -> bool {
    jdk::arrays::is_copy(callee.class, callee.name)
}

/// Tells a copy from array to array.
pub fn copy(scratch: u16, site: u32, pool: &mut PoolBuilder) -> Result<Around> {
    const COPIED: &str = "(Ljava/lang/Object;ILjava/lang/Object;III)V";
    let mut around = Around::default();
    let slots = scratch..scratch + COPY_SLOTS;
    for (slot, &kind) in slots.clone().zip(&COPY).rev() {
        around.before.store(kind, slot);
    }
    for (slot, &kind) in slots.zip(&COPY) {
        around.before.load(kind, slot);
        around.after.load(kind, slot);
    }
    around.after.int(site as i32, pool)?.call("copied", COPIED, pool)?;
    Ok(around)
}

/// Locals that are needed to keep what is swapped: an array, an index and two longs; or an object, its offset and two
/// longs.
pub const SWAP_SLOTS: u16 = 7;

/// Tells a write by offset or by handle: which object, and where in it. What is there now is looked up by the recorder,
/// whether the write succeeded or not. None if the call writes nothing.
pub fn swap(
    callee: MemberRef<'_>,
    scratch: u16,
    site: impl FnOnce() -> u32,
    pool: &mut PoolBuilder,
) -> Result<Option<Around>> {
    let descriptor = MethodDescriptor::parse(callee.descriptor)?;
    let Some(place) = jdk::unseen::swap(callee.class, callee.name, &descriptor.parameters) else {
        return Ok(None);
    };
    let kinds = descriptor.parameters.iter().map(|one| TypeKind::of(one)).collect::<Result<Vec<_>>>()?;
    let total: u16 = kinds.iter().map(|kind| kind.slots()).sum();
    if total > SWAP_SLOTS {
        return Ok(None);
    }
    let mut around = Around::default();
    let mut slot = scratch + total;
    for &kind in kinds.iter().rev() {
        slot -= kind.slots();
        around.before.store(kind, slot);
    }
    for &kind in &kinds {
        around.before.load(kind, slot);
        slot += kind.slots();
    }
    around.after.aload(scratch);
    let told = match place {
        Place::Offset => {
            around.after.load(TypeKind::Long, scratch + 1);
            "(Ljava/lang/Object;JI)V"
        }
        Place::Field => "(Ljava/lang/Object;I)V",
        Place::Element => {
            around.after.load(TypeKind::Int, scratch + 1);
            "(Ljava/lang/Object;II)V"
        }
    };
    around.after.int(site() as i32, pool)?.call("swapped", told, pool)?;
    Ok(Some(around))
}

/// Translates the hash code that a call asks for, which must not be the name that stands in its place; None if it asks
/// for none. The local `scratch` keeps the object.
pub fn hash_call(
    insn: Insn,
    callee: MemberRef<'_>,
    scratch: u16,
    pool: &mut PoolBuilder,
) -> Result<Option<Around>> {
    let Some(translator) = hash::translator(insn.op, callee) else { return Ok(None) };
    let mut around = Around::default();
    around.before.op(op::DUP).astore(scratch);
    around.after.aload(scratch).call(translator, hash::TRANSLATOR, pool)?;
    Ok(Some(around))
}

/// A constructor may write its class's own fields before `super()`; the object has no name then.
pub fn is_before_super(inits: &[(u32, Init)], pc: u32) -> bool {
    inits.iter().any(|&(at, on)| on == Init::This && at > pc)
}
