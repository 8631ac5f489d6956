//! The pass itself: replays a thread once and keeps, for each open call that has a row, what is known of it so far.

use index::{CallRow, Evidence, Position, Target};
use jdk::calls::{Effect, effect};
use past::{CallId, ObjectId, Past, Sink, StreamId, Value};
use rustc_hash::FxHashMap;
use trace::{CalleeId, Event, EventKind, Paused, Read, ReadKind, Then, TypeId, Visitor, kinds};
use tree::{Link, Links, LoopRuns, PlainRow};

use super::coverage::{CallCoverage, Signatures, WrittenFrom, WrittenTo};
use super::footprint::{Footprint, HeapQuestions};
use super::keys::LocationKey;
use super::links::{EndedCall, Siblings};
use super::loops::CallLoops;
use super::methods::{MethodNumber, SurveyedMethods};
use super::{Entities, Survey, SurveyOptions, keys};
use crate::cfg::EdgeId;
use crate::error::{Error, Result};
use crate::follow::Walk;
use crate::loops::LoopEnd;
use crate::operands::OperandSource;

/// An open call with a row. Kept when it is over, and used for another one.
#[derive(Default)]
struct OpenCall {
    row: usize,
    entry: u64,
    exit: u64,
    bci: u16,
    target: Option<Target>,
    /// The object that it gives, as far as its row tells.
    result: Option<Value>,
    /// It has come back, without giving anything.
    nothing: bool,
    /// It did not come back, as far as is recorded.
    unfinished: bool,
    /// Open calls of program code in it, once it was entered; 0 before, and for a library.
    depth: u32,
    method: Option<MethodNumber>,
    walk: Walk,
    /// The ordinal of its last own event.
    last: u64,
    /// Log and code do not fit, or there is no code.
    unknown: bool,
    /// It has called something that has a row.
    calls: bool,
    /// It has ended as far as its own code goes.
    over: bool,
    flows: bool,
    receiver: Option<Value>,
    footprint: Footprint,
    siblings: Siblings,
    /// The variable that holds what the last callee gave, and whether the next store may be of that.
    result_slot: Option<u16>,
    result_fresh: bool,
    loops: CallLoops,
    covered: CallCoverage,
}

pub(super) struct Pass<'p, const READS: bool> {
    past: &'p Past,
    want: SurveyOptions,
    rows: &'p [CallId],
    stream: StreamId,
    /// The row that begins next, when, and where the rows of this thread end.
    next_row: usize,
    next_call: Option<CallRow>,
    next_entry: u64,
    last_row: usize,
    /// Did a row begin since the replay was started?
    begun: bool,
    /// The ordinal of the next event.
    next: u64,
    frames: Vec<OpenCall>,
    open: usize,
    methods: SurveyedMethods,
    effects: FxHashMap<CalleeId, CallEffect>,
    /// By type: do its objects hand on what they are given? And what lies behind those that do.
    passages: FxHashMap<Option<TypeId>, bool>,
    behind: FxHashMap<ObjectId, Vec<LocationKey>>,
    signatures: Signatures,
    written: WrittenFrom,
    links: Vec<Link>,
    loops: LoopRuns,
    unknown: Vec<PlainRow>,
    /// Locations that callees of open calls have touched.
    kept: usize,
}

/// More locations than these are not kept for all open calls together: about a hundred megabytes.
const MAX_KEPT: usize = 1 << 22;
/// A stretch without rows that is longer than this is jumped over.
const WORTH_A_JUMP: u64 = 100_000;

impl<'p> Pass<'p, false> {
    pub fn survey(past: &'p Past, rows: &'p [CallId], want: SurveyOptions) -> Result<Survey> {
        if want.links { Pass::<true>::all(past, rows, want) } else { Pass::<false>::all(past, rows, want) }
    }
}

impl<'p, const READS: bool> Pass<'p, READS> {
    fn all(past: &'p Past, rows: &'p [CallId], want: SurveyOptions) -> Result<Survey> {
        let mut pass = Pass::<READS> {
            past,
            want,
            rows,
            stream: StreamId(0),
            next_row: 0,
            next_call: None,
            next_entry: u64::MAX,
            last_row: 0,
            begun: false,
            next: 0,
            frames: Vec::new(),
            open: 0,
            methods: SurveyedMethods::default(),
            effects: FxHashMap::default(),
            passages: FxHashMap::default(),
            behind: FxHashMap::default(),
            signatures: Signatures::new(if want.coverage.is_some() { rows.len() } else { 0 }),
            written: WrittenFrom::default(),
            links: if want.links { vec![Link::None; rows.len()] } else { Vec::new() },
            loops: LoopRuns::default(),
            unknown: Vec::new(),
            kept: 0,
        };
        while pass.next_row < rows.len() {
            pass = pass.stretch()?;
        }
        let (entities, written) = (pass.methods.entities, pass.written.count());
        let coverage = match want.coverage {
            Some(_) => pass.signatures.finish(entities, written),
            None => Default::default(),
        };
        pass.unknown.sort_unstable();
        Ok(Survey {
            links: Links(pass.links),
            loops: pass.loops,
            heads: pass.methods.heads,
            unknown: pass.unknown,
            coverage,
            substance: pass.methods.substance,
        })
    }

    /// Replays from the next row on, as long as rows follow each other.
    fn stretch(mut self) -> Result<Self> {
        let first = self.rows[self.next_row];
        let same = self.rows[self.next_row..].iter().take_while(|row| row.stream == first.stream);
        self.stream = first.stream;
        self.last_row = self.next_row + same.count();
        self.begun = false;
        self.look_ahead();
        let entry = self.next_entry;
        let checkpoint = self.past.index().checkpoint(Position { stream: first.stream, ordinal: entry });
        self.next = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
        let recording = self.past.recording();
        let replay = match &checkpoint {
            Some(checkpoint) => recording.replay_at(checkpoint, self),
            None => Some(recording.replay(first.stream, self)),
        };
        let mut replay = replay.ok_or(Error::Replay(first.stream.0))?;
        while replay.run(u64::MAX) == Paused::Reached {}
        let mut pass = replay.into_visitor();
        while pass.open > 0 {
            pass.close();
        }
        if pass.next_row < pass.rows.len() && pass.rows[pass.next_row] == first {
            // The log does not get there any more.
            pass.next_row = pass.last_row;
        }
        Ok(pass)
    }

    fn heap(&self) -> HeapQuestions<'p> {
        HeapQuestions { past: self.past, program: self.past.recording().program(), stream: self.stream }
    }

    fn look_ahead(&mut self) {
        let next = self.rows[..self.last_row].get(self.next_row);
        self.next_call = next.and_then(|&row| self.past.index().call(row));
        self.next_entry = self.next_call.map_or(u64::MAX, |call| call.entry);
    }

    /// The call that begins with this event has a row.
    fn begin(&mut self, call: CallRow, event: &Event<'_>) {
        let at = self.next - 1;
        let row = self.next_row;
        self.next_row += 1;
        self.look_ahead();
        let heap = self.heap();
        let flows = if let Some(caller) = self.open.checked_sub(1).map(|top| &mut self.frames[top]) {
            caller.calls = true;
            if self.want.loops {
                caller.loops.called(row as u32);
            }
            self.want.links && flows(caller, call.bci, event, &self.methods, &heap)
        } else {
            false
        };
        if self.frames.len() == self.open {
            self.frames.push(OpenCall::default());
        }
        let frame = &mut self.frames[self.open];
        self.open += 1;
        frame.footprint.clear();
        frame.siblings.clear();
        frame.loops.clear();
        (frame.row, frame.entry, frame.exit, frame.bci) = (row, call.entry, call.exit, call.bci);
        (frame.target, frame.depth, frame.walk, frame.last) = (Some(call.target), 0, Walk::default(), at);
        (frame.calls, frame.over, frame.flows, frame.receiver) = (false, false, flows, None);
        (frame.result_slot, frame.result_fresh) = (None, false);
        frame.nothing = call.ending == index::Ending::Returned(None);
        frame.unfinished = call.ending == index::Ending::Open;
        frame.result = match call.ending {
            index::Ending::Returned(value) => value,
            _ => None,
        };
        frame.method = None;
        frame.unknown = false;
        if let Target::Method(id) = call.target {
            frame.method = self.methods.find(self.past.recording().program(), id, &self.want);
            match frame.method.map(|known| (known, self.methods.get(known))) {
                Some((known, facts)) if facts.code.replayed => {
                    let variables = self.want.coverage == Some(Entities::DefUse);
                    frame.covered.start(known, facts, variables);
                }
                _ => frame.unknown = true,
            }
        }
    }

    /// Between two subtrees, or before the first.
    fn outside(&self, at: u64) -> Then {
        let far = self.begun && self.next_entry.saturating_sub(at) > WORTH_A_JUMP;
        if self.next_entry == u64::MAX || at > self.next_entry || far { Then::Stop } else { Then::On }
    }

    /// The innermost open call is over.
    fn close(&mut self) {
        self.open -= 1;
        let (callers, frame) = self.frames.split_at_mut(self.open);
        let frame = &mut frame[0];
        let next_row = self.next_row as u32;
        let facts = frame.method.map(|known| self.methods.get(known));
        if let Some(facts) = facts.filter(|_| !frame.unknown) {
            if !frame.over && !frame.walk.is_lost() {
                let (last, walk) = (frame.last, &mut frame.walk);
                let (runs, mut taking) = frame.loops.parts(next_row);
                walk.drift(&facts.code.cfg, &mut |edge, _| {
                    if self.want.loops {
                        runs.edge(&facts.code, edge, last, last, &mut taking);
                    }
                });
            }
            if self.want.coverage == Some(Entities::DefUse) {
                frame.covered.block(facts, frame.walk.block(), frame.walk.reached());
            }
            if self.want.coverage.is_some() {
                self.signatures.set(frame.row, &frame.covered, &self.methods);
            }
            if self.want.loops && !frame.walk.is_lost() {
                frame.loops.finish(PlainRow(frame.row as u32), facts.first_group, next_row, &mut self.loops);
            }
        }
        let unknown = frame.unknown || frame.walk.is_lost();
        if unknown {
            self.unknown.push(PlainRow(frame.row as u32));
        }
        if !self.want.links {
            return;
        }
        // Nobody knows what a call that did not end will touch.
        let ended = frame.over || frame.method.is_none() && !frame.unfinished;
        frame.footprint.unknown |= unknown || !ended;
        let Some(caller) = callers.last_mut() else { return };
        // A constructor gives the object that it made.
        let made =
            frame.receiver.filter(|_| frame.nothing && facts.is_some_and(|facts| facts.code.constructor));
        let heap =
            HeapQuestions { past: self.past, program: self.past.recording().program(), stream: self.stream };
        let result = frame.result.or(made).and_then(|value| heap.object(value));
        let ending = EndedCall {
            entry: frame.entry,
            exit: frame.exit,
            method: match frame.target {
                Some(Target::Method(method)) => Some(method),
                _ => None,
            },
            bci: frame.bci,
            leaf: !frame.calls,
            result,
            flows: frame.flows,
        };
        self.kept = self.kept.saturating_sub(frame.footprint.callees.len() + caller.footprint.callees.len());
        self.links[frame.row] = caller.siblings.add(ending, &mut caller.footprint, &mut frame.footprint);
        let crowded = self.kept + caller.footprint.callees.len() > MAX_KEPT;
        caller.footprint.bound_callees(crowded);
        self.kept += caller.footprint.callees.len();
        (caller.result_slot, caller.result_fresh) = (None, true);
    }

    /// What the innermost open call did, or what a library did for it.
    fn own(&mut self, event: &Event<'_>, at: u64) {
        let heap = self.heap();
        let Some(top) = self.open.checked_sub(1) else { return };
        let next_row = self.next_row as u32;
        let frame = &mut self.frames[top];
        if let EventKind::Gap { .. } = event.kind {
            frame.unknown = true;
            return;
        }
        if event.library {
            if self.want.links {
                frame.footprint.event(&event.kind, at, &heap);
                frame.footprint.library_wrote(at);
            }
            return;
        }
        if self.want.links {
            frame.footprint.event(&event.kind, at, &heap);
        }
        let Some(facts) = frame.method.map(|known| self.methods.get(known)) else { return };
        if frame.depth == 0 {
            if let EventKind::Enter { receiver, .. } = event.kind
                && event.site.is_some_and(|site| site.method == facts.code.method)
            {
                (frame.depth, frame.last, frame.receiver) = (event.depth, at, receiver);
                if self.want.loops && !frame.unknown {
                    let (runs, mut taking) = frame.loops.parts(next_row);
                    runs.start(facts.code.loops(), at + 1, &mut taking);
                }
            }
            return;
        }
        let Some(site) = event.site else { return };
        if frame.unknown || event.depth != frame.depth || site.method != facts.code.method {
            return;
        }
        let last = std::mem::replace(&mut frame.last, at);
        let follows = self.want.loops || self.want.coverage.is_some();
        let (covered, want) = (&mut frame.covered, &self.want);
        let (runs, mut taking) = frame.loops.parts(next_row);
        let mut tell = |edge: EdgeId, reached: u32| {
            match want.coverage {
                Some(Entities::Edges) => covered.edge(facts, edge),
                Some(Entities::DefUse) => {
                    let edge = facts.code.cfg.edge_of(edge);
                    covered.block(facts, edge.from, if edge.exceptional { reached } else { u32::MAX });
                }
                None => {}
            }
            if want.loops {
                runs.edge(&facts.code, edge, last, at, &mut taking);
            }
        };
        if follows {
            frame.walk.event(&facts.code.cfg, site.bci, &event.kind, &mut tell);
        }
        match event.kind {
            EventKind::LocalWrite { slot, .. } if want.links => {
                if frame.result_fresh {
                    frame.result_fresh = false;
                    let before =
                        frame.siblings.before.as_ref().map(|before| OperandSource::Result(before.bci));
                    let stored = Some(facts.code.operands().stored(site.bci));
                    frame.result_slot = (stored == before).then_some(slot);
                } else if frame.result_slot == Some(slot) {
                    frame.result_slot = None;
                }
            }
            EventKind::Exit { .. } => {
                frame.over = true;
                runs.end(at, LoopEnd::Return, &mut taking);
            }
            EventKind::Unwind { .. } => {
                frame.over = true;
                runs.end(at, LoopEnd::Throw, &mut taking);
            }
            EventKind::Return { .. } | EventKind::Throw { .. } if want.links => frame.footprint.took_back(),
            // Without links nobody asks what a value comes from.
            kinds! { LocalWrite Return Throw } => {}
            kinds! { threads writes branches creations locks contents losses Enter Call Catch } => {}
        }
    }

    /// The innermost open call calls into a library, which may write something.
    fn writes(&mut self, event: &Event<'_>) {
        let EventKind::Call { callee, args } = event.kind else { return };
        let (Some(top), Some(site)) = (self.open.checked_sub(1), event.site) else { return };
        let frame = &self.frames[top];
        let Some(method) = frame.method.filter(|_| !frame.unknown && event.depth == frame.depth) else {
            return;
        };
        let receiver = args.first().copied().filter(|_| callee.receiver());
        if self.methods.get(method).code.method != site.method || !self.past.is_write(callee.id, receiver) {
            return;
        }
        let to = match receiver {
            Some(Value::Object(object)) if self.is_passage(object) => WrittenTo::Passage(object),
            Some(Value::Object(object)) => WrittenTo::Kind(self.past.recording().objects().type_of(object)),
            Some(_) => WrittenTo::Kind(None),
            None => WrittenTo::Named(callee.id),
        };
        let number = self.written.number(method, site.bci, to);
        self.frames[top].covered.wrote(number);
    }

    /// The innermost open call calls into a library, which sees what it is given.
    fn library(&mut self, event: &Event<'_>, at: u64) {
        let EventKind::Call { callee, args } = event.kind else { return };
        let CallEffect { effect, named } = *self.effects.entry(callee.id).or_insert_with(|| CallEffect {
            effect: effect(&callee.owner, &callee.name),
            named: by_name(&callee.owner, &callee.name, &callee.descriptor),
        });
        let heap = self.heap();
        let Some(top) = self.open.checked_sub(1) else { return };
        if named {
            self.named(top, args, at);
        }
        let seen = match effect {
            Effect::None => return,
            Effect::Reads | Effect::Writes => &args[..args.len().min(1)],
            Effect::Observed | Effect::Unknown => args,
        };
        for object in seen.iter().filter_map(|&value| heap.object(value)) {
            let is_passage = self.is_passage(object);
            let footprint = &mut self.frames[top].footprint;
            if !object.is_program() {
                footprint.give(keys::whole(object));
            }
            if is_passage {
                let past = self.past;
                let behind = self.behind.entry(object).or_insert_with(|| behind(past, object));
                behind.iter().for_each(|&key| footprint.give(key));
            }
        }
        let footprint = &mut self.frames[top].footprint;
        if matches!(effect, Effect::Writes | Effect::Unknown) {
            footprint.library_wrote(at);
        }
        footprint.impure |= effect == Effect::Unknown;
    }
}

impl<const READS: bool> Pass<'_, READS> {
    /// The innermost open call calls into a library in which nothing of the program runs.
    fn calls(&mut self, event: &Event<'_>, at: u64) {
        if self.want.coverage.is_some() {
            self.writes(event);
        }
        if self.want.links {
            self.library(event, at);
        }
    }

    fn is_passage(&mut self, object: ObjectId) -> bool {
        let past = self.past;
        let ty = past.recording().objects().type_of(object);
        *self.passages.entry(ty).or_insert_with(|| past.is_passage(object))
    }

    /// A library reads or writes what its first argument names, as a text or as a path.
    fn named(&mut self, top: usize, args: &[Value], at: u64) {
        let Some(time) = self.past.index().time(Position { stream: self.stream, ordinal: at }) else {
            return;
        };
        let Some(name) = args.first().and_then(|&value| self.past.name_of(value, time)) else { return };
        let footprint = &mut self.frames[top].footprint;
        footprint.give(keys::named(&name));
        footprint.library_wrote(at);
    }
}

/// What a call into a library does.
#[derive(Clone, Copy)]
struct CallEffect {
    effect: Effect,
    /// It has to do with what its first argument names.
    named: bool,
}

/// Does a method go by the name of a file or a property, which its first argument is?
fn by_name(owner: &str, name: &str, descriptor: &str) -> bool {
    use jdk::effects::{Does, Source};
    let does = jdk::effects::of_class(owner, name, descriptor);
    matches!(
        does,
        Some(
            Does::WritesFile(_)
                | Does::ChangesFile(_)
                | Does::Sets(_)
                | Does::Takes(Source::File | Source::OwnFile | Source::Environment, _)
        )
    )
}

/// Where what goes through a wrapper is.
fn behind(past: &Past, object: ObjectId) -> Vec<LocationKey> {
    let key = |sink: Sink| match sink {
        Sink::Object(inner) => keys::whole(inner),
        Sink::File(name) => keys::named(&name),
        Sink::Setting(name) => keys::named(name),
    };
    past.behind(object).into_iter().map(key).collect()
}

/// Is something that the caller's last callee gave among the arguments of the call that begins? An object by its
/// identity; any other value only if the code shows that it is that very value.
fn flows(
    caller: &OpenCall,
    bci: u16,
    event: &Event<'_>,
    methods: &SurveyedMethods,
    heap: &HeapQuestions<'_>,
) -> bool {
    let Some(before) = &caller.siblings.before else { return false };
    let is_result = |value: &Value| before.result.is_some() && heap.object(*value) == before.result;
    match event.kind {
        EventKind::Call { args, .. } => {
            let Some(facts) = caller.method.map(|known| methods.get(known)) else { return false };
            let shown = |origin: &OperandSource| match *origin {
                OperandSource::Result(from) => from == before.bci,
                OperandSource::Local(slot) => caller.result_slot == Some(slot),
                OperandSource::Other => false,
            };
            args.iter().any(is_result) || facts.code.operands().arguments(bci).iter().any(shown)
        }
        EventKind::Enter { receiver, args, .. } => receiver.iter().chain(args).any(is_result),
        kinds! {
            threads writes branches creations exceptions locks contents losses Exit Unwind Return LocalWrite
        } => false,
    }
}

impl<const READS: bool> Visitor for Pass<'_, READS> {
    const READS: bool = READS;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.next;
        self.next += 1;
        while self.open > 0 && at > self.frames[self.open - 1].exit {
            self.close();
        }
        if at != self.next_entry {
            if self.open == 0 {
                return self.outside(at);
            }
            self.own(event, at);
            if matches!(event.kind, EventKind::Call { .. }) {
                self.calls(event, at);
            }
            return Then::On;
        }
        let Some(call) = self.next_call else { return Then::Stop };
        self.begun = true;
        if matches!(call.target, Target::Library(_)) && call.size == 1 {
            // Nothing of the program runs in it: what it does is its caller's doing.
            self.next_row += 1;
            self.look_ahead();
            self.own(event, at);
            self.calls(event, at);
            return Then::On;
        }
        if matches!(event.kind, EventKind::Call { .. }) {
            self.own(event, at);
            if self.want.coverage.is_some() {
                self.writes(event);
            }
            self.begin(call, event);
            if self.want.links && matches!(call.target, Target::Library(_)) {
                self.library(event, at);
            }
        } else {
            self.begin(call, event);
            self.own(event, at);
        }
        Then::On
    }

    fn read(&mut self, read: &Read<'_>) {
        while self.open > 0 && self.next > self.frames[self.open - 1].exit {
            self.close();
        }
        let heap = self.heap();
        let Some(top) = self.open.checked_sub(1) else { return };
        let key = match read.kind {
            ReadKind::Field { object, field, .. } => match (heap.object(object), heap.field(field)) {
                (Some(object), Some(field)) => keys::field(object, field),
                _ => return,
            },
            ReadKind::Static { field, .. } => match heap.field(field) {
                Some(field) => keys::of_static(field),
                None => return,
            },
            ReadKind::Element { array, index, .. } => match heap.object(array) {
                Some(array) => keys::element(array, index as u32),
                None => return,
            },
        };
        self.frames[top].footprint.read(key);
    }
}
