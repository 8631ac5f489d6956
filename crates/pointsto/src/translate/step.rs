//! What each instruction does to the frame, and with references.

use classfile::opcode as op;
use classfile::{Insn, MethodDescriptor, TypeKind};

use super::{NOWHERE, Translated, Translator};
use crate::body::{Body, NONE, Op, Returns};
use crate::frame::{self, NO_VALUE, Origin, Value};
use crate::shapes::{Context, MALFORMED, Slot, constant, letter, plain};

impl Translator {
    /// What one instruction does to the frame, and if it is to be written down, to references.
    pub(super) fn step<const WRITE: bool>(
        &mut self,
        cx: &Context<'_>,
        at: usize,
        insn: Insn,
        body: &mut Body,
    ) -> Translated {
        let bci = insn.pc as u16;
        let result = frame::defined(insn.pc);
        match insn.op {
            op::ALOAD | op::ALOAD_0..=op::ALOAD_3 => {
                let slot = cx.code.slot(insn).ok_or(MALFORMED)?;
                self.frame.stack.push(*self.frame.locals.get(slot as usize).ok_or(MALFORMED)?);
            }
            op::ASTORE | op::ASTORE_0..=op::ASTORE_3 => {
                let slot = cx.code.slot(insn).ok_or(MALFORMED)?;
                let value = self.pop()?;
                *self.frame.locals.get_mut(slot as usize).ok_or(MALFORMED)? = value;
            }
            op::ISTORE..=op::DSTORE | op::ISTORE_0..=op::DSTORE_3 => {
                let slot = cx.code.slot(insn).ok_or(MALFORMED)? as usize;
                let two = matches!(insn.op, op::LSTORE | op::DSTORE)
                    || matches!(insn.op, op::LSTORE_0..=op::LSTORE_3 | op::DSTORE_0..=op::DSTORE_3);
                self.frame.pop_n(1 + two as usize).ok_or(MALFORMED)?;
                for s in slot..=slot + two as usize {
                    *self.frame.locals.get_mut(s).ok_or(MALFORMED)? = NO_VALUE;
                }
            }
            op::WIDE => self.wide(cx, insn)?,
            op::DUP => self.duplicate(1, 0)?,
            op::DUP_X1 => self.duplicate(1, 1)?,
            op::DUP_X2 => self.duplicate(1, 2)?,
            op::DUP2 => self.duplicate(2, 0)?,
            op::DUP2_X1 => self.duplicate(2, 1)?,
            op::DUP2_X2 => self.duplicate(2, 2)?,
            op::SWAP => {
                let (a, b) = (self.pop()?, self.pop()?);
                self.frame.stack.extend([a, b]);
            }
            op::LDC | op::LDC_W | op::LDC2_W => match self.shapes[at].result {
                Slot::Reference => {
                    self.frame.stack.push(result);
                    if WRITE {
                        body.ops.push(Op::Constant { to: result, index: constant(cx, insn) });
                    }
                }
                Slot::Two => self.frame.push_none(2),
                _ => self.frame.push_none(1),
            },
            op::NEW => {
                self.frame.stack.push(result);
                if WRITE {
                    body.ops.push(Op::New { to: result, class: cx.code.index(insn), bci });
                }
            }
            op::NEWARRAY => {
                self.pop()?;
                self.frame.stack.push(result);
                if WRITE {
                    let letter = letter(cx.code.code[insn.pc as usize + 1]).ok_or(MALFORMED)?;
                    body.ops.push(Op::NewPrimitives { to: result, letter, bci });
                }
            }
            op::ANEWARRAY => {
                self.pop()?;
                self.frame.stack.push(result);
                if WRITE {
                    body.ops.push(Op::NewArray { to: result, element: cx.code.index(insn), bci });
                }
            }
            op::MULTIANEWARRAY => {
                let dimensions = cx.code.code[insn.pc as usize + 3];
                self.frame.pop_n(dimensions as usize).ok_or(MALFORMED)?;
                self.frame.stack.push(result);
                if WRITE {
                    body.ops.push(Op::NewArrays { to: result, class: cx.code.index(insn), dimensions, bci });
                }
            }
            op::AALOAD => {
                self.pop()?;
                let base = self.pop()?;
                self.frame.stack.push(result);
                if WRITE && base != NO_VALUE {
                    self.used(cx, insn, 0, base, false, body);
                    let base = self.variable(base, body);
                    body.ops.push(Op::LoadElement { base, to: result });
                }
            }
            op::IALOAD..=op::DALOAD | op::BALOAD..=op::SALOAD => {
                self.pop()?;
                let base = self.pop()?;
                self.frame.push_none(1 + matches!(insn.op, op::LALOAD | op::DALOAD) as usize);
                if WRITE {
                    self.used(cx, insn, 0, base, false, body);
                }
            }
            op::AASTORE => {
                let (from, _, base) = (self.pop()?, self.pop()?, self.pop()?);
                if WRITE && base != NO_VALUE {
                    self.used(cx, insn, 0, base, true, body);
                    self.used(cx, insn, 2, from, false, body);
                    if from != NO_VALUE {
                        let (base, from) = (self.variable(base, body), self.variable(from, body));
                        body.ops.push(Op::StoreElement { base, from });
                    }
                }
            }
            op::IASTORE..=op::DASTORE | op::BASTORE..=op::SASTORE => {
                let two = matches!(insn.op, op::LASTORE | op::DASTORE);
                self.frame.pop_n(2 + two as usize).ok_or(MALFORMED)?;
                let base = self.pop()?;
                if WRITE {
                    self.used(cx, insn, 0, base, true, body);
                }
            }
            op::GETSTATIC => {
                let shape = self.shapes[at];
                self.push(shape.result, result);
                if WRITE {
                    let to = if shape.result == Slot::Reference { result } else { NONE };
                    body.ops.push(Op::LoadStatic { field: cx.code.index(insn), to });
                }
            }
            op::PUTSTATIC => {
                let from = self.frame.stack.last().copied().ok_or(MALFORMED)?;
                self.frame.pop_n(self.shapes[at].slots as usize).ok_or(MALFORMED)?;
                if WRITE {
                    self.used(cx, insn, 0, from, false, body);
                    let from = self.variable(from, body);
                    body.ops.push(Op::StoreStatic { field: cx.code.index(insn), from });
                }
            }
            op::GETFIELD => {
                let base = self.pop()?;
                let shape = self.shapes[at];
                self.push(shape.result, result);
                if WRITE && base != NO_VALUE {
                    self.used(cx, insn, 0, base, false, body);
                    if shape.result == Slot::Reference {
                        let base = self.variable(base, body);
                        body.ops.push(Op::Load { base, field: cx.code.index(insn), to: result });
                    }
                }
            }
            op::PUTFIELD => {
                let from = self.frame.stack.last().copied().ok_or(MALFORMED)?;
                self.frame.pop_n(self.shapes[at].slots as usize).ok_or(MALFORMED)?;
                let base = self.pop()?;
                if WRITE && base != NO_VALUE {
                    let field = cx.pool.member(cx.code.index(insn)).map_err(|_| MALFORMED)?;
                    let written = !jdk::caches::is_cache(field.class, field.name);
                    self.used(cx, insn, 0, base, written, body);
                    self.used(cx, insn, 1, from, false, body);
                    if from != NO_VALUE {
                        let (base, from) = (self.variable(base, body), self.variable(from, body));
                        body.ops.push(Op::Store { base, field: cx.code.index(insn), from });
                    }
                }
            }
            op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => self.call::<WRITE>(cx, at, insn, body)?,
            op::CHECKCAST => {
                let value = self.pop()?;
                // A result that is cast at once has no other use: the cast is its type. The program's own operands
                // stay as they are before the cast, since they can be asked for.
                let at_once = !cx.program
                    && at > 0
                    && self.block_at[insn.pc as usize] == NOWHERE
                    && value == frame::defined(self.insns[at - 1].pc);
                if value == NO_VALUE || at_once {
                    self.frame.stack.push(value);
                } else {
                    self.frame.stack.push(result);
                }
                if WRITE && value != NO_VALUE {
                    self.used(cx, insn, 0, value, false, body);
                    let class = cx.code.index(insn);
                    if at_once {
                        body.types.push((value, class));
                    } else {
                        let from = self.variable(value, body);
                        let to = self.variable(result, body);
                        body.types.push((result, class));
                        body.ops.push(Op::Copy { from, to });
                    }
                }
            }
            op::ARETURN => {
                let from = self.pop()?;
                if WRITE && from != NO_VALUE {
                    self.used(cx, insn, 0, from, false, body);
                    body.returns = match (frame::origin(from), body.returns) {
                        (Origin::Parameter(n), Returns::Nothing) => Returns::Parameter(n),
                        (Origin::Parameter(n), Returns::Parameter(m)) if n == m => Returns::Parameter(n),
                        _ => Returns::Values,
                    };
                    let from = self.variable(from, body);
                    body.ops.push(Op::Return { from });
                }
            }
            op::ATHROW => {
                let from = self.pop()?;
                if WRITE && from != NO_VALUE {
                    self.used(cx, insn, 0, from, false, body);
                    let from = self.variable(from, body);
                    self.regions.throw(&cx.code.exceptions, insn.pc, from);
                }
            }
            op::ARRAYLENGTH | op::INSTANCEOF => {
                let value = self.pop()?;
                self.frame.push_none(1);
                if WRITE {
                    self.used(cx, insn, 0, value, false, body);
                }
            }
            op::MONITORENTER | op::MONITOREXIT | op::IFNULL | op::IFNONNULL => {
                let value = self.pop()?;
                if WRITE {
                    self.used(cx, insn, 0, value, false, body);
                }
            }
            op::IF_ACMPEQ | op::IF_ACMPNE => {
                let (second, first) = (self.pop()?, self.pop()?);
                if WRITE {
                    self.used(cx, insn, 0, first, false, body);
                    self.used(cx, insn, 1, second, false, body);
                }
            }
            other => {
                let (pops, pushes) = plain(other).ok_or(MALFORMED)?;
                self.frame.pop_n(pops).ok_or(MALFORMED)?;
                self.frame.push_none(pushes);
            }
        }
        Ok(())
    }

    fn call<const WRITE: bool>(
        &mut self,
        cx: &Context<'_>,
        at: usize,
        insn: Insn,
        body: &mut Body,
    ) -> Translated {
        let shape = self.shapes[at];
        let first = self.frame.stack.len().checked_sub(shape.slots as usize).ok_or(MALFORMED)?;
        if WRITE {
            let index = cx.code.index(insn);
            let member = cx.pool.member(index).map_err(|_| MALFORMED)?;
            let d = MethodDescriptor::parse(member.descriptor).map_err(|_| MALFORMED)?;
            let start = body.arguments.len();
            let mut slot = first;
            let mut operand = 0u8;
            let receiver = !matches!(insn.op, op::INVOKESTATIC | op::INVOKEDYNAMIC);
            let kinds = receiver.then_some(TypeKind::Reference).into_iter();
            for kind in kinds.chain(d.parameters.iter().map(|p| TypeKind::of(p).unwrap_or(TypeKind::Int))) {
                let value = if kind == TypeKind::Reference { self.frame.stack[slot] } else { NO_VALUE };
                self.used(cx, insn, operand, value, false, body);
                let local = self.variable(value, body);
                body.arguments.push(local);
                slot += kind.slots() as usize;
                operand = operand.saturating_add(1);
            }
            let to = if shape.result == Slot::Reference {
                if cx.program {
                    self.variable(frame::defined(insn.pc), body);
                }
                frame::defined(insn.pc)
            } else {
                NONE
            };
            body.ops.push(Op::Call {
                opcode: insn.op,
                index,
                bci: insn.pc as u16,
                arguments: start as u32,
                count: (body.arguments.len() - start) as u16,
                to,
                thrown: self.regions.at(&cx.code.exceptions, insn.pc),
            });
        }
        self.frame.stack.truncate(first);
        self.push(shape.result, frame::defined(insn.pc));
        Ok(())
    }

    fn wide(&mut self, cx: &Context<'_>, insn: Insn) -> Translated {
        let slot = cx.code.slot(insn).ok_or(MALFORMED)? as usize;
        match cx.code.code[insn.pc as usize + 1] {
            op::ALOAD => self.frame.stack.push(*self.frame.locals.get(slot).ok_or(MALFORMED)?),
            op::ASTORE => {
                let value = self.pop()?;
                *self.frame.locals.get_mut(slot).ok_or(MALFORMED)? = value;
            }
            op::ILOAD | op::FLOAD => self.frame.push_none(1),
            op::LLOAD | op::DLOAD => self.frame.push_none(2),
            op::ISTORE | op::FSTORE => {
                self.pop()?;
                *self.frame.locals.get_mut(slot).ok_or(MALFORMED)? = NO_VALUE;
            }
            op::LSTORE | op::DSTORE => {
                self.frame.pop_n(2).ok_or(MALFORMED)?;
                for s in [slot, slot + 1] {
                    *self.frame.locals.get_mut(s).ok_or(MALFORMED)? = NO_VALUE;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<Value, &'static str> {
        self.frame.pop().ok_or(MALFORMED)
    }

    fn push(&mut self, slot: Slot, reference: Value) {
        match slot {
            Slot::Nothing => {}
            Slot::One => self.frame.push_none(1),
            Slot::Two => self.frame.push_none(2),
            Slot::Reference => self.frame.stack.push(reference),
        }
    }

    fn duplicate(&mut self, n: usize, under: usize) -> Translated {
        self.frame.duplicate(n, under).ok_or(MALFORMED)
    }
}
