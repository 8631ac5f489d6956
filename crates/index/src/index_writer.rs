//! Listens to the replay of one stream and writes down what the index keeps of it: a row per call, postings per
//! location and object, ordering points, exceptions, output. Holds only what is open: the stack of calls, the objects
//! under construction and the segment that is being filled.

use std::collections::BTreeSet;

use base::{Ending, FieldId, Target};
use classfile::opcode;
use rustc_hash::FxHashMap;
use trace::{
    BulkWrite, Callee, CalleeId, Elements, Event, EventKind, FieldRef, Jump, KINDS, LibraryFieldNumbers,
    ObjectId, Objects, Program, Read, ReadKind, StreamId, Then, Value, Visitor, kinds,
};

use crate::call::{CallRow, encode_args};
use crate::error::{Error, Result};
use crate::file::{Appender, Stripe, Striped};
use crate::lists::{ChildRow, EventRow, JumpRow};
use crate::order::Points;
use crate::packed::Packed;
use crate::posting::{Key, NO_BCI, Posting, PostingKind, RESULT, Stored};
use crate::reads::{Fits, Origin, Reads, is_told, is_zero};
use crate::sealer::Sealer;
use crate::wrapped::{Buffering, Wrapped};

/// Every how many children of a call one is noted, so that a page of children is found without walking from the
/// first.
pub(crate) const CHILD_STEP: u32 = 256;
/// Calls with at least so many events can be stepped over without replaying them.
const WORTH_A_JUMP: u64 = 4096;

/// The files that all streams write to.
pub(crate) struct Files {
    pub calls: Striped<CallRow>,
    pub args: Appender,
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
    pub calls: Stripe,
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
    call: Option<CallRow>,
    /// It does not matter to the fields of libraries.
    harmless: bool,
}

impl IndexWriter {
    pub fn new(stream: StreamId) -> IndexWriter {
        IndexWriter {
            stream,
            calls: Stripe::default(),
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
            fresh: Vec::new(),
            copying: None,
            given: Vec::new(),
            reflected: Vec::new(),
            reading: None,
            filled: None,
            buffering: Buffering::default(),
            back: None,
            is_written_down: false,
            scratch: Vec::new(),
        }
    }

    /// Brings the rows of open calls up to date and writes them, so that the files can be read.
    pub fn publish(&mut self, files: &mut Files) -> Result<()> {
        let last = self.ordinal.saturating_sub(1);
        for open in &self.open {
            let Some(mut call) = open.call else { continue };
            call.exit = last;
            call.size = self.calls.rows as u32 - open.row;
            files.calls.set(&mut self.calls, u64::from(open.row), &call)?;
        }
        files.calls.flush(&self.calls)?;
        files.named.flush(&self.named)
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
    fn read(&mut self, read: &Read<'_>) {
        let at = self.writer.ordinal;
        match read.kind {
            ReadKind::Field { object: Value::Object(object), field, value } => {
                if let Some(field) = field.id(self.program) {
                    let key = Key::field(object, field);
                    match self.files.reads.read(key, value, at) {
                        Fits::Same => {}
                        Fits::Other(before, then) => {
                            if self.is_changed(Some(object), before, value) {
                                self.changed(key, field, (before, then), value, read);
                            }
                        }
                        Fits::Missing { ever } => {
                            if self.is_untold(object, field, value, ever) {
                                self.files.read_fields.insert(field.0);
                                self.post_read(key, value, at, read.site.bci);
                            }
                        }
                    }
                } else {
                    self.read_of_library(object, field, value, read);
                }
            }
            ReadKind::Element { array: Value::Object(array), index, value } => {
                if self.files.reads.is_unseen(array, index as u32) {
                    let key = Key::element(array, index as u32);
                    if self.files.reads.read(key, value, at) != Fits::Same {
                        self.post_read(key, value, at, read.site.bci);
                    }
                }
            }
            ReadKind::Static { field, value } => {
                if let Some(field) = field.id(self.program)
                    && let key = Key::of_static(field)
                    && let Fits::Other(before, then) = self.files.reads.read(key, value, at)
                    && self.is_changed(None, before, value)
                {
                    self.changed(key, field, (before, then), value, read);
                }
            }
            // What has no identity is not told apart.
            ReadKind::Field { .. } | ReadKind::Element { .. } => {}
        }
    }
}

impl Writing<'_> {
    /// A location holds another value than the one that was last written or read there. Where other threads run, one of
    /// them may have written it, and that is recorded.
    #[cold]
    fn is_changed(&self, object: Option<ObjectId>, before: Value, value: Value) -> bool {
        let is_sure = object.is_none_or(|object| object.is_program() && !self.objects.is_doubtful(object));
        is_sure && self.files.reads.alone && !self.are_one_text(before, value)
    }

    /// Up to when the old value was there is told too.
    #[cold]
    fn changed(
        &mut self,
        key: Key,
        field: FieldId,
        old: (Value, Option<u64>),
        value: Value,
        read: &Read<'_>,
    ) {
        self.files.read_fields.insert(field.0);
        if let (before, Some(then)) = old {
            self.post_read(key, before, then, NO_BCI);
        }
        self.post_read(key, value, self.writer.ordinal, read.site.bci);
    }

    /// A field was read that a library declares, which writes to it unseen: it holds that until code of a library runs.
    #[cold]
    fn read_of_library(&mut self, object: ObjectId, field: &FieldRef, value: Value, read: &Read<'_>) {
        if self.objects.is_doubtful(object) || !is_told(value) {
            return;
        }
        let Some(field) = self.library_field(field) else { return };
        let (key, at) = (Key::field(object, field), self.writer.ordinal);
        let fits = self.files.reads.read(key, value, at);
        if self.writer.told.insert(key) || fits != Fits::Same {
            self.post_read(key, value, at, read.site.bci);
        }
    }

    /// Code of a library may have run: nobody knows what its fields hold.
    fn forget_libraries(&mut self, at: At) {
        for key in std::mem::take(&mut self.writer.told) {
            self.post(key, PostingKind::Read(Value::Top), At { bci: NO_BCI, library: true, ..at });
        }
    }

    /// Does a call work on values alone, or print them? No code of a library runs then that has to do with its other objects.
    fn is_harmless(&self, callee: &Callee, receiver: Option<Value>, args: &[Value]) -> bool {
        let is_value = |value: &Value| !matches!(value, Value::Object(_) | Value::Pending(_) | Value::Top);
        let prints = |stream: ObjectId| {
            let ty = self.objects.type_of(stream).and_then(|ty| self.program.type_info(ty));
            ty.is_some_and(|ty| ty.name == jdk::names::PRINT_STREAM)
        };
        let effect = || jdk::calls::effect(&callee.owner, &callee.name);
        let by_itself = match receiver {
            Some(Value::Object(stream)) => prints(stream),
            receiver => receiver.is_none_or(|one| is_value(&one)) && effect() == jdk::calls::Effect::None,
        };
        by_itself && args.iter().all(is_value)
    }

    fn library_field(&mut self, field: &FieldRef) -> Option<FieldId> {
        self.files.library_fields.of_use(field, self.program)
    }

    /// Has nothing told what a field of an object holds that is not remembered?
    fn is_untold(&mut self, object: ObjectId, field: FieldId, value: Value, ever: bool) -> bool {
        if !object.is_program() || self.objects.is_doubtful(object) {
            return false;
        }
        let reads = &mut self.files.reads;
        let untold = ever && reads.alone;
        match reads.origin(object) {
            Origin::Unknown => true,
            Origin::Foreign if is_zero(value) => true,
            Origin::Foreign | Origin::Made => {
                !is_zero(value) && (untold || reads.is_unwritten(self.program, field))
            }
        }
    }

    /// A string of the code and one that was recorded may be the same.
    fn are_one_text(&self, one: Value, other: Value) -> bool {
        let text = |value: Value| match value {
            Value::Str(id) => self.objects.string(id).map(|text| text.text),
            Value::Literal { class, index } => self.program.literal(class, index).map(str::to_owned),
            _ => None,
        };
        text(one).is_some_and(|one| text(other).is_some_and(|other| one == other))
    }

    /// It holds from the event before the read on.
    fn post_read(&mut self, key: Key, value: Value, at: u64, bci: u16) {
        let at = At { ordinal: at.saturating_sub(1), bci, library: false };
        self.post(key, PostingKind::Read(value), at);
    }
}

impl Writing<'_> {
    #[inline]
    fn write_down(&mut self, event: &Event<'_>) -> Result<()> {
        let bci = event.site.filter(|_| !event.library).map_or(NO_BCI, |site| site.bci);
        let at = At { ordinal: self.writer.ordinal, bci, library: event.library };
        if !self.writer.fresh.is_empty() && !matches!(event.kind, EventKind::ArrayContents { .. }) {
            self.writer.fresh.clear();
        }
        match event.kind {
            kinds! { branches LocalWrite } => {}
            EventKind::FieldWrite { object, field, value } => self.field_write(object, field, value, at),
            EventKind::ArrayWrite { array: Value::Object(array), index, value } => {
                let key = Key::element(array, index as u32);
                if self.files.reads.is_unseen(array, index as u32) {
                    self.files.reads.wrote(key, value);
                }
                self.post(key, PostingKind::Written(value), at);
                self.stored(value, key, at);
            }
            EventKind::StaticWrite { field, value } => match field.id(self.program) {
                Some(field) => {
                    let key = Key::of_static(field);
                    self.files.reads.wrote(key, value);
                    self.post(key, PostingKind::Written(value), at);
                    self.stored(value, key, at);
                }
                None => self.writer.unfiled += 1,
            },
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
            EventKind::ArrayWrite { .. } => {}
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

    #[inline]
    fn stored(&mut self, value: Value, key: Key, at: At) {
        if let Value::Object(object) = value {
            self.post(Key::uses(object), PostingKind::Stored(key), at);
        }
    }

    fn field_write(&mut self, object: Value, field: &FieldRef, value: Value, at: At) {
        let known = field.id(self.program);
        let Some(field) = known.or_else(|| if at.library { None } else { self.library_field(field) }) else {
            self.writer.unfiled += u64::from(!at.library);
            return;
        };
        self.post_object(object, |object| Key::field(object, field), PostingKind::Written(value), at);
        if let Value::Object(object) = object {
            let key = Key::field(object, field);
            self.files.reads.wrote(key, value);
            if field.is_of_library() {
                self.writer.told.insert(key);
            }
            self.stored(value, key, at);
        }
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

    /// A library had an object made. If its own class's constructor was the first of the program's to run, then none of a
    /// library ran before it that could have written to it: it began with zeros. Where the program itself called
    /// `newInstance`, nobody else has it in hand, and it is as with a `new` there.
    fn constructed(&mut self, object: ObjectId, posting: Posting) {
        let open = &self.writer.open;
        let Some(at) = open.iter().rposition(|open| {
            matches!(open.call, Some(call) if call.entry == posting.ordinal) && open.kind == FOREIGN
        }) else {
            return;
        };
        let class = match open[at].call.map(|call| call.target) {
            Some(Target::Method(method)) => self.program.method(method).map(|(class, _)| class.id),
            _ => None,
        };
        let ty = self.objects.type_of(object).and_then(|ty| self.program.type_info(ty));
        let is_own = class.is_some() && ty.is_some_and(|ty| ty.class == class);
        if !is_own || self.objects.is_doubtful(object) {
            return;
        }
        self.files.reads.make_foreign(object);
        match at.checked_sub(1).map(|below| &open[below]) {
            Some(Open { kind: Kind::Made, row, call: Some(call), .. })
                if self.is_new_instance(call.target) =>
            {
                self.writer.reflected.push((*row, posting));
            }
            _ => self.writer.postings.push(Stored::from(&posting)),
        }
    }

    fn is_new_instance(&self, target: Target) -> bool {
        let Target::Library(callee) = target else { return false };
        let callee = self.program.callee(callee);
        callee.is_some_and(|(owner, name, _)| jdk::unseen::is_new_instance(owner, name))
    }

    /// A call came back in which objects may have come into being by reflection.
    fn reflected(&mut self, open: &Open, ending: Ending) {
        while let Some((_, mut posting)) = self.writer.reflected.pop_if(|(row, _)| *row >= open.row) {
            let object = ObjectId(posting.key.object);
            if let (Some(call), Ending::Returned(Some(Value::Object(result)))) = (&open.call, ending)
                && result == object
            {
                (posting.ordinal, posting.bci, posting.library) = (call.entry, call.bci, false);
                self.files.reads.make(object);
            }
            self.writer.postings.push(Stored::from(&posting));
        }
    }

    fn bulk(&mut self, bulk: BulkWrite, at: At) {
        let objects = self.objects;
        let whole = |array: ObjectId| objects.length(array).unwrap_or(0);
        let number = |number: i32| number.max(0) as u32;
        let (array, what) = match bulk {
            BulkWrite::Copy { target: Value::Object(target), source, from, to, length } => {
                if let Value::Object(source) = source {
                    self.files.reads.copied(source, target, number(to));
                }
                let what = match source {
                    Value::Object(source) => PostingKind::Copied {
                        source,
                        from: number(from),
                        to: number(to),
                        length: number(length),
                    },
                    _ => PostingKind::Filled {
                        from: number(to),
                        to: number(to).saturating_add(number(length)),
                        value: Value::Top,
                    },
                };
                (target, what)
            }
            BulkWrite::Clone { source: Value::Object(source), target: Value::Object(target) } => {
                if self.objects.length(target).is_none() {
                    self.post(Key::created(target), PostingKind::Created, at);
                }
                self.files.reads.make(target);
                (target, PostingKind::Copied { source, from: 0, to: 0, length: whole(target) })
            }
            BulkWrite::Fill { array: Value::Object(array), range, value } => {
                let (from, to) = range.map_or((0, whole(array)), |(from, to)| (number(from), number(to)));
                (array, PostingKind::Filled { from, to, value })
            }
            _ => return,
        };
        self.post_range(array, what, at);
    }

    fn contents(
        &mut self,
        array: ObjectId,
        (from, length): (u32, u32),
        elements: Elements<'_>,
        at: At,
    ) -> Result<()> {
        let place = self.files.contents.length();
        let count = match elements {
            Elements::Primitive { kind, data } => {
                self.files.contents.append(&[kind])?;
                self.files.contents.append(data)?;
                data.len() / trace::record::element_size(kind).unwrap_or(1)
            }
            Elements::References(values) => {
                self.scratch(|out| {
                    out.push(b'L');
                    for &value in values {
                        let packed = Packed::from(value);
                        out.push(packed.kind);
                        out.extend_from_slice(&packed.bits.to_le_bytes());
                    }
                });
                self.files.contents.append(&self.writer.scratch)?;
                values.len()
            }
        };
        let count = count as u32;
        let end = from.saturating_add(count);
        let whole = end >= length;
        if from == 0 {
            if let Some(buffer) = self.writer.buffering.of.take() {
                self.files.wrapped.put(buffer, array);
            }
            self.writer.is_written_down = !whole && self.files.reads.is_made(array) && self.is_observed();
        }
        let is_all = self.writer.is_written_down || self.writer.filled.is_some_and(|filled| filled <= end);
        let cut = self.files.reads.is_cut(end, length) && !is_all;
        if whole || cut {
            self.files.reads.looked_at(array, end, cut);
        }
        self.post_range(array, PostingKind::SeenRange { at: place, from, count, cut }, at);
        if let (Elements::References(values), true) = (elements, self.writer.fresh.contains(&array)) {
            self.created_within(values, at);
        }
        Ok(())
    }

    /// Is what the library wrote recorded, that is out or came back last?
    fn is_observed(&self) -> bool {
        let open = match self.writer.open.last() {
            Some(Open { kind: Kind::Made, call: Some(call), .. }) => match call.target {
                Target::Library(callee) => Some(callee),
                Target::Method(_) => None,
            },
            _ => self.writer.back,
        };
        let callee = open.and_then(|callee| self.program.callee(callee));
        callee
            .is_some_and(|(owner, name, _)| jdk::calls::effect(&owner, &name) == jdk::calls::Effect::Observed)
    }

    /// Arrays that came into being together with the one that holds them.
    fn created_within(&mut self, values: &[Value], at: At) {
        for &value in values {
            let Value::Object(inner) = value else { continue };
            if self.objects.length(inner).is_some() && !self.writer.fresh.contains(&inner) {
                self.post(Key::created(inner), PostingKind::Created, at);
                self.files.reads.make(inner);
                // Only an array of arrays is looked into, and few of them: those are what is searched here.
                let ty = self.objects.type_of(inner).and_then(|ty| self.program.type_info(ty));
                if ty.is_some_and(|ty| ty.name.starts_with("[[")) && self.writer.fresh.len() < 1000 {
                    self.writer.fresh.push(inner);
                }
            }
        }
    }

    fn object_contents(&mut self, object: ObjectId, values: &[Value], at: At) {
        let program = self.program;
        let Some(ty) = self.objects.type_of(object) else { return };
        for (field, &value) in program.fields(ty).iter().zip(values) {
            // Of a library's class that is not in the recording nothing can be asked either.
            if let Some(field) = field.id(program) {
                self.post(Key::field(object, field), PostingKind::Seen(value), at);
            }
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Value], at: At) -> Result<()> {
        // Linking a lambda or a string is the compiler's doing, and `Object()` does nothing.
        let hidden =
            callee.opcode == opcode::INVOKEDYNAMIC || jdk::machine::is_nothing(&callee.owner, &callee.name);
        if hidden {
            if callee.opcode == opcode::INVOKEDYNAMIC && !jdk::names::joins_strings(&callee.name) {
                self.captured(args, at);
            }
            // Texts are joined of what objects say of themselves.
            let harmless = args.iter().all(|arg| !matches!(arg, Value::Object(_)));
            self.writer.open.push(Open { kind: Kind::Hidden, row: 0, call: None, harmless });
            return Ok(());
        }
        let (receiver, rest) = match (callee.receiver(), args) {
            (true, [receiver, rest @ ..]) => (Some(*receiver), rest),
            _ => (None, args),
        };
        let harmless = !self.writer.told.is_empty() && self.is_harmless(callee, receiver, rest);
        self.begin(Kind::Made, Target::Library(callee.id), receiver, rest, at)?;
        if let (true, Some(open)) = (harmless, self.writer.open.last_mut()) {
            open.harmless = true;
        }
        self.buffered(callee, receiver, rest, at);
        (self.writer.reading, self.writer.filled) = (None, None);
        if callee.descriptor.contains('[') {
            self.give(rest);
            if jdk::arrays::reads_into(&callee.owner, &callee.name, &callee.descriptor) {
                self.writer.reading = match rest.get(1) {
                    Some(&Value::Int(from)) => u32::try_from(from).ok(),
                    _ => Some(0),
                };
            }
        }
        self.writer.copying = None;
        if jdk::arrays::is_copy(&callee.owner, &callee.name)
            && let &[_, _, Value::Object(target), Value::Int(to), Value::Int(length)] = rest
        {
            self.writer.copying = Some((target, to.max(0) as u32, length.max(0) as u32));
        }
        if callee.owner == jdk::names::PRINT_STREAM && callee.name != "<init>" {
            let row = self.row(at.ordinal);
            self.files.output.push(row);
        }
        Ok(())
    }

    /// What is written through a buffer is written to its array, and nobody sees it.
    fn buffered(&mut self, callee: &Callee, receiver: Option<Value>, args: &[Value], at: At) {
        let wrapped = &self.files.wrapped;
        self.writer.buffering = wrapped.called(&callee.owner, &callee.name, receiver);
        if wrapped.is_empty() {
            return;
        }
        let arrays: Vec<ObjectId> = wrapped.written(&callee.owner, &callee.name, receiver, args).collect();
        arrays.into_iter().for_each(|array| self.forget(array, at));
    }

    fn give(&mut self, args: &[Value]) {
        let Some(row) = self.writer.open.last().map(|open| open.row) else { return };
        for &value in args {
            if let Value::Object(object) = value
                && self.objects.length(object).is_some()
            {
                self.writer.given.push((row, object));
            }
        }
    }

    /// An array may hold anything from here on.
    fn forget(&mut self, array: ObjectId, at: At) {
        let to = self.objects.length(array).unwrap_or(0);
        self.post_range(array, PostingKind::Filled { from: 0, to, value: Value::Top }, at);
        self.files.reads.looked_at(array, 0, true);
    }

    fn captured(&mut self, args: &[Value], at: At) {
        for &value in args {
            let Value::Object(object) = value else { continue };
            let ty = self.objects.type_of(object).and_then(|ty| self.program.type_info(ty));
            if ty.is_some_and(|ty| jdk::effects::form(&ty.name).is_some()) {
                self.post(Key::uses(object), PostingKind::Captured, at);
            }
        }
    }

    fn enter(
        &mut self,
        event: &Event<'_>,
        receiver: Option<Value>,
        args: &[Value],
        called: bool,
    ) -> Result<()> {
        while self.writer.depth >= event.depth && self.writer.depth > 0 {
            self.lost()?;
        }
        let Some(site) = event.site else { return Ok(()) };
        let target = Target::Method(site.method);
        let ordinal = self.writer.ordinal;
        if called
            && let Some(top) = self.writer.open.last_mut()
            && top.kind == Kind::Made
            && let Some(call) = &mut top.call
        {
            top.kind = Kind::Program { called: true };
            self.writer.depth += 1;
            // It began when it was called: class initialisers may have run since, and are in it.
            call.target = target;
            return Ok(());
        }
        let at = At { ordinal, bci: NO_BCI, library: false };
        self.writer.depth += 1;
        self.forget_libraries(at);
        if let Some(object @ Value::Pending(_)) = receiver {
            self.post_object(object, Key::created, PostingKind::Created, At { library: true, ..at });
        }
        self.begin(FOREIGN, target, receiver, args, at)
    }

    /// A new row.
    fn begin(
        &mut self,
        kind: Kind,
        target: Target,
        receiver: Option<Value>,
        args: &[Value],
        at: At,
    ) -> Result<()> {
        let row = self.writer.calls.rows as u32;
        let parent = self.writer.open.iter_mut().rev().find(|open| open.call.is_some());
        let (mut parent_row, mut depth) = (None, 0);
        if let Some(Open { row: above, call: Some(call), .. }) = parent {
            if call.children % CHILD_STEP == 0 && call.children > 0 {
                let at = call.children / CHILD_STEP;
                self.files.children.push(ChildRow { stream: self.writer.stream.0, parent: *above, at, row });
            }
            call.children += 1;
            (parent_row, depth) = (Some(*above), call.depth.saturating_add(1));
        }
        let call = CallRow {
            target,
            parent: parent_row,
            depth,
            entry: at.ordinal,
            exit: at.ordinal,
            bci: at.bci,
            size: 1,
            children: 0,
            ending: Ending::Open,
            args: self.files.args.length(),
        };
        self.scratch(|out| encode_args(receiver, args, out));
        self.files.args.append(&self.writer.scratch)?;
        // Its row is written when it ends, or is looked at before.
        self.files.calls.reserve(&mut self.writer.calls)?;
        self.writer.open.push(Open { kind, row, call: Some(call), harmless: false });
        for (part, &value) in receiver.iter().chain(args).enumerate() {
            self.post_object(value, Key::uses, PostingKind::Used { call: row, part: part as u32 }, at);
        }
        Ok(())
    }

    /// The call that an instruction made came back, or was left by an exception.
    fn returned(&mut self, ending: Ending, at: At) -> Result<()> {
        match self.writer.open.last() {
            Some(open) if !matches!(open.kind, Kind::Program { .. }) => {}
            _ => return Ok(()),
        }
        match self.writer.open.pop() {
            Some(open) if open.kind == Kind::Made => {
                if let (Some(from), Ending::Returned(Some(Value::Int(count)))) =
                    (self.writer.reading.take(), ending)
                {
                    self.writer.filled = Some(from.saturating_add(count.max(0) as u32));
                }
                if let Ending::Returned(Some(Value::Object(object))) = ending
                    && self.objects.length(object).is_none()
                {
                    self.files.wrapped.came_back(&mut self.writer.buffering, object);
                }
                self.writer.back = match open.call.map(|call| call.target) {
                    Some(Target::Library(callee)) => Some(callee),
                    _ => None,
                };
                self.end(open, ending)
            }
            Some(open) if open.kind == Kind::Hidden => {
                if !open.harmless {
                    self.forget_libraries(at);
                }
                // A lambda comes into being where it was written.
                if let Ending::Returned(Some(Value::Object(object))) = ending {
                    self.post(Key::created(object), PostingKind::Created, at);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The call of program code at this depth ended.
    fn leave(&mut self, depth: u32, ending: Ending, jump: Option<Jump>) -> Result<()> {
        while self.writer.depth > depth {
            self.lost()?;
        }
        while let Some(open) = self.writer.open.pop() {
            let Kind::Program { called } = open.kind else {
                self.end(open, Ending::Threw(None))?;
                continue;
            };
            self.writer.depth -= 1;
            if let Some(call) = open.call
                && let Some(jump) = jump
                && self.writer.ordinal - call.entry >= WORTH_A_JUMP
            {
                self.files.jumps.push(JumpRow { stream: self.writer.stream.0, call: open.row, jump });
            }
            self.end(open, ending)?;
            if called {
                self.writer.open.push(Open { kind: Kind::Ended, row: 0, call: None, harmless: true });
            }
            break;
        }
        Ok(())
    }

    /// The innermost call's end is not in the log.
    fn lost(&mut self) -> Result<()> {
        let Some(open) = self.writer.open.pop() else {
            self.writer.depth = 0;
            return Ok(());
        };
        if matches!(open.kind, Kind::Program { .. }) {
            self.writer.depth = self.writer.depth.saturating_sub(1);
        }
        self.end(open, Ending::Threw(None))
    }

    fn end(&mut self, open: Open, ending: Ending) -> Result<()> {
        let Some(mut call) = open.call else { return Ok(()) };
        if open.kind == Kind::Made && !open.harmless {
            let at = At { ordinal: self.writer.ordinal, bci: NO_BCI, library: true };
            self.forget_libraries(at);
        }
        call.ending = ending;
        call.exit = self.writer.ordinal;
        while self.writer.given.last().is_some_and(|&(row, _)| row >= open.row) {
            self.writer.given.pop();
        }
        if !self.writer.reflected.is_empty() {
            self.reflected(&open, ending);
        }
        call.size = self.writer.calls.rows as u32 - open.row;
        self.files.calls.set(&mut self.writer.calls, u64::from(open.row), &call)?;
        if let Ending::Returned(Some(Value::Object(object))) = ending {
            let at = At { ordinal: call.exit, bci: call.bci, library: false };
            self.post(Key::uses(object), PostingKind::Used { call: open.row, part: RESULT }, at);
        }
        Ok(())
    }

    fn throw(&mut self, exception: Option<Value>, end: Option<Jump>, at: At) -> Result<()> {
        self.writer.end = end;
        let is_made = self.writer.open.last().is_some_and(|open| open.kind == Kind::Made);
        if let Some((target, to, length)) = self.writer.copying.take()
            && is_made
            && self.is_store_failure(exception)
        {
            // The copy came to an element that does not fit: nobody knows how far it had got.
            let (from, to) = (to, to.saturating_add(length));
            self.post_range(target, PostingKind::Filled { from, to, value: Value::Top }, at);
        }
        if is_made {
            self.gave_up(exception, at);
        }
        self.returned(Ending::Threw(exception), at)?;
        // An exception that left a callee is not new.
        if self.writer.leaving.take().is_none_or(|leaving| Some(leaving) != exception) {
            let row = self.row(at.ordinal);
            self.files.throws.push(row);
        }
        Ok(())
    }

    /// A call into a library threw: what it wrote before into the arrays that it was given was not looked at.
    fn gave_up(&mut self, exception: Option<Value>, at: At) {
        let Some(Open { row, call: Some(call), .. }) = self.writer.open.last() else { return };
        let (row, target) = (*row, call.target);
        if self.writer.given.last().is_none_or(|&(last, _)| last != row) {
            return;
        }
        let Target::Library(callee) = target else { return };
        let Some((owner, name, _)) = self.program.callee(callee) else { return };
        let class = match exception {
            Some(Value::Object(id)) => self.objects.type_of(id).and_then(|ty| self.program.type_info(ty)),
            _ => None,
        };
        // What the JDK refuses it refuses at once.
        let refused = class.is_some_and(|class| jdk::effects::is_refusal(&class.name));
        if refused && jdk::owner::is_jdk(&owner) || jdk::arrays::leaves_arrays(&owner, &name) {
            return;
        }
        let given = &self.writer.given;
        let first = given.partition_point(|&(other, _)| other < row);
        let arrays: Vec<ObjectId> = given[first..].iter().map(|&(_, array)| array).collect();
        arrays.into_iter().for_each(|array| self.forget(array, at));
    }

    /// Any other failure is found before anything is copied.
    fn is_store_failure(&self, exception: Option<Value>) -> bool {
        match exception {
            Some(Value::Object(id)) => self
                .objects
                .type_of(id)
                .is_none_or(|ty| self.program.is_subtype(ty, "java/lang/ArrayStoreException")),
            _ => true,
        }
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
