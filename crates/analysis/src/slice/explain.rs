//! What one event depends on: the operands of its instruction, what those were read from, and the branch that let it
//! happen. Everything is looked up in the trail of its call; what is not in there goes on in the window before.

use classfile::opcode as op;
use index::{Ending, Evidence, Position, Target, Time};
use past::{CallId, Location, StreamId, same};
use trace::{BulkWrite, Value};

use super::Tie;
use super::heap::{self, ValueSource};
use super::library::Depth;
use super::methods::Link;
use super::search::{Asker, EventPart, SliceSearch, TrailQuery};
use super::trail::{CallMoment, CallTrail, TrailEvent};
use super::window::{Did, HeapSpot};
use crate::code::Local;
use crate::error::Result;
use crate::producers::{OperandProducers, Producer};

impl SliceSearch<'_> {
    pub(super) fn explain(
        &mut self,
        position: Position,
        part: EventPart,
        trail: &CallTrail,
        step: &TrailEvent,
    ) -> Result<()> {
        let asked = |tie| Asker { by: position, tie };
        let facts = std::rc::Rc::clone(&trail.facts);
        let bci = step.at.bci as u16;
        let operands = facts.producers.operands(bci);
        if self.limits.control && step.did != Did::Caught && self.controlled.insert(position) {
            if step.did == Did::Entered {
                self.made(trail.call, asked(Tie::Control));
            } else if let Some(&block) = trail.runs.get(step.at.run as usize) {
                self.ask(trail, &TrailQuery::Control(block), step.at, asked(Tie::Control))?;
            }
        }
        let data = asked(Tie::Data);
        match step.did {
            Did::Local(slot) => match facts.code.at(bci).and_then(|at| facts.code.insns[at].local) {
                Some(Local::Increment(_)) => {
                    self.ask(trail, &TrailQuery::Variable { slot, usage: bci }, step.at, data)?;
                }
                _ => self.all(trail, operands, step.at, data)?,
            },
            Did::Wrote(_) => {
                let (value, address) = operands
                    .split_last()
                    .map_or((&[][..], &[][..]), |(last, rest)| (std::slice::from_ref(last), rest));
                if part != EventPart::Address {
                    self.all(trail, value, step.at, data)?;
                }
                self.all(trail, address, step.at, asked(Tie::Address))?;
            }
            Did::Branched(_) | Did::Switched(_) | Did::New | Did::Exited => {
                self.all(trail, operands, step.at, data)?;
            }
            Did::Caught => {
                match trail.steps.iter().rfind(|one| one.ordinal < position.ordinal && one.did == Did::Threw)
                {
                    Some(threw) => {
                        self.add_tied(
                            Position { ordinal: threw.ordinal, ..position },
                            EventPart::Event,
                            data,
                        );
                    }
                    // Thrown right before the window began.
                    None => match position.ordinal.checked_sub(1) {
                        Some(ordinal) => {
                            self.add_tied(Position { ordinal, ..position }, EventPart::Event, data)
                        }
                        None => self.lose(position),
                    },
                }
            }
            Did::Threw => match part {
                EventPart::Argument(at) => match operands.get(usize::from(at)) {
                    Some(operand) => self.operand(trail, operand, step.at, data)?,
                    None => self.lose(position),
                },
                _ => self.threw(position, trail, step, data)?,
            },
            Did::Called => self.called(position, part, trail, step, data)?,
            Did::Bulk(at) => self.bulk(position, part, trail, step, at)?,
            // Nobody in this thread called it: another began it, or what it was given came from outside.
            Did::Entered if part != EventPart::Event => self.begun(trail.call, part, data),
            Did::Entered => {}
            Did::Read(..) | Did::Gap => self.lose(position),
        }
        Ok(())
    }

    fn all(
        &mut self,
        trail: &CallTrail,
        operands: &[OperandProducers],
        at: CallMoment,
        asked: Asker,
    ) -> Result<()> {
        for operand in operands {
            self.operand(trail, operand, at, asked)?;
        }
        Ok(())
    }

    /// Looks for something before a moment of a call.
    pub(super) fn ask(
        &mut self,
        trail: &CallTrail,
        query: &TrailQuery,
        at: CallMoment,
        asked: Asker,
    ) -> Result<()> {
        match query {
            TrailQuery::Variable { slot, usage } => self.variable(trail, *slot, *usage, at, asked),
            TrailQuery::Operand(operand) => self.operand(trail, operand, at, asked),
            TrailQuery::Control(block) => self.control(trail, *block, at, asked),
        }
    }

    /// Is it the call that the search is about?
    fn is_spanned(&self, trail: &CallTrail) -> bool {
        self.span.is_some_and(|(call, _)| call == trail.call)
    }

    fn position(trail: &CallTrail, step: &TrailEvent) -> Position {
        Position { stream: trail.call.stream, ordinal: step.ordinal }
    }

    fn variable(
        &mut self,
        trail: &CallTrail,
        slot: u16,
        usage: u16,
        at: CallMoment,
        asked: Asker,
    ) -> Result<()> {
        self.slots.entry(trail.call).or_default().insert(slot);
        if let Some(step) = trail.last_write(slot, at) {
            self.add_tied(Self::position(trail, step), EventPart::Event, asked);
            return Ok(());
        }
        if !trail.begun && !trail.facts.is_argument(usage) {
            return self.ask_before(trail, TrailQuery::Variable { slot, usage }, at, asked);
        }
        match trail.facts.code.arguments.iter().position(|&argument| argument == slot) {
            Some(argument) => self.given(trail.call, argument, asked),
            None => self.lose(asked.by),
        }
        Ok(())
    }

    /// What decided that a block ran, in the run at `at`.
    fn control(
        &mut self,
        trail: &CallTrail,
        block: crate::cfg::BlockId,
        at: CallMoment,
        asked: Asker,
    ) -> Result<()> {
        let control = &trail.facts.control;
        let handler = control.is_handler(block);
        let deciding = control.on(block).iter().filter(|&&by| !handler || control.is_handler(by));
        let run = deciding.clone().filter_map(|&by| trail.last_run(by, at.run)).max();
        let caught =
            trail.last_caught(at.run).filter(|step| handler && run.is_none_or(|run| run < step.at.run));
        if let Some(caught) = caught {
            self.add_tied(Self::position(trail, caught), EventPart::Event, asked);
        } else if let Some(run) = run {
            let last = trail.facts.code.cfg.block(trail.runs[run as usize]).last;
            let moment = CallMoment { run, bci: last.into() };
            let decided = |did: &Did| matches!(did, Did::Branched(_) | Did::Switched(_));
            match trail.step_at(moment, decided) {
                Some(step) => self.add_tied(Self::position(trail, step), EventPart::Event, asked),
                None => self.lose(asked.by),
            }
        } else if trail.begun || (!handler && deciding.count() == 0) {
            self.made(trail.call, asked);
        } else {
            self.ask_before(trail, TrailQuery::Control(block), at, asked)?;
        }
        Ok(())
    }

    /// Who gave a value that the instruction at a moment takes from the stack.
    fn operand(
        &mut self,
        trail: &CallTrail,
        operand: &OperandProducers,
        at: CallMoment,
        asked: Asker,
    ) -> Result<()> {
        let cfg = &trail.facts.code.cfg;
        let ran = |producer: &Producer| {
            let block = cfg.block_at(producer.bci)?;
            let same = trail.runs.get(at.run as usize) == Some(&block) && u32::from(producer.bci) < at.bci
                || producer.caught && trail.runs.get(at.run as usize) == Some(&block);
            if same { Some(at.run) } else { trail.last_run(block, at.run) }
        };
        let last = operand.iter().filter_map(|producer| Some((ran(producer)?, *producer))).max();
        match last {
            Some((run, producer)) => {
                // Which arm of `c ? a : b` gave it was decided where that arm ran.
                if self.limits.control
                    && run != at.run
                    && let Some(&block) = trail.runs.get(run as usize)
                {
                    let at = CallMoment { run, bci: producer.bci.into() };
                    self.ask(trail, &TrailQuery::Control(block), at, Asker { tie: Tie::Control, ..asked })?;
                }
                self.produced(trail, producer, run, at, asked)
            }
            None if trail.begun => {
                self.lose(asked.by);
                Ok(())
            }
            None => self.ask_before(trail, TrailQuery::Operand(operand.clone()), at, asked),
        }
    }

    /// What a value came from that an instruction gave in a run of its block.
    fn produced(
        &mut self,
        trail: &CallTrail,
        producer: Producer,
        run: u32,
        used: CallMoment,
        asked: Asker,
    ) -> Result<()> {
        let facts = std::rc::Rc::clone(&trail.facts);
        let bci = producer.bci;
        if self.is_spanned(trail) {
            self.gave.insert((bci, asked.by, asked.tie != Tie::Perhaps));
        }
        let at = CallMoment { run, bci: bci.into() };
        let operands = facts.producers.operands(bci);
        let code = facts.op(bci);
        let local = facts.code.at(bci).and_then(|at| facts.code.insns[at].local);
        let step = match code {
            _ if producer.caught => trail.step_at(at, |did| *did == Did::Caught),
            _ if local.is_some() => {
                let slot = local.map_or(0, Local::slot);
                return self.ask(trail, &TrailQuery::Variable { slot, usage: bci }, at, asked);
            }
            op::GETFIELD | op::GETSTATIC => trail.step_at(at, |did| matches!(did, Did::Read(..))),
            code if op::is_array_load(code) => trail.step_at(at, |did| matches!(did, Did::Read(..))),
            code if op::is_invoke(code) => trail.step_at(at, |did| *did == Did::Called),
            op::NEW | op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY => {
                trail.step_at(at, |did| *did == Did::New)
            }
            // Computed from its own operands; constants have none.
            _ => return self.all(trail, operands, at, asked),
        };
        let Some(&step) = step else {
            if run == 0 && trail.is_cut() {
                return self.ask_before(trail, TrailQuery::Operand(Box::new([producer])), used, asked);
            }
            self.lose(asked.by);
            return Ok(());
        };
        match step.did {
            Did::Read(spot, value) => {
                self.read(trail.call.stream, spot, value, step.ordinal, asked)?;
                self.all(trail, operands, at, Asker { tie: Tie::Address, ..asked })
            }
            Did::Called => {
                match self.result(Self::position(trail, &step)) {
                    Some((at, part)) => self.add_tied(at, part, asked),
                    None => self.lose(asked.by),
                }
                Ok(())
            }
            _ => {
                self.add_tied(Self::position(trail, &step), EventPart::Event, asked);
                // A value that never changes is what its constructor made of it.
                for &bci in facts.constructors(bci) {
                    let later = trail.steps.iter().find(|one| {
                        one.ordinal > step.ordinal && one.at.bci == u32::from(bci) && one.did == Did::Called
                    });
                    match later {
                        Some(called) => {
                            self.add_tied(Self::position(trail, called), EventPart::Outcome, asked)
                        }
                        None => self.lose(asked.by),
                    }
                }
                Ok(())
            }
        }
    }

    fn spot(&self, stream: StreamId, spot: HeapSpot) -> Option<Location> {
        let object = |value| match self.past.index().resolved(stream, value) {
            Value::Object(object) => Some(object),
            _ => None,
        };
        Some(match spot {
            HeapSpot::Field(value, field) => Location::Field { object: object(value)?, field: field? },
            HeapSpot::Static(field) => Location::Static(field?),
            HeapSpot::Element(value, index) => {
                Location::Element { array: object(value)?, index: u32::try_from(index).ok()? }
            }
        })
    }

    /// The heap was read, between the events `ordinal - 1` and `ordinal`.
    fn read(
        &mut self,
        stream: StreamId,
        spot: HeapSpot,
        value: Value,
        ordinal: u64,
        asked: Asker,
    ) -> Result<()> {
        let value = self.past.index().resolved(stream, value);
        let (Some(location), Some(time)) = (self.spot(stream, spot), self.time_before(stream, ordinal))
        else {
            return self.read_of_library(stream, spot, ordinal, asked);
        };
        let mut time = time;
        if !self.held(&location, value, time) {
            // Another thread may have written it since.
            let next = self.past.index().time(Position { stream, ordinal });
            let later = next.and_then(|next| next.0.checked_sub(1)).map(Time).filter(|&later| later > time);
            match later.filter(|&later| self.held(&location, value, later)) {
                Some(later) => time = later,
                None => {
                    self.lose(asked.by);
                    return Ok(());
                }
            }
        }
        self.held_since(&location, time, asked)
    }

    /// Where the value came from that a location held at a time. A library that had an array in hand and left an element as
    /// it was may have had its reasons.
    pub(super) fn held_since(&mut self, location: &Location, time: Time, asked: Asker) -> Result<()> {
        match location {
            Location::Element { array, .. } => drop(self.arrays.insert(array.0)),
            Location::Field { field, .. } => drop(self.fields.insert(*field)),
            Location::Static(_) | Location::Local { .. } => {}
        }
        if matches!(location, Location::Field { .. } | Location::Static(_)) {
            self.reads.push((asked, location.clone(), time));
        }
        let mut left = Vec::new();
        let source = heap::source_past(self.past, location, time, &mut left);
        self.came_from(source, asked)?;
        // That is no step on the way of a value; it may be one of the lines that matter.
        if self.span.is_none() {
            return Ok(());
        }
        for (at, call, bci) in left {
            if let Some((at, part)) = self.seen(at, call, bci)? {
                self.add_tied(at, part, Asker { tie: Tie::Perhaps, ..asked });
            }
        }
        Ok(())
    }

    /// A field was read that only code of a library has: a constant, or a part of what the library keeps.
    fn read_of_library(
        &mut self,
        stream: StreamId,
        spot: HeapSpot,
        ordinal: u64,
        asked: Asker,
    ) -> Result<()> {
        match (spot, self.past.index().time(Position { stream, ordinal })) {
            (HeapSpot::Static(None), _) => Ok(()),
            (HeapSpot::Field(object, None), Some(time)) => {
                let object = self.past.index().resolved(stream, object);
                self.content(object, time, Depth::Libraries, asked)
            }
            _ => {
                self.lose(asked.by);
                Ok(())
            }
        }
    }

    /// Is it possible that a location held this?
    fn held(&self, location: &Location, value: Value, time: Time) -> bool {
        let plain = |value: &Value| {
            matches!(
                value,
                Value::Int(_)
                    | Value::Long(_)
                    | Value::Float(_)
                    | Value::Double(_)
                    | Value::Object(_)
                    | Value::Null
            )
        };
        match self.past.value_at(location, time) {
            past::KnownValue::Value(known) | past::KnownValue::Seen(known) => {
                !plain(&known) || !plain(&value) || same(Some(known), Some(value))
            }
            past::KnownValue::Unknown => true,
        }
    }

    pub(super) fn came_from(&mut self, source: ValueSource, asked: Asker) -> Result<()> {
        match source {
            ValueSource::Written(at) | ValueSource::Created(at) => self.add_tied(at, EventPart::Event, asked),
            ValueSource::Range(at, index) => self.add_tied(at, EventPart::Element(index), asked),
            ValueSource::Library(at) => self.add_tied(at, EventPart::Outcome, asked),
            ValueSource::Seen(at, call, bci) => match self.seen(at, call, bci)? {
                Some((at, part)) => self.add_tied(at, part, asked),
                None => self.lose(asked.by),
            },
            ValueSource::Constant => {}
            ValueSource::Unknown => self.lose(asked.by),
        }
        Ok(())
    }

    /// What came out of a library with the call, or the instruction that makes arrays, right before an event.
    pub(super) fn seen(
        &mut self,
        at: Position,
        call: CallId,
        bci: u16,
    ) -> Result<Option<(Position, EventPart)>> {
        let Some(window) = self.window(at)? else { return Ok(None) };
        let past = self.past;
        let trail = window.trail_of(past, &mut self.methods, call);
        let found = trail.and_then(|trail| {
            let trail = trail.borrow();
            let mut steps = trail.steps.iter().rev().skip_while(|step| step.ordinal >= at.ordinal);
            let made = |did| matches!(did, Did::Called | Did::New);
            steps.find(|step| step.at.bci == u32::from(bci) && made(step.did)).copied()
        });
        Ok(match found {
            Some(TrailEvent { did: Did::Called, ordinal, .. }) => self.result(Position { ordinal, ..at }),
            Some(TrailEvent { ordinal, .. }) => Some((Position { ordinal, ..at }, EventPart::Event)),
            None => None,
        })
    }

    /// An exception arose: by `throw`, in a call, or because an instruction failed.
    fn threw(&mut self, position: Position, trail: &CallTrail, step: &TrailEvent, data: Asker) -> Result<()> {
        let operands = trail.facts.producers.operands(step.at.bci as u16);
        let called = trail.step_at(step.at, |did| *did == Did::Called).map(|step| step.ordinal);
        // The call may have been made before the window began.
        let called = called.or_else(|| {
            let began = (step.at.run == 0 && trail.is_cut()).then(|| self.before(trail.call, position))??;
            self.call_made(began).filter(|(_, row)| u32::from(row.bci) == step.at.bci)?;
            Some(began.ordinal)
        });
        let Some(ordinal) = called else { return self.all(trail, operands, step.at, data) };
        let made = Position { ordinal, ..position };
        match self.call_made(made).map(|(_, row)| (row.target, row.ending, row.exit)) {
            // The exception arises right before it leaves the call.
            Some((Target::Method(_), Ending::Threw(_), exit)) if exit > made.ordinal + 1 => {
                self.add_tied(Position { ordinal: exit - 1, ..position }, EventPart::Event, data);
            }
            Some((Target::Method(_), ..)) => self.lose(position),
            _ => self.add_tied(made, EventPart::Outcome, data),
        }
        Ok(())
    }

    fn called(
        &mut self,
        position: Position,
        part: EventPart,
        trail: &CallTrail,
        step: &TrailEvent,
        data: Asker,
    ) -> Result<()> {
        let bci = step.at.bci as u16;
        let operands = trail.facts.producers.operands(bci);
        let call = self.call_made(position).map(|(call, _)| call);
        match part {
            EventPart::Argument(at) => match operands.get(usize::from(at)) {
                Some(operand) => self.operand(trail, operand, step.at, data)?,
                None => self.lose(position),
            },
            EventPart::Address => {
                if let Some(key) = operands.get(1) {
                    self.operand(trail, key, step.at, Asker { tie: Tie::Address, ..data })?;
                }
                if let Some(made) = call.and_then(|call| self.made_call(call))
                    && let Some(&key) = made.values.first()
                {
                    self.content(key, made.time, Depth::Libraries, data)?;
                }
            }
            EventPart::Event | EventPart::Element(_) => {
                // What it is called on decides which method runs.
                if matches!(trail.facts.op(bci), op::INVOKEVIRTUAL | op::INVOKEINTERFACE)
                    && let Some(receiver) = operands.first()
                {
                    self.operand(trail, receiver, step.at, Asker { tie: Tie::Address, ..data })?;
                }
            }
            EventPart::Shape(object) => {
                let Some(call) = call else { return Ok(()) };
                let address = Asker { tie: Tie::Address, ..data };
                for at in self.shaped(call, object, operands.len(), data)? {
                    if let Some(operand) = operands.get(at) {
                        self.operand(trail, operand, step.at, address)?;
                    }
                }
            }
            EventPart::Stored(value, object) => {
                let Some(call) = call else { return Ok(()) };
                for at in self.stored(call, self.values[value as usize], object, operands.len(), data)? {
                    if let Some(operand) = operands.get(at) {
                        self.operand(trail, operand, step.at, data)?;
                    }
                }
            }
            EventPart::Outcome | EventPart::Handed(..) | EventPart::State(_) => {
                self.all(trail, operands, step.at, data)?;
                match (part, call) {
                    (_, None) => self.linked(position, trail, bci, data)?,
                    (EventPart::Handed(value, to), Some(call)) => {
                        self.handed(call, self.values[value as usize], to, data)?;
                    }
                    (EventPart::State(object), Some(call)) => self.left(call, object, data)?,
                    (_, Some(call)) => self.outcome(call, data)?,
                }
            }
        }
        Ok(())
    }

    /// What is linked where it runs reads what it is given: the texts of objects, the parts of a record.
    fn linked(&mut self, position: Position, trail: &CallTrail, bci: u16, data: Asker) -> Result<()> {
        let link = trail.facts.link(bci);
        if link == Link::Keeps {
            return Ok(());
        }
        for call in self.called_within(trail.call, position) {
            if let Some(row) = self.past.index().call(call)
                && matches!(row.ending, Ending::Returned(Some(_)))
            {
                self.add_tied(Position { ordinal: row.exit, ..position }, EventPart::Event, data);
            }
        }
        let Some(window) = self.window(position)? else { return Ok(()) };
        let (Some(values), Some(time)) =
            (window.linked.get(&position.ordinal), self.past.index().time(position))
        else {
            return Ok(());
        };
        for &value in values {
            let value = self.past.index().resolved(position.stream, value);
            let depth = if link == Link::Record { Depth::Parts } else { Depth::Libraries };
            self.content(value, time, depth, data)?;
        }
        Ok(())
    }

    /// One element of many that were written at once.
    fn bulk(
        &mut self,
        position: Position,
        part: EventPart,
        trail: &CallTrail,
        step: &TrailEvent,
        at: u32,
    ) -> Result<()> {
        let data = Asker { by: position, tie: Tie::Data };
        let address = Asker { tie: Tie::Address, ..data };
        let Some(window) = self.window(position)? else { return Ok(()) };
        let operands = trail.facts.producers.operands(step.at.bci as u16);
        let Some(&bulk) = window.bulks.get(at as usize) else { return Ok(()) };
        if let BulkWrite::Fill { .. } = bulk {
            let (value, rest) = operands
                .split_last()
                .map_or((&[][..], &[][..]), |(last, rest)| (std::slice::from_ref(last), rest));
            if part != EventPart::Address {
                self.all(trail, value, step.at, data)?;
            }
            return self.all(trail, rest, step.at, address);
        }
        self.all(trail, operands, step.at, address)?;
        let EventPart::Element(index) = part else { return Ok(()) };
        let (source, from, to) = match bulk {
            BulkWrite::Copy { source, from, to, .. } => (source, from, to),
            BulkWrite::Clone { source, .. } => (source, 0, 0),
            BulkWrite::Fill { .. } => return Ok(()),
        };
        let index = i64::from(index) - i64::from(to) + i64::from(from);
        let location =
            self.spot(position.stream, HeapSpot::Element(source, i32::try_from(index).unwrap_or(-1)));
        match (location, self.time_before(position.stream, position.ordinal)) {
            (Some(location), Some(time)) => self.held_since(&location, time, data),
            _ => {
                self.lose(position);
                Ok(())
            }
        }
    }

    /// What an event wrote, for those that look at it.
    pub(super) fn location(
        &self,
        stream: StreamId,
        step: &TrailEvent,
        part: EventPart,
        trail: &CallTrail,
    ) -> Option<Location> {
        match step.did {
            Did::Wrote(spot) => self.spot(stream, spot),
            Did::Local(slot) => {
                let method = self.past.recording().program().method(trail.facts.code.method)?.1;
                // A variable's range begins behind the store that initialises it.
                let at = trail.facts.code.at(step.at.bci as u16)?;
                let behind = trail.facts.code.insns.get(at + 1).map_or(step.at.bci as u16, |next| next.bci);
                let name = method
                    .local(slot, behind)
                    .map_or_else(|| format!("local{slot}"), |(name, _)| name.to_owned());
                Some(Location::Local { call: trail.call, name })
            }
            Did::Bulk(_) => {
                let (EventPart::Element(index), Some(window)) =
                    (part, self.kept(Self::position(trail, step)))
                else {
                    return None;
                };
                let Did::Bulk(at) = step.did else { return None };
                let (BulkWrite::Copy { target, .. }
                | BulkWrite::Clone { target, .. }
                | BulkWrite::Fill { array: target, .. }) = *window.bulks.get(at as usize)?;
                self.spot(stream, HeapSpot::Element(target, index as i32))
            }
            _ => None,
        }
    }
}
