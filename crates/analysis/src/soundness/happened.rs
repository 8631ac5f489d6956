//! What happened in a run, as facts that a static result can be asked about: found by replaying the recording, without
//! a look at the index or at what the analysis is given.

use std::collections::HashMap;

use classfile::opcode as op;
use jdk::unseen::is_reflection;
use rustc_hash::FxHashMap;
use trace::tables::type_flag;
use trace::{
    Callee, Elements, Event, EventKind, MethodId, ObjectId, Paused, PendingId, Program, Read, ReadKind,
    Recording, Site, StreamId, Then, Value, Visitor, kinds,
};

use super::Excuse;
use crate::distinct::Distinct;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodeVariable {
    /// bci and number of an operand; calls have their receiver first.
    Operand(u16, u8),
    /// The receiver is 0 if there is one.
    Parameter(u8),
    /// What the call at a bci gave.
    Result(u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AllocationNo(pub u32);

/// An instruction of the program that creates objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    pub site: Site,
    /// For arrays in an array that was created at once: in how many others it lies.
    pub inner: u8,
    /// Of what lies outermost.
    pub class: String,
}

/// An object of some origin was in a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    pub method: MethodId,
    pub variable: CodeVariable,
    pub object: AllocationNo,
}

#[derive(Default)]
pub struct Observations {
    pub allocations: Vec<Allocation>,
    /// Methods that were not called by code of the program.
    pub entered: Distinct<MethodId>,
    pub calls: Distinct<(Site, MethodId)>,
    /// Those that were at least once made on an object that code of the program had created, or on none.
    pub own_calls: Distinct<(Site, MethodId)>,
    pub pairs: Distinct<Pair>,
    /// Origins of objects that reflection or a native method took from the program or gave to it at least once.
    pub given: HashMap<AllocationNo, Excuse>,
}

impl Observations {
    pub fn of(recording: &Recording) -> Observations {
        // Objects may be used in a stream before the one that creates them, so all creations come first.
        let mut origins = Origins::default();
        let streams: Vec<StreamId> = recording.threads().iter().map(|thread| thread.stream).collect();
        for &stream in &streams {
            replay(
                recording,
                stream,
                Creations { recording, stream, origins: &mut origins, linking: Vec::new() },
            );
        }
        let mut happened = Observations::default();
        for &stream in &streams {
            replay(
                recording,
                stream,
                Uses {
                    program: recording.program(),
                    stream,
                    origins: &origins,
                    open: Vec::new(),
                    out: &mut happened,
                },
            );
        }
        happened.allocations = origins.allocations;
        happened
    }
}

fn replay<V: Visitor>(recording: &Recording, stream: StreamId, visitor: V) {
    let mut replay = recording.replay(stream, visitor);
    while replay.run(u64::MAX) == Paused::Reached {}
}

/// Where objects were created, as far as instructions of the program did it.
#[derive(Default)]
struct Origins {
    allocations: Vec<Allocation>,
    numbers: HashMap<(Site, u8), AllocationNo>,
    objects: FxHashMap<ObjectId, AllocationNo>,
    pending: FxHashMap<(StreamId, PendingId), AllocationNo>,
}

impl Origins {
    fn number(&mut self, site: Site, inner: u8, class: &str) -> AllocationNo {
        let next = AllocationNo(self.allocations.len() as u32);
        let number = *self.numbers.entry((site, inner)).or_insert(next);
        if number == next {
            self.allocations.push(Allocation { site, inner, class: class.to_owned() });
        }
        number
    }

    fn of(&self, stream: StreamId, value: Value) -> Option<AllocationNo> {
        match value {
            Value::Object(object) => self.objects.get(&object).copied(),
            Value::Pending(pending) => self.pending.get(&(stream, pending)).copied(),
            _ => None,
        }
    }
}

/// The first pass.
struct Creations<'a> {
    recording: &'a Recording,
    stream: StreamId,
    origins: &'a mut Origins,
    /// By depth: the place of an open `invokedynamic`.
    linking: Vec<Option<Site>>,
}

impl Visitor for Creations<'_> {
    fn event(&mut self, event: &Event<'_>) -> Then {
        let depth = event.depth as usize;
        let Some(site) = event.site.filter(|_| !event.library) else { return Then::On };
        match event.kind {
            EventKind::New { class, object: Value::Pending(pending) } => {
                let number = self.origins.number(site, 0, class);
                self.origins.pending.insert((self.stream, pending), number);
            }
            EventKind::New { class, object: Value::Object(object) }
            | EventKind::NewArray { class, array: Value::Object(object) } => {
                let number = self.origins.number(site, 0, class);
                self.origins.objects.insert(object, number);
            }
            EventKind::Named { pending, object: Value::Object(object) } => {
                if let Some(number) = self.origins.pending.get(&(self.stream, pending)).copied() {
                    self.origins.objects.insert(object, number);
                }
            }
            EventKind::ArrayContents { array, elements: Elements::References(values), .. } => {
                self.within(site, array, values);
            }
            EventKind::Call { callee, .. } => {
                if self.linking.len() <= depth {
                    self.linking.resize(depth + 1, None);
                }
                self.linking[depth] = (callee.opcode == op::INVOKEDYNAMIC).then_some(site);
            }
            EventKind::Return { value: Some(Value::Object(object)) } => {
                let linked = self.linking.get(depth).copied().flatten();
                if let Some(site) = linked.filter(|_| self.is_made_up(object)) {
                    let number = self.origins.number(site, 0, "");
                    self.origins.objects.entry(object).or_insert(number);
                }
            }
            // Without an identity there is nothing to tell an object by.
            kinds! { creations ArrayContents Return } => {}
            kinds! {
                threads writes branches exceptions locks losses Enter Exit Unwind LocalWrite ObjectContents
            } => {}
        }
        Then::On
    }
}

impl Creations<'_> {
    /// `new int[2][3]` creates three arrays; the inner ones are seen as the content of the outer one.
    fn within(&mut self, site: Site, array: ObjectId, values: &[Value]) {
        if self.recording.program().opcode(site) != Some(op::MULTIANEWARRAY) {
            return;
        }
        let Some(&outer) = self.origins.objects.get(&array) else { return };
        let Allocation { site: created, inner, class } = self.origins.allocations[outer.0 as usize].clone();
        if created != site {
            return;
        }
        let number = self.origins.number(site, inner.saturating_add(1), &class);
        for &value in values {
            if let Value::Object(object) = value {
                self.origins.objects.entry(object).or_insert(number);
            }
        }
    }

    /// Is its class one that the VM made up, as for lambdas?
    fn is_made_up(&self, object: ObjectId) -> bool {
        let ty = self.recording.objects().type_of(object);
        let ty = ty.and_then(|ty| self.recording.program().type_info(ty));
        ty.is_some_and(|ty| ty.flags & type_flag::HIDDEN != 0)
    }
}

/// The second pass.
struct Uses<'a> {
    program: &'a Program,
    stream: StreamId,
    origins: &'a Origins,
    /// By depth: the open call of program code's own open call.
    open: Vec<Option<Open>>,
    out: &'a mut Observations,
}

#[derive(Clone, Copy)]
struct Open {
    site: Site,
    gives: Option<Excuse>,
    links: bool,
    own: bool,
}

impl Visitor for Uses<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let Some(site) = event.site.filter(|_| !event.library) else { return Then::On };
        let depth = event.depth as usize;
        match event.kind {
            EventKind::Call { callee, args } => {
                if self.open.len() <= depth {
                    self.open.resize(depth + 1, None);
                }
                let gives = gives(callee);
                let links = callee.opcode == op::INVOKEDYNAMIC;
                let receiver = args.first().copied().filter(|_| callee.receiver());
                let own = receiver.is_none_or(|receiver| self.origins.of(self.stream, receiver).is_some());
                self.open[depth] = Some(Open { site, gives, links, own });
                for (at, &value) in args.iter().enumerate() {
                    self.operand(site, at, value);
                    self.given(gives, value);
                }
            }
            EventKind::Return { value: Some(value) } => {
                // What an `invokedynamic` gives is what it creates.
                if let Some(open) = self.open.get(depth).copied().flatten().filter(|open| !open.links) {
                    self.pair(open.site.method, CodeVariable::Result(open.site.bci), value);
                    self.given(open.gives, value);
                }
            }
            EventKind::Enter { receiver, args, called } => {
                let above = depth.checked_sub(1).and_then(|above| self.open.get(above).copied().flatten());
                match above.filter(|_| called) {
                    Some(open) => {
                        self.out.calls.add((open.site, site.method));
                        if open.own {
                            self.out.own_calls.add((open.site, site.method));
                        }
                    }
                    None => self.out.entered.add(site.method),
                }
                let gives = match above {
                    _ if called => None,
                    Some(open) => open.gives,
                    None => self.is_finalizer(site.method).then_some(Excuse::Native),
                };
                for (at, &value) in receiver.iter().chain(args).enumerate() {
                    if let Ok(at) = u8::try_from(at) {
                        self.pair(site.method, CodeVariable::Parameter(at), value);
                    }
                    self.given(gives, value);
                }
                // What was open at this depth before has ended.
                if let Some(own) = self.open.get_mut(depth) {
                    *own = None;
                }
            }
            EventKind::FieldWrite { object, value, .. } => {
                self.operand(site, 0, object);
                self.operand(site, 1, value);
            }
            EventKind::StaticWrite { value, .. } => self.operand(site, 0, value),
            EventKind::ArrayWrite { array, value, .. } => {
                self.operand(site, 0, array);
                self.operand(site, 2, value);
            }
            EventKind::Return { value: None } => {}
            kinds! {
                threads branches creations exceptions locks contents losses Exit Unwind BulkWrite LocalWrite
            } => {}
        }
        Then::On
    }

    fn read(&mut self, read: &Read<'_>) {
        match read.kind {
            ReadKind::Field { object, .. } => self.operand(read.site, 0, object),
            ReadKind::Element { array, .. } => self.operand(read.site, 0, array),
            ReadKind::Static { .. } => {}
        }
    }
}

impl Uses<'_> {
    fn operand(&mut self, site: Site, at: usize, value: Value) {
        if let Ok(at) = u8::try_from(at) {
            self.pair(site.method, CodeVariable::Operand(site.bci, at), value);
        }
    }

    fn pair(&mut self, method: MethodId, variable: CodeVariable, value: Value) {
        if let Some(object) = self.origins.of(self.stream, value) {
            self.out.pairs.add(Pair { method, variable, object });
        }
    }

    fn is_finalizer(&self, method: MethodId) -> bool {
        self.program.method(method).is_some_and(|(_, m)| m.name == "finalize" && m.descriptor == "()V")
    }

    fn given(&mut self, gives: Option<Excuse>, value: Value) {
        if let (Some(reason), Some(object)) = (gives, self.origins.of(self.stream, value)) {
            self.out.given.entry(object).or_insert(reason);
        }
    }
}

/// Does what is called take objects or pass them on by ways that no code shows?
fn gives(callee: &Callee) -> Option<Excuse> {
    let owner = callee.owner.as_str();
    let reflects = is_reflection(owner, &callee.name);
    match (reflects, jdk::unseen::is_unsafe(owner)) {
        (true, _) => Some(Excuse::Reflection),
        (_, true) => Some(Excuse::Native),
        _ => None,
    }
}
