//! Insert-only rewriting: new instructions go between the old ones, everything that names a place in the code
//! moves with it, and no frame has to be computed.
//!
//! Between two instructions X and Y there are two kinds of inserted code: *after X* runs only when X falls
//! through, *before Y* runs also when something jumps to Y. A jump to Y lands at the start of *before Y*. Inserted
//! code must leave the operand stack as it found it.

use crate::bytes::{Cursor, put_u2, put_u4};
use crate::class::{ClassFile, Exchange, Member};
use crate::code::{Code, Insn};
use crate::constant_pool::PoolBuilder;
use crate::opcode as op;
use crate::stack_map::{self, StackMapFrame, VerificationType};
use crate::{Error, Result};

/// What to insert into one method.
#[derive(Debug, Clone, Default)]
pub struct CodeEdit {
    /// Runs once at method entry; jumps to the first instruction do not pass it.
    pub entry: Vec<u8>,
    /// Offsets inside `entry` that are jumped to; each gets a frame with the method's initial locals.
    pub entry_frames: Vec<u32>,
    /// The same behind what sets the extra locals: each gets a frame with these too. Not the end of `entry`, which may have one.
    pub entry_joins: Vec<u32>,
    /// By ascending pc.
    pub before: Vec<(u32, Vec<u8>)>,
    /// By ascending pc.
    pub after: Vec<(u32, Vec<u8>)>,
    /// Code to run when an exception reaches a handler: (handler pc, code). The exception is on the stack.
    pub handlers: Vec<(u16, Vec<u8>)>,
    /// In any order; their ranges do not overlap.
    pub catch_all: Vec<CatchAll>,
    /// Locals that the entry code sets, above the method's own.
    pub extra_locals: Vec<VerificationType>,
    /// Slots above the extra locals that inserted code may use between two instructions.
    pub scratch: u16,
    pub extra_stack: u16,
}

/// A handler for every exception that would leave a part of the method.
#[derive(Debug, Clone)]
pub struct CatchAll {
    pub covers: Covers,
    /// Runs with the exception on the stack, and must end by throwing.
    pub code: Vec<u8>,
}

/// The part of a method that a [`CatchAll`] is for.
#[derive(Debug, Clone, Copy)]
pub enum Covers {
    /// From this offset in the entry code to the end.
    FromEntry(u32),
    /// Of a constructor, from this offset in the entry code up to the `super()` or `this()` at this pc. The first local
    /// holds the object all the time, which is not made yet. No handler may cover the call itself: the verifier would
    /// have it take the object as it is before and after.
    Unmade(u32, u32),
    /// Of a constructor, what comes behind the instruction at this pc.
    Behind(u32),
}

/// Old places in the code to new ones.
struct Layout {
    /// Start of the code inserted before the instruction: where jumps to it land. One more for the end.
    target: Vec<u32>,
    /// The instruction itself.
    own: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// Makes the content of the method's new Code attribute.
pub fn rewrite_code(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &Code<'_>,
    edit: &CodeEdit,
    pool: &mut PoolBuilder,
) -> Result<Vec<u8>> {
    let insns = code.insns().collect::<Result<Vec<_>>>()?;
    let (layout, end) = lay_out(code, &insns, edit);
    if end > 65535 {
        return Err(Error::TooLarge("code"));
    }
    let mut out = emit(code, &insns, edit, &layout)?;
    debug_assert_eq!(out.len() as u32, end);

    // Only classes from version 50 on have frames; in version 50 they may be missing.
    let frames = Frames::read(class, method, code, edit, pool)?;
    let mut new_frames = frames.moved(code, edit, &layout)?;

    let mut trampolines = Vec::with_capacity(edit.handlers.len());
    for (handler, bytes) in &edit.handlers {
        let at = out.len() as u32;
        trampolines.push((*handler, at));
        new_frames.extend(frames.at_handler(*handler as u32, at, code, edit, &layout)?);
        out.extend_from_slice(bytes);
        let jump_at = out.len() as u32;
        let target = layout.target.get(*handler as usize).copied().filter(|&target| target != NOWHERE);
        let target = target.ok_or(Error::Code(*handler as u32, "no instruction here"))?;
        out.push(op::GOTO);
        put_u2(&mut out, short_offset(jump_at, target)?);
    }
    let mut table = Vec::with_capacity(code.exceptions.len() + 1);
    for e in &code.exceptions {
        let place = |pc: u16| layout.target.get(pc as usize).copied().filter(|&p| p != NOWHERE);
        let (Some(start), Some(stop), Some(old)) = (place(e.start), place(e.end), place(e.handler)) else {
            return Err(Error::Code(e.start as u32, "exception table entry inside an instruction"));
        };
        let handler = trampolines.iter().find(|(h, _)| *h == e.handler).map_or(old, |(_, at)| *at);
        table.push((start, stop, handler, e.catch_type));
    }
    for catch_all in &edit.catch_all {
        let behind = |pc: u32| {
            let insn = insns.iter().find(|i| i.pc == pc).ok_or(Error::Code(pc, "no instruction here"))?;
            Ok(layout.own[pc as usize] + insn.len)
        };
        let mut locals = Vec::new();
        let (start, stop) = match catch_all.covers {
            Covers::FromEntry(offset) => (offset, end),
            Covers::Unmade(offset, pc) => {
                locals.push(VerificationType::UninitializedThis);
                (offset, layout.own[pc as usize])
            }
            Covers::Behind(pc) => (behind(pc)?, end),
        };
        if start < stop {
            let at = out.len() as u32;
            table.push((start, stop, at, 0));
            let throwable = VerificationType::Object(pool.class(b"java/lang/Throwable")?);
            stack_map::extend_locals(&mut locals, code.max_locals, &edit.extra_locals);
            new_frames.push(StackMapFrame { pc: at, locals, stack: vec![throwable] });
            out.extend_from_slice(&catch_all.code);
        }
    }
    if out.len() > 65535 {
        return Err(Error::TooLarge("code"));
    }

    let mut info = Vec::with_capacity(out.len() + 256);
    put_u2(&mut info, code.max_stack.checked_add(edit.extra_stack).ok_or(Error::TooLarge("stack"))?);
    let extra = edit.extra_locals.len() as u16 + edit.scratch;
    put_u2(&mut info, code.max_locals.checked_add(extra).ok_or(Error::TooLarge("locals"))?);
    put_u4(&mut info, out.len() as u32);
    info.extend_from_slice(&out);
    put_u2(&mut info, u16::try_from(table.len()).map_err(|_| Error::TooLarge("exception table"))?);
    for (start, stop, handler, catch_type) in table {
        for v in [start, stop, handler] {
            put_u2(&mut info, v as u16);
        }
        put_u2(&mut info, catch_type);
    }
    put_attributes(&mut info, code, &layout, class.major, new_frames, pool)?;
    Ok(info)
}

fn lay_out(code: &Code<'_>, insns: &[Insn], edit: &CodeEdit) -> (Layout, u32) {
    let n = code.code.len();
    let mut layout = Layout { target: vec![NOWHERE; n + 1], own: vec![NOWHERE; n + 1] };
    let mut pos = edit.entry.len() as u32;
    let (mut before, mut after) = (edit.before.iter().peekable(), edit.after.iter().peekable());
    for insn in insns {
        layout.target[insn.pc as usize] = pos;
        while let Some((_, bytes)) = before.next_if(|(pc, _)| *pc == insn.pc) {
            pos += bytes.len() as u32;
        }
        layout.own[insn.pc as usize] = pos;
        pos += if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
            let words = insn.len - padding(insn.pc);
            words + padding(pos)
        } else {
            insn.len
        };
        while let Some((_, bytes)) = after.next_if(|(pc, _)| *pc == insn.pc) {
            pos += bytes.len() as u32;
        }
    }
    layout.target[n] = pos;
    layout.own[n] = pos;
    (layout, pos)
}

/// Bytes between a switch's opcode and its operands.
fn padding(pc: u32) -> u32 {
    3 - (pc & 3)
}

fn emit(code: &Code<'_>, insns: &[Insn], edit: &CodeEdit, layout: &Layout) -> Result<Vec<u8>> {
    let mut out = edit.entry.clone();
    let (mut before, mut after) = (edit.before.iter().peekable(), edit.after.iter().peekable());
    for &insn in insns {
        let old = &code.code[insn.pc as usize..(insn.pc + insn.len) as usize];
        while let Some((_, bytes)) = before.next_if(|(pc, _)| *pc == insn.pc) {
            out.extend_from_slice(bytes);
        }
        let pos = out.len() as u32;
        let moved = |target: u32| match layout.target[target as usize] {
            NOWHERE => Err(Error::Code(insn.pc, "jump into an instruction")),
            place => Ok(place),
        };
        if op::is_short_jump(insn.op) {
            out.push(insn.op);
            put_u2(&mut out, short_offset(pos, moved(code.jump_target(insn)?)?)?);
        } else if op::is_wide_jump(insn.op) {
            out.push(insn.op);
            put_u4(&mut out, moved(code.jump_target(insn)?)?.wrapping_sub(pos));
        } else if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
            let switch = code.switch(insn)?;
            out.push(insn.op);
            out.extend(std::iter::repeat_n(0, padding(pos) as usize));
            put_u4(&mut out, moved(switch.default)?.wrapping_sub(pos));
            if insn.op == op::TABLESWITCH {
                // low and high stand after the old padding and default
                let at = 1 + padding(insn.pc) as usize + 4;
                out.extend_from_slice(&old[at..at + 8]);
            } else {
                put_u4(&mut out, switch.cases.len() as u32);
            }
            for (key, target) in switch.cases {
                if insn.op == op::LOOKUPSWITCH {
                    put_u4(&mut out, key as u32);
                }
                put_u4(&mut out, moved(target)?.wrapping_sub(pos));
            }
        } else {
            out.extend_from_slice(old);
        }
        while let Some((_, bytes)) = after.next_if(|(pc, _)| *pc == insn.pc) {
            out.extend_from_slice(bytes);
        }
    }
    Ok(out)
}

fn short_offset(from: u32, to: u32) -> Result<u16> {
    i16::try_from(to as i64 - from as i64).map(|o| o as u16).map_err(|_| Error::TooLarge("jump distance"))
}

/// The method's frames, and whether the class has frames at all.
struct Frames {
    used: bool,
    initial: Vec<VerificationType>,
    frames: Vec<StackMapFrame>,
}

impl Frames {
    fn read(
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &Code<'_>,
        edit: &CodeEdit,
        pool: &mut PoolBuilder,
    ) -> Result<Self> {
        if class.major < 50 {
            return Ok(Frames { used: false, initial: vec![], frames: vec![] });
        }
        let table = code.attribute("StackMapTable");
        if table.is_none() && edit.entry_frames.is_empty() && edit.entry_joins.is_empty() {
            return Ok(Frames { used: true, initial: vec![], frames: vec![] });
        }
        let initial = stack_map::initial_locals(class, method, |name| pool.class(name))?;
        let frames = match table {
            Some(a) => stack_map::parse(a.info, initial.clone())?,
            None => vec![],
        };
        Ok(Frames { used: true, initial, frames })
    }

    /// All frames at their new places, with the extra locals; by ascending pc.
    fn moved(&self, code: &Code<'_>, edit: &CodeEdit, layout: &Layout) -> Result<Vec<StackMapFrame>> {
        if !self.used {
            return Ok(vec![]);
        }
        let mut list: Vec<StackMapFrame> = edit
            .entry_frames
            .iter()
            .map(|&pc| StackMapFrame { pc, locals: self.initial.clone(), stack: vec![] })
            .collect();
        for &pc in &edit.entry_joins {
            let mut locals = self.initial.clone();
            stack_map::extend_locals(&mut locals, code.max_locals, &edit.extra_locals);
            list.push(StackMapFrame { pc, locals, stack: vec![] });
        }
        for frame in &self.frames {
            let at = layout.target.get(frame.pc as usize).copied().filter(|&p| p != NOWHERE);
            list.push(move_frame(
                frame,
                at.ok_or(Error::StackMap("frame inside an instruction"))?,
                code,
                edit,
                layout,
            )?);
        }
        Ok(list)
    }

    /// The handler's frame again, for the code that runs before it.
    fn at_handler(
        &self,
        handler: u32,
        at: u32,
        code: &Code<'_>,
        edit: &CodeEdit,
        layout: &Layout,
    ) -> Result<Option<StackMapFrame>> {
        match self.frames.iter().find(|f| f.pc == handler) {
            Some(frame) => move_frame(frame, at, code, edit, layout).map(Some),
            None => Ok(None),
        }
    }
}

fn move_frame(
    frame: &StackMapFrame,
    at: u32,
    code: &Code<'_>,
    edit: &CodeEdit,
    layout: &Layout,
) -> Result<StackMapFrame> {
    let moved = |t: &VerificationType| match *t {
        VerificationType::Uninitialized(pc) => match layout.own.get(pc as usize) {
            Some(&p) if p != NOWHERE => Ok(VerificationType::Uninitialized(p as u16)),
            _ => Err(Error::StackMap("uninitialized type without its new")),
        },
        other => Ok(other),
    };
    let mut locals = frame.locals.iter().map(moved).collect::<Result<Vec<_>>>()?;
    stack_map::extend_locals(&mut locals, code.max_locals, &edit.extra_locals);
    Ok(StackMapFrame { pc: at, locals, stack: frame.stack.iter().map(moved).collect::<Result<_>>()? })
}

/// Moves the attributes of the code. Type annotations inside code name places too, but nothing reads them at run
/// time: they are left out.
fn put_attributes(
    info: &mut Vec<u8>,
    code: &Code<'_>,
    layout: &Layout,
    major: u16,
    frames: Vec<StackMapFrame>,
    pool: &mut PoolBuilder,
) -> Result<()> {
    let mut list: Vec<(u16, Vec<u8>)> = Vec::new();
    if major >= 50 && !frames.is_empty() {
        list.push((pool.utf8(b"StackMapTable")?, stack_map::encode(&frames)?));
    }
    for a in &code.attributes {
        let content = match a.name {
            b"LineNumberTable" => move_lines(a.info, layout)?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => move_ranges(a.info, layout)?,
            b"StackMapTable" | b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                continue;
            }
            _ => a.info.to_vec(),
        };
        list.push((pool.utf8(a.name)?, content));
    }
    put_u2(info, list.len() as u16);
    for (name, content) in list {
        put_u2(info, name);
        put_u4(info, content.len() as u32);
        info.extend_from_slice(&content);
    }
    Ok(())
}

fn move_lines(table: &[u8], layout: &Layout) -> Result<Vec<u8>> {
    let mut c = Cursor::new(table, "a LineNumberTable");
    let count = c.u2()?;
    let mut out = Vec::with_capacity(table.len());
    put_u2(&mut out, count);
    for _ in 0..count {
        let (pc, line) = (c.u2()?, c.u2()?);
        put_u2(&mut out, place(layout, pc as u32));
        put_u2(&mut out, line);
    }
    Ok(out)
}

fn move_ranges(table: &[u8], layout: &Layout) -> Result<Vec<u8>> {
    let mut c = Cursor::new(table, "a LocalVariableTable");
    let count = c.u2()?;
    let mut out = Vec::with_capacity(table.len());
    put_u2(&mut out, count);
    for _ in 0..count {
        let (start, len) = (c.u2()? as u32, c.u2()? as u32);
        let (new_start, new_end) = (place(layout, start), place(layout, start + len));
        put_u2(&mut out, new_start);
        put_u2(&mut out, new_end.saturating_sub(new_start));
        out.extend_from_slice(c.take(6)?);
    }
    Ok(out)
}

/// Debug tables may be sloppy: a place inside an instruction moves to the next one that exists.
fn place(layout: &Layout, pc: u32) -> u16 {
    let rest = layout.target.get(pc as usize..).unwrap_or(&[]);
    rest.iter().find(|&&p| p != NOWHERE).or(layout.target.last()).map_or(0, |&p| p as u16)
}

/// Puts a class together: the old bytes, with new constants, new Code attributes (by method index, ascending) and some
/// indices exchanged.
pub fn write_class(
    class: &ClassFile<'_>,
    pool: &mut PoolBuilder,
    codes: &[(usize, Vec<u8>)],
    exchanges: &[Exchange],
) -> Result<Vec<u8>> {
    let code_name = if codes.is_empty() { 0 } else { pool.utf8(b"Code")? };
    let old = class.bytes;
    let grown: usize = codes.iter().map(|(_, c)| c.len()).sum();
    let mut out = Vec::with_capacity(old.len() + grown + 1024);
    out.extend_from_slice(&old[..8]);
    let unchanged = codes.is_empty() && exchanges.is_empty();
    let (count, added) = if unchanged { (class.pool.len() as u16, &[][..]) } else { pool.finish() };
    put_u2(&mut out, count);
    out.extend_from_slice(&old[10..class.pool_end]);
    out.extend_from_slice(added);
    out.extend_from_slice(&old[class.pool_end..class.methods_at]);
    let mut copied = class.methods_at;
    for (index, code) in codes {
        let method = class.methods.get(*index).ok_or(Error::Truncated("the methods"))?;
        let attribute = method.attribute("Code").ok_or(Error::Truncated("the methods"))?;
        debug_assert!(method.start >= copied && attribute.start < method.end);
        out.extend_from_slice(&old[copied..attribute.start]);
        put_u2(&mut out, code_name);
        put_u4(&mut out, code.len() as u32);
        out.extend_from_slice(code);
        copied = attribute.start + 6 + attribute.info.len();
    }
    out.extend_from_slice(&old[copied..class.methods_end]);
    out.extend_from_slice(&old[class.methods_end..]);
    for exchange in exchanges {
        debug_assert!(exchange.at >= class.methods_end);
        let at = out.len() - (old.len() - exchange.at);
        out[at..at + 2].copy_from_slice(&exchange.constant.to_be_bytes());
    }
    Ok(out)
}
