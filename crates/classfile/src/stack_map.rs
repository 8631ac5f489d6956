//! StackMapTable frames, expanded to full frames so that locals can be added to every one of them.

use crate::bytes::{Cursor, put_u2};
use crate::class::{ClassFile, Member, access};
use crate::code::Code;
use crate::constant_pool::PoolBuilder;
use crate::descriptor::{MethodDescriptor, TypeKind};
use crate::{Error, Result};

/// A verification type; class constants and the pc of a `new` refer to the original class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationType {
    Top,
    Integer,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    Object(u16),
    Uninitialized(u16),
}

impl VerificationType {
    fn slots(self) -> usize {
        if matches!(self, VerificationType::Double | VerificationType::Long) { 2 } else { 1 }
    }
}

/// A full frame: the types of locals (long and double once) and operand stack at `pc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackMapFrame {
    pub pc: u32,
    pub locals: Vec<VerificationType>,
    pub stack: Vec<VerificationType>,
}

/// What a method's StackMapTable says; nothing if it has none. Classes that its descriptor names become constants of
/// `pool`.
pub fn frames(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &Code<'_>,
    pool: &mut PoolBuilder,
) -> Result<Vec<StackMapFrame>> {
    let Some(table) = code.attribute("StackMapTable") else { return Ok(vec![]) };
    parse(table.info, initial_locals(class, method, |name| pool.class(name))?)
}

/// The locals at method entry. Class types need constants, so the caller resolves names to constant indices.
pub(crate) fn initial_locals(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    mut class_constant: impl FnMut(&[u8]) -> Result<u16>,
) -> Result<Vec<VerificationType>> {
    let mut locals = Vec::new();
    if !method.is(access::STATIC) {
        locals.push(if method.name == b"<init>" && class.super_class != 0 {
            VerificationType::UninitializedThis
        } else {
            VerificationType::Object(class.this_class)
        });
    }
    for parameter in MethodDescriptor::parse(method.descriptor)?.parameters {
        locals.push(match TypeKind::of(parameter)? {
            TypeKind::Int => VerificationType::Integer,
            TypeKind::Long => VerificationType::Long,
            TypeKind::Float => VerificationType::Float,
            TypeKind::Double => VerificationType::Double,
            TypeKind::Void => return Err(Error::Descriptor),
            TypeKind::Reference => {
                let name = match parameter {
                    [b'L', name @ .., b';'] => name,
                    array => array,
                };
                VerificationType::Object(class_constant(name)?)
            }
        });
    }
    Ok(locals)
}

/// Expands a StackMapTable attribute into full frames.
pub(crate) fn parse(info: &[u8], initial: Vec<VerificationType>) -> Result<Vec<StackMapFrame>> {
    let mut c = Cursor::new(info, "a StackMapTable");
    let count = c.u2()?;
    let mut frames: Vec<StackMapFrame> = Vec::with_capacity(count as usize);
    let mut locals = initial;
    let mut next = 0u32;
    for _ in 0..count {
        let kind = c.u1()?;
        let (delta, stack) = match kind {
            0..=63 => (kind as u32, vec![]),
            64..=127 => (kind as u32 - 64, vec![verification_type(&mut c)?]),
            247 => (c.u2()? as u32, vec![verification_type(&mut c)?]),
            248..=250 => {
                let delta = c.u2()? as u32;
                let keep = locals.len().checked_sub(251 - kind as usize);
                locals.truncate(keep.ok_or(Error::StackMap("chops more locals than there are"))?);
                (delta, vec![])
            }
            251 => (c.u2()? as u32, vec![]),
            252..=254 => {
                let delta = c.u2()? as u32;
                for _ in 251..kind {
                    locals.push(verification_type(&mut c)?);
                }
                (delta, vec![])
            }
            255 => {
                let delta = c.u2()? as u32;
                let n = c.u2()?;
                locals = (0..n).map(|_| verification_type(&mut c)).collect::<Result<_>>()?;
                let n = c.u2()?;
                (delta, (0..n).map(|_| verification_type(&mut c)).collect::<Result<_>>()?)
            }
            _ => return Err(Error::StackMap("unknown kind of frame")),
        };
        let pc = next + delta;
        next = pc + 1;
        frames.push(StackMapFrame { pc, locals: locals.clone(), stack });
    }
    if !c.at_end() {
        return Err(Error::StackMap("bytes follow the last frame"));
    }
    Ok(frames)
}

fn verification_type(c: &mut Cursor<'_>) -> Result<VerificationType> {
    Ok(match c.u1()? {
        0 => VerificationType::Top,
        1 => VerificationType::Integer,
        2 => VerificationType::Float,
        3 => VerificationType::Double,
        4 => VerificationType::Long,
        5 => VerificationType::Null,
        6 => VerificationType::UninitializedThis,
        7 => VerificationType::Object(c.u2()?),
        8 => VerificationType::Uninitialized(c.u2()?),
        _ => return Err(Error::StackMap("unknown verification type")),
    })
}

/// Pads `locals` with Top to `max_locals` slots and appends `extra`.
pub(crate) fn extend_locals(locals: &mut Vec<VerificationType>, max_locals: u16, extra: &[VerificationType]) {
    if extra.is_empty() {
        return;
    }
    let used: usize = locals.iter().map(|t| t.slots()).sum();
    locals.extend(std::iter::repeat_n(VerificationType::Top, (max_locals as usize).saturating_sub(used)));
    locals.extend_from_slice(extra);
}

/// Writes frames (sorted by pc, all pcs distinct) as the content of a StackMapTable.
pub(crate) fn encode(frames: &[StackMapFrame]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(frames.len() * 24);
    put_u2(&mut out, u16::try_from(frames.len()).map_err(|_| Error::TooLarge("stack map frames"))?);
    let mut next = 0u32;
    for frame in frames {
        let delta = frame.pc.checked_sub(next).ok_or(Error::StackMap("two frames at one place"))?;
        next = frame.pc + 1;
        out.push(255);
        put_u2(&mut out, u16::try_from(delta).map_err(|_| Error::TooLarge("code"))?);
        for list in [&frame.locals, &frame.stack] {
            put_u2(&mut out, u16::try_from(list.len()).map_err(|_| Error::TooLarge("locals"))?);
            for t in list {
                match *t {
                    VerificationType::Top => out.push(0),
                    VerificationType::Integer => out.push(1),
                    VerificationType::Float => out.push(2),
                    VerificationType::Double => out.push(3),
                    VerificationType::Long => out.push(4),
                    VerificationType::Null => out.push(5),
                    VerificationType::UninitializedThis => out.push(6),
                    VerificationType::Object(class) => {
                        out.push(7);
                        put_u2(&mut out, class);
                    }
                    VerificationType::Uninitialized(pc) => {
                        out.push(8);
                        put_u2(&mut out, pc);
                    }
                }
            }
        }
    }
    Ok(out)
}
