//! A recording, opened for reading. Damage never keeps it from opening; it is listed, and everything around it can be
//! read.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::definitions::Definitions;
use crate::error::{Error, Result};
use crate::event::{Event, KINDS};
use crate::follow::Follower;
use crate::frame_reader::{Damage, FrameReader, Piece as Stored};
use crate::ids::StreamId;
use crate::manifest::{self, Manifest, RecordedScope};
use crate::objects::Objects;
use crate::program::{Program, Thread};
use crate::replay::{
    self, Checkpoint, Gap, Log, Replay, ReplayEnd, ReplayLimits, Then, Thread as Replayed, Visitor,
};
use crate::table_reader::TableReader;
use crate::tables::NOT_RECORDED;

pub struct Recording {
    pub(crate) path: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) frames: FrameReader,
    pub(crate) program: Program,
    pub(crate) objects: Objects,
    /// While it may grow.
    pub(crate) follower: Option<Follower>,
    limits: ReplayLimits,
    /// Where the pieces of a stream begin, for the streams that were asked for.
    starts: Mutex<HashMap<StreamId, Arc<[u64]>>>,
    /// Where `store_tables` puts the frame directory.
    tables: Option<PathBuf>,
}

/// A visitor that wants events only.
struct Closure<F>(F);

impl<F: FnMut(&Event<'_>) -> ControlFlow<()>> Visitor for Closure<F> {
    #[inline]
    fn event(&mut self, event: &Event<'_>) -> Then {
        match (self.0)(event) {
            ControlFlow::Continue(()) => Then::On,
            ControlFlow::Break(()) => Then::Stop,
        }
    }
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Calls of program code.
    pub calls: u64,
    pub events: u64,
    /// How many events of each kind, without the kinds that did not occur.
    pub by_kind: Vec<(&'static str, u64)>,
    pub threads: u64,
    pub objects: u64,
    /// Objects whose identity may be that of another one.
    pub doubtful: u64,
    pub strings: u64,
    /// Bytes of the chunk files.
    pub bytes: u64,
    /// Bytes before compression.
    pub raw_bytes: u64,
    pub complete: bool,
    pub waited_ms: u64,
    pub degraded: Vec<Degraded>,
    pub scope: RecordedScope,
    /// Places where log and code did not fit.
    pub gaps: u64,
}

/// A method that is recorded with less detail than the rest, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degraded {
    /// With slashes.
    pub class: String,
    /// Name and descriptor; none for a whole class.
    pub method: Option<String>,
    pub why: DegradedTo,
}

/// What is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DegradedTo {
    NoClass,
    NoMethod,
    /// It is too large for more.
    Calls,
}

/// What reading everything has shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Nothing is damaged and log and code fit everywhere.
    pub ok: bool,
    pub events: u64,
    pub damaged: Vec<Damage>,
    /// The first gaps of each thread.
    pub gaps: Vec<(StreamId, Gap)>,
    pub gap_count: u64,
    /// Threads with calls that were open when their log ended, and how many: the unfinished tail.
    pub unfinished: Vec<(StreamId, u32)>,
}

impl Recording {
    /// Opens the recording in a folder.
    pub fn open(path: &Path) -> Result<Recording> {
        Recording::read(path, Objects::default(), &mut |_, _| {})
    }

    /// As `open`, for one who makes an index: the tables of objects are new files in the folder `tables`, which
    /// `store_tables` completes. Tells `progress` how many bytes of how many are read.
    pub fn open_for_index(
        path: &Path,
        tables: &Path,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Recording> {
        let mut recording = Recording::read(path, Objects::create(tables)?, progress)?;
        recording.tables = Some(tables.to_owned());
        Ok(recording)
    }

    /// Completes the files that `open_for_index` began, so that `open_indexed` can use them.
    pub fn store_tables(&mut self) -> Result<()> {
        let Some(tables) = &self.tables else { return Ok(()) };
        self.objects.seal()?;
        self.frames.store(&tables.join(DIRECTORY))
    }

    /// Opens a recording with the files that `store_tables` left: no thread's data are read. Refused if the chunk
    /// files are not the same any more.
    pub fn open_indexed(path: &Path, tables: &Path) -> Result<Recording> {
        let manifest = Manifest::load(path)?;
        let frames = FrameReader::load_directory(path, &tables.join(DIRECTORY))?;
        let mut recording = Recording::new(path.to_owned(), manifest, frames, Objects::open(tables)?);
        TableReader::default().read(&recording.frames, &mut recording.program, None, false);
        Ok(recording)
    }

    pub(crate) fn new(path: PathBuf, manifest: Manifest, frames: FrameReader, objects: Objects) -> Recording {
        Recording {
            path,
            manifest,
            frames,
            program: Program::default(),
            objects,
            follower: None,
            limits: ReplayLimits::default(),
            starts: Mutex::default(),
            tables: None,
        }
    }

    /// Every frame is read once, and its definitions are taken in on the way.
    fn read(path: &Path, mut objects: Objects, progress: &mut dyn FnMut(u64, u64)) -> Result<Recording> {
        let manifest = Manifest::load(path)?;
        let mut definitions = Definitions::default();
        let mut released = 0;
        let mut frames = FrameReader::open_with(path, &mut |found| {
            definitions.found(&mut objects, &found);
            if found.done - released >= RELEASE_EVERY {
                released = found.done;
                objects.release();
            }
            progress(found.done, found.all);
        })?;
        let streams: Vec<StreamId> = frames.streams().collect();
        for stream in streams {
            definitions.rest(&mut objects, &frames, stream);
        }
        frames.damaged.extend(definitions.damage());
        let mut recording = Recording::new(path.to_owned(), manifest, frames, objects);
        TableReader::default().read(
            &recording.frames,
            &mut recording.program,
            Some(&mut recording.objects),
            false,
        );
        Ok(recording)
    }

    /// The recordings in a folder: the folder itself, or its `jvm-PID` folders if several JVMs were recorded.
    pub fn find(path: &Path) -> Result<Vec<PathBuf>> {
        if path.join(manifest::FILE).is_file() {
            return Ok(vec![path.to_owned()]);
        }
        let cannot = |source| Error::Read { path: path.to_owned(), source };
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let is_jvm = entry.file_name().to_str().is_some_and(|name| name.starts_with("jvm-"));
            if is_jvm && entry.path().join(manifest::FILE).is_file() {
                found.push(entry.path());
            }
        }
        if found.is_empty() {
            return Err(Error::NoManifest { path: path.to_owned() });
        }
        found.sort();
        Ok(found)
    }

    /// Changes how far replay goes without a record.
    pub fn set_limits(&mut self, limits: ReplayLimits) {
        self.limits = limits;
    }

    /// Where it is now: the files of a recording that is followed may be moved when the run ends.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// See [`Program::use_library_fields`].
    pub fn use_library_fields(&mut self, list: &[crate::LibraryField]) {
        self.program.use_library_fields(list);
    }

    /// The frames of all streams, for who wants to read from an offset on.
    pub fn frames(&self) -> &FrameReader {
        &self.frames
    }

    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Bytes of all streams before compression.
    pub fn raw_bytes(&self) -> u64 {
        self.frames.raw_bytes()
    }

    /// What cannot be read, as far as opening the recording has shown.
    pub fn damaged(&self) -> &[Damage] {
        self.frames.damaged()
    }

    /// The recorded threads, in order of their streams. A stream that the tables do not describe has no name.
    pub fn threads(&self) -> Vec<Thread> {
        let streams = self.frames.streams().filter(|&stream| stream != StreamId::TABLES);
        let described = |stream| {
            self.program.thread(stream).cloned().unwrap_or(Thread {
                stream,
                thread: 0,
                name: String::new(),
                daemon: false,
                is_virtual: false,
                started: 0,
            })
        };
        streams.map(described).collect()
    }

    /// How many threads there are: one may have several streams.
    fn thread_count(&self) -> u64 {
        let streams = self.frames.streams().filter(|&stream| stream != StreamId::TABLES);
        let thread = |stream| match self.program.thread(stream) {
            Some(thread) => (Some(thread.thread), None),
            None => (None, Some(stream)),
        };
        streams.map(thread).collect::<std::collections::HashSet<_>>().len() as u64
    }

    /// Tells `visit` all events of a thread in order, until it breaks off.
    pub fn events(&self, stream: StreamId, visit: impl FnMut(&Event<'_>) -> ControlFlow<()>) -> ReplayEnd {
        let mut replay = self.replay(stream, Closure(visit));
        replay.run(u64::MAX);
        replay.outcome().clone()
    }

    /// The replay of a thread, from its start.
    pub fn replay<V: Visitor>(&self, stream: StreamId, visitor: V) -> Replay<'_, V> {
        Replay::new(self.replayed(stream, self.may_grow(stream)), visitor)
    }

    /// The replay of a thread, from a checkpoint on; none if that is not of this recording.
    pub fn replay_at<V: Visitor>(&self, checkpoint: &Checkpoint, visitor: V) -> Option<Replay<'_, V>> {
        let stream = checkpoint.stream;
        Replay::restore(self.replayed(stream, self.may_grow(stream)), checkpoint, visitor)
    }

    /// As `replay`, or as `replay_at` if there is a checkpoint, taking the log for one that still grows.
    #[doc(hidden)]
    pub fn replay_growing<V: Visitor>(
        &self,
        stream: StreamId,
        checkpoint: Option<&Checkpoint>,
        visitor: V,
    ) -> Option<Replay<'_, V>> {
        match checkpoint {
            Some(checkpoint) => Replay::restore(self.replayed(stream, true), checkpoint, visitor),
            None => Some(Replay::new(self.replayed(stream, true), visitor)),
        }
    }

    fn replayed(&self, stream: StreamId, grows: bool) -> Replayed<'_> {
        let pieces = self.frames.pieces(stream);
        let load = move |at: usize| match pieces.get(at)? {
            Stored::Missing { .. } => None,
            Stored::Frame(frame) => self.frames.load(frame),
        };
        let mut log = Log { starts: self.starts(stream), load: Box::new(load), firm: u64::MAX };
        if grows {
            log.firm = replay::firm(&self.program, &log);
        }
        Replayed {
            stream,
            program: &self.program,
            objects: &self.objects,
            limits: self.limits,
            log,
            ended: !grows && self.frames.is_ended(stream),
        }
    }

    /// Where each piece of a stream begins, and where the last one ends.
    fn starts(&self, stream: StreamId) -> Arc<[u64]> {
        let pieces = self.frames.pieces(stream);
        let mut known = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(starts) = known.get(&stream)
            && starts.len() == pieces.len() + 1
            && self.follower.is_none()
        {
            return Arc::clone(starts);
        }
        let mut end = 0;
        let ends = pieces.iter().map(|piece| {
            if let Stored::Frame(frame) = piece {
                end += u64::from(frame.header.raw);
            }
            end
        });
        let starts: Arc<[u64]> = std::iter::once(0).chain(ends).collect();
        known.insert(stream, Arc::clone(&starts));
        starts
    }

    /// Reads everything and counts it.
    pub fn stats(&self) -> Stats {
        let mut kinds = [0; KINDS.len()];
        let mut gaps = 0;
        for (_, counts, outcome) in self.read_all() {
            kinds.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            gaps += outcome.gap_count;
        }
        self.stats_of(kinds, gaps)
    }

    /// What was recorded, given how many events of each kind there are and how many gaps.
    pub fn stats_of(&self, kinds: [u64; KINDS.len()], gaps: u64) -> Stats {
        let count = |name| KINDS.iter().position(|&kind| kind == name).map_or(0, |at| kinds[at]);
        Stats {
            calls: count("enter"),
            events: kinds.iter().sum(),
            by_kind: KINDS.into_iter().zip(kinds).filter(|&(_, count)| count > 0).collect(),
            threads: self.thread_count(),
            objects: self.objects.count(),
            doubtful: self.objects.doubtful_count(),
            strings: self.objects.string_count(),
            bytes: self.frames.bytes(),
            raw_bytes: self.frames.raw_bytes(),
            complete: self.manifest.complete,
            waited_ms: self.manifest.waited_ms,
            degraded: self.degraded(),
            scope: self.manifest.scope.clone(),
            gaps,
        }
    }

    /// Reads everything and says what is wrong with it.
    pub fn verify(&self) -> Verification {
        let mut found = Verification {
            ok: self.damaged().is_empty(),
            events: 0,
            damaged: self.damaged().to_vec(),
            gaps: Vec::new(),
            gap_count: 0,
            unfinished: Vec::new(),
        };
        for (stream, _, outcome) in self.read_all() {
            found.events += outcome.events;
            found.gap_count += outcome.gap_count;
            found.gaps.extend(outcome.gaps.into_iter().map(|gap| (stream, gap)));
            if outcome.open > 0 {
                found.unfinished.push((stream, outcome.open));
            }
        }
        found.ok &= found.gap_count == 0;
        found
    }

    /// Methods and classes that are recorded with less detail than the rest, or not at all.
    pub fn degraded(&self) -> Vec<Degraded> {
        let mut list = Vec::new();
        for class in self.program.classes() {
            if !class.recorded {
                let why = DegradedTo::NoClass;
                list.push(Degraded { class: class.name.clone(), method: None, why });
            }
            let methods = self.program.model(class).map_or(&[][..], |model| &model.methods);
            for &(index, reason) in &class.degraded {
                let method = methods.get(usize::from(index));
                list.push(Degraded {
                    class: class.name.clone(),
                    method: method.map(|method| format!("{}{}", method.name, method.descriptor)),
                    why: match reason {
                        NOT_RECORDED => DegradedTo::NoMethod,
                        _ => DegradedTo::Calls,
                    },
                });
            }
        }
        list
    }

    /// Replays all threads, as many at a time as there are processors.
    fn read_all(&self) -> Vec<(StreamId, [u64; KINDS.len()], ReplayEnd)> {
        let streams: Vec<StreamId> = self.threads().iter().map(|thread| thread.stream).collect();
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::with_capacity(streams.len()));
        let work = || {
            while let Some(&stream) = streams.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut counts = [0; KINDS.len()];
                let outcome = self.events(stream, |event| {
                    counts[event.kind.index()] += 1;
                    ControlFlow::Continue(())
                });
                if let Ok(mut results) = results.lock() {
                    results.push((stream, counts, outcome));
                }
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from).min(streams.len());
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
        let mut results = results.into_inner().unwrap_or_default();
        results.sort_by_key(|&(stream, ..)| stream);
        results
    }
}

/// Bytes of files that are read before the memory of tables that lie in files is let go.
const RELEASE_EVERY: u64 = 32 << 20;
/// The frame directory, in the folder of the tables.
const DIRECTORY: &str = "frames";
