//! What each instruction does to the frame, and with references.

use classfile::opcode as op;
use classfile::{Insn, Shuffle, StackEffect, TypeKind};

use super::{NOWHERE, Translated, Translator};
use crate::body::{Body, NONE, Op, Returns};
use crate::code::{Context, MALFORMED, SlotEffect};
use crate::frame::{self, AbstractOrigin, AbstractValue, NO_VALUE};

impl Translator {
    /// What one instruction does to the frame, and if it is to be written down, to references.
    pub(super) fn step<const WRITE: bool>(
        &mut self,
        cx: &Context<'_>,
        at: usize,
        insn: Insn,
        body: &mut Body,
    ) -> Translated {
        if let Some(shuffle) = Shuffle::of(insn.op) {
            return shuffle.apply(&mut self.frame.stack).ok_or(MALFORMED);
        }
        let SlotEffect { takes, gives } = self.shapes[at];
        let first = self.frame.stack.len().checked_sub(takes.into()).ok_or(MALFORMED)?;
        let operands = &self.frame.stack[first..];
        let bottom = operands.first().copied().unwrap_or(NO_VALUE);
        let top = operands.last().copied().unwrap_or(NO_VALUE);
        let code = cx.code.operation(insn);
        let result = match code {
            op::ALOAD | op::ALOAD_0..=op::ALOAD_3 => {
                let slot = cx.code.slot(insn).ok_or(MALFORMED)?;
                *self.frame.locals.get(usize::from(slot)).ok_or(MALFORMED)?
            }
            op::ISTORE..=op::ASTORE_3 => {
                let slot = usize::from(cx.code.slot(insn).ok_or(MALFORMED)?);
                let locals = self.frame.locals.get_mut(slot..slot + operands.len()).ok_or(MALFORMED)?;
                locals.copy_from_slice(operands);
                NO_VALUE
            }
            op::CHECKCAST if bottom == NO_VALUE || self.is_cast_at_once(cx, at, insn, bottom) => bottom,
            // Neither null nor the address of an instruction is an object.
            op::ACONST_NULL | op::JSR | op::JSR_W => NO_VALUE,
            _ => frame::defined(insn.pc),
        };
        if WRITE {
            if op::is_invoke(code) {
                self.call(cx, insn, first, gives, body)?;
            } else {
                self.write(cx, at, insn, gives, (bottom, top), body)?;
            }
        }
        self.frame.stack.truncate(first);
        self.frame.push(gives, result);
        Ok(())
    }

    /// A result that is cast at once has no other use: the cast is its type. The program's own operands stay as they are
    /// before the cast, since they can be asked for.
    fn is_cast_at_once(&self, cx: &Context<'_>, at: usize, insn: Insn, value: AbstractValue) -> bool {
        !cx.program
            && at > 0
            && self.block_at[insn.pc as usize] == NOWHERE
            && value == frame::defined(self.insns[at - 1].pc)
    }

    /// Writes down what an instruction that is no call does with references: `bottom` is the deepest of its operands,
    /// `top` the upper slot of the topmost.
    fn write(
        &mut self,
        cx: &Context<'_>,
        at: usize,
        insn: Insn,
        gives: TypeKind,
        (bottom, top): (AbstractValue, AbstractValue),
        body: &mut Body,
    ) -> Translated {
        let bci = insn.pc as u16;
        let to = frame::defined(insn.pc);
        let index = || cx.code.constant(insn);
        let byte = |at: u32| cx.code.code[(insn.pc + at) as usize];
        match insn.op {
            op::LDC | op::LDC_W | op::LDC2_W if gives == TypeKind::Reference => {
                body.ops.push(Op::Constant { to, index: index() });
            }
            op::NEW => body.ops.push(Op::New { to, class: index(), bci }),
            op::NEWARRAY => {
                let letter = op::element(byte(1)).ok_or(MALFORMED)?;
                body.ops.push(Op::NewPrimitives { to, letter, bci });
            }
            op::ANEWARRAY => body.ops.push(Op::NewArray { to, element: index(), bci }),
            op::MULTIANEWARRAY => {
                body.ops.push(Op::NewArrays { to, class: index(), dimensions: byte(3), bci });
            }
            op::AALOAD if bottom != NO_VALUE => {
                self.used(cx, insn, 0, bottom, false, body);
                let base = self.variable(bottom, body);
                body.ops.push(Op::LoadElement { base, to });
            }
            op::AASTORE if bottom != NO_VALUE => {
                self.used(cx, insn, 0, bottom, true, body);
                self.used(cx, insn, 2, top, false, body);
                if top != NO_VALUE {
                    let (base, from) = (self.variable(bottom, body), self.variable(top, body));
                    body.ops.push(Op::StoreElement { base, from });
                }
            }
            code if op::is_array_load(code) => self.used(cx, insn, 0, bottom, false, body),
            code if op::is_array_store(code) && code != op::AASTORE => {
                self.used(cx, insn, 0, bottom, true, body);
            }
            op::GETSTATIC => {
                let to = if gives == TypeKind::Reference { to } else { NONE };
                body.ops.push(Op::LoadStatic { field: index(), to });
            }
            op::PUTSTATIC => {
                self.used(cx, insn, 0, top, false, body);
                let from = self.variable(top, body);
                body.ops.push(Op::StoreStatic { field: index(), from });
            }
            op::GETFIELD if bottom != NO_VALUE => {
                self.used(cx, insn, 0, bottom, false, body);
                if gives == TypeKind::Reference {
                    let base = self.variable(bottom, body);
                    body.ops.push(Op::Load { base, field: index(), to });
                }
            }
            op::PUTFIELD if bottom != NO_VALUE => {
                let field = cx.pool.member(index()).map_err(|_| MALFORMED)?;
                let written = !jdk::caches::is_cache(field.class, field.name);
                self.used(cx, insn, 0, bottom, written, body);
                self.used(cx, insn, 1, top, false, body);
                if top != NO_VALUE {
                    let (base, from) = (self.variable(bottom, body), self.variable(top, body));
                    body.ops.push(Op::Store { base, field: index(), from });
                }
            }
            op::CHECKCAST if bottom != NO_VALUE => {
                self.used(cx, insn, 0, bottom, false, body);
                let class = index();
                if self.is_cast_at_once(cx, at, insn, bottom) {
                    body.types.push((bottom, class));
                } else {
                    let from = self.variable(bottom, body);
                    let local = self.variable(to, body);
                    body.types.push((to, class));
                    body.ops.push(Op::Copy { from, to: local });
                }
            }
            op::ARETURN if bottom != NO_VALUE => {
                self.used(cx, insn, 0, bottom, false, body);
                body.returns = match (frame::origin(bottom), body.returns) {
                    (AbstractOrigin::Parameter(n), Returns::Nothing) => Returns::Parameter(n),
                    (AbstractOrigin::Parameter(n), Returns::Parameter(m)) if n == m => Returns::Parameter(n),
                    _ => Returns::Values,
                };
                let from = self.variable(bottom, body);
                body.ops.push(Op::Return { from });
            }
            op::ATHROW if bottom != NO_VALUE => {
                self.used(cx, insn, 0, bottom, false, body);
                let from = self.variable(bottom, body);
                self.regions.throw(&cx.code.exceptions, insn.pc, from);
            }
            op::ARRAYLENGTH
            | op::INSTANCEOF
            | op::MONITORENTER
            | op::MONITOREXIT
            | op::IFNULL
            | op::IFNONNULL => self.used(cx, insn, 0, bottom, false, body),
            op::IF_ACMPEQ | op::IF_ACMPNE => {
                self.used(cx, insn, 0, bottom, false, body);
                self.used(cx, insn, 1, top, false, body);
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes down a call, the operands of which begin at slot `first` of the stack.
    fn call(
        &mut self,
        cx: &Context<'_>,
        insn: Insn,
        first: usize,
        gives: TypeKind,
        body: &mut Body,
    ) -> Translated {
        let Ok(StackEffect::Values { takes, .. }) = cx.code.stack_effect(insn, cx.pool) else {
            return Err(MALFORMED);
        };
        let start = body.arguments.len();
        let mut slot = first;
        let mut operand = 0u8;
        for kind in takes.iter() {
            let value = if kind == TypeKind::Reference { self.frame.stack[slot] } else { NO_VALUE };
            self.used(cx, insn, operand, value, false, body);
            let local = self.variable(value, body);
            body.arguments.push(local);
            slot += usize::from(kind.slots());
            operand = operand.saturating_add(1);
        }
        let to = if gives == TypeKind::Reference {
            if cx.program {
                self.variable(frame::defined(insn.pc), body);
            }
            frame::defined(insn.pc)
        } else {
            NONE
        };
        body.ops.push(Op::Call {
            opcode: insn.op,
            index: cx.code.index(insn),
            bci: insn.pc as u16,
            arguments: start as u32,
            count: (body.arguments.len() - start) as u16,
            to,
            thrown: self.regions.at(&cx.code.exceptions, insn.pc),
        });
        Ok(())
    }
}
