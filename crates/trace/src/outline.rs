//! What the tables say of streams without any of them being read: when each ran, what failed in it, and which stream defines
//! an object or a string. With that a few streams of a large recording can be read by themselves.

use std::collections::{BTreeMap, HashMap};

use crate::ids::{MethodId, ObjectId, StreamId, StringId, TypeId};
use crate::tables::{FailedRecord, MarkRecord, NumbersRecord, mark, numbered};

#[derive(Default)]
pub struct Outline {
    /// By first number: the first number behind, and whose they are. One entry ends where the next begins.
    numbers: [BTreeMap<u32, (u32, StreamId)>; 3],
    enum_names: HashMap<(TypeId, u16), StreamId>,
    spans: BTreeMap<StreamId, Span>,
    failed: Vec<FailedCall>,
}

/// From where to where a stream's ordering points are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    /// All are above.
    begin: u64,
    /// None is above.
    end: u64,
}

/// An outermost call that ended by an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedCall {
    pub stream: StreamId,
    /// None if the tables do not say it.
    pub method: Option<MethodId>,
    /// The exception's type.
    pub exception: TypeId,
}

impl Outline {
    pub(crate) fn add_numbers(&mut self, record: &NumbersRecord) {
        let NumbersRecord { stream, kind, first, end } = *record;
        if kind == numbered::ENUM_NAMES {
            // The first to see a constant names it.
            self.enum_names.entry((TypeId(first), end as u16)).or_insert(stream);
        } else if let Some(numbers) = self.numbers.get_mut(usize::from(kind)) {
            numbers.insert(first, (end, stream));
        }
    }

    pub(crate) fn add_mark(&mut self, record: &MarkRecord) {
        let span = self.spans.entry(record.stream).or_insert(Span { begin: 0, end: u64::MAX });
        match record.what {
            mark::BEGINS => span.begin = record.ordering,
            mark::ENDS => span.end = record.ordering,
            _ => {}
        }
    }

    pub(crate) fn add_failed(&mut self, record: &FailedRecord) {
        let method = Some(record.method).filter(|&method| method != MethodId(u32::MAX));
        self.failed.push(FailedCall { stream: record.stream, method, exception: record.ty });
    }

    /// Streams that nobody said the end of.
    pub(crate) fn unended(&self) -> Vec<StreamId> {
        self.spans.iter().filter(|(_, span)| span.end == u64::MAX).map(|(&stream, _)| stream).collect()
    }

    /// The last ordering point of a stream.
    pub(crate) fn end_at(&mut self, stream: StreamId, ordering: u64) {
        if let Some(span) = self.spans.get_mut(&stream) {
            span.end = ordering.max(span.begin);
        }
    }

    /// Do the tables say when streams ran? Those of older recordings do not.
    pub fn is_known(&self) -> bool {
        !self.spans.is_empty()
    }

    /// Outermost calls that ended by an exception, as they came. A stream in which very many did may have more.
    pub fn failed(&self) -> &[FailedCall] {
        &self.failed
    }

    /// The streams in groups: those of one group may have run at the same time as another of it, those of different groups
    /// did not, and one group was over before the next began. In order of time.
    pub fn islands(&self, streams: impl Iterator<Item = StreamId>) -> Vec<Vec<StreamId>> {
        let span = |stream| self.spans.get(&stream).copied().unwrap_or(Span { begin: 0, end: u64::MAX });
        let mut spans: Vec<(Span, StreamId)> = streams.map(|stream| (span(stream), stream)).collect();
        spans.sort_by_key(|(span, stream)| (span.begin, *stream));
        let mut islands: Vec<Vec<StreamId>> = Vec::new();
        let mut reached = 0;
        for (span, stream) in spans {
            match islands.last_mut() {
                Some(island) if span.begin < reached => island.push(stream),
                _ => islands.push(vec![stream]),
            }
            reached = reached.max(span.end);
        }
        islands
    }

    /// How many objects and strings have numbers, about.
    pub(crate) fn numbered(&self) -> (u64, u64) {
        let count = |kind: u8| {
            let mut reached = 0;
            let own = |(&first, &(end, _)): (&u32, &(u32, StreamId))| {
                let first = first.max(reached);
                reached = reached.max(end);
                u64::from(end.saturating_sub(first))
            };
            self.numbers[usize::from(kind)].iter().map(own).sum::<u64>()
        };
        (count(numbered::PROGRAM) + count(numbered::LIBRARY), count(numbered::STRINGS))
    }

    /// Which stream says what an object is.
    pub(crate) fn definer(&self, object: ObjectId) -> Option<StreamId> {
        let kind = if object.is_program() { numbered::PROGRAM } else { numbered::LIBRARY };
        self.owner(kind, object.number())
    }

    /// Which stream has a string's content. None for those in the tables, too.
    pub(crate) fn string_definer(&self, string: StringId) -> Option<StreamId> {
        self.owner(numbered::STRINGS, string.0)
    }

    pub(crate) fn enum_definer(&self, ty: TypeId, ordinal: u16) -> Option<StreamId> {
        self.enum_names.get(&(ty, ordinal)).copied()
    }

    fn owner(&self, kind: u8, number: u32) -> Option<StreamId> {
        let (_, &(end, stream)) = self.numbers.get(usize::from(kind))?.range(..=number).next_back()?;
        (number < end).then_some(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(spans: &[(u32, u64, Option<u64>)]) -> Outline {
        let mut outline = Outline::default();
        for &(stream, begin, end) in spans {
            let stream = StreamId(stream);
            outline.add_mark(&MarkRecord { stream, what: mark::BEGINS, ordering: begin });
            if let Some(ordering) = end {
                outline.add_mark(&MarkRecord { stream, what: mark::ENDS, ordering });
            }
        }
        outline
    }

    #[test]
    fn streams_that_may_have_met_are_one_island() {
        let outline =
            marked(&[(1, 0, Some(5)), (2, 5, Some(9)), (3, 7, Some(12)), (4, 12, Some(12)), (5, 12, None)]);
        let islands = outline.islands((1..=6).map(StreamId));
        let together = [1, 6, 2, 3, 4, 5].map(StreamId).to_vec();
        assert_eq!(islands, [together], "nobody knows when stream 6 ran");
        let islands = outline.islands((1..=5).map(StreamId));
        assert_eq!(
            islands,
            [vec![StreamId(1)], vec![StreamId(2), StreamId(3)], vec![StreamId(4)], vec![StreamId(5)]]
        );
        let (outline, all) = (marked(&[(1, 0, None), (2, 5, Some(9))]), (1..=2).map(StreamId));
        assert_eq!(outline.islands(all).len(), 1, "what never ended may have met everything since");
    }

    #[test]
    fn a_number_is_defined_where_the_rest_of_its_block_was_given() {
        let mut outline = Outline::default();
        let mut add = |stream, kind, first, end| {
            outline.add_numbers(&NumbersRecord { stream: StreamId(stream), kind, first, end });
        };
        add(1, numbered::LIBRARY, 1024, 2048);
        add(2, numbered::LIBRARY, 4096, 5120);
        // A thread's stream was followed by two others, the first of which defined nothing.
        add(3, numbered::LIBRARY, 1300, 2048);
        add(4, numbered::LIBRARY, 1300, 2048);
        add(4, numbered::ENUM_NAMES, 9, 3);
        add(5, numbered::ENUM_NAMES, 9, 3);
        let definer = |number| outline.definer(ObjectId(number)).map(|stream| stream.0);
        assert_eq!(
            [1023, 1024, 1299, 1300, 2047, 2048, 4096, 5120].map(definer),
            [None, Some(1), Some(1), Some(4), Some(4), None, Some(2), None]
        );
        assert_eq!(
            outline.definer(ObjectId(1024 | 1 << 31)),
            None,
            "the program's are numbered by themselves"
        );
        assert_eq!(outline.enum_definer(TypeId(9), 3), Some(StreamId(4)));
    }
}
