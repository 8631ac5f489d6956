//! A sealed segment: the postings of a stretch of one stream, sorted by location and then by time, in blocks of 256
//! that are columns (`posting_block.rs`). Finding a location's last posting is a look at a filter, a binary search over
//! the blocks' first entries, and reading one block; so the newest segment that knows the location answers in
//! microseconds.
//!
//! Bytes: the blocks; the block list (20 bytes each: key u64, ordinal u64, offset u32); the filter; for each 64 postings in
//! order of time, the first one's ordinal u64 and where the list of their blocks is, u32; and these lists. The last two
//! find the postings of a short stretch of time without reading all blocks.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::blocks::{BlockId, Blocks, DecodedBlock};
use crate::file::{FixedRow, u32_at, u64_at};
use crate::packed::{get, put};
use crate::posting::{Key, Posting, Stored};
use crate::posting_block::{self, ColumnBuffers, POSTINGS};

const BLOCK_ENTRY: usize = 20;
/// Bits of the filter per key; all bits of one are in one line of 64 bytes, so that asking costs one access to memory.
const FILTER_BITS: u64 = 10;
const FILTER_HASHES: u32 = 4;
const FILTER_LINE: usize = 64;
/// Postings whose blocks are listed together, in order of time.
const TIME_STEP: usize = 64;
const TIME_ENTRY: usize = 12;
/// Bits of the digits that keys are sorted by, at most.
const DIGIT_BITS: u32 = 11;
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
    let order = sorted(postings);
    let posting = |at: u32| &postings[at as usize];
    out.reserve(postings.len() * 6);
    let start = out.len();
    let mut blocks = Vec::with_capacity(postings.len() / POSTINGS * BLOCK_ENTRY);
    let mut block_of = vec![0u16; postings.len()];
    let mut keys: Vec<u64> = Vec::with_capacity(postings.len());
    let mut buffers = ColumnBuffers::default();
    for (number, part) in order.chunks(POSTINGS).enumerate() {
        let first = posting(part[0]);
        blocks.extend_from_slice(&first.key.to_le_bytes());
        blocks.extend_from_slice(&first.ordinal.to_le_bytes());
        blocks.extend_from_slice(&((out.len() - start) as u32).to_le_bytes());
        for &at in part {
            block_of[at as usize] = number as u16;
            let key = posting(at).key;
            if keys.last() != Some(&key) {
                keys.push(key);
            }
        }
        posting_block::write(part.iter().map(|&at| posting(at)), &mut buffers, out);
    }
    let blocks_at = (out.len() - start) as u32;
    out.extend_from_slice(&blocks);
    let filter_at = (out.len() - start) as u32;
    let lines = (keys.len() as u64 * FILTER_BITS).div_ceil(FILTER_LINE as u64 * 8).max(1) as usize;
    let filter = out.len();
    out.resize(filter + lines * FILTER_LINE, 0);
    for &key in &keys {
        let (line, bits) = filter_place(key, lines);
        for bit in bits {
            out[filter + line * FILTER_LINE + bit / 8] |= 1 << (bit % 8);
        }
    }
    let times_at = (out.len() - start) as u32;
    // They come in the order of time, nearly: those of an object that was named late are behind.
    let mut by_time: Vec<u32> = (0..postings.len() as u32).collect();
    if !postings.is_sorted_by_key(|posting| posting.ordinal) {
        by_time.sort_by_key(|&at| posting(at).ordinal);
    }
    write_times(&by_time, postings, &block_of, out);
    SegmentRow {
        stream,
        postings: postings.len() as u32,
        first: by_time.first().map_or(0, |&at| posting(at).ordinal),
        last: by_time.last().map_or(0, |&at| posting(at).ordinal),
        offset,
        blocks_at,
        filter_at,
        times_at,
        length: (out.len() - start) as u32,
        newest: order.last().map_or(0, |&at| Key::unpacked(posting(at).key).object),
    }
}

/// Where the postings are in order of key and time. Nearly always those of a key come in the order of time, and then it is
/// enough to keep it.
fn sorted(postings: &[Stored]) -> Vec<u32> {
    let mut order = by_key(postings);
    let rank = |at: &u32| (postings[*at as usize].key, postings[*at as usize].ordinal);
    if !order.is_sorted_by_key(rank) {
        order.sort_by_key(rank);
    }
    order
}

/// Where the postings are in order of key, and among those of a key as they come.
fn by_key(postings: &[Stored]) -> Vec<u32> {
    let first = postings.first().map_or(0, |posting| posting.key);
    let differ = postings.iter().fold(0, |bits, posting| bits | (posting.key ^ first));
    let place_bits = postings.len().next_power_of_two().trailing_zeros();
    // Keys of one segment differ in few bits: these, and behind them where the posting is, fit a word.
    let Some(runs) = runs(differ, place_bits) else {
        let mut order: Vec<u32> = (0..postings.len() as u32).collect();
        order.sort_by_key(|&at| postings[at as usize].key);
        return order;
    };
    let word = |(at, posting): (usize, &Stored)| {
        let part = |run: &Run| (posting.key >> run.from & run.mask) << run.to;
        runs.iter().map(part).fold(at as u64, |word, part| word | part)
    };
    let mut list: Vec<u64> = postings.iter().enumerate().map(word).collect();
    let mut other = vec![0; list.len()];
    // Digit by digit, from the lowest on, which keeps the order of equal keys.
    let end = runs.last().map_or(place_bits, |run| run.to + run.mask.count_ones());
    let passes = (end - place_bits).div_ceil(DIGIT_BITS);
    let bits = (end - place_bits).div_ceil(passes.max(1));
    for pass in 0..passes {
        let digit = |word: u64| (word >> (place_bits + pass * bits)) as usize & ((1 << bits) - 1);
        let mut places = [0u32; 1 << DIGIT_BITS];
        list.iter().for_each(|&word| places[digit(word)] += 1);
        let mut sum = 0;
        for place in &mut places {
            sum += std::mem::replace(place, sum);
        }
        for &word in &list {
            let place = &mut places[digit(word)];
            other[*place as usize] = word;
            *place += 1;
        }
        std::mem::swap(&mut list, &mut other);
    }
    let mask = (1u64 << place_bits) - 1;
    list.into_iter().map(|word| (word & mask) as u32).collect()
}

/// Bits that are next to each other, and where they go.
struct Run {
    from: u32,
    mask: u64,
    to: u32,
}

/// The bits of `differ`, one behind the other from bit `to` on; none if they have no room. A few others may be among them.
fn runs(mut differ: u64, mut to: u32) -> Option<Vec<Run>> {
    // So many bits alike between two others are taken for the price of not having more runs.
    const GAP: u32 = 4;
    let mut runs = Vec::new();
    let mut at = 0;
    while differ != 0 {
        let zeros = differ.trailing_zeros();
        (differ, at) = (differ >> zeros, at + zeros);
        let mut length = 0;
        while differ.checked_shr(length).is_some_and(|left| left & ((1 << GAP) - 1) != 0) {
            length += 1;
        }
        let mask = u64::MAX >> (64 - length);
        runs.push(Run { from: at, mask, to });
        to += length;
        differ = differ.checked_shr(length).unwrap_or(0);
        at += length;
    }
    (to <= 64).then_some(runs)
}

fn write_times(by_time: &[u32], postings: &[Stored], block_of: &[u16], out: &mut Vec<u8>) {
    let mut lists = Vec::new();
    // A bit per block: nothing needs to be sorted.
    let mut own = vec![0u64; (1 << 16) / 64];
    for part in by_time.chunks(TIME_STEP) {
        out.extend_from_slice(&postings[part[0] as usize].ordinal.to_le_bytes());
        out.extend_from_slice(&(lists.len() as u32).to_le_bytes());
        let (mut first, mut last, mut count) = (usize::MAX, 0, 0);
        for &at in part {
            let block = usize::from(block_of[at as usize]);
            let (word, bit) = (block / 64, 1 << (block % 64));
            count += u64::from(own[word] & bit == 0);
            own[word] |= bit;
            (first, last) = (first.min(word), last.max(word));
        }
        put(&mut lists, count);
        let mut before = 0;
        for (at, word) in own.iter_mut().enumerate().take(last + 1).skip(first) {
            while *word != 0 {
                let block = at as u64 * 64 + u64::from(word.trailing_zeros());
                put(&mut lists, block - before);
                before = block;
                *word &= *word - 1;
            }
        }
    }
    out.extend_from_slice(&lists);
}

/// The line of the filter that a key is in, and its bits there.
fn filter_place(key: u64, lines: usize) -> (usize, impl Iterator<Item = usize>) {
    let mut hash = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    let line = ((hash >> 36) as usize) % lines;
    (line, (0..FILTER_HASHES).map(move |at| (hash >> (at * 9)) as usize & (FILTER_LINE * 8 - 1)))
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

    /// May the segment have postings of this key?
    pub fn has(&self, key: Key) -> bool {
        self.filter(key.packed())
    }

    #[inline]
    fn filter(&self, key: u64) -> bool {
        let filter = &self.bytes[self.row.filter_at as usize..self.row.times_at as usize];
        let (line, mut bits) = filter_place(key, filter.len() / FILTER_LINE);
        let line = &filter[line * FILTER_LINE..(line + 1) * FILTER_LINE];
        bits.all(|bit| line[bit / 8] & 1 << (bit % 8) != 0)
    }

    /// The key's latest posting with an ordinal of at most `until`.
    pub fn last(&self, key: Key, until: u64, decoded: &Blocks<DecodedBlock>) -> Option<Posting> {
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
        let found = self.block(block).take_while(|posting| (posting.key, posting.ordinal) <= wanted).last();
        found.filter(|found| found.key == key.packed()).map(|found| Posting::from(&found))
    }

    /// All postings of a key, in order of time.
    pub fn of_key(self, key: Key) -> impl Iterator<Item = Posting> + 'a {
        self.range(key.packed(), key.packed())
    }

    /// All postings of an object, in order of key and time.
    pub fn of_object(self, object: u32) -> impl Iterator<Item = Posting> + 'a {
        let first = u64::from(object) << 32;
        self.range(first, first | u64::from(u32::MAX))
    }

    fn range(self, from: u64, to: u64) -> impl Iterator<Item = Posting> + 'a {
        // Of a key that begins a block, the block before may have some.
        let first = self.blocks_before((from, 0)).saturating_sub(1);
        (first..self.block_count())
            .take_while(move |&block| self.first_key(block) <= to)
            .flat_map(move |block| self.block(block))
            .skip_while(move |posting| posting.key < from)
            .take_while(move |posting| posting.key <= to)
            .map(|posting| Posting::from(&posting))
    }

    /// All postings with ordinals in `from..=to`, in order of key and time.
    pub fn within(
        self,
        from: u64,
        to: u64,
        decoded: &'a Blocks<DecodedBlock>,
    ) -> impl Iterator<Item = Posting> + 'a {
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
                None => BlockPostings::Encoded(Box::new(self.block(block)), from..=to),
            })
            .map(|posting| Posting::from(&posting))
    }

    fn decoded(&self, block: usize, decoded: &Blocks<DecodedBlock>) -> Option<Arc<DecodedBlock>> {
        decoded.get(BlockId { segment: self.row.offset, block }, || {
            Some(DecodedBlock::new(self.block(block).collect()))
        })
    }

    /// The blocks that have postings of a stretch of time, ascending.
    fn blocks_within(&self, from: u64, to: u64) -> Vec<usize> {
        let steps = (self.row.postings as usize).div_ceil(TIME_STEP);
        let times = &self.bytes[self.row.times_at as usize..];
        let Some((times, lists)) = times.split_at_checked(steps * TIME_ENTRY) else { return Vec::new() };
        let ordinal = |at: usize| u64_at(times, at * TIME_ENTRY);
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
        let first = steps_before(from.saturating_sub(1)).saturating_sub(1);
        let mut blocks = Vec::new();
        for step in first..steps_before(to) {
            let mut at = u32_at(times, step * TIME_ENTRY + 8) as usize;
            let count = get(lists, &mut at).unwrap_or(0).min(TIME_STEP as u64);
            let mut block = 0usize;
            for _ in 0..count {
                let Some(way) = get(lists, &mut at) else { break };
                block = block.saturating_add(way as usize);
                blocks.push(block);
            }
        }
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

    fn first_key(&self, block: usize) -> u64 {
        u64_at(self.bytes, self.row.blocks_at as usize + block * BLOCK_ENTRY)
    }

    fn block(self, number: usize) -> posting_block::Postings<'a> {
        let entry = self.row.blocks_at as usize + number * BLOCK_ENTRY;
        let first = (u64_at(self.bytes, entry), u64_at(self.bytes, entry + 8));
        let offset = u32_at(self.bytes, entry + 16) as usize;
        let count = (self.row.postings as usize).saturating_sub(number * POSTINGS).min(POSTINGS);
        let bytes = self.bytes.get(..self.row.blocks_at as usize).and_then(|bytes| bytes.get(offset..));
        posting_block::read(bytes.unwrap_or(&[]), first, count).unwrap_or_default()
    }
}

/// The postings of a block in a stretch of time, as they lie in the file or as they were kept.
enum BlockPostings<'a> {
    Encoded(Box<posting_block::Postings<'a>>, RangeInclusive<u64>),
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
        fn postings_are_sorted_by_key_whatever_bits_differ(
            masks in proptest::collection::vec(any::<u64>(), 1..4),
            keys in proptest::collection::vec(any::<u64>(), 1..300),
        ) {
            let mask = masks.iter().fold(u64::MAX, |all, mask| all & mask);
            let stored = |&key: &u64| Stored { key: key & mask, ordinal: 0, a: 0, b: 0, bci: 0, tag: 0 };
            let postings: Vec<Stored> = keys.iter().map(stored).collect();
            let mut naive: Vec<u32> = (0..postings.len() as u32).collect();
            naive.sort_by_key(|&at| postings[at as usize].key);
            prop_assert_eq!(by_key(&postings), naive);
        }

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
            sorted.sort_by_key(|posting| (posting.key.packed(), posting.ordinal));
            let decoded = Blocks::default();
            prop_assert_eq!(segment.within(0, u64::MAX, &decoded).collect::<Vec<_>>(), sorted.clone());
            let key = Key { object: wanted.0.rotate_right(1), place: wanted.1 };
            let naive = sorted.iter().rfind(|posting| posting.key == key && posting.ordinal <= wanted.2);
            // Read from the bytes, decoded, and from what was kept.
            for _ in 0..3 {
                prop_assert_eq!(segment.last(key, wanted.2, &decoded), naive.copied());
            }
            let naive: Vec<_> =
                sorted.iter().filter(|posting| posting.key.object == key.object).copied().collect();
            prop_assert_eq!(segment.of_object(key.object).collect::<Vec<_>>(), naive);
            let naive: Vec<_> = sorted.iter().filter(|posting| posting.key == key).copied().collect();
            prop_assert!(naive.is_empty() || segment.has(key));
            prop_assert_eq!(segment.of_key(key).collect::<Vec<_>>(), naive);
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
