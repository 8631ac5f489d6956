//! An index, opened for reading. Everything is looked up in mapped files; what is kept in memory is a few lists
//! whose size goes with the number of threads and segments, not of events.

mod lookup;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use base::{
    Arguments, CallId, Ending, ObjectId, PendingId, Position, StreamId, Target, Time, Value, simple_name,
};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use trace::{Checkpoint, Jump, KINDS, LibraryField, Program, Recording};

use crate::blocks::Blocks;
use crate::build::WHOLE_EVERY;
use crate::call::{CallRow, decode_args};
use crate::error::{Error, Result, cannot_read, cannot_write};
use crate::file::{BLOCK, Bytes, RowFile};
use crate::groups::{self, Groups};
use crate::index_writer::CHILD_STEP;
use crate::lists::{CheckpointRow, ChildRow, EventRow, JumpRow, ProgramRow, StreamRow};
use crate::order::Order;
use crate::posting::{Key, Posting};
use crate::segment::SegmentRow;
use crate::sizes;

/// Version of the index's files. An index of another version is built again.
pub(crate) const VERSION: u32 = 8;
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

/// Rows of calls that are read ahead, 12 MB of them.
const READ_AHEAD: usize = 1 << 18;

pub struct Index {
    dir: PathBuf,
    meta: Meta,
    streams: BTreeMap<StreamId, StreamRow>,
    calls: RowFile<CallRow>,
    call_blocks: RowFile<u32>,
    program_calls: RowFile<ProgramRow>,
    call_sizes: RowFile<u32>,
    args: Bytes,
    named: RowFile<u32>,
    named_blocks: RowFile<u32>,
    postings: Bytes,
    blocks: Blocks,
    /// By stream, in order of time.
    segments: BTreeMap<StreamId, Vec<Stretch>>,
    contents: Bytes,
    /// One bit per library object or array: does it have postings of ranges?
    ranged: RowFile<u64>,
    /// Fields of which something was read that no write had told.
    read_fields: HashSet<u32>,
    order: Order,
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
        Ok(Index {
            dir: dir.to_owned(),
            meta,
            streams,
            calls: RowFile::open(&dir.join("calls"))?,
            call_blocks: RowFile::open(&dir.join("call-blocks"))?,
            program_calls: RowFile::open(&dir.join("program-calls"))?,
            call_sizes: RowFile::open(&dir.join(sizes::FILE))?,
            args: Bytes::open(&dir.join("arguments"))?,
            named: RowFile::open(&dir.join("named"))?,
            named_blocks: RowFile::open(&dir.join("named-blocks"))?,
            postings: Bytes::open(&dir.join("postings"))?,
            blocks: Blocks::default(),
            segments,
            contents: Bytes::open(&dir.join("contents"))?,
            ranged: RowFile::open(&dir.join("ranged"))?,
            read_fields: RowFile::<u32>::open(&dir.join("read-fields"))?.iter().collect(),
            order,
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

    /// Gives the memory back that mapped files take up in this process. They are read again when they are needed.
    pub fn release(&self) {
        self.remembered().clear();
        self.blocks.clear();
        let bytes = [&self.args, &self.postings, &self.contents, &self.checkpoint_bytes];
        bytes.into_iter().for_each(Bytes::release);
        self.calls.release();
        self.call_blocks.release();
        self.program_calls.release();
        self.call_sizes.release();
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

    // Calls.

    /// How many calls a stream has.
    pub fn calls(&self, stream: StreamId) -> u32 {
        self.streams.get(&stream).map_or(0, |row| row.calls)
    }

    pub fn call(&self, id: CallId) -> Option<CallRow> {
        if !self.open.is_empty()
            && let Some(call) = self.open.get(&id)
        {
            return Some(*call);
        }
        let row = self.streams.get(&id.stream).filter(|row| id.index < row.calls)?;
        let block = row.call_blocks as usize + (u64::from(id.index) / BLOCK) as usize;
        let place = u64::from(self.call_blocks.get(block)?) * BLOCK + u64::from(id.index) % BLOCK;
        let mut call = self.calls.get(usize::try_from(place).ok()?)?;
        call.ending = self.resolved_ending(id.stream, call.ending);
        Some(call)
    }

    fn resolved_ending(&self, stream: StreamId, ending: Ending) -> Ending {
        match ending {
            Ending::Returned(Some(value)) => Ending::Returned(Some(self.resolved(stream, value))),
            Ending::Threw(Some(value)) => Ending::Threw(Some(self.resolved(stream, value))),
            ending => ending,
        }
    }

    /// All calls of a stream, in the order in which they began. Reads the file ahead, which single questions do not.
    pub fn all_calls(&self, stream: StreamId) -> impl Iterator<Item = (CallId, CallRow)> + '_ {
        let row = self.streams.get(&stream);
        let (blocks, calls) = row.map_or((0, 0), |row| (row.call_blocks as usize, row.calls));
        let mut block = 0;
        let mut asked = 0..0;
        (0..calls).map_while(move |index| {
            let within = u64::from(index) % BLOCK;
            if within == 0 {
                let number = self.call_blocks.get(blocks + (u64::from(index) / BLOCK) as usize)?;
                block = usize::try_from(u64::from(number) * BLOCK).ok()?;
                if !asked.contains(&block) {
                    self.calls.read_ahead(block, READ_AHEAD);
                    asked = block..block.saturating_add(READ_AHEAD / 2);
                }
            }
            let mut call = self.calls.get(block + within as usize)?;
            call.ending = self.resolved_ending(stream, call.ending);
            Some((CallId { stream, index }, call))
        })
    }

    pub fn arguments(&self, id: CallId) -> Option<Arguments> {
        let call = self.call(id)?;
        let mut args = decode_args(self.args.get().get(usize::try_from(call.args).ok()?..)?)?;
        args.receiver = args.receiver.map(|value| self.resolved(id.stream, value));
        args.values.iter_mut().for_each(|value| *value = self.resolved(id.stream, *value));
        Some(args)
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

    /// How many calls of a stream before the one with this number are of program code; the number may be one past
    /// the last.
    pub fn program_calls_before(&self, stream: StreamId, index: u32) -> u32 {
        let Some(row) = self.streams.get(&stream) else { return 0 };
        let Some(last) = index.min(row.calls).checked_sub(1) else { return 0 };
        let (block, bit) = (u64::from(last) / BLOCK, u64::from(last) % BLOCK);
        let found = self.program_calls.get(row.call_blocks as usize + block as usize).unwrap_or_default();
        found.before + (found.bits & (u64::MAX >> (BLOCK - 1 - bit))).count_ones()
    }

    /// Is a call one of program code?
    pub fn is_program_call(&self, id: CallId) -> bool {
        let row = self.streams.get(&id.stream).filter(|row| id.index < row.calls);
        let found = row.and_then(|row| {
            self.program_calls.get(row.call_blocks as usize + (u64::from(id.index) / BLOCK) as usize)
        });
        found.is_some_and(|found| found.bits & (1 << (u64::from(id.index) % BLOCK)) != 0)
    }

    /// Calls in a call, itself included: what its row says, from a column of its own, so that going from sibling to
    /// sibling reads little.
    pub fn call_size(&self, id: CallId) -> u32 {
        let row = self.streams.get(&id.stream).filter(|row| id.index < row.calls);
        let place = row.map(|row| u64::from(row.call_blocks) * BLOCK + u64::from(id.index));
        place.and_then(|place| self.call_sizes.get(usize::try_from(place).ok()?)).unwrap_or(1).max(1)
    }

    /// Calls of a stream that have not ended, as far as is recorded, the outermost first.
    pub fn open_calls(&self, stream: StreamId) -> Vec<CallId> {
        let mut open = Vec::new();
        let mut next = self.calls(stream).checked_sub(1);
        while let Some(index) = next {
            let id = CallId { stream, index };
            let Some(call) = self.call(id) else { break };
            if call.ending == Ending::Open {
                open.push(id);
            }
            next = call.parent;
        }
        open.reverse();
        open
    }

    /// The call of a thread that began last up to an event.
    pub fn last_begun(&self, position: Position) -> Option<CallId> {
        let id = |index: u32| CallId { stream: position.stream, index };
        let (mut low, mut high) = (0, self.calls(position.stream));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.call(id(middle))?.entry <= position.ordinal {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1).map(id)
    }

    /// The innermost call around an event.
    pub fn call_at(&self, position: Position) -> Option<CallId> {
        let mut found = self.last_begun(position)?;
        loop {
            let call = self.call(found)?;
            if call.exit >= position.ordinal {
                return Some(found);
            }
            found = CallId { index: call.parent?, ..found };
        }
    }

    /// `count` calls that a call made itself, from number `from` on.
    pub fn children(&self, parent: CallId, from: u32, count: usize) -> Vec<CallId> {
        let Some(call) = self.call(parent) else { return Vec::new() };
        let id = |index: u32| CallId { stream: parent.stream, index };
        // The nearest child that was noted, at or before the first.
        let (stream, at) = (parent.stream.0, from / CHILD_STEP);
        let wanted = (stream, parent.index, at);
        let after = self
            .children
            .partition_point(0, self.children.len(), |row| (row.stream, row.parent, row.at) <= wanted);
        let noted = after.checked_sub(1).and_then(|at| self.children.get(at));
        let noted = noted.filter(|row| row.stream == stream && row.parent == parent.index);
        let (number, first) = noted.map_or((0, parent.index + 1), |row| (row.at * CHILD_STEP, row.row));
        let end = parent.index.saturating_add(call.size);
        self.siblings(id(first), end).skip(from.saturating_sub(number) as usize).take(count).collect()
    }

    /// `count` outermost calls of a stream, from number `from` on.
    pub fn roots(&self, stream: StreamId, from: u32, count: usize) -> Vec<CallId> {
        let first = CallId { stream, index: 0 };
        self.siblings(first, self.calls(stream)).skip(from as usize).take(count).collect()
    }

    fn siblings(&self, first: CallId, end: u32) -> impl Iterator<Item = CallId> + '_ {
        let mut next = first.index;
        std::iter::from_fn(move || {
            let id = CallId { stream: first.stream, index: next };
            let call = (next < end).then(|| self.call(id))??;
            next = next.saturating_add(call.size.max(1));
            Some(id)
        })
    }

    /// The call among those that a call made itself that another call is, or lies in.
    pub fn child_around(&self, parent: CallId, inner: CallId) -> Option<CallId> {
        let end = parent.index.checked_add(self.call_size(parent))?;
        if inner.stream != parent.stream || inner.index <= parent.index || inner.index >= end {
            return None;
        }
        let wanted = (parent.stream.0, parent.index, inner.index);
        let rows = &self.children;
        let after = rows.partition_point(0, rows.len(), |row| (row.stream, row.parent, row.row) <= wanted);
        let noted = after.checked_sub(1).and_then(|at| rows.get(at));
        let noted = noted.filter(|row| row.stream == parent.stream.0 && row.parent == parent.index);
        let mut found = CallId { index: noted.map_or(parent.index + 1, |row| row.row), ..parent };
        loop {
            let next = found.index.checked_add(self.call_size(found))?;
            if next > inner.index {
                return Some(found);
            }
            found.index = next;
        }
    }

    /// How to step over a call without replaying it, if it is long.
    pub fn jump(&self, id: CallId) -> Option<Jump> {
        let wanted = (id.stream.0, id.index);
        let at = self.jumps.partition_point(0, self.jumps.len(), |row| (row.stream, row.call) < wanted);
        self.jumps.get(at).filter(|row| (row.stream, row.call) == wanted).map(|row| row.jump)
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
