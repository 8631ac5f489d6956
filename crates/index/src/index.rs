//! An index, opened for reading. Everything is looked up in mapped files; what is kept in memory is a few lists
//! whose size goes with the number of threads and segments, not of events.

mod calls;
mod lookup;
mod used;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use base::{CallId, ObjectId, PendingId, Position, StreamId, Target, Time, Value, simple_name};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use trace::{Checkpoint, Jump, KINDS, LibraryField, Program, Recording};

use crate::blocks::{Blocks, DecodedBlock};
use crate::build::WHOLE_EVERY;
use crate::call::{CallRow, LateRow};
use crate::call_block::DecodedCalls;
use crate::call_packing::CALLS;
use crate::call_stripe::CallBlockRow;
use crate::error::{Error, Result, cannot_read, cannot_write};
use crate::file::{BLOCK, Bytes, RowFile};
use crate::groups::{self, Groups};
use crate::lists::{CheckpointRow, ChildRow, EventRow, JumpRow, StreamRow};
use crate::order::Order;
use crate::posting::{Key, Posting};
use crate::segment::SegmentRow;
use crate::shapes::ShapeRow;
use crate::uses::Uses;

/// Version of the index's files. An index of another version is built again.
pub(crate) const VERSION: u32 = 11;
/// Answers that are remembered.
const REMEMBERED: usize = 1 << 16;
const META: &str = "index.json";

/// What an index says of itself and of the recording as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    pub version: u32,
    pub events: u64,
    /// Calls of program code.
    pub calls: u64,
    /// How many events of each kind, without the kinds that did not occur.
    pub by_kind: BTreeMap<String, u64>,
    /// Writes to fields that could not be resolved: values of those fields are not known.
    pub unfiled: u64,
    /// Places where log and code did not fit.
    pub gaps: u64,
    /// Bytes of the log before compression.
    pub raw_bytes: u64,
    /// Fields that libraries declare and the program used, by owner, name and descriptor, in the order of their numbers.
    pub library_fields: Vec<[String; 3]>,
    /// The index's own files, with their lengths.
    pub files: BTreeMap<String, u64>,
}

impl Meta {
    pub(crate) fn new(recording: &Recording, kinds: [u64; KINDS.len()], unfiled: u64, gaps: u64) -> Meta {
        let count = |name| KINDS.iter().position(|&kind| kind == name).map_or(0, |at| kinds[at]);
        let occurred = KINDS.iter().zip(kinds).filter(|&(_, count)| count > 0);
        Meta {
            version: VERSION,
            events: kinds.iter().sum(),
            calls: count("enter"),
            by_kind: occurred.map(|(&kind, count)| (kind.to_owned(), count)).collect(),
            unfiled,
            gaps,
            raw_bytes: recording.raw_bytes(),
            library_fields: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    pub fn library_fields(&self) -> Vec<LibraryField> {
        let field = |[owner, name, descriptor]: [String; 3]| LibraryField { owner, name, descriptor };
        self.library_fields.iter().cloned().map(field).collect()
    }

    /// To be called when all files are written.
    pub(crate) fn store(mut self, dir: &Path) -> Result<()> {
        self.files = lengths(dir)?;
        let path = dir.join(META);
        let text = serde_json::to_string_pretty(&self).unwrap_or_default();
        fs::write(&path, text).map_err(cannot_write(&path))
    }

    pub(crate) fn load(dir: &Path) -> Result<Meta> {
        let path = dir.join(META);
        let text = fs::read_to_string(&path).map_err(cannot_read(&path))?;
        let unfit = |why: String| Error::Unfit { path: dir.to_owned(), why };
        let meta: Meta = serde_json::from_str(&text).map_err(|error| unfit(error.to_string()))?;
        if meta.version != VERSION {
            return Err(unfit(format!("it has version {}, this program writes {VERSION}", meta.version)));
        }
        if lengths(dir)? != meta.files {
            return Err(unfit("its files are not as they were written".to_owned()));
        }
        Ok(meta)
    }
}

/// The lengths of an index's files, without that of what says them.
fn lengths(dir: &Path) -> Result<BTreeMap<String, u64>> {
    let mut lengths = BTreeMap::new();
    for entry in fs::read_dir(dir).map_err(cannot_read(dir))? {
        let entry = entry.map_err(cannot_read(dir))?;
        let data = entry.metadata().map_err(cannot_read(dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if data.is_file() && name != META {
            lengths.insert(name, data.len());
        }
    }
    Ok(lengths)
}

pub struct Index {
    dir: PathBuf,
    meta: Meta,
    streams: BTreeMap<StreamId, StreamRow>,
    calls: Bytes,
    call_blocks: RowFile<CallBlockRow>,
    late: RowFile<LateRow>,
    late_blocks: RowFile<u32>,
    shapes: RowFile<ShapeRow>,
    shape_kinds: Bytes,
    uses: Uses,
    named: RowFile<u32>,
    named_blocks: RowFile<u32>,
    postings: Bytes,
    blocks: Blocks<DecodedBlock>,
    decoded_calls: Blocks<DecodedCalls>,
    /// By stream, in order of time.
    segments: BTreeMap<StreamId, Vec<Stretch>>,
    contents: Bytes,
    /// One bit per library object or array: does it have postings of ranges?
    ranged: RowFile<u64>,
    /// Fields of which something was read that no write had told.
    read_fields: HashSet<u32>,
    order: Order,
    /// From when to when streams have something; those that go on longest first, and those that begin first.
    latest: Vec<Span>,
    earliest: Vec<Span>,
    /// Where it is an index of some streams of a recording: the first times of those that follow without a gap. Between one
    /// island and the next is what is not known. Empty if everything is known.
    islands: Vec<Time>,
    jumps: RowFile<JumpRow>,
    children: RowFile<ChildRow>,
    throws: RowFile<EventRow>,
    output: RowFile<EventRow>,
    gaps: RowFile<EventRow>,
    checkpoints: RowFile<CheckpointRow>,
    checkpoint_bytes: Bytes,
    methods: Groups<CallId>,
    objects: Groups<ObjectId>,
    groups: Mutex<HashMap<Target, Option<usize>>>,
    /// Answers of `last`: what was found for a key, and until when that is known to be so.
    remembered: Mutex<Remembered>,
    /// Rows of calls that had not ended, if the index still grows: in the file they change when they end, and then
    /// they do not fit the rest of this index.
    open: HashMap<CallId, CallRow>,
    /// Its folder, if it goes when the index is closed.
    temporary: Option<TempDir>,
}

/// A segment, and from when to when its stream's segments may have something: the postings of an object that got its
/// name late are in a later segment than their time says.
struct Stretch {
    row: SegmentRow,
    /// The earliest posting of this and all later segments.
    begin: u64,
    /// The latest posting of this and all earlier segments.
    reach: u64,
    /// The highest number of an object that has postings in this or an earlier segment: of those that were made later there
    /// is nothing to find.
    newest: u32,
}

/// From when to when a stream has events, first and last included.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: Time,
    last: Time,
    stream: StreamId,
}

type Remembered = HashMap<Key, (Option<TimedPosting>, Time)>;

/// A posting with its place in the order of all events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedPosting {
    pub time: Time,
    pub position: Position,
    pub posting: Posting,
}

/// A list of events of note, in order of stream and event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Exceptions where they were first thrown.
    Throws,
    /// Calls that printed something.
    Output,
}

/// An event of note, and the call that it happened in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    pub position: Position,
    pub call: Option<CallId>,
}

impl Index {
    pub(crate) fn open(dir: &Path) -> Result<Index> {
        let meta = Meta::load(dir)?;
        let rows: RowFile<StreamRow> = RowFile::open(&dir.join("streams"))?;
        let streams: BTreeMap<StreamId, StreamRow> =
            rows.iter().map(|row| (StreamId(row.stream), row)).collect();
        let mut segments: BTreeMap<StreamId, Vec<Stretch>> = BTreeMap::new();
        for row in RowFile::<SegmentRow>::open(&dir.join("segments"))?.iter() {
            let list = segments.entry(StreamId(row.stream)).or_default();
            let before = list.last();
            let reach = before.map_or(row.last, |before| before.reach.max(row.last));
            let newest = before.map_or(row.newest, |before| before.newest.max(row.newest));
            list.push(Stretch { row, begin: row.first, reach, newest });
        }
        for list in segments.values_mut() {
            let mut begin = u64::MAX;
            for segment in list.iter_mut().rev() {
                begin = begin.min(segment.begin);
                segment.begin = begin;
            }
        }
        let order = Order::open(dir, streams.iter().map(|(&stream, row)| (stream, row.events)))?;
        let span = |(&stream, row): (&StreamId, &StreamRow)| {
            let time = |ordinal| order.time(Position { stream, ordinal });
            Some(Span { first: time(0)?, last: time(row.events.checked_sub(1)?)?, stream })
        };
        let mut earliest: Vec<Span> = streams.iter().filter_map(span).collect();
        earliest.sort_by_key(|span| span.first);
        let mut latest = earliest.clone();
        latest.sort_by_key(|span| std::cmp::Reverse(span.last));
        Ok(Index {
            dir: dir.to_owned(),
            meta,
            streams,
            calls: Bytes::open(&dir.join(CALLS))?,
            call_blocks: RowFile::open(&dir.join("call-blocks"))?,
            late: RowFile::open(&dir.join("late-calls"))?,
            late_blocks: RowFile::open(&dir.join("late-blocks"))?,
            shapes: RowFile::open(&dir.join("shapes"))?,
            shape_kinds: Bytes::open(&dir.join("shape-kinds"))?,
            uses: Uses::open(dir)?,
            named: RowFile::open(&dir.join("named"))?,
            named_blocks: RowFile::open(&dir.join("named-blocks"))?,
            postings: Bytes::open(&dir.join("postings"))?,
            blocks: Blocks::default(),
            decoded_calls: Blocks::default(),
            segments,
            contents: Bytes::open(&dir.join("contents"))?,
            ranged: RowFile::open(&dir.join("ranged"))?,
            read_fields: RowFile::<u32>::open(&dir.join("read-fields"))?.iter().collect(),
            order,
            latest,
            earliest,
            islands: Vec::new(),
            jumps: RowFile::open(&dir.join("jumps"))?,
            children: RowFile::open(&dir.join("children"))?,
            throws: RowFile::open(&dir.join("throws"))?,
            output: RowFile::open(&dir.join("output"))?,
            gaps: RowFile::open(&dir.join("gaps"))?,
            checkpoints: RowFile::open(&dir.join("checkpoint-list"))?,
            checkpoint_bytes: Bytes::open(&dir.join("checkpoints"))?,
            methods: Groups::open(dir, "methods")?,
            objects: Groups::open(dir, "objects")?,
            groups: Mutex::default(),
            remembered: Mutex::default(),
            open: HashMap::new(),
            temporary: None,
        })
    }

    /// As `open`, of an index whose files are written to meanwhile.
    pub(crate) fn open_growing(dir: &Path) -> Result<Index> {
        let mut index = Index::open(dir)?;
        let streams: Vec<StreamId> = index.streams.keys().copied().collect();
        let calls = streams.into_iter().flat_map(|stream| index.open_calls(stream));
        index.open = calls.filter_map(|id| Some((id, index.call(id)?))).collect();
        Ok(index)
    }

    pub(crate) fn keep_until_closed(&mut self, folder: TempDir) {
        self.temporary = Some(folder);
    }

    /// Says that it is of some streams only: those of each group follow each other without a gap, and nothing is known of what
    /// was between the groups.
    pub(crate) fn set_islands(&mut self, islands: &[Vec<StreamId>]) {
        let first = |stream: &StreamId| self.order.time(Position { stream: *stream, ordinal: 0 });
        let mut starts: Vec<Time> =
            islands.iter().filter_map(|island| island.iter().filter_map(first).min()).collect();
        starts.sort_unstable();
        self.islands = starts;
    }

    /// Are there streams in the recording that it does not have?
    pub fn is_part(&self) -> bool {
        !self.islands.is_empty()
    }

    /// The times around a time of which everything is known.
    pub fn island(&self, time: Time) -> Range<u64> {
        if self.islands.is_empty() {
            return 0..u64::MAX;
        }
        let after = self.islands.partition_point(|&start| start <= time);
        let start = after.checked_sub(1).map_or(0, |at| self.islands[at].0);
        start..self.islands.get(after).map_or(u64::MAX, |next| next.0)
    }

    /// Gives back what is kept decoded, and the memory of mapped files.
    pub fn release(&self) {
        self.remembered().clear();
        self.blocks.clear();
        self.decoded_calls.clear();
        self.let_go();
    }

    /// Gives the memory back that mapped files take up in this process. They are read again when they are needed.
    pub fn let_go(&self) {
        let bytes = [&self.calls, &self.postings, &self.contents, &self.checkpoint_bytes];
        bytes.into_iter().for_each(Bytes::release);
        self.call_blocks.release();
        self.late.release();
        self.uses.release();
        self.named.release();
        self.methods.release();
        self.objects.release();
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Streams with how many events each has.
    pub fn streams(&self) -> impl Iterator<Item = (StreamId, u64)> + '_ {
        self.streams.iter().map(|(&stream, row)| (stream, row.events))
    }

    // Time.

    /// How many events there are. Times are below.
    pub fn events(&self) -> u64 {
        self.order.events()
    }

    pub fn time(&self, position: Position) -> Option<Time> {
        self.order.time(position)
    }

    /// How many events of a stream have happened at a time, its own included.
    pub fn happened(&self, stream: StreamId, time: Time) -> u64 {
        self.order.happened(stream, time)
    }

    pub fn position(&self, time: Time) -> Option<Position> {
        self.order.position(time)
    }

    /// An object under construction by the name that it got; other values as they are.
    pub fn resolved(&self, stream: StreamId, value: Value) -> Value {
        let Value::Pending(PendingId(number)) = value else { return value };
        let named = || {
            let row = self.streams.get(&stream).filter(|row| number < row.named)?;
            let block = row.named_blocks as usize + (u64::from(number) / BLOCK) as usize;
            let place = u64::from(self.named_blocks.get(block)?) * BLOCK + u64::from(number) % BLOCK;
            self.named.get(usize::try_from(place).ok()?).filter(|&id| id != 0)
        };
        named().map_or(value, |id| Value::Object(ObjectId(id)))
    }

    /// How to step over the call whose code is entered by this event without replaying it, if that is long. Of one that has
    /// none, some of those within may have: who asks at each of them replays a few thousand events at most.
    pub fn jump(&self, enter: Position) -> Option<Jump> {
        let wanted = (enter.stream.0, enter.ordinal);
        let at = self.jumps.partition_point(0, self.jumps.len(), |row| (row.stream, row.enter) < wanted);
        self.jumps.get(at).filter(|row| (row.stream, row.enter) == wanted).map(|row| row.jump)
    }

    /// Exceptions where they were first thrown, in order of stream and event.
    pub fn throws(&self) -> impl DoubleEndedIterator<Item = Noted> + '_ {
        self.throws.iter().map(noted)
    }

    /// Calls that printed something, in order of stream and event.
    pub fn output(&self) -> impl DoubleEndedIterator<Item = Noted> + '_ {
        self.output.iter().map(noted)
    }

    /// Where in a list the events `ordinals` of a stream are.
    pub fn noted_within(&self, list: List, stream: StreamId, ordinals: Range<u64>) -> Range<usize> {
        let rows = self.list(list);
        let before = |ordinal: u64| {
            rows.partition_point(0, rows.len(), |row| (row.stream, row.ordinal) < (stream.0, ordinal))
        };
        let first = before(ordinals.start);
        first..before(ordinals.end).max(first)
    }

    /// An event of a list, by its number there.
    pub fn noted(&self, list: List, at: usize) -> Option<Noted> {
        self.list(list).get(at).map(noted)
    }

    fn list(&self, list: List) -> &RowFile<EventRow> {
        match list {
            List::Throws => &self.throws,
            List::Output => &self.output,
        }
    }

    /// Does a call, which begins at this event, print something?
    pub fn prints(&self, at: Position) -> bool {
        !self.noted_within(List::Output, at.stream, at.ordinal..at.ordinal + 1).is_empty()
    }

    /// Where something is not known, in order of stream and event.
    pub fn gaps(&self) -> impl DoubleEndedIterator<Item = Noted> + '_ {
        self.gaps.iter().map(noted)
    }

    // Names.

    /// All methods that were called: owner (with slashes), name, descriptor, how many calls.
    pub fn methods(&self) -> impl Iterator<Item = (MethodGroup, &str, &str, &str, u64)> + '_ {
        (0..self.methods.len()).map(MethodGroup).map(|group| {
            let (owner, name, descriptor) = self.method(group);
            (group, owner, name, descriptor, self.count(group))
        })
    }

    /// Owner (with slashes), name and descriptor of a method.
    pub fn method(&self, group: MethodGroup) -> (&str, &str, &str) {
        let mut parts = self.methods.name(group.0).split('\0');
        let mut part = || parts.next().unwrap_or("");
        (part(), part(), part())
    }

    /// How many calls a method has.
    pub fn count(&self, group: MethodGroup) -> u64 {
        self.methods.count(group.0)
    }

    pub fn group_of(&self, program: &Program, target: Target) -> Option<MethodGroup> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let found = *groups
            .entry(target)
            .or_insert_with(|| self.methods.find(&groups::method_name(program, target)?));
        found.map(MethodGroup)
    }

    /// How many calls of the method came before this one.
    pub fn rank(&self, group: MethodGroup, id: CallId) -> Option<u64> {
        let key = |id: &CallId| {
            Some((self.order.time(Position { stream: id.stream, ordinal: self.call(*id)?.entry })?, *id))
        };
        if self.streams.len() == 1 {
            return self.methods.rank(group.0, |other| *other < id);
        }
        let wanted = key(&id)?;
        self.methods.rank(group.0, |other| key(other).is_some_and(|other| other < wanted))
    }

    /// The call of a method with this number, from 0.
    pub fn ranked(&self, group: MethodGroup, at: u64) -> Option<CallId> {
        self.methods.member(group.0, at)
    }

    /// The calls of a group from this number on.
    pub fn ranked_from(&self, group: MethodGroup, at: u64) -> impl Iterator<Item = CallId> + '_ {
        self.methods.members(group.0, at)
    }

    /// How many objects before this one have a class of the same simple name; that, plus one, is its number.
    pub fn object_rank(&self, class: &str, id: ObjectId) -> Option<u64> {
        let group = self.objects.find(&simple_name(class))?;
        let key = |id: ObjectId| (!id.is_program(), id);
        self.objects.rank(group, |other| key(*other) < key(id))
    }

    /// The object of a class (by its simple name) with this number, from 0.
    pub fn ranked_object(&self, simple_name: &str, at: u64) -> Option<ObjectId> {
        self.objects.member(self.objects.find(simple_name)?, at)
    }

    /// Simple names of classes that have objects, and how many.
    pub fn classes(&self) -> impl Iterator<Item = (&str, u64)> + '_ {
        (0..self.objects.len()).map(|group| (self.objects.name(group), self.objects.count(group)))
    }

    // Replay.

    /// The stretch between two kept states of the replay that an event lies in: the ordinals of its first event, and of
    /// the first one behind it.
    pub fn stretch(&self, position: Position) -> std::ops::Range<u64> {
        let wanted = (position.stream.0, position.ordinal);
        let rows = &self.checkpoints;
        let after = rows.partition_point(0, rows.len(), |row| (row.stream, row.ordinal) <= wanted);
        let own = |at: usize| rows.get(at).filter(|row| row.stream == position.stream.0);
        let first = after.checked_sub(1).and_then(own).map_or(0, |row| row.ordinal);
        let events = self.streams.get(&position.stream).map_or(0, |row| row.events);
        first..own(after).map_or(events, |row| row.ordinal)
    }

    /// The last state of the replay that is kept at or before an event; none if it is best to start at the
    /// beginning.
    pub fn checkpoint(&self, position: Position) -> Option<Checkpoint> {
        let wanted = (position.stream.0, position.ordinal);
        let after = self
            .checkpoints
            .partition_point(0, self.checkpoints.len(), |row| (row.stream, row.ordinal) <= wanted);
        let at = after.checked_sub(1)?;
        let is_own = |row: &CheckpointRow| row.stream == position.stream.0;
        let mut rows = vec![self.checkpoints.get(at).filter(is_own)?];
        let mut back = at;
        while rows.last()?.shared > 0 && rows.len() <= WHOLE_EVERY as usize {
            back = back.checked_sub(1)?;
            rows.push(self.checkpoints.get(back).filter(is_own)?);
        }
        let bytes = |row: &CheckpointRow| {
            let start = usize::try_from(row.offset).ok()?;
            self.checkpoint_bytes.get().get(start..start.checked_add(row.length as usize)?)
        };
        let mut checkpoint: Option<Checkpoint> = None;
        for row in rows.iter().rev() {
            checkpoint = Some(Checkpoint::decode(bytes(row)?, checkpoint.as_ref())?.0);
        }
        checkpoint
    }
}

/// The calls of one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodGroup(usize);

impl MethodGroup {
    /// Its number among all methods that were called.
    pub fn number(self) -> u32 {
        self.0 as u32
    }
}

fn noted(row: EventRow) -> Noted {
    let stream = StreamId(row.stream);
    Noted {
        position: Position { stream, ordinal: row.ordinal },
        call: (row.call != u32::MAX).then_some(CallId { stream, index: row.call }),
    }
}
