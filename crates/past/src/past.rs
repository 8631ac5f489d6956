//! The facade's centre: a recording with its index, and the plain facts about calls, methods and places.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use index::{CallId, CallRow, Ending, Evidence, Follower, Index, Position, Target, Time};
use program::Sources;
use trace::{MethodId, ObjectId, Recording, Site, StreamId, Value, simple_name};

use crate::accesses::Stretches;
use crate::as_made::TestClasses;
use crate::effects::{Contents, Kinds, Lambdas, Streams};
use crate::elements::Arrays;
use crate::error::{Error, Result};
use crate::late_messages::Throwers;
use crate::names::{self, Methods};
use crate::open::Settings;
use crate::partial::Part;

/// Questions between two looks at the process's size.
const LOOK_EVERY: u32 = 64;
/// Rows of calls between two looks: each may bring 64 KB of a mapped file with it that nobody else asked for.
const ROWS_BETWEEN_LOOKS: u32 = 1024;

/// A recorded run. All it answers is looked up in the index or replayed in a short stretch; it never changes what was
/// recorded.
pub struct Past {
    pub(crate) recording: Recording,
    pub(crate) index: Index,
    pub(crate) sources: Sources,
    pub(crate) methods: Methods,
    /// Places where arrays are made: is more than one made there at once?
    pub(crate) several: Mutex<HashMap<Site, bool>>,
    pub(crate) tests: Mutex<TestClasses>,
    pub(crate) contents: Mutex<Contents>,
    pub(crate) kinds: Mutex<Kinds>,
    pub(crate) lambdas: Mutex<Lambdas>,
    pub(crate) throwers: Mutex<Throwers>,
    pub(crate) streams: Mutex<Streams>,
    pub(crate) stretches: Mutex<Stretches>,
    pub(crate) arrays: Mutex<Arrays>,
    /// What keeps the index up to date while the recording grows.
    pub(crate) follower: Mutex<Option<Follower>>,
    /// How much of the recording it is, if not everything is looked at yet.
    pub(crate) part: Option<Part>,
    /// No thread but one ran code of the program.
    pub(crate) one_thread: bool,
    pub(crate) memory: usize,
    questions: AtomicU32,
    /// Rows of calls that were looked up since the last look at the process's size.
    rows: AtomicU32,
}

/// What of the process is in memory, and what of that is mapped files.
struct ProcessSize {
    resident: usize,
    mapped: usize,
}

const PAGE: usize = 4096;

/// A value under a name: an argument, a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub name: String,
    pub descriptor: String,
    pub value: Value,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file's name as the class file has it.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub site: Site,
}

/// One call, with what it got and gave.
#[derive(Clone, Debug, PartialEq)]
pub struct CallInfo {
    pub id: CallId,
    /// `MergeSort.merge#3`
    pub name: String,
    /// `MergeSort.merge`
    pub method: String,
    pub receiver: Option<Value>,
    pub args: Vec<Named>,
    pub result_descriptor: String,
    pub ending: Ending,
    pub entry: Time,
    pub exit: Time,
    pub parent: Option<CallId>,
    pub depth: u32,
    pub children: u32,
    /// Events in it, those of its callees included.
    pub events: u64,
    /// Code of a library: believed to be right unless somebody says otherwise.
    pub library: bool,
    /// Where it was called.
    pub site: Option<SourceLine>,
}

/// A call without what only people want to know of it: its name takes longer than all of this.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BareCall {
    pub id: CallId,
    /// `MergeSort.merge`
    pub method: String,
    pub receiver: Option<Value>,
    pub args: Vec<Passed>,
    pub result_descriptor: String,
    pub ending: Ending,
    pub entry: Time,
    pub exit: Time,
    pub children: u32,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Passed {
    pub descriptor: String,
    pub value: Value,
}

impl CallInfo {
    pub fn is_constructor(&self) -> bool {
        self.method.ends_with(".new") && self.receiver.is_some()
    }
}

impl Past {
    pub(crate) fn new(mut recording: Recording, index: Index, settings: &Settings) -> Result<Past> {
        recording.use_library_fields(&index.meta().library_fields());
        let jars = recording.program().classes().iter().map(|class| class.source.clone());
        let mut jars: Vec<std::path::PathBuf> = jars
            .filter_map(|source| source.strip_prefix("file:").map(Into::into).or(Some(source.into())))
            .collect();
        jars.sort();
        jars.dedup();
        jars.retain(|path| path.extension().is_some_and(|end| end == "jar"));
        let home =
            Some(recording.manifest().jvm.home.clone()).filter(|home| !home.is_empty()).map(Into::into);
        let sources = Sources::new(settings.sources.clone(), settings.working_folder.clone(), jars, home)
            .map_err(|error| Error::Source(error.to_string()))?;
        let methods = names::methods(&index);
        let one_thread = has_one_thread(&recording, &index);
        let (several, stretches) = Default::default();
        let memory = settings.memory;
        Ok(Past {
            recording,
            index,
            sources,
            methods,
            several,
            tests: Mutex::default(),
            contents: Mutex::default(),
            kinds: Mutex::default(),
            lambdas: Mutex::default(),
            throwers: Mutex::default(),
            streams: Mutex::default(),
            stretches,
            arrays: Mutex::default(),
            follower: Mutex::default(),
            part: None,
            one_thread,
            memory,
            questions: AtomicU32::new(0),
            rows: AtomicU32::new(0),
        })
    }

    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Keeps the process within the memory setting: mapped files count towards it as long as nobody lets them go.
    /// Called with every question; looks at the process only now and then.
    pub(crate) fn stay_small(&self) {
        if self.questions.fetch_add(1, Ordering::Relaxed) % LOOK_EVERY == LOOK_EVERY - 1 {
            self.make_room();
        }
    }

    /// The same for who goes through many rows of calls: only what is mapped is let go, because what is kept decoded was not
    /// made by that.
    #[inline]
    pub(crate) fn stay_small_over(&self, rows: usize) {
        let before = self.rows.fetch_add(rows as u32, Ordering::Relaxed);
        if before >= ROWS_BETWEEN_LOOKS {
            self.rows.store(0, Ordering::Relaxed);
            let is_mapped = |size: &ProcessSize| size.mapped > self.memory / 8;
            if self.size_near_limit().is_some_and(|size| is_mapped(&size)) {
                self.index.let_go();
                self.recording.objects().release();
            }
        }
    }

    /// Lets go of what is mapped and of what is kept decoded, if the process is near the memory setting.
    pub fn make_room(&self) {
        if self.size_near_limit().is_some() {
            self.index.release();
            self.recording.objects().release();
            *self.stretches.lock().unwrap_or_else(PoisonError::into_inner) = Stretches::default();
            *self.arrays.lock().unwrap_or_else(PoisonError::into_inner) = Arrays::default();
        }
    }

    /// How large the process is, if that is near the memory setting.
    fn size_near_limit(&self) -> Option<ProcessSize> {
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        let mut words = statm.split_whitespace().skip(1);
        let mut bytes = || Some(words.next()?.parse::<usize>().ok()? * PAGE);
        let size = ProcessSize { resident: bytes()?, mapped: bytes()? };
        (size.resident > self.memory / 4 * 3).then_some(size)
    }

    /// The time after which nothing is recorded; none for an empty recording.
    pub fn last_time(&self) -> Option<Time> {
        self.index.events().checked_sub(1).map(Time)
    }

    pub fn streams(&self) -> Vec<StreamId> {
        self.index.streams().map(|(stream, _)| stream).collect()
    }

    /// The name of the thread that a stream is of, or its number where it has none.
    pub fn thread_name(&self, stream: StreamId) -> String {
        let thread = self.recording.program().thread(stream).filter(|thread| !thread.name.is_empty());
        thread.map_or_else(|| stream.0.to_string(), |thread| thread.name.clone())
    }

    /// Are two streams of the same thread? A thread may have one for each of its outermost calls.
    pub fn are_of_one_thread(&self, one: StreamId, other: StreamId) -> bool {
        one == other || self.thread_id(one).is_some_and(|id| self.thread_id(other) == Some(id))
    }

    /// What tells a thread from others; none if the recording does not say it.
    pub fn thread_id(&self, stream: StreamId) -> Option<u64> {
        self.recording.program().thread(stream).map(|thread| thread.thread)
    }

    /// The streams by thread, in order of their first ones. A thread that the recording does not describe has one.
    pub fn threads(&self) -> Vec<Vec<StreamId>> {
        let mut known: HashMap<u64, usize> = HashMap::new();
        let mut threads: Vec<Vec<StreamId>> = Vec::new();
        for stream in self.streams() {
            let new = threads.len();
            let at = self.thread_id(stream).map_or(new, |id| *known.entry(id).or_insert(new));
            match threads.get_mut(at) {
                Some(thread) => thread.push(stream),
                None => threads.push(vec![stream]),
            }
        }
        threads
    }

    /// The last stream of each thread, of those that are looked at.
    pub fn last_streams(&self) -> Vec<StreamId> {
        let mut last: HashMap<u64, StreamId> = HashMap::new();
        for thread in self.recording.program().threads() {
            last.insert(thread.thread, thread.stream);
        }
        let is_last =
            |stream: &StreamId| self.thread_id(*stream).is_none_or(|id| last.get(&id) == Some(stream));
        self.streams().into_iter().filter(is_last).collect()
    }

    /// How many threads ran code of the program.
    pub fn thread_count(&self) -> usize {
        threads(&self.recording, &self.index).len()
    }

    /// A time that the recording has.
    pub fn checked(&self, time: u64) -> Result<Time> {
        let last = self.index.events().saturating_sub(1);
        if time > last { Err(Error::TimeOutOfRange { time, last }) } else { Ok(Time(time)) }
    }

    pub fn call(&self, id: CallId) -> Option<CallInfo> {
        self.stay_small();
        let call = self.index.call(id)?;
        let bare = self.bare(id, &call)?;
        let named = bare.args.into_iter().enumerate().map(|(at, Passed { descriptor, value })| Named {
            name: self.parameter_name(call.target, at).unwrap_or_else(|| format!("arg{at}")),
            descriptor,
            value,
        });
        Some(CallInfo {
            id,
            name: self.call_name(id),
            method: bare.method,
            receiver: bare.receiver,
            args: named.collect(),
            result_descriptor: bare.result_descriptor,
            ending: bare.ending,
            entry: bare.entry,
            exit: bare.exit,
            parent: call.parent.map(|index| CallId { stream: id.stream, index }),
            depth: call.depth,
            children: bare.children,
            events: call.exit - call.entry + 1,
            library: matches!(call.target, Target::Library(_)),
            site: self.call_site(id, &call),
        })
    }

    pub(crate) fn bare_call(&self, id: CallId) -> Option<BareCall> {
        self.stay_small();
        self.bare(id, &self.index.call(id)?)
    }

    fn bare(&self, id: CallId, call: &CallRow) -> Option<BareCall> {
        let args = self.index.arguments(id).unwrap_or_default();
        let (owner, method, descriptor) = self.target(call.target);
        let mut kinds = parameters(&descriptor).into_iter();
        let passed = |value| Passed { descriptor: kinds.next().unwrap_or_default(), value };
        let time = |ordinal| self.index.time(Position { stream: id.stream, ordinal });
        Some(BareCall {
            id,
            method: format!("{}.{}", simple_name(&owner), shown_method(&method)),
            receiver: args.receiver,
            args: args.values.into_iter().map(passed).collect(),
            result_descriptor: descriptor.rsplit(')').next().unwrap_or("").to_owned(),
            ending: call.ending,
            entry: time(call.entry)?,
            exit: time(call.exit)?,
            children: call.children,
        })
    }

    /// Owner (with slashes), name and descriptor.
    pub fn target(&self, target: Target) -> (String, String, String) {
        let program = self.recording.program();
        let found = match target {
            Target::Method(method) => program
                .method(method)
                .map(|(class, method)| (class.name.clone(), method.name.clone(), method.descriptor.clone())),
            Target::Library(callee) => program.callee(callee),
        };
        found.unwrap_or_else(|| ("?".to_owned(), "?".to_owned(), "()V".to_owned()))
    }

    /// The method of the program that a call runs; none for a call into a library.
    pub fn method_of(&self, id: CallId) -> Option<MethodId> {
        match self.index.call(id)?.target {
            Target::Method(method) => Some(method),
            Target::Library(_) => None,
        }
    }

    /// The innermost call of program code at or above a call.
    pub fn program_call(&self, id: CallId) -> Option<CallId> {
        let mut id = id;
        loop {
            let call = self.index.call(id)?;
            if matches!(call.target, Target::Method(_)) {
                return Some(id);
            }
            id.index = call.parent?;
        }
    }

    /// Where something happened, given the innermost call and the place in its code. What a library did is shown
    /// where the program called it.
    pub fn place_in(&self, call: CallId, bci: u16) -> Option<SourceLine> {
        let row = self.index.call(call)?;
        match row.target {
            Target::Method(method) if bci != index::NO_BCI => Some(self.source_line(Site { method, bci })),
            Target::Method(_) => None,
            Target::Library(_) => self.call_site(call, &row),
        }
    }

    pub fn source_line(&self, site: Site) -> SourceLine {
        SourceLine {
            file: self.recording.source_file(site.method).map(str::to_owned),
            line: self.recording.line_of(site).map(u32::from),
            site,
        }
    }

    /// Where a call's method begins; none for a call into a library.
    pub fn method_place(&self, id: CallId) -> Option<SourceLine> {
        Some(self.source_line(Site { method: self.method_of(id)?, bci: 0 }))
    }

    pub(crate) fn call_site(&self, id: CallId, call: &CallRow) -> Option<SourceLine> {
        self.place_in(CallId { stream: id.stream, index: call.parent? }, call.bci)
    }

    fn parameter_name(&self, target: Target, at: usize) -> Option<String> {
        let Target::Method(method) = target else { return None };
        let (_, method) = self.recording.program().method(method)?;
        let mut slot = u16::from(!method.is_static());
        for &kind in method.kinds().iter().take(at) {
            slot += if matches!(kind, b'J' | b'D') { 2 } else { 1 };
        }
        method.local(slot, 0).map(|(name, _)| name.to_owned())
    }

    /// The class of an object, with slashes.
    pub fn class_of(&self, object: ObjectId) -> Option<&str> {
        let ty = self.recording.objects().type_of(object)?;
        self.recording.program().type_info(ty).map(|ty| ty.name.as_str())
    }

    /// The descriptor of what an array holds.
    pub(crate) fn element_descriptor(&self, array: ObjectId) -> String {
        self.class_of(array).and_then(|class| class.strip_prefix('[')).unwrap_or("").to_owned()
    }
}

/// By the ids of threads; a stream without one is a thread of its own.
fn threads(recording: &Recording, index: &Index) -> HashSet<(Option<u64>, Option<StreamId>)> {
    let thread = |(stream, _)| match recording.program().thread(stream) {
        Some(thread) => (Some(thread.thread), None),
        None => (None, Some(stream)),
    };
    index.streams().map(thread).collect()
}

pub(crate) fn has_one_thread(recording: &Recording, index: &Index) -> bool {
    threads(recording, index).len() == 1
}

impl Evidence for Past {
    fn recording(&self) -> &Recording {
        &self.recording
    }

    fn index(&self) -> &Index {
        &self.index
    }
}

/// Descriptors of a method's parameters.
pub(crate) fn parameters(descriptor: &str) -> Vec<String> {
    let parsed = classfile::MethodDescriptor::parse(descriptor.as_bytes());
    let text = |bytes: &&[u8]| String::from_utf8_lossy(bytes).into_owned();
    parsed.map_or_else(|_| Vec::new(), |parsed| parsed.parameters.iter().map(text).collect())
}

/// A method's name as a person writes it: constructors are `new`, class initialisers `static`.
pub(crate) fn shown_method(name: &str) -> &str {
    match name {
        "<init>" => "new",
        "<clinit>" => "static",
        name => name,
    }
}
