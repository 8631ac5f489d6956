//! The calls of one stream while they are written. The newest are kept as they are, because most calls end soon; then
//! they are packed, block by block, and nothing of a packed block changes any more. The ends of calls that last longer
//! have places of their own, which are filled in when they are known.

use std::path::Path;

use base::{Ending, Value};

use crate::call::{CallRow, LateRow};
use crate::call_block::{Packer, ROWS, Unpacked, Unpackeds};
use crate::error::Result;
use crate::file::{Appender, FixedRow, Stripe, Striped, u32_at, uint_at};
use crate::packed::Packed;
use crate::shapes::Shapes;

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

/// The files that the calls of all streams go to.
pub(crate) struct CallFiles {
    pub blocks: Appender,
    pub late: Striped<LateRow>,
    pub packer: Packer,
    pub scratch: Vec<u8>,
}

/// The file of the blocks.
pub(crate) const CALLS: &str = "calls";

impl CallFiles {
    pub fn create(dir: &Path) -> Result<CallFiles> {
        Ok(CallFiles {
            blocks: Appender::create(dir.join(CALLS))?,
            late: Striped::create(dir.join("late-calls"))?,
            packer: Packer::default(),
            scratch: Vec::new(),
        })
    }
}

#[derive(Default)]
pub(crate) struct CallStripe {
    /// All calls so far.
    pub rows: u64,
    /// The blocks that are packed for good.
    pub blocks: Vec<CallBlockRow>,
    /// Blocks of the calls behind those, as they were when they were last shown.
    pub shown: Vec<CallBlockRow>,
    pub shapes: Shapes,
    pub late: Stripe,
    kept: Vec<Unpacked>,
    values: Vec<Packed>,
    /// The first row that is kept.
    from: u64,
    programs: u32,
    /// Open calls that are packed, the outermost first, and where their ends go.
    open: Vec<(u32, u64)>,
}

impl CallStripe {
    /// A call begins.
    pub fn push(&mut self, call: CallRow, receiver: Option<Value>, args: &[Value]) -> u32 {
        let row = Unpacked {
            call,
            has_receiver: receiver.is_some(),
            args: (args.len() + usize::from(receiver.is_some())) as u16,
            values: self.values.len() as u32,
        };
        self.values.extend(receiver.iter().chain(args).map(|&value| Packed::from(value)));
        self.kept.push(row);
        self.rows += 1;
        self.rows as u32 - 1
    }

    /// What is known of a call by now.
    pub fn set(&mut self, files: &mut CallFiles, row: u32, call: &CallRow) -> Result<()> {
        if let Some(at) = u64::from(row).checked_sub(self.from) {
            if let Some(kept) = self.kept.get_mut(at as usize) {
                kept.call = *call;
            }
            return Ok(());
        }
        let found = self.open.binary_search_by_key(&row, |&(open, _)| open);
        let Ok(at) = found else { return Ok(()) };
        if call.ending != Ending::Open {
            let (_, slot) = self.open.remove(at);
            return files.late.set(&mut self.late, slot, &LateRow::from(call));
        }
        files.late.set(&mut self.late, self.open[at].1, &LateRow::from(call))
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

    /// Packs so many rows for good, a multiple of a block or all; `is_last`: none will follow. Tells each block's number and
    /// the objects that its calls used.
    pub fn pack(
        &mut self,
        files: &mut CallFiles,
        count: usize,
        is_last: bool,
        mut used: impl FnMut(u32, &[u64]),
    ) -> Result<()> {
        for rows in self.kept[..count].chunks(ROWS) {
            let first = (self.blocks.len() * ROWS) as u32;
            let late = (!is_last).then_some(self.late.rows);
            for (at, row) in rows.iter().enumerate() {
                if row.call.ending == Ending::Open && !is_last {
                    self.open.push((first + at as u32, self.late.rows));
                    files.late.reserve(&mut self.late)?;
                }
            }
            let block = Unpackeds { first, rows, values: &self.values, late };
            let number = self.blocks.len() as u32;
            files.scratch.clear();
            let objects = files.packer.pack(&block, &mut self.shapes, &mut files.scratch);
            used(number, objects);
            self.blocks.push(place(files, rows, self.programs));
            self.programs += programs(rows);
            files.blocks.append(&files.scratch)?;
        }
        self.from += count as u64;
        let values = self.kept.get(count).map_or(self.values.len(), |row| row.values as usize);
        self.kept.drain(..count);
        self.values.drain(..values);
        self.kept.iter_mut().for_each(|row| row.values -= values as u32);
        if is_last {
            (self.kept, self.values, self.shown) = (Vec::new(), Vec::new(), Vec::new());
            self.shapes.close();
        }
        Ok(())
    }

    /// Writes what is kept as it is now, so that it can be read; it will be packed again.
    pub fn show(&mut self, files: &mut CallFiles) -> Result<()> {
        self.shown.clear();
        let mut before = self.programs;
        for (at, rows) in self.kept.chunks(ROWS).enumerate() {
            let first = self.from as u32 + (at * ROWS) as u32;
            let block = Unpackeds { first, rows, values: &self.values, late: None };
            files.scratch.clear();
            files.packer.pack(&block, &mut self.shapes, &mut files.scratch);
            self.shown.push(place(files, rows, before));
            before += programs(rows);
            files.blocks.append(&files.scratch)?;
        }
        files.late.flush(&self.late)
    }
}

fn place(files: &CallFiles, rows: &[Unpacked], programs: u32) -> CallBlockRow {
    let entry = rows.first().map_or(0, |row| row.call.entry);
    CallBlockRow { offset: files.blocks.length(), length: files.scratch.len() as u32, entry, programs }
}

fn programs(rows: &[Unpacked]) -> u32 {
    rows.iter().filter(|row| matches!(row.call.target, base::Target::Method(_))).count() as u32
}
