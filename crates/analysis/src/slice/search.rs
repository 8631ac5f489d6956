//! The search itself: backwards from the criterion, the latest first, so that what is asked about one stretch of the run is
//! asked while that stretch is at hand. Nodes are events, or parts of them (one argument of a call); what a call looked for
//! and did not find in one window is looked for in the window before, when nothing nearer is left to do.

use std::cell::RefCell;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use index::{CallRow, Ending, Evidence, NO_BCI, Position, Target, Time};
use past::{CallId, Location, Past, StreamId, Value, same};
use trace::{FieldId, ObjectId, Site};

use super::history::Histories;
use super::methods::SlicedMethods;
use super::trail::{CallMoment, CallTrail};
use super::window::{Did, Window};
use super::{Cut, Element, Slice, SliceLimits, Tie};
use crate::cfg::BlockId;
use crate::error::Result;
use crate::producers::OperandProducers;

/// What of an event is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventPart {
    /// The event itself; of a call, that it was made.
    Event,
    /// One of the values that a call was given.
    Argument(u16),
    /// Where a write went: an index, a key.
    Address,
    /// One of many elements that were written at once.
    Element(u32),
    /// What a call of a library gave.
    Outcome,
    /// In which state a call of a library left an object.
    State(ObjectId),
    /// How many things an object held after a call of a library, and where; not which.
    Shape(ObjectId),
    /// That a call of a library put a value, by its number in `Search::values`, into an object.
    Stored(u32, ObjectId),
    /// That a call of a library gave a value, by its number, to program code that it called: the call of this index, or
    /// one in another thread.
    Handed(u32, Option<u32>),
}

/// Windows that are kept.
const KEPT: usize = 6;
/// Windows that are looked at from a call's beginning on, for something that happened only once.
pub const FORWARD: u32 = 4;

/// What is looked for in the course of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TrailQuery {
    /// Who wrote a variable that the instruction at `usage` reads.
    Variable { slot: u16, usage: u16 },
    /// What gave a value on the stack.
    Operand(OperandProducers),
    /// What decided that a block ran.
    Control(BlockId),
}

/// A query that goes on in an earlier window of its call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Far {
    pub call: CallId,
    pub query: TrailQuery,
    /// The instruction at which the call goes on behind this window, if a block goes on with it.
    pub next: Option<u16>,
    /// If what is looked for must be before a place in the last block.
    pub bound: Option<u32>,
    pub asked: Asker,
}

/// Who wants to know, and how it is tied to the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Asker {
    pub by: Position,
    pub tie: Tie,
}

#[derive(Default)]
struct Explanation {
    explains: Vec<(Position, Tie)>,
    element: Option<Element>,
}

pub struct SliceSearch<'p> {
    pub past: &'p Past,
    pub limits: SliceLimits,
    /// If only what happens in a call is to be explained: all else is an input.
    pub span: Option<(CallId, CallRow)>,
    pub methods: SlicedMethods,
    windows: Vec<Rc<Window>>,
    /// The latest on top.
    near: BinaryHeap<(Time, Position, EventPart)>,
    far: BinaryHeap<(Time, u32)>,
    far_list: Vec<(Position, Far)>,
    far_known: HashSet<(Position, Far)>,
    known: HashSet<(Position, EventPart)>,
    found: HashMap<Position, Explanation>,
    ties: HashSet<(Position, Asker)>,
    /// Elements whose control was asked for.
    pub controlled: HashSet<Position>,
    pub values: Vec<Value>,
    pub histories: Histories,
    /// By call: variables that were asked for.
    pub slots: HashMap<CallId, HashSet<u16>>,
    /// Arrays whose elements were asked for.
    pub arrays: HashSet<u32>,
    /// Fields that were asked for, of whatever object.
    pub fields: HashSet<FieldId>,
    /// Calls that filed something under another key than the one that was asked for.
    pub elsewhere: HashSet<Position>,
    /// Instructions of that call which gave a value to an event, and whether for sure; many leave no event of their own.
    pub gave: HashSet<(u16, Position, bool)>,
    /// Calls by which threads begin to run something, in order of time.
    pub starting: Option<Rc<Vec<(Time, Position)>>>,
    /// Fields and statics whose values were followed: who asked, and when.
    pub reads: Vec<(Asker, Location, Time)>,
    unknown: HashSet<Position>,
    outside: HashSet<Position>,
    elements: usize,
    events: u64,
    pub cut: Option<Cut>,
}

impl<'p> SliceSearch<'p> {
    pub fn new(past: &'p Past, limits: SliceLimits) -> SliceSearch<'p> {
        SliceSearch {
            past,
            limits,
            span: None,
            methods: SlicedMethods::default(),
            windows: Vec::new(),
            near: BinaryHeap::new(),
            far: BinaryHeap::new(),
            far_list: Vec::new(),
            far_known: HashSet::new(),
            known: HashSet::new(),
            found: HashMap::new(),
            ties: HashSet::new(),
            controlled: HashSet::new(),
            values: Vec::new(),
            histories: Histories::default(),
            slots: HashMap::new(),
            arrays: HashSet::new(),
            fields: HashSet::new(),
            elsewhere: HashSet::new(),
            gave: HashSet::new(),
            starting: None,
            reads: Vec::new(),
            unknown: HashSet::new(),
            outside: HashSet::new(),
            elements: 0,
            events: 0,
            cut: None,
        }
    }

    /// What the search starts from.
    pub fn start(&mut self, position: Position, part: EventPart) {
        if self.ties.insert((position, Asker { by: position, tie: Tie::Start })) {
            self.found.entry(position).or_default().explains.push((position, Tie::Start));
        }
        self.add(position, part);
    }

    /// All of an event is to be explained: what it wrote or decided, or what a call gave or was given.
    pub fn start_event(&mut self, position: Position) {
        let arguments = match self.call_made(position) {
            Some((_, CallRow { target: Target::Library(_), .. })) => {
                return self.start(position, EventPart::Outcome);
            }
            Some((call, _)) => self.past.index().arguments(call),
            None => None,
        };
        self.start(position, EventPart::Event);
        let count = arguments.map_or(0, |all| all.values.len() + usize::from(all.receiver.is_some()));
        for at in 0..count {
            self.add(position, EventPart::Argument(at as u16));
        }
    }

    pub fn run(&mut self) -> Result<()> {
        while self.cut.is_none() {
            if let Some((time, position, part)) = self.near.pop() {
                self.visit(time, position, part)?;
            } else if let Some((_, at)) = self.far.pop() {
                let (position, far) = self.far_list[at as usize].clone();
                self.go_on(position, far)?;
            } else {
                break;
            }
        }
        Ok(())
    }

    fn visit(&mut self, time: Time, position: Position, part: EventPart) -> Result<()> {
        let fresh = self.found.get(&position).is_none_or(|found| found.element.is_none());
        if fresh && self.elements == self.limits.elements {
            self.cut = Some(Cut::Elements);
            return Ok(());
        }
        if !self.is_spanned_at(position, time) {
            self.note(position, time, None, None, None);
            return Ok(());
        }
        let Some(trail) = self.trail_at(position)? else {
            if self.cut.is_none() && !self.comes_with_array(position, time, part)? {
                self.lose(position);
                self.note(position, time, None, None, None);
            }
            return Ok(());
        };
        let trail = trail.borrow();
        let Some(&step) = trail.step(position.ordinal) else {
            self.lose(position);
            return Ok(());
        };
        if trail.doubtful {
            self.lose(position);
        }
        let site = Site { method: trail.facts.code.method, bci: step.at.bci as u16 };
        let location = self.location(position.stream, &step, part, &trail);
        self.note(position, time, Some(trail.call), Some(site), location);
        self.explain(position, part, &trail, &step)
    }

    /// Did it happen while the call was under way that the search is about, if it is about one? What other threads did
    /// meanwhile may be its doing.
    fn is_spanned_at(&self, position: Position, time: Time) -> bool {
        match self.span {
            None => true,
            Some((call, row)) if position.stream == call.stream => is_within(call, &row, position),
            Some((call, row)) => {
                let at = |ordinal| self.past.index().time(Position { stream: call.stream, ordinal });
                at(row.entry).is_some_and(|entry| entry < time)
                    && at(row.exit).is_some_and(|exit| time < exit)
            }
        }
    }

    fn note(
        &mut self,
        position: Position,
        time: Time,
        call: Option<CallId>,
        site: Option<Site>,
        location: Option<Location>,
    ) {
        let call = call.or_else(|| self.past.index().call_at(position));
        let Some(call) = call else { return };
        let found = self.found.entry(position).or_default();
        if found.element.is_none() {
            self.elements += 1;
            let explains = Vec::new();
            found.element = Some(Element { position, time, call, site, location, explains });
        }
    }

    /// Arrays in arrays come into being when the contents of the outermost are told: behind the instruction that made it.
    fn comes_with_array(&mut self, position: Position, time: Time, part: EventPart) -> Result<bool> {
        let (Some(call), Some(window)) = (self.past.index().call_at(position), self.window(position)?) else {
            return Ok(false);
        };
        let Some(trail) = window.trail_of(self.past, &mut self.methods, call) else { return Ok(false) };
        let trail = trail.borrow();
        let made = trail.steps.iter().rev().find(|step| step.ordinal < position.ordinal);
        let Some(made) = made.filter(|step| step.did == Did::New && part == EventPart::Event) else {
            return Ok(false);
        };
        let site = Site { method: trail.facts.code.method, bci: made.at.bci as u16 };
        self.note(position, time, Some(call), Some(site), None);
        let made = Position { ordinal: made.ordinal, ..position };
        self.add_tied(made, EventPart::Event, Asker { by: position, tie: Tie::Data });
        Ok(true)
    }

    fn go_on(&mut self, position: Position, far: Far) -> Result<()> {
        let Some(window) = self.window(position)? else { return Ok(()) };
        let past = self.past;
        match window.trail_of(past, &mut self.methods, far.call) {
            Some(trail) => {
                if let Some(next) = far.next {
                    trail.borrow_mut().extend(next);
                }
                let trail = trail.borrow();
                let runs = trail.runs.len() as u32;
                let at = match far.bound {
                    Some(bci) if runs > 0 => CallMoment { run: runs - 1, bci },
                    _ => CallMoment { run: runs, bci: 0 },
                };
                self.ask(&trail, &far.query, at, far.asked)
            }
            // It did nothing of its own here.
            None => match self.before(far.call, Position { ordinal: window.first, ..position }) {
                Some(earlier) => {
                    self.push_far(earlier, far);
                    Ok(())
                }
                None => {
                    self.lose(far.asked.by);
                    Ok(())
                }
            },
        }
    }

    /// Goes on with a query in the window before, or at the call's beginning if that is sure to be nearer.
    pub fn ask_before(
        &mut self,
        trail: &CallTrail,
        query: TrailQuery,
        at: CallMoment,
        asked: Asker,
    ) -> Result<()> {
        let first = trail.steps.first().map_or(0, |step| step.ordinal);
        let cut = trail.is_cut();
        let next = trail.steps.first().filter(|_| cut).map(|step| step.at.bci as u16);
        let bound = (cut && at.run == 0).then_some(at.bci);
        let start = self.past.index().stretch(Position { stream: trail.call.stream, ordinal: first }).start;
        let position = Position { stream: trail.call.stream, ordinal: start };
        if let Some(found) = self.forward(trail, &query, position)? {
            self.add_tied(found, EventPart::Event, asked);
            return Ok(());
        }
        match self.before(trail.call, position) {
            Some(earlier) => self.push_far(earlier, Far { call: trail.call, query, next, bound, asked }),
            None => self.lose(asked.by),
        }
        Ok(())
    }

    /// Something that happened at most once in a call, and perhaps at its beginning.
    fn forward(
        &mut self,
        trail: &CallTrail,
        query: &TrailQuery,
        until: Position,
    ) -> Result<Option<Position>> {
        let facts = &trail.facts;
        let only = match *query {
            TrailQuery::Variable { usage, .. } => facts.only_definition(usage),
            TrailQuery::Control(block) => facts.only_control(block),
            TrailQuery::Operand(_) => None,
        };
        let (Some(bci), Some(row)) = (only, self.past.index().call(trail.call)) else { return Ok(None) };
        let stream = trail.call.stream;
        let mut ordinal = row.entry;
        for _ in 0..FORWARD {
            if ordinal >= until.ordinal {
                break;
            }
            let Some(window) = self.window(Position { stream, ordinal })? else { break };
            let past = self.past;
            let early = window.trail_of(past, &mut self.methods, trail.call);
            let found = early.and_then(|early| {
                let early = early.borrow();
                early.steps.iter().find(|step| step.at.bci == u32::from(bci)).map(|step| step.ordinal)
            });
            if let Some(ordinal) = found {
                return Ok(Some(Position { stream, ordinal }));
            }
            ordinal = window.end;
        }
        Ok(None)
    }

    fn push_far(&mut self, position: Position, far: Far) {
        let Some(time) = self.past.index().time(position) else { return self.lose(far.asked.by) };
        if self.far_known.insert((position, far.clone())) {
            self.far.push((time, self.far_list.len() as u32));
            self.far_list.push((position, far));
        }
    }

    /// Where a call did something before an event, or made a call that was still out then.
    pub fn before(&self, call: CallId, position: Position) -> Option<Position> {
        let ordinal = position.ordinal.checked_sub(1)?;
        let mut at = self.past.index().call_at(Position { stream: position.stream, ordinal })?;
        if at == call {
            return Some(Position { stream: position.stream, ordinal });
        }
        loop {
            let row = self.past.index().call(at)?;
            if row.parent? == call.index {
                let ordinal = if row.bci == NO_BCI { row.entry.checked_sub(1)? } else { row.entry };
                return Some(Position { stream: position.stream, ordinal });
            }
            at.index = row.parent?;
            if at.index < call.index {
                return None;
            }
        }
    }

    fn trail_at(&mut self, position: Position) -> Result<Option<Rc<RefCell<CallTrail>>>> {
        let Some(window) = self.window(position)? else { return Ok(None) };
        Ok(window.trail_at(self.past, &mut self.methods, position.ordinal))
    }

    /// Counts what was looked at, in events that are replayed; the search is cut when that was too much.
    pub fn spend(&mut self, events: u64) {
        self.events = self.events.saturating_add(events);
        if self.events > self.limits.events {
            self.cut = Some(Cut::Events);
        }
    }

    /// The window of an event; none if no more may be replayed.
    pub fn window(&mut self, position: Position) -> Result<Option<Rc<Window>>> {
        if let Some(at) = self.windows.iter().position(|window| window.has(position)) {
            let window = self.windows.remove(at);
            self.windows.push(Rc::clone(&window));
            return Ok(Some(window));
        }
        let stretch = self.past.index().stretch(position);
        self.spend(stretch.end - stretch.start);
        if self.cut.is_some() {
            return Ok(None);
        }
        let window = Rc::new(Window::replay(self.past, position)?);
        if self.windows.len() == KEPT {
            self.windows.remove(0);
        }
        self.windows.push(Rc::clone(&window));
        Ok(Some(window))
    }

    /// The window of an event, if it is at hand.
    pub fn kept(&self, position: Position) -> Option<&Window> {
        self.windows.iter().find(|window| window.has(position)).map(Rc::as_ref)
    }

    /// Is an event part of what was found?
    pub fn is_found(&self, position: Position) -> bool {
        self.found.get(&position).is_some_and(|found| found.element.is_some())
    }

    /// Something is not known there.
    pub fn lose(&mut self, position: Position) {
        self.unknown.insert(position);
    }

    /// Something came from outside of the program there.
    pub fn outside(&mut self, position: Position) {
        self.outside.insert(position);
    }

    /// A node is a cause of another.
    pub fn add_tied(&mut self, position: Position, part: EventPart, asked: Asker) {
        if asked.tie == Tie::Start {
            return self.start(position, part);
        }
        if position != asked.by && self.ties.insert((position, asked)) {
            self.found.entry(position).or_default().explains.push((asked.by, asked.tie));
        }
        self.add(position, part);
    }

    fn add(&mut self, position: Position, part: EventPart) {
        if !self.known.insert((position, part)) {
            return;
        }
        match self.past.index().time(position) {
            Some(time) => self.near.push((time, position, part)),
            None => self.lose(position),
        }
    }

    /// That a call was made: what its code runs for.
    pub fn made(&mut self, call: CallId, asked: Asker) {
        match self.caller(call) {
            Some(position) => self.add_tied(position, EventPart::Event, asked),
            None => self.begun(call, EventPart::Event, asked),
        }
    }

    /// A value that a call was given.
    pub fn given(&mut self, call: CallId, argument: usize, asked: Asker) {
        let Some(row) = self.past.index().call(call) else { return self.lose(asked.by) };
        match self.caller(call) {
            Some(position) if row.bci != NO_BCI => {
                self.add_tied(position, EventPart::Argument(argument as u16), asked);
            }
            Some(position) => {
                let args = self.past.index().arguments(call).unwrap_or_default();
                match args.receiver.iter().chain(&args.values).nth(argument) {
                    Some(&value) => {
                        let number = self.number(value);
                        self.add_tied(position, EventPart::Handed(number, Some(call.index)), asked);
                    }
                    None => self.lose(asked.by),
                }
            }
            // Nobody in this thread called it: another one began it, or the value came from outside.
            None => {
                let position = Position { stream: call.stream, ordinal: row.entry };
                self.add_tied(position, EventPart::Argument(argument as u16), asked);
            }
        }
    }

    /// A number for a value.
    pub fn number(&mut self, value: Value) -> u32 {
        let known = self.values.iter().position(|&known| same(Some(known), Some(value)));
        known.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        }) as u32
    }

    /// The event with which a call was made, or that of the library's call that made it. What joins strings or makes a
    /// record's text has no row of its own: it is the last thing that the code around did.
    fn caller(&self, call: CallId) -> Option<Position> {
        let row = self.past.index().call(call)?;
        if row.bci != NO_BCI {
            return Some(Position { stream: call.stream, ordinal: row.entry });
        }
        let around = CallId { stream: call.stream, index: row.parent? };
        let parent = self.past.index().call(around)?;
        if matches!(parent.target, Target::Library(_)) {
            return Some(Position { stream: call.stream, ordinal: parent.entry });
        }
        // What a class does at its first use is nobody's call.
        if let Target::Method(method) = row.target
            && self
                .past
                .recording()
                .program()
                .method(method)
                .is_some_and(|(_, method)| method.name == "<clinit>")
        {
            return None;
        }
        let mut ordinal = row.entry.checked_sub(1)?;
        loop {
            let at = Position { stream: call.stream, ordinal };
            let inner = self.past.index().call_at(at)?;
            if inner == around {
                return Some(at);
            }
            let sibling = self.past.index().child_around(around, inner)?;
            ordinal = self.past.index().call(sibling)?.entry.checked_sub(1)?;
        }
    }

    /// Calls of program code that were made while the event was under way, which has no row of its own.
    pub fn called_within(&self, around: CallId, position: Position) -> Vec<CallId> {
        let mut list = Vec::new();
        let mut at = Position { ordinal: position.ordinal + 1, ..position };
        while let Some(inner) = self.past.index().call_at(at)
            && inner != around
            && let Some(child) = self.past.index().child_around(around, inner)
            && let Some(row) = self.past.index().call(child)
            && row.bci == NO_BCI
        {
            list.push(child);
            at.ordinal = row.exit + 1;
        }
        list
    }

    /// The call that an event made.
    pub fn call_made(&self, position: Position) -> Option<(CallId, CallRow)> {
        let call = self.past.index().call_at(position)?;
        let row = self.past.index().call(call)?;
        (row.entry == position.ordinal && row.bci != NO_BCI).then_some((call, row))
    }

    /// What a call gave, by the event with which it was made.
    pub fn result(&self, position: Position) -> Option<(Position, EventPart)> {
        match self.call_made(position).map(|(_, row)| (row.target, row.ending, row.exit)) {
            Some((Target::Method(_), Ending::Returned(_), exit)) => {
                Some((Position { ordinal: exit, ..position }, EventPart::Event))
            }
            Some((Target::Method(_), ..)) => None,
            // Linking of lambdas and strings has no row.
            Some((Target::Library(_), ..)) | None => Some((position, EventPart::Outcome)),
        }
    }

    pub fn time_before(&self, stream: StreamId, ordinal: u64) -> Option<Time> {
        self.past.index().time(Position { stream, ordinal: ordinal.checked_sub(1)? })
    }

    /// What was found so far.
    pub fn slice(&self) -> Slice {
        let mut list: Vec<&Explanation> =
            self.found.values().filter(|found| found.element.is_some()).collect();
        list.sort_by_key(|found| {
            found.element.as_ref().map(|one| std::cmp::Reverse((one.time, one.position)))
        });
        let place: HashMap<Position, u32> = list
            .iter()
            .enumerate()
            .filter_map(|(at, found)| Some((found.element.as_ref()?.position, at as u32)))
            .collect();
        let elements = list.into_iter().filter_map(|found| {
            let mut explains: Vec<(u32, Tie)> =
                found.explains.iter().filter_map(|(by, tie)| Some((*place.get(by)?, *tie))).collect();
            explains.sort_unstable();
            explains.dedup();
            found.element.clone().map(|element| Element { explains, ..element })
        });
        let elements: Vec<Element> = elements.collect();
        let index = self.past.index();
        let latest_first = |set: &HashSet<Position>| {
            let mut list: Vec<Position> = set.iter().copied().collect();
            list.sort_by_cached_key(|&position| std::cmp::Reverse((index.time(position), position)));
            list
        };
        let unknown = latest_first(&self.unknown);
        let outside = latest_first(&self.outside);
        let reads = self.reads.iter();
        let reads = reads.filter_map(|(asked, location, time)| {
            Some((*place.get(&asked.by)?, asked.tie, location.clone(), *time))
        });
        let mut reads: Vec<(u32, Tie, Location, Time)> = reads.collect();
        reads.sort_by_key(|&(at, ..)| at);
        Slice { elements, cut: self.cut, reads, unknown, outside }
    }
}

/// Did an event happen in a call, after it was made?
pub fn is_within(call: CallId, row: &CallRow, position: Position) -> bool {
    position.stream == call.stream && (row.entry + 1..=row.exit).contains(&position.ordinal)
}
