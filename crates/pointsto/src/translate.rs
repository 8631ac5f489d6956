//! From bytecode to constraints: values are pushed around an abstract stack until the states at joins are stable (each
//! slot changes at most twice), then one more pass writes down what the instructions do with them. Joins become
//! variables only where something uses them.

mod step;

use classfile::opcode as op;
use classfile::{ConstantPool, ExceptionEntry, Insn, MethodDescriptor, TypeKind};

use crate::body::{Body, Local, NONE, Op, Used};
use crate::code::{Context, MALFORMED, SlotEffect, parse, shape};
use crate::frame::{self, AbstractFrame, AbstractOrigin, AbstractValue, NO_VALUE, States};
use crate::regions::Regions;

/// States larger than this are not worth it: a method made by a tool, or a damaged one.
const MOST_CELLS: usize = 1 << 22;

/// Buffers, used again for each method.
#[derive(Default)]
pub struct Translator {
    insns: Vec<Insn>,
    /// What an instruction's constant says about the stack.
    shapes: Vec<SlotEffect>,
    /// The block that starts at a pc, and the instruction that does.
    block_at: Vec<u32>,
    insn_at: Vec<u32>,
    blocks: Vec<u32>,
    states: States,
    pending: std::collections::BinaryHeap<std::cmp::Reverse<u32>>,
    frame: AbstractFrame,
    /// Variables of values that were asked for: by pc, by block, by cell.
    defined: Vec<Local>,
    caught: Vec<Local>,
    met: Vec<Local>,
    meetings: Vec<(u32, AbstractValue)>,
    asked: Vec<u32>,
    regions: Regions,
    ranges: Vec<bool>,
    returns_to: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub struct Signature<'a> {
    pub is_static: bool,
    pub descriptor: &'a [u8],
}

pub type Translated = Result<(), &'static str>;

const NOWHERE: u32 = u32::MAX;

impl Translator {
    /// `info` is the content of the Code attribute.
    pub fn translate(
        &mut self,
        info: &[u8],
        pool: &ConstantPool<'_>,
        method: Signature<'_>,
        program: bool,
        body: &mut Body,
    ) -> Translated {
        body.clear();
        let code = parse(info).ok_or(MALFORMED)?;
        let cx = Context { code, pool, program };
        self.survey(&cx)?;
        let (locals, stack) = (cx.code.max_locals as usize, cx.code.max_stack as usize);
        if self.blocks.len() * (locals + stack) > MOST_CELLS {
            return Err("its code is too large");
        }
        self.states.reset(self.blocks.len(), locals, stack);
        self.frame.locals.clear();
        self.frame.locals.resize(locals, NO_VALUE);
        self.frame.stack.clear();
        body.locals = self.parameters(method)?;
        self.pending.clear();
        let start = std::mem::take(&mut self.frame.locals);
        self.enter(0, &start, &[])?;
        self.frame.locals = start.clone();
        while let Some(std::cmp::Reverse(block)) = self.pending.pop() {
            while self.pending.peek().is_some_and(|b| b.0 == block) {
                self.pending.pop();
            }
            self.block::<false>(&cx, block, body)?;
        }
        self.write_down(&cx, &start, body)
    }

    /// Puts the parameters into the first locals. How many are references?
    fn parameters(&mut self, method: Signature<'_>) -> Result<u32, &'static str> {
        let d = MethodDescriptor::parse(method.descriptor).map_err(|_| MALFORMED)?;
        let (mut at, mut references) = (0, 0);
        let mut put = |kind: TypeKind| {
            if kind == TypeKind::Reference {
                *self.frame.locals.get_mut(at)? = frame::parameter(references);
                references += 1;
            }
            at += kind.slots() as usize;
            Some(())
        };
        if !method.is_static {
            put(TypeKind::Reference).ok_or(MALFORMED)?;
        }
        for p in d.parameters {
            put(TypeKind::of(p).map_err(|_| MALFORMED)?).ok_or(MALFORMED)?;
        }
        Ok(references)
    }

    /// Instructions, the starts of blocks, and what constants do to the stack.
    fn survey(&mut self, cx: &Context<'_>) -> Translated {
        let len = cx.code.code.len();
        self.insns.clear();
        self.shapes.clear();
        self.blocks.clear();
        self.returns_to.clear();
        for list in [&mut self.block_at, &mut self.insn_at] {
            list.clear();
            list.resize(len + 1, NOWHERE);
        }
        self.block_at[0] = 0;
        for insn in cx.code.insns() {
            let insn = insn.map_err(|_| MALFORMED)?;
            self.insn_at[insn.pc as usize] = self.insns.len() as u32;
            self.insns.push(insn);
            let (shape, jumps) = (shape(cx, insn)?, op::is_short_jump(insn.op) || op::is_wide_jump(insn.op));
            self.shapes.push(shape);
            if jumps {
                let target = cx.code.jump_target(insn).map_err(|_| MALFORMED)?;
                self.block_at[target as usize] = 0;
                if matches!(insn.op, op::JSR | op::JSR_W) {
                    self.block_at[(insn.pc + insn.len) as usize] = 0;
                    self.returns_to.push(insn.pc + insn.len);
                }
            } else if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
                let switch = cx.code.switch(insn).map_err(|_| MALFORMED)?;
                self.block_at[switch.default as usize] = 0;
                for (_, target) in switch.cases {
                    self.block_at[target as usize] = 0;
                }
            }
        }
        self.ranges.clear();
        self.ranges.resize(len, false);
        for e in &cx.code.exceptions {
            *self.block_at.get_mut(e.handler as usize).ok_or(MALFORMED)? = 0;
            if let Some(starts) = self.ranges.get_mut(e.start as usize) {
                *starts = true;
            }
        }
        for pc in 0..len {
            if self.block_at[pc] != NOWHERE {
                if self.insn_at[pc] == NOWHERE {
                    return Err(MALFORMED);
                }
                self.block_at[pc] = self.blocks.len() as u32;
                self.blocks.push(pc as u32);
            }
        }
        if self.block_at[len] != NOWHERE {
            return Err(MALFORMED);
        }
        Ok(())
    }

    fn enter(&mut self, block: u32, locals: &[AbstractValue], stack: &[AbstractValue]) -> Translated {
        if self.states.flow(block, locals, stack).ok_or(MALFORMED)? {
            self.pending.push(std::cmp::Reverse(block));
        }
        Ok(())
    }

    /// Control goes on at a pc.
    fn go<const WRITE: bool>(&mut self, pc: u32) -> Translated {
        let block = *self.block_at.get(pc as usize).ok_or(MALFORMED)?;
        if block == NOWHERE {
            return Err(MALFORMED);
        }
        let frame = std::mem::take(&mut self.frame);
        let went = self.flow::<WRITE>(block, &frame.locals, &frame.stack);
        self.frame = frame;
        went
    }

    fn flow<const WRITE: bool>(
        &mut self,
        block: u32,
        locals: &[AbstractValue],
        stack: &[AbstractValue],
    ) -> Translated {
        if WRITE {
            let meetings = &mut self.meetings;
            self.states.meetings(block, locals, stack, |at, v| meetings.push((at, v)));
            Ok(())
        } else {
            self.enter(block, locals, stack)
        }
    }

    /// The locals reach the handlers around an instruction.
    fn handlers<const WRITE: bool>(&mut self, exceptions: &[ExceptionEntry], pc: u32) -> Translated {
        let locals = std::mem::take(&mut self.frame.locals);
        let mut went = Ok(());
        for e in exceptions {
            if e.start as u32 <= pc && pc < e.end as u32 {
                let block = self.block_at[e.handler as usize];
                went = went.and(self.flow::<WRITE>(block, &locals, &[frame::caught(block)]));
            }
        }
        self.frame.locals = locals;
        went
    }

    /// Follows a block to its end.
    fn block<const WRITE: bool>(&mut self, cx: &Context<'_>, block: u32, body: &mut Body) -> Translated {
        let mut frame = std::mem::take(&mut self.frame);
        self.states.load(block, &mut frame);
        self.frame = frame;
        let mut at = self.insn_at[self.blocks[block as usize] as usize] as usize;
        let mut changed = true;
        loop {
            let insn = *self.insns.get(at).ok_or(MALFORMED)?;
            if !cx.code.exceptions.is_empty() && (changed || self.ranges[insn.pc as usize]) {
                self.handlers::<WRITE>(&cx.code.exceptions, insn.pc)?;
            }
            changed = matches!(insn.op, op::ISTORE..=op::ASTORE_3 | op::WIDE);
            self.step::<WRITE>(cx, at, insn, body)?;
            if self.frame.stack.len() > cx.code.max_stack as usize {
                return Err(MALFORMED);
            }
            let next = insn.pc + insn.len;
            if op::is_short_jump(insn.op) || op::is_wide_jump(insn.op) {
                self.go::<WRITE>(cx.code.jump_target(insn).map_err(|_| MALFORMED)?)?;
            } else if matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH) {
                let switch = cx.code.switch(insn).map_err(|_| MALFORMED)?;
                self.go::<WRITE>(switch.default)?;
                for (_, target) in switch.cases {
                    self.go::<WRITE>(target)?;
                }
            } else if insn.op == op::RET
                || insn.op == op::WIDE && cx.code.code[insn.pc as usize + 1] == op::RET
            {
                // Any subroutine may be the one that ends.
                for i in 0..self.returns_to.len() {
                    self.go::<WRITE>(self.returns_to[i])?;
                }
                return Ok(());
            }
            if op::ends_block(insn.op) {
                return Ok(());
            }
            if *self.block_at.get(next as usize).ok_or(MALFORMED)? != NOWHERE {
                return self.go::<WRITE>(next);
            }
            at += 1;
        }
    }

    /// The pass over the stable states.
    fn write_down(&mut self, cx: &Context<'_>, start: &[AbstractValue], body: &mut Body) -> Translated {
        for (list, len) in [
            (&mut self.defined, cx.code.code.len()),
            (&mut self.caught, self.blocks.len()),
            (&mut self.met, self.states.cells.len()),
        ] {
            list.clear();
            list.resize(len, NONE);
        }
        self.meetings.clear();
        self.asked.clear();
        self.regions.reset(&cx.code, cx.pool);
        // A loop may lead back to the first instruction: there the parameters meet what the loop brings.
        self.flow::<true>(0, start, &[])?;
        for block in 0..self.blocks.len() as u32 {
            if self.states.is_reached(block) {
                self.block::<true>(cx, block, body)?;
            }
        }
        self.joins(body);
        self.settle(body);
        Ok(())
    }

    /// Joins that are used take what meets there.
    fn joins(&mut self, body: &mut Body) {
        let mut meetings = std::mem::take(&mut self.meetings);
        meetings.sort_unstable();
        meetings.dedup();
        while let Some(at) = self.asked.pop() {
            let first = meetings.partition_point(|m| m.0 < at);
            for &(_, value) in meetings[first..].iter().take_while(|m| m.0 == at) {
                let from = self.variable(value, body);
                body.ops.push(Op::Copy { from, to: self.met[at as usize] });
            }
        }
        self.meetings = meetings;
    }

    /// Results get their variables, now that it is known which are used; exceptions get their ways.
    fn settle(&mut self, body: &mut Body) {
        let (blocks, caught) = (&self.block_at, &self.caught);
        self.regions.settle(body, |handler| caught[blocks[handler as usize] as usize]);
        let defined = &self.defined;
        let settled = |value: &mut Local| {
            if let AbstractOrigin::Defined(pc) = frame::origin(*value) {
                *value = defined[pc as usize];
            }
        };
        let regions = &self.regions;
        body.ops.retain_mut(|o| match o {
            Op::New { to, .. }
            | Op::NewPrimitives { to, .. }
            | Op::NewArray { to, .. }
            | Op::NewArrays { to, .. } => {
                settled(to);
                true
            }
            Op::LoadStatic { to, .. } => {
                settled(to);
                true
            }
            Op::Constant { to, .. } | Op::Load { to, .. } | Op::LoadElement { to, .. } => {
                settled(to);
                *to != NONE
            }
            Op::Call { to, thrown, .. } => {
                settled(to);
                *thrown = regions.target(*thrown);
                true
            }
            _ => true,
        });
        // What `settle` of the regions could not know: casts of values that nobody uses.
        body.types.retain_mut(|(value, _)| {
            settled(value);
            *value != NONE
        });
    }

    /// The variable of a value that is used.
    fn variable(&mut self, value: AbstractValue, body: &mut Body) -> Local {
        let slot = match frame::origin(value) {
            AbstractOrigin::None => return NONE,
            AbstractOrigin::Parameter(n) => return n,
            AbstractOrigin::Defined(pc) => &mut self.defined[pc as usize],
            AbstractOrigin::Caught(block) => &mut self.caught[block as usize],
            AbstractOrigin::Met(at) => {
                let slot = &mut self.met[at as usize];
                if *slot == NONE {
                    self.asked.push(at);
                }
                slot
            }
        };
        if *slot == NONE {
            *slot = body.locals;
            body.locals += 1;
        }
        *slot
    }

    fn used(
        &mut self,
        cx: &Context<'_>,
        insn: Insn,
        operand: u8,
        value: AbstractValue,
        written: bool,
        body: &mut Body,
    ) {
        if value != NO_VALUE && (cx.program || written) {
            let local = self.variable(value, body);
            body.used.push(Used { bci: insn.pc as u16, operand, written, local });
        }
    }
}
