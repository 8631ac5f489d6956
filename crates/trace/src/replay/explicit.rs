//! Calls that are not replayed: recorded at details `calls` and `heap`, or behind a gap. Each record is an
//! event, and the nesting of calls is followed; behind a gap nothing else is believed.

use std::mem;

use classfile::opcode as op;

use super::source::ANY;
use super::{How, Interrupt, Replay, ReplayResult, Visitor};
use crate::event::{Callee, EventKind, GapReason};
use crate::ids::SiteId;
use crate::record::tag;
use crate::value::Value;

impl<'p, V: Visitor> Replay<'p, V> {
    pub(super) fn explicit(&mut self) -> Interrupt {
        loop {
            if self.outcome.events >= self.until {
                return Interrupt::Switch;
            }
            let tag = self.source.wanted();
            let done = match tag {
                tag::EXIT | tag::EXIT_VALUE => self.exit_explicit(tag),
                tag::RETURN => {
                    self.source.skip(1);
                    self.returned(None);
                    Ok(())
                }
                tag::CALL => self.call(),
                tag::NEW => self.new_object(),
                tag if tag::is_value(tag) => {
                    let kind = self.out().map_or(ANY, |callee| callee.result);
                    let value = self.source.value(tag, kind).or_else(|| self.source.value(tag, ANY));
                    self.returned(value);
                    Ok(())
                }
                tag => self.between(tag),
            };
            if let Err(flow) = done {
                return flow;
            }
        }
    }

    fn exit_explicit(&mut self, tag: u8) -> ReplayResult {
        let start = self.source.offset();
        self.source.skip(1);
        let mut value = None;
        if tag == tag::EXIT_VALUE {
            let kind = self.top.method.map_or(ANY, |method| method.result);
            value = self.follow(kind).ok().map(|value| value.narrowed(kind));
        }
        if self.top.how == How::LeftOut && self.top.names_this() {
            self.top.this_named = true;
        }
        self.exit(start, value);
        Err(Interrupt::Switch)
    }

    fn returned(&mut self, value: Option<Value>) {
        if self.top.call.take().is_some() {
            self.emit(EventKind::Return { value });
        }
    }

    fn call(&mut self) -> ReplayResult {
        let site = SiteId(self.source.word(1));
        let count = (self.source.word(5) & 0xff) as usize;
        self.source.skip(6);
        let insn = self.go_to(site);
        let callee = insn.and_then(|insn| self.callee(insn));
        let mut args = mem::take(&mut self.args);
        args.clear();
        let mut kinds = callee.map_or(&[][..], |callee| &callee.kinds);
        self.top.creating = None;
        if callee.is_some_and(|callee| callee.init.is_some()) {
            // The object has no identity yet and is not among the recorded arguments.
            let pending = self.new_pending();
            self.top.creating = Some(pending);
            args.push(Value::Pending(pending));
            kinds = &kinds[1..];
        }
        let done = self.follow_all((0..count).map(|at| kinds.get(at).copied().unwrap_or(ANY)), &mut args);
        match callee {
            Some(callee) if self.top.how == How::Explicit => {
                self.emit(EventKind::Call { callee, args: &args });
                self.top.call = insn.map(|(_, index)| index as u32);
            }
            Some(_) => {}
            None => self.gap(GapReason::UnknownCall),
        }
        self.args = args;
        done
    }

    fn new_object(&mut self) -> ReplayResult {
        let site = SiteId(self.source.word(1));
        self.source.skip(5);
        let insn = self.go_to(site);
        let object = self.follow(b'L')?;
        let Some((code, operand)) = insn else {
            self.gap(GapReason::UnknownCreation);
            return Ok(());
        };
        if let Some(callee) = self.callee((code, operand)) {
            // The constructor has returned: this is the object it was called on.
            self.emit(EventKind::New { class: &callee.owner, object });
            if let Some(pending) = self.top.creating.take() {
                self.emit(EventKind::Named { pending, object });
            }
        } else if let Some(class) = self.top.code.and_then(|code| code.names.get(operand)) {
            match code {
                op::NEW => self.emit(EventKind::New { class, object }),
                _ => self.emit(EventKind::NewArray { class, array: object }),
            }
        }
        Ok(())
    }

    /// Makes the site the present place of the call, if it is in its method; gives opcode and operand there.
    fn go_to(&mut self, site: SiteId) -> Option<(u8, usize)> {
        let (_, site) = self.program.site(site)?;
        let code = self.top.code.filter(|_| site.method == self.top.id)?;
        let at = code.pcs.binary_search(&site.bci).ok()?;
        self.top.ip = at as u32;
        code.insns.get(at).map(|insn| (insn.op, insn.b as usize))
    }

    /// Explicit detail: the call that is out.
    pub(super) fn out(&self) -> Option<&'p Callee> {
        self.top.code?.callees.get(self.top.call? as usize)
    }

    fn callee(&self, (code, index): (u8, usize)) -> Option<&'p Callee> {
        op::is_invoke(code).then(|| self.top.code?.callees.get(index))?
    }
}
