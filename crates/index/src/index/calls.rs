//! Calls, looked up in their packed blocks: a single row, or a single number of one, is read without the others.

use std::sync::Arc;

use base::{Arguments, CallId, Ending, Position, StreamId, Value};

use super::Index;
use crate::blocks::BlockId;
use crate::call::{CallRow, LateRow};
use crate::call_block::{
    self, BlockPlace, BlockTree, CallBlock, DecodedCalls, Extent, ROWS, entry_steps, programs_before,
};
use crate::call_stripe::CallBlockRow;
use crate::file::BLOCK;
use crate::index_writer::CHILD_STEP;
use crate::lists::StreamRow;

/// Bytes of blocks that are read ahead when all calls are asked for.
const READ_AHEAD: usize = 4 << 20;

/// A block of calls in its file.
#[derive(Clone, Copy)]
pub(super) struct FoundBlock<'a> {
    bytes: &'a [u8],
    pub place: BlockPlace,
    programs: u32,
}

impl Index {
    /// How many calls a stream has.
    pub fn calls(&self, stream: StreamId) -> u32 {
        self.streams.get(&stream).map_or(0, |row| row.calls)
    }

    pub fn call(&self, id: CallId) -> Option<CallRow> {
        if !self.open.is_empty()
            && let Some(call) = self.open.get(&id)
        {
            return Some(*call);
        }
        let row = self.streams.get(&id.stream).filter(|row| id.index < row.calls)?;
        let (number, at) = (id.index / ROWS as u32, id.index as usize % ROWS);
        let mut call = match self.asked_again(row, number) {
            Some(block) => *block.call(at)?,
            None => {
                let block = self.block(row, self.found_block(row, number)?)?;
                block.call(at, |slot| self.late(row, slot))?
            }
        };
        call.ending = self.resolved_ending(id.stream, call.ending);
        Some(call)
    }

    /// A block that is decoded, because it was asked for before.
    pub(super) fn asked_again(&self, row: &StreamRow, number: u32) -> Option<Arc<DecodedCalls>> {
        let id = BlockId { segment: u64::from(row.stream) << 6, block: number as usize };
        self.decoded_calls.get(id, || self.decoded(row, number))
    }

    /// A block, decoded; objects under construction as they are.
    pub(super) fn decoded(&self, row: &StreamRow, number: u32) -> Option<DecodedCalls> {
        let block = self.block(row, self.found_block(row, number)?)?;
        block.decoded(self.shape_kinds.get(), |slot| self.late(row, slot))
    }

    pub(super) fn found_block(&self, row: &StreamRow, number: u32) -> Option<FoundBlock<'_>> {
        let first = number.checked_mul(ROWS as u32)?;
        let rows = row.calls.checked_sub(first).filter(|&rows| rows > 0)?.min(ROWS as u32) as usize;
        let found: CallBlockRow = self.call_blocks.get(row.call_blocks as usize + number as usize)?;
        let start = usize::try_from(found.offset).ok()?;
        let bytes = self.calls.get().get(start..start.checked_add(found.length as usize)?)?;
        let place = BlockPlace { rows, first, first_entry: found.entry };
        Some(FoundBlock { bytes, place, programs: found.programs })
    }

    pub(super) fn block<'a>(&'a self, row: &StreamRow, found: FoundBlock<'a>) -> Option<CallBlock<'a>> {
        let shape = |number: u32| self.shapes.get((row.shapes as usize).checked_add(number as usize)?);
        CallBlock::read(found.bytes, found.place, shape)
    }

    /// Which block of a stream has the call that began last up to an event.
    pub(super) fn block_at(&self, row: &StreamRow, ordinal: u64) -> Option<u32> {
        let first = row.call_blocks as usize;
        let end = first + (row.calls as usize).div_ceil(ROWS);
        let after = self.call_blocks.partition_point(first, end, |block| block.entry <= ordinal);
        after.checked_sub(first + 1).map(|block| block as u32)
    }

    fn late(&self, row: &StreamRow, slot: u64) -> Option<LateRow> {
        let block = usize::try_from(slot / BLOCK).ok()?.checked_add(row.late_blocks as usize)?;
        let place = u64::from(self.late_blocks.get(block)?) * BLOCK + slot % BLOCK;
        self.late.get(usize::try_from(place).ok()?)
    }

    fn resolved_ending(&self, stream: StreamId, ending: Ending) -> Ending {
        match ending {
            Ending::Returned(Some(value)) => Ending::Returned(Some(self.resolved(stream, value))),
            Ending::Threw(Some(value)) => Ending::Threw(Some(self.resolved(stream, value))),
            ending => ending,
        }
    }

    /// All calls of a stream, in the order in which they began. Reads the file ahead, which single questions do not.
    pub fn all_calls(&self, stream: StreamId) -> impl Iterator<Item = (CallId, CallRow)> + '_ {
        let row = self.streams.get(&stream);
        let blocks = row.map_or(0, |row| row.calls.div_ceil(ROWS as u32));
        let mut asked = 0..0;
        let block = move |number: u32| {
            let row = row?;
            let place =
                usize::try_from(self.call_blocks.get(row.call_blocks as usize + number as usize)?.offset);
            if let Ok(place) = place
                && !asked.contains(&place)
            {
                self.calls.read_ahead(place, READ_AHEAD);
                asked = place..place.saturating_add(READ_AHEAD / 2);
            }
            Some((number * ROWS as u32, self.decoded(row, number)?))
        };
        (0..blocks).map_while(block).flat_map(move |(first, block)| {
            let calls: Vec<CallRow> = block.calls().copied().collect();
            calls.into_iter().enumerate().map(move |(at, mut call)| {
                let id = CallId { stream, index: first + at as u32 };
                if let Some(open) = self.open.get(&id) {
                    call = *open;
                }
                call.ending = self.resolved_ending(stream, call.ending);
                (id, call)
            })
        })
    }

    pub fn arguments(&self, id: CallId) -> Option<Arguments> {
        let row = self.streams.get(&id.stream).filter(|row| id.index < row.calls)?;
        let (number, at) = (id.index / ROWS as u32, id.index as usize % ROWS);
        let (has_receiver, mut values) = match self.asked_again(row, number) {
            Some(block) => {
                block.arguments(at).map(|(has_receiver, values)| (has_receiver, values.to_vec()))?
            }
            None => {
                let block = self.block(row, self.found_block(row, number)?)?;
                block.arguments(at, self.shape_kinds.get())?
            }
        };
        values.iter_mut().for_each(|value| *value = self.resolved(id.stream, *value));
        let receiver: Option<Value> = (has_receiver && !values.is_empty()).then(|| values.remove(0));
        Some(Arguments { receiver, values })
    }

    /// How many calls of a stream before the one with this number are of program code; the number may be one past
    /// the last.
    pub fn program_calls_before(&self, stream: StreamId, index: u32) -> u32 {
        let Some(row) = self.streams.get(&stream) else { return 0 };
        let Some(last) = index.min(row.calls).checked_sub(1) else { return 0 };
        let Some(block) = self.found_block(row, last / ROWS as u32) else { return 0 };
        let within = last as usize % ROWS + 1;
        block.programs.saturating_add(programs_before(block.bytes, within))
    }

    /// Is a call one of program code?
    pub fn is_program_call(&self, id: CallId) -> bool {
        let row = self.streams.get(&id.stream).filter(|row| id.index < row.calls);
        let block = row.and_then(|row| self.found_block(row, id.index / ROWS as u32));
        block.is_some_and(|block| call_block::is_program_at(block.bytes, id.index as usize % ROWS))
    }

    /// Calls in a call, itself included: what its row says, without reading the rest of it.
    pub fn call_size(&self, id: CallId) -> u32 {
        if !self.open.is_empty()
            && let Some(call) = self.open.get(&id)
        {
            return call.size.max(1);
        }
        let size = || {
            let row = self.streams.get(&id.stream).filter(|row| id.index < row.calls)?;
            let found = self.found_block(row, id.index / ROWS as u32)?;
            let tree = BlockTree::read(found.bytes, &mut 0, found.place.rows)?;
            match tree.extent(id.index as usize % ROWS) {
                Extent::Within(size) => Some(size as u32),
                Extent::Beyond(beyond) => match tree.late(beyond) {
                    Some(slot) => self.late(row, slot).map(|late| late.size),
                    None => Some(tree.size(beyond)),
                },
            }
        };
        size().unwrap_or(1).max(1)
    }

    /// Calls of a stream that have not ended, as far as is recorded, the outermost first.
    pub fn open_calls(&self, stream: StreamId) -> Vec<CallId> {
        let mut open = Vec::new();
        let mut next = self.calls(stream).checked_sub(1);
        while let Some(index) = next {
            let id = CallId { stream, index };
            let Some(call) = self.call(id) else { break };
            if call.ending == Ending::Open {
                open.push(id);
            }
            next = call.parent;
        }
        open.reverse();
        open
    }

    /// The call of a thread that began last up to an event.
    pub fn last_begun(&self, position: Position) -> Option<CallId> {
        let row = self.streams.get(&position.stream)?;
        let number = self.block_at(row, position.ordinal)?;
        let found = self.found_block(row, number)?;
        // Whoever asks where events are asks for the next one too.
        if let Some(block) = self.asked_again(row, number) {
            let last = block.begun(position.ordinal).checked_sub(1)?;
            return Some(CallId { stream: position.stream, index: found.place.first + last as u32 });
        }
        let steps = entry_steps(found.bytes, found.place.rows)?;
        let mut entry = found.place.first_entry;
        let begun = steps.iter().take_while(|step| {
            entry = entry.wrapping_add(*step);
            entry <= position.ordinal
        });
        let last = (begun.count() as u32).checked_sub(1)?;
        Some(CallId { stream: position.stream, index: found.place.first + last })
    }

    /// The innermost call around an event.
    pub fn call_at(&self, position: Position) -> Option<CallId> {
        let mut found = self.last_begun(position)?;
        loop {
            let call = self.call(found)?;
            if call.exit >= position.ordinal {
                return Some(found);
            }
            found = CallId { index: call.parent?, ..found };
        }
    }

    /// `count` calls that a call made itself, from number `from` on.
    pub fn children(&self, parent: CallId, from: u32, count: usize) -> Vec<CallId> {
        let Some(call) = self.call(parent) else { return Vec::new() };
        let id = |index: u32| CallId { stream: parent.stream, index };
        // The nearest child that was noted, at or before the first.
        let (stream, at) = (parent.stream.0, from / CHILD_STEP);
        let wanted = (stream, parent.index, at);
        let after = self
            .children
            .partition_point(0, self.children.len(), |row| (row.stream, row.parent, row.at) <= wanted);
        let noted = after.checked_sub(1).and_then(|at| self.children.get(at));
        let noted = noted.filter(|row| row.stream == stream && row.parent == parent.index);
        let (number, first) = noted.map_or((0, parent.index + 1), |row| (row.at * CHILD_STEP, row.row));
        let end = parent.index.saturating_add(call.size);
        self.siblings(id(first), end).skip(from.saturating_sub(number) as usize).take(count).collect()
    }

    /// `count` outermost calls of a stream, from number `from` on.
    pub fn roots(&self, stream: StreamId, from: u32, count: usize) -> Vec<CallId> {
        let first = CallId { stream, index: 0 };
        self.siblings(first, self.calls(stream)).skip(from as usize).take(count).collect()
    }

    fn siblings(&self, first: CallId, end: u32) -> impl Iterator<Item = CallId> + '_ {
        let mut next = first.index;
        std::iter::from_fn(move || {
            let id = CallId { stream: first.stream, index: next };
            if next >= end {
                return None;
            }
            next = next.saturating_add(self.call_size(id));
            Some(id)
        })
    }

    /// The call among those that a call made itself that another call is, or lies in.
    pub fn child_around(&self, parent: CallId, inner: CallId) -> Option<CallId> {
        let end = parent.index.checked_add(self.call_size(parent))?;
        if inner.stream != parent.stream || inner.index <= parent.index || inner.index >= end {
            return None;
        }
        let wanted = (parent.stream.0, parent.index, inner.index);
        let rows = &self.children;
        let after = rows.partition_point(0, rows.len(), |row| (row.stream, row.parent, row.row) <= wanted);
        let noted = after.checked_sub(1).and_then(|at| rows.get(at));
        let noted = noted.filter(|row| row.stream == parent.stream.0 && row.parent == parent.index);
        let mut found = CallId { index: noted.map_or(parent.index + 1, |row| row.row), ..parent };
        loop {
            let next = found.index.checked_add(self.call_size(found))?;
            if next > inner.index {
                return Some(found);
            }
            found.index = next;
        }
    }
}
