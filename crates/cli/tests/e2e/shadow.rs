//! Dependences the slow way: the whole recording is read forwards, and every variable, every value on the stack and every
//! location carries along what it was made from, one instruction after the other. No windows, no blocks looked up, no
//! postings. What libraries hold is not followed, but for what a thread was made with: programs that are compared use
//! none of it, and start no more than one thread at a time.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use analysis::cfg::{BlockId, Cfg};
use analysis::slice::Tie;
use classfile::{ClassFile, Insn, MethodDescriptor, TypeKind, opcode as op};
use index::Evidence;
use past::{Location, Past, Position, StreamId, Time, Value};
use trace::{BulkWrite, Event, EventKind, MethodId, Paused, Read, ReadKind, Then, Visitor, kinds};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    Event,
    Argument(usize),
    Outcome,
    Handed,
    /// Where a thread keeps what it was made with.
    Kept,
    Element(u32),
}

type Node = (Position, Part);

#[derive(Clone, Debug, PartialEq)]
enum Dep {
    Node(Node, Tie),
    /// What a location held right after an event.
    Heap(Location, Position, Tie),
}

impl Dep {
    fn as_address(&self) -> Dep {
        match self.clone() {
            Dep::Node(node, Tie::Data) => Dep::Node(node, Tie::Address),
            Dep::Heap(location, at, _) => Dep::Heap(location, at, Tie::Address),
            other => other,
        }
    }
}

/// A value on the stack: what it was made from, the run of a block it was made in, and what decided on that.
#[derive(Clone, Debug, Default)]
struct Source {
    deps: Vec<Dep>,
    run: u32,
    decided: Option<Node>,
}

struct Body {
    insns: Vec<Insn>,
    bytes: Vec<u8>,
    cfg: Cfg,
    /// By instruction: the branches that decide on it, by bci.
    on: HashMap<u32, BTreeSet<u32>>,
    plain: HashSet<u32>,
    /// By instruction: slots that it takes, value by value, and slots that it gives.
    widths: HashMap<u32, (Vec<usize>, usize)>,
    targets: HashMap<u32, Vec<u32>>,
    /// The first entries of a switch are its cases.
    arguments: Vec<u16>,
    locals: HashMap<u32, u16>,
}

struct Open {
    bci: u32,
    position: Position,
    args: Vec<Source>,
    entered: bool,
    exit: Option<Position>,
    threw: Option<Position>,
}

struct ShadowCall {
    body: Rc<Body>,
    pc: u32,
    run: u32,
    locals: HashMap<u16, Source>,
    stack: Vec<Source>,
    log: Vec<(u32, Position, bool)>,
    made: Option<Node>,
    called: bool,
    call: Option<Open>,
    threw: Option<Position>,
}

pub struct Shadow<'p> {
    past: &'p Past,
    stream: StreamId,
    next: u64,
    bodies: HashMap<MethodId, Rc<Body>>,
    frames: Vec<ShadowCall>,
    nodes: HashMap<Node, Vec<Dep>>,
    control: HashMap<Position, Node>,
    bulks: HashMap<Position, (BulkWrite, Vec<Source>)>,
    writes: HashMap<Location, Vec<(Time, Node)>>,
    ranges: Vec<(Time, Value, Position)>,
    created: HashMap<u32, Position>,
    /// The constructors of threads, by object; and who started threads, in the order in which that is read.
    threads: HashMap<u32, Position>,
    starts: Vec<(Time, Position)>,
    /// Events that a slice can start from, and how many calls are open there.
    pub criteria: Vec<(Position, u32)>,
}

pub fn shadow(past: &Past) -> Shadow<'_> {
    let mut shadow = Shadow {
        past,
        stream: StreamId(0),
        next: 0,
        bodies: HashMap::new(),
        frames: Vec::new(),
        nodes: HashMap::new(),
        control: HashMap::new(),
        bulks: HashMap::new(),
        writes: HashMap::new(),
        ranges: Vec::new(),
        created: HashMap::new(),
        threads: HashMap::new(),
        starts: Vec::new(),
        criteria: Vec::new(),
    };
    for stream in past.streams() {
        (shadow.stream, shadow.next) = (stream, 0);
        shadow.frames.clear();
        let mut replay = past.recording().replay(stream, shadow);
        while replay.run(u64::MAX) == Paused::Reached {}
        shadow = replay.into_visitor();
    }
    shadow.writes.values_mut().for_each(|list| list.sort());
    shadow
}

impl Shadow<'_> {
    /// All events that one depends on, and how: cause, effect, tie.
    pub fn slice(
        &self,
        from: Position,
        control: bool,
    ) -> (BTreeSet<Position>, BTreeSet<(Position, Position, Tie)>) {
        let (mut elements, mut ties, mut seen) = (BTreeSet::new(), BTreeSet::new(), HashSet::new());
        let mut open: Vec<Node> = vec![(from, Part::Event)];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            elements.insert(node.0);
            let mut causes: Vec<(Node, Tie)> =
                self.deps(node).iter().filter_map(|dep| self.resolved(dep)).collect();
            causes.extend(self.control.get(&node.0).map(|&by| (by, Tie::Control)));
            for (cause, tie) in causes.into_iter().filter(|&(_, tie)| control || tie != Tie::Control) {
                if cause.0 != node.0 {
                    ties.insert((cause.0, node.0, tie));
                }
                open.push(cause);
            }
        }
        (elements, ties)
    }

    fn deps(&self, node: Node) -> Vec<Dep> {
        if let (position, Part::Element(index)) = node
            && let Some((bulk, args)) = self.bulks.get(&position)
        {
            let address = |args: &[Source]| -> Vec<Dep> {
                args.iter().flat_map(|arg| arg.deps.iter().map(Dep::as_address)).collect()
            };
            let before = Position { ordinal: position.ordinal - 1, ..position };
            return match *bulk {
                BulkWrite::Fill { .. } => {
                    let (last, rest) = args.split_last().unwrap();
                    address(rest).into_iter().chain(last.deps.clone()).collect()
                }
                BulkWrite::Copy { source, from, to, .. } => {
                    let at = (i64::from(index) - i64::from(to) + i64::from(from)) as u32;
                    let location =
                        Location::Element { array: self.object(position.stream, source).unwrap(), index: at };
                    address(args).into_iter().chain([Dep::Heap(location, before, Tie::Data)]).collect()
                }
                BulkWrite::Clone { source, .. } => {
                    let array = self.object(position.stream, source).unwrap();
                    let location = Location::Element { array, index };
                    address(args).into_iter().chain([Dep::Heap(location, before, Tie::Data)]).collect()
                }
            };
        }
        self.nodes.get(&node).cloned().unwrap_or_default()
    }

    fn resolved(&self, dep: &Dep) -> Option<(Node, Tie)> {
        let (location, at, tie) = match dep {
            Dep::Node(node, tie) => return Some((*node, *tie)),
            Dep::Heap(location, at, tie) => (location, at, tie),
        };
        let time = self.past.index().time(*at)?;
        let plain =
            self.writes.get(location).and_then(|list| list.iter().rev().find(|write| write.0 <= time));
        let mut last = plain.copied();
        let object = match *location {
            Location::Element { array, index } => {
                for &(when, target, position) in &self.ranges {
                    let Some((from, to)) = self.range(position).filter(|_| when <= time) else { continue };
                    let hit = self.object(position.stream, target) == Some(array)
                        && (from..to).contains(&i64::from(index));
                    if hit && last.is_none_or(|(before, _)| before < when) {
                        last = Some((when, (position, Part::Element(index))));
                    }
                }
                Some(array)
            }
            Location::Field { object, .. } => Some(object),
            _ => None,
        };
        let made = object.and_then(|object| self.created.get(&object.0)).map(|&at| (at, Part::Event));
        last.map(|(_, node)| node).or(made).map(|node| (node, *tie))
    }

    fn range(&self, position: Position) -> Option<(i64, i64)> {
        Some(match self.bulks.get(&position)?.0 {
            BulkWrite::Copy { to, length, .. } => (to.into(), i64::from(to) + i64::from(length)),
            BulkWrite::Fill { range: Some((from, to)), .. } => (from.into(), to.into()),
            _ => (0, i64::MAX),
        })
    }

    fn object(&self, stream: StreamId, value: Value) -> Option<past::ObjectId> {
        match self.past.index().resolved(stream, value) {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    fn position(&self) -> Position {
        Position { stream: self.stream, ordinal: self.next }
    }

    fn body(&mut self, id: MethodId) -> Rc<Body> {
        let past = self.past;
        Rc::clone(self.bodies.entry(id).or_insert_with(|| Rc::new(Body::read(past, id))))
    }
}

impl Body {
    fn read(past: &Past, id: MethodId) -> Body {
        let (class, method) = past.recording().program().method(id).unwrap();
        let file = ClassFile::parse(&class.bytes).unwrap();
        let code = file.methods[(id.0 - class.first_method.0) as usize].code(&file).unwrap().unwrap();
        let insns: Vec<Insn> = code.insns().map(Result::unwrap).collect();
        let mut body = Body {
            bytes: code.code.to_vec(),
            cfg: Cfg::build(&code).unwrap(),
            on: HashMap::new(),
            plain: HashSet::new(),
            widths: HashMap::new(),
            targets: HashMap::new(),
            arguments: Vec::new(),
            locals: HashMap::new(),
            insns,
        };
        let mut slot = 0;
        for kind in (!method.is_static()).then_some(b'L').into_iter().chain(method.kinds().iter().copied()) {
            body.arguments.push(slot);
            slot += if matches!(kind, b'J' | b'D') { 2 } else { 1 };
        }
        // Where control goes from each instruction; the end of the method is `u32::MAX`.
        let mut ways: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut normal: HashMap<u32, Vec<u32>> = HashMap::new();
        for insn in &body.insns {
            let next = insn.pc + insn.len;
            let to = match insn.op {
                op::GOTO | op::GOTO_W => vec![code.jump_target(*insn).unwrap()],
                op::TABLESWITCH | op::LOOKUPSWITCH => {
                    let switch = code.switch(*insn).unwrap();
                    switch.cases.iter().map(|case| case.1).chain([switch.default]).collect()
                }
                code_ if op::is_return(code_) => vec![u32::MAX],
                op::ATHROW => {
                    let covers = |entry: &&classfile::ExceptionEntry| {
                        (u32::from(entry.start)..u32::from(entry.end)).contains(&insn.pc)
                    };
                    let handlers =
                        code.exceptions.iter().filter(covers).map(|entry| u32::from(entry.handler));
                    let handlers: Vec<u32> = handlers.collect();
                    if handlers.is_empty() { vec![u32::MAX] } else { handlers }
                }
                code_ if op::is_conditional(code_) => vec![code.jump_target(*insn).unwrap(), next],
                _ => vec![next],
            };
            if insn.op != op::ATHROW {
                normal.insert(insn.pc, to.clone());
            }
            body.targets.insert(insn.pc, to.clone());
            ways.insert(insn.pc, to);
            if let Some(slot) = code.slot(*insn) {
                body.locals.insert(insn.pc, slot);
            }
            body.widths.insert(insn.pc, widths(*insn, code.code, &file));
        }
        body.plain = reached(&normal, 0, None);
        // By the definition: it decides if the end can be avoided from it, but not from one of its ways.
        let all: Vec<u32> = body.insns.iter().map(|insn| insn.pc).collect();
        for &at in &all {
            let avoids = |from: u32| {
                from == u32::MAX || (from != at && reached(&ways, from, Some(at)).contains(&u32::MAX))
            };
            let deciding = body.insns.iter().filter(|insn| {
                let branch =
                    op::is_conditional(insn.op) || matches!(insn.op, op::TABLESWITCH | op::LOOKUPSWITCH);
                let strictly = insn.pc == at || ways[&insn.pc].iter().any(|&to| avoids(to));
                branch && strictly && ways[&insn.pc].iter().any(|&to| !avoids(to))
            });
            let deciding = deciding.map(|insn| insn.pc).collect();
            body.on.insert(at, deciding);
        }
        body
    }

    fn insn(&self, pc: u32) -> Insn {
        *self.insns.iter().find(|insn| insn.pc == pc).unwrap()
    }

    fn block(&self, pc: u32) -> Option<BlockId> {
        self.cfg.block_at(pc as u16)
    }
}

fn reached(ways: &HashMap<u32, Vec<u32>>, from: u32, without: Option<u32>) -> HashSet<u32> {
    let mut seen = HashSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if Some(at) != without && seen.insert(at) {
            open.extend(ways.get(&at).into_iter().flatten());
        }
    }
    seen
}

/// Slots that an instruction takes, value by value, and slots that it gives. Written down here once more and not asked of
/// `classfile`: what is compared with the analyses must not share their table.
fn widths(insn: Insn, code: &[u8], file: &ClassFile<'_>) -> (Vec<usize>, usize) {
    let at = insn.pc as usize;
    let index = || u16::from_be_bytes([code[at + 1], code[at + 2]]);
    let slots = |descriptor: &[u8]| usize::from(TypeKind::of(descriptor).unwrap().slots());
    let field = || slots(file.pool.member(index()).unwrap().descriptor);
    let w = |list: &[usize], gives: usize| (list.to_vec(), gives);
    match insn.op {
        0x01..=0x08
        | 0x0b..=0x0d
        | 0x10..=0x13
        | 0x15
        | 0x17
        | 0x19..=0x1d
        | 0x22..=0x25
        | 0x2a..=0x2d
        | 0xbb => w(&[], 1),
        0x09 | 0x0a | 0x0e | 0x0f | 0x14 | 0x16 | 0x18 | 0x1e..=0x21 | 0x26..=0x29 => w(&[], 2),
        0x2e | 0x30 | 0x32..=0x35 => w(&[1, 1], 1),
        0x2f | 0x31 => w(&[1, 1], 2),
        0x36 | 0x38 | 0x3a..=0x3e | 0x43..=0x46 | 0x4b..=0x4e => w(&[1], 0),
        0x37 | 0x39 | 0x3f..=0x42 | 0x47..=0x4a => w(&[2], 0),
        0x4f | 0x51 | 0x53..=0x56 => w(&[1, 1, 1], 0),
        0x50 | 0x52 => w(&[1, 1, 2], 0),
        0x60..=0x73 if insn.op % 2 == 1 => w(&[2, 2], 2),
        0x60..=0x73 => w(&[1, 1], 1),
        0x75 | 0x77 | 0x8a | 0x8f => w(&[2], 2),
        0x74 | 0x76 | 0x86 | 0x8b | 0x91..=0x93 | 0xbc..=0xbe | 0xc1 => w(&[1], 1),
        0x79 | 0x7b | 0x7d => w(&[2, 1], 2),
        0x7f | 0x81 | 0x83 => w(&[2, 2], 2),
        0x78..=0x82 => w(&[1, 1], 1),
        0x85 | 0x87 | 0x8c | 0x8d => w(&[1], 2),
        0x88 | 0x89 | 0x8e | 0x90 => w(&[2], 1),
        0x94 | 0x97 | 0x98 => w(&[2, 2], 1),
        0x95 | 0x96 => w(&[1, 1], 1),
        0x99..=0x9e | 0xaa | 0xab | 0xac | 0xae | 0xb0 | 0xbf | 0xc2 | 0xc3 | 0xc6 | 0xc7 => w(&[1], 0),
        0x9f..=0xa6 => w(&[1, 1], 0),
        0xad | 0xaf => w(&[2], 0),
        op::GETSTATIC => w(&[], field()),
        op::PUTSTATIC => w(&[field()], 0),
        op::GETFIELD => w(&[1], field()),
        op::PUTFIELD => w(&[1, field()], 0),
        op::MULTIANEWARRAY => w(&vec![1; code[at + 3].into()], 1),
        code if op::is_invoke(code) => {
            let parsed = MethodDescriptor::parse(file.pool.member(index()).unwrap().descriptor).unwrap();
            let receiver = !matches!(code, op::INVOKESTATIC | op::INVOKEDYNAMIC);
            let all = receiver.then_some(1).into_iter().chain(parsed.parameters.iter().map(|one| slots(one)));
            (all.collect(), slots(parsed.result))
        }
        _ => w(&[], 0),
    }
}

impl ShadowCall {
    fn decided(&self, pc: u32) -> Option<Node> {
        let on = &self.body.on[&pc];
        let handler = !self.body.plain.contains(&pc);
        let found = self.log.iter().rev().find(|(by, _, caught)| match caught {
            true => handler,
            false => on.contains(by) && !(handler && self.body.plain.contains(by)),
        });
        found.map(|&(_, position, _)| (position, Part::Event)).or(self.made)
    }

    /// Values on top of the stack, the deepest first.
    fn pop(&mut self, widths: &[usize]) -> Vec<Source> {
        let from = self.stack.len() - widths.iter().sum::<usize>();
        let slots = self.stack.split_off(from);
        let mut at = 0;
        let values = widths.iter().map(|width| {
            at += width;
            slots[at - width].clone()
        });
        values.collect()
    }

    fn push(&mut self, pc: u32, deps: Vec<Dep>, width: usize) {
        let source = Source { deps, run: self.run, decided: self.decided(pc) };
        self.stack.extend(std::iter::repeat_n(source, width));
    }

    /// What a value brings to who takes it now.
    fn taken(&self, source: &Source) -> Vec<Dep> {
        let mut deps = source.deps.clone();
        if source.run != self.run {
            deps.extend(source.decided.map(|node| Dep::Node(node, Tie::Control)));
        }
        deps
    }

    fn all(&self, sources: &[Source]) -> Vec<Dep> {
        sources.iter().flat_map(|source| self.taken(source)).collect()
    }

    fn address(&self, sources: &[Source]) -> Vec<Dep> {
        self.all(sources).iter().map(Dep::as_address).collect()
    }

    fn go(&mut self, to: u32) {
        let jumps = self.body.block(to) != self.body.block(self.pc) || to <= self.pc;
        self.pc = to;
        if jumps {
            self.run += 1;
        }
    }

    fn behind(&mut self) {
        let insn = self.body.insn(self.pc);
        self.go(insn.pc + insn.len);
    }

    /// Carries out what leaves no trace, up to an instruction.
    fn advance(&mut self, to: u32) {
        let body = Rc::clone(&self.body);
        while self.pc != to {
            let insn = body.insn(self.pc);
            let (widths, gives) = &body.widths[&self.pc];
            match insn.op {
                op::GOTO | op::GOTO_W => {
                    self.go(body.targets[&self.pc][0]);
                    continue;
                }
                op::POP => drop(self.stack.pop()),
                op::POP2 => self.stack.truncate(self.stack.len() - 2),
                op::DUP..=op::SWAP => self.shuffle(insn.op),
                op::CHECKCAST => {}
                0x15..=0x2d => {
                    let deps = self
                        .locals
                        .get(&body.locals[&self.pc])
                        .map_or(Vec::new(), |local| local.deps.clone());
                    self.push(self.pc, deps, *gives);
                }
                _ => {
                    let operands = self.pop(widths);
                    let deps = self.all(&operands);
                    self.push(self.pc, deps, *gives);
                }
            }
            self.behind();
        }
    }

    fn shuffle(&mut self, code: u8) {
        let (count, below) = match code {
            op::DUP => (1, 0),
            op::DUP_X1 => (1, 1),
            op::DUP_X2 => (1, 2),
            op::DUP2 => (2, 0),
            op::DUP2_X1 => (2, 1),
            op::DUP2_X2 => (2, 2),
            _ => {
                let last = self.stack.len() - 1;
                return self.stack.swap(last, last - 1);
            }
        };
        let top = self.stack.split_off(self.stack.len() - count);
        let under = self.stack.split_off(self.stack.len() - below);
        self.stack.extend(top.iter().cloned().chain(under).chain(top.iter().cloned()));
    }
}

impl Visitor for Shadow<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        if !event.library && event.site.is_some() {
            self.take(event);
        }
        self.next += 1;
        Then::On
    }

    fn read(&mut self, read: &Read<'_>) {
        let program = self.past.recording().program();
        let location = match read.kind {
            ReadKind::Field { object, field, .. } => self
                .object(self.stream, object)
                .zip(field.id(program))
                .map(|(object, field)| Location::Field { object, field }),
            ReadKind::Static { field, .. } => field.id(program).map(Location::Static),
            ReadKind::Element { array, index, .. } => {
                self.object(self.stream, array).map(|array| Location::Element { array, index: index as u32 })
            }
        };
        let before = Position { stream: self.stream, ordinal: self.next - 1 };
        let frame = self.frames.last_mut().unwrap();
        frame.advance(read.site.bci.into());
        let (widths, gives) = frame.body.widths[&frame.pc].clone();
        let operands = frame.pop(&widths);
        let mut deps = frame.address(&operands);
        deps.extend(location.map(|location| Dep::Heap(location, before, Tie::Data)));
        frame.push(frame.pc, deps, gives);
        frame.behind();
    }
}

impl Shadow<'_> {
    fn take(&mut self, event: &Event<'_>) {
        let (position, site) = (self.position(), event.site.unwrap());
        let pc = u32::from(site.bci);
        if let EventKind::Enter { called, .. } = event.kind {
            return self.enter(event, called, position);
        }
        let time = self.past.index().time(position).unwrap();
        let stream = self.stream;
        let past = self.past;
        let resolve = |value| match past.index().resolved(stream, value) {
            Value::Object(object) => Some(object),
            _ => None,
        };
        self.frames.truncate(event.depth as usize);
        let Some(frame) = self.frames.last_mut() else { return };
        let body = Rc::clone(&frame.body);
        let program = past.recording().program();
        let mut wrote: Option<Location> = None;
        match event.kind {
            EventKind::LocalWrite { slot, .. } => {
                frame.advance(pc);
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let deps = if body.insn(pc).op == op::IINC
                    || body.bytes[pc as usize] == op::WIDE && body.widths[&pc].0.is_empty()
                {
                    frame.locals.get(&slot).map_or(Vec::new(), |local| local.deps.clone())
                } else {
                    let operands = frame.pop(&body.widths[&pc].0);
                    frame.all(&operands)
                };
                self.nodes.insert((position, Part::Event), deps);
                let deps = vec![Dep::Node((position, Part::Event), Tie::Data)];
                frame.locals.insert(slot, Source { deps, run: frame.run, decided: None });
                frame.behind();
                self.criteria.push((position, event.depth));
            }
            EventKind::FieldWrite { .. } | EventKind::StaticWrite { .. } | EventKind::ArrayWrite { .. } => {
                frame.advance(pc);
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let mut operands = frame.pop(&body.widths[&pc].0);
                let value = operands.pop().unwrap();
                let mut deps = frame.address(&operands);
                deps.extend(frame.taken(&value));
                self.nodes.insert((position, Part::Event), deps);
                frame.behind();
                wrote = match event.kind {
                    EventKind::FieldWrite { object, field, .. } => resolve(object)
                        .zip(field.id(program))
                        .map(|(object, field)| Location::Field { object, field }),
                    EventKind::StaticWrite { field, .. } => field.id(program).map(Location::Static),
                    EventKind::ArrayWrite { array, index, .. } => {
                        resolve(array).map(|array| Location::Element { array, index: index as u32 })
                    }
                    _ => None,
                };
                self.criteria.push((position, event.depth));
            }
            EventKind::Branch { .. } | EventKind::Switch { .. } => {
                frame.advance(pc);
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let operands = frame.pop(&body.widths[&pc].0);
                let deps = frame.all(&operands);
                self.nodes.insert((position, Part::Event), deps);
                frame.log.push((pc, position, false));
                let targets = &body.targets[&pc];
                let to = match event.kind {
                    EventKind::Branch { taken } => targets[usize::from(!taken)],
                    EventKind::Switch { case, .. } => {
                        case.map_or(*targets.last().unwrap(), |case| targets[case as usize])
                    }
                    _ => return,
                };
                frame.go(to);
                self.criteria.push((position, event.depth));
            }
            EventKind::New { object: made, .. } | EventKind::NewArray { array: made, .. } => {
                frame.advance(pc);
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let (widths, gives) = &body.widths[&pc];
                let operands = frame.pop(widths);
                let deps = frame.all(&operands);
                self.nodes.insert((position, Part::Event), deps);
                frame.push(pc, vec![Dep::Node((position, Part::Event), Tie::Data)], *gives);
                frame.behind();
                if let Some(object) = resolve(made) {
                    self.created.insert(object.0, position);
                }
            }
            EventKind::Call { callee, args: values } => {
                frame.advance(pc);
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let args = frame.pop(&body.widths[&pc].0);
                for (at, arg) in args.iter().enumerate() {
                    self.nodes.insert((position, Part::Argument(at)), frame.taken(arg));
                }
                let virtual_ = matches!(body.insn(pc).op, op::INVOKEVIRTUAL | op::INVOKEINTERFACE);
                let receiver = if virtual_ { frame.address(&args[..1]) } else { Vec::new() };
                self.nodes.insert((position, Part::Event), receiver);
                let all = frame.all(&args);
                self.nodes.insert((position, Part::Outcome), all.clone());
                let of_thread = callee.owner == "java/lang/Thread" && callee.receiver();
                let thread = values.first().filter(|_| of_thread).and_then(|&thread| resolve(thread));
                let made = thread.and_then(|thread| self.threads.get(&thread.0).copied());
                // What a thread's task has is reached through the thread and the task.
                let held = |made| {
                    [Dep::Node((made, Part::Outcome), Tie::Data), Dep::Node((made, Part::Kept), Tie::Address)]
                };
                let handed = made.into_iter().flat_map(held);
                self.nodes.insert((position, Part::Kept), frame.address(&args));
                self.nodes.insert((position, Part::Handed), all.into_iter().chain(handed).collect());
                match (callee.name.as_str(), thread) {
                    ("<init>", Some(thread)) => drop(self.threads.insert(thread.0, position)),
                    ("start", Some(_)) => self.starts.push((time, position)),
                    _ => {}
                }
                frame.call = Some(Open { bci: pc, position, args, entered: false, exit: None, threw: None });
            }
            EventKind::BulkWrite(bulk) => {
                let Some(call) = &frame.call else { return };
                let target = match bulk {
                    BulkWrite::Copy { target, .. }
                    | BulkWrite::Clone { target, .. }
                    | BulkWrite::Fill { array: target, .. } => target,
                };
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let args: Vec<Source> = call
                    .args
                    .iter()
                    .map(|arg| Source { deps: frame.taken(arg), ..Source::default() })
                    .collect();
                self.bulks.insert(position, (bulk, args));
                self.ranges.push((time, target, position));
            }
            EventKind::Return { .. } => {
                let Some(call) = frame.call.take() else { return };
                let node = match call.exit.filter(|_| call.entered) {
                    Some(exit) => (exit, Part::Event),
                    None => (call.position, Part::Outcome),
                };
                frame.push(pc, vec![Dep::Node(node, Tie::Data)], body.widths[&pc].1);
                frame.behind();
            }
            EventKind::Throw { .. } => {
                frame.advance(pc);
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let deps = match frame.call.take().filter(|call| call.bci == pc) {
                    Some(Open { entered: true, threw: Some(threw), .. }) => {
                        vec![Dep::Node((threw, Part::Event), Tie::Data)]
                    }
                    Some(call) => vec![Dep::Node((call.position, Part::Outcome), Tie::Data)],
                    None => {
                        let operands = frame.pop(&body.widths[&pc].0);
                        frame.all(&operands)
                    }
                };
                self.nodes.insert((position, Part::Event), deps);
                frame.threw = Some(position);
                self.criteria.push((position, event.depth));
            }
            EventKind::Catch { .. } => {
                let threw = frame.threw.unwrap();
                self.nodes.insert((position, Part::Event), vec![Dep::Node((threw, Part::Event), Tie::Data)]);
                frame.stack.clear();
                frame.pc = pc;
                frame.run += 1;
                frame.log.push((pc, position, true));
                frame.push(pc, vec![Dep::Node((position, Part::Event), Tie::Data)], 1);
            }
            EventKind::Exit { value } => {
                frame.advance(pc);
                self.control.extend(frame.decided(pc).map(|by| (position, by)));
                let operands = frame.pop(&body.widths[&pc].0);
                let deps = frame.all(&operands);
                self.nodes.insert((position, Part::Event), deps);
                self.criteria.push((position, event.depth));
                let called = frame.called;
                self.frames.pop();
                self.left(position, called, value.is_some());
            }
            EventKind::Unwind { .. } => {
                let threw = frame.threw;
                self.frames.pop();
                if let Some(call) = self.frames.last_mut().and_then(|frame| frame.call.as_mut()) {
                    call.threw = threw;
                }
            }
            kinds! { threads locks contents losses Enter Named } => {}
        }
        if let Some(location) = wrote {
            self.writes.entry(location).or_default().push((time, (position, Part::Event)));
        }
    }

    fn left(&mut self, position: Position, called: bool, gives: bool) {
        let Some(call) = self.frames.last_mut().and_then(|frame| frame.call.as_mut()) else { return };
        if called {
            call.exit = Some(position);
        } else if gives {
            let outcome = self.nodes.entry((call.position, Part::Outcome)).or_default();
            outcome.push(Dep::Node((position, Part::Event), Tie::Data));
        }
    }

    fn enter(&mut self, event: &Event<'_>, called: bool, position: Position) {
        self.frames.truncate(event.depth as usize - 1);
        let body = self.body(event.site.unwrap().method);
        let caller = self.frames.last_mut().and_then(|frame| frame.call.as_mut());
        let from = caller.map(|call| {
            call.entered |= called;
            call.position
        });
        // Nobody in this thread made it: another one started the thread.
        let time = self.past.index().time(position);
        let start = self.starts.iter().rfind(|start| from.is_none() && Some(start.0) < time);
        let start = start.map(|start| start.1).filter(|start| start.stream != self.stream);
        self.control.extend(start.map(|start| (position, (start, Part::Event))));
        for at in 0..body.arguments.len() {
            let handed = start.map(|start| Dep::Node((start, Part::Handed), Tie::Data));
            self.nodes.insert((position, Part::Argument(at)), handed.into_iter().collect());
        }
        let node = |at: usize| match from {
            Some(call) if called => (call, Part::Argument(at)),
            Some(call) => (call, Part::Handed),
            None => (position, Part::Argument(at)),
        };
        let locals = body.arguments.iter().enumerate().map(|(at, &slot)| {
            (slot, Source { deps: vec![Dep::Node(node(at), Tie::Data)], ..Source::default() })
        });
        let locals = locals.collect();
        self.frames.push(ShadowCall {
            body,
            pc: 0,
            run: 0,
            locals,
            stack: Vec::new(),
            log: Vec::new(),
            made: from.or(start).map(|call| (call, Part::Event)),
            called,
            call: None,
            threw: None,
        });
    }
}
