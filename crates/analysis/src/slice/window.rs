//! A stretch of a thread between two checkpoints, replayed once: everything that program code did in it, as a plain
//! list, linked per call. What a call did is put in order only when somebody asks about that call.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use index::{Evidence, Position, Target};
use past::{CallId, Past, StreamId, Value};
use trace::{
    BulkWrite, Event, EventKind, FieldId, MethodId, Paused, Program, Read, ReadKind, Then, Visitor, kinds,
};

use super::methods::SlicedMethods;
use super::trail::CallTrail;
use crate::error::{Error, Result};

/// A place in the heap as the code had it; an object may be one that has no identity yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeapSpot {
    Field(Value, Option<FieldId>),
    Static(Option<FieldId>),
    Element(Value, i32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Did {
    Entered,
    Read(HeapSpot, Value),
    Wrote(HeapSpot),
    Local(u16),
    Called,
    New,
    Branched(bool),
    Switched(Option<u32>),
    /// By place in the window's list.
    Bulk(u32),
    Threw,
    Caught,
    Exited,
    /// From here on nothing is known.
    Gap,
}

#[derive(Clone, Copy)]
pub struct WindowEvent {
    /// Of the event; a read has that of the event that comes next.
    pub ordinal: u64,
    pub did: Did,
    pub bci: u16,
    activation: u32,
    /// What the same call did before.
    previous: u32,
}

struct Activation {
    /// Known at once if it was open when the window began.
    call: Option<CallId>,
    entered: Option<u64>,
    method: Option<MethodId>,
    last: u32,
}

const NOTHING: u32 = u32::MAX;

pub struct Window {
    pub stream: StreamId,
    pub first: u64,
    pub end: u64,
    records: Vec<WindowEvent>,
    activations: Vec<Activation>,
    pub bulks: Vec<BulkWrite>,
    /// What was given where strings are joined, or a record's text is made: there is no row of that.
    pub linked: HashMap<u64, Vec<Value>>,
    trails: RefCell<HashMap<u32, Option<Rc<RefCell<CallTrail>>>>>,
}

impl Window {
    /// The window that an event lies in.
    pub fn replay(past: &Past, position: Position) -> Result<Window> {
        let stretch = past.index().stretch(position);
        let start = Position { stream: position.stream, ordinal: stretch.start };
        let checkpoint = past.index().checkpoint(start);
        let window = Window {
            stream: position.stream,
            first: stretch.start,
            end: stretch.end,
            records: Vec::with_capacity(1 << 17),
            activations: open_calls(past, start),
            bulks: Vec::new(),
            linked: HashMap::new(),
            trails: RefCell::default(),
        };
        let stack = (0..window.activations.len() as u32).collect();
        let next = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
        let taking = Taking { program: past.recording().program(), window, stack, next };
        let replay = match &checkpoint {
            Some(checkpoint) => past.recording().replay_at(checkpoint, taking),
            None => Some(past.recording().replay(position.stream, taking)),
        };
        let mut replay = replay.ok_or(Error::Replay(position.stream.0))?;
        while replay.run(u64::MAX) == Paused::Reached {}
        Ok(replay.into_visitor().window)
    }

    pub fn has(&self, position: Position) -> bool {
        self.stream == position.stream && (self.first..self.end).contains(&position.ordinal)
    }

    /// What the call did that an event belongs to.
    pub fn trail_at(
        &self,
        past: &Past,
        methods: &mut SlicedMethods,
        ordinal: u64,
    ) -> Option<Rc<RefCell<CallTrail>>> {
        let mut at = self.records.partition_point(|record| record.ordinal < ordinal);
        while let Some(record) = self.records.get(at).filter(|record| record.ordinal == ordinal) {
            if !matches!(record.did, Did::Read(..)) {
                return self.trail(past, methods, record.activation);
            }
            at += 1;
        }
        None
    }

    /// What a call did in this window, if anything.
    pub fn trail_of(
        &self,
        past: &Past,
        methods: &mut SlicedMethods,
        call: CallId,
    ) -> Option<Rc<RefCell<CallTrail>>> {
        let open = self.activations.iter().take_while(|one| one.entered.is_none());
        if let Some(at) = open.into_iter().position(|one| one.call == Some(call)) {
            return self.trail(past, methods, at as u32);
        }
        let row = past.index().call(call)?;
        let before = |one: &Activation| one.entered.is_none_or(|entered| entered < row.entry);
        let from = self.activations.partition_point(before);
        let until = |one: &&Activation| one.entered.is_some_and(|entered| entered <= row.exit);
        let found = self.activations[from..].iter().take_while(until).position(|one| {
            let at = one.entered.map(|ordinal| Position { stream: self.stream, ordinal });
            at.and_then(|at| past.index().call_at(at)) == Some(call)
        });
        self.trail(past, methods, (from + found?) as u32)
    }

    fn trail(&self, past: &Past, methods: &mut SlicedMethods, at: u32) -> Option<Rc<RefCell<CallTrail>>> {
        if let Some(known) = self.trails.borrow().get(&at) {
            return known.clone();
        }
        let made = self.make_trail(past, methods, at).map(|trail| Rc::new(RefCell::new(trail)));
        self.trails.borrow_mut().insert(at, made.clone());
        made
    }

    fn make_trail(&self, past: &Past, methods: &mut SlicedMethods, at: u32) -> Option<CallTrail> {
        let activation = self.activations.get(at as usize)?;
        let call = activation.call.or_else(|| {
            past.index().call_at(Position { stream: self.stream, ordinal: activation.entered? })
        })?;
        let method = activation.method?;
        if past.method_of(call) != Some(method) {
            return None;
        }
        let facts = methods.get(past.recording().program(), method)?;
        let mut list = Vec::new();
        let mut next = activation.last;
        while let Some(record) = self.records.get(next as usize) {
            list.push(*record);
            next = record.previous;
        }
        list.reverse();
        Some(CallTrail::new(call, facts, &list))
    }
}

/// The calls of program code that are open right before an event, the outermost first.
fn open_calls(past: &Past, start: Position) -> Vec<Activation> {
    let mut open = Vec::new();
    let mut next = past.index().call_at(start);
    while let Some(id) = next {
        let Some(call) = past.index().call(id) else { break };
        if let (Target::Method(method), true) = (call.target, call.entry < start.ordinal) {
            open.push(Activation { call: Some(id), entered: None, method: Some(method), last: NOTHING });
        }
        next = call.parent.map(|index| CallId { stream: id.stream, index });
    }
    open.reverse();
    open
}

struct Taking<'p> {
    program: &'p Program,
    window: Window,
    /// By depth: the call that is open there.
    stack: Vec<u32>,
    next: u64,
}

impl Taking<'_> {
    #[inline]
    fn add(&mut self, depth: u32, bci: u16, did: Did) {
        let Some(&at) = (depth as usize).checked_sub(1).and_then(|depth| self.stack.get(depth)) else {
            return;
        };
        let place = self.window.records.len() as u32;
        let activation = &mut self.window.activations[at as usize];
        let record = WindowEvent { ordinal: self.next, did, bci, activation: at, previous: activation.last };
        activation.last = place;
        self.window.records.push(record);
    }

    fn enter(&mut self, depth: u32, method: MethodId) {
        let above = (depth as usize).saturating_sub(1);
        self.stack.truncate(above);
        // After a loss, calls may be open that nobody saw.
        while self.stack.len() < above {
            self.begin(None, None);
        }
        self.begin(Some(self.next), Some(method));
    }

    fn begin(&mut self, entered: Option<u64>, method: Option<MethodId>) {
        self.stack.push(self.window.activations.len() as u32);
        let entered = entered.or(Some(self.next));
        self.window.activations.push(Activation { call: None, entered, method, last: NOTHING });
    }
}

impl Visitor for Taking<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        if self.next >= self.window.end {
            return Then::Stop;
        }
        if let (Some(site), false) = (event.site, event.library) {
            let program = self.program;
            let did = match event.kind {
                EventKind::LocalWrite { slot, .. } => Some(Did::Local(slot)),
                EventKind::Branch { taken } => Some(Did::Branched(taken)),
                EventKind::Switch { case, .. } => Some(Did::Switched(case)),
                EventKind::FieldWrite { object, field, .. } => {
                    Some(Did::Wrote(HeapSpot::Field(object, field.id(program))))
                }
                EventKind::StaticWrite { field, .. } => Some(Did::Wrote(HeapSpot::Static(field.id(program)))),
                EventKind::ArrayWrite { array, index, .. } => {
                    Some(Did::Wrote(HeapSpot::Element(array, index)))
                }
                EventKind::Enter { .. } => {
                    self.enter(event.depth, site.method);
                    Some(Did::Entered)
                }
                EventKind::Call { callee, args } => {
                    let objects = args.iter().any(|arg| matches!(arg, Value::Object(_) | Value::Pending(_)));
                    if callee.opcode == classfile::opcode::INVOKEDYNAMIC && objects {
                        self.window.linked.insert(self.next, args.to_vec());
                    }
                    Some(Did::Called)
                }
                EventKind::New { .. } | EventKind::NewArray { .. } => Some(Did::New),
                EventKind::BulkWrite(bulk) => {
                    self.window.bulks.push(bulk);
                    Some(Did::Bulk(self.window.bulks.len() as u32 - 1))
                }
                EventKind::Throw { .. } => Some(Did::Threw),
                EventKind::Catch { .. } => Some(Did::Caught),
                EventKind::Exit { .. } => Some(Did::Exited),
                EventKind::Gap { .. } => Some(Did::Gap),
                kinds! { threads locks contents Unwind Return Named Stop } => None,
            };
            if let Some(did) = did {
                self.add(event.depth, site.bci, did);
            }
        }
        self.next += 1;
        if self.next >= self.window.end { Then::Stop } else { Then::On }
    }

    #[inline]
    fn read(&mut self, read: &Read<'_>) {
        let (spot, value) = match read.kind {
            ReadKind::Field { object, field, value } => {
                (HeapSpot::Field(object, field.id(self.program)), value)
            }
            ReadKind::Static { field, value } => (HeapSpot::Static(field.id(self.program)), value),
            ReadKind::Element { array, index, value } => (HeapSpot::Element(array, index), value),
        };
        self.add(read.depth, read.site.bci, Did::Read(spot, value));
    }
}
