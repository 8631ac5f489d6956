//! Where what is written ends up: which object is `System.out`, what a wrapper was made around, which file a stream is.

use std::collections::HashMap;
use std::sync::PoisonError;

use index::{CallId, Ending, Key, Position, PostingKind, RESULT, Target, Time};
use jdk::effects::Made;
use trace::{Event, ObjectId, Paused, Read, ReadKind, Then, Value, Visitor};

use super::Sink;
use crate::past::{BareCall, Past};

/// Wrappers around wrappers are followed so far.
const MAX_WRAPPERS: usize = 16;
/// Uses of an object that are looked at for where it comes from.
const USES: usize = 4;

/// Uses of an object that are looked at for what was made around it.
const WRAPPED: usize = 1_000;

/// The three streams that every program has.
const STANDARD: [(&str, &str, &str); 3] =
    [("out", "System.out", "setOut"), ("err", "System.err", "setErr"), ("in", "System.in", "setIn")];

/// Is this what a program calls one of its standard streams?
pub(super) fn is_standard_name(name: &str) -> bool {
    STANDARD.iter().any(|&(_, known, _)| known == name)
}

/// What is known of streams so far.
#[derive(Default)]
pub(crate) struct Streams {
    made: HashMap<ObjectId, From>,
    /// Which of the three an object is from the program's start on.
    first: HashMap<ObjectId, Option<usize>>,
    /// Which object took which place, and when.
    set: Option<Vec<(Time, usize, Option<ObjectId>)>>,
}

/// What an object was made from.
#[derive(Clone, Debug, PartialEq)]
enum From {
    /// It keeps what it is given.
    Held,
    File(String),
    Around(ObjectId),
    Elsewhere,
}

impl Past {
    /// `System.out` if the object is that at the time; its own name otherwise.
    pub fn sink_name(&self, sink: &Sink, time: Time) -> String {
        match sink {
            Sink::File(name) => name.clone(),
            Sink::Setting(what) => (*what).to_owned(),
            Sink::Object(object) => match self.standard(*object, time) {
                Some(name) => name.to_owned(),
                None => self.object_name(*object),
            },
        }
    }

    /// Where a stream, writer or reader leads to in the end, if that has a name: a standard stream or a file.
    pub fn leads_to(&self, object: ObjectId, time: Time) -> Option<String> {
        let mut at = object;
        for _ in 0..MAX_WRAPPERS {
            if at != object
                && let Some(name) = self.standard(at, time)
            {
                return Some(name.to_owned());
            }
            match self.made_from(at) {
                From::Around(inner) => at = inner,
                From::File(name) => return Some(name),
                From::Held if at != object => return Some(self.object_name(at)),
                From::Held | From::Elsewhere => return None,
            }
        }
        None
    }

    /// Is an object one that hands on what it is given, or takes what it gives from elsewhere? Told by its class.
    pub fn is_passage(&self, object: ObjectId) -> bool {
        let classes = self.classes_of(object);
        let jdk = classes.iter().find(|class| jdk::owner::is_jdk(class.as_str()));
        let made = jdk.and_then(|class| jdk::effects::made(class));
        matches!(made, Some(Made::Around | Made::File)) && self.is_stream(object)
    }

    /// What lies behind a wrapper, one after the other: what it was made around, and in the end perhaps a file.
    pub fn behind(&self, object: ObjectId) -> Vec<Sink> {
        let (mut at, mut behind) = (object, Vec::new());
        for _ in 0..MAX_WRAPPERS {
            match self.made_from(at) {
                From::Around(inner) => {
                    behind.push(Sink::Object(inner));
                    at = inner;
                }
                From::File(name) => {
                    behind.push(Sink::File(name));
                    break;
                }
                From::Held | From::Elsewhere => break,
            }
        }
        behind
    }

    /// Who hands on to an object what it is given: wrappers that were made around it, and around those.
    pub fn wrappers(&self, object: ObjectId) -> Vec<ObjectId> {
        let mut found = vec![object];
        let mut at = 0;
        while let Some(&inner) = found.get(at) {
            at += 1;
            for used in self.index.all(Key::uses(inner), None).take(WRAPPED) {
                let PostingKind::Used { call, part: 1.. } = used.posting.what else { continue };
                let call = CallId { stream: used.position.stream, index: call };
                let Some(row) = self.index.call(call) else { continue };
                if !matches!(row.target, Target::Library(_)) || self.target(row.target).1 != "<init>" {
                    continue;
                }
                let receiver = self.index.arguments(call).and_then(|args| args.receiver);
                if let Some(Value::Object(outer)) = receiver
                    && found.len() < MAX_WRAPPERS
                    && !found.contains(&outer)
                    && self.made_from(outer) == From::Around(inner)
                {
                    found.push(outer);
                }
            }
        }
        found.split_off(1)
    }

    /// Does what is written to an object stay in what a call made itself? It began at `entry`.
    pub(crate) fn stays_within(&self, object: ObjectId, entry: Time, until: Time) -> bool {
        let mut at = object;
        for _ in 0..MAX_WRAPPERS {
            if !self.is_new_since(at, entry, until) || self.standard(at, until).is_some() {
                return false;
            }
            match self.made_from(at) {
                From::Held => return true,
                From::Around(inner) => at = inner,
                From::File(_) | From::Elsewhere => return false,
            }
        }
        false
    }

    /// Was an object not heard of before `entry`? That the program made it since, by `until`, is found soon; that nobody knew
    /// it before is known only after looking at all there was.
    fn is_new_since(&self, object: ObjectId, entry: Time, until: Time) -> bool {
        let Some(before) = entry.0.checked_sub(1) else { return true };
        let made = self.index.last(Key::created(object), until);
        made.is_some_and(|made| made.time >= entry && !made.posting.library)
            || !self.is_known_by(object, Time(before))
    }

    /// The file that a value names: a path, a file, a string.
    pub(super) fn file(&self, value: Option<Value>, time: Time) -> Option<Sink> {
        let value = value?;
        let text = match render::Heap::string(&self.heap_at(time), value) {
            Some(text) => text.text,
            None => match value {
                Value::Object(_) => self.text(value, "", time),
                _ => return None,
            },
        };
        Some(Sink::File(text))
    }

    /// The name that a value is: a text, or a path or file as it prints.
    pub fn name_of(&self, value: Value, time: Time) -> Option<String> {
        match self.file(Some(value), time)? {
            Sink::File(name) => Some(name),
            Sink::Object(_) | Sink::Setting(_) => None,
        }
    }

    fn made_from(&self, object: ObjectId) -> From {
        if let Some(known) = self.streams.lock().unwrap_or_else(PoisonError::into_inner).made.get(&object) {
            return known.clone();
        }
        let from = self.find_made(object).unwrap_or(From::Elsewhere);
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.made.insert(object, from.clone());
        from
    }

    fn find_made(&self, object: ObjectId) -> Option<From> {
        for found in self.index.all(Key::uses(object), None).take(USES) {
            let PostingKind::Used { call, part } = found.posting.what else { continue };
            let info = self.bare_call(CallId { stream: found.position.stream, index: call })?;
            let Target::Library(callee) = self.index.call(info.id)?.target else {
                if info.method.ends_with(".new") && part == 0 {
                    // The constructor of a class of the program: what it gives to the one above follows.
                    continue;
                }
                return None;
            };
            let (owner, name, _) = self.target(Target::Library(callee));
            if part == RESULT && jdk::effects::opens(&owner, &name) {
                return self.file(info.args.first().map(|arg| arg.value), info.entry).map(file_name);
            }
            if part == RESULT && jdk::effects::allocates(&owner, &name) {
                return Some(From::Held);
            }
            if part != 0 || name != "<init>" {
                return None;
            }
            return self.constructed(&owner, &info);
        }
        None
    }

    fn constructed(&self, owner: &str, info: &BareCall) -> Option<From> {
        let named = |info: &BareCall| {
            let first = info.args.first()?;
            let is_name = matches!(
                first.descriptor.as_str(),
                "Ljava/lang/String;" | "Ljava/io/File;" | "Ljava/nio/file/Path;"
            );
            if is_name { self.file(Some(first.value), info.entry).map(file_name) } else { None }
        };
        match jdk::effects::made(owner) {
            Some(Made::Held) => Some(From::Held),
            Some(Made::File) => named(info),
            Some(Made::Around) | None => {
                let mut inner = info.args.iter().filter_map(|arg| match arg.value {
                    Value::Object(object) if self.is_stream(object) => Some(object),
                    _ => None,
                });
                let first = inner.next();
                if inner.next().is_some() {
                    return None;
                }
                match first {
                    Some(inner) => Some(From::Around(inner)),
                    // A scanner of a text; a formatter without anything has a builder of its own.
                    None if owner == "java/util/Scanner"
                        && info.args[0].descriptor == "Ljava/lang/String;" =>
                    {
                        Some(From::Held)
                    }
                    None if info.args.is_empty() && owner.starts_with("java/util/") => Some(From::Held),
                    None => named(info),
                }
            }
        }
    }

    /// Can be written to or read from.
    fn is_stream(&self, object: ObjectId) -> bool {
        if object.is_program() && self.array_length(object).is_some() {
            return false;
        }
        self.classes_of(object).iter().any(|class| jdk::effects::ROWS.iter().any(|row| row.class == class))
    }

    /// Which of the standard streams an object is at a time.
    pub(crate) fn standard(&self, object: ObjectId, time: Time) -> Option<&'static str> {
        let known = self.streams.lock().unwrap_or_else(PoisonError::into_inner).first.get(&object).copied();
        let first = match known {
            Some(first) => first,
            None => {
                let first = self.find_standard(object);
                let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
                streams.first.insert(object, first);
                first
            }
        };
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let set = streams.set.get_or_insert_with(|| self.replaced());
        for (which, (_, name, _)) in STANDARD.iter().enumerate() {
            let last = set.iter().rev().find(|&&(at, place, _)| at <= time && place == which);
            let is_it = match last {
                Some(&(.., now)) => now == Some(object),
                None => first == Some(which),
            };
            if is_it {
                return Some(name);
            }
        }
        None
    }

    /// Calls that put another stream in the place of a standard one, in order.
    fn replaced(&self) -> Vec<(Time, usize, Option<ObjectId>)> {
        let mut set = Vec::new();
        for (group, owner, name, ..) in self.index.methods() {
            let which = STANDARD.iter().position(|row| row.2 == name);
            let Some(which) = which.filter(|_| owner == "java/lang/System") else { continue };
            for id in self.index.ranked_from(group, 0) {
                let (Some(row), Some(args)) = (self.index.call(id), self.index.arguments(id)) else {
                    continue;
                };
                let Some(time) = self.time_of(id.stream, row.exit) else { continue };
                let object = match args.values.first() {
                    Some(&Value::Object(object)) => Some(object),
                    _ => None,
                };
                if !matches!(row.ending, Ending::Threw(_)) {
                    set.push((time, which, object));
                }
            }
        }
        set.sort();
        set
    }

    /// Which of the standard streams an object was when the program began: seen where it is first read.
    fn find_standard(&self, object: ObjectId) -> Option<usize> {
        let classes = self.classes_of(object);
        let is_stream = |class: &String| class == jdk::names::PRINT_STREAM || class == "java/io/InputStream";
        if object.is_program() || !classes.iter().any(is_stream) || self.created_by(object, Time(u64::MAX)) {
            return None;
        }
        for found in self.index.all(Key::uses(object), None).take(USES) {
            if let Some(which) = self.read_from(object, found.position) {
                return Some(which);
            }
        }
        None
    }

    /// Which static field of `System` an object was read from, shortly before an event.
    fn read_from(&self, object: ObjectId, until: Position) -> Option<usize> {
        let checkpoint = self.index.checkpoint(until);
        let at = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
        let looking = Looking { object, at, until: until.ordinal, found: None };
        let mut replay = match &checkpoint {
            Some(checkpoint) => self.recording.replay_at(checkpoint, looking)?,
            None => self.recording.replay(until.stream, looking),
        };
        while replay.run(u64::MAX) == Paused::Reached {}
        replay.into_visitor().found
    }
}

fn file_name(sink: Sink) -> From {
    match sink {
        Sink::File(name) => From::File(name),
        _ => From::Elsewhere,
    }
}

struct Looking {
    object: ObjectId,
    at: u64,
    until: u64,
    found: Option<usize>,
}

impl Visitor for Looking {
    const READS: bool = true;

    fn event(&mut self, _: &Event<'_>) -> Then {
        self.at += 1;
        if self.at > self.until { Then::Stop } else { Then::On }
    }

    fn read(&mut self, read: &Read<'_>) {
        if let ReadKind::Static { field, value } = read.kind
            && field.owner == "java/lang/System"
            && value == Value::Object(self.object)
        {
            self.found = STANDARD.iter().position(|row| row.0 == field.name).or(self.found);
        }
    }
}
