//! A large recording at a glance, and a few of its streams as a recording of their own. A glance reads the headers of frames
//! and the tables; a part reads its own streams, and of others only what they define that is mentioned in it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::Result;
use crate::frame_reader::{FrameReader, Piece};
use crate::ids::{MethodId, ObjectId, StreamId, StringId, TypeId};
use crate::manifest::Manifest;
use crate::objects::Objects;
use crate::outline::Outline;
use crate::program::{Program, Thread};
use crate::record::{self, Record, Records};
use crate::recording::Recording;
use crate::table_reader::TableReader;

/// What is known of a recording without reading its threads' streams.
pub struct Glance {
    recording: Recording,
}

impl Glance {
    /// None if the recording is damaged or was not finished, or is of a version whose tables do not say enough: then there is no
    /// way around reading everything.
    pub fn at(path: &Path) -> Result<Option<Glance>> {
        let manifest = Manifest::load(path)?;
        if manifest.ended.is_none() {
            return Ok(None);
        }
        let Some(frames) = FrameReader::glance(path)? else { return Ok(None) };
        let mut recording = Recording::new(path.to_owned(), manifest, frames, Objects::default());
        let (frames, program) = (&recording.frames, &mut recording.program);
        TableReader::default().read(frames, program, Some(&mut recording.objects), false);
        if !program.outline().is_known() {
            return Ok(None);
        }
        for stream in program.outline().unended() {
            let Some(last) = last_ordering_point(frames, stream) else { return Ok(None) };
            program.outline_mut().end_at(stream, last);
        }
        Ok(Some(Glance { recording }))
    }

    pub fn manifest(&self) -> &Manifest {
        self.recording.manifest()
    }

    pub fn program(&self) -> &Program {
        self.recording.program()
    }

    pub fn outline(&self) -> &Outline {
        self.recording.program().outline()
    }

    /// As of a recording; nothing is known of its objects.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The streams of threads.
    pub fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.recording.frames().streams().filter(|&stream| stream != StreamId::TABLES)
    }

    /// Bytes of a stream before compression.
    pub fn length_of(&self, stream: StreamId) -> u64 {
        self.recording.frames().length_of(stream)
    }

    /// Did the stream end before the program did?
    pub fn is_ended(&self, stream: StreamId) -> bool {
        self.recording.frames().is_ended(stream)
    }

    /// Bytes of all streams before compression, the tables left out.
    pub fn length(&self) -> u64 {
        self.streams().map(|stream| self.length_of(stream)).sum()
    }

    /// How many objects and strings there are, about: blocks of numbers are counted as if they were used up.
    pub fn numbered(&self) -> (u64, u64) {
        self.outline().numbered()
    }

    /// The streams of each thread, in order.
    pub fn by_thread(&self) -> BTreeMap<u64, Vec<Thread>> {
        let mut threads: BTreeMap<u64, Vec<Thread>> = BTreeMap::new();
        for thread in self.recording.threads() {
            threads.entry(thread.thread).or_default().push(thread);
        }
        threads
    }

    /// How often each of some methods was entered, by what the log says of it: calls that recorded code made of them are mostly not
    /// there, calls that a library made are. Reads everything once, and replays nothing.
    pub fn entered(&self, methods: &HashSet<MethodId>) -> HashMap<MethodId, u64> {
        let streams: Vec<StreamId> = self.streams().collect();
        let next = AtomicUsize::new(0);
        let total = Mutex::new(HashMap::new());
        let work = || {
            let mut own: HashMap<MethodId, u64> = HashMap::new();
            while let Some(&stream) = streams.get(next.fetch_add(1, Ordering::Relaxed)) {
                let frames = self.recording.frames();
                for piece in frames.pieces(stream) {
                    let Piece::Frame(frame) = piece else { continue };
                    record::for_each_entered(&frames.load(frame).unwrap_or_default(), |method| {
                        if methods.contains(&method) {
                            *own.entry(method).or_default() += 1;
                        }
                    });
                }
            }
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            for (method, count) in own {
                *total.entry(method).or_default() += count;
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from).min(streams.len());
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
        total.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Some of the streams as a recording of their own: whoever reads it sees these and no others.
    pub fn into_part(self, streams: &BTreeSet<StreamId>) -> Recording {
        let mut recording = self.recording;
        let Recording { frames, program, objects, .. } = &mut recording;
        let mut wanted = Wanted::default();
        for &stream in streams {
            for_each(frames, stream, |record| {
                objects.define(record);
                wanted.note(record);
            });
        }
        wanted.find(frames, program.outline(), objects, streams);
        frames.keep_only(streams);
        recording
    }
}

/// What is mentioned and not defined.
#[derive(Default)]
struct Wanted {
    objects: HashSet<ObjectId>,
    strings: HashSet<StringId>,
    enums: HashSet<(TypeId, u16)>,
}

impl Wanted {
    fn note(&mut self, record: &Record<'_>) {
        match *record {
            Record::Ref(0) => {}
            Record::Ref(id) => self.object(ObjectId(id)),
            Record::Fields { id, .. } | Record::Content { id, .. } | Record::Contents { id, .. } => {
                self.object(id);
            }
            Record::Str(string) => self.string(string),
            Record::EnumObject { name, .. } | Record::EnumName { name, .. } => self.string(name),
            Record::Exception { message, .. } => self.string(message),
            Record::Enum { ty, ordinal } => {
                self.enums.insert((ty, ordinal));
            }
            _ => {}
        }
    }

    fn object(&mut self, id: ObjectId) {
        self.objects.insert(id);
    }

    fn string(&mut self, id: StringId) {
        self.strings.insert(id);
    }

    /// Takes the definitions in that other streams than those that were `read` have. What is found may mention strings in turn.
    fn find(
        mut self,
        frames: &FrameReader,
        outline: &Outline,
        objects: &mut Objects,
        read: &BTreeSet<StreamId>,
    ) {
        loop {
            let mut streams = BTreeSet::new();
            self.objects.retain(|&id| objects.type_of(id).is_none());
            self.strings.retain(|&id| objects.string(id).is_none());
            self.enums.retain(|&(ty, ordinal)| objects.enum_name(ty, ordinal).is_none());
            streams.extend(self.objects.iter().filter_map(|&id| outline.definer(id)));
            streams.extend(self.strings.iter().filter_map(|&id| outline.string_definer(id)));
            streams.extend(self.enums.iter().filter_map(|&(ty, ordinal)| outline.enum_definer(ty, ordinal)));
            let mut more = Wanted::default();
            for stream in streams.difference(read) {
                for_each(frames, *stream, |record| {
                    if self.has(record) {
                        objects.define(record);
                        more.note(record);
                    }
                });
            }
            more.strings.retain(|&id| objects.string(id).is_none());
            if more.strings.is_empty() {
                return;
            }
            self = more;
        }
    }

    fn has(&self, record: &Record<'_>) -> bool {
        match record {
            Record::Object { id, .. } | Record::Array { id, .. } | Record::EnumObject { id, .. } => {
                self.objects.contains(id)
            }
            Record::Exception { id, .. } | Record::Doubt(id) => self.objects.contains(id),
            Record::String { id, .. } => self.strings.contains(id),
            Record::EnumName { ty, ordinal, .. } => self.enums.contains(&(*ty, *ordinal)),
            _ => false,
        }
    }
}

/// The records of a stream.
fn for_each(frames: &FrameReader, stream: StreamId, mut see: impl FnMut(&Record<'_>)) {
    for piece in frames.pieces(stream) {
        let Piece::Frame(frame) = piece else { continue };
        let Some(bytes) = frames.load(frame) else { continue };
        Records::new(&bytes).for_each(|record| see(&record));
    }
}

fn last_ordering_point(frames: &FrameReader, stream: StreamId) -> Option<u64> {
    for piece in frames.pieces(stream).iter().rev() {
        let Piece::Frame(frame) = piece else { return None };
        let bytes = frames.load(frame)?;
        let points = Records::new(&bytes).filter_map(|record| match record {
            Record::Seq(number) => Some(number),
            _ => None,
        });
        if let Some(last) = points.last() {
            return Some(last);
        }
    }
    // Nothing was written to it.
    frames.pieces(stream).is_empty().then_some(0)
}
