//! What may stand in the log before the record that is wanted: ordering points, writes by libraries, contents of
//! arrays, calls of program code that nobody announced, exceptions.

use std::mem;

use classfile::opcode as op;

use super::source::{ANY, LOST, RAISED, Raised, WAIT};
use super::{Activation, How, Interrupt, Known, Replay, ReplayResult, Stage, Visitor};
use crate::event::{BulkWrite, Elements, EventKind, FieldRef, GapReason, Site};
use crate::ids::SiteId;
use crate::probes::Init;
use crate::program::Class;
use crate::record::{Record, tag};
use crate::tables::Detail;
use crate::value::Value;

impl<'p, V: Visitor> Replay<'p, V> {
    /// Outside of any call.
    pub(super) fn outside(&mut self) -> Interrupt {
        loop {
            if self.outcome.events >= self.until {
                return Interrupt::Switch;
            }
            let tag = self.source.wanted();
            let done = match tag {
                tag::EXIT | tag::RETURN | tag::EXIT_VALUE | tag::CALL | tag::NEW => self.stray(),
                RAISED => {
                    self.source.take_raised();
                    self.stray()
                }
                tag if tag::is_value(tag) => self.stray(),
                tag => self.between(tag),
            };
            if let Err(flow) = done {
                return flow;
            }
        }
    }

    /// A record that means nothing outside of a call: its call began in a part that is lost.
    fn stray(&mut self) -> ReplayResult {
        self.source.record();
        if !self.shift_unknown {
            self.gap(GapReason::NeverBegan);
            self.shift_unknown = true;
            self.links_unknown = true;
        }
        Ok(())
    }

    /// Deals with a record that is not the one that is wanted. `Ok`: it was taken, look again.
    #[inline(never)]
    pub(super) fn between(&mut self, tag: u8) -> ReplayResult {
        match tag {
            tag::SEQ => {
                self.ordering_point();
                Ok(())
            }
            // Of a call of which nothing is told, or where the stack ended.
            tag::LINKS | tag::UNLINKED => {
                self.links = self.source.word(1);
                self.source.skip(5);
                Ok(())
            }
            tag::ENTER => self.enter(),
            RAISED => self.raise(),
            tag::FIELD | tag::STATIC | tag::ELEMENT | tag::COPY => self.write(),
            tag::FIELDS => self.object_contents(),
            tag::CONTENT | tag::CONTENTS => self.contents(),
            tag::STOP => {
                let reason = (self.source.word(1) & 0xff) as u8;
                self.source.skip(2);
                self.emit(EventKind::Stop { reason });
                Err(Interrupt::End)
            }
            tag::END => Err(Interrupt::End),
            LOST => Err(Interrupt::Lost),
            WAIT => Err(Interrupt::Wait),
            tag::EXIT | tag::EXIT_VALUE => Err(Interrupt::Gap(GapReason::LeftElsewhere)),
            tag::RETURN => Err(Interrupt::Gap(GapReason::ReturnedElsewhere)),
            tag::CALL | tag::NEW => Err(Interrupt::Gap(GapReason::ExplicitRecord)),
            _ => Err(Interrupt::Gap(GapReason::UnneededValue)),
        }
    }

    /// Takes the `seq` that is ahead.
    pub(super) fn ordering_point(&mut self) {
        if let Some(Record::Seq(number)) = self.source.record() {
            self.emit(EventKind::OrderingPoint { number });
        }
    }

    /// Takes a `seq` if there is one.
    pub(super) fn ordering_point_if_ahead(&mut self) {
        if self.source.tag() == tag::SEQ {
            self.ordering_point();
        }
    }

    /// A value that belongs to the record before it: nothing may stand between.
    pub(super) fn follow(&mut self, kind: u8) -> ReplayResult<Value> {
        match self.source.tag() {
            tag::END => Err(Interrupt::End),
            LOST => Err(Interrupt::Lost),
            tag => self.source.value(tag, kind).ok_or(Interrupt::Gap(GapReason::MissingValue)),
        }
    }

    /// An exception arrives in this call, or passes through it.
    fn raise(&mut self) -> ReplayResult {
        let Some(raised) = self.source.raised() else { return Err(Interrupt::Lost) };
        if self.shift_unknown {
            let shift = i64::from(raised.depth) - i64::from(self.open);
            self.shift = shift;
            self.top.shift = shift;
            self.suspended.iter_mut().for_each(|call| call.shift = shift);
            self.shift_unknown = false;
        }
        let exception = raised.exception;
        let depth = i64::from(raised.depth);
        if depth > self.depth() && raised.handler.is_none() && self.top.how == How::LeftOut {
            // It ended with a constructor that it called as `super()` or `this()`, and that has been left out with it.
            let below = depth - self.depth();
            self.source.take_raised();
            self.end_unmade(raised);
            self.shift += below - 1;
            self.end_waiting_for_super(raised);
            return Err(Interrupt::Switch);
        }
        if depth > self.depth() {
            self.source.take_raised();
            return Err(Interrupt::Gap(GapReason::NotOpen));
        }
        let ends = depth < self.depth() || raised.handler.is_none();
        let end = if ends { self.end(raised.start) } else { None };
        let site = (self.open > 0).then(|| self.top.site());
        self.emit_with_end(site, false, end, EventKind::Throw { exception });
        self.top.call = None;
        if depth < self.depth() {
            // This call was left without a record of its own; the same exception is ahead for its caller.
            self.emit(EventKind::Unwind { exception, recorded: false });
            self.pop(true);
            return Err(Interrupt::Switch);
        }
        self.source.take_raised();
        match raised.handler {
            None => {
                self.emit(EventKind::Unwind { exception, recorded: true });
                self.pop(true);
                self.end_waiting_for_super(raised);
            }
            Some(handler) => {
                self.shift = self.top.shift;
                self.catch(handler, raised)?;
            }
        }
        Err(Interrupt::Switch)
    }

    /// An exception has left the innermost call. Constructors that called it as `super()` or `this()` end with it: no
    /// handler of theirs may cover that call, so they have no record of their own.
    fn end_waiting_for_super(&mut self, raised: Raised) {
        while self.waits_for_super() {
            self.end_unmade(raised);
        }
    }

    /// Ends the constructor on top, which the recorder did not notice.
    fn end_unmade(&mut self, raised: Raised) {
        let end = self.end(raised.start);
        self.emit_with_end(
            Some(self.top.site()),
            false,
            end,
            EventKind::Throw { exception: raised.exception },
        );
        self.emit(EventKind::Unwind { exception: raised.exception, recorded: false });
        let shift = self.shift;
        self.pop(true);
        self.shift = shift + 1;
    }

    /// Is the call on top a constructor in its `super()` or `this()`, which it cannot catch an exception of?
    fn waits_for_super(&self) -> bool {
        let top = &self.top;
        let Some(code) = top.code.filter(|_| self.open > 0 && top.how == How::Replayed) else { return false };
        let covered = || code.handlers.iter().any(|entry| (entry.start..entry.end).contains(&top.ip));
        top.stage == Stage::Entered
            && code.insns.get(top.ip as usize).is_some_and(|insn| {
                op::is_invoke(insn.op)
                    && code.callees.get(insn.b as usize).is_some_and(|callee| callee.init == Some(Init::This))
            })
            && !covered()
    }

    fn catch(&mut self, handler: u16, raised: Raised) -> ReplayResult {
        let target =
            self.top.code.and_then(|code| code.handlers.get(usize::from(handler))).map(|entry| entry.target);
        self.top.ip = target.unwrap_or(self.top.ip);
        self.top.stage = Stage::Fresh;
        self.emit(EventKind::Catch { exception: raised.exception });
        if self.top.how != How::Replayed {
            return Ok(());
        }
        if target.is_none() {
            return Err(Interrupt::Gap(GapReason::NoHandler));
        }
        self.top.sp = self.top.floor;
        self.push_value(raised.exception.unwrap_or(Value::Unidentified))
    }

    /// A call of program code begins.
    fn enter(&mut self) -> ReplayResult {
        let id = self.source.method();
        let known = self.known(id);
        if known.is_none() && self.source.grows() {
            return Err(Interrupt::Wait);
        }
        self.source.record();
        if self.open == 0 && self.shift == 0 && !self.shift_unknown {
            (self.links, self.links_unknown) = (0, false);
        }
        let Some(known) = known else {
            self.suspend(Activation {
                id,
                locals: self.slots.len(),
                limit: self.slots.len(),
                ..Activation::NONE
            });
            self.emit(EventKind::Enter { receiver: None, args: &[], called: false });
            self.leave_out_if_asked()?;
            return Err(Interrupt::Gap(GapReason::UnknownMethod));
        };
        let method = known.method;
        let constructor = method.is_constructor();
        let mut args = mem::take(&mut self.args);
        args.clear();
        let receiver_kind: &[u8] = if method.is_static() || constructor { &[] } else { b"L" };
        let kinds = receiver_kind.iter().chain(method.kinds.iter()).copied();
        let complete = self.follow_all(kinds, &mut args);
        if let Err(Interrupt::End) = complete {
            // The log ends before it is known with what the method was called.
            return complete;
        }
        // What the arguments hold that are seen for the first time, they held before.
        let told = if complete.is_ok() { self.contents_if_ahead() } else { Ok(()) };
        let called = self.is_called(&known, args.first().copied());
        let this = constructor.then(|| match self.callee_object() {
            Some(Value::Pending(pending)) if called => pending,
            _ => self.top.creating.filter(|_| called).unwrap_or_else(|| self.new_pending()),
        });
        if called {
            self.top.stage = Stage::Entered;
        }
        let pushed = self.push(known, this, None);
        if self.top.how == How::Replayed {
            self.fill_locals(this.map(Value::Pending), &args);
        }
        let pending = this.map(Value::Pending);
        let (receiver, rest) = match receiver_kind.len().min(args.len()) {
            0 => (pending, &args[..]),
            _ => (Some(args[0]), &args[1..]),
        };
        self.emit(EventKind::Enter { receiver, args: rest, called });
        self.args = args;
        self.leave_out_if_asked()?;
        pushed?;
        told?;
        if complete.is_err() && self.source.tag() == RAISED {
            // A stack overflow came before all arguments were recorded: the call ends with it.
            self.top.how = How::Skipped;
            return Err(Interrupt::Switch);
        }
        complete?;
        if method.is_synchronized() {
            self.ordering_point_if_ahead();
        }
        Err(Interrupt::Switch)
    }

    pub(super) fn fill_locals(&mut self, this: Option<Value>, args: &[Value]) {
        let mut at = self.top.locals;
        for &value in this.iter().chain(args) {
            let slot = self.boxes.pack(value);
            if at < self.top.floor {
                self.slots[at] = slot;
            }
            at += if matches!(value, Value::Long(_) | Value::Double(_)) { 2 } else { 1 };
        }
    }

    /// The object on which the open `Call` of this activation was made.
    fn callee_object(&self) -> Option<Value> {
        if self.open == 0 || self.top.how != How::Replayed {
            return None;
        }
        let code = self.top.code?;
        let insn = code.insns.get(self.top.ip as usize)?;
        let callee = op::is_invoke(insn.op).then(|| code.callees.get(insn.b as usize))??;
        let first = self.top.sp.checked_sub(callee.slots as usize)?;
        let object = *self.slots.get(first)?;
        (callee.receiver && first >= self.top.floor).then(|| self.boxes.unpack_reference(object))
    }

    /// Is the method that begins the one that the open `Call` called?
    fn is_called(&self, entered: &Known<'p>, receiver: Option<Value>) -> bool {
        let callee = match self.top.how {
            How::Replayed if self.top.stage == Stage::Called => self.top.code.and_then(|code| {
                let insn = code.insns.get(self.top.ip as usize)?;
                op::is_invoke(insn.op).then(|| code.callees.get(insn.b as usize))?
            }),
            How::Explicit => self.out(),
            _ => None,
        };
        let Some(callee) = callee else { return false };
        let method = entered.method;
        if callee.key != method.key || callee.receiver == method.is_static() {
            return false;
        }
        if method.is_constructor() {
            return entered.class.name == callee.owner;
        }
        !callee.receiver || self.top.how != How::Replayed || self.callee_object() == receiver
    }

    /// A write that was recorded as such: by a library, or at detail `heap`.
    fn write(&mut self) -> ReplayResult {
        let tag = self.source.tag();
        let site = SiteId(self.source.word(1));
        self.source.skip(5);
        let found = self.program.site(site);
        match tag {
            tag::FIELD | tag::STATIC => {
                let field = found.and_then(|(_, site)| self.field_at(site));
                let kind = field.map_or(ANY, |field| field.kind);
                let object = if tag == tag::FIELD { Some(self.follow(b'L')?) } else { None };
                let value = self.follow(kind)?;
                match (field, object) {
                    (None, _) => self.gap(GapReason::UnknownWrite),
                    (Some(field), Some(object)) => {
                        self.emit_write(found, EventKind::FieldWrite { object, field, value });
                    }
                    (Some(field), None) => self.emit_write(found, EventKind::StaticWrite { field, value }),
                }
            }
            tag::ELEMENT => {
                let array = self.follow(b'L')?;
                let index = self.follow_int()?;
                let kind = found.map_or(ANY, |(_, site)| self.element_kind_at(site));
                let value = self.follow(kind)?;
                self.emit_write(found, EventKind::ArrayWrite { array, index, value });
            }
            _ => {
                let source = self.follow(b'L')?;
                let from = self.follow_int()?;
                let target = self.follow(b'L')?;
                let (to, length) = (self.follow_int()?, self.follow_int()?);
                self.emit_write(
                    found,
                    EventKind::BulkWrite(BulkWrite::Copy { source, from, target, to, length }),
                );
            }
        }
        Ok(())
    }

    fn emit_write(&mut self, found: Option<(&'p Class, Site)>, kind: EventKind<'_>) {
        let library = found.is_none_or(|(class, _)| class.detail == Detail::Library);
        self.emit_at(found.map(|(_, site)| site), library, kind);
    }

    pub(super) fn follow_int(&mut self) -> ReplayResult<i32> {
        match self.follow(b'I')? {
            Value::Int(value) => Ok(value),
            _ => Err(Interrupt::Gap(GapReason::MissingValue)),
        }
    }

    fn field_at(&mut self, site: Site) -> Option<&'p FieldRef> {
        let code = self.known(site.method)?.code?;
        let insn = code.at(site.bci)?;
        matches!(insn.op, op::GETSTATIC..=op::PUTFIELD).then(|| code.fields.get(insn.b as usize))?
    }

    fn element_kind_at(&mut self, site: Site) -> u8 {
        let insn = self.known(site.method).and_then(|known| known.code?.at(site.bci));
        match insn.map(|insn| insn.op) {
            Some(op::IASTORE | op::BASTORE | op::CASTORE | op::SASTORE) => b'I',
            Some(op::LASTORE) => b'J',
            Some(op::FASTORE) => b'F',
            Some(op::DASTORE) => b'D',
            Some(op::AASTORE) => b'L',
            _ => ANY,
        }
    }

    /// What came out of a library together with the value that was read last. Mostly there is nothing: every call and
    /// every return asks.
    #[inline]
    pub(super) fn contents_if_ahead(&mut self) -> ReplayResult {
        match self.source.tag() {
            tag::FIELDS | tag::CONTENT | tag::CONTENTS => self.all_contents(),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn all_contents(&mut self) -> ReplayResult {
        loop {
            match self.source.tag() {
                tag::FIELDS => self.object_contents()?,
                tag::CONTENT | tag::CONTENTS => self.contents()?,
                _ => return Ok(()),
            }
        }
    }

    /// What an object holds that came out of a library.
    fn object_contents(&mut self) -> ReplayResult {
        let Some(Record::Fields { id, count }) = self.source.record() else { return Err(Interrupt::Lost) };
        let fields = self.objects.type_of(id).map_or(&[][..], |ty| self.program.fields(ty));
        let kind = |at: usize| fields.get(at).map_or(ANY, |field| field.kind);
        let mut values = mem::take(&mut self.args);
        values.clear();
        let done = self.follow_all((0..usize::from(count)).map(kind), &mut values);
        self.emit(EventKind::ObjectContents { object: id, values: &values });
        self.args = values;
        done
    }

    /// The values that belong to the record before them, as far as they are there.
    pub(super) fn follow_all(
        &mut self,
        kinds: impl Iterator<Item = u8>,
        values: &mut Vec<Value>,
    ) -> ReplayResult {
        for kind in kinds {
            values.push(self.follow(kind)?);
        }
        Ok(())
    }

    /// Elements of an array that came out of a library.
    fn contents(&mut self) -> ReplayResult {
        let mut data = mem::take(&mut self.data);
        data.clear();
        let header = match self.source.record() {
            Some(Record::Content { id, length, from, kind, data: bytes, .. }) => {
                data.extend_from_slice(bytes);
                Some((id, length, from, Err(kind)))
            }
            Some(Record::Contents { id, length, from, count }) => Some((id, length, from, Ok(count))),
            _ => None,
        };
        let done = match header {
            None => Err(Interrupt::Lost),
            Some((array, length, from, Err(kind))) => {
                let elements = Elements::Primitive { kind, data: &data };
                self.emit(EventKind::ArrayContents { array, length, from, elements });
                Ok(())
            }
            Some((array, length, from, Ok(count))) => {
                let mut values = mem::take(&mut self.args);
                values.clear();
                let done = self.follow_all((0..count).map(|_| b'L'), &mut values);
                let elements = Elements::References(&values);
                self.emit(EventKind::ArrayContents { array, length, from, elements });
                self.args = values;
                done
            }
        };
        self.data = data;
        done
    }
}
