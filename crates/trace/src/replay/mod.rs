//! Replay: runs the program's bytecode again, one thread at a time, with everything that cannot be recomputed
//! taken from the log, and tells a visitor what happens. It never fails: where log and code do not fit, the call
//! in question becomes a gap, its records are stepped over, and its caller goes on.

mod between;
mod calls;
mod explicit;
mod fast;
mod heap;
mod interpret;
mod slot;
mod source;

use std::ops::ControlFlow;

use crate::class_model::{Method, Mode};
use crate::code::Code;
use crate::event::{Callee, Event, EventKind, Site};
use crate::ids::{MethodId, PendingId};
use crate::objects::Objects;
use crate::program::Program;
use crate::value::Value;
use slot::{Boxes, Slot, TOP};
use source::Source;

pub(crate) use source::Piece;

/// How far replay goes without a record before it thinks that something is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions in loops without a record, at the end of the log: then the program was stopped in there.
    pub at_end: u32,
    /// How many times as many, elsewhere.
    pub elsewhere: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { at_end: 10_000_000, elsewhere: 2_000 }
    }
}

/// What became of a thread's replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
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
    pub why: &'static str,
    /// How many events of the thread precede it.
    pub after: u64,
}

/// More gaps than these are only counted.
const GAPS_KEPT: usize = 100;
/// Slots of all open calls of a thread: more than any Java stack has.
const MAX_SLOTS: usize = 1 << 24;

/// Why the present call does not simply go on.
enum Flow {
    /// Another call is on top now, or this one goes on elsewhere.
    Switch,
    /// The log ends.
    End,
    /// A part of the log is missing.
    Lost,
    /// Log and code do not fit.
    Gap(&'static str),
}

type Step<T = ()> = std::result::Result<T, Flow>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Replayed,
    /// Every event is explicit.
    Explicit,
    /// After a gap: only the nesting of calls is followed.
    Skipped,
}

/// How far an instruction got that needs several records.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// Explicit detail: the call that is out.
    call: Option<&'p Callee>,
    /// Explicit detail: the object whose constructor is called.
    creating: Option<PendingId>,
    /// In a constructor: what `this` was called before it had an identity, and whether it has one now.
    this: Option<PendingId>,
    this_named: bool,
    /// The object that the constructor called last has named.
    child_named: Option<PendingId>,
    /// The instruction during which a nested call was left by an exception.
    threw_at: Option<u32>,
    /// Was it said that the rest of the call is a gap?
    told_gap: bool,
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
        child_named: None,
        threw_at: None,
        told_gap: false,
    };

    fn site(&self) -> Site {
        Site { method: self.id, bci: self.code.map_or(0, |code| code.bci(self.ip)) }
    }
}

pub(crate) struct Replay<'p, V> {
    program: &'p Program,
    objects: &'p Objects,
    source: Source<'p>,
    visit: V,
    /// The innermost open call; `Activation::NONE` outside of any.
    top: Activation<'p>,
    /// The calls around it, the outermost first.
    suspended: Vec<Activation<'p>>,
    open: u32,
    /// Recorded depth = open calls + this; only after a loss it is not 0.
    shift: i64,
    /// Calls may have been entered or left in a part that is lost.
    shift_unknown: bool,
    slots: Vec<Slot>,
    boxes: Boxes,
    args: Vec<Value>,
    data: Vec<u8>,
    known: Box<[Option<Known<'p>>; 256]>,
    next_pending: u32,
    limits: Limits,
    fuel: u32,
    rounds: u32,
    fuel_position: u64,
    stopped: bool,
    outcome: Outcome,
}

/// A method that was entered lately.
#[derive(Clone, Copy)]
struct Known<'p> {
    id: MethodId,
    class: &'p crate::program::Class,
    method: &'p Method,
    code: Option<&'p Code>,
}

impl<'p, V: FnMut(&Event<'_>) -> ControlFlow<()>> Replay<'p, V> {
    pub fn new(
        program: &'p Program,
        objects: &'p Objects,
        limits: Limits,
        next: impl FnMut() -> Piece + 'p,
        visit: V,
    ) -> Self {
        Replay {
            program,
            objects,
            source: Source::new(next),
            visit,
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
            next_pending: 0,
            limits,
            fuel: limits.at_end,
            rounds: 0,
            fuel_position: 0,
            stopped: false,
            outcome: Outcome::default(),
        }
    }

    /// Tells the visitor everything, or all up to where it breaks off. `ended`: the thread is known to have ended.
    pub fn run(mut self, ended: bool) -> Outcome {
        self.emit_at(None, false, EventKind::ThreadStart);
        while !self.stopped {
            let flow = if self.open == 0 {
                self.outside()
            } else if self.top.how == How::Replayed {
                self.interpret()
            } else {
                self.explicit()
            };
            match flow {
                Flow::Switch => {}
                Flow::End => break,
                Flow::Lost => self.lost(),
                Flow::Gap(why) => {
                    if self.open == 0 || !self.top.told_gap {
                        self.gap(why);
                    }
                    self.top.told_gap = true;
                    self.top.how = How::Skipped;
                }
            }
        }
        if ended {
            self.emit_at(None, false, EventKind::ThreadEnd);
        }
        self.outcome.open = self.open;
        self.outcome
    }

    #[inline]
    fn emit(&mut self, kind: EventKind<'_>) {
        let site = (self.open > 0).then(|| self.top.site());
        self.emit_at(site, false, kind);
    }

    #[inline]
    fn emit_at(&mut self, site: Option<Site>, library: bool, kind: EventKind<'_>) {
        if self.stopped {
            return;
        }
        self.outcome.events += 1;
        let event = Event { site, depth: self.open, library, kind };
        if (self.visit)(&event).is_break() {
            self.stopped = true;
            self.fuel = 0;
        }
    }

    fn gap(&mut self, why: &'static str) {
        self.emit(EventKind::Gap { why });
        self.outcome.gap_count += 1;
        if self.outcome.gaps.len() < GAPS_KEPT {
            let site = (self.open > 0).then(|| self.top.site());
            self.outcome.gaps.push(Gap { site, why, after: self.outcome.events });
        }
    }

    /// A part of the log is missing: of no open call is known what it did, nor whether it is still open.
    fn lost(&mut self) {
        self.gap("a part of the log is missing");
        self.top.how = How::Skipped;
        self.suspended.iter_mut().for_each(|call| call.how = How::Skipped);
        self.shift_unknown = true;
        self.source.pass_loss();
    }

    /// Makes a new innermost call; its slots are reserved and empty.
    fn push(&mut self, known: Known<'p>, this: Option<PendingId>) -> Step {
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
            ..Activation::NONE
        });
        self.slots.resize(limit, TOP);
        match (no_code, too_deep) {
            (true, _) => Err(Flow::Gap("the method's code is missing or cannot be understood")),
            (_, true) => Err(Flow::Gap("the calls are nested deeper than any Java stack")),
            _ => Ok(()),
        }
    }

    fn suspend(&mut self, new: Activation<'p>) {
        if self.open > 0 {
            self.suspended.push(self.top);
        }
        self.top = new;
        self.open += 1;
    }

    /// The innermost call is over.
    fn pop(&mut self, threw: bool) {
        let child = self.top;
        self.top = self.suspended.pop().unwrap_or(Activation::NONE);
        self.open = self.open.saturating_sub(1);
        self.slots.truncate(self.top.limit);
        if threw {
            self.top.threw_at = Some(self.top.ip);
        }
        if child.this_named {
            self.top.child_named = child.this;
        }
    }

    fn depth(&self) -> i64 {
        i64::from(self.open) + self.shift
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
