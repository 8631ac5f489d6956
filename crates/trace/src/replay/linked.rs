//! Calls that are not in the log, because one recorded method called another directly (see `crate::link`): they begin
//! where the code calls them, with the caller's operands, and end where their own code returns.

use super::{Interrupt, Known, Replay, ReplayResult, Stage, Visitor};
use crate::event::{Callee, EventKind, GapReason, Jump};
use crate::ids::{CalleeId, MethodId, TypeId};
use crate::link::Link;
use crate::probes::Init;
use crate::record::tag;
use crate::replay::source::{LOST, WAIT};
use crate::value::Value;

/// Targets of calls that were looked for lately, by the call and the receiver's type.
pub(super) struct Selected<'p> {
    lately: Box<[Option<(CalleeId, TypeId, Known<'p>)>; 256]>,
}

impl Default for Selected<'_> {
    fn default() -> Self {
        Selected { lately: Box::new([None; 256]) }
    }
}

impl<'p, V: Visitor> Replay<'p, V> {
    /// Was the call that is announced here linked? The log says so if it was not, before anything else, and by their number which
    /// one it is of those that have no record between.
    pub(super) fn is_linked(&mut self) -> ReplayResult<bool> {
        let (tag, number) = match self.source.wanted() {
            tag @ (tag::UNLINKED | tag::LINKS) => (tag, self.source.word(1)),
            WAIT => return Err(Interrupt::Wait),
            LOST => return Err(Interrupt::Lost),
            // An ordering point may stand before anything.
            tag::SEQ => match self.source.behind_seqs() {
                Some((WAIT, _)) => return Err(Interrupt::Wait),
                Some(found) => found,
                None => return Ok(true),
            },
            _ => return Ok(true),
        };
        if !matches!(tag, tag::UNLINKED | tag::LINKS) {
            return Ok(true);
        }
        if self.links_unknown {
            return Err(Interrupt::Gap(GapReason::NoTarget));
        }
        // More than that many were not: a call too many, where the log is not understood, must not make it go on for ever.
        let linked = number.wrapping_sub(self.links).cast_signed() > 0;
        // `links`: the stack overflows, somewhere before the next call that is linked.
        if tag == tag::UNLINKED && !linked {
            while self.source.tag() == tag::SEQ {
                self.ordering_point();
            }
            self.source.skip(5);
        }
        Ok(linked)
    }

    /// The method that a linked call enters; its operands start at slot `first`.
    pub(super) fn target(&mut self, callee: &'p Callee, first: usize) -> ReplayResult<Known<'p>> {
        let target = match callee.link {
            Link::Exact(method) => method.and_then(|id| self.known(id)),
            _ => match self.boxes.unpack_reference(self.slots[first]) {
                Value::Object(receiver) => match self.objects.type_of(receiver) {
                    Some(ty) => self.select(callee, ty),
                    None => None,
                },
                _ => None,
            },
        };
        match target.filter(|known| known.code.is_some()) {
            Some(known) => Ok(known),
            // Tables and definitions may be behind the log.
            None if self.source.grows() => Err(Interrupt::Wait),
            None if self.source.wanted() == tag::END => Err(Interrupt::End),
            None => Err(Interrupt::Gap(GapReason::NoTarget)),
        }
    }

    fn select(&mut self, callee: &'p Callee, ty: TypeId) -> Option<Known<'p>> {
        let CalleeId { class, index } = callee.id;
        let slot = class.0.wrapping_mul(31).wrapping_add(index.into()).wrapping_mul(31).wrapping_add(ty.0);
        let slot = slot as usize % self.selected.lately.len();
        if let Some((id, of, known)) = self.selected.lately[slot]
            && id == callee.id
            && of == ty
        {
            return Some(known);
        }
        let method: MethodId = self.program.selected(callee, ty)?;
        let known = self.known(method)?;
        self.selected.lately[slot] = Some((callee.id, ty, known));
        Some(known)
    }

    /// A linked call begins, with what its caller gave it.
    pub(super) fn enter_linked(&mut self, target: Known<'p>, args: Vec<Value>) -> ReplayResult {
        // Calls without a record are counted like rounds of a loop.
        self.fuel -= 1;
        self.links = self.links.wrapping_add(1);
        self.top.stage = Stage::Entered;
        let constructor = target.method.is_constructor();
        let this = match args.first() {
            Some(&Value::Pending(pending)) if constructor => Some(pending),
            _ => None,
        };
        let offset = self.source.offset();
        let pushed = self.push(target, this, Some(offset));
        if pushed.is_ok() {
            self.fill_locals(None, &args);
        }
        let instance = usize::from(!target.method.is_static()).min(args.len());
        let receiver = args.first().copied().filter(|_| instance == 1);
        self.emit(EventKind::Enter { receiver, args: &args[instance..], called: true });
        self.args = args;
        self.leave_out_if_asked()?;
        pushed?;
        if target.method.is_synchronized() {
            self.ordering_point_if_ahead();
        }
        Err(Interrupt::Switch)
    }

    /// `xreturn` in a linked call.
    pub(super) fn leave_linked(&mut self, result: Option<Value>) -> ReplayResult {
        if self.overflows_here() {
            return self.must_throw();
        }
        // Where a synchronized method lets go of its lock.
        if self.top.method.is_some_and(|method| method.is_synchronized()) {
            self.ordering_point_if_ahead();
        }
        let made = self.top.this_named.then(|| self.boxes.unpack_reference(self.top.made));
        self.exit_linked(result, made)
    }

    /// Does the stack overflow in the probe of this call's return? Of a call that came back and another one at this depth
    /// `links` would have another number. A log that grows is not waited for: calls would seem to go on that are over.
    fn overflows_here(&mut self) -> bool {
        if self.source.wanted() != tag::LINKS || self.links_unknown || self.source.word(1) != self.links {
            return false;
        }
        let depth = self.depth();
        self.source.raised_after_links().is_some_and(|raised| i64::from(raised.depth) == depth)
    }

    /// The linked call on top returns: it gave `result`, and as a constructor, it `made` this object.
    pub(super) fn exit_linked(&mut self, result: Option<Value>, made: Option<Value>) -> ReplayResult {
        let offset = self.source.offset();
        // Nothing in the log was within it: then it is quickly replayed, and counts as it did.
        let silent = self.top.linked == Some(offset);
        let untold = self.top.names_this() && !self.top.this_named;
        if silent || untold || self.top.indispensable {
            self.emit(EventKind::Exit { value: result });
        } else {
            self.emit_linked_end(offset, result, made);
        }
        self.pop(false);
        self.back(result, made)?;
        self.top.ip = self.top.ip.wrapping_add(1);
        Err(Interrupt::Switch)
    }

    /// Tells the end of the linked call on top, and how to get there. Not inlined: nearly all ends are told without that.
    #[inline(never)]
    fn emit_linked_end(&mut self, offset: u64, result: Option<Value>, made: Option<Value>) {
        let end = self.end(offset).map(|jump| Jump { linked: Some(made.or(result)), ..jump });
        self.emit_with_end(Some(self.top.site()), false, end, EventKind::Exit { value: result });
    }

    /// In the caller of a linked call that returned.
    fn back(&mut self, result: Option<Value>, made: Option<Value>) -> ReplayResult {
        let no_callee = Interrupt::Gap(GapReason::NoCallee);
        let code = self.top.code.ok_or(Interrupt::Gap(GapReason::NoCode))?;
        let insn = code.insns.get(self.top.ip as usize).copied();
        let Some(callee) = insn.and_then(|insn| code.callees.get(insn.b as usize)) else {
            return Err(no_callee);
        };
        let first = self.top.sp.wrapping_sub(callee.slots as usize);
        if first < self.top.floor || first > self.top.sp {
            return Err(Interrupt::Gap(GapReason::TooFewOperands));
        }
        self.emit(EventKind::Return { value: result });
        if let Some(init @ (Init::This | Init::New { dup: true })) = callee.init {
            let Some(object) = made else { return Err(Interrupt::Gap(GapReason::ConstructedTwice)) };
            self.name(first, init == Init::This, object)?;
        } else {
            self.top.child_named = None;
        }
        self.called(first, result)
    }
}
