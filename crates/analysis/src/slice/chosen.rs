//! Which object is written to: often that stands in the code, sometimes it was chosen, by a condition, an index or a key. A
//! write that went into another object than the one that is looked at could have gone there then.

use std::collections::HashSet;

use classfile::opcode as op;
use index::{CallRow, Evidence, NO_BCI, Position, PostingKind, Target};
use jdk::flows::{Holder, Leaves};
use past::CallId;
use trace::{FieldId, ObjectId};

use super::history::holder_of;
use super::methods::SlicedMethod;
use super::search::{EventPart, SliceSearch};
use crate::code::Local;
use crate::producers::OperandProducers;

/// Writes whose objects are looked at, and callers that are asked what they gave.
const MAX_WRITES: usize = 500;
const MAX_HOPS: usize = 8;

/// How an instruction came to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Fixed,
    Chosen,
    /// It was given as this argument.
    Given(usize),
}

impl SliceSearch<'_> {
    /// Writes of a call, and of what it called, to objects that were chosen: of fields, arrays and collections like those that
    /// are looked at.
    pub(super) fn chosen(&mut self, call: CallId, row: &CallRow, found: &mut Vec<(Position, EventPart)>) {
        let past = self.past;
        let mut holders: HashSet<Holder> = self.histories.holders();
        // A step of a pipeline is gone through once, and nobody looks at it again.
        holders.remove(&Holder::Stream);
        let classes: HashSet<&str> =
            self.arrays.iter().filter_map(|&array| past.class_of(ObjectId(array))).collect();
        let mut writes: HashSet<(Position, EventPart)> = HashSet::new();
        for posting in past.index().within(call.stream, row.entry + 1, row.exit) {
            let object = ObjectId(posting.key.object);
            let at = |ordinal| Position { stream: call.stream, ordinal };
            match posting.what {
                PostingKind::Written(_) if !posting.library && posting.key.is_location() => {
                    let other = match past.recording().objects().length(object) {
                        Some(_) => {
                            !self.arrays.contains(&object.0)
                                && past.class_of(object).is_some_and(|class| classes.contains(class))
                        }
                        None => self.fields.contains(&FieldId(posting.key.place)),
                    };
                    if other {
                        writes.insert((at(posting.ordinal), EventPart::Address));
                    }
                }
                PostingKind::Used { call: used, part: 0 } if !self.histories.knows(object) => {
                    let used = CallId { stream: call.stream, index: used };
                    let made = past.index().call(used);
                    if let Some(made) = made.filter(|row| matches!(row.target, Target::Library(_)))
                        && holders.contains(&holder_of(past, object, ""))
                        && let callee = self.histories.callee(past, made.target)
                        && callee.name != "<init>"
                        && !matches!(self.histories.flow(past, object, &callee).leaves, Leaves::Same)
                    {
                        writes.insert((at(made.entry), EventPart::Argument(0)));
                    }
                }
                _ => {}
            }
            if writes.len() > MAX_WRITES {
                break;
            }
        }
        found.extend(writes.into_iter().filter(|&(at, _)| self.is_chosen(at, 0)));
    }

    /// Was one of the values chosen that an instruction takes?
    fn is_chosen(&mut self, position: Position, operand: usize) -> bool {
        let (mut position, mut operand) = (position, operand);
        for _ in 0..MAX_HOPS {
            let Ok(Some(window)) = self.window(position) else { return true };
            let Some(trail) = window.trail_at(self.past, &mut self.methods, position.ordinal) else {
                return false;
            };
            let trail = trail.borrow();
            let Some(step) = trail.step(position.ordinal) else { return false };
            let operands = trail.facts.producers.operands(step.at.bci as u16);
            let Some(producers) = operands.get(operand) else { return false };
            match came(&trail.facts, producers, MAX_HOPS) {
                Came::Fixed => return false,
                Came::Chosen => return true,
                Came::Given(argument) => {
                    // What a library gave, or the call itself was given, nobody here chose.
                    let is_outermost = self.span.is_some_and(|(call, _)| call == trail.call);
                    let made =
                        self.past.index().call(trail.call).filter(|made| made.bci != NO_BCI && !is_outermost);
                    let Some(made) = made else { return false };
                    (position, operand) = (Position { ordinal: made.entry, ..position }, argument);
                }
            }
        }
        true
    }
}

/// How a value on the stack came to be the object that it is.
fn came(facts: &SlicedMethod, operand: &OperandProducers, left: usize) -> Came {
    let ([producer], Some(left)) = (&operand[..], left.checked_sub(1)) else { return Came::Chosen };
    let bci = producer.bci;
    let first =
        || facts.producers.operands(bci).first().map_or(Came::Fixed, |operand| came(facts, operand, left));
    if let Some(Local::Load(slot)) = facts.code.at(bci).and_then(|at| facts.code.insns[at].local) {
        return match facts.definitions(bci) {
            [None] => {
                facts.code.arguments.iter().position(|&one| one == slot).map_or(Came::Fixed, Came::Given)
            }
            [Some(store)] => facts
                .producers
                .operands(*store)
                .first()
                .map_or(Came::Fixed, |operand| came(facts, operand, left)),
            _ => Came::Chosen,
        };
    }
    match facts.op(bci) {
        op::AALOAD => {
            let at = facts.producers.operands(bci).get(1);
            match at.is_some_and(|at| at.iter().all(|producer| facts.is_constant(producer.bci))) {
                true => first(),
                false => Came::Chosen,
            }
        }
        op::CHECKCAST | op::GETFIELD => first(),
        code if op::is_invoke(code) && facts.gives_itself(bci) => first(),
        op::INVOKEDYNAMIC => Came::Fixed,
        code if op::is_invoke(code) => Came::Chosen,
        _ => Came::Fixed,
    }
}
