//! Packs calls into blocks on a thread of its own, while replay goes on with the next. What a stream has of blocks and
//! shapes belongs to that thread; it is looked at once everything is in the files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Ending, Target};

use crate::background::{Background, Work};
use crate::call_block::{Packer, ROWS, Unpacked, Unpackeds};
use crate::call_stripe::CallBlockRow;
use crate::error::Result;
use crate::file::Appender;
use crate::packed::Packed;
use crate::shapes::Shapes;
use crate::uses::{self, UseEntry, UseWriter};

/// The file of the blocks.
pub(crate) const CALLS: &str = "calls";

/// Pieces that wait to be packed, of some hundred kilobytes.
const WAITING: usize = 2;

/// Calls of one stream that follow each other, from a block's border on.
#[derive(Default)]
pub(crate) struct Calls {
    pub stream: u32,
    /// The number of the first.
    pub first: u32,
    pub rows: Vec<Unpacked>,
    pub values: Vec<Packed>,
    /// Those that are open end elsewhere, from this place on.
    pub late: Option<u64>,
    pub how: How,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum How {
    /// For good.
    #[default]
    Packed,
    /// For good, and no others follow.
    Last,
    /// As they are now, so that they can be read; they will come again.
    Shown,
}

/// What one stream has.
#[derive(Default)]
pub(crate) struct PackedCalls {
    /// The blocks that are packed for good.
    pub blocks: Vec<CallBlockRow>,
    /// Blocks of the calls behind those, as they were when they were last shown.
    pub shown: Vec<CallBlockRow>,
    pub shapes: Shapes,
    programs: u32,
    /// Which objects the calls of which blocks used, as far as that is not written yet.
    uses: Vec<UseEntry>,
}

type Streams = Arc<Mutex<BTreeMap<u32, PackedCalls>>>;

pub(crate) struct CallPacking {
    thread: Background<Calls>,
    streams: Streams,
}

struct CallFiles {
    blocks: Appender,
    uses: UseWriter,
    packer: Packer,
    scratch: Vec<u8>,
    streams: Streams,
}

impl CallPacking {
    pub fn create(dir: &Path) -> Result<CallPacking> {
        let streams = Streams::default();
        let files = CallFiles {
            blocks: Appender::create(dir.join(CALLS))?,
            uses: UseWriter::create(dir)?,
            packer: Packer::default(),
            scratch: Vec::new(),
            streams: Arc::clone(&streams),
        };
        Ok(CallPacking { thread: Background::start("index-calls", dir, WAITING, files)?, streams })
    }

    /// An empty piece, to be filled and packed.
    pub fn empty(&self) -> Calls {
        self.thread.done().unwrap_or_default()
    }

    pub fn pack(&mut self, calls: Calls) -> Result<()> {
        self.thread.send(calls)
    }

    /// Waits until everything is in the files.
    pub fn flush(&mut self) -> Result<()> {
        self.thread.flush()
    }

    /// What was packed, by stream.
    pub fn streams(&self) -> MutexGuard<'_, BTreeMap<u32, PackedCalls>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work<Calls> for CallFiles {
    fn work(&mut self, calls: &mut Calls) -> Result<()> {
        let streams = Arc::clone(&self.streams);
        let mut streams = streams.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = streams.entry(calls.stream).or_default();
        stream.shown.clear();
        let mut late = calls.late;
        let mut programs = stream.programs;
        for (at, rows) in calls.rows.chunks(ROWS).enumerate() {
            let first = calls.first + (at * ROWS) as u32;
            let block = Unpackeds { first, rows, values: &calls.values, late };
            self.scratch.clear();
            let objects = self.packer.pack(&block, &mut stream.shapes, &mut self.scratch);
            let row = CallBlockRow {
                offset: self.blocks.length(),
                length: self.scratch.len() as u32,
                entry: rows.first().map_or(0, |row| row.call.entry),
                programs,
            };
            if calls.how == How::Shown {
                stream.shown.push(row);
            } else {
                let block = stream.blocks.len() as u32;
                stream.uses.extend(objects.iter().map(|&object| UseEntry { object: object as u32, block }));
                stream.blocks.push(row);
            }
            self.blocks.append(&self.scratch)?;
            programs += rows.iter().filter(|row| matches!(row.call.target, Target::Method(_))).count() as u32;
            let open = rows.iter().filter(|row| row.call.ending == Ending::Open).count() as u64;
            late = late.map(|late| late + open);
        }
        if calls.how != How::Shown {
            stream.programs = programs;
        }
        if stream.uses.len() >= uses::FULL || calls.how != How::Packed {
            self.uses.seal(calls.stream, &mut stream.uses)?;
        }
        if calls.how == How::Last {
            stream.shapes.close();
            stream.uses = Vec::new();
        }
        calls.rows.clear();
        calls.values.clear();
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.blocks.flush()?;
        self.uses.flush()
    }
}
