//! Looking up postings: the last one of a location at a time, all of a location or an object in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Peekable;
use std::sync::{MutexGuard, PoisonError};

use base::{FieldId, ObjectId, Position, StreamId, Time, Value};

use super::{Index, REMEMBERED, Remembered, Span, TimedPosting};
use crate::file::{u64_at, uint_at};
use crate::packed::Packed;
use crate::posting::{Key, Posting, PostingKind};
use crate::segment::Segment;

impl Index {
    /// The latest posting of a key at a time, the event of that time included. Of a part of a recording, what is behind a gap
    /// is not the latest any more.
    pub fn last(&self, key: Key, time: Time) -> Option<TimedPosting> {
        let found = self.last_ever(key, time);
        match self.islands.is_empty() {
            true => found,
            false => found.filter(|found| found.time.0 >= self.island(time).start),
        }
    }

    fn last_ever(&self, key: Key, time: Time) -> Option<TimedPosting> {
        if key.is_ranges() && !self.is_ranged(ObjectId(key.object)) {
            return None;
        }
        let known = self.remembered().get(&key).copied();
        let found = match known {
            // Between a posting and a later time at which it was still the last, it is the last.
            Some((found, until)) if time <= until && found.is_none_or(|found| found.time <= time) => {
                return found;
            }
            Some((found, until)) if time > until => self.last_after(key, Some(until), time).or(found),
            _ => self.last_after(key, None, time),
        };
        let mut remembered = self.remembered();
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(key, (found, time));
        found
    }

    fn is_ranged(&self, array: ObjectId) -> bool {
        let word = self.ranged.get(array.number() as usize / 64).unwrap_or(0);
        word >> (array.number() % 64) & 1 == 1
    }

    /// Was something read from a field of some object that no recorded write had put there?
    pub fn is_read_unwritten(&self, field: FieldId) -> bool {
        self.read_fields.contains(&field.0)
    }

    pub(super) fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The latest posting of a key at a time, if it is after another time.
    fn last_after(&self, key: Key, after: Option<Time>, time: Time) -> Option<TimedPosting> {
        let mut best: Option<TimedPosting> = None;
        for &Span { first, last, stream } in &self.latest {
            if best.is_some_and(|best| best.time > last) || after.is_some_and(|after| after >= last) {
                break;
            }
            if first > time {
                continue;
            }
            let Some(until) = self.order.happened(stream, time).checked_sub(1) else { continue };
            let from = after.map_or(0, |after| self.order.happened(stream, after));
            if from > until {
                continue;
            }
            let newest = self.last_in_stream(key, stream, from, until);
            let found = newest.and_then(|posting| self.found(stream, posting));
            if found.is_some_and(|found| best.is_none_or(|best| found.time > best.time)) {
                best = found;
            }
        }
        best
    }

    /// The postings of a key in order of time, after a time or from the beginning. Nothing is read before it is asked
    /// for: a location may have been written ten million times.
    pub fn all(&self, key: Key, after: Option<Time>) -> impl Iterator<Item = TimedPosting> + '_ {
        self.merged(key, key, after)
    }

    /// The postings of an object, of all its locations and lists, in order of time.
    pub fn of_object(&self, object: ObjectId) -> impl Iterator<Item = TimedPosting> + '_ {
        self.of_object_since(object, None)
    }

    /// The same, after a time.
    pub fn of_object_since(
        &self,
        object: ObjectId,
        after: Option<Time>,
    ) -> impl Iterator<Item = TimedPosting> + '_ {
        let key = |place| Key { object: object.0, place };
        self.merged(key(0), key(u32::MAX), after)
    }

    /// The last postings of an object before a time, at least `count` if there are so many, in order of time.
    pub fn of_object_before(&self, object: ObjectId, before: Time, count: usize) -> Vec<TimedPosting> {
        let Some(until) = before.0.checked_sub(1).map(Time) else { return Vec::new() };
        let mut list = Vec::new();
        for &stream in self.streams.keys() {
            let segments = self.segments.get(&stream).map_or(&[][..], Vec::as_slice);
            let end = self.order.happened(stream, until);
            let mut own = self.uses_before(stream, object, end, count);
            // Once there are enough, only what reaches behind the first of them can matter.
            let mut first = 0;
            for segment in segments.iter().rev().filter(|segment| segment.row.first < end) {
                if segment.reach < first || segment.newest < object.0 {
                    break;
                }
                let Some(part) = Segment::new(segment.row, self.postings.get()) else { continue };
                own.extend(part.of_object(object.0).filter(|posting| posting.ordinal < end));
                if own.len() >= count && count > 0 {
                    own.sort_by_key(|posting| posting.ordinal);
                    own.drain(..own.len() - count);
                    first = own[0].ordinal;
                }
            }
            list.extend(own.into_iter().filter_map(|posting| self.found(stream, posting)));
        }
        let known = self.island(until).start;
        list.retain(|found| found.time.0 >= known);
        list.sort_by_key(|found| found.time);
        list.drain(..list.len().saturating_sub(count));
        list
    }

    /// The latest posting of a key among the events `from..=until` of one stream.
    pub fn last_within(&self, key: Key, stream: StreamId, from: u64, until: u64) -> Option<TimedPosting> {
        if key.is_ranges() && !self.is_ranged(ObjectId(key.object)) {
            return None;
        }
        let newest = self.last_in_stream(key, stream, from, until);
        newest.and_then(|posting| self.found(stream, posting))
    }

    fn last_in_stream(&self, key: Key, stream: StreamId, from: u64, until: u64) -> Option<Posting> {
        let segments = self.segments.get(&stream).map_or(&[][..], Vec::as_slice);
        let begun = segments.partition_point(|segment| segment.begin <= until);
        let newest = segments[..begun]
            .iter()
            .rev()
            .take_while(|segment| segment.reach >= from && segment.newest >= key.object)
            .filter_map(|segment| Segment::new(segment.row, self.postings.get()))
            .find_map(|segment| segment.last(key, until, &self.blocks));
        let newest = newest.filter(|posting| posting.ordinal >= from);
        if !key.is_uses() {
            return newest;
        }
        let from = newest.map_or(from, |newest| newest.ordinal);
        self.last_use(stream, ObjectId(key.object), from, until).or(newest)
    }

    /// All postings of a stream in order of time, without what calls used.
    pub fn of_stream(&self, stream: StreamId) -> impl Iterator<Item = TimedPosting> + '_ {
        let segments = self.segments.get(&stream).map_or(&[][..], Vec::as_slice);
        segments.iter().filter_map(|segment| Segment::new(segment.row, self.postings.get())).flat_map(
            move |segment| {
                let mut list: Vec<Posting> = segment.within(0, u64::MAX, &self.blocks).collect();
                list.sort_by_key(|posting| posting.ordinal);
                list.into_iter().filter_map(move |posting| self.found(stream, posting))
            },
        )
    }

    /// The postings of keys in order of time. A stream is looked at when the time comes at which it begins. After a time, those
    /// that follow it without a gap.
    fn merged(&self, from: Key, to: Key, after: Option<Time>) -> impl Iterator<Item = TimedPosting> + '_ {
        let end = after.map_or(u64::MAX, |after| self.island(after).end);
        let wanted = move |span: &&Span| after.is_none_or(|after| span.last > after);
        let mut begin = self.earliest.iter().filter(wanted).peekable();
        let mut sources: Vec<Peekable<Box<dyn Iterator<Item = TimedPosting> + '_>>> = Vec::new();
        let mut next: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
        let found = std::iter::from_fn(move || {
            while let Some(&Span { stream, .. }) =
                begin.next_if(|span| next.peek().is_none_or(|Reverse((time, _))| span.first <= *time))
            {
                let own: Box<dyn Iterator<Item = _>> = Box::new(self.in_stream(stream, from, to, after));
                let first = after.map_or(0, |after| self.order.happened(stream, after));
                let uses = (to.is_uses() && to.object != 0).then(|| -> Box<dyn Iterator<Item = _>> {
                    let uses = self.uses_from(stream, ObjectId(to.object), first);
                    Box::new(uses.filter_map(move |posting| self.found(stream, posting)))
                });
                for source in [Some(own), uses].into_iter().flatten() {
                    let mut source = source.peekable();
                    if let Some(first) = source.peek() {
                        next.push(Reverse((first.time, sources.len())));
                        sources.push(source);
                    }
                }
            }
            let Reverse((_, at)) = next.pop()?;
            let found = sources[at].next();
            if let Some(following) = sources[at].peek() {
                next.push(Reverse((following.time, at)));
            }
            found
        });
        found.take_while(move |found| found.time.0 < end)
    }

    /// The postings of keys in one stream. Segments follow each other in time; one is sorted when it is reached.
    fn in_stream(
        &self,
        stream: StreamId,
        from: Key,
        to: Key,
        after: Option<Time>,
    ) -> impl Iterator<Item = TimedPosting> + '_ {
        let first = after.map_or(0, |after| self.order.happened(stream, after));
        let segments = self.segments.get(&stream).map_or(&[][..], Vec::as_slice);
        let known = segments.partition_point(|segment| segment.newest < from.object);
        let wanted = segments[known..].iter().filter(move |segment| segment.row.last >= first);
        wanted.filter_map(|segment| Segment::new(segment.row, self.postings.get())).flat_map(move |segment| {
            let mut list: Vec<Posting> = match from == to {
                true if !segment.has(from) => Vec::new(),
                true => segment.of_key(from).filter(|posting| posting.ordinal >= first).collect(),
                false => segment.of_object(from.object).filter(|posting| posting.ordinal >= first).collect(),
            };
            list.sort_by_key(|posting| posting.ordinal);
            list.into_iter().filter_map(move |posting| self.found(stream, posting))
        })
    }

    /// All postings of one stream's events `from..=to`, segment by segment, each in order of key; then what calls used.
    pub fn within(&self, stream: StreamId, from: u64, to: u64) -> impl Iterator<Item = Posting> + '_ {
        let uses = std::iter::once_with(move || self.uses_within(stream, from, to)).flatten();
        self.changes_within(stream, from, to).chain(uses)
    }

    /// The same without what calls used, which takes a look at each of them.
    pub fn changes_within(&self, stream: StreamId, from: u64, to: u64) -> impl Iterator<Item = Posting> + '_ {
        let segments = self.segments.get(&stream).map_or(&[][..], Vec::as_slice);
        segments
            .iter()
            .map(|segment| segment.row)
            .filter(move |row| row.first <= to && row.last >= from)
            .filter_map(|row| Segment::new(row, self.postings.get()))
            .flat_map(move |segment| segment.within(from, to, &self.blocks))
            .map(move |posting| self.resolved_posting(stream, posting))
    }

    /// Element `index` of contents that were seen.
    pub fn content(&self, stream: StreamId, what: PostingKind, index: u32) -> Option<Value> {
        let PostingKind::SeenRange { at, from, count, .. } = what else { return None };
        let offset = index.checked_sub(from).filter(|&offset| offset < count)? as usize;
        let bytes = self.contents.get().get(usize::try_from(at).ok()?..)?;
        let kind = *bytes.first()?;
        if kind == b'L' {
            let entry = 1 + offset * 9;
            let packed = Packed { kind: *bytes.get(entry)? & 0xf, bits: u64_at(bytes, entry + 1) };
            return Some(self.resolved(stream, Value::from(packed)));
        }
        let size = trace::record::element_size(kind)?;
        let bits = uint_at(bytes, 1 + offset * size, size);
        Some(match kind {
            b'J' => Value::Long(bits as i64),
            b'D' => Value::Double(f64::from_bits(bits)),
            b'F' => Value::Float(f32::from_bits(bits as u32)),
            b'B' => Value::Int(i32::from(bits as i8)),
            b'S' => Value::Int(i32::from(bits as i16)),
            _ => Value::Int(bits as u32 as i32),
        })
    }

    fn found(&self, stream: StreamId, posting: Posting) -> Option<TimedPosting> {
        let position = Position { stream, ordinal: posting.ordinal };
        let time = self.order.time(position)?;
        Some(TimedPosting { time, position, posting: self.resolved_posting(stream, posting) })
    }

    fn resolved_posting(&self, stream: StreamId, mut posting: Posting) -> Posting {
        posting.what = match posting.what {
            PostingKind::Written(value) => PostingKind::Written(self.resolved(stream, value)),
            PostingKind::Seen(value) => PostingKind::Seen(self.resolved(stream, value)),
            PostingKind::Read(value) => PostingKind::Read(self.resolved(stream, value)),
            PostingKind::Filled { from, to, value } => {
                PostingKind::Filled { from, to, value: self.resolved(stream, value) }
            }
            what => what,
        };
        posting
    }
}
