//! Which calls used an object, as an argument or a result. Nobody wrote that down call by call: entries say in which
//! blocks of calls to look, and the rows there say the rest. The result of a call that reached beyond its block is a
//! posting, and so is what a call was given before it had a name.

use std::sync::Arc;

use base::{CallId, Ending, ObjectId, StreamId, Value};

use super::Index;
use crate::call::CallRow;
use crate::call_block::ROWS;
use crate::lists::StreamRow;
use crate::posting::{Key, Posting, PostingKind, RESULT};

impl Index {
    /// The uses of an object by the calls of a block that it is entered for, in order of time.
    fn uses_in(&self, row: &StreamRow, block: u32, object: ObjectId) -> Vec<Posting> {
        let mut list = Vec::new();
        self.each_use(row, block, Some(object), &mut |posting| list.push(posting));
        list.sort_by_key(|posting| posting.ordinal);
        list
    }

    /// Every use of an object by the calls of a block, or of one object.
    fn each_use(
        &self,
        row: &StreamRow,
        number: u32,
        wanted: Option<ObjectId>,
        found: &mut impl FnMut(Posting),
    ) -> Option<()> {
        let stream = StreamId(row.stream);
        // What is behind the last block that was entered is looked at as it is.
        let is_entered = number < row.entered;
        if is_entered && let Some(wanted) = wanted {
            let block = self.block(row, self.found_block(row, number)?)?;
            if !block.lists(wanted.0) {
                return None;
            }
        }
        let block = match self.asked_again(row, number) {
            Some(block) => block,
            None => Arc::new(self.decoded(row, number)?),
        };
        let first = number * ROWS as u32;
        for (at, call) in block.calls().enumerate() {
            let index = first + at as u32;
            let id = CallId { stream, index };
            let call = self.open.get(&id).unwrap_or(call);
            let is_wanted = |object: &ObjectId| wanted.is_none_or(|wanted| wanted == *object);
            if let Ending::Returned(Some(Value::Object(object))) = call.ending
                && is_wanted(&object)
                && is_within(index, call)
            {
                found(posting(object, index, RESULT, call));
            }
            let (_, args) = block.arguments(at)?;
            for (part, &value) in args.iter().enumerate() {
                let value = if is_entered { value } else { self.resolved(stream, value) };
                if let Value::Object(object) = value
                    && is_wanted(&object)
                {
                    found(posting(object, index, part as u32, call));
                }
            }
        }
        Some(())
    }

    /// The last use of an object by a call of one stream among the events `from..=until`.
    pub(super) fn last_use(
        &self,
        stream: StreamId,
        object: ObjectId,
        from: u64,
        until: u64,
    ) -> Option<Posting> {
        let row = self.streams.get(&stream)?;
        let mut next = self.block_at(row, until);
        while let Some(block) = next {
            // Those behind the last that is entered are looked at one by one.
            let block = match block.checked_sub(row.entered) {
                Some(_) => block,
                None => self.uses.last_block(stream.0, object.0, block)?,
            };
            let last = self.uses_in(row, block, object).into_iter().rfind(|posting| posting.ordinal <= until);
            if let Some(last) = last {
                return (last.ordinal >= from).then_some(last);
            }
            // All that happens in the blocks before is before that.
            let began = self.found_block(row, block)?.place.first_entry;
            next = block.checked_sub(1).filter(|_| began > from);
        }
        None
    }

    /// The uses of an object by calls of one stream from an event on, in order of time. No block is read before it is asked
    /// for.
    pub(super) fn uses_from(
        &self,
        stream: StreamId,
        object: ObjectId,
        from: u64,
    ) -> impl Iterator<Item = Posting> + '_ {
        let row = self.streams.get(&stream);
        let first = row.and_then(|row| self.block_at(row, from)).unwrap_or(0);
        let behind = row.map_or(0..0, |row| row.entered.max(first)..row.calls.div_ceil(ROWS as u32));
        let blocks = self.uses.blocks(stream.0, object.0, first).chain(behind);
        blocks
            .flat_map(move |block| row.map(|row| self.uses_in(row, block, object)).unwrap_or_default())
            .filter(move |posting| posting.ordinal >= from)
    }

    /// The last uses of an object by calls of one stream before an event, at least `count` if there are so many.
    pub(super) fn uses_before(
        &self,
        stream: StreamId,
        object: ObjectId,
        end: u64,
        count: usize,
    ) -> Vec<Posting> {
        let mut list = Vec::new();
        let mut until = end.checked_sub(1);
        while let (Some(last), true) = (until, list.len() < count) {
            let Some(row) = self.streams.get(&stream) else { break };
            let Some(found) = self.last_use(stream, object, 0, last) else { break };
            let block = self.block_at(row, found.ordinal).unwrap_or(0);
            list.extend(
                self.uses_in(row, block, object).into_iter().filter(|posting| posting.ordinal <= last),
            );
            let began = self.found_block(row, block).map_or(0, |block| block.place.first_entry);
            until = began.checked_sub(1);
        }
        list
    }

    /// All uses of objects by the calls of one stream's events `from..=to`.
    pub(super) fn uses_within(&self, stream: StreamId, from: u64, to: u64) -> Vec<Posting> {
        let mut list = Vec::new();
        let Some(row) = self.streams.get(&stream) else { return list };
        let Some(last) = self.block_at(row, to) else { return list };
        for block in self.block_at(row, from).unwrap_or(0)..=last {
            self.each_use(row, block, None, &mut |posting| {
                if (from..=to).contains(&posting.ordinal) {
                    list.push(posting);
                }
            });
        }
        list
    }
}

/// Does all of a call lie in its block of rows? Then what it gave is told there.
fn is_within(index: u32, call: &CallRow) -> bool {
    index as usize % ROWS + call.size as usize <= ROWS
}

fn posting(object: ObjectId, call: u32, part: u32, row: &CallRow) -> Posting {
    let ordinal = if part == RESULT { row.exit } else { row.entry };
    let what = PostingKind::Used { call, part };
    Posting { key: Key::uses(object), ordinal, bci: row.bci, library: false, what }
}
