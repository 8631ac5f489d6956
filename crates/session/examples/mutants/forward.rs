//! What depends on an execution of the mutated instruction that came out otherwise than the original would have: one pass
//! over a recorded run, in which every variable, operand and location carries the moment of the last such execution that it
//! depends on, by data or by control.
//!
//! One moment is enough: what a call gave or changed depends on an active execution within it if the last one that it
//! depends on is not before the call began.
//!
//! Where it is not exact it says too much rather than too little: a library's object is tainted as a whole; a branch that hangs
//! on an active execution taints the variables that its other way would have written, and if that way could have done more
//! than that, it counts as something that the call failed to do; so does what is done to another object. Threads are read one after the other, so what a later one gives
//! to an earlier one is not followed.

use std::collections::HashMap;
use std::rc::Rc;

use base::{MethodId, ObjectId, StreamId, Value};
use classfile::{ClassFile, opcode as op};
use index::Evidence;
use jdk::calls::Effect;
use past::{Location, Past};
use trace::{BulkWrite, Callee, Event, EventKind, FieldRef, Paused, Read, ReadKind, Then, Visitor};

use crate::arithmetic::{evaluate, jumps};
use crate::body::{Body, Instruction};
use crate::mutation::{Kind, Mutant};
use crate::truth::{LocalRecord, Record, Truth};

/// A value: what is known of it, and the last active execution that it depends on (0 for none).
#[derive(Clone, Copy, Debug)]
struct Cell {
    taint: u64,
    value: Value,
}

const UNKNOWN: Cell = Cell { taint: 0, value: Value::Top };

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    At(Location),
    /// All of an object: what a library keeps in it.
    Whole(ObjectId),
    /// What left the program.
    Outside,
}

struct Frame {
    body: Rc<Body>,
    method: MethodId,
    mutated: bool,
    /// The ordinal of the first event of the call: that of its `Call`, if there is one.
    entry: u64,
    pc: u32,
    stack: Vec<Cell>,
    locals: Vec<Cell>,
    /// By local: its record, if it is tainted.
    noted: Vec<Option<usize>>,
    /// By block: when its branch was last executed, and its taint.
    decided: Vec<(u32, u64)>,
    caught: (u32, u64),
    branches: u32,
    /// What decided that it is called at all.
    made: u64,
    called: bool,
    call: Option<Open>,
    threw: u64,
    /// Of the last call into a library.
    library: u64,
}

/// A call that has not come back.
struct Open {
    bci: u32,
    ordinal: u64,
    args: Vec<Cell>,
    taint: u64,
    entered: bool,
    gave: Option<Cell>,
    threw: Option<u64>,
    /// The object that it changes.
    changes: Option<ObjectId>,
    output: bool,
    constructs: bool,
}

pub struct Forward<'p> {
    past: &'p Past,
    mutant: Option<&'p Mutant>,
    stream: StreamId,
    /// Events of the streams before.
    offset: u64,
    next: u64,
    /// An event is told; otherwise what is carried out lies between two.
    told: bool,
    bodies: HashMap<MethodId, Option<Rc<Body>>>,
    frames: Vec<Option<Frame>>,
    heap: HashMap<Place, (u64, usize)>,
    /// The largest taint that anything in an object ever had.
    objects: HashMap<ObjectId, u64>,
    lengths: HashMap<ObjectId, i32>,
    truth: Truth,
    /// By method and pc, if they are counted.
    executed: Option<HashMap<MethodId, Vec<u32>>>,
}

/// Which instructions a run executed, by method and pc, how often.
pub fn executed(past: &Past) -> HashMap<MethodId, Vec<u32>> {
    let mut forward = Forward::new(past, None);
    forward.executed = Some(HashMap::new());
    forward.run().executed.unwrap_or_default()
}

pub fn truth(past: &Past, mutant: &Mutant) -> Truth {
    let mut truth = Forward::new(past, Some(mutant)).run().truth;
    truth.active.dedup();
    truth
}

impl<'p> Forward<'p> {
    fn new(past: &'p Past, mutant: Option<&'p Mutant>) -> Forward<'p> {
        Forward {
            past,
            mutant,
            stream: StreamId(0),
            offset: 0,
            next: 0,
            told: true,
            bodies: HashMap::new(),
            frames: Vec::new(),
            heap: HashMap::new(),
            objects: HashMap::new(),
            lengths: HashMap::new(),
            truth: Truth::default(),
            executed: None,
        }
    }

    fn run(mut self) -> Forward<'p> {
        for stream in self.past.streams() {
            self.offset += self.next;
            (self.stream, self.next) = (stream, 0);
            self.frames.clear();
            self.truth.offsets.insert(stream, self.offset);
            let mut replay = self.past.recording().replay(stream, self);
            while replay.run(u64::MAX) == Paused::Reached {}
            self = replay.into_visitor();
        }
        self
    }

    fn now(&self) -> u64 {
        let event = time(self.offset + self.next);
        if self.told { event } else { event - 1 }
    }

    fn object(&self, value: Value) -> Option<ObjectId> {
        match self.past.index().resolved(self.stream, value) {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    fn field(&self, object: Value, field: &FieldRef) -> Option<Place> {
        let field = field.id(self.past.recording().program())?;
        Some(Place::At(Location::Field { object: self.object(object)?, field }))
    }

    fn global(&self, field: &FieldRef) -> Option<Place> {
        field.id(self.past.recording().program()).map(|field| Place::At(Location::Static(field)))
    }

    fn element(&self, array: Value, index: i32) -> Option<Place> {
        let array = self.object(array)?;
        Some(Place::At(Location::Element { array, index: u32::try_from(index).ok()? }))
    }

    fn body(&mut self, id: MethodId) -> Option<Rc<Body>> {
        if let Some(known) = self.bodies.get(&id) {
            return known.clone();
        }
        let read = || {
            let (class, _) = self.past.recording().program().method(id)?;
            let file = ClassFile::parse(&class.bytes).ok()?;
            let method = file.methods.get((id.0 - class.first_method.0) as usize)?;
            let mutation = self.mutant.filter(|mutant| is_of(mutant, &class.name, method));
            let mutation = mutation.map(|mutant| &mutant.mutation);
            Body::read(&file, method, mutation).ok().flatten().map(Rc::new)
        };
        let body = read();
        self.bodies.insert(id, body.clone());
        body
    }

    /// Is this the method with the mutation?
    fn is_mutated(&self, id: MethodId) -> bool {
        let found = self.past.recording().program().method(id);
        self.mutant.zip(found).is_some_and(|(mutant, (class, method))| {
            mutant.class == class.name
                && mutant.method == method.name
                && mutant.descriptor == method.descriptor
        })
    }

    fn touch(&mut self, value: Value) {
        if let Some(object) = self.object(value) {
            let now = self.now();
            let known = self.truth.objects.entry(object).or_insert((now, now));
            known.1 = now;
        }
    }

    fn taint_of(&self, place: Option<&Place>) -> u64 {
        let Some(place) = place else { return 0 };
        let own = self.heap.get(place).map_or(0, |held| held.0);
        let whole = match place {
            Place::At(Location::Element { array: object, .. } | Location::Field { object, .. }) => {
                self.heap.get(&Place::Whole(*object)).map_or(0, |held| held.0)
            }
            _ => 0,
        };
        own.max(whole)
    }

    fn write(&mut self, place: Place, taint: u64) {
        let now = self.now();
        if let Some((_, record)) = self.heap.remove(&place) {
            self.truth.records[record].until = now;
        }
        if taint == 0 {
            return;
        }
        let object = match &place {
            Place::At(Location::Element { array: object, .. } | Location::Field { object, .. })
            | Place::Whole(object) => Some(*object),
            _ => None,
        };
        if let Some(object) = object {
            let most = self.objects.entry(object).or_default();
            *most = taint.max(*most);
        }
        let location = match &place {
            Place::At(location) => Some(location.clone()),
            _ => None,
        };
        self.heap.insert(place, (taint, self.truth.records.len()));
        self.truth.records.push(Record { taint, from: now, until: u64::MAX, object, location });
    }

    /// Something in a library's object is tainted as well.
    fn spoil(&mut self, object: ObjectId, taint: u64) {
        let place = Place::Whole(object);
        if taint > self.taint_of(Some(&place)) {
            self.write(place, taint);
        }
    }

    /// The taint of a value and of all that is directly in it.
    fn deep(&self, cell: Cell) -> u64 {
        let within = self.object(cell.value).and_then(|object| self.objects.get(&object)).copied();
        cell.taint.max(within.unwrap_or(0))
    }

    /// An execution came out otherwise than the original's.
    fn activate(&mut self) -> u64 {
        let now = self.now();
        self.truth.active.push(now);
        now
    }

    /// The taint that a condition gets by having been mutated.
    fn differs(&mut self, same: Option<bool>) -> u64 {
        self.truth.assumed += u64::from(same.is_none());
        if same == Some(true) { 0 } else { self.activate() }
    }

    fn mutation_at(&self, frame: &Frame, pc: u32) -> Option<&'p Mutant> {
        self.mutant.filter(|mutant| frame.mutated && mutant.mutation.pc == pc)
    }

    fn count(&mut self, frame: &Frame, pc: u32) {
        if let Some(executed) = &mut self.executed {
            let counts = executed.entry(frame.method).or_default();
            if counts.len() <= pc as usize {
                counts.resize(pc as usize + 1, 0);
            }
            counts[pc as usize] += 1;
        }
    }

    /// Carries out what leaves no trace, up to an instruction.
    fn advance(&mut self, frame: &mut Frame, to: u32) {
        let told = std::mem::replace(&mut self.told, false);
        self.carry_out(frame, to);
        self.told = told;
    }

    fn carry_out(&mut self, frame: &mut Frame, to: u32) {
        let most = frame.body.insns.len() * 2 + 10;
        for _ in 0..most {
            if frame.pc == to {
                self.count(frame, to);
                return;
            }
            if !self.step(frame) {
                break;
            }
        }
        self.truth.lost += 1;
        frame.stack.clear();
        frame.pc = to;
    }

    /// False if there is no instruction.
    fn step(&mut self, frame: &mut Frame) -> bool {
        let body = Rc::clone(&frame.body);
        let Some(insn) = body.at(frame.pc) else { return false };
        let pc = frame.pc;
        self.count(frame, pc);
        let spoilt = self.mutation_at(frame, pc).map_or(0, |mutant| self.mutated_step(frame, mutant, insn));
        let control = frame.control(pc);
        frame.pc += insn.len;
        match insn.op {
            op::GOTO | op::GOTO_W => frame.pc = insn.targets.first().copied().unwrap_or(frame.pc),
            op::JSR | op::JSR_W => {
                frame.stack.push(Cell { taint: 0, value: Value::ReturnAddress(frame.pc) });
                frame.pc = insn.targets.first().copied().unwrap_or(frame.pc);
            }
            op::RET => match frame.local(insn.slot).value {
                Value::ReturnAddress(back) => frame.pc = back,
                _ => return false,
            },
            op::SWAP if spoilt > 0 => {
                let operands = frame.pop(&[1, 1]);
                for cell in operands.iter().rev() {
                    frame.stack.push(Cell { taint: spoilt, ..*cell });
                }
            }
            _ if insn.drops > 0 => {
                let left = frame.stack.len().saturating_sub(insn.drops.into());
                frame.stack.truncate(left);
            }
            op::CHECKCAST => {}
            op::ILOAD..=op::ALOAD_3 => {
                let mut cell = frame.local(insn.slot);
                cell.taint = cell.taint.max(control);
                frame.push(cell, insn.gives);
            }
            _ => {
                if let Some(shuffle) = insn.shuffle {
                    if shuffle.apply(&mut frame.stack).is_none() {
                        return false;
                    }
                    return true;
                }
                let operands = frame.pop(&insn.takes);
                let taint = operands.iter().fold(control.max(spoilt), |taint, cell| taint.max(cell.taint));
                let taint = taint.max(self.within_mutation(frame, pc));
                let values: Vec<Value> = operands.iter().map(|cell| cell.value).collect();
                let value = match insn.op {
                    op::ARRAYLENGTH => values
                        .first()
                        .and_then(|&array| self.object(array))
                        .and_then(|array| self.lengths.get(&array).map(|&length| Value::Int(length))),
                    _ => insn.constant.or_else(|| evaluate(insn.op, &values)),
                };
                frame.push(Cell { taint, value: value.unwrap_or(Value::Top) }, insn.gives);
            }
        }
        true
    }

    /// What stands in the place of something else gives nothing right.
    fn within_mutation(&self, frame: &Frame, pc: u32) -> u64 {
        let mutation = self.mutant.filter(|_| frame.mutated).map(|mutant| &mutant.mutation);
        let within = mutation.is_some_and(|mutation| {
            matches!(mutation.kind, Kind::DroppedCall | Kind::EarlyReturn)
                && (mutation.pc..mutation.end).contains(&pc)
        });
        if within { self.now() } else { 0 }
    }

    /// At a mutated instruction that is no event: the taint of what it gives.
    fn mutated_step(&mut self, frame: &mut Frame, mutant: &Mutant, insn: &Instruction) -> u64 {
        let mutation = &mutant.mutation;
        let old = mutation.old.first().copied().unwrap_or(0);
        match mutation.kind {
            Kind::Constant => self.activate(),
            Kind::Operator => {
                let operands: Vec<Value> = frame.peek(&insn.takes).iter().map(|cell| cell.value).collect();
                let (was, is) = (evaluate(old, &operands), evaluate(insn.op, &operands));
                self.differs(was.zip(is).map(|(was, is)| was == is))
            }
            Kind::SwappedArguments => {
                let operands = frame.peek(&[1, 1]);
                let known = operands.iter().all(|cell| cell.value != Value::Top);
                self.differs(known.then(|| operands[0].value == operands[1].value))
            }
            Kind::DroppedCall | Kind::EarlyReturn => {
                let now = self.activate();
                self.truth.omissions.push((now, now));
                now
            }
            Kind::DroppedCondition => {
                let takes: &[u8] = if matches!(old, op::IF_ICMPEQ..=op::IF_ACMPNE) { &[1, 1] } else { &[1] };
                let operands = frame.peek(takes);
                let values: Vec<Value> = operands.iter().map(|cell| cell.value).collect();
                let jumped = match old {
                    op::IF_ACMPEQ | op::IF_ACMPNE => {
                        same_reference(&values).map(|same| same == (old == op::IF_ACMPEQ))
                    }
                    _ => jumps(old, &values),
                };
                let active = self.differs(jumped.map(|jumped| !jumped));
                let taint = operands.iter().fold(active, |taint, cell| taint.max(cell.taint));
                self.branch(frame, insn.pc, taint, mutation.end);
                0
            }
            // These are events.
            Kind::Boundary | Kind::Negated => 0,
        }
    }

    /// A branch went somewhere; `taint` is that of its condition.
    fn branch(&mut self, frame: &mut Frame, pc: u32, taint: u64, to: u32) {
        let (block, control) = (frame.body.block(pc), frame.control(pc));
        frame.branches += 1;
        frame.decided[usize::from(block.0)] = (frame.branches, taint.max(control));
        if taint == 0 {
            return;
        }
        let body = Rc::clone(&frame.body);
        let mut ways: Vec<u32> =
            match self.mutation_at(frame, pc).filter(|m| m.mutation.kind == Kind::DroppedCondition) {
                Some(mutant) => {
                    let offset = i16::from_be_bytes([mutant.mutation.old[1], mutant.mutation.old[2]]);
                    vec![pc.wrapping_add_signed(offset.into())]
                }
                None => body.at(pc).map_or(Vec::new(), |insn| insn.targets.clone()),
            };
        ways.sort_unstable();
        ways.dedup();
        for other in ways.into_iter().filter(|&other| other != to) {
            let omitted = body.omitted(block, other);
            for &slot in &omitted.locals {
                let mut cell = frame.local(Some(slot));
                cell.taint = cell.taint.max(taint);
                self.set_local(frame, slot, cell);
            }
            if omitted.effects {
                self.truth.omissions.push((self.now(), taint));
            }
        }
    }

    /// Written to a place that hangs on an active execution: then another place was not written to.
    fn misplaced(&mut self, operands: &[Cell], control: u64, write: EventKind<'_>) {
        let hangs = |at: usize| operands.get(at).map_or(0, |cell| cell.taint).max(control) > control;
        let omitted = match write {
            EventKind::FieldWrite { .. } => hangs(0),
            EventKind::ArrayWrite { array, .. } => {
                if let Some(array) = self.object(array).filter(|_| hangs(1)) {
                    self.spoil(array, operands[1].taint);
                }
                hangs(0)
            }
            _ => false,
        };
        if omitted {
            self.truth.omissions.push((self.now(), operands[0].taint));
        }
    }

    fn set_local(&mut self, frame: &mut Frame, slot: u16, cell: Cell) {
        let slot = usize::from(slot);
        if frame.locals.len() <= slot {
            frame.locals.resize(slot + 1, UNKNOWN);
            frame.noted.resize(slot + 1, None);
        }
        frame.locals[slot] = cell;
        let now = self.now();
        if let Some(record) = frame.noted[slot].take() {
            self.truth.locals[record].until = now;
        }
        if cell.taint > 0 {
            frame.noted[slot] = Some(self.truth.locals.len());
            let (stream, call) = (self.stream, frame.entry);
            self.truth.locals.push(LocalRecord {
                stream,
                call,
                taint: cell.taint,
                from: now,
                until: u64::MAX,
            });
        }
    }

    fn end(&mut self, frame: &Frame, taint: u64) {
        let now = self.now();
        for record in frame.noted.iter().flatten() {
            self.truth.locals[*record].until = now;
        }
        if taint > 0 {
            self.truth.ends.insert((self.stream, frame.entry), taint);
        }
    }

    fn caller(&mut self) -> Option<&mut Open> {
        self.frames.last_mut()?.as_mut()?.call.as_mut()
    }

    /// Of the call that the innermost call of the program is in.
    fn outside(&self) -> u64 {
        let frame = self.frames.last().and_then(Option::as_ref);
        frame.map_or(0, |frame| frame.call.as_ref().map_or(frame.library, |call| call.taint))
    }

    fn called(&mut self, frame: &mut Frame, pc: u32, callee: &Callee, values: &[Value]) {
        let body = Rc::clone(&frame.body);
        let insn = body.at(pc);
        let takes = insn.map_or(&[][..], |insn| &insn.takes);
        let mut args = frame.pop(takes);
        for (arg, &value) in args.iter_mut().zip(values) {
            arg.value = value;
            self.touch(value);
        }
        let control = frame.control(pc);
        let taint = args.iter().fold(control, |taint, &arg| taint.max(self.deep(arg)));
        let (owner, name) = (callee.owner.as_str(), callee.name.as_str());
        // Asked of the wrong object: the right one was not asked.
        let mistaken = args.first().filter(|_| callee.receiver()).map_or(0, |receiver| receiver.taint);
        let harmless = matches!(jdk::calls::effect(owner, name), Effect::None | Effect::Reads);
        if mistaken > control && !harmless {
            self.truth.omissions.push((self.now(), mistaken));
        }
        let receiver =
            values.first().copied().filter(|_| callee.receiver()).and_then(|value| self.object(value));
        let changes =
            jdk::calls::changes_receiver(owner, name) || jdk::calls::keeps(owner, name) || name == "<init>";
        frame.call = Some(Open {
            bci: pc,
            ordinal: self.next,
            args,
            taint,
            entered: false,
            gave: None,
            threw: None,
            changes: receiver.filter(|_| changes),
            output: jdk::effects::is_output(owner, name),
            constructs: name == "<init>",
        });
    }

    /// A call into a library came back, or was left by an exception.
    fn library_did(&mut self, call: &Open) {
        if call.entered || call.taint == 0 {
            return;
        }
        if let Some(object) = call.changes {
            self.spoil(object, call.taint);
        }
        if call.output {
            self.write(Place::Outside, call.taint);
        }
    }

    fn enter(&mut self, event: &Event<'_>, called: bool, receiver: Option<Value>, args: &[Value]) {
        let Some(site) = event.site else { return };
        let outside = self.outside();
        let mut handed = Vec::new();
        let (mut made, mut entry) = (0, self.next);
        if let Some(Some(frame)) = self.frames.last_mut() {
            let control = frame.control(frame.pc);
            made = control;
            if let Some(call) = frame.call.as_mut() {
                call.entered |= called;
                if called {
                    entry = call.ordinal;
                    handed = call.args.clone();
                    let receiver = receiver.and(handed.first()).map_or(0, |cell| cell.taint);
                    made = made.max(receiver);
                } else {
                    made = made.max(call.taint);
                }
            }
        }
        let Some(body) = self.body(site.method) else {
            self.frames.push(None);
            return;
        };
        let mut frame = Frame {
            method: site.method,
            mutated: self.is_mutated(site.method),
            entry,
            pc: 0,
            stack: Vec::new(),
            locals: Vec::new(),
            noted: Vec::new(),
            decided: vec![(0, 0); body.blocks()],
            caught: (0, 0),
            branches: 0,
            made,
            called,
            call: None,
            threw: 0,
            library: 0,
            body,
        };
        let values = receiver.into_iter().chain(args.iter().copied());
        let slots = frame.body.arguments.clone();
        for (at, (value, slot)) in values.zip(slots).enumerate() {
            self.touch(value);
            let taint = handed.get(at).map_or(outside, |cell| cell.taint);
            let taint = if called { taint } else { outside };
            self.set_local(&mut frame, slot, Cell { taint, value });
        }
        self.frames.push(Some(frame));
    }

    fn take(&mut self, frame: &mut Frame, event: &Event<'_>, pc: u32) {
        let body = Rc::clone(&frame.body);
        match event.kind {
            EventKind::LocalWrite { slot, value } => {
                self.advance(frame, pc);
                let control = frame.control(pc);
                let mut cell = Cell { taint: control, value };
                let mutated = self.mutation_at(frame, pc).is_some();
                match body.at(pc) {
                    Some(insn) if insn.op == op::IINC => {
                        cell.taint = cell.taint.max(frame.local(Some(slot)).taint);
                        if mutated {
                            cell.taint = self.activate();
                        }
                    }
                    Some(insn) => {
                        for operand in frame.pop(&insn.takes) {
                            cell.taint = cell.taint.max(operand.taint);
                            if matches!(operand.value, Value::ReturnAddress(_)) {
                                cell.value = operand.value;
                            }
                        }
                    }
                    None => {}
                }
                self.set_local(frame, slot, cell);
                frame.behind(pc);
            }
            EventKind::FieldWrite { .. } | EventKind::StaticWrite { .. } | EventKind::ArrayWrite { .. } => {
                self.advance(frame, pc);
                let takes = body.at(pc).map_or(&[][..], |insn| &insn.takes);
                let operands = frame.pop(takes);
                let control = frame.control(pc);
                let taint = operands.iter().fold(control, |taint, cell| taint.max(cell.taint));
                self.misplaced(&operands, control, event.kind);
                let place = match event.kind {
                    EventKind::FieldWrite { object, field, .. } => {
                        self.touch(object);
                        self.field(object, field)
                    }
                    EventKind::StaticWrite { field, .. } => self.global(field),
                    EventKind::ArrayWrite { array, index, .. } => {
                        self.touch(array);
                        self.element(array, index)
                    }
                    _ => None,
                };
                if let Some(place) = place {
                    self.write(place, taint);
                }
                frame.behind(pc);
            }
            EventKind::Branch { taken } => {
                self.advance(frame, pc);
                let Some(insn) = body.at(pc) else { return };
                let operands = frame.pop(&insn.takes);
                let mut taint = operands.iter().fold(0, |taint, cell| taint.max(cell.taint));
                if let Some(mutant) = self.mutation_at(frame, pc) {
                    let values: Vec<Value> = operands.iter().map(|cell| cell.value).collect();
                    let same = match mutant.mutation.kind {
                        Kind::Boundary => jumps(mutant.mutation.old[0], &values).map(|was| was == taken),
                        Kind::Negated => Some(false),
                        _ => Some(true),
                    };
                    taint = taint.max(self.differs(same));
                }
                let to = if taken { insn.targets.first() } else { insn.targets.get(1) };
                let to = to.copied().unwrap_or(pc + insn.len);
                self.branch(frame, pc, taint, to);
                frame.pc = to;
            }
            EventKind::Switch { case, .. } => {
                self.advance(frame, pc);
                let Some(insn) = body.at(pc) else { return };
                let operands = frame.pop(&insn.takes);
                let taint = operands.iter().fold(0, |taint, cell| taint.max(cell.taint));
                let to = case.map_or(insn.targets.last(), |case| insn.targets.get(case as usize));
                let to = to.copied().unwrap_or(pc + insn.len);
                self.branch(frame, pc, taint, to);
                frame.pc = to;
            }
            EventKind::New { object: made, .. } | EventKind::NewArray { array: made, .. } => {
                self.advance(frame, pc);
                let Some(insn) = body.at(pc) else { return };
                let operands = frame.pop(&insn.takes);
                let taint = operands.iter().fold(frame.control(pc), |taint, cell| taint.max(cell.taint));
                self.touch(made);
                if let (Some(array), Some(Value::Int(length))) =
                    (self.object(made), operands.first().map(|cell| cell.value))
                {
                    self.lengths.insert(array, length);
                }
                frame.push(Cell { taint, value: made }, insn.gives);
                frame.behind(pc);
            }
            EventKind::Call { callee, args } => {
                self.advance(frame, pc);
                self.called(frame, pc, callee, args);
            }
            EventKind::BulkWrite(bulk) => self.bulk(frame, bulk),
            EventKind::Return { value } => {
                let gives = body.at(pc).map_or(0, |insn| insn.gives);
                if let Some(call) = frame.call.take() {
                    self.library_did(&call);
                    frame.constructed(&call);
                    let control = frame.control(pc);
                    let given = call.gave.filter(|_| call.entered);
                    let taint = given.map_or(call.taint, |cell| cell.taint).max(control);
                    frame.library = if call.entered { 0 } else { call.taint };
                    let value = value.unwrap_or(Value::Top);
                    self.touch(value);
                    frame.push(Cell { taint, value }, gives);
                } else {
                    frame.push(UNKNOWN, gives);
                }
                frame.behind(pc);
            }
            EventKind::Throw { .. } => {
                let call = frame.call.take().filter(|call| call.bci == pc);
                let taint = match call {
                    Some(call) => {
                        self.library_did(&call);
                        call.threw.filter(|_| call.entered).unwrap_or(call.taint)
                    }
                    None => {
                        self.advance(frame, pc);
                        let takes = body.at(pc).map_or(&[][..], |insn| &insn.takes);
                        frame.pop(takes).iter().fold(0, |taint, cell| taint.max(cell.taint))
                    }
                };
                if taint > 0 {
                    self.truth.omissions.push((self.now(), taint));
                }
                frame.threw = taint.max(frame.control(pc));
            }
            EventKind::Catch { .. } => {
                let taint = std::mem::take(&mut frame.threw);
                frame.stack.clear();
                frame.call = None;
                frame.pc = pc;
                frame.branches += 1;
                frame.caught = (frame.branches, taint);
                if taint > 0 {
                    for slot in 0..frame.locals.len() as u16 {
                        let mut cell = frame.local(Some(slot));
                        cell.taint = cell.taint.max(taint);
                        self.set_local(frame, slot, cell);
                    }
                }
                frame.push(Cell { taint, value: Value::Top }, 1);
            }
            _ => {}
        }
    }

    fn bulk(&mut self, frame: &Frame, bulk: BulkWrite) {
        let Some(call) = &frame.call else { return };
        let taint = call.args.iter().fold(frame.control(call.bci), |taint, cell| taint.max(cell.taint));
        let most = |object: Option<ObjectId>| {
            object.and_then(|object| self.objects.get(&object).copied()).unwrap_or(0)
        };
        match bulk {
            BulkWrite::Copy { source, from, target, to, length } => {
                if taint == 0 && most(self.object(source)) == 0 && most(self.object(target)) == 0 {
                    return;
                }
                let taints: Vec<u64> = (0..length)
                    .map(|at| self.taint_of(self.element(source, from.wrapping_add(at)).as_ref()))
                    .collect();
                if let Some(object) = self.object(target).filter(|_| taint > frame.control(call.bci)) {
                    self.spoil(object, taint);
                }
                for (at, &held) in taints.iter().enumerate() {
                    if let Some(place) = self.element(target, to.wrapping_add(at as i32)) {
                        self.write(place, held.max(taint));
                    }
                }
            }
            BulkWrite::Clone { source, target } => {
                let taint = taint.max(most(self.object(source)));
                if let Some(object) = self.object(target).filter(|_| taint > 0) {
                    self.spoil(object, taint);
                }
            }
            BulkWrite::Fill { array, range, .. } => match range {
                Some((from, to)) if taint > 0 || most(self.object(array)) > 0 => {
                    for at in from..to {
                        if let Some(place) = self.element(array, at) {
                            self.write(place, taint);
                        }
                    }
                }
                _ => {
                    if let Some(object) = self.object(array).filter(|_| taint > 0) {
                        self.spoil(object, taint);
                    }
                }
            },
        }
    }

    /// What a library wrote, or what came out of it.
    fn by_library(&mut self, event: &Event<'_>) {
        let object = match event.kind {
            EventKind::FieldWrite { object, .. } => self.object(object),
            EventKind::ArrayWrite { array, .. } => self.object(array),
            EventKind::ArrayContents { array, length, .. } => {
                self.lengths.insert(array, length as i32);
                Some(array)
            }
            EventKind::ObjectContents { object, .. } => Some(object),
            _ => None,
        };
        let taint = self.outside();
        if let Some(object) = object.filter(|_| taint > 0) {
            self.spoil(object, taint);
        }
    }
}

impl Visitor for Forward<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let contents =
            matches!(event.kind, EventKind::ArrayContents { .. } | EventKind::ObjectContents { .. });
        if event.library || contents {
            self.by_library(event);
        } else if let EventKind::Enter { receiver, args, called } = event.kind {
            self.frames.truncate(event.depth.saturating_sub(1) as usize);
            self.enter(event, called, receiver, args);
        } else if let Some(site) = event.site {
            self.frames.truncate(event.depth as usize);
            let top = self.frames.len() == event.depth as usize;
            match self.frames.last_mut().filter(|_| top).and_then(Option::take) {
                Some(mut frame) => self.inside(&mut frame, event, site.bci.into()).then(|| {
                    if let Some(place) = self.frames.last_mut() {
                        *place = Some(frame);
                    }
                }),
                None => None,
            };
        }
        self.next += 1;
        Then::On
    }

    fn read(&mut self, read: &Read<'_>) {
        self.frames.truncate(read.depth as usize);
        let Some(mut frame) = self.frames.last_mut().and_then(Option::take) else { return };
        self.told = false;
        let (place, value, holder) = match read.kind {
            ReadKind::Field { object, field, value } => (self.field(object, field), value, object),
            ReadKind::Static { field, value } => (self.global(field), value, Value::Null),
            ReadKind::Element { array, index, value } => (self.element(array, index), value, array),
        };
        self.touch(holder);
        let pc = u32::from(read.site.bci);
        self.advance(&mut frame, pc);
        let body = Rc::clone(&frame.body);
        if let Some(insn) = body.at(pc) {
            let operands = frame.pop(&insn.takes);
            let taint = operands.iter().fold(frame.control(pc), |taint, cell| taint.max(cell.taint));
            let taint = taint.max(self.taint_of(place.as_ref()));
            frame.push(Cell { taint, value }, insn.gives);
        }
        frame.behind(pc);
        self.told = true;
        if let Some(place) = self.frames.last_mut() {
            *place = Some(frame);
        }
    }
}

impl Forward<'_> {
    /// An event in a call; false if the call ended with it.
    fn inside(&mut self, frame: &mut Frame, event: &Event<'_>, pc: u32) -> bool {
        match event.kind {
            EventKind::Exit { value } => {
                self.advance(frame, pc);
                let body = Rc::clone(&frame.body);
                let takes = body.at(pc).map_or(&[][..], |insn| &insn.takes);
                let operands = frame.pop(takes);
                let mut taint = self.within_mutation(frame, pc);
                if !operands.is_empty() {
                    let given = operands.iter().map(|cell| cell.taint);
                    taint = given.fold(taint.max(frame.control(pc)), u64::max);
                }
                self.end(frame, taint);
                self.frames.pop();
                let called = frame.called;
                if let Some(call) = self.caller() {
                    match called {
                        true => call.gave = Some(Cell { taint, value: value.unwrap_or(Value::Top) }),
                        false => call.taint = call.taint.max(taint),
                    }
                }
                false
            }
            EventKind::Unwind { .. } => {
                let taint = frame.threw;
                self.end(frame, taint);
                self.frames.pop();
                let called = frame.called;
                if let Some(call) = self.caller() {
                    match called {
                        true => call.threw = Some(taint),
                        false => call.taint = call.taint.max(taint),
                    }
                }
                false
            }
            _ => {
                self.take(frame, event, pc);
                true
            }
        }
    }
}

impl Frame {
    /// The taint of what decided that an instruction is executed.
    fn control(&self, pc: u32) -> u64 {
        let block = self.body.block(pc);
        let handler = self.body.is_handler(block);
        let mut last = (0, self.made);
        for &by in self.body.deciding(block) {
            let decided = self.decided[usize::from(by.0)];
            let counts = !handler || self.body.is_handler(by);
            if counts && decided.0 > last.0 {
                last = decided;
            }
        }
        if handler && self.caught.0 > last.0 {
            last = self.caught;
        }
        last.1
    }

    /// What a library's constructor made of its arguments: a string has no identity that could be tainted.
    fn constructed(&mut self, call: &Open) {
        let Some(made) = call.args.first().filter(|_| call.constructs && !call.entered) else { return };
        let same = |cell: &&mut Cell| cell.value == made.value;
        for cell in self.stack.iter_mut().chain(&mut self.locals).filter(same) {
            cell.taint = cell.taint.max(call.taint);
        }
    }

    fn local(&self, slot: Option<u16>) -> Cell {
        slot.and_then(|slot| self.locals.get(usize::from(slot)).copied()).unwrap_or(UNKNOWN)
    }

    fn push(&mut self, cell: Cell, slots: u8) {
        self.stack.extend(std::iter::repeat_n(cell, slots.into()));
    }

    /// Values on top of the stack, the deepest first.
    fn pop(&mut self, takes: &[u8]) -> Vec<Cell> {
        let values = self.peek(takes);
        let slots: usize = takes.iter().map(|&slots| usize::from(slots)).sum();
        self.stack.truncate(self.stack.len().saturating_sub(slots));
        values
    }

    fn peek(&self, takes: &[u8]) -> Vec<Cell> {
        let mut from =
            self.stack.len() as isize - takes.iter().map(|&slots| isize::from(slots)).sum::<isize>();
        let values = takes.iter().map(|&slots| {
            let cell = usize::try_from(from).ok().and_then(|at| self.stack.get(at).copied());
            from += isize::from(slots);
            cell.unwrap_or(UNKNOWN)
        });
        values.collect()
    }

    fn behind(&mut self, pc: u32) {
        self.pc = pc + self.body.at(pc).map_or(1, |insn| insn.len);
    }
}

/// Of an event, by its number among those of all threads, one thread after the other. What is carried out before it and after
/// the one before has the time between.
pub fn time(event: u64) -> u64 {
    2 * (event + 1)
}

fn is_of(mutant: &Mutant, class: &str, method: &classfile::Member<'_>) -> bool {
    mutant.class == class
        && mutant.method.as_bytes() == method.name
        && mutant.descriptor.as_bytes() == method.descriptor
}

/// Are two references the same? Only those of objects can be compared.
fn same_reference(values: &[Value]) -> Option<bool> {
    let known = |value: &Value| matches!(value, Value::Null | Value::Object(_));
    match values {
        [one, other] if known(one) && known(other) => Some(one == other),
        _ => None,
    }
}
