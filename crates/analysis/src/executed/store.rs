//! Where the shapes of calls are kept: one file, made under another name and renamed when it is whole, so that one
//! that is there is complete. Where nothing can be written it lives in a file without a name, or in memory.
//!
//! The file: a header of 72 bytes (what it is, which recording it is of, where its parts are), a row per thread (stream,
//! calls, events: 16 bytes), the number of each call's shape plus one (4 bytes, threads one after the other; 0 for a
//! library's), and the shapes. All numbers are little-endian.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use memmap2::{Advice, Mmap};
use past::{CallId, Past, StreamId};
use trace::{MethodId, Paused};

use super::pass::{Known, Pass};
use super::{End, Shape, ShapeId};
use crate::error::{Error, Result};

const NAME: &str = "executed";
const NEW: &str = "executed.new";
const LOCK: &str = "executed.lock";
const MAGIC: u64 = u64::from_le_bytes(*b"inqexec\n");
/// A file of another version is made again.
const VERSION: u64 = 1;
const HEADER: usize = 72;
const STREAM: usize = 16;
/// Bytes of the shortest shape.
const SHORTEST: usize = 32;

/// Which recording it is of, and in which state: what a file must agree with.
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

    /// The header and the threads of a file whose shapes take up so many bytes.
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
pub struct Rows {
    bytes: Bytes,
    /// By stream: where its rows begin, and how many there are.
    places: Vec<(StreamId, usize, u32)>,
}

enum Bytes {
    Mapped(Mmap),
    Memory(Vec<u8>),
}

impl Rows {
    fn new(of: &Of, bytes: Bytes) -> Rows {
        let mut at = of.rows_at();
        let place = |stream: &Stream| {
            at += 4 * stream.calls as usize;
            (stream.id, at - 4 * stream.calls as usize, stream.calls)
        };
        Rows { places: of.streams.iter().map(place).collect(), bytes }
    }

    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Memory(bytes) => bytes,
        }
    }

    pub fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.places.iter().map(|&(stream, ..)| stream)
    }

    fn of(&self, stream: StreamId) -> &[u8] {
        let found = self.places.binary_search_by_key(&stream, |&(stream, ..)| stream);
        let place = found.ok().map(|at| self.places[at]);
        place.and_then(|(_, at, calls)| self.bytes().get(at..at + 4 * calls as usize)).unwrap_or(&[])
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

/// Opens what is kept in a folder, or makes it.
pub fn open(past: &Past, folder: Option<&Path>, progress: &mut dyn FnMut(f64)) -> Result<(Rows, Vec<Shape>)> {
    let of = Of::new(past);
    if let Some(folder) = folder {
        if let Some(found) = load(folder, &of) {
            return Ok(found);
        }
        if let Some(made) = make_in(folder, past, &of, progress)? {
            return Ok(made);
        }
    }
    let unnamed = match tempfile::tempfile() {
        Ok(file) => make(past, &of, Some(file), progress)?,
        Err(_) => None,
    };
    let made = match unnamed {
        Some((Made::File(file), shapes)) => map(&file).map(|map| (Bytes::Mapped(map), shapes)),
        Some((Made::Memory(bytes), shapes)) => Some((Bytes::Memory(bytes), shapes)),
        None => None,
    };
    let (bytes, shapes) = match made {
        Some(made) => made,
        None => match make(past, &of, None, progress)? {
            Some((Made::Memory(bytes), shapes)) => (Bytes::Memory(bytes), shapes),
            _ => (Bytes::Memory(Vec::new()), Vec::new()),
        },
    };
    Ok((Rows::new(&of, bytes), shapes))
}

fn load(folder: &Path, of: &Of) -> Option<(Rows, Vec<Shape>)> {
    let map = map(&File::open(folder.join(NAME)).ok()?)?;
    let count = u64_at(&map, 24);
    let shapes_at = of.rows_at() + 4 * usize::try_from(of.rows()).ok()?;
    let bytes = map.get(shapes_at..)?;
    if *map.get(..of.rows_at())? != *of.encode(count, bytes.len() as u64) {
        return None;
    }
    let shapes = decode(bytes, count)?;
    Some((Rows::new(of, Bytes::Mapped(map)), shapes))
}

fn map(file: &File) -> Option<Mmap> {
    // SAFETY: the file is written once, under another name or none, and only read afterwards. If somebody truncates it
    // nevertheless, the process gets SIGBUS: there is no portable way to be safe from that.
    let map = unsafe { Mmap::map(file) }.ok()?;
    let _ = map.advise(Advice::Random);
    Some(map)
}

/// None if the folder cannot be written to.
fn make_in(
    folder: &Path,
    past: &Past,
    of: &Of,
    progress: &mut dyn FnMut(f64),
) -> Result<Option<(Rows, Vec<Shape>)>> {
    let (new, lock_path) = (folder.join(NEW), folder.join(LOCK));
    let Ok(lock) = fs::create_dir_all(folder).and_then(|()| File::create(&lock_path)) else {
        return Ok(None);
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            // Somebody else makes it just now.
            if lock.lock().is_ok()
                && let Some(found) = load(folder, of)
            {
                return Ok(Some(found));
            }
        }
        Err(TryLockError::Error(_)) => return Ok(None),
    }
    let file = File::options().create(true).truncate(true).read(true).write(true).open(&new);
    let made = match file {
        Ok(file) => make(past, of, Some(file), progress)?,
        Err(_) => None,
    };
    let kept = made.and_then(|_| {
        fs::rename(&new, folder.join(NAME)).ok()?;
        load(folder, of)
    });
    if kept.is_none() {
        let _ = fs::remove_file(&new);
    }
    let _ = fs::remove_file(&lock_path);
    Ok(kept)
}

enum Made {
    File(File),
    Memory(Vec<u8>),
}

/// Replays everything. None if it could not be written.
fn make(
    past: &Past,
    of: &Of,
    file: Option<File>,
    progress: &mut dyn FnMut(f64),
) -> Result<Option<(Made, Vec<Shape>)>> {
    let mut known = Known::default();
    let mut writer = Writer::new(file, of);
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
        if pass.failed.is_some() || writer.end().is_err() {
            return Ok(None);
        }
        if calls != stream.calls {
            return Err(Error::Replay(stream.id.0));
        }
        before += stream.events;
    }
    let shapes = known.table.shapes;
    Ok(writer.finish(of, &shapes).ok().map(|made| (made, shapes)))
}

/// Events between two words about the progress.
const TOLD_EVERY: u64 = 1 << 20;

/// Takes in the rows of a thread: those of open calls come late. The newest are kept in memory, older ones are
/// changed in the file.
pub struct Writer {
    out: Made,
    /// Where the rows of the thread begin, and how many there are.
    start: u64,
    rows: u32,
    /// The newest rows, and the number of the first of them.
    tail: Vec<u32>,
    from: u32,
}

/// Rows that are kept; half of them are written at once.
const KEPT: usize = 1 << 16;

impl Writer {
    fn new(file: Option<File>, of: &Of) -> Writer {
        let out = match file {
            Some(file) => Made::File(file),
            None => Made::Memory(vec![0; of.rows_at()]),
        };
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
        let at = self.start + 4 * u64::from(row);
        match &mut self.out {
            Made::File(file) => file.write_all_at(bytes, at),
            Made::Memory(memory) => {
                let at = at as usize;
                if memory.len() < at + bytes.len() {
                    memory.resize(at + bytes.len(), 0);
                }
                memory[at..at + bytes.len()].copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// The thread is over: writes what is left, and nothing past its rows.
    fn end(&mut self) -> io::Result<()> {
        let left = self.rows.saturating_sub(self.from) as usize;
        self.tail.resize(left.min(KEPT), 0);
        self.write_tail(self.tail.len())
    }

    fn finish(self, of: &Of, shapes: &[Shape]) -> io::Result<Made> {
        let mut bytes = Vec::new();
        shapes.iter().for_each(|shape| encode(shape, &mut bytes));
        let header = of.encode(shapes.len() as u64, bytes.len() as u64);
        let end = of.rows_at() as u64 + 4 * of.rows();
        match self.out {
            Made::Memory(mut memory) => {
                memory.resize(end as usize, 0);
                Ok(Made::Memory(memory))
            }
            Made::File(mut file) => {
                file.write_all_at(&bytes, end)?;
                file.set_len(end + bytes.len() as u64)?;
                file.write_all_at(&header, 0)?;
                file.flush()?;
                Ok(Made::File(file))
            }
        }
    }
}

const RETURNED: u8 = 0;
const THREW: u8 = 1;
const OPEN: u8 = 2;
const OPEN_AT: u8 = 3;

fn encode(shape: &Shape, out: &mut Vec<u8>) {
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

fn decode(mut bytes: &[u8], count: u64) -> Option<Vec<Shape>> {
    let mut shapes = Vec::new();
    for _ in 0..count {
        let head = bytes.split_off(..SHORTEST)?;
        let (edges, thrown) = (u32_at(head, 24) as usize, u32_at(head, 28) as usize);
        let edges = bytes.split_off(..edges.checked_mul(8)?)?.chunks_exact(8);
        let thrown = bytes.split_off(..thrown.checked_mul(2)?)?.chunks_exact(2);
        let at = u16::from_le_bytes([head[6], head[7]]);
        shapes.push(Shape {
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
        let written = |file: Option<File>| {
            let mut writer = Writer::new(file, &of);
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
            match writer.finish(&of, &[]).unwrap() {
                Made::Memory(bytes) => Rows::new(&of, Bytes::Memory(bytes)),
                Made::File(file) => Rows::new(&of, Bytes::Mapped(map(&file).unwrap())),
            }
        };
        for rows in [written(None), written(Some(tempfile::tempfile().unwrap()))] {
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
        let shape = |(at, &end): (usize, &End)| Shape {
            method: MethodId(at as u32),
            edges: vec![u64::MAX; at].into(),
            thrown: vec![1, 3, 5][..at.min(3)].into(),
            end,
            unknown: at == 1,
            calls: 1 << 40,
            first: CallId { stream: StreamId(2), index: 5 },
        };
        let shapes: Vec<Shape> = ends.iter().enumerate().map(shape).collect();
        let mut bytes = Vec::new();
        shapes.iter().for_each(|shape| encode(shape, &mut bytes));
        assert_eq!(decode(&bytes, 4), Some(shapes));
        assert_eq!(decode(&bytes, 3), None);
        assert!((0..bytes.len()).all(|length| decode(&bytes[..length], 4).is_none()));
    }
}
