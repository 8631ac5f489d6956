//! Builds an index: replays each stream once, lets a writer write down what is kept, takes a checkpoint of the replay
//! every so often, and at the end sorts what can only be sorted when everything is there. For a recording that still
//! grows the same is done piece by piece.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use base::{CallId, StreamId};
use trace::{Checkpoint, KINDS, LibraryField, LibraryFieldNumbers, Paused, Recording};

use crate::call_block::{BlockPlace, ROWS, entries_and_shapes};
use crate::call_packing::{CALLS, PackedCalls};
use crate::call_stripe::{CallBlockRow, CallFiles};
use crate::error::{Result, cannot_read};
use crate::file::{Appender, RowWriter, Striped, write_rows};
use crate::groups::{self, GroupsWriter};
use crate::index::Meta;
use crate::index_writer::{Files, IndexWriter, Writing};
use crate::lists::{CheckpointRow, StreamRow};
use crate::order::{self, Turn};
use crate::reads::Reads;
use crate::sealer::{FULL, Sealer};
use crate::shapes::ShapeRow;
use crate::wrapped::Wrapped;

/// Events between two checkpoints: going to any event replays at most so many.
pub const CHECKPOINT_EVERY: u64 = 1 << 16;
/// Of so many checkpoints one is whole; the others share frames with the one before.
pub(crate) const WHOLE_EVERY: u32 = 64;

/// Of so many checkpoints, one is where the memory of the recording's tables is let go: they are files, and need not stay.
const RELEASE_EVERY: usize = 64;

/// Told now and then how far building is.
pub struct IndexProgress {
    pub events: u64,
    /// Bytes of the log that were replayed, and that there are.
    pub done: u64,
    pub all: u64,
}

pub(crate) struct Builder {
    dir: PathBuf,
    files: Files,
    streams: BTreeMap<StreamId, Stream>,
    checkpoints: Appender,
    checkpoint_rows: Vec<CheckpointRow>,
    /// Streams are left out between those that are indexed.
    has_gaps: bool,
}

struct Stream {
    writer: IndexWriter,
    /// Where its replay is.
    at: Option<Checkpoint>,
    /// The last checkpoint that was written, and how many there were.
    written: Option<Checkpoint>,
    count: u32,
    offset: u64,
    ended: bool,
    gaps: u64,
}

/// What streams other than the one that is gone on with have.
struct Before {
    events: u64,
    done: u64,
    /// They are of the same thread, and none is left out between them.
    alone: bool,
}

impl Before {
    fn add(&mut self, stream: &Stream) {
        self.events += stream.writer.ordinal;
        self.done += stream.offset;
    }
}

impl Builder {
    /// A builder of an index in `dir`, which must be empty.
    pub fn create(dir: &Path) -> Result<Builder> {
        Ok(Builder {
            dir: dir.to_owned(),
            files: Files {
                calls: CallFiles::create(dir)?,
                named: Striped::create(dir.join("named"))?,
                contents: Appender::create(dir.join("contents"))?,
                sealer: Sealer::create(dir)?,
                ranged: Vec::new(),
                reads: Reads::default(),
                wrapped: Wrapped::default(),
                read_fields: BTreeSet::new(),
                library_fields: LibraryFieldNumbers::default(),
                jumps: Vec::new(),
                children: Vec::new(),
                throws: Vec::new(),
                output: Vec::new(),
                gaps: Vec::new(),
            },
            streams: BTreeMap::new(),
            checkpoints: Appender::create(dir.join("checkpoints"))?,
            checkpoint_rows: Vec::new(),
            has_gaps: false,
        })
    }

    /// It is to be the index of some streams of a recording. `has_gaps`: with others between them.
    pub fn of_part(mut self, has_gaps: bool) -> Builder {
        self.files.reads.partial = true;
        self.has_gaps = has_gaps;
        self
    }

    /// Replays what the recording has and the index does not.
    pub fn advance(&mut self, recording: &Recording, progress: &mut dyn FnMut(&IndexProgress)) -> Result<()> {
        self.advance_by(recording, u64::MAX, progress).map(drop)
    }

    /// The same, of about so many events of each thread; true if there are more.
    pub fn advance_by(
        &mut self,
        recording: &Recording,
        events: u64,
        progress: &mut dyn FnMut(&IndexProgress),
    ) -> Result<bool> {
        let mut more = false;
        let threads = recording.threads();
        let is_one = threads.windows(2).all(|pair| pair[0].thread == pair[1].thread && pair[0].thread != 0);
        let mut before = Before { events: 0, done: 0, alone: is_one && !self.has_gaps };
        for stream in self.streams.values() {
            before.add(stream);
        }
        for thread in threads {
            let stream = self.streams.entry(thread.stream).or_insert_with(|| Stream {
                writer: IndexWriter::new(thread.stream),
                at: None,
                written: None,
                count: 0,
                offset: 0,
                ended: false,
                gaps: 0,
            });
            if !stream.ended {
                before.events -= stream.writer.ordinal;
                before.done -= stream.offset;
                more |= self.advance_stream(recording, thread.stream, events, &before, progress)?;
                self.streams.get(&thread.stream).into_iter().for_each(|stream| before.add(stream));
            }
        }
        Ok(more)
    }

    fn advance_stream(
        &mut self,
        recording: &Recording,
        id: StreamId,
        events: u64,
        before: &Before,
        progress: &mut dyn FnMut(&IndexProgress),
    ) -> Result<bool> {
        let all = recording.raw_bytes();
        let Builder { files, streams, checkpoints, checkpoint_rows, .. } = self;
        let Some(stream) = streams.get_mut(&id) else { return Ok(false) };
        let Stream { writer, at, written, count, offset, ended, gaps } = stream;
        files.reads.begin(id, before.alone, recording.manifest().array_limit());
        let writing = Writing {
            writer,
            files,
            program: recording.program(),
            objects: recording.objects(),
            failed: None,
        };
        let mut replay = match at.take() {
            None => recording.replay(id, writing),
            Some(checkpoint) => match recording.replay_at(&checkpoint, writing) {
                Some(replay) => replay,
                // What was there is not in sight just now: later.
                None => {
                    *at = Some(checkpoint);
                    return Ok(false);
                }
            },
        };
        let enough = replay.events().saturating_add(events);
        let mut more = false;
        loop {
            let next = (replay.events() / CHECKPOINT_EVERY + 1) * CHECKPOINT_EVERY;
            let paused = replay.run(next);
            if let Some(error) = replay.visitor_mut().failed.take() {
                return Err(error);
            }
            let writing = replay.visitor_mut();
            if writing.writer.postings.len() >= FULL {
                writing.files.sealer.seal(id.0, &mut writing.writer.postings)?;
            }
            *offset = replay.offset();
            progress(&IndexProgress {
                events: before.events + replay.events(),
                done: before.done + *offset,
                all,
            });
            match paused {
                Paused::Reached => {
                    let checkpoint = replay.checkpoint();
                    let base = written.as_ref().filter(|_| *count % WHOLE_EVERY != 0);
                    let base = base.map(|base| (base, checkpoint.shared_frames(base)));
                    let mut bytes = Vec::new();
                    checkpoint.encode(base, &mut bytes);
                    checkpoint_rows.push(CheckpointRow {
                        stream: id.0,
                        shared: base.map_or(0, |(_, shared)| shared as u32),
                        ordinal: checkpoint.events,
                        offset: checkpoints.length(),
                        length: bytes.len() as u32,
                    });
                    checkpoints.append(&bytes)?;
                    *written = Some(checkpoint);
                    *count += 1;
                    if checkpoint_rows.len() % RELEASE_EVERY == 0 {
                        recording.objects().release();
                    }
                    if replay.events() >= enough {
                        *at = Some(replay.checkpoint());
                        more = true;
                        break;
                    }
                }
                Paused::Waiting => {
                    *at = Some(replay.checkpoint());
                    break;
                }
                Paused::End | Paused::Stopped => {
                    *ended = true;
                    let writing = replay.visitor_mut();
                    writing.writer.finish(writing.files)?;
                    break;
                }
            }
        }
        *gaps = replay.outcome().gap_count;
        // There may be thousands of streams: one that is over keeps nothing but what is published.
        if *ended {
            drop(replay);
            *written = None;
            files.sealer.seal(id.0, &mut writer.postings)?;
            writer.postings = Vec::new();
        }
        Ok(more)
    }

    /// Makes everything that was taken in readable.
    pub fn publish(&mut self, recording: &Recording) -> Result<()> {
        let dir = self.dir.clone();
        for (id, stream) in &mut self.streams {
            if !stream.ended {
                self.files.sealer.seal(id.0, &mut stream.writer.postings)?;
                stream.writer.publish(&mut self.files)?;
            }
        }
        self.files.sealer.flush()?;
        self.files.calls.packing.flush()?;
        self.files.contents.flush()?;
        self.checkpoints.flush()?;
        write_rows(dir.join("ranged"), self.files.ranged.iter().copied())?;
        write_rows(dir.join("read-fields"), self.files.read_fields.iter().copied())?;
        self.write_streams()?;
        let sorted = |rows: &[CheckpointRow]| {
            let mut rows = rows.to_vec();
            rows.sort_by_key(|row| (row.stream, row.ordinal));
            rows
        };
        write_rows(dir.join("checkpoint-list"), sorted(&self.checkpoint_rows))?;
        self.files.jumps.sort_by_key(|row| (row.stream, row.enter));
        write_rows(dir.join("jumps"), self.files.jumps.iter().copied())?;
        self.files.children.sort_by_key(|row| (row.stream, row.parent, row.at));
        write_rows(dir.join("children"), self.files.children.iter().copied())?;
        for (name, rows) in
            [("throws", &self.files.throws), ("output", &self.files.output), ("gaps", &self.files.gaps)]
        {
            let mut rows = rows.clone();
            rows.sort_by_key(|row| (row.stream, row.ordinal));
            write_rows(dir.join(name), rows)?;
        }
        let turns = order::turns(
            self.streams
                .iter()
                .map(|(&id, stream)| (id, &stream.writer.ordering_points, stream.writer.ordinal)),
        );
        self.write_methods(recording, &turns)?;
        order::write(&dir, turns)?;
        groups::write_objects(&dir, recording.program(), recording.objects())?;
        self.meta(recording).store(&dir)
    }

    fn write_streams(&self) -> Result<()> {
        let mut rows = Vec::new();
        let mut call_blocks: RowWriter<CallBlockRow> = RowWriter::create(self.dir.join("call-blocks"))?;
        let (mut blocks, mut kinds) = (0, 0);
        let (mut named_blocks, mut late_blocks) = (Vec::new(), Vec::new());
        let mut shapes: RowWriter<ShapeRow> = RowWriter::create(self.dir.join("shapes"))?;
        let mut shape_count = 0;
        let mut shape_kinds = Appender::create(self.dir.join("shape-kinds"))?;
        let (packed, none) = (self.files.calls.packing.streams(), PackedCalls::default());
        for (id, Stream { writer, .. }) in &self.streams {
            let calls = packed.get(&id.0).unwrap_or(&none);
            rows.push(StreamRow {
                stream: id.0,
                calls: writer.calls.rows as u32,
                events: writer.ordinal,
                named: writer.named.rows as u32,
                call_blocks: blocks,
                named_blocks: named_blocks.len() as u32,
                late_blocks: late_blocks.len() as u32,
                shapes: shape_count,
                entered: calls.blocks.len() as u32,
            });
            for row in calls.blocks.iter().chain(&calls.shown) {
                call_blocks.push(row)?;
                blocks += 1;
            }
            named_blocks.extend_from_slice(&writer.named.blocks);
            late_blocks.extend_from_slice(&writer.calls.late.blocks);
            for shape in &calls.shapes.rows {
                shapes.push(&ShapeRow { kinds: shape.kinds + kinds, ..*shape })?;
                shape_count += 1;
            }
            shape_kinds.append(&calls.shapes.kinds)?;
            kinds += calls.shapes.kinds.len() as u32;
        }
        call_blocks.flush()?;
        shapes.flush()?;
        shape_kinds.flush()?;
        write_rows(self.dir.join("streams"), rows)?;
        write_rows(self.dir.join("late-blocks"), late_blocks)?;
        write_rows(self.dir.join("named-blocks"), named_blocks)
    }

    /// The calls of each method, in order of time: turn by turn, each stream's calls one after the other.
    fn write_methods(&self, recording: &Recording, turns: &[Turn]) -> Result<()> {
        let mut writer = GroupsWriter::create(&self.dir, "methods")?;
        let path = self.dir.join(CALLS);
        let file = File::open(&path).map_err(cannot_read(&path))?;
        let packed = self.files.calls.packing.streams();
        let mut cursors = BTreeMap::new();
        // By stream: the group of each of its shapes.
        let mut numbers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, Stream { writer, .. }) in &self.streams {
            let Some(calls) = packed.get(&id.0) else { continue };
            cursors.insert(id.0, Cursor::new(&path, &file, calls, writer));
            numbers.insert(id.0, vec![u32::MAX; calls.shapes.rows.len()]);
        }
        for (at, turn) in turns.iter().enumerate() {
            let Some(cursor) = cursors.get_mut(&turn.stream) else { continue };
            let Some(numbers) = numbers.get_mut(&turn.stream) else { continue };
            // The turn ends where the next one of all begins.
            let end = turns.get(at + 1).map_or(u64::MAX, |next| turn.ordinal + (next.start - turn.start));
            while let Some((index, shape)) = cursor.next_before(end)? {
                let Some(number) = numbers.get_mut(shape as usize) else { continue };
                if *number == u32::MAX {
                    let shape = cursor.calls.shapes.rows.get(shape as usize);
                    let name = shape.and_then(|shape| groups::method_name(recording.program(), shape.target));
                    *number = writer.group(name.unwrap_or_else(|| "?\0?\0".to_owned()));
                }
                writer.push(*number, CallId { stream: StreamId(turn.stream), index })?;
            }
            if cursor.is_at_end() {
                cursors.remove(&turn.stream);
            }
        }
        writer.finish()
    }

    fn meta(&self, recording: &Recording) -> Meta {
        let mut kinds = [0; KINDS.len()];
        let (mut unfiled, mut gaps) = (0, 0);
        for stream in self.streams.values() {
            kinds.iter_mut().zip(stream.writer.kinds).for_each(|(sum, count)| *sum += count);
            unfiled += stream.writer.unfiled;
            gaps += stream.gaps;
        }
        let used = self.files.library_fields.list().iter();
        let names = |one: &LibraryField| [&one.owner, &one.name, &one.descriptor].map(String::clone);
        let meta = Meta::new(recording, kinds, unfiled, gaps);
        Meta { library_fields: used.map(names).collect(), ..meta }
    }
}

/// Reads a stream's calls from the file, one after the other. Not mapped: reading all of it would count as memory.
struct Cursor<'b> {
    path: &'b Path,
    file: &'b File,
    calls: &'b PackedCalls,
    /// How many calls and events the stream has.
    rows: u64,
    events: u64,
    next: u64,
    /// When the calls of the block that was read last began, and their shapes.
    block: Vec<(u64, u32)>,
    bytes: Vec<u8>,
    from: u64,
}

impl<'b> Cursor<'b> {
    fn new(path: &'b Path, file: &'b File, calls: &'b PackedCalls, writer: &IndexWriter) -> Cursor<'b> {
        let (rows, events) = (writer.calls.rows, writer.ordinal);
        Cursor { path, file, calls, rows, events, next: 0, block: Vec::new(), bytes: Vec::new(), from: 0 }
    }

    fn is_at_end(&self) -> bool {
        self.next >= self.rows
    }

    /// The next call and its shape, if it began before an event.
    fn next_before(&mut self, end: u64) -> Result<Option<(u32, u32)>> {
        if self.next >= self.rows {
            return Ok(None);
        }
        let mut at = (self.next - self.from) as usize;
        if at >= self.block.len() {
            self.read()?;
            at = 0;
        }
        let Some(&(entry, shape)) = self.block.get(at) else { return Ok(None) };
        if entry >= end.min(self.events) {
            return Ok(None);
        }
        self.next += 1;
        Ok(Some((self.next as u32 - 1, shape)))
    }

    fn read(&mut self) -> Result<()> {
        self.block.clear();
        self.from = self.next;
        let number = self.next as usize / ROWS;
        let packed = self.calls.blocks.len();
        let row = self.calls.blocks.get(number).or_else(|| self.calls.shown.get(number - packed));
        let Some(&row) = row else { return Ok(()) };
        self.bytes.resize(row.length as usize, 0);
        self.file.read_exact_at(&mut self.bytes, row.offset).map_err(cannot_read(self.path))?;
        let rows = (self.rows - self.next).min(ROWS as u64) as usize;
        let place = BlockPlace { rows, first: self.next as u32, first_entry: row.entry };
        self.block = entries_and_shapes(&self.bytes, place).unwrap_or_default();
        Ok(())
    }
}
