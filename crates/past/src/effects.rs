//! What a call wrote into streams, writers, builders, buffers and files, and what it took from outside: found from the
//! calls into libraries below it, which the recording has with their arguments and results. One pass over the rows of
//! the call's subtree; nothing is replayed.
//!
//! Counted is what the program's own code wrote to: what goes through a wrapper is one effect, on the wrapper. What
//! stays within objects that the call made and that only hold what they are given is nobody's effect.

mod authors;
mod content;
mod format;
mod kind;
mod lambda;
mod operations;
mod piece;
mod sink;
mod wrote;

use std::collections::{BTreeMap, HashMap};

use index::{CallId, Ending, Target, Time};
use jdk::effects::{Does, Edit, Source, Taken};
use trace::{ObjectId, StreamId, Value};

use crate::past::{BareCall, Passed, Past};

pub use content::Content;
pub(crate) use content::Contents;
pub(crate) use kind::Kinds;
pub(crate) use lambda::Lambdas;
pub use operations::Operation;
pub use piece::{Piece, is_exact, joined};
pub(crate) use sink::Streams;
pub use wrote::{SinkDeed, SinkLine, Wrote};

/// Where something was written to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sink {
    Object(ObjectId),
    /// By its name, as the program gave it.
    File(String),
    /// A setting of the whole program: `System.out`, a system property.
    Setting(&'static str),
}

/// What was done there.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// The pieces came to the end.
    Append,
    /// They came in at this index.
    Insert(u32),
    /// These were taken out, and the pieces came in instead.
    Replace(u32, u32),
    /// They took the place of the character at this index.
    SetAt(u32),
    SetLength(u32),
    Reverse,
    Clear,
    /// Something else, in one word: `deleted`, `set`.
    Other(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The call into a library that did it.
    pub call: CallId,
    pub from: Time,
    pub to: Time,
    pub sink: Sink,
    pub deed: Deed,
    pub pieces: Vec<Piece>,
    /// It came back: otherwise only a part may have been done.
    pub whole: bool,
    /// The effect that it is a part of: a library called the program, which wrote on.
    pub through: Option<CallId>,
}

/// Where something came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Object(ObjectId),
    File(String),
    Clock,
    Chance,
    Environment,
}

/// Something that a call took from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub call: CallId,
    pub from: Time,
    pub to: Time,
    pub origin: Origin,
    /// `BufferedReader.readLine()`, with its arguments where these say what was asked for.
    pub asked: String,
    /// What came: empty at the end of a stream.
    pub taken: Vec<Piece>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    pub effects: Vec<Effect>,
    pub inputs: Vec<Input>,
    /// Calls into libraries of which nobody knows what they do, by method and how many.
    pub unknown: BTreeMap<String, u64>,
    /// A limit was reached: there may be more.
    pub more: bool,
}

impl Effects {
    /// Is it known that nothing was written?
    pub fn is_nothing(&self) -> bool {
        self.effects.is_empty() && self.unknown.is_empty() && !self.more
    }
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Calls in the call.
    pub calls: u32,
    pub effects: usize,
    pub inputs: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { calls: 200_000, effects: 20_000, inputs: 1_000 }
    }
}

impl Past {
    /// What a call and all below it wrote and took from outside, in order.
    pub fn effects(&self, call: CallId, bounds: &Bounds) -> Effects {
        let mut found = Effects::default();
        let Some(row) = self.index.call(call) else { return found };
        if let Some(entry) = self.time_of(call.stream, row.entry) {
            let last = call.index.saturating_add(row.size.max(1));
            self.collect(call, last, entry, bounds, &mut found);
        }
        found
    }

    /// Of all calls that began with these events of a thread, and of what was there before `since`.
    pub fn effects_in(&self, stream: StreamId, events: (u64, u64), since: Time, bounds: &Bounds) -> Effects {
        let mut found = Effects::default();
        let id = |index| CallId { stream, index };
        // Calls are numbered as they begin.
        let first_from = |ordinal: u64| {
            let (mut low, mut high) = (0, self.index.calls(stream));
            while low < high {
                let middle = low + (high - low) / 2;
                let before = self.index.call(id(middle)).is_some_and(|row| row.entry < ordinal);
                if before { low = middle + 1 } else { high = middle }
            }
            low
        };
        let (first, last) = (first_from(events.0), first_from(events.1.saturating_add(1)));
        self.collect(id(first), last, since, bounds, &mut found);
        found
    }

    /// The calls from one to before the number `last`.
    fn collect(&self, first: CallId, last: u32, since: Time, bounds: &Bounds, found: &mut Effects) {
        self.stay_small();
        let end = last.min(first.index.saturating_add(bounds.calls));
        let mut around = Around { open: Vec::new(), since };
        // The last call of which nobody knows what it did, and for each sink the last one that is told there.
        let mut unknown: Option<CallId> = None;
        let mut told: HashMap<ObjectId, Option<CallId>> = HashMap::new();
        for index in first.index..end {
            let id = CallId { index, ..first };
            if self.index.is_program_call(id) {
                continue;
            }
            while around.open.last().is_some_and(|&(end, ..)| end <= index) {
                around.open.pop();
            }
            let Some(row) = self.index.call(id) else { break };
            let Target::Library(callee) = row.target else { continue };
            let through = around.open.last().map(|&(_, call, _)| call);
            let done = match self.quick_kind(callee) {
                kind::Quick::Silent => continue,
                kind::Quick::Unknown => Done::Unknown,
                kind::Quick::CallsBack => self.called_back(id, &around),
                kind::Quick::ByReceiver => {
                    let receiver = self.index.arguments(id).and_then(|args| args.receiver);
                    match self.kind(callee, receiver) {
                        kind::Kind::Silent => continue,
                        kind::Kind::Unknown => Done::Unknown,
                        kind::Kind::Does(does) => match self.bare_call(id) {
                            Some(info) if self.is_done_below(&info, row.size) => continue,
                            Some(info) => self.done(&info, does, Some(&around)),
                            None => Done::Unknown,
                        },
                    }
                }
            };
            let object = done.object();
            if done.is_known() && row.size > 1 {
                around.open.push((index.saturating_add(row.size), id, object));
            }
            match done {
                Done::Wrote(mut effect) => {
                    if found.effects.len() == bounds.effects {
                        found.more = true;
                        continue;
                    }
                    effect.through = through;
                    if let Some(object) = object
                        && told.insert(object, unknown) != Some(unknown)
                        && unknown.is_some()
                        && effect.deed == Deed::Append
                        && self.is_out_of_sight(object, effect.from)
                    {
                        effect.pieces.insert(0, Piece::Unknown);
                    }
                    found.effects.push(effect);
                }
                Done::Took(input) => {
                    if found.inputs.len() == bounds.inputs {
                        found.more = true;
                        continue;
                    }
                    found.inputs.push(input);
                }
                Done::Hidden(_) => {}
                Done::Nothing => {}
                // What a wrapper does below is the wrapper's.
                Done::Unknown if through.is_some() => {}
                Done::Unknown => {
                    unknown = Some(id);
                    *found.unknown.entry(self.method_name(row.target)).or_default() += 1;
                }
            }
        }
        if let Some(call) = unknown {
            let late: Vec<ObjectId> =
                told.into_iter().filter(|(_, told)| *told != unknown).map(|(object, _)| object).collect();
            self.wrote_unseen(call, late, found);
        }
        found.more |= end < last;
    }

    /// A call of which nobody knows what it did came after the last one that wrote to these objects: whoever has one of
    /// them in hand may have written to it once more.
    fn wrote_unseen(&self, call: CallId, mut objects: Vec<ObjectId>, found: &mut Effects) {
        let Some(info) = self.call(call) else { return };
        objects.retain(|&object| self.is_out_of_sight(object, info.exit));
        objects.sort();
        found.effects.extend(objects.into_iter().map(|object| Effect {
            call,
            from: info.entry,
            to: info.exit,
            sink: Sink::Object(object),
            deed: Deed::Append,
            pieces: vec![Piece::Unknown],
            whole: true,
            through: None,
        }));
    }

    /// Does a filter of the program's own do it, in its own methods?
    fn is_done_below(&self, info: &BareCall, size: u32) -> bool {
        let Some(Value::Object(object)) = info.receiver else { return false };
        if size == 1 || !object.is_program() {
            return false;
        }
        let classes = self.classes_of(object);
        let above = classes.iter().find(|class| jdk::owner::is_jdk(class.as_str()));
        above.is_some_and(|above| jdk::effects::FILTERS.contains(&above.as_str()))
    }

    /// What a call did that was given method references to libraries, or called one.
    fn called_back(&self, id: CallId, around: &Around) -> Done {
        let Some(mut info) = self.bare_call(id) else { return Done::Unknown };
        let lambda = |value: Value| match value {
            Value::Object(object) => self.bound(object),
            _ => None,
        };
        if let Some(bound) = info.receiver.and_then(lambda) {
            // The program calls it: then its arguments are those of the method behind it.
            let kinds = crate::past::parameters(&bound.descriptor);
            let does = match self.bound_kind(&bound) {
                kind::Kind::Silent => return Done::Nothing,
                kind::Kind::Unknown => return Done::Unknown,
                kind::Kind::Does(does) => does,
            };
            if kinds.len() != info.args.len() {
                return Done::Unknown;
            }
            info.receiver = bound.taken;
            for (arg, kind) in info.args.iter_mut().zip(kinds) {
                arg.descriptor = kind;
            }
            return self.done(&info, does, Some(around));
        }
        let mut done = Done::Nothing;
        for bound in info.args.clone().into_iter().filter_map(|arg| lambda(arg.value)) {
            done = match (self.bound_kind(&bound), bound.taken) {
                (kind::Kind::Silent, _) => continue,
                (kind::Kind::Does(Does::Looks), _) => continue,
                (kind::Kind::Does(Does::Writes(_) | Does::Edits(_)), Some(Value::Object(object)))
                    if around.hides_write(self, object, info.exit) =>
                {
                    Done::Hidden(Some(object))
                }
                (kind::Kind::Does(Does::Writes(_) | Does::Edits(_)), Some(Value::Object(object))) => {
                    Done::Wrote(Effect {
                        call: id,
                        from: info.entry,
                        to: info.exit,
                        sink: Sink::Object(object),
                        deed: Deed::Append,
                        pieces: vec![Piece::Unknown],
                        whole: true,
                        through: None,
                    })
                }
                _ => Done::Unknown,
            };
        }
        done
    }

    pub(crate) fn time_of(&self, stream: StreamId, ordinal: u64) -> Option<Time> {
        self.index.time(index::Position { stream, ordinal })
    }

    /// What one call into a library did, given what its method does. What is hidden by what is around it is not looked
    /// into.
    pub(crate) fn done(&self, info: &BareCall, does: Does, around: Option<&Around>) -> Done {
        let object = |value: Option<Value>| match value {
            Some(Value::Object(object)) => Some(Sink::Object(object)),
            _ => None,
        };
        let hides = |object| around.is_some_and(|around| around.hides_write(self, object, info.exit));
        let effect = |sink: Option<Sink>, written: &dyn Fn() -> (Deed, Vec<Piece>)| match sink {
            Some(Sink::Object(object)) if hides(object) => Done::Hidden(Some(object)),
            Some(sink) => {
                let (deed, pieces) = written();
                Done::Wrote(Effect {
                    call: info.id,
                    from: info.entry,
                    to: info.exit,
                    sink,
                    deed,
                    pieces,
                    whole: matches!(info.ending, Ending::Returned(_)),
                    through: None,
                })
            }
            None => Done::Unknown,
        };
        let unknown = || (Deed::Append, vec![Piece::Unknown]);
        let arg = |at: usize| info.args.get(at).map(|arg| arg.value);
        match does {
            Does::Looks | Does::Exposes | Does::Edits(Edit::Make) => Done::Nothing,
            // A call that failed before it could do anything.
            _ if matches!(info.ending, Ending::Threw(_)) && self.failed_at_once(info) => Done::Nothing,
            Does::Writes(unit) => effect(object(info.receiver), &|| match info.receiver {
                // Methods of its own may have done it otherwise.
                Some(Value::Object(own)) if own.is_program() && info.children > 0 => unknown(),
                _ => (Deed::Append, self.unit(info, unit, 0)),
            }),
            Does::WritesInto(at) => effect(object(arg(usize::from(at))), &unknown),
            Does::WritesErr => effect(Some(Sink::Setting("System.err")), &unknown),
            Does::Edits(edit) => effect(object(info.receiver), &|| {
                self.edit(info, edit).unwrap_or_else(|| (Deed::Other("changed"), vec![Piece::Unknown]))
            }),
            Does::WritesFile(unit) => {
                effect(self.file(arg(0), info.entry), &|| (Deed::Append, self.unit(info, unit, 1)))
            }
            Does::ChangesFile(word) => {
                let file = if info.receiver.is_some() { info.receiver } else { arg(0) };
                // Whether there was anything to delete, to make or to move is what it gives back.
                let in_vain = matches!(info.ending, Ending::Returned(Some(Value::Int(0))));
                if in_vain && info.result_descriptor == "Z" {
                    return Done::Nothing;
                }
                let rest = if info.receiver.is_some() { 0 } else { 1 };
                let rest = info.args.iter().skip(rest).filter(|arg| !arg.descriptor.starts_with('['));
                let piece = |arg: &Passed| Piece::Value(arg.value, arg.descriptor.clone());
                effect(self.file(file, info.entry), &|| {
                    (Deed::Other(word), rest.clone().map(piece).collect())
                })
            }
            Does::Sets(what) => effect(Some(Sink::Setting(what)), &|| {
                let piece = |arg: &Passed| match self.plain_text(arg.value, &arg.descriptor, info) {
                    Some(text) => Piece::Text(text),
                    None => Piece::Value(arg.value, arg.descriptor.clone()),
                };
                (Deed::Other("set"), info.args.iter().map(piece).collect())
            }),
            Does::Takes(source, taken) => self.took(info, source, taken, around).unwrap_or(Done::Unknown),
        }
    }

    fn took(&self, info: &BareCall, source: Source, taken: Taken, around: Option<&Around>) -> Option<Done> {
        let origin = match source {
            Source::Receiver => match info.receiver? {
                Value::Object(object) => Origin::Object(object),
                _ => return None,
            },
            Source::Clock => Origin::Clock,
            Source::Chance => Origin::Chance,
            Source::Environment => Origin::Environment,
            Source::File | Source::OwnFile => {
                let named = if source == Source::OwnFile {
                    info.receiver
                } else {
                    info.args.first().map(|arg| arg.value)
                };
                match self.file(named, info.entry)? {
                    Sink::File(name) => Origin::File(name),
                    _ => return None,
                }
            }
        };
        let object = match origin {
            Origin::Object(object) => Some(object),
            _ => None,
        };
        if around.is_some_and(|around| around.hides_input(self, object, info.exit)) {
            return Some(Done::Hidden(object));
        }
        let plain = info.args.iter().filter(|arg| !arg.descriptor.starts_with('['));
        let args: Vec<String> =
            plain.take(3).map(|arg| self.text(arg.value, &arg.descriptor, info.entry)).collect();
        Some(Done::Took(Input {
            call: info.id,
            from: info.entry,
            to: info.exit,
            origin,
            asked: format!("{}({})", info.method, args.join(", ")),
            taken: self.taken(info, taken),
        }))
    }

    /// Did a call throw because of its arguments? Then nothing was done.
    fn failed_at_once(&self, info: &BareCall) -> bool {
        let Ending::Threw(Some(Value::Object(thrown))) = info.ending else { return false };
        self.class_of(thrown).is_some_and(jdk::effects::is_refusal) && info.children == 0
    }
}

/// What is around the calls that are looked at: what they do to objects that were made since stays among them, and
/// what is a part of another effect is not told again.
pub(crate) struct Around {
    /// Effects that are going on: the number after their last call, and the object.
    open: Vec<(u32, CallId, Option<ObjectId>)>,
    since: Time,
}

impl Around {
    fn hides_write(&self, past: &Past, object: ObjectId, until: Time) -> bool {
        self.open.iter().any(|&(.., above)| above == Some(object))
            || past.stays_within(object, self.since, until)
    }

    fn hides_input(&self, past: &Past, object: Option<ObjectId>, until: Time) -> bool {
        !self.open.is_empty() || object.is_some_and(|object| past.stays_within(object, self.since, until))
    }
}

pub(crate) enum Done {
    Wrote(Effect),
    Took(Input),
    /// It was done to, or came from, what is around, or this object that stays within.
    Hidden(Option<ObjectId>),
    Nothing,
    Unknown,
}

impl Done {
    fn is_known(&self) -> bool {
        matches!(self, Done::Wrote(_) | Done::Took(_) | Done::Hidden(_))
    }

    /// What it was done to, or came from.
    fn object(&self) -> Option<ObjectId> {
        match self {
            Done::Wrote(Effect { sink: Sink::Object(object), .. })
            | Done::Took(Input { origin: Origin::Object(object), .. }) => Some(*object),
            Done::Hidden(object) => *object,
            _ => None,
        }
    }
}
