//! The calls of one stream while they are written. The newest are kept as they are, because most calls end soon; then
//! they are packed, block by block, and nothing of a packed block changes any more. The ends of calls that last longer
//! have places of their own, which are filled in when they are known.

use std::path::Path;

use base::{Ending, StreamId, Target, Value};

use crate::call::{CallRow, LateRow};
use crate::call_block::{ROWS, Unpacked};
use crate::call_packing::{CallPacking, Calls, How};
use crate::error::Result;
use crate::file::{FixedRow, Stripe, Striped, u32_at, uint_at};
use crate::packed::Packed;

/// Calls that are packed at once. As many are kept before that: few of them are still open by then.
pub(crate) const PACKED: usize = 16 * ROWS;

/// Where a block of calls is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallBlockRow {
    pub offset: u64,
    pub length: u32,
    /// When its first call began.
    pub entry: u64,
    /// Calls of program code that the stream has before it.
    pub programs: u32,
}

impl FixedRow for CallBlockRow {
    const SIZE: usize = 20;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.offset.to_le_bytes()[..6]);
        out.extend_from_slice(&self.entry.to_le_bytes()[..6]);
        out.extend_from_slice(&self.programs.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        CallBlockRow {
            offset: uint_at(bytes, 0, 6),
            entry: uint_at(bytes, 6, 6),
            programs: u32_at(bytes, 12),
            length: u32_at(bytes, 16),
        }
    }
}

/// Where the calls of all streams go.
pub(crate) struct CallFiles {
    pub packing: CallPacking,
    pub late: Striped<LateRow>,
}

impl CallFiles {
    pub fn create(dir: &Path) -> Result<CallFiles> {
        Ok(CallFiles { packing: CallPacking::create(dir)?, late: Striped::create(dir.join("late-calls"))? })
    }
}

#[derive(Default)]
pub(crate) struct CallStripe {
    /// All calls so far.
    pub rows: u64,
    pub late: Stripe,
    kept: Vec<Unpacked>,
    values: Vec<Packed>,
    /// The first row that is kept.
    from: u64,
    /// Open calls that are packed, the outermost first, and where their ends go.
    open: Vec<(u32, u64)>,
}

impl CallStripe {
    /// A call begins.
    #[inline]
    pub fn push(&mut self, call: CallRow, receiver: &Option<Value>, args: &[Value]) -> u32 {
        let row = Unpacked {
            call,
            has_receiver: receiver.is_some(),
            args: (args.len() + usize::from(receiver.is_some())) as u16,
            values: self.values.len() as u32,
        };
        if let Some(receiver) = receiver {
            self.values.push(Packed::from(receiver));
        }
        self.values.extend(args.iter().map(Packed::from));
        self.kept.push(row);
        self.rows += 1;
        self.rows as u32 - 1
    }

    /// What was called in fact.
    #[inline]
    pub fn set_target(&mut self, row: u32, target: Target) {
        let kept = u64::from(row).checked_sub(self.from).and_then(|at| self.kept.get_mut(at as usize));
        if let Some(kept) = kept {
            kept.call.target = target;
        }
    }

    /// What is known of a call by now.
    #[inline]
    pub fn set(&mut self, files: &mut CallFiles, row: u32, end: &LateRow) -> Result<()> {
        if let Some(at) = u64::from(row).checked_sub(self.from) {
            if let Some(Unpacked { call, .. }) = self.kept.get_mut(at as usize) {
                (call.exit, call.size, call.children) = (end.exit, end.size, end.children);
                call.ending = end.ending;
            }
            return Ok(());
        }
        self.set_late(files, row, end)
    }

    fn set_late(&mut self, files: &mut CallFiles, row: u32, end: &LateRow) -> Result<()> {
        let found = self.open.binary_search_by_key(&row, |&(open, _)| open);
        let Ok(at) = found else { return Ok(()) };
        let slot = if end.ending == Ending::Open { self.open[at].1 } else { self.open.remove(at).1 };
        files.late.set(&mut self.late, slot, end)
    }

    /// Are there so many calls that some are to be packed?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.kept.len() >= 2 * PACKED
    }

    /// The first row that is not packed, and those behind with their values, to be packed as they are now.
    pub fn unpacked(&mut self) -> (u32, &[Unpacked], &mut [Packed]) {
        (self.from as u32, &self.kept, &mut self.values)
    }

    /// Packs so many rows for good, a multiple of a block or all; `is_last`: none will follow.
    pub fn pack(
        &mut self,
        files: &mut CallFiles,
        stream: StreamId,
        count: usize,
        is_last: bool,
    ) -> Result<()> {
        let first = self.from as u32;
        let late = (!is_last).then_some(self.late.rows);
        if !is_last {
            for (at, _) in
                self.kept[..count].iter().enumerate().filter(|(_, row)| row.call.ending == Ending::Open)
            {
                self.open.push((first + at as u32, self.late.rows));
                files.late.reserve(&mut self.late)?;
            }
        }
        let values = self.kept.get(count).map_or(self.values.len(), |row| row.values as usize);
        let mut calls = files.packing.empty();
        calls.rows.extend(self.kept.drain(..count));
        calls.values.extend(self.values.drain(..values));
        self.kept.iter_mut().for_each(|row| row.values -= values as u32);
        self.from += count as u64;
        let how = if is_last { How::Last } else { How::Packed };
        files.packing.pack(Calls { stream: stream.0, first, late, how, ..calls })?;
        if is_last {
            (self.kept, self.values) = (Vec::new(), Vec::new());
        }
        Ok(())
    }

    /// Writes what is kept as it is now, so that it can be read; it will be packed again.
    pub fn show(&mut self, files: &mut CallFiles, stream: StreamId) -> Result<()> {
        let mut calls = files.packing.empty();
        calls.rows.extend_from_slice(&self.kept);
        calls.values.extend_from_slice(&self.values);
        let (first, how) = (self.from as u32, How::Shown);
        files.packing.pack(Calls { stream: stream.0, first, late: None, how, ..calls })?;
        files.late.flush(&self.late)
    }
}
