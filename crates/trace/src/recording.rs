//! A recording, opened for reading: the facade that every client uses. Damage never keeps it from opening; it
//! is listed, and everything around it can be read.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::error::{Error, Result};
use crate::event::{Event, KINDS};
use crate::frame_reader::{Damage, FrameReader, Piece as Stored};
use crate::ids::StreamId;
use crate::manifest::{self, Manifest, Scope};
use crate::objects::Objects;
use crate::program::{Program, Thread};
use crate::record::{self, tag};
use crate::replay::{self, Checkpoint, Gap, Limits, Log, Outcome, Replay, Then, Thread as Replayed, Visitor};
use crate::tables::{self, NOT_RECORDED, TableRecord};

pub struct Recording {
    path: PathBuf,
    manifest: Manifest,
    frames: FrameReader,
    program: Program,
    objects: Objects,
    damaged: Vec<Damage>,
    limits: Limits,
    /// Where the pieces of a stream begin, for the streams that were asked for.
    starts: Mutex<HashMap<StreamId, Arc<[u64]>>>,
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
    pub scope: Scope,
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
    pub why: &'static str,
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
        let manifest = Manifest::load(path)?;
        let frames = FrameReader::open(path)?;
        let mut recording = Recording {
            path: path.to_owned(),
            manifest,
            damaged: frames.damaged().to_vec(),
            frames,
            program: Program::default(),
            objects: Objects::default(),
            limits: Limits::default(),
            starts: Mutex::default(),
        };
        recording.read_tables();
        recording.read_definitions();
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
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// What cannot be read, as far as opening the recording has shown.
    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
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

    /// Tells `visit` all events of a thread in order, until it breaks off.
    pub fn events(&self, stream: StreamId, visit: impl FnMut(&Event<'_>) -> ControlFlow<()>) -> Outcome {
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

    /// May more come behind what the stream has now?
    pub fn may_grow(&self, _stream: StreamId) -> bool {
        false
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
        let count = |name| KINDS.iter().position(|&kind| kind == name).map_or(0, |at| kinds[at]);
        Stats {
            calls: count("enter"),
            events: kinds.iter().sum(),
            by_kind: KINDS.into_iter().zip(kinds).filter(|&(_, count)| count > 0).collect(),
            threads: self.threads().len() as u64,
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
            ok: self.damaged.is_empty(),
            events: 0,
            damaged: self.damaged.clone(),
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
                let why = "nothing of this class is recorded";
                list.push(Degraded { class: class.name.clone(), method: None, why });
            }
            let methods = self.program.model(class).map_or(&[][..], |model| &model.methods);
            for &(index, reason) in &class.degraded {
                let method = methods.get(usize::from(index));
                list.push(Degraded {
                    class: class.name.clone(),
                    method: method.map(|method| format!("{}{}", method.name, method.descriptor)),
                    why: match reason {
                        NOT_RECORDED => "not recorded",
                        _ => "too large for full detail: only its calls are recorded",
                    },
                });
            }
        }
        list
    }

    /// Replays all threads, as many at a time as there are processors.
    fn read_all(&self) -> Vec<(StreamId, [u64; KINDS.len()], Outcome)> {
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

    fn read_tables(&mut self) {
        // A record may cross frames, but nothing crosses a place where frames are missing.
        let mut run = Vec::new();
        let mut define = |run: &mut Vec<u8>| {
            tables::for_each(run, |record| match record {
                TableRecord::String { id, chars, flags, data } => {
                    self.objects.define_string(id, chars, flags, data);
                }
                record => self.program.define(&record),
            });
            run.clear();
        };
        for piece in self.frames.pieces(StreamId::TABLES) {
            let bytes = match piece {
                Stored::Frame(frame) => self.frames.load(frame),
                Stored::Missing { .. } => None,
            };
            match bytes {
                Some(bytes) => run.extend_from_slice(&bytes),
                None => define(&mut run),
            }
        }
        define(&mut run);
        self.program.seal();
    }

    /// Objects, arrays and strings may be used in another stream than the one that defines them: so all
    /// definitions are read before anything is replayed.
    fn read_definitions(&mut self) {
        for stream in self.frames.streams().filter(|&stream| stream != StreamId::TABLES) {
            for piece in self.frames.pieces(stream) {
                let Stored::Frame(frame) = piece else { continue };
                let whole = self.frames.load(frame).map(|bytes| define_all(&mut self.objects, &bytes));
                if whole != Some(true) {
                    self.damaged.push(Damage {
                        file: self.frames.file_of(frame),
                        offset: frame.offset(),
                        stream: Some(stream),
                        what: format!("frame {} holds something that is no record", frame.header.seq),
                    });
                }
            }
        }
    }
}

fn define_all(objects: &mut Objects, bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&tag) = bytes.get(at) {
        let rest = &bytes[at..];
        let Some(length) = record::length(rest) else { return false };
        if tag::is_definition(tag)
            && let Some((record, _)) = record::decode(rest)
        {
            objects.define(&record);
        }
        at += length;
    }
    true
}
