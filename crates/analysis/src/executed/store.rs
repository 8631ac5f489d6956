//! The shapes of calls as bytes that can be kept. They are looked at where they lie: there is a row for each call.
//!
//! They are: a header of 72 bytes (what it is, which recording it is of, where its parts are), a row per thread (stream,
//! calls, events: 16 bytes), the number of each call's shape plus one (4 bytes, threads one after the other; 0 for a
//! library's), and the shapes. All numbers are little-endian.

use std::io;

use index::Evidence;
use past::{CallId, Past, StreamId};
use shelf::{Content, Draft, Shelf};
use trace::{MethodId, Paused};

use super::pass::{KnownMethods, Pass};
use super::{End, ExecutionShape, ShapeId};
use crate::error::{Error, Result};

const NAME: &str = "executed";
const MAGIC: u64 = u64::from_le_bytes(*b"inqexec\n");
/// What is kept of another version is made again.
const VERSION: u64 = 1;
const HEADER: usize = 72;
const STREAM: usize = 16;
/// Bytes of the shortest shape.
const SHORTEST: usize = 32;

/// Which recording it is of, and in which state: what is kept must agree with it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Of {
    started: u64,
    pid: u64,
    raw_bytes: u64,
    /// Bytes of all class files.
    classes: u64,
    streams: Vec<Stream>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stream {
    id: StreamId,
    calls: u32,
    events: u64,
}

impl Of {
    fn new(past: &Past) -> Of {
        let (recording, index) = (past.recording(), past.index());
        let stream = |(id, events)| Stream { id, calls: index.calls(id), events };
        let classes = recording.program().classes();
        Of {
            started: recording.manifest().started,
            pid: recording.manifest().pid.into(),
            raw_bytes: recording.raw_bytes(),
            classes: classes.iter().map(|class| class.bytes.len() as u64).sum(),
            streams: index.streams().map(stream).collect(),
        }
    }

    fn rows_at(&self) -> usize {
        HEADER + self.streams.len() * STREAM
    }

    fn rows(&self) -> u64 {
        self.streams.iter().map(|stream| u64::from(stream.calls)).sum()
    }

    /// The header and the threads, if the shapes take up so many bytes.
    fn encode(&self, shapes: u64, bytes: u64) -> Vec<u8> {
        let length = self.rows_at() as u64 + 4 * self.rows() + bytes;
        let words = [MAGIC, VERSION, length, shapes, self.started, self.pid, self.raw_bytes, self.classes];
        let mut out: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        out.extend_from_slice(&(self.streams.len() as u64).to_le_bytes());
        for stream in &self.streams {
            out.extend_from_slice(&stream.id.0.to_le_bytes());
            out.extend_from_slice(&stream.calls.to_le_bytes());
            out.extend_from_slice(&stream.events.to_le_bytes());
        }
        out
    }
}

/// The rows, to be looked up.
pub struct ShapeColumn {
    content: Content,
    /// By stream: where its rows begin, and how many there are.
    places: Vec<(StreamId, usize, u32)>,
}

impl ShapeColumn {
    fn new(of: &Of, content: Content) -> ShapeColumn {
        let mut at = of.rows_at();
        let place = |stream: &Stream| {
            at += 4 * stream.calls as usize;
            (stream.id, at - 4 * stream.calls as usize, stream.calls)
        };
        ShapeColumn { places: of.streams.iter().map(place).collect(), content }
    }

    pub fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.places.iter().map(|&(stream, ..)| stream)
    }

    fn of(&self, stream: StreamId) -> &[u8] {
        let found = self.places.binary_search_by_key(&stream, |&(stream, ..)| stream);
        let place = found.ok().map(|at| self.places[at]);
        place.and_then(|(_, at, calls)| self.content.get(at..at + 4 * calls as usize)).unwrap_or(&[])
    }

    pub fn get(&self, call: CallId) -> Option<u32> {
        let at = 4 * call.index as usize;
        self.of(call.stream).get(at..at + 4).map(|row| u32_at(row, 0))
    }

    /// The calls of a stream whose row is this.
    pub fn all(&self, stream: StreamId, row: u32) -> impl Iterator<Item = CallId> + '_ {
        /// Compared at once: what has none of them is passed over quickly.
        const TOGETHER: usize = 256;
        let wanted = row.to_le_bytes();
        let parts = self.of(stream).chunks(4 * TOGETHER).enumerate();
        let has = move |part: &[u8]| {
            part.chunks_exact(4).fold(0, |count, one| count + u32::from(one == wanted)) > 0
        };
        parts.filter(move |(_, part)| has(part)).flat_map(move |(at, part)| {
            let own = part.chunks_exact(4).enumerate().filter(move |(_, one)| *one == wanted);
            own.map(move |(inner, _)| CallId { stream, index: (at * TOGETHER + inner) as u32 })
        })
    }
}

/// Opens what is kept, or makes it.
pub fn open(
    past: &Past,
    shelf: &Shelf,
    progress: &mut dyn FnMut(f64),
) -> Result<(ShapeColumn, Vec<ExecutionShape>)> {
    let of = Of::new(past);
    let opened =
        shelf.open_or_make(NAME, |content| accept(&of, content), |draft| make(past, &of, draft, progress))?;
    Ok(opened.unwrap_or_else(|| (ShapeColumn::new(&of, Vec::new().into()), Vec::new())))
}

fn accept(of: &Of, content: Content) -> Option<(ShapeColumn, Vec<ExecutionShape>)> {
    let count = u64_at(&content, 24);
    let shapes_at = of.rows_at() + 4 * usize::try_from(of.rows()).ok()?;
    let bytes = content.get(shapes_at..)?;
    if *content.get(..of.rows_at())? != *of.encode(count, bytes.len() as u64) {
        return None;
    }
    let shapes = decode(bytes, count)?;
    Some((ShapeColumn::new(of, content), shapes))
}

/// Replays everything.
fn make(past: &Past, of: &Of, draft: &mut Draft, progress: &mut dyn FnMut(f64)) -> Result<io::Result<()>> {
    let mut known = KnownMethods::default();
    let mut writer = Writer::new(draft, of);
    let all = of.streams.iter().map(|stream| stream.events).sum::<u64>().max(1) as f64;
    let mut before = 0;
    for stream in &of.streams {
        writer.begin(stream.calls);
        let pass = Pass::new(past.recording().program(), &mut known, &mut writer, stream.id);
        let mut replay = past.recording().replay(stream.id, pass);
        loop {
            let paused = replay.run(replay.events().saturating_add(TOLD_EVERY));
            progress((before + replay.events()) as f64 / all);
            if paused != Paused::Reached {
                break;
            }
        }
        let mut pass = replay.into_visitor();
        let calls = pass.finish();
        let written = match pass.failed.take() {
            Some(error) => Err(error),
            None => writer.end(),
        };
        if written.is_err() {
            return Ok(written);
        }
        if calls != stream.calls {
            return Err(Error::Replay(stream.id.0));
        }
        before += stream.events;
    }
    Ok(writer.finish(of, &known.table.shapes))
}

/// Events between two words about the progress.
const TOLD_EVERY: u64 = 1 << 20;

/// Takes in the rows of a thread: those of open calls come late. The newest are kept in memory, older ones are
/// changed where they were written.
pub struct Writer<'a> {
    out: &'a mut Draft,
    /// Where the rows of the thread begin, and how many there are.
    start: u64,
    rows: u32,
    /// The newest rows, and the number of the first of them.
    tail: Vec<u32>,
    from: u32,
}

/// Rows that are kept; half of them are written at once.
const KEPT: usize = 1 << 16;

impl<'a> Writer<'a> {
    fn new(out: &'a mut Draft, of: &Of) -> Writer<'a> {
        Writer { out, start: of.rows_at() as u64, rows: 0, tail: Vec::new(), from: 0 }
    }

    fn begin(&mut self, rows: u32) {
        self.start += 4 * u64::from(self.rows);
        (self.rows, self.from) = (rows, 0);
    }

    #[inline]
    pub fn set(&mut self, call: CallId, shape: ShapeId) -> io::Result<()> {
        if call.index < self.from {
            return self.write(call.index, &(shape.0 + 1).to_le_bytes());
        }
        let at = (call.index - self.from) as usize;
        if at < self.tail.len() {
            self.tail[at] = shape.0 + 1;
            return Ok(());
        }
        self.grow(call, shape)
    }

    #[cold]
    fn grow(&mut self, call: CallId, shape: ShapeId) -> io::Result<()> {
        while (call.index - self.from) as usize >= KEPT {
            self.tail.resize(KEPT, 0);
            self.write_tail(KEPT / 2)?;
        }
        let at = (call.index - self.from) as usize;
        self.tail.resize((at + 1).next_power_of_two().min(KEPT), 0);
        self.tail[at] = shape.0 + 1;
        Ok(())
    }

    fn write_tail(&mut self, count: usize) -> io::Result<()> {
        let rows: Vec<u8> = self.tail.drain(..count).flat_map(u32::to_le_bytes).collect();
        self.write(self.from, &rows)?;
        self.from += count as u32;
        Ok(())
    }

    fn write(&mut self, row: u32, bytes: &[u8]) -> io::Result<()> {
        self.out.write_at(bytes, self.start + 4 * u64::from(row))
    }

    /// The thread is over: writes what is left, and nothing past its rows.
    fn end(&mut self) -> io::Result<()> {
        let left = self.rows.saturating_sub(self.from) as usize;
        self.tail.resize(left.min(KEPT), 0);
        self.write_tail(self.tail.len())
    }

    fn finish(self, of: &Of, shapes: &[ExecutionShape]) -> io::Result<()> {
        let mut bytes = Vec::new();
        shapes.iter().for_each(|shape| encode(shape, &mut bytes));
        let header = of.encode(shapes.len() as u64, bytes.len() as u64);
        let end = of.rows_at() as u64 + 4 * of.rows();
        self.out.write_at(&bytes, end)?;
        self.out.set_len(end + bytes.len() as u64)?;
        self.out.write_at(&header, 0)
    }
}

const RETURNED: u8 = 0;
const THREW: u8 = 1;
const OPEN: u8 = 2;
const OPEN_AT: u8 = 3;

fn encode(shape: &ExecutionShape, out: &mut Vec<u8>) {
    let (end, at) = match shape.end {
        End::Returned(at) => (RETURNED, at),
        End::Threw => (THREW, 0),
        End::Open(None) => (OPEN, 0),
        End::Open(Some(at)) => (OPEN_AT, at),
    };
    out.extend_from_slice(&shape.method.0.to_le_bytes());
    out.extend_from_slice(&[end, u8::from(shape.unknown)]);
    out.extend_from_slice(&at.to_le_bytes());
    out.extend_from_slice(&shape.calls.to_le_bytes());
    out.extend_from_slice(&shape.first.stream.0.to_le_bytes());
    out.extend_from_slice(&shape.first.index.to_le_bytes());
    out.extend_from_slice(&(shape.edges.len() as u32).to_le_bytes());
    out.extend_from_slice(&(shape.thrown.len() as u32).to_le_bytes());
    shape.edges.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    shape.thrown.iter().for_each(|at| out.extend_from_slice(&at.to_le_bytes()));
}

fn decode(mut bytes: &[u8], count: u64) -> Option<Vec<ExecutionShape>> {
    let mut shapes = Vec::new();
    for _ in 0..count {
        let head = bytes.split_off(..SHORTEST)?;
        let (edges, thrown) = (u32_at(head, 24) as usize, u32_at(head, 28) as usize);
        let edges = bytes.split_off(..edges.checked_mul(8)?)?.chunks_exact(8);
        let thrown = bytes.split_off(..thrown.checked_mul(2)?)?.chunks_exact(2);
        let at = u16::from_le_bytes([head[6], head[7]]);
        shapes.push(ExecutionShape {
            method: MethodId(u32_at(head, 0)),
            edges: edges.map(|word| u64_at(word, 0)).collect(),
            thrown: thrown.map(|at| u16::from_le_bytes([at[0], at[1]])).collect(),
            end: match head[4] {
                RETURNED => End::Returned(at),
                THREW => End::Threw,
                OPEN => End::Open(None),
                OPEN_AT => End::Open(Some(at)),
                _ => return None,
            },
            unknown: head[5] != 0,
            calls: u64_at(head, 8),
            first: CallId { stream: StreamId(u32_at(head, 16)), index: u32_at(head, 20) },
        });
    }
    bytes.is_empty().then_some(shapes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok());
    word.map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(id: u32, calls: u32) -> Stream {
        Stream { id: StreamId(id), calls, events: 0 }
    }

    fn of(streams: Vec<Stream>) -> Of {
        Of { started: 1, pid: 2, raw_bytes: 3, classes: 4, streams }
    }

    #[test]
    fn rows_that_come_late_get_their_place_in_memory_and_in_a_file() {
        let of = of(vec![stream(1, 200_000), stream(4, 3)]);
        let written = |mut draft: Draft| {
            let mut writer = Writer::new(&mut draft, &of);
            for stream in &of.streams {
                writer.begin(stream.calls);
                let call = |index| CallId { stream: stream.id, index };
                // A call ends after those in it; every seventh is a library's.
                let order = (1..stream.calls).chain([0]).filter(|index| index % 7 != 6);
                for index in order {
                    writer.set(call(index), ShapeId(index % 1000 + stream.id.0)).unwrap();
                }
                writer.end().unwrap();
            }
            writer.finish(&of, &[]).unwrap();
            accept(&of, draft.into_content().unwrap()).unwrap().0
        };
        for rows in [written(Draft::in_memory()), written(Draft::unnamed().unwrap())] {
            for stream in &of.streams {
                for index in 0..stream.calls {
                    let expected = if index % 7 == 6 { 0 } else { index % 1000 + stream.id.0 + 1 };
                    let call = CallId { stream: stream.id, index };
                    assert_eq!(rows.get(call), Some(expected), "{call:?}");
                }
                assert_eq!(rows.get(CallId { stream: stream.id, index: stream.calls }), None);
            }
            let found: Vec<u32> = rows.all(StreamId(1), 8).map(|call| call.index).collect();
            let expected: Vec<u32> = (0..200).map(|at| at * 1000 + 6).filter(|at| at % 7 != 6).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn shapes_are_read_as_they_were_written_and_nothing_else_is_read() {
        let ends = [End::Returned(7), End::Threw, End::Open(None), End::Open(Some(9))];
        let shape = |(at, &end): (usize, &End)| ExecutionShape {
            method: MethodId(at as u32),
            edges: vec![u64::MAX; at].into(),
            thrown: vec![1, 3, 5][..at.min(3)].into(),
            end,
            unknown: at == 1,
            calls: 1 << 40,
            first: CallId { stream: StreamId(2), index: 5 },
        };
        let shapes: Vec<ExecutionShape> = ends.iter().enumerate().map(shape).collect();
        let mut bytes = Vec::new();
        shapes.iter().for_each(|shape| encode(shape, &mut bytes));
        assert_eq!(decode(&bytes, 4), Some(shapes));
        assert_eq!(decode(&bytes, 3), None);
        assert!((0..bytes.len()).all(|length| decode(&bytes[..length], 4).is_none()));
    }
}
