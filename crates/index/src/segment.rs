//! A sealed segment: the postings of a stretch of one stream, sorted by location and then by time, in blocks of
//! about four kilobytes. Finding a location's last posting is a look at a filter, a binary search over the blocks'
//! first entries, and reading one block; so the newest segment that knows the location answers in microseconds.
//!
//! Bytes: the blocks; the block list (28 bytes each: key u64, ordinal u64, offset u64, count u32); the filter; the
//! number of each posting's block in order of time, two bytes each; and every 64th ordinal in order of time. The last
//! two find the postings of a short stretch of time without reading all blocks.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::blocks::{BlockId, Blocks, DecodedBlock};
use crate::file::{FixedRow, u16_at, u32_at, u64_at};
use crate::packed::{Packed, Sink, get, get_bits, put, put_bits};
use crate::posting::{Key, PayloadLayout, Posting, Stored, layout};

const BLOCK_BYTES: usize = 4096;
const BLOCK_ENTRY: usize = 28;
/// Bits of the filter per entry. Entries are keys, and objects as such; all bits of one are in one line of 64 bytes,
/// so that asking costs one access to memory.
const FILTER_BITS: u64 = 12;
const FILTER_HASHES: u32 = 4;
const FILTER_LINE: usize = 64;
/// Postings between two ordinals in the list of times.
const TIME_STEP: usize = 64;
/// A stretch of time that is looked up in so many blocks, at most, may be looked up again.
const FEW_BLOCKS: usize = 256;

/// What the index knows of a segment without looking into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentRow {
    pub stream: u32,
    pub postings: u32,
    /// Ordinals of its earliest and latest posting.
    pub first: u64,
    pub last: u64,
    pub offset: u64,
    /// Where the block list, the filter and the list of times begin, from `offset` on, and where the segment ends.
    pub blocks_at: u32,
    pub filter_at: u32,
    pub times_at: u32,
    pub length: u32,
    /// The highest number of an object that has postings here.
    pub newest: u32,
}

impl FixedRow for SegmentRow {
    const SIZE: usize = 52;

    fn encode(&self, out: &mut Vec<u8>) {
        for word in [self.stream, self.postings] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        for word in [self.first, self.last, self.offset] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        for word in [self.blocks_at, self.filter_at, self.times_at, self.length, self.newest] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        SegmentRow {
            stream: u32_at(bytes, 0),
            postings: u32_at(bytes, 4),
            first: u64_at(bytes, 8),
            last: u64_at(bytes, 16),
            offset: u64_at(bytes, 24),
            blocks_at: u32_at(bytes, 32),
            filter_at: u32_at(bytes, 36),
            times_at: u32_at(bytes, 40),
            length: u32_at(bytes, 44),
            newest: u32_at(bytes, 48),
        }
    }
}

/// Sorts postings and appends them to `out` as a segment that begins at `offset` of its file.
pub(crate) fn seal(postings: &[Stored], stream: u32, offset: u64, out: &mut Vec<u8>) -> SegmentRow {
    let mut order: Vec<(u64, u64, u32)> =
        postings.iter().enumerate().map(|(at, posting)| (posting.key, posting.ordinal, at as u32)).collect();
    order.sort_unstable();
    out.reserve(postings.len() * 16);
    let start = out.len();
    let mut blocks = Vec::new();
    let mut block_of = vec![0u16; postings.len()];
    let mut entries = 0u64;
    let mut previous: Option<&Stored> = None;
    let (mut block_start, mut count) = (out.len(), 0u32);
    let mut last_key = None;
    for &(key, _, at) in &order {
        let posting = &postings[at as usize];
        entries += new_entries(last_key.replace(key), key).count() as u64;
        if out.len() - block_start >= BLOCK_BYTES {
            close_block(&mut blocks, block_start - start, count);
            previous = None;
            (block_start, count) = (out.len(), 0);
        }
        if previous.is_none() {
            blocks.extend_from_slice(&posting.key.to_le_bytes());
            blocks.extend_from_slice(&posting.ordinal.to_le_bytes());
        }
        block_of[at as usize] = (blocks.len() / BLOCK_ENTRY) as u16;
        // Through a small buffer: growing the large one byte by byte is what would cost most.
        let mut entry = Entry::default();
        encode(posting, previous, &mut entry);
        out.extend_from_slice(&entry.bytes[..entry.length]);
        count += 1;
        previous = Some(posting);
    }
    if count > 0 {
        close_block(&mut blocks, block_start - start, count);
    }
    let blocks_at = (out.len() - start) as u32;
    out.extend_from_slice(&blocks);
    let filter_at = (out.len() - start) as u32;
    let lines = (entries * FILTER_BITS).div_ceil(FILTER_LINE as u64 * 8).max(1) as usize;
    let filter = out.len();
    out.resize(filter + lines * FILTER_LINE, 0);
    let mut last_key = None;
    for &(key, ..) in &order {
        for entry in new_entries(last_key.replace(key), key) {
            let (line, bits) = filter_place(entry, lines);
            for bit in bits {
                out[filter + line * FILTER_LINE + bit / 8] |= 1 << (bit % 8);
            }
        }
    }
    let times_at = (out.len() - start) as u32;
    // They come in the order of time, nearly: those of an object that was named late are behind.
    let mut by_time: Vec<u32> = (0..postings.len() as u32).collect();
    by_time.sort_by_key(|&at| postings[at as usize].ordinal);
    by_time.iter().for_each(|&at| out.extend_from_slice(&block_of[at as usize].to_le_bytes()));
    for &at in by_time.iter().step_by(TIME_STEP) {
        out.extend_from_slice(&postings[at as usize].ordinal.to_le_bytes());
    }
    SegmentRow {
        stream,
        postings: postings.len() as u32,
        first: by_time.first().map_or(0, |&at| postings[at as usize].ordinal),
        last: by_time.last().map_or(0, |&at| postings[at as usize].ordinal),
        offset,
        blocks_at,
        filter_at,
        times_at,
        length: (out.len() - start) as u32,
        newest: order.last().map_or(0, |&(key, ..)| Key::unpacked(key).object),
    }
}

/// What the filter gets for a key that follows another: the key, and its object if that is a new one.
fn new_entries(last: Option<u64>, key: u64) -> impl Iterator<Item = u64> {
    let is_new = last != Some(key);
    let object = is_new && last.is_none_or(|last| last >> 32 != key >> 32);
    is_new.then_some(key).into_iter().chain(object.then_some(key >> 32 | OBJECT))
}

/// Tells an object in the filter from a key: places have fewer bits.
const OBJECT: u64 = 0xdead_beef_0000_0000;

fn close_block(blocks: &mut Vec<u8>, offset: usize, count: u32) {
    blocks.extend_from_slice(&(offset as u64).to_le_bytes());
    blocks.extend_from_slice(&count.to_le_bytes());
}

/// The line of the filter that an entry is in, and its bits there.
fn filter_place(entry: u64, lines: usize) -> (usize, impl Iterator<Item = usize>) {
    let mut hash = entry.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    let line = ((hash >> 36) as usize) % lines;
    (line, (0..FILTER_HASHES).map(move |at| (hash >> (at * 9)) as usize & (FILTER_LINE * 8 - 1)))
}

/// Against the posting before it, which is none at a block's start: then key and ordinal are in the block list.
#[inline]
fn encode(posting: &Stored, previous: Option<&Stored>, out: &mut Entry) {
    out.push(posting.tag);
    if let Some(previous) = previous {
        let same_object = posting.key >> 32 == previous.key >> 32;
        if posting.key == previous.key {
            put(out, 0);
            put(out, posting.ordinal - previous.ordinal);
        } else if same_object {
            // Shifted by one bit: tells the next place of the object from the next object.
            put(out, ((posting.key & 0xffff_ffff) - (previous.key & 0xffff_ffff)) << 1);
            put(out, zigzag(posting.ordinal.wrapping_sub(previous.ordinal)));
        } else {
            put(out, ((posting.key >> 32) - (previous.key >> 32)) << 1 | 1);
            put(out, posting.key & 0xffff_ffff);
            put(out, zigzag(posting.ordinal.wrapping_sub(previous.ordinal)));
        }
    }
    out.extend_from_slice(&posting.bci.to_le_bytes());
    match layout(posting.tag) {
        PayloadLayout::Value(kind) => put_bits(out, Packed { kind, bits: posting.a }),
        PayloadLayout::ValueAndWord(kind) => {
            put_bits(out, Packed { kind, bits: posting.a });
            put(out, posting.b);
        }
        PayloadLayout::Words(words) => {
            [posting.a, posting.b][..usize::from(words)].iter().for_each(|&word| put(out, word))
        }
    }
}

/// The bytes of one posting: at most a tag, three numbers of up to ten bytes, a place, and two more numbers.
struct Entry {
    bytes: [u8; 64],
    length: usize,
}

impl Default for Entry {
    #[inline]
    fn default() -> Self {
        Entry { bytes: [0; 64], length: 0 }
    }
}

impl Sink for Entry {
    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    #[inline]
    fn extend_from_slice(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push(byte));
    }
}

fn zigzag(difference: u64) -> u64 {
    let difference = difference as i64;
    ((difference << 1) ^ (difference >> 63)) as u64
}

fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// A segment in its mapped file.
#[derive(Clone, Copy)]
pub(crate) struct Segment<'a> {
    pub row: SegmentRow,
    bytes: &'a [u8],
}

impl<'a> Segment<'a> {
    pub fn new(row: SegmentRow, file: &'a [u8]) -> Option<Segment<'a>> {
        let start = usize::try_from(row.offset).ok()?;
        let bytes = file.get(start..start.checked_add(row.length as usize)?)?;
        let lines = row.times_at.checked_sub(row.filter_at)? as usize / FILTER_LINE;
        let fits = row.blocks_at <= row.filter_at && lines > 0 && row.times_at <= row.length;
        fits.then_some(Segment { row, bytes })
    }

    /// May the segment have something of this object?
    pub fn may_have(&self, object: u32) -> bool {
        self.filter(u64::from(object) | OBJECT)
    }

    /// May the segment have postings of this key?
    pub fn has(&self, key: Key) -> bool {
        self.filter(key.packed())
    }

    #[inline]
    fn filter(&self, entry: u64) -> bool {
        let filter = &self.bytes[self.row.filter_at as usize..self.row.times_at as usize];
        let (line, mut bits) = filter_place(entry, filter.len() / FILTER_LINE);
        let line = &filter[line * FILTER_LINE..(line + 1) * FILTER_LINE];
        bits.all(|bit| line[bit / 8] & 1 << (bit % 8) != 0)
    }

    /// The key's latest posting with an ordinal of at most `until`.
    pub fn last(&self, key: Key, until: u64, decoded: &Blocks) -> Option<Posting> {
        if !self.filter(key.packed()) {
            return None;
        }
        let wanted = (key.packed(), until);
        let block = self.blocks_before(wanted).checked_sub(1)?;
        if let Some(decoded) = self.decoded(block, decoded) {
            let postings = &decoded.postings;
            let after = postings.partition_point(|posting| (posting.key, posting.ordinal) <= wanted);
            let found = &postings[after.checked_sub(1)?];
            return (found.key == key.packed()).then(|| Posting::from(found));
        }
        let mut found = None;
        for posting in self.block(block) {
            if (posting.key, posting.ordinal) > wanted {
                break;
            }
            found = Some(posting);
        }
        found.filter(|found| found.key == key.packed()).map(|found| Posting::from(&found))
    }

    /// All postings with keys in `from..=to`, in order of key and time.
    pub fn range(self, from: Key, to: Key) -> impl Iterator<Item = Posting> + 'a {
        let (from, to) = (from.packed(), to.packed());
        let first = self.blocks_before((from, 0)).saturating_sub(1);
        (first..self.block_count())
            .flat_map(move |block| self.block(block))
            .skip_while(move |posting| posting.key < from)
            .take_while(move |posting| posting.key <= to)
            .map(|posting| Posting::from(&posting))
    }

    /// All postings with ordinals in `from..=to`, in order of key and time.
    pub fn within(self, from: u64, to: u64, decoded: &'a Blocks) -> impl Iterator<Item = Posting> + 'a {
        let blocks = if from <= self.row.first && self.row.last <= to {
            (0..self.block_count()).collect()
        } else {
            self.blocks_within(from, to)
        };
        // Those of a long stretch are read once, and would only push others out.
        let few = blocks.len() <= FEW_BLOCKS;
        blocks
            .into_iter()
            .flat_map(move |block| match few.then(|| self.decoded(block, decoded)).flatten() {
                Some(block) => BlockPostings::Decoded { places: block.within(from, to).into_iter(), block },
                None => BlockPostings::Encoded(self.block(block), from..=to),
            })
            .map(|posting| Posting::from(&posting))
    }

    fn decoded(&self, block: usize, decoded: &Blocks) -> Option<Arc<DecodedBlock>> {
        decoded.get(BlockId { segment: self.row.offset, block }, || self.block(block).collect())
    }

    /// The blocks that have postings of a stretch of time, ascending.
    fn blocks_within(&self, from: u64, to: u64) -> Vec<usize> {
        let postings = self.row.postings as usize;
        let times = &self.bytes[self.row.times_at as usize..];
        let ordinal = |at: usize| u64_at(times, postings * 2 + at * 8);
        let steps = postings.div_ceil(TIME_STEP);
        let steps_before = |wanted: u64| {
            let (mut low, mut high) = (0, steps);
            while low < high {
                let middle = low + (high - low) / 2;
                if ordinal(middle) <= wanted {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        // Of equal ordinals some may be before the step.
        let first = steps_before(from.saturating_sub(1)).saturating_sub(1) * TIME_STEP;
        let last = (steps_before(to) * TIME_STEP).min(postings);
        let mut blocks: Vec<usize> = (first..last).map(|at| usize::from(u16_at(times, at * 2))).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks.retain(|&block| block < self.block_count());
        blocks
    }

    fn block_count(&self) -> usize {
        (self.row.filter_at - self.row.blocks_at) as usize / BLOCK_ENTRY
    }

    /// How many blocks begin at or before this key and ordinal.
    fn blocks_before(&self, wanted: (u64, u64)) -> usize {
        let list = &self.bytes[self.row.blocks_at as usize..self.row.filter_at as usize];
        let (mut low, mut high) = (0, list.len() / BLOCK_ENTRY);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = middle * BLOCK_ENTRY;
            if (u64_at(list, entry), u64_at(list, entry + 8)) <= wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn block(self, number: usize) -> Block<'a> {
        let entry = self.row.blocks_at as usize + number * BLOCK_ENTRY;
        let offset = u64_at(self.bytes, entry + 16) as usize;
        Block {
            bytes: self.bytes.get(..self.row.blocks_at as usize).unwrap_or(&[]),
            at: offset,
            left: u32_at(self.bytes, entry + 24),
            next: Some((u64_at(self.bytes, entry), u64_at(self.bytes, entry + 8))),
            previous: (0, 0),
        }
    }
}

struct Block<'a> {
    bytes: &'a [u8],
    at: usize,
    left: u32,
    /// Key and ordinal of the first entry, before it is read.
    next: Option<(u64, u64)>,
    previous: (u64, u64),
}

impl Iterator for Block<'_> {
    type Item = Stored;

    fn next(&mut self) -> Option<Stored> {
        self.left = self.left.checked_sub(1)?;
        let bytes = self.bytes;
        let tag = *bytes.get(self.at)?;
        let mut at = self.at + 1;
        let (mut key, mut ordinal) = self.previous;
        match self.next.take() {
            Some(first) => (key, ordinal) = first,
            None => match get(bytes, &mut at)? {
                0 => ordinal = ordinal.wrapping_add(get(bytes, &mut at)?),
                step if step & 1 == 0 => {
                    key = key.wrapping_add(step >> 1);
                    ordinal = ordinal.wrapping_add(unzigzag(get(bytes, &mut at)?));
                }
                step => {
                    let object = (key >> 32).wrapping_add(step >> 1);
                    key = object << 32 | (get(bytes, &mut at)? & 0xffff_ffff);
                    ordinal = ordinal.wrapping_add(unzigzag(get(bytes, &mut at)?));
                }
            },
        }
        let bci = u16_at(bytes, at);
        at += 2;
        let (mut a, mut b) = (0, 0);
        match layout(tag) {
            PayloadLayout::Value(kind) => a = get_bits(kind, bytes, &mut at)?.bits,
            PayloadLayout::ValueAndWord(kind) => {
                a = get_bits(kind, bytes, &mut at)?.bits;
                b = get(bytes, &mut at)?;
            }
            PayloadLayout::Words(words) => {
                if words > 0 {
                    a = get(bytes, &mut at)?;
                }
                if words > 1 {
                    b = get(bytes, &mut at)?;
                }
            }
        }
        self.at = at;
        self.previous = (key, ordinal);
        Some(Stored { key, ordinal, a, b, bci, tag })
    }
}

/// The postings of a block in a stretch of time, as they lie in the file or as they were kept.
enum BlockPostings<'a> {
    Encoded(Block<'a>, RangeInclusive<u64>),
    Decoded { block: Arc<DecodedBlock>, places: std::vec::IntoIter<u32> },
}

impl Iterator for BlockPostings<'_> {
    type Item = Stored;

    fn next(&mut self) -> Option<Stored> {
        match self {
            BlockPostings::Encoded(block, stretch) => {
                block.find(|posting| stretch.contains(&posting.ordinal))
            }
            BlockPostings::Decoded { block, places } => {
                places.next().and_then(|at| block.postings.get(at as usize).copied())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posting::PostingKind;
    use proptest::prelude::*;
    use trace::{ObjectId, Value};

    fn any_posting() -> impl Strategy<Value = Posting> {
        let what =
            prop_oneof![
                any::<i32>().prop_map(|value| PostingKind::Written(Value::Int(value))),
                any::<u32>().prop_map(|id| PostingKind::Written(Value::Object(ObjectId(id)))),
                any::<i64>().prop_map(|value| PostingKind::Seen(Value::Long(value))),
                any::<i64>().prop_map(|value| PostingKind::Read(Value::Long(value))),
                (any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>()).prop_map(
                    |(source, from, to, length)| {
                        PostingKind::Copied { source: ObjectId(source), from, to, length }
                    }
                ),
                (any::<u32>(), any::<u32>(), any::<i32>())
                    .prop_map(|(from, to, value)| PostingKind::Filled { from, to, value: Value::Int(value) }),
                Just(PostingKind::Created),
                Just(PostingKind::Captured),
                (any::<u32>(), any::<u32>()).prop_map(|(call, part)| PostingKind::Used { call, part }),
                (any::<u32>(), any::<u32>())
                    .prop_map(|(object, place)| PostingKind::Stored(Key { object, place })),
            ];
        (0u32..6, 0u32..6, 0u64..500, any::<u16>(), any::<bool>(), what).prop_map(
            |(object, place, ordinal, bci, library, what)| Posting {
                key: Key { object: object.rotate_right(1), place },
                ordinal,
                bci,
                library,
                what,
            },
        )
    }

    proptest! {
        #[test]
        fn a_segment_answers_as_a_scan_of_its_postings_does(
            mut postings in proptest::collection::vec(any_posting(), 1..1200),
            wanted in (0u32..7, 0u32..7, 0u64..520),
        ) {
            postings.sort_by_key(|posting| posting.ordinal);
            postings.dedup_by_key(|posting| posting.ordinal);
            let stored: Vec<Stored> = postings.iter().map(Stored::from).collect();
            let mut bytes = vec![1, 2, 3];
            let row = seal(&stored, 1, 3, &mut bytes);
            let segment = Segment::new(row, &bytes).unwrap();

            let mut sorted = postings.clone();
            sorted.sort_by_key(|posting| (posting.key, posting.ordinal));
            let decoded = Blocks::default();
            prop_assert_eq!(segment.within(0, u64::MAX, &decoded).collect::<Vec<_>>(), sorted.clone());
            let key = Key { object: wanted.0.rotate_right(1), place: wanted.1 };
            let naive = sorted.iter().rfind(|posting| posting.key == key && posting.ordinal <= wanted.2);
            // Read from the bytes, decoded, and from what was kept.
            for _ in 0..3 {
                prop_assert_eq!(segment.last(key, wanted.2, &decoded), naive.copied());
            }
            let to = Key { object: key.object, place: u32::MAX };
            let naive: Vec<_> =
                sorted.iter().filter(|posting| posting.key >= key && posting.key <= to).copied().collect();
            prop_assert!(naive.is_empty() || segment.may_have(key.object));
            prop_assert_eq!(segment.range(key, to).collect::<Vec<_>>(), naive);
            let span = wanted.2..=wanted.2 + u64::from(wanted.0) * 20;
            let naive: Vec<_> =
                sorted.iter().filter(|posting| span.contains(&posting.ordinal)).copied().collect();
            for _ in 0..3 {
                let found: Vec<_> = segment.within(*span.start(), *span.end(), &decoded).collect();
                prop_assert_eq!(&found, &naive);
            }
        }

        #[test]
        fn damaged_bytes_never_panic(
            postings in proptest::collection::vec(any_posting(), 1..50),
            damage in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..20),
        ) {
            let stored: Vec<Stored> = postings.iter().map(Stored::from).collect();
            let mut bytes = Vec::new();
            let row = seal(&stored, 1, 0, &mut bytes);
            for (at, byte) in damage {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            let segment = Segment::new(row, &bytes).unwrap();
            let decoded = Blocks::default();
            let _ = segment.within(0, u64::MAX, &decoded).take(1000).count();
            for _ in 0..2 {
                let _ = segment.last(postings[0].key, 100, &decoded);
                let _ = segment.within(10, 40, &decoded).count();
            }
        }
    }
}
