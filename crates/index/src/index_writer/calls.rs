//! Rows of calls, from when they begin to how they end, and objects that came into being in them.

use base::{Ending, Target};
use classfile::opcode;
use trace::{Callee, Event, Jump, ObjectId, Value};

use super::{At, CHILD_STEP, Entered, FOREIGN, JUMP_COST, Kind, Open, OpenCall, WORTH_A_JUMP, Writing};
use crate::call::{CallRow, LateRow};
use crate::call_block::ROWS;
use crate::error::Result;
use crate::lists::{ChildRow, JumpRow};
use crate::posting::{Key, NO_BCI, Posting, PostingKind, RESULT, Stored};
use crate::wrapped::Buffering;

impl Writing<'_> {
    /// A library had an object made. If its own class's constructor was the first of the program's to run, then none of a
    /// library ran before it that could have written to it: it began with zeros. Where the program itself called
    /// `newInstance`, nobody else has it in hand, and it is as with a `new` there.
    pub(super) fn constructed(&mut self, object: ObjectId, posting: Posting) {
        let open = &self.writer.open;
        let Some(at) = open.iter().rposition(|open| {
            matches!(open.call, Some(call) if call.entry == posting.ordinal) && open.kind == FOREIGN
        }) else {
            return;
        };
        let class = match open[at].call.map(|call| call.target) {
            Some(Target::Method(method)) => self.program.method(method).map(|(class, _)| class.id),
            _ => None,
        };
        let ty = self.objects.type_of(object).and_then(|ty| self.program.type_info(ty));
        let is_own = class.is_some() && ty.is_some_and(|ty| ty.class == class);
        if !is_own || self.objects.is_doubtful(object) {
            return;
        }
        self.files.reads.make_foreign(object);
        match at.checked_sub(1).map(|below| &open[below]) {
            Some(Open { kind: Kind::Made, row, call: Some(call), .. })
                if self.is_new_instance(call.target) =>
            {
                self.writer.reflected.push((*row, posting));
            }
            _ => self.writer.postings.push(Stored::from(&posting)),
        }
    }

    pub(super) fn is_new_instance(&self, target: Target) -> bool {
        let Target::Library(callee) = target else { return false };
        let callee = self.program.callee(callee);
        callee.is_some_and(|(owner, name, _)| jdk::unseen::is_new_instance(owner, name))
    }

    /// A call came back in which objects may have come into being by reflection.
    pub(super) fn reflected(&mut self, open: &Open, ending: Ending) {
        while let Some((_, mut posting)) = self.writer.reflected.pop_if(|(row, _)| *row >= open.row) {
            let object = ObjectId(posting.key.object);
            if let (Some(call), Ending::Returned(Some(Value::Object(result)))) = (&open.call, ending)
                && result == object
            {
                (posting.ordinal, posting.bci, posting.library) = (call.entry, call.bci, false);
                self.files.reads.make(object);
            }
            self.writer.postings.push(Stored::from(&posting));
        }
    }

    pub(super) fn call(&mut self, callee: &Callee, args: &[Value], at: At) -> Result<()> {
        let traits = self.writer.traits.of(callee);
        if traits.hidden {
            if callee.opcode == opcode::INVOKEDYNAMIC && !jdk::names::joins_strings(&callee.name) {
                self.captured(args, at);
            }
            // Texts are joined of what objects say of themselves.
            let harmless = args.iter().all(|arg| !matches!(arg, Value::Object(_)));
            self.writer.open.push(Open { harmless, ..Open::without_row(Kind::Hidden) });
            return Ok(());
        }
        let (receiver, rest) = match (callee.receiver(), args) {
            (true, [receiver, rest @ ..]) => (Some(*receiver), rest),
            _ => (None, args),
        };
        let harmless = !self.writer.told.is_empty() && self.is_harmless(callee, receiver, rest);
        self.begin(Kind::Made, Target::Library(callee.id), receiver, rest, at)?;
        if let (true, Some(open)) = (harmless, self.writer.open.last_mut()) {
            open.harmless = true;
        }
        self.writer.buffering = Buffering::default();
        if traits.buffer || !self.files.wrapped.is_empty() {
            self.buffered(callee, receiver, rest, at);
        }
        (self.writer.reading, self.writer.filled) = (None, None);
        if traits.arrays {
            self.give(rest);
            if traits.reads_into {
                self.writer.reading = match rest.get(1) {
                    Some(&Value::Int(from)) => u32::try_from(from).ok(),
                    _ => Some(0),
                };
            }
        }
        self.writer.copying = None;
        if traits.copies
            && let &[_, _, Value::Object(target), Value::Int(to), Value::Int(length)] = rest
        {
            self.writer.copying = Some((target, to.max(0) as u32, length.max(0) as u32));
        }
        if traits.prints {
            let row = self.row(at.ordinal);
            self.files.output.push(row);
        }
        Ok(())
    }

    pub(super) fn enter(
        &mut self,
        event: &Event<'_>,
        receiver: Option<Value>,
        args: &[Value],
        called: bool,
    ) -> Result<()> {
        while self.writer.depth >= event.depth && self.writer.depth > 0 {
            self.lost()?;
        }
        let Some(site) = event.site else { return Ok(()) };
        let target = Target::Method(site.method);
        let ordinal = self.writer.ordinal;
        let entered = Entered { at: ordinal, spared: self.writer.spared };
        if called
            && let Some(top) = self.writer.open.last_mut()
            && top.kind == Kind::Made
            && let Some(call) = &mut top.call
        {
            top.kind = Kind::Program { called: true };
            top.entered = entered;
            self.writer.depth += 1;
            // It began when it was called: class initialisers may have run since, and are in it.
            call.target = target;
            self.writer.calls.set_target(top.row, target);
            return Ok(());
        }
        let at = At { ordinal, bci: NO_BCI, library: false };
        self.writer.depth += 1;
        self.forget_libraries(at);
        if let Some(object @ Value::Pending(_)) = receiver {
            self.post_object(object, Key::created, PostingKind::Created, At { library: true, ..at });
        }
        self.begin(FOREIGN, target, receiver, args, at)?;
        if let Some(open) = self.writer.open.last_mut() {
            open.entered = entered;
        }
        Ok(())
    }

    /// A new row.
    pub(super) fn begin(
        &mut self,
        kind: Kind,
        target: Target,
        receiver: Option<Value>,
        args: &[Value],
        at: At,
    ) -> Result<()> {
        if self.writer.calls.is_full() {
            self.writer.pack(self.files, false)?;
        }
        let row = self.writer.calls.rows as u32;
        let parent = self.writer.open.iter_mut().rev().find(|open| open.call.is_some());
        let (mut parent_row, mut depth) = (None, 0);
        if let Some(Open { row: above, call: Some(call), .. }) = parent {
            if call.children % CHILD_STEP == 0 && call.children > 0 {
                let at = call.children / CHILD_STEP;
                self.files.children.push(ChildRow { stream: self.writer.stream.0, parent: *above, at, row });
            }
            call.children += 1;
            (parent_row, depth) = (Some(*above), call.depth + 1);
        }
        let call = CallRow {
            target,
            parent: parent_row,
            depth,
            entry: at.ordinal,
            exit: at.ordinal,
            bci: at.bci,
            size: 1,
            children: 0,
            ending: Ending::Open,
        };
        self.writer.calls.push(call, &receiver, args);
        let call = OpenCall { target, entry: at.ordinal, bci: at.bci, depth, children: 0 };
        self.writer.open.push(Open { row, call: Some(call), ..Open::without_row(kind) });
        Ok(())
    }

    /// The call that an instruction made came back, or was left by an exception.
    pub(super) fn returned(&mut self, ending: Ending, at: At) -> Result<()> {
        match self.writer.open.last() {
            Some(open) if !matches!(open.kind, Kind::Program { .. }) => {}
            _ => return Ok(()),
        }
        match self.writer.open.pop() {
            Some(open) if open.kind == Kind::Made => {
                if let (Some(from), Ending::Returned(Some(Value::Int(count)))) =
                    (self.writer.reading.take(), ending)
                {
                    self.writer.filled = Some(from.saturating_add(count.max(0) as u32));
                }
                if let Ending::Returned(Some(Value::Object(object))) = ending
                    && self.objects.length(object).is_none()
                {
                    self.files.wrapped.came_back(&mut self.writer.buffering, object);
                }
                self.writer.back = match open.call.map(|call| call.target) {
                    Some(Target::Library(callee)) => Some(callee),
                    _ => None,
                };
                self.end(open, ending)
            }
            Some(open) if open.kind == Kind::Hidden => {
                if !open.harmless {
                    self.forget_libraries(at);
                }
                // A lambda comes into being where it was written.
                if let Ending::Returned(Some(Value::Object(object))) = ending {
                    self.post(Key::created(object), PostingKind::Created, at);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The call of program code at this depth ended.
    pub(super) fn leave(&mut self, depth: u32, ending: Ending, jump: Option<Jump>) -> Result<()> {
        while self.writer.depth > depth {
            self.lost()?;
        }
        while let Some(open) = self.writer.open.pop() {
            let Kind::Program { called } = open.kind else {
                self.end(open, Ending::Threw(None))?;
                continue;
            };
            self.writer.depth -= 1;
            if let Some(jump) = jump {
                self.jump(open.entered, jump);
            }
            self.end(open, ending)?;
            if called {
                self.writer.open.push(Open { harmless: true, ..Open::without_row(Kind::Ended) });
            }
            break;
        }
        Ok(())
    }

    /// The call that was entered then can be stepped over, if that is worth it.
    fn jump(&mut self, entered: Entered, jump: Jump) {
        let writer = &mut *self.writer;
        let events = writer.ordinal - entered.at;
        if events - (writer.spared - entered.spared) >= WORTH_A_JUMP {
            writer.spared = entered.spared + events - JUMP_COST;
            self.files.jumps.push(JumpRow { stream: writer.stream.0, enter: entered.at, jump });
        }
    }

    /// The innermost call's end is not in the log.
    pub(super) fn lost(&mut self) -> Result<()> {
        let Some(open) = self.writer.open.pop() else {
            self.writer.depth = 0;
            return Ok(());
        };
        if matches!(open.kind, Kind::Program { .. }) {
            self.writer.depth = self.writer.depth.saturating_sub(1);
        }
        self.end(open, Ending::Threw(None))
    }

    pub(super) fn end(&mut self, open: Open, ending: Ending) -> Result<()> {
        let Some(call) = open.call else { return Ok(()) };
        if open.kind == Kind::Made && !open.harmless {
            let at = At { ordinal: self.writer.ordinal, bci: NO_BCI, library: true };
            self.forget_libraries(at);
        }
        let exit = self.writer.ordinal;
        while self.writer.given.last().is_some_and(|&(row, _)| row >= open.row) {
            self.writer.given.pop();
        }
        if !self.writer.reflected.is_empty() {
            self.reflected(&open, ending);
        }
        let size = self.writer.calls.rows as u32 - open.row;
        let end = LateRow { exit, size, children: call.children, ending };
        self.writer.calls.set(&mut self.files.calls, open.row, &end)?;
        // Within its block, the row says it.
        let is_beyond = open.row as usize % ROWS + size as usize > ROWS;
        if let Ending::Returned(Some(Value::Object(object))) = ending
            && is_beyond
        {
            let at = At { ordinal: exit, bci: call.bci, library: false };
            self.post(Key::uses(object), PostingKind::Used { call: open.row, part: RESULT }, at);
        }
        Ok(())
    }

    pub(super) fn throw(&mut self, exception: Option<Value>, end: Option<Jump>, at: At) -> Result<()> {
        self.writer.end = end;
        let is_made = self.writer.open.last().is_some_and(|open| open.kind == Kind::Made);
        if let Some((target, to, length)) = self.writer.copying.take()
            && is_made
            && self.is_store_failure(exception)
        {
            // The copy came to an element that does not fit: nobody knows how far it had got.
            let (from, to) = (to, to.saturating_add(length));
            self.post_range(target, PostingKind::Filled { from, to, value: Value::Top }, at);
        }
        if is_made {
            self.gave_up(exception, at);
        }
        self.returned(Ending::Threw(exception), at)?;
        // An exception that left a callee is not new.
        if self.writer.leaving.take().is_none_or(|leaving| Some(leaving) != exception) {
            let row = self.row(at.ordinal);
            self.files.throws.push(row);
        }
        Ok(())
    }
}
