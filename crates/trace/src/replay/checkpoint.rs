//! A replay's state as plain data, to go on from later. Calls that did not run between two checkpoints are the
//! same in both, in memory and when encoded, so that deep recursion does not make each checkpoint large.

use std::sync::Arc;

use super::slot::{Boxes, EMPTY, Slot};
use super::source::{LogPosition, Source};
use super::{Activation, How, MAX_SLOTS, Replay, ReplayLimits, Stage, Thread, Visitor};
use crate::ids::{MethodId, PendingId, StreamId};
use crate::program::Program;
use crate::value::Value;

/// The state of a thread's replay between two instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    pub stream: StreamId,
    /// How many events precede it: the ordinal of the next one.
    pub events: u64,
    /// How far the log was read.
    pub offset: u64,
    passed: u32,
    lost: bool,
    shift: i64,
    shift_unknown: bool,
    next_pending: u32,
    links: u32,
    links_unknown: bool,
    limits: [u32; 2],
    fuel: i64,
    rounds: u32,
    fuel_offset: u64,
    over: bool,
    /// The open calls, the outermost first.
    frames: Vec<Arc<SavedActivation>>,
}

/// An open call. See `Activation` for what is not said here.
#[derive(Debug, PartialEq)]
pub(super) struct SavedActivation {
    id: MethodId,
    how: How,
    stage: Stage,
    ip: u32,
    /// Locals and operands; only of a replayed call, others need none.
    slots: Vec<Slot>,
    /// Number and content of the boxes in `slots`.
    boxes: Vec<(u32, u8, i64)>,
    call: Option<u32>,
    creating: Option<PendingId>,
    this: Option<PendingId>,
    child_named: Option<PendingId>,
    threw_at: Option<u32>,
    this_named: bool,
    made: Slot,
    told_gap: bool,
    indispensable: bool,
    shift: i64,
    linked: Option<u64>,
}

impl<'p, V: Visitor> Replay<'p, V> {
    /// The present state. Only to be asked for after `run` came back, and not after the visitor stopped it.
    pub fn checkpoint(&mut self) -> Checkpoint {
        let same = (self.lowest as usize).saturating_sub(1);
        self.saved.truncate(same);
        let running = (self.open > 0).then_some(&self.top);
        for call in self.suspended.iter().chain(running).skip(self.saved.len()) {
            self.saved.push(Arc::new(self.frame(call)));
        }
        self.lowest = self.open;
        let LogPosition { offset, passed, lost } = self.source.log_position();
        Checkpoint {
            stream: self.stream,
            events: self.outcome.events,
            offset,
            passed,
            lost,
            shift: self.shift,
            shift_unknown: self.shift_unknown,
            next_pending: self.next_pending,
            links: self.links,
            links_unknown: self.links_unknown,
            limits: [self.limits.at_end, self.limits.elsewhere],
            fuel: self.fuel,
            rounds: self.rounds,
            fuel_offset: self.fuel_offset,
            over: self.over,
            frames: self.saved.clone(),
        }
    }

    /// The fewest calls that were open since the last checkpoint: those below are as they were then, the one at this
    /// depth has run.
    pub fn min_depth_since_checkpoint(&self) -> u32 {
        self.lowest
    }

    fn frame(&self, call: &Activation<'p>) -> SavedActivation {
        let mut slots = Vec::new();
        if call.how == How::Replayed {
            slots.extend_from_slice(self.slots.get(call.locals..call.sp.max(call.floor)).unwrap_or(&[]));
        }
        SavedActivation {
            id: call.id,
            how: call.how,
            stage: call.stage,
            ip: call.ip,
            boxes: slots.iter().filter_map(|&slot| self.boxes.held(slot)).collect(),
            slots,
            call: call.call,
            creating: call.creating,
            this: call.this,
            child_named: call.child_named,
            threw_at: call.threw_at,
            this_named: call.this_named,
            made: call.made,
            told_gap: call.told_gap,
            indispensable: call.indispensable,
            shift: call.shift,
            linked: call.linked,
        }
    }

    /// Goes on from a checkpoint; none if it does not fit the program or the log.
    pub(crate) fn restore(thread: Thread<'p>, checkpoint: &Checkpoint, visitor: V) -> Option<Self> {
        if thread.stream != checkpoint.stream || checkpoint.offset > *thread.log.starts.last()? {
            return None;
        }
        let mut replay = Replay::new(thread, visitor);
        let held = checkpoint.frames.iter().flat_map(|frame| frame.boxes.iter().copied());
        replay.boxes = Boxes::restore(held)?;
        for frame in &checkpoint.frames {
            replay.reopen(frame)?;
        }
        let Checkpoint { offset, passed, lost, .. } = *checkpoint;
        replay.source = Source::at(replay.source.into_log(), LogPosition { offset, passed, lost });
        replay.shift = checkpoint.shift;
        replay.shift_unknown = checkpoint.shift_unknown;
        replay.next_pending = checkpoint.next_pending;
        replay.links = checkpoint.links;
        replay.links_unknown = checkpoint.links_unknown;
        replay.limits = ReplayLimits { at_end: checkpoint.limits[0], elsewhere: checkpoint.limits[1] };
        replay.fuel = checkpoint.fuel;
        replay.rounds = checkpoint.rounds;
        replay.fuel_offset = checkpoint.fuel_offset;
        replay.begun = checkpoint.events > 0;
        replay.over = checkpoint.over;
        replay.outcome.events = checkpoint.events;
        replay.outcome.open = replay.open;
        replay.lowest = replay.open;
        replay.saved = checkpoint.frames.clone();
        Some(replay)
    }

    fn reopen(&mut self, frame: &SavedActivation) -> Option<()> {
        let known = self.known(frame.id);
        let code = known.and_then(|known| known.code);
        let base = self.slots.len();
        let (mut floor, mut limit) = (base, base);
        if frame.how == How::Replayed {
            let code = code?;
            floor += usize::from(code.max_locals);
            limit = floor + usize::from(code.max_stack);
        }
        let sp = base + frame.slots.len();
        if sp < floor || sp > limit || limit > MAX_SLOTS || (known.is_none() && frame.how == How::Explicit) {
            return None;
        }
        self.suspend(Activation {
            id: frame.id,
            method: known.map(|known| known.method),
            code,
            how: frame.how,
            stage: frame.stage,
            ip: frame.ip,
            locals: base,
            floor,
            sp,
            limit,
            call: frame.call,
            creating: frame.creating,
            this: frame.this,
            this_named: frame.this_named,
            made: frame.made,
            child_named: frame.child_named,
            threw_at: frame.threw_at,
            told_gap: frame.told_gap,
            linked: frame.linked,
            ..Activation::NONE
        });
        self.top.indispensable = frame.indispensable;
        self.top.shift = frame.shift;
        self.slots.extend_from_slice(&frame.slots);
        self.slots.resize(limit, EMPTY);
        Some(())
    }
}

impl Checkpoint {
    /// The named variables in scope of an open call, given the number of calls around it; none if its code is not
    /// replayed.
    pub fn variables(&self, program: &Program, around: usize) -> Option<Vec<(String, Value)>> {
        let frame = self.frames.get(around).filter(|frame| frame.how == How::Replayed)?;
        let (_, method) = program.method(frame.id)?;
        let code = program.code(frame.id)?;
        let bci = *code.pcs.get(frame.ip as usize)?;
        let boxes = Boxes::restore(frame.boxes.iter().copied())?;
        let named = (0..code.max_locals).filter_map(|slot| {
            let (name, descriptor) = method.local(slot, bci)?;
            let held = *frame.slots.get(usize::from(slot))?;
            let kind = match descriptor.as_bytes().first() {
                Some(b'[') | None => b'L',
                Some(&kind) => kind,
            };
            (held != EMPTY).then(|| (name.to_owned(), boxes.unpack(held, kind)))
        });
        Some(named.collect())
    }

    /// How many calls are open.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// How many of the outermost open calls are the same in both, as they stand.
    pub fn shared_frames(&self, other: &Checkpoint) -> usize {
        let same = |(one, other): &(&Arc<SavedActivation>, &Arc<SavedActivation>)| {
            Arc::ptr_eq(one, other) || one == other
        };
        self.frames.iter().zip(&other.frames).take_while(same).count()
    }

    /// Appends the checkpoint to `out`. With `shared`, the outermost calls of another one, as many as said, are
    /// not written: they are the same in both.
    pub fn encode(&self, shared: Option<(&Checkpoint, usize)>, out: &mut Vec<u8>) {
        let same = shared.map_or(0, |(other, count)| count.min(other.frames.len()).min(self.frames.len()));
        let flags = [self.lost, self.shift_unknown, self.over, self.links_unknown];
        out.push(bits(&flags));
        let numbers = [
            self.stream.0.into(),
            self.events,
            self.offset,
            self.passed.into(),
            zigzag(self.shift),
            self.next_pending.into(),
            self.links.into(),
            self.limits[0].into(),
            self.limits[1].into(),
            zigzag(self.fuel),
            self.rounds.into(),
            self.fuel_offset.wrapping_add(1),
            same as u64,
            (self.frames.len() - same) as u64,
        ];
        numbers.into_iter().for_each(|number| put(out, number));
        self.frames[same..].iter().for_each(|frame| frame.encode(out));
    }

    /// Reads what `encode` wrote, with the checkpoint whose calls it shares, and gives the bytes behind it. None if
    /// that is no checkpoint.
    pub fn decode<'b>(bytes: &'b [u8], shared: Option<&Checkpoint>) -> Option<(Checkpoint, &'b [u8])> {
        let mut reader = Reader(bytes);
        let flags = reader.byte()?;
        let mut checkpoint = Checkpoint {
            lost: flags & 1 != 0,
            shift_unknown: flags & 2 != 0,
            over: flags & 4 != 0,
            links_unknown: flags & 8 != 0,
            stream: StreamId(reader.word()?),
            events: reader.number()?,
            offset: reader.number()?,
            passed: reader.word()?,
            shift: reader.signed()?,
            next_pending: reader.word()?,
            links: reader.word()?,
            limits: [reader.word()?, reader.word()?],
            fuel: reader.signed()?,
            rounds: reader.word()?,
            fuel_offset: reader.number()?.wrapping_sub(1),
            frames: Vec::new(),
        };
        let same = reader.number()? as usize;
        let count = reader.number()?;
        if same > 0 {
            checkpoint.frames.extend_from_slice(shared?.frames.get(..same)?);
        }
        for _ in 0..count {
            checkpoint.frames.push(Arc::new(SavedActivation::decode(&mut reader)?));
        }
        Some((checkpoint, reader.0))
    }
}

impl SavedActivation {
    fn encode(&self, out: &mut Vec<u8>) {
        let shifted = self.shift != 0;
        let flags =
            bits(&[false, false, false, false, self.this_named, self.told_gap, self.indispensable, shifted]);
        out.push(flags | self.how as u8 | (self.stage as u8) << 2);
        let pending = |id: Option<PendingId>| id.map(|id| id.0);
        let optional =
            [self.call, pending(self.creating), pending(self.this), pending(self.child_named), self.threw_at];
        let present = bits(&optional.map(|one| one.is_some()));
        out.push(present | u8::from(self.linked.is_some()) << optional.len());
        put(out, self.id.0.into());
        put(out, self.ip.into());
        optional.into_iter().flatten().for_each(|number| put(out, number.into()));
        if shifted {
            put(out, zigzag(self.shift));
        }
        if let Some(offset) = self.linked {
            put(out, offset);
        }
        if self.this_named {
            put(out, self.made.rotate_left(8));
        }
        put(out, self.slots.len() as u64);
        // The kind of a reference is in the top byte and the rest mostly zeros: this way round it is short.
        self.slots.iter().for_each(|slot| put(out, slot.rotate_left(8)));
        put(out, self.boxes.len() as u64);
        for &(number, kind, bits) in &self.boxes {
            put(out, number.into());
            out.push(kind);
            put(out, zigzag(bits));
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Option<SavedActivation> {
        let flags = reader.byte()?;
        let present = reader.byte()?;
        let how = [How::Replayed, How::Explicit, How::Skipped, How::LeftOut][usize::from(flags & 3)];
        let stages = [Stage::Fresh, Stage::Called, Stage::Entered, Stage::Returned];
        let stage = stages[usize::from(flags >> 2 & 3)];
        let (id, ip) = (MethodId(reader.word()?), reader.word()?);
        let mut optional = [None; 5];
        for (at, one) in optional.iter_mut().enumerate() {
            if present >> at & 1 != 0 {
                *one = Some(reader.word()?);
            }
        }
        let [call, creating, this, child_named, threw_at] = optional;
        let shift = if flags >> 7 != 0 { reader.signed()? } else { 0 };
        let linked = if present >> 5 & 1 != 0 { Some(reader.number()?) } else { None };
        let this_named = flags >> 4 & 1 != 0;
        let made = if this_named { reader.number()?.rotate_right(8) } else { EMPTY };
        let mut slots = Vec::new();
        for _ in 0..reader.number()? {
            slots.push(reader.number()?.rotate_right(8));
        }
        let mut boxes = Vec::new();
        for _ in 0..reader.number()? {
            boxes.push((reader.word()?, reader.byte()?, reader.signed()?));
        }
        Some(SavedActivation {
            id,
            how,
            stage,
            ip,
            slots,
            boxes,
            call,
            creating: creating.map(PendingId),
            this: this.map(PendingId),
            child_named: child_named.map(PendingId),
            threw_at,
            this_named,
            made,
            told_gap: flags >> 5 & 1 != 0,
            indispensable: flags >> 6 & 1 != 0,
            shift,
            linked,
        })
    }
}

fn bits(flags: &[bool]) -> u8 {
    flags.iter().enumerate().fold(0, |bits, (at, &flag)| bits | u8::from(flag) << at)
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn word(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}
