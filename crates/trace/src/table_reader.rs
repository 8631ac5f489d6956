//! Reads the table stream, all at once or as it grows. Its records cross chunks and frames, but nothing crosses a
//! place where frames are missing.

use crate::frame_reader::{FrameReader, Piece};
use crate::ids::StreamId;
use crate::objects::Objects;
use crate::program::Program;
use crate::tables::{self, TableRecord};

#[derive(Default)]
pub(crate) struct TableReader {
    /// Pieces that were read, and bytes of the stream up to there.
    offset: u64,
    /// The beginning of a record whose end was not there yet.
    rest: Vec<u8>,
}

impl TableReader {
    /// Takes new records in; false if there are none. `objects` gets the long strings, unless it has them already.
    pub fn read(
        &mut self,
        frames: &FrameReader,
        program: &mut Program,
        mut objects: Option<&mut Objects>,
        grows: bool,
    ) -> bool {
        let mut news = false;
        let mut see = |record: TableRecord<'_>| {
            news = true;
            match record {
                TableRecord::String { id, chars, flags, data } => {
                    if let Some(objects) = &mut objects {
                        objects.define_string(id, chars, flags, data);
                    }
                }
                record => program.define(&record),
            }
        };
        for (at, piece) in frames.pieces(StreamId::TABLES).iter().enumerate() {
            let start = frames.start_of(StreamId::TABLES, at).unwrap_or(0);
            let (bytes, end) = match piece {
                Piece::Frame(frame) => {
                    let end = start + u64::from(frame.header.raw);
                    if end <= self.offset {
                        continue;
                    }
                    (frames.load(frame), end)
                }
                Piece::Missing { .. } if start < self.offset => continue,
                Piece::Missing { .. } => (None, start),
            };
            match bytes {
                Some(bytes) => {
                    let known = self.offset.saturating_sub(start) as usize;
                    self.rest.extend_from_slice(bytes.get(known..).unwrap_or_default());
                }
                None => {
                    tables::for_each(&self.rest, &mut see);
                    self.rest.clear();
                }
            }
            self.offset = self.offset.max(end);
        }
        let whole = if grows { whole_records(&self.rest) } else { self.rest.len() };
        tables::for_each(&self.rest[..whole], &mut see);
        self.rest.drain(..whole);
        if news {
            program.seal();
        }
        news
    }
}

/// How many bytes are whole records.
fn whole_records(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(length) = bytes.get(at + 1..).and_then(|bytes| bytes.first_chunk()) {
        let end = at + 5 + u32::from_le_bytes(*length) as usize;
        if end > bytes.len() {
            break;
        }
        at = end;
    }
    at
}
