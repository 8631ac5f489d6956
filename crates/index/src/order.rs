//! One order of all events of all threads. Every ordering point has a number of a recording-wide counter; between
//! two of them a thread's events are a stretch, and stretches are put one after the other by the number they begin
//! with. What a thread did before it released a lock has smaller numbers than what another did after it got the lock,
//! so the order respects happens-before. A time is the position of an event in this order.
//!
//! Neighbouring stretches of one thread are one *turn*: a program with a single thread has a single turn, and its
//! times are simply the numbers of its events.

use std::collections::BTreeMap;
use std::path::Path;

use base::{Position, StreamId, Time};

use crate::error::Result;
use crate::file::{FixedRow, RowFile, u32_at, u64_at, write_rows};

/// Where the stretches of one stream begin. Points whose number follows directly on the one before are left out:
/// no other thread can have anything between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    /// (number, ordinal), both ascending.
    list: Vec<(u64, u64)>,
    last: u64,
}

impl Points {
    pub fn add(&mut self, number: u64, ordinal: u64) {
        let follows = !self.list.is_empty() && number <= self.last + 1;
        self.last = self.last.max(number);
        if self.list.is_empty() {
            self.list.push((number, 0));
        } else if !follows {
            self.list.push((number, ordinal));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub start: u64,
    pub ordinal: u64,
    pub stream: u32,
}

impl FixedRow for Turn {
    const SIZE: usize = 20;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.start.to_le_bytes());
        out.extend_from_slice(&self.ordinal.to_le_bytes());
        out.extend_from_slice(&self.stream.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        Turn { start: u64_at(bytes, 0), ordinal: u64_at(bytes, 8), stream: u32_at(bytes, 16) }
    }
}

/// The turns of all streams in order, from their points and how many events each has.
pub(crate) fn turns<'a>(streams: impl Iterator<Item = (StreamId, &'a Points, u64)>) -> Vec<Turn> {
    let mut stretches = Vec::new();
    for (stream, points, events) in streams {
        // A stream without any point (a damaged one) comes first.
        let none = [(0, 0)];
        let list = if points.list.is_empty() { &none[..] } else { &points.list[..] };
        for (at, &(number, ordinal)) in list.iter().enumerate() {
            let end = list.get(at + 1).map_or(events, |&(_, next)| next.min(events));
            if end > ordinal {
                stretches.push((number, stream.0, ordinal, end - ordinal));
            }
        }
    }
    stretches.sort_unstable();
    let mut turns: Vec<Turn> = Vec::new();
    let mut start = 0;
    for (_, stream, ordinal, events) in stretches {
        if turns.last().is_none_or(|turn| turn.stream != stream) {
            turns.push(Turn { start, ordinal, stream });
        }
        start += events;
    }
    turns
}

pub(crate) fn write(dir: &Path, turns: Vec<Turn>) -> Result<()> {
    let mut by_stream = turns.clone();
    write_rows(dir.join("turns"), turns)?;
    by_stream.sort_by_key(|turn| (turn.stream, turn.start));
    write_rows(dir.join("turns-by-stream"), by_stream)
}

/// The order, mapped.
pub(crate) struct Order {
    turns: RowFile<Turn>,
    by_stream: RowFile<Turn>,
    /// Where a stream's turns are in `by_stream`, and how many events it has.
    streams: BTreeMap<StreamId, (usize, usize, u64)>,
    events: u64,
}

impl Order {
    pub fn open(dir: &Path, events: impl Iterator<Item = (StreamId, u64)>) -> Result<Order> {
        let turns = RowFile::open(&dir.join("turns"))?;
        let by_stream: RowFile<Turn> = RowFile::open(&dir.join("turns-by-stream"))?;
        let mut streams = BTreeMap::new();
        let mut all = 0;
        for (stream, events) in events {
            let from = by_stream.partition_point(0, by_stream.len(), |turn| turn.stream < stream.0);
            let to = by_stream.partition_point(from, by_stream.len(), |turn| turn.stream <= stream.0);
            streams.insert(stream, (from, to, events));
            all += events;
        }
        Ok(Order { turns, by_stream, streams, events: all })
    }

    /// How many events there are: times are below.
    pub fn events(&self) -> u64 {
        self.events
    }

    pub fn time(&self, position: Position) -> Option<Time> {
        let &(from, to, events) = self.streams.get(&position.stream)?;
        if position.ordinal >= events {
            return None;
        }
        let after = self.by_stream.partition_point(from, to, |turn| turn.ordinal <= position.ordinal);
        let turn = self.by_stream.get(after.checked_sub(1).filter(|&at| at >= from)?)?;
        Some(Time(turn.start + (position.ordinal - turn.ordinal)))
    }

    pub fn position(&self, time: Time) -> Option<Position> {
        if time.0 >= self.events {
            return None;
        }
        let after = self.turns.partition_point(0, self.turns.len(), |turn| turn.start <= time.0);
        let turn = self.turns.get(after.checked_sub(1)?)?;
        Some(Position { stream: StreamId(turn.stream), ordinal: turn.ordinal + (time.0 - turn.start) })
    }

    /// How many events of a stream have happened at a time, its own included.
    pub fn happened(&self, stream: StreamId, time: Time) -> u64 {
        let Some(&(from, to, events)) = self.streams.get(&stream) else { return 0 };
        let after = self.by_stream.partition_point(from, to, |turn| turn.start <= time.0);
        let Some(turn) = after.checked_sub(1).filter(|&at| at >= from).and_then(|at| self.by_stream.get(at))
        else {
            return 0;
        };
        let end =
            if after < to { self.by_stream.get(after).map_or(events, |next| next.ordinal) } else { events };
        // A time may be after all that was recorded.
        turn.ordinal.saturating_add(time.0 - turn.start).saturating_add(1).min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Threads take numbers in turn, one for each stretch: the order must put stretches by number.
        #[test]
        fn times_are_a_dense_order_that_keeps_the_numbers(
            script in proptest::collection::vec((1u32..5, 1u64..4), 1..60),
        ) {
            // (stream, number) of each event, in the order in which they really happened.
            let mut points: BTreeMap<u32, (Points, u64)> = BTreeMap::new();
            let mut real: Vec<(u64, Position)> = Vec::new();
            for (number, &(stream, events)) in script.iter().enumerate() {
                let (points, ordinal) = points.entry(stream).or_default();
                points.add(number as u64, *ordinal);
                for _ in 0..events {
                    real.push((number as u64, Position { stream: StreamId(stream), ordinal: *ordinal }));
                    *ordinal += 1;
                }
            }
            let dir = tempfile::tempdir().unwrap();
            let counts: Vec<_> = points.iter().map(|(&stream, &(_, events))| (StreamId(stream), events)).collect();
            let all = points.iter().map(|(&stream, (points, events))| (StreamId(stream), points, *events));
            write(dir.path(), turns(all)).unwrap();
            let order = Order::open(dir.path(), counts.into_iter()).unwrap();
            for (time, &(_, position)) in real.iter().enumerate() {
                let time = Time(time as u64);
                prop_assert_eq!(order.time(position), Some(time));
                prop_assert_eq!(order.position(time), Some(position));
                for stream in points.keys() {
                    let happened = real[..=time.0 as usize].iter().filter(|(_, at)| at.stream.0 == *stream).count();
                    prop_assert_eq!(order.happened(StreamId(*stream), time), happened as u64);
                }
            }
            prop_assert_eq!(order.position(Time(order.events())), None);
        }
    }
}
