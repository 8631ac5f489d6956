//! Builds an index: replays each stream once, lets a writer write down what is kept, takes a checkpoint of the replay
//! every so often, and at the end sorts what can only be sorted when everything is there. For a recording that still
//! grows the same is done piece by piece.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use base::{CallId, StreamId, Target};
use trace::{Checkpoint, KINDS, LibraryField, LibraryFieldNumbers, Paused, Recording};

use crate::call::CallRow;
use crate::error::{Result, cannot_read};
use crate::file::{Appender, BLOCK, FixedRow, Stripe, Striped, write_rows};
use crate::groups::{self, GroupsWriter};
use crate::index::Meta;
use crate::index_writer::{Files, IndexWriter, Writing};
use crate::lists::{CheckpointRow, ProgramRow, StreamRow};
use crate::order::{self, Turn};
use crate::reads::Reads;
use crate::sealer::{FULL, Sealer};
use crate::sizes::SizeWriter;
use crate::wrapped::Wrapped;

/// Events between two checkpoints: going to any event replays at most so many.
pub const CHECKPOINT_EVERY: u64 = 1 << 16;
/// Of so many checkpoints one is whole; the others share frames with the one before.
pub(crate) const WHOLE_EVERY: u32 = 64;

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

impl Builder {
    /// A builder of an index in `dir`, which must be empty.
    pub fn create(dir: &Path) -> Result<Builder> {
        Ok(Builder {
            dir: dir.to_owned(),
            files: Files {
                calls: Striped::create(dir.join("calls"))?,
                args: Appender::create(dir.join("arguments"))?,
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
        })
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
        for thread in recording.threads() {
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
                more |= self.advance_stream(recording, thread.stream, events, progress)?;
            }
        }
        Ok(more)
    }

    fn advance_stream(
        &mut self,
        recording: &Recording,
        id: StreamId,
        events: u64,
        progress: &mut dyn FnMut(&IndexProgress),
    ) -> Result<bool> {
        let done_before: u64 =
            self.streams.iter().filter(|&(&other, _)| other != id).map(|(_, s)| s.offset).sum();
        let events_before: u64 =
            self.streams.iter().filter(|&(&other, _)| other != id).map(|(_, s)| s.writer.ordinal).sum();
        let all = recording.raw_bytes();
        let Builder { files, streams, checkpoints, checkpoint_rows, .. } = self;
        let Some(stream) = streams.get_mut(&id) else { return Ok(false) };
        let Stream { writer, at, written, count, offset, ended, gaps } = stream;
        files.reads.begin(recording.threads().len() < 2, recording.manifest().array_limit());
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
                events: events_before + replay.events(),
                done: done_before + *offset,
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
                    break;
                }
            }
        }
        *gaps = replay.outcome().gap_count;
        Ok(more)
    }

    /// Makes everything that was taken in readable.
    pub fn publish(&mut self, recording: &Recording) -> Result<()> {
        let dir = self.dir.clone();
        for (id, stream) in &mut self.streams {
            self.files.sealer.seal(id.0, &mut stream.writer.postings)?;
            stream.writer.publish(&mut self.files)?;
        }
        self.files.sealer.flush()?;
        self.files.args.flush()?;
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
        self.files.jumps.sort_by_key(|row| (row.stream, row.call));
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
        let (mut call_blocks, mut named_blocks) = (Vec::new(), Vec::new());
        for (id, Stream { writer, .. }) in &self.streams {
            rows.push(StreamRow {
                stream: id.0,
                calls: writer.calls.rows as u32,
                events: writer.ordinal,
                named: writer.named.rows as u32,
                call_blocks: call_blocks.len() as u32,
                named_blocks: named_blocks.len() as u32,
            });
            call_blocks.extend_from_slice(&writer.calls.blocks);
            named_blocks.extend_from_slice(&writer.named.blocks);
        }
        write_rows(self.dir.join("streams"), rows)?;
        write_rows(self.dir.join("call-blocks"), call_blocks)?;
        write_rows(self.dir.join("named-blocks"), named_blocks)
    }

    /// The calls of each method, in order of time: turn by turn, each stream's calls one after the other. Which of a
    /// stream's calls are of program code comes with the same pass: a row does not know it when it is made.
    fn write_methods(&self, recording: &Recording, turns: &[Turn]) -> Result<()> {
        let mut writer = GroupsWriter::create(&self.dir, "methods")?;
        let path = self.dir.join("calls");
        let file = File::open(&path).map_err(cannot_read(&path))?;
        let mut cursors = BTreeMap::new();
        for (&id, stream) in &self.streams {
            cursors.insert(id.0, Cursor::new(&path, &file, &stream.writer.calls, stream.writer.ordinal));
        }
        let mut programs: BTreeMap<u32, Vec<ProgramRow>> = BTreeMap::new();
        let mut sizes = SizeWriter::create(&self.dir)?;
        let mut blocks = 0;
        for (&id, stream) in &self.streams {
            let own = stream.writer.calls.blocks.len();
            programs.insert(id.0, vec![ProgramRow::default(); own]);
            sizes.begin(id.0, blocks);
            blocks += own as u64;
        }
        let mut numbers: HashMap<Target, u32> = HashMap::new();
        let mut last = None;
        for (at, turn) in turns.iter().enumerate() {
            let Some(cursor) = cursors.get_mut(&turn.stream) else { continue };
            // The turn ends where the next one of all begins.
            let end = turns.get(at + 1).map_or(u64::MAX, |next| turn.ordinal + (next.start - turn.start));
            while let Some((index, call)) = cursor.next_before(end)? {
                let number = match last {
                    Some((target, number)) if target == call.target => number,
                    _ => *numbers.entry(call.target).or_insert_with(|| {
                        let name = groups::method_name(recording.program(), call.target);
                        writer.group(name.unwrap_or_else(|| "?\0?\0".to_owned()))
                    }),
                };
                last = Some((call.target, number));
                if let Target::Method(_) = call.target
                    && let Some(rows) = programs.get_mut(&turn.stream)
                    && let Some(row) = rows.get_mut((u64::from(index) / BLOCK) as usize)
                {
                    row.bits |= 1 << (u64::from(index) % BLOCK);
                }
                sizes.push(turn.stream, call.size)?;
                writer.push(number, CallId { stream: StreamId(turn.stream), index })?;
            }
        }
        for rows in programs.values_mut() {
            let mut before = 0;
            for row in rows {
                row.before = before;
                before += row.bits.count_ones();
            }
        }
        sizes.finish(blocks)?;
        write_rows(self.dir.join("program-calls"), programs.into_values().flatten())?;
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

/// Reads a stream's rows from the file, one after the other. Not mapped: reading all of it would count as memory.
struct Cursor<'b> {
    path: &'b Path,
    file: &'b File,
    stripe: &'b Stripe,
    events: u64,
    next: u64,
    /// The blocks that were read last.
    bytes: Vec<u8>,
    from: u64,
}

/// Blocks that are read at once, if they lie side by side.
const READ_AHEAD: usize = 64;

impl<'b> Cursor<'b> {
    fn new(path: &'b Path, file: &'b File, stripe: &'b Stripe, events: u64) -> Cursor<'b> {
        Cursor { path, file, stripe, events, next: 0, bytes: Vec::new(), from: 0 }
    }

    /// The next call, if it began before an event.
    fn next_before(&mut self, end: u64) -> Result<Option<(u32, CallRow)>> {
        if self.next >= self.stripe.rows {
            return Ok(None);
        }
        let mut at = (self.next - self.from) as usize * CallRow::SIZE;
        if at >= self.bytes.len() {
            self.read()?;
            at = 0;
        }
        let Some(row) = self.bytes.get(at..at + CallRow::SIZE) else { return Ok(None) };
        let call = CallRow::decode(row);
        if call.entry >= end.min(self.events) {
            return Ok(None);
        }
        self.next += 1;
        Ok(Some((self.next as u32 - 1, call)))
    }

    fn read(&mut self) -> Result<()> {
        let first = (self.next / BLOCK) as usize;
        let blocks = self.stripe.blocks.get(first..).unwrap_or(&[]);
        let Some(&start) = blocks.first() else { return Ok(()) };
        let together =
            blocks.iter().zip(start..).take(READ_AHEAD).take_while(|(block, at)| *block == at).count();
        let rows = (self.stripe.rows - self.next).min(together as u64 * BLOCK);
        self.bytes.resize(rows as usize * CallRow::SIZE, 0);
        self.from = self.next;
        let place = u64::from(start) * BLOCK * CallRow::SIZE as u64;
        self.file.read_exact_at(&mut self.bytes, place).map_err(cannot_read(self.path))
    }
}
