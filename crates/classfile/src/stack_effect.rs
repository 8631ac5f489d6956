//! What each instruction does to the operand stack: the values that it takes and the one that it gives, by its opcode or
//! by the constant that it names. Whoever follows a stack, of values or of what is known about them, asks here, so that
//! there is one place that knows what `lshl` takes and what an `invokeinterface` leaves.

use TypeKind::{Double as D, Float as F, Int as I, Long as J, Reference as L, Void as V};

use crate::code::{Code, Insn};
use crate::constant_pool::{Constant, ConstantPool};
use crate::descriptor::{TypeKind, split};
use crate::opcode as op;
use crate::shuffle::Shuffle;
use crate::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackEffect<'a> {
    /// Takes these values and gives one of this kind, or none: `Void`. The address that `jsr` pushes counts as a
    /// reference, because `astore` takes it.
    Values { takes: Kinds<'a>, gives: TypeKind },
    /// `pop` and `pop2`: takes so many slots, whatever lies there.
    Drops(usize),
    /// `dup` in all its forms, and `swap`.
    Shuffles(Shuffle),
}

impl StackEffect<'_> {
    /// The kind of the value that the instruction pushes; `Void` if it pushes none, or only what was there before.
    pub fn gives(&self) -> TypeKind {
        match self {
            StackEffect::Values { gives, .. } => *gives,
            StackEffect::Drops(_) | StackEffect::Shuffles(_) => V,
        }
    }

    /// Slots that there must be, and slots that are there instead afterwards.
    pub fn slots(&self) -> (usize, usize) {
        match self {
            StackEffect::Values { takes, gives } => (takes.slots(), gives.slots().into()),
            StackEffect::Drops(slots) => (*slots, 0),
            StackEffect::Shuffles(shuffle) => {
                let copied = if shuffle.copies { shuffle.moved } else { 0 };
                (shuffle.slots(), shuffle.slots() + copied)
            }
        }
    }
}

/// Kinds of values that lie on the stack, the deepest first: those that an opcode tells, then those that a descriptor
/// tells. Read from there each time, so that nothing is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds<'a> {
    fixed: &'static [TypeKind],
    /// Field descriptors, one after the other; well-formed.
    described: &'a [u8],
    slots: usize,
}

impl<'a> Kinds<'a> {
    fn field(fixed: &'static [TypeKind], descriptor: &'a [u8]) -> Result<Kinds<'a>> {
        let kind = TypeKind::of(descriptor)?;
        Ok(Kinds { fixed, described: descriptor, slots: slots(fixed) + usize::from(kind.slots()) })
    }

    /// The parameters of a method, and the descriptor of its result.
    fn parameters(fixed: &'static [TypeKind], descriptor: &'a [u8]) -> Result<(Kinds<'a>, &'a [u8])> {
        let described = descriptor.strip_prefix(b"(").ok_or(Error::Descriptor)?;
        let mut slots = slots(fixed);
        let mut rest = described;
        while rest.first() != Some(&b')') {
            let (one, tail) = split(rest)?;
            slots += usize::from(TypeKind::of(one)?.slots());
            rest = tail;
        }
        let described = &described[..described.len() - rest.len()];
        Ok((Kinds { fixed, described, slots }, &rest[1..]))
    }

    fn fixed(fixed: &'static [TypeKind]) -> Kinds<'a> {
        Kinds { fixed, described: &[], slots: slots(fixed) }
    }

    pub fn iter(&self) -> impl Iterator<Item = TypeKind> + use<'a> {
        let mut rest = self.described;
        let described = std::iter::from_fn(move || {
            let (one, tail) = split(rest).ok()?;
            rest = tail;
            TypeKind::of(one).ok()
        });
        self.fixed.iter().copied().chain(described)
    }

    /// Slots that all of them take together.
    pub fn slots(&self) -> usize {
        self.slots
    }
}

fn slots(kinds: &[TypeKind]) -> usize {
    kinds.iter().map(|kind| usize::from(kind.slots())).sum()
}

/// The most dimensions that an array has.
const DIMENSIONS: usize = 255;

impl<'a> Code<'a> {
    /// What an instruction of this code does to the stack; `pool` is its class's. An error if the constant that the
    /// instruction names is none that it can name.
    pub fn stack_effect(&self, insn: Insn, pool: &ConstantPool<'a>) -> Result<StackEffect<'a>> {
        let code = self.operation(insn);
        if let Some((takes, gives)) = by_opcode(code) {
            return Ok(StackEffect::Values { takes: Kinds::fixed(takes), gives });
        }
        if let Some(shuffle) = Shuffle::of(code) {
            return Ok(StackEffect::Shuffles(shuffle));
        }
        let (takes, gives) = match code {
            op::POP => return Ok(StackEffect::Drops(1)),
            op::POP2 => return Ok(StackEffect::Drops(2)),
            op::LDC | op::LDC_W | op::LDC2_W => (Kinds::fixed(&[]), constant(self.constant(insn), pool)?),
            op::GETSTATIC..=op::PUTFIELD => {
                let field = pool.member(self.index(insn))?.descriptor;
                match code {
                    op::GETSTATIC => (Kinds::fixed(&[]), TypeKind::of(field)?),
                    op::GETFIELD => (Kinds::fixed(&[L]), TypeKind::of(field)?),
                    op::PUTSTATIC => (Kinds::field(&[], field)?, V),
                    _ => (Kinds::field(&[L], field)?, V),
                }
            }
            op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => {
                let descriptor = pool.member(self.index(insn))?.descriptor;
                let receiver: &[TypeKind] = if op::has_receiver(code) { &[L] } else { &[] };
                let (takes, result) = Kinds::parameters(receiver, descriptor)?;
                (takes, TypeKind::of(result)?)
            }
            op::MULTIANEWARRAY => {
                let dimensions = self.code.get(insn.pc as usize + 3).copied().unwrap_or(0);
                (Kinds::fixed(&[I; DIMENSIONS][..dimensions.into()]), L)
            }
            _ => return Err(Error::Code(insn.pc, "unknown opcode")),
        };
        Ok(StackEffect::Values { takes, gives })
    }
}

/// What `ldc` pushes.
fn constant(index: u16, pool: &ConstantPool<'_>) -> Result<TypeKind> {
    Ok(match pool.get(index)? {
        Constant::Integer(_) => I,
        Constant::Float(_) => F,
        Constant::Long(_) => J,
        Constant::Double(_) => D,
        Constant::Dynamic { .. } => TypeKind::of(pool.member(index)?.descriptor)?,
        Constant::String { .. }
        | Constant::Class { .. }
        | Constant::MethodHandle { .. }
        | Constant::MethodType { .. } => L,
        _ => return Err(Error::Constant(index, "value")),
    })
}

/// Values taken and given, where the opcode alone tells.
fn by_opcode(code: u8) -> Option<(&'static [TypeKind], TypeKind)> {
    let (takes, gives): (&[TypeKind], TypeKind) = match code {
        op::NOP | op::IINC | op::GOTO | op::GOTO_W | op::RET | op::RETURN => (&[], V),
        op::ICONST_M1..=op::ICONST_5 | op::BIPUSH | op::SIPUSH => (&[], I),
        op::LCONST_0 | op::LCONST_1 => (&[], J),
        op::FCONST_0..=op::FCONST_2 => (&[], F),
        op::DCONST_0 | op::DCONST_1 => (&[], D),
        op::ACONST_NULL | op::NEW | op::JSR | op::JSR_W => (&[], L),
        op::ILOAD | op::ILOAD_0..=op::ILOAD_3 => (&[], I),
        op::LLOAD | op::LLOAD_0..=op::LLOAD_3 => (&[], J),
        op::FLOAD | op::FLOAD_0..=op::FLOAD_3 => (&[], F),
        op::DLOAD | op::DLOAD_0..=op::DLOAD_3 => (&[], D),
        op::ALOAD | op::ALOAD_0..=op::ALOAD_3 => (&[], L),
        op::ISTORE | op::ISTORE_0..=op::ISTORE_3 => (&[I], V),
        op::LSTORE | op::LSTORE_0..=op::LSTORE_3 => (&[J], V),
        op::FSTORE | op::FSTORE_0..=op::FSTORE_3 => (&[F], V),
        op::DSTORE | op::DSTORE_0..=op::DSTORE_3 => (&[D], V),
        op::ASTORE | op::ASTORE_0..=op::ASTORE_3 => (&[L], V),
        op::IALOAD | op::BALOAD | op::CALOAD | op::SALOAD => (&[L, I], I),
        op::LALOAD => (&[L, I], J),
        op::FALOAD => (&[L, I], F),
        op::DALOAD => (&[L, I], D),
        op::AALOAD => (&[L, I], L),
        op::IASTORE | op::BASTORE | op::CASTORE | op::SASTORE => (&[L, I, I], V),
        op::LASTORE => (&[L, I, J], V),
        op::FASTORE => (&[L, I, F], V),
        op::DASTORE => (&[L, I, D], V),
        op::AASTORE => (&[L, I, L], V),
        op::IADD | op::ISUB | op::IMUL | op::IDIV | op::IREM => (&[I, I], I),
        op::LADD | op::LSUB | op::LMUL | op::LDIV | op::LREM => (&[J, J], J),
        op::FADD | op::FSUB | op::FMUL | op::FDIV | op::FREM => (&[F, F], F),
        op::DADD | op::DSUB | op::DMUL | op::DDIV | op::DREM => (&[D, D], D),
        op::ISHL | op::ISHR | op::IUSHR | op::IAND | op::IOR | op::IXOR => (&[I, I], I),
        op::LAND | op::LOR | op::LXOR => (&[J, J], J),
        op::LSHL | op::LSHR | op::LUSHR => (&[J, I], J),
        op::INEG | op::I2B | op::I2C | op::I2S => (&[I], I),
        op::I2L => (&[I], J),
        op::I2F => (&[I], F),
        op::I2D => (&[I], D),
        op::L2I => (&[J], I),
        op::LNEG => (&[J], J),
        op::L2F => (&[J], F),
        op::L2D => (&[J], D),
        op::F2I => (&[F], I),
        op::F2L => (&[F], J),
        op::FNEG => (&[F], F),
        op::F2D => (&[F], D),
        op::D2I => (&[D], I),
        op::D2L => (&[D], J),
        op::D2F => (&[D], F),
        op::DNEG => (&[D], D),
        op::LCMP => (&[J, J], I),
        op::FCMPL | op::FCMPG => (&[F, F], I),
        op::DCMPL | op::DCMPG => (&[D, D], I),
        op::IFEQ..=op::IFLE | op::TABLESWITCH | op::LOOKUPSWITCH => (&[I], V),
        op::IF_ICMPEQ..=op::IF_ICMPLE => (&[I, I], V),
        op::IF_ACMPEQ | op::IF_ACMPNE => (&[L, L], V),
        op::IRETURN => (&[I], V),
        op::LRETURN => (&[J], V),
        op::FRETURN => (&[F], V),
        op::DRETURN => (&[D], V),
        op::ARETURN | op::ATHROW | op::IFNULL | op::IFNONNULL => (&[L], V),
        op::MONITORENTER | op::MONITOREXIT => (&[L], V),
        op::NEWARRAY | op::ANEWARRAY => (&[I], L),
        op::ARRAYLENGTH | op::INSTANCEOF => (&[L], I),
        op::CHECKCAST => (&[L], L),
        _ => return None,
    };
    Some((takes, gives))
}
