//! Listens to the replay of one stream and writes down what the index keeps of it: a row per call, postings per
//! location and object, ordering points, exceptions, output. Holds only what is open: the stack of calls, the objects
//! under construction and the segment that is being filled.

mod calls;
mod contents;
mod reads;

use std::collections::BTreeSet;

use base::{Ending, Target};
use rustc_hash::FxHashMap;
use trace::{
    CalleeId, Event, EventKind, FieldRef, Jump, KINDS, LibraryFieldNumbers, ObjectId, Objects, Program, Read,
    ReadKind, StreamId, Then, Value, Visitor, kinds,
};

use crate::call::{CallRow, LateRow};
use crate::call_stripe::PACKED;
use crate::call_stripe::{CallFiles, CallStripe};
use crate::callee_traits::CalleeTraits;
use crate::error::{Error, Result};
use crate::file::{Appender, Stripe, Striped};
use crate::lists::{ChildRow, EventRow, JumpRow};
use crate::order::Points;
use crate::packed::{Packed, kind};
use crate::posting::{Key, NO_BCI, Posting, PostingKind, Stored};
use crate::reads::{Fits, Reads};
use crate::sealer::Sealer;
use crate::wrapped::{Buffering, Wrapped};

/// Every how many children of a call one is noted, so that a page of children is found without walking from the
/// first.
pub(crate) const CHILD_STEP: u32 = 256;
/// Calls that take so many events to replay can be stepped over: those events that nobody can step over within, and for each
/// call within that can be stepped over `JUMP_COST`, which is about what loading the piece of the log behind it takes. So a
/// recursion has a few of these and not one for each level, and there is one per `JUMP_COST` events at most.
pub const WORTH_A_JUMP: u64 = 4096;
const JUMP_COST: u64 = 2048;

/// The files that all streams write to.
pub(crate) struct Files {
    pub calls: CallFiles,
    /// By number of the object under construction: which object it became.
    pub named: Striped<u32>,
    pub contents: Appender,
    pub sealer: Sealer,
    /// One bit per library object or array: was a range of it written or seen?
    pub ranged: Vec<u64>,
    pub reads: Reads,
    pub wrapped: Wrapped,
    /// Fields of which something was read that no write had told.
    pub read_fields: BTreeSet<u32>,
    pub library_fields: LibraryFieldNumbers,
    pub jumps: Vec<JumpRow>,
    pub children: Vec<ChildRow>,
    pub throws: Vec<EventRow>,
    pub output: Vec<EventRow>,
    pub gaps: Vec<EventRow>,
}

/// What is open in a stream.
pub(crate) struct IndexWriter {
    pub stream: StreamId,
    pub calls: CallStripe,
    pub named: Stripe,
    pub ordering_points: Points,
    pub ordinal: u64,
    pub kinds: [u64; KINDS.len()],
    /// Writes to fields whose class is not in the recording.
    pub unfiled: u64,
    pub postings: Vec<Stored>,
    open: Vec<Open>,
    /// How many of the open are calls of program code.
    depth: u32,
    /// Postings of objects that have no identity yet.
    pending: FxHashMap<u32, Vec<Posting>>,
    /// Fields of libraries of which the program told what they hold, and no code of a library has run since.
    told: BTreeSet<Key>,
    /// The exception that left a call last.
    leaving: Option<Value>,
    /// Where the call that is about to be left by an exception ends.
    end: Option<Jump>,
    /// Events that nobody has to replay, because calls can be stepped over.
    spared: u64,
    /// Arrays of arrays that the last instruction made, while their contents are told.
    fresh: Vec<ObjectId>,
    /// Array, first element and length of the copy that was begun last.
    copying: Option<(ObjectId, u32, u32)>,
    /// Arrays that open calls into libraries were given, with the rows of these.
    given: Vec<(u32, ObjectId)>,
    /// That objects came into being in open calls of `newInstance`, with the rows of these.
    reflected: Vec<(u32, Posting)>,
    /// Where the call that was made last reads to, if it does: from this element on. Once it is back: up to this one.
    reading: Option<u32>,
    filled: Option<u32>,
    /// What the call that was made last has to do with buffers.
    buffering: Buffering,
    traits: CalleeTraits,
    /// The call into a library that came back last, and whether what it wrote to the array that is told is recorded.
    back: Option<CalleeId>,
    is_written_down: bool,
    scratch: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A call of program code; `called`: an instruction of the program called it, and will see it return.
    Program { called: bool },
    /// A call that was made; nothing of the program was entered for it yet.
    Made,
    /// A call that is no call to a person: it has no row.
    Hidden,
    /// Program code that was called has ended; its caller has not gone on yet.
    Ended,
}

/// A call of program code by somebody else.
const FOREIGN: Kind = Kind::Program { called: false };

struct Open {
    kind: Kind,
    row: u32,
    call: Option<OpenCall>,
    /// When its code was entered, and what it took to get there.
    entered: Entered,
    /// It does not matter to the fields of libraries.
    harmless: bool,
}

/// What is still asked of a call that has not ended, or still changes.
#[derive(Clone, Copy)]
struct OpenCall {
    target: Target,
    entry: u64,
    bci: u16,
    depth: u32,
    children: u32,
}

impl Open {
    fn without_row(kind: Kind) -> Open {
        Open { kind, row: 0, call: None, entered: Entered::default(), harmless: false }
    }
}

/// When code was entered: the ordinal of the event, and how many events before it nobody has to replay.
#[derive(Clone, Copy, Default)]
struct Entered {
    at: u64,
    spared: u64,
}

impl IndexWriter {
    pub fn new(stream: StreamId) -> IndexWriter {
        IndexWriter {
            stream,
            calls: CallStripe::default(),
            named: Stripe::default(),
            ordering_points: Points::default(),
            ordinal: 0,
            kinds: [0; KINDS.len()],
            unfiled: 0,
            postings: Vec::new(),
            open: Vec::new(),
            depth: 0,
            pending: FxHashMap::default(),
            told: BTreeSet::new(),
            leaving: None,
            end: None,
            spared: 0,
            fresh: Vec::new(),
            copying: None,
            given: Vec::new(),
            reflected: Vec::new(),
            reading: None,
            filled: None,
            buffering: Buffering::default(),
            traits: CalleeTraits::default(),
            back: None,
            is_written_down: false,
            scratch: Vec::new(),
        }
    }

    /// Brings the rows of open calls up to date and writes them, so that the files can be read.
    pub fn publish(&mut self, files: &mut Files) -> Result<()> {
        self.refresh(0, files)?;
        self.calls.show(&mut files.calls, self.stream)?;
        files.named.flush(&self.named)
    }

    /// Brings the rows of open calls up to date, from a row on.
    fn refresh(&mut self, from: u32, files: &mut Files) -> Result<()> {
        let last = self.ordinal.saturating_sub(1);
        for open in self.open.iter().rev() {
            let Some(OpenCall { children, .. }) = open.call else { continue };
            if open.row < from {
                break;
            }
            let size = self.calls.rows as u32 - open.row;
            let end = LateRow { exit: last, size, children, ending: Ending::Open };
            self.calls.set(&mut files.calls, open.row, &end)?;
        }
        Ok(())
    }

    /// Packs the oldest calls that are kept; all if the stream has ended.
    pub fn pack(&mut self, files: &mut Files, is_last: bool) -> Result<()> {
        // Those that are packed and still open have rows of their own, which nobody reads before the next publication; in a deep
        // recursion they are hundreds of thousands.
        let from = if is_last { 0 } else { self.calls.unpacked().0 };
        self.refresh(from, files)?;
        let (first, rows, values) = self.calls.unpacked();
        let count = if is_last { rows.len() } else { rows.len().min(PACKED) };
        for (at, row) in rows[..count].iter().enumerate() {
            for part in 0..usize::from(row.args) {
                let Some(value) = values.get_mut(row.values as usize + part) else { continue };
                if value.kind != kind::PENDING {
                    continue;
                }
                // It has its name by now, or will be filed under it when it gets it.
                let name = files.named.get(&self.named, value.bits).filter(|&name| name != 0);
                if let Some(name) = name {
                    *value = Packed { kind: kind::OBJECT, bits: u64::from(name) };
                } else if !is_last {
                    let what = PostingKind::Used { call: first + at as u32, part: part as u32 };
                    let CallRow { entry: ordinal, bci, .. } = row.call;
                    let key = Key::uses(ObjectId(0));
                    let posting = Posting { key, ordinal, bci, library: false, what };
                    self.pending.entry(value.bits as u32).or_default().push(posting);
                }
            }
        }
        self.calls.pack(&mut files.calls, self.stream, count, is_last)
    }

    /// The stream has ended: nothing of it is kept in memory.
    pub fn finish(&mut self, files: &mut Files) -> Result<()> {
        self.pack(files, true)?;
        files.sealer.seal(self.stream.0, &mut self.postings)?;
        self.pending = FxHashMap::default();
        files.named.close(&mut self.named)?;
        files.calls.late.close(&mut self.calls.late)
    }
}

/// An index writer at work.
pub(crate) struct Writing<'a> {
    pub writer: &'a mut IndexWriter,
    pub files: &'a mut Files,
    pub program: &'a Program,
    pub objects: &'a Objects,
    /// The first thing that went wrong; nothing is written after it.
    pub failed: Option<Error>,
}

impl Visitor for Writing<'_> {
    const READS: bool = true;
    const FLOW: bool = false;

    #[inline]
    fn event(&mut self, event: &Event<'_>) -> Then {
        self.writer.kinds[event.kind.index()] += 1;
        let done = self.write_down(event);
        self.writer.ordinal += 1;
        match done {
            Ok(()) => Then::On,
            Err(error) => {
                self.failed = Some(error);
                Then::Stop
            }
        }
    }

    #[inline]
    fn flow(&mut self, kind: &EventKind<'_>) {
        self.writer.kinds[kind.index()] += 1;
        self.writer.ordinal += 1;
        if !self.writer.fresh.is_empty() {
            self.writer.fresh.clear();
        }
    }

    #[inline]
    fn read(&mut self, read: &Read<'_>) {
        let at = self.writer.ordinal;
        match &read.kind {
            &ReadKind::Field { object: Value::Object(object), field, ref value } => {
                if let Some(field) = field.id(self.program) {
                    let key = Key::field(object, field);
                    match self.files.reads.read(key, value, at) {
                        Fits::Same => {}
                        Fits::Other(before, then) => {
                            let value = *value;
                            if self.is_changed(Some(object), before, value) {
                                self.changed(key, field, (before, then), value, read);
                            }
                        }
                        Fits::Missing { ever } => {
                            let value = *value;
                            if self.is_untold(object, field, value, ever) {
                                self.files.read_fields.insert(field.0);
                                self.post_read(key, value, at, read.site.bci);
                            }
                        }
                    }
                } else {
                    self.read_of_library(object, field, *value, read);
                }
            }
            &ReadKind::Element { array: Value::Object(array), index, ref value } => {
                if self.files.reads.is_unseen(array, index as u32) {
                    let key = Key::element(array, index as u32);
                    if self.files.reads.read(key, value, at) != Fits::Same {
                        self.post_read(key, *value, at, read.site.bci);
                    }
                }
            }
            &ReadKind::Static { field, value } => {
                let Some(field) = field.id(self.program) else { return };
                let key = Key::of_static(field);
                match self.files.reads.read(key, value, at) {
                    Fits::Other(before, then) if self.is_changed(None, before, value) => {
                        self.changed(key, field, (before, then), value, read);
                    }
                    // It was written where nobody has looked.
                    Fits::Missing { .. } if self.files.reads.partial => {
                        self.post_read(key, value, at, read.site.bci);
                    }
                    _ => {}
                }
            }
            // What has no identity is not told apart.
            ReadKind::Field { .. } | ReadKind::Element { .. } => {}
        }
    }
}

impl Writing<'_> {
    #[inline]
    // What is frequent is taken by reference: copying a value whose parts were just written waits for them.
    fn write_down(&mut self, event: &Event<'_>) -> Result<()> {
        let bci = event.site.filter(|_| !event.library).map_or(NO_BCI, |site| site.bci);
        let at = At { ordinal: self.writer.ordinal, bci, library: event.library };
        if !self.writer.fresh.is_empty() && !matches!(event.kind, EventKind::ArrayContents { .. }) {
            self.writer.fresh.clear();
        }
        match &event.kind {
            EventKind::FieldWrite { object, field, value } => {
                self.field_write(object, field, value, at);
                return Ok(());
            }
            &EventKind::ArrayWrite { array: Value::Object(array), index, ref value } => {
                let (key, value) = (Key::element(array, index as u32), Packed::from(value));
                if self.files.reads.is_unseen(array, index as u32) {
                    self.files.reads.wrote(key, value);
                }
                self.written(key, value, at);
                return Ok(());
            }
            EventKind::StaticWrite { field, value } => {
                match field.id(self.program) {
                    Some(field) => {
                        let (key, value) = (Key::of_static(field), Packed::from(value));
                        self.files.reads.wrote(key, value);
                        self.written(key, value, at);
                    }
                    None => self.writer.unfiled += 1,
                }
                return Ok(());
            }
            _ => {}
        }
        match event.kind {
            kinds! { branches LocalWrite } => {}
            EventKind::Call { callee, args } => return self.call(callee, args, at),
            EventKind::Return { value } => return self.returned(Ending::Returned(value), at),
            EventKind::Enter { receiver, args, called } => {
                return self.enter(event, receiver, args, called);
            }
            EventKind::Exit { value } => {
                return self.leave(event.depth, Ending::Returned(value), event.end);
            }
            EventKind::Unwind { exception, .. } => {
                self.writer.leaving = exception;
                let end = self.writer.end.take();
                return self.leave(event.depth, Ending::Threw(exception), end);
            }
            EventKind::Throw { exception } => return self.throw(exception, event.end, at),
            EventKind::OrderingPoint { number } => self.writer.ordering_points.add(number, at.ordinal),
            EventKind::New { object, .. } => self.post_object(object, Key::created, PostingKind::Created, at),
            EventKind::NewArray { array, class } => {
                self.post_object(array, Key::created, PostingKind::Created, at);
                if let (true, Value::Object(array)) = (class.starts_with("[["), array) {
                    self.writer.fresh.push(array);
                }
            }
            EventKind::Named { pending, object } => return self.name(pending.0, object),
            EventKind::BulkWrite(bulk) => self.bulk(bulk, at),
            EventKind::ArrayContents { array, from, elements, length } => {
                return self.contents(array, (from, length), elements, at);
            }
            EventKind::ObjectContents { object, values } => self.object_contents(object, values, at),
            kinds! { losses } => {
                let row = self.row(at.ordinal);
                self.files.gaps.push(row);
            }
            // Arrays without an identity are not told apart.
            kinds! { writes } => {}
            kinds! { threads monitors Catch } => {}
        }
        Ok(())
    }

    #[inline]
    fn post(&mut self, key: Key, what: PostingKind, at: At) {
        let posting = Posting { key, ordinal: at.ordinal, bci: at.bci, library: at.library, what };
        self.writer.postings.push(Stored::from(&posting));
    }

    fn post_range(&mut self, array: ObjectId, what: PostingKind, at: At) {
        let (word, bit) = (array.number() as usize / 64, array.number() % 64);
        if self.files.ranged.len() <= word {
            self.files.ranged.resize(word + 1, 0);
        }
        self.files.ranged[word] |= 1 << bit;
        self.post(Key::ranges(array), what, at);
    }

    /// Files something under an object, which may still be without identity.
    #[inline]
    fn post_object(&mut self, object: Value, key: impl Fn(ObjectId) -> Key, what: PostingKind, at: At) {
        match object {
            Value::Object(object) => {
                if matches!(what, PostingKind::Created) {
                    self.files.reads.make(object);
                }
                self.post(key(object), what, at);
            }
            Value::Pending(pending) => {
                let key = key(ObjectId(0));
                let posting = Posting { key, ordinal: at.ordinal, bci: at.bci, library: at.library, what };
                self.writer.pending.entry(pending.0).or_default().push(posting);
            }
            _ => {}
        }
    }

    /// A location was written, and what it was written with is stored there now.
    #[inline]
    fn written(&mut self, key: Key, value: Packed, at: At) {
        let At { ordinal, bci, library } = at;
        self.writer.postings.push(Stored::written(key, value, ordinal, bci, library));
        if value.kind == kind::OBJECT {
            let object = ObjectId(value.bits as u32);
            self.writer.postings.push(Stored::placed(object, key, ordinal, bci, library));
        }
    }

    #[inline]
    fn field_write(&mut self, object: &Value, field: &FieldRef, value: &Value, at: At) {
        let known = field.id(self.program);
        let Some(field) = known.or_else(|| if at.library { None } else { self.library_field(field) }) else {
            self.writer.unfiled += u64::from(!at.library);
            return;
        };
        let &Value::Object(object) = object else {
            self.post_object(*object, |object| Key::field(object, field), PostingKind::Written(*value), at);
            return;
        };
        let (key, value) = (Key::field(object, field), Packed::from(value));
        self.files.reads.wrote(key, value);
        if field.is_of_library() {
            self.writer.told.insert(key);
        }
        self.written(key, value, at);
    }

    fn name(&mut self, pending: u32, object: Value) -> Result<()> {
        let Value::Object(object) = object else { return Ok(()) };
        let number = u64::from(pending);
        while self.writer.named.rows <= number {
            self.files.named.push(&mut self.writer.named, &0)?;
        }
        self.files.named.set(&mut self.writer.named, number, &object.0)?;
        let postings = self.writer.pending.remove(&pending).unwrap_or_default();
        let foreign = postings.iter().any(|one| one.library && one.what == PostingKind::Created);
        if !foreign {
            self.files.reads.make(object);
        }
        for mut posting in postings {
            posting.key.object = object.0;
            match posting.what {
                PostingKind::Created if foreign => {
                    self.constructed(object, posting);
                    continue;
                }
                PostingKind::Written(value) => self.files.reads.wrote(posting.key, value),
                _ => {}
            }
            self.writer.postings.push(Stored::from(&posting));
        }
        Ok(())
    }

    fn row(&self, ordinal: u64) -> EventRow {
        let call = self.writer.open.iter().rev().find(|open| open.call.is_some()).map(|open| open.row);
        EventRow { stream: self.writer.stream.0, call: call.unwrap_or(u32::MAX), ordinal }
    }

    fn scratch(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        self.writer.scratch.clear();
        fill(&mut self.writer.scratch);
    }
}

#[derive(Clone, Copy)]
struct At {
    ordinal: u64,
    bci: u16,
    library: bool,
}
