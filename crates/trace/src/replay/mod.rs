//! Replay: runs the program's bytecode again, one thread at a time, with everything that cannot be recomputed
//! taken from the log, and tells a visitor what happens. It never fails: where log and code do not fit, the call
//! in question becomes a gap, its records are stepped over, and its caller goes on.

mod between;
mod calls;
mod checkpoint;
mod explicit;
mod fast;
mod heap;
mod interpret;
mod linked;
mod slot;
mod source;
mod tail;
mod visitor;

use std::sync::Arc;

use crate::class_model::{Method, Mode};
use crate::code::Code;
use crate::event::{Event, EventKind, GapReason, Jump, Site};
use crate::ids::{MethodId, PendingId, StreamId};
use crate::objects::Objects;
use crate::program::Program;
use crate::value::Value;
use checkpoint::SavedActivation;
use linked::Selected;
use slot::{Boxes, EMPTY, Slot};
use source::Source;

pub use checkpoint::Checkpoint;
pub(crate) use source::Log;
pub(crate) use tail::firm;
pub use visitor::{Read, ReadKind, Then, Visitor};

/// How far replay goes without a record before it thinks that something is wrong.
#[derive(Clone, Copy, Debug)]
pub struct ReplayLimits {
    /// Instructions in loops without a record, at the end of the log: then the program was stopped in there.
    pub at_end: u32,
    /// How many times as many, elsewhere.
    pub elsewhere: u32,
}

impl Default for ReplayLimits {
    fn default() -> Self {
        ReplayLimits { at_end: 10_000_000, elsewhere: 2_000 }
    }
}

/// What became of a thread's replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayEnd {
    pub events: u64,
    /// Calls that were open when the log ended.
    pub open: u32,
    /// Places where log and code did not fit; the first of them, and how many there are.
    pub gaps: Vec<Gap>,
    pub gap_count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// None outside of any call.
    pub site: Option<Site>,
    pub why: GapReason,
    /// How many events of the thread precede it.
    pub after: u64,
}

/// Why a replay came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paused {
    /// As many events were told as were asked for.
    Reached,
    /// The log is over.
    End,
    /// The visitor wanted no more. The replay cannot be continued.
    Stopped,
    /// The log still grows and says nothing certain beyond this.
    Waiting,
}

/// More gaps than these are only counted.
const GAPS_KEPT: usize = 100;
/// Slots of all open calls of a thread: more than any Java stack has.
const MAX_SLOTS: usize = 1 << 24;

/// Why the present call does not simply go on.
enum Interrupt {
    /// Another call is on top now, or this one goes on elsewhere.
    Switch,
    /// The log ends.
    End,
    /// The log still grows: what comes next is not certain yet.
    Wait,
    /// A part of the log is missing.
    Lost,
    /// Log and code do not fit.
    Gap(GapReason),
}

type ReplayResult<T = ()> = std::result::Result<T, Interrupt>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Replayed,
    /// Every event is explicit.
    Explicit,
    /// After a gap: only the nesting of calls is followed.
    Skipped,
    /// The visitor wants nothing but its end.
    LeftOut,
}

/// How far an instruction got that needs several records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Fresh,
    /// `Call` was told.
    Called,
    /// And the program's method that it called was entered.
    Entered,
    /// A constructor came back; the object is to follow.
    Returned,
}

/// An open call of program code. Its locals are `slots[locals..floor]`, its operands `slots[floor..sp]`.
#[derive(Clone, Copy)]
struct Activation<'p> {
    id: MethodId,
    method: Option<&'p Method>,
    code: Option<&'p Code>,
    how: How,
    stage: Stage,
    ip: u32,
    locals: usize,
    floor: usize,
    sp: usize,
    limit: usize,
    /// Explicit detail: the call that is out, as an index into the callees of `code`.
    call: Option<u32>,
    /// Explicit detail: the object whose constructor is called.
    creating: Option<PendingId>,
    /// In a constructor: what `this` was called before it had an identity, and whether it has one now.
    this: Option<PendingId>,
    this_named: bool,
    /// The object that it is, once it is named.
    made: Slot,
    /// The object that the constructor called last has named.
    child_named: Option<PendingId>,
    /// The instruction during which a nested call was left by an exception.
    threw_at: Option<u32>,
    /// Was it said that the rest of the call is a gap?
    told_gap: bool,
    /// Something happened within that what comes after the call depends on.
    indispensable: bool,
    /// Its recorded depth = the open calls when it began, itself included, + this.
    shift: i64,
    /// It was linked: neither its beginning nor its end is in the log, which was here when it began.
    linked: Option<u64>,
}

impl Activation<'_> {
    const NONE: Activation<'static> = Activation {
        id: MethodId(u32::MAX),
        method: None,
        code: None,
        how: How::Skipped,
        stage: Stage::Fresh,
        ip: 0,
        locals: 0,
        floor: 0,
        sp: 0,
        limit: 0,
        call: None,
        creating: None,
        this: None,
        this_named: false,
        made: EMPTY,
        child_named: None,
        threw_at: None,
        told_gap: false,
        indispensable: false,
        shift: 0,
        linked: None,
    };

    fn site(&self) -> Site {
        Site { method: self.id, bci: self.code.map_or(0, |code| code.bci(self.ip)) }
    }

    /// Is it a constructor that tells which object `this` is?
    fn names_this(&self) -> bool {
        self.method.is_some_and(|method| method.is_constructor() && method.mode == Mode::Replayed)
    }
}

/// The replay of one thread: can be run in portions, be saved, and leave calls out.
pub struct Replay<'p, V> {
    stream: StreamId,
    program: &'p Program,
    objects: &'p Objects,
    source: Source<'p>,
    visitor: V,
    /// The innermost open call; `Activation::NONE` outside of any.
    top: Activation<'p>,
    /// The calls around it, the outermost first.
    suspended: Vec<Activation<'p>>,
    open: u32,
    /// The recorder's depth = open calls + this. Not 0 after a loss, and after an exception ended a constructor in its
    /// `super()` or `this()`: there the recorder cannot notice it, and finds back when a call around that ends.
    shift: i64,
    /// Calls may have been entered or left in a part that is lost.
    shift_unknown: bool,
    slots: Vec<Slot>,
    boxes: Boxes,
    args: Vec<Value>,
    data: Vec<u8>,
    known: Box<[Option<Known<'p>>; 256]>,
    selected: Selected<'p>,
    next_pending: u32,
    /// Calls that were linked so far in the outermost call.
    links: u32,
    /// Calls of which nothing was told may have linked others.
    links_unknown: bool,
    limits: ReplayLimits,
    /// Instructions in loops until it is asked whether they have an end.
    fuel: i64,
    rounds: u32,
    fuel_offset: u64,
    /// A pause is wanted once this many events were told.
    until: u64,
    /// The visitor wants the call that was just entered left out.
    skip: Option<Jump>,
    /// The thread is known to have ended with the log.
    ended: bool,
    begun: bool,
    over: bool,
    stopped: bool,
    outcome: ReplayEnd,
    /// Fewest open calls since the last checkpoint, and the calls as they were then.
    lowest: u32,
    /// So many of the suspended calls, from the outermost on, are known to be indispensable.
    all_indispensable: usize,
    saved: Vec<Arc<SavedActivation>>,
}

/// What is replayed: a stream of a recording, and how.
pub(crate) struct Thread<'p> {
    pub stream: StreamId,
    pub program: &'p Program,
    pub objects: &'p Objects,
    pub limits: ReplayLimits,
    pub log: Log<'p>,
    /// It is known to have ended with the log.
    pub ended: bool,
}

/// A method that was entered lately.
#[derive(Clone, Copy)]
struct Known<'p> {
    id: MethodId,
    class: &'p crate::program::Class,
    method: &'p Method,
    code: Option<&'p Code>,
}

impl<'p, V: Visitor> Replay<'p, V> {
    pub(crate) fn new(thread: Thread<'p>, visitor: V) -> Self {
        let Thread { stream, program, objects, limits, log, ended } = thread;
        Replay {
            stream,
            program,
            objects,
            source: Source::new(log),
            visitor,
            top: Activation::NONE,
            suspended: Vec::new(),
            open: 0,
            shift: 0,
            shift_unknown: false,
            slots: Vec::new(),
            boxes: Boxes::default(),
            args: Vec::new(),
            data: Vec::new(),
            known: Box::new([None; 256]),
            selected: Selected::default(),
            next_pending: 0,
            links: 0,
            links_unknown: false,
            limits,
            fuel: limits.at_end.into(),
            rounds: 0,
            fuel_offset: 0,
            until: 0,
            skip: None,
            ended,
            begun: false,
            over: false,
            stopped: false,
            outcome: ReplayEnd::default(),
            lowest: 0,
            all_indispensable: 0,
            saved: Vec::new(),
        }
    }

    /// Goes on until at least `until` events of the thread were told, counted from its start; then up to where it
    /// can be continued, which is a few events later. What is told does not depend on where pauses are.
    pub fn run(&mut self, until: u64) -> Paused {
        self.until = until;
        let paused = self.run_on();
        self.outcome.open = self.open;
        paused
    }

    /// The ordinal of the next event.
    pub fn events(&self) -> u64 {
        self.outcome.events
    }

    /// How far the log was read.
    pub fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// What was seen so far; gaps only since the checkpoint that this replay started from.
    pub fn outcome(&self) -> &ReplayEnd {
        &self.outcome
    }

    pub fn visitor(&self) -> &V {
        &self.visitor
    }

    pub fn visitor_mut(&mut self) -> &mut V {
        &mut self.visitor
    }

    pub fn into_visitor(self) -> V {
        self.visitor
    }

    fn run_on(&mut self) -> Paused {
        if !self.begun && !self.stopped {
            self.begun = true;
            self.emit_at(None, false, EventKind::ThreadStart);
        }
        loop {
            if self.stopped {
                return Paused::Stopped;
            }
            if self.over {
                return Paused::End;
            }
            if self.outcome.events >= self.until {
                return Paused::Reached;
            }
            let flow = if self.open == 0 {
                self.outside()
            } else if self.top.how == How::Replayed {
                self.interpret()
            } else {
                self.explicit()
            };
            match flow {
                Interrupt::Switch => {}
                Interrupt::Wait => return Paused::Waiting,
                Interrupt::End => self.end_thread(),
                Interrupt::Lost => self.lost(),
                Interrupt::Gap(why) => self.give_up(why),
            }
        }
    }

    /// Log and code do not fit: of the call on top nothing more is said. Where a linked call ends the log does not
    /// say, so that one is over, and nothing more is said of its caller either.
    fn give_up(&mut self, why: GapReason) {
        loop {
            if self.open == 0 || !self.top.told_gap {
                self.gap(why);
            }
            self.top.told_gap = true;
            self.top.how = How::Skipped;
            // Calls that it makes from here on are not seen.
            self.links_unknown = true;
            if self.top.linked.is_none() {
                return;
            }
            self.shift_unknown = true;
            self.forbid_skipping();
            self.emit(EventKind::Exit { value: None });
            self.pop(false);
        }
    }

    fn end_thread(&mut self) {
        if self.ended {
            self.emit_at(None, false, EventKind::ThreadEnd);
        }
        self.over = true;
    }

    #[inline]
    fn emit(&mut self, kind: EventKind<'_>) {
        let site = (self.open > 0).then(|| self.top.site());
        self.emit_at(site, false, kind);
    }

    #[inline]
    fn emit_at(&mut self, site: Option<Site>, library: bool, kind: EventKind<'_>) {
        self.emit_with_end(site, library, None, kind);
    }

    #[inline]
    fn emit_with_end(&mut self, site: Option<Site>, library: bool, end: Option<Jump>, kind: EventKind<'_>) {
        if self.stopped {
            return;
        }
        self.outcome.events += 1;
        let event = Event { site, depth: self.open, library, end, kind };
        match self.visitor.event(&event) {
            Then::On => {}
            Then::Stop => self.stop(),
            Then::Skip(jump) => self.skip = matches!(kind, EventKind::Enter { .. }).then_some(jump),
        }
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.until = 0;
    }

    /// The call on top returns; the record that says so is at `offset`.
    fn exit(&mut self, offset: u64, value: Option<Value>) {
        // Its caller tells which object was made, unless this call has done so.
        let untold = self.top.names_this() && !self.top.this_named;
        let end = if untold { None } else { self.end(offset) };
        self.emit_with_end(Some(self.top.site()), false, end, EventKind::Exit { value });
        self.pop(false);
    }

    /// How to get to the end of the call on top, of which nothing was told yet.
    fn end(&self, offset: u64) -> Option<Jump> {
        let jump = Jump {
            offset,
            events: self.outcome.events,
            pending: self.next_pending,
            links: self.links,
            linked: None,
        };
        (self.open > 0 && !self.top.indispensable).then_some(jump)
    }

    /// After an `Enter`: goes to the call's end if the visitor wants that.
    #[inline]
    fn leave_out_if_asked(&mut self) -> ReplayResult {
        let Some(jump) = self.skip.take() else { return Ok(()) };
        self.source.go_to(jump.offset);
        self.outcome.events = jump.events;
        self.next_pending = jump.pending;
        self.links = jump.links;
        match jump.linked {
            None => {
                self.top.how = How::LeftOut;
                Err(Interrupt::Switch)
            }
            Some(value) => {
                let made = self.top.names_this();
                self.top.this_named = made;
                let result = if made { None } else { value };
                self.exit_linked(result, value.filter(|_| made))
            }
        }
    }

    /// Something happened that matters after the open calls, too: they cannot be left out.
    fn forbid_skipping(&mut self) {
        if self.top.indispensable && self.all_indispensable == self.suspended.len() {
            return;
        }
        self.top.indispensable = true;
        self.suspended[self.all_indispensable..].iter_mut().for_each(|call| call.indispensable = true);
        self.all_indispensable = self.suspended.len();
        self.lowest = 0;
    }

    fn gap(&mut self, why: GapReason) {
        self.emit(EventKind::Gap { why });
        self.outcome.gap_count += 1;
        if self.outcome.gaps.len() < GAPS_KEPT {
            let site = (self.open > 0).then(|| self.top.site());
            self.outcome.gaps.push(Gap { site, why, after: self.outcome.events });
        }
    }

    /// A part of the log is missing: of no open call is known what it did, nor whether it is still open.
    fn lost(&mut self) {
        self.gap(GapReason::LostLog);
        self.top.how = How::Skipped;
        self.suspended.iter_mut().for_each(|call| call.how = How::Skipped);
        self.shift_unknown = true;
        self.links_unknown = true;
        self.forbid_skipping();
        self.source.pass_loss();
    }

    /// Makes a new innermost call; its slots are reserved and empty.
    fn push(&mut self, known: Known<'p>, this: Option<PendingId>, linked: Option<u64>) -> ReplayResult {
        let base = self.slots.len();
        let mut how = if known.method.mode == Mode::Replayed { How::Replayed } else { How::Explicit };
        let (locals, stack) = match known.code {
            Some(code) if how == How::Replayed => (usize::from(code.max_locals), usize::from(code.max_stack)),
            _ => (0, 0),
        };
        let no_code = how == How::Replayed && known.code.is_none();
        let too_deep = base + locals + stack > MAX_SLOTS;
        let limit = if too_deep { base } else { base + locals + stack };
        if no_code || too_deep {
            how = How::Skipped;
        }
        self.suspend(Activation {
            id: known.id,
            method: Some(known.method),
            code: known.code,
            how,
            locals: base,
            floor: if too_deep { base } else { base + locals },
            sp: if too_deep { base } else { base + locals },
            limit,
            this,
            linked,
            ..Activation::NONE
        });
        self.slots.resize(limit, EMPTY);
        match (no_code, too_deep) {
            (true, _) => Err(Interrupt::Gap(GapReason::UnreadableCode)),
            (_, true) => Err(Interrupt::Gap(GapReason::TooDeep)),
            _ => Ok(()),
        }
    }

    fn suspend(&mut self, new: Activation<'p>) {
        if self.open > 0 {
            self.suspended.push(self.top);
        }
        self.top = new;
        self.top.shift = self.shift;
        self.top.indispensable = self.shift_unknown;
        self.open += 1;
        if self.top.linked.is_none() {
            self.count_anew();
        }
    }

    /// The innermost call is over.
    fn pop(&mut self, threw: bool) {
        let child = self.top;
        self.shift = child.shift;
        self.top = self.suspended.pop().unwrap_or(Activation::NONE);
        self.open = self.open.saturating_sub(1);
        self.lowest = self.lowest.min(self.open);
        self.all_indispensable = self.all_indispensable.min(self.suspended.len());
        self.slots.truncate(self.top.limit);
        // A linked call may have gone by without a record, and so may all of a loop.
        if child.linked != Some(self.source.offset()) {
            self.count_anew();
        }
        if threw {
            self.top.threw_at = Some(self.top.ip);
        }
        if child.this_named {
            self.top.child_named = child.this;
        }
    }

    /// A call begins or ends, so the log goes on. Counting from here makes it the same whether what lies before was
    /// replayed or left out.
    #[inline]
    fn count_anew(&mut self) {
        self.fuel = self.limits.at_end.into();
        self.rounds = 0;
        self.fuel_offset = u64::MAX;
    }

    /// The recorded depth of the call on top.
    fn depth(&self) -> i64 {
        i64::from(self.open) + if self.open > 0 { self.top.shift } else { self.shift }
    }

    fn known(&mut self, id: MethodId) -> Option<Known<'p>> {
        let slot = id.0 as usize % self.known.len();
        if let Some(known) = self.known[slot]
            && known.id == id
        {
            return Some(known);
        }
        let (class, method) = self.program.method(id)?;
        let known = Known { id, class, method, code: self.program.code(id) };
        self.known[slot] = Some(known);
        Some(known)
    }

    fn new_pending(&mut self) -> PendingId {
        self.next_pending = self.next_pending.wrapping_add(1);
        PendingId(self.next_pending)
    }
}
