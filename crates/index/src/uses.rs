//! Which objects the calls of which blocks used, as arguments or results. What each of them did is for the block to say,
//! so an object that every call has in hand costs one entry per block instead of one per call. Entries of a stream are
//! sealed in segments that follow each other, each sorted by object, then block.
//!
//! Files: the segments; their blocks with the first entry of each; the bytes, two columns per block.

use std::path::Path;

use crate::column::{self, Column};
use crate::error::Result;
use crate::file::{Appender, Bytes, FixedRow, RowFile, RowWriter, u32_at, uint_at};

/// An object, and a block of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UseEntry {
    pub object: u32,
    pub block: u32,
}

/// Entries that are sealed at once, about.
pub(crate) const FULL: usize = 1 << 17;
/// Entries per block.
const BLOCK: usize = 256;

struct SegmentRow {
    stream: u32,
    /// The first of its blocks, and how many there are.
    first: u32,
    blocks: u32,
    /// The blocks of calls that it has entries of.
    from: u32,
    to: u32,
}

impl FixedRow for SegmentRow {
    const SIZE: usize = 20;

    fn encode(&self, out: &mut Vec<u8>) {
        for word in [self.stream, self.first, self.blocks, self.from, self.to] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        let word = |at: usize| u32_at(bytes, at * 4);
        SegmentRow { stream: word(0), first: word(1), blocks: word(2), from: word(3), to: word(4) }
    }
}

struct BlockRow {
    first: UseEntry,
    offset: u64,
    entries: u16,
}

impl FixedRow for BlockRow {
    const SIZE: usize = 16;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first.object.to_le_bytes());
        out.extend_from_slice(&self.first.block.to_le_bytes());
        out.extend_from_slice(&self.offset.to_le_bytes()[..6]);
        out.extend_from_slice(&self.entries.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        BlockRow {
            first: UseEntry { object: u32_at(bytes, 0), block: u32_at(bytes, 4) },
            offset: uint_at(bytes, 8, 6),
            entries: uint_at(bytes, 14, 2) as u16,
        }
    }
}

pub(crate) struct UseWriter {
    bytes: Appender,
    blocks: RowWriter<BlockRow>,
    count: u32,
    segments: RowWriter<SegmentRow>,
    scratch: Vec<u8>,
}

impl UseWriter {
    pub fn create(dir: &Path) -> Result<UseWriter> {
        Ok(UseWriter {
            bytes: Appender::create(dir.join("uses"))?,
            blocks: RowWriter::create(dir.join("use-blocks"))?,
            count: 0,
            segments: RowWriter::create(dir.join("use-segments"))?,
            scratch: Vec::new(),
        })
    }

    /// Seals entries, which come in the order of blocks.
    pub fn seal(&mut self, stream: u32, entries: &mut Vec<UseEntry>) -> Result<()> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(()) };
        let (from, to, first) = (first.block, last.block, self.count);
        entries.sort_unstable();
        let (mut objects, mut blocks, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for part in entries.chunks(BLOCK) {
            let row = BlockRow { first: part[0], offset: self.bytes.length(), entries: part.len() as u16 };
            self.blocks.push(&row)?;
            self.count += 1;
            objects.clear();
            objects.extend(part.iter().map(|entry| u64::from(entry.object)));
            blocks.clear();
            let mut last = None;
            // Of the same object, how many blocks later; otherwise which one.
            blocks.extend(part.iter().map(|entry| {
                match last.replace(*entry).filter(|last: &UseEntry| last.object == entry.object) {
                    Some(last) => u64::from(entry.block - last.block),
                    None => u64::from(entry.block - from),
                }
            }));
            self.scratch.clear();
            column::write_steps(&objects, &mut steps, &mut self.scratch);
            column::write(&blocks, &mut self.scratch);
            self.bytes.append(&self.scratch)?;
        }
        self.segments.push(&SegmentRow { stream, first, blocks: self.count - first, from, to })?;
        entries.clear();
        Ok(())
    }

    pub fn flush(&mut self) -> Result<()> {
        self.bytes.flush()?;
        self.blocks.flush()?;
        self.segments.flush()
    }
}

/// The entries of all streams, mapped.
pub(crate) struct Uses {
    bytes: Bytes,
    blocks: RowFile<BlockRow>,
    /// Sorted by stream; those of one in order of time.
    segments: Vec<SegmentRow>,
}

impl Uses {
    pub fn open(dir: &Path) -> Result<Uses> {
        let mut segments: Vec<SegmentRow> = RowFile::open(&dir.join("use-segments"))?.iter().collect();
        segments.sort_by_key(|segment| segment.stream);
        Ok(Uses {
            bytes: Bytes::open(&dir.join("uses"))?,
            blocks: RowFile::open(&dir.join("use-blocks"))?,
            segments,
        })
    }

    pub fn release(&self) {
        self.bytes.release();
        self.blocks.release();
    }

    fn of_stream(&self, stream: u32) -> &[SegmentRow] {
        let from = self.segments.partition_point(|segment| segment.stream < stream);
        let to = self.segments.partition_point(|segment| segment.stream <= stream);
        &self.segments[from..to]
    }

    /// The blocks of a stream from one on whose calls used an object, ascending.
    pub fn blocks(&self, stream: u32, object: u32, from: u32) -> impl Iterator<Item = u32> + '_ {
        let segments = self.of_stream(stream).iter().filter(move |segment| segment.to >= from);
        segments.flat_map(move |segment| {
            let wanted = UseEntry { object, block: from };
            let mut at = self.before(segment, wanted).saturating_sub(1);
            let mut list = Vec::new().into_iter();
            std::iter::from_fn(move || {
                loop {
                    if let Some(block) = list.next() {
                        return Some(block);
                    }
                    if at >= segment.blocks as usize {
                        return None;
                    }
                    let entries = self.entries(segment, at);
                    at = match entries.last() {
                        Some(last) if last.object <= object => at + 1,
                        _ => usize::MAX,
                    };
                    let own =
                        entries.into_iter().filter(|entry| entry.object == object && entry.block >= from);
                    list = own.map(|entry| entry.block).collect::<Vec<_>>().into_iter();
                }
            })
        })
    }

    /// The last block of a stream up to one whose calls used an object.
    pub fn last_block(&self, stream: u32, object: u32, until: u32) -> Option<u32> {
        let wanted = UseEntry { object, block: until };
        let segments = self.of_stream(stream).iter().rev().filter(|segment| segment.from <= until);
        segments
            .filter_map(|segment| {
                let at = self.before(segment, wanted).checked_sub(1)?;
                let entries = self.entries(segment, at);
                let found = entries.into_iter().rev().find(|entry| *entry <= wanted)?;
                (found.object == object).then_some(found.block)
            })
            .next()
    }

    /// How many blocks of a segment begin at or before an entry.
    fn before(&self, segment: &SegmentRow, wanted: UseEntry) -> usize {
        let first = segment.first as usize;
        let end = first.saturating_add(segment.blocks as usize);
        self.blocks.partition_point(first, end, |row| row.first <= wanted).saturating_sub(first)
    }

    fn entries(&self, segment: &SegmentRow, at: usize) -> Vec<UseEntry> {
        let read = || {
            let row = self.blocks.get(segment.first as usize + at)?;
            let (count, mut place) = (usize::from(row.entries), usize::try_from(row.offset).ok()?);
            let objects = Column::read(self.bytes.get(), &mut place, count)?;
            let blocks = Column::read(self.bytes.get(), &mut place, count)?;
            let mut last = UseEntry { object: 0, block: 0 };
            let mut list = Vec::with_capacity(count);
            for (number, (step, block)) in objects.iter().zip(blocks.iter()).enumerate() {
                let object = last.object.wrapping_add(step as u32);
                let before = if number > 0 && step == 0 { last.block } else { segment.from };
                last = UseEntry { object, block: before.wrapping_add(block as u32) };
                list.push(last);
            }
            Some(list)
        };
        read().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_of_an_object_are_those_that_were_entered(
            sealed in proptest::collection::vec(proptest::collection::btree_set((0u32..12, 0u32..40), 0..300), 1..4),
            wanted in (0u32..13, 0u32..130),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut writer = UseWriter::create(dir.path()).unwrap();
            let mut all = Vec::new();
            for (number, part) in sealed.iter().enumerate() {
                let before = number as u32 * 40;
                let mut own: Vec<UseEntry> =
                    part.iter().map(|&(object, block)| UseEntry { object, block: before + block }).collect();
                own.sort_by_key(|entry| entry.block);
                all.extend_from_slice(&own);
                writer.seal(7, &mut own).unwrap();
                writer.seal(8, &mut vec![UseEntry { object: 3, block: 1000 + before }]).unwrap();
            }
            writer.flush().unwrap();
            let uses = Uses::open(dir.path()).unwrap();
            let (object, block) = wanted;
            let mut own: Vec<u32> =
                all.iter().filter(|entry| entry.object == object).map(|entry| entry.block).collect();
            own.sort_unstable();
            let behind: Vec<u32> = own.iter().copied().filter(|&one| one >= block).collect();
            prop_assert_eq!(uses.blocks(7, object, block).collect::<Vec<_>>(), behind);
            let before = own.iter().copied().rfind(|&one| one <= block);
            prop_assert_eq!(uses.last_block(7, object, block), before);
        }
    }
}
