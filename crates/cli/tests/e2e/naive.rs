//! What the index looks up equals what a plain reading of all events finds: a model that keeps everything in maps and
//! lists, and knows nothing of segments, checkpoints or pages.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use index::{Evidence, Key, PostingKind};
use past::{
    Arguments, CallId, Ending, KnownValue, Location, Manner, ObjectId, Past, Position, RenderLimits, Step,
    StreamId, Time, Value,
};
use trace::{BulkWrite, Callee, Elements, Event, EventKind, FieldId, kinds};

use crate::debuggee::{Openable, Program, check_all, jdk17};

const PROGRAMS: [(&str, &[&str], &str); 24] = [
    ("examples", &["BottomUpMergeSort"], "full"),
    ("examples", &["Castling"], "full"),
    ("examples", &["FileLister"], "heap"),
    ("events", &["Events", "3"], "full"),
    ("events", &["Events", "40"], "heap"),
    ("events", &["EventsThreads", "2"], "full"),
    ("state", &["PlainStates"], "full"),
    ("state", &["ArrayStates"], "full"),
    ("state", &["CollectionStates"], "full"),
    ("state", &["ThreadStates"], "full"),
    ("state", &["ThreadStates"], "heap"),
    ("state", &["PlainStates"], "calls"),
    ("awkward", &["ArrayWork"], "full"),
    ("awkward", &["Cloning"], "full"),
    ("awkward", &["ConstructorExceptions"], "full"),
    ("awkward", &["FinallyJumps"], "full"),
    ("awkward", &["Iterators"], "full"),
    ("awkward", &["Lambdas"], "full"),
    ("awkward", &["NestedClasses"], "full"),
    ("awkward", &["Reflection"], "full"),
    ("awkward", &["StackOverflow"], "full"),
    ("awkward", &["StaticInit"], "full"),
    ("awkward", &["Synchronization"], "full"),
    ("awkward", &["UncaughtThread"], "full"),
];

#[test]
fn everything_that_is_looked_up_equals_a_plain_reading() {
    check_all(&PROGRAMS, |(group, words, detail)| {
        // The parts of the programs that print are left out.
        let program = Program::new(group, words).with_options(&["--exclude", "told", "--exclude", "report"]);
        let (_, recorded) = program.record(&jdk17(), &["--detail", detail]);
        let faults = compare(&recorded.past(), 100);
        (!faults.is_empty()).then(|| format!("{} {detail}:\n{}", program.name, faults.join("\n")))
    });
}

/// A program with a checkpoint or two and long calls.
#[test]
fn a_longer_recording_equals_a_plain_reading_too() {
    for (group, words) in [("bench", &["MergeSortKernel", "2"]), ("bench", &["AvlKernel", "1"])] {
        let (_, recorded) = Program::new(group, words).record(&jdk17(), &[]);
        let past = recorded.past();
        assert!(past.index().events() > 300_000, "{}", past.index().events());
        let faults = compare(&past, 20);
        assert!(faults.is_empty(), "{words:?}:\n{}", faults.join("\n"));
    }
}

/// One of the real programs of `bench/`, chosen by `INQUEST_PAST`, as `scripts/stress past` runs them.
#[test]
#[ignore = "long; see scripts/stress past"]
fn stress_a_recording_equals_a_plain_reading() {
    let dir = std::env::var("INQUEST_PAST").expect("INQUEST_PAST names a recording");
    let past = Past::open(dir.as_ref(), &past::Settings::default(), &mut |_| {}).unwrap();
    let meta = past.index().meta();
    assert_eq!(meta.gaps, 0, "gaps");
    let faults = compare(&past, 60);
    println!("{} events, {} calls, {} unfiled", meta.events, meta.calls, meta.unfiled);
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// What differs, at most a few of each kind. `samples` says how many random questions of each kind are asked.
pub fn compare(past: &Past, samples: usize) -> Vec<String> {
    let model = Model::read(past);
    let mut check =
        Check { past, model: &model, faults: Vec::new(), chance: testkit::Chance::seeded(42), samples };
    check.order();
    check.calls();
    check.paging();
    check.names();
    check.state();
    check.histories();
    check.changes();
    check.events();
    check.steps();
    check.faults
}

/// A call, as the plain reading sees it.
struct Row {
    parent: Option<usize>,
    entry: u64,
    /// Where its own events begin.
    begin: u64,
    exit: u64,
    depth: u32,
    is_library: bool,
    args: Arguments,
    ending: Ending,
    /// Depth of its own events.
    own: u32,
    children: Vec<usize>,
}

/// An event, as much of it as is needed to choose those of a call.
struct Brief {
    kind: usize,
    depth: u32,
    begins_unasked: bool,
    /// A call without a row, or a write to what is no object.
    hidden: bool,
}

#[derive(Default)]
struct Stream {
    rows: Vec<Row>,
    around: Vec<Option<usize>>,
    events: Vec<Brief>,
    named: HashMap<u32, ObjectId>,
}

#[derive(Default)]
struct Model {
    streams: BTreeMap<StreamId, Stream>,
    /// (time, number) of ordering points.
    points: Vec<(Time, u64)>,
    written: HashMap<Location, Vec<(Time, KnownValue)>>,
    locals: HashMap<(CallId, String), Vec<(Time, KnownValue)>>,
    /// Time, stream and locations of what was written, in order.
    writes: Vec<(Time, Position, Vec<Location>)>,
    created: HashMap<ObjectId, Position>,
    /// Constructors that libraries called begin there: to themselves, the object is not new.
    constructed: HashSet<Position>,
    /// When something was seen rather than written.
    seen: HashSet<Time>,
}

/// A write, kept until all streams are read.
enum Wrote {
    One(Value, Box<dyn Fn(ObjectId) -> Option<Location>>, KnownValue),
    Static(Location, KnownValue),
    Range(BulkWrite),
    Seen(ObjectId, u32, Vec<Value>),
    Made(Value),
    /// By a constructor of this class that a library called.
    Constructed(Value, trace::ClassId),
}

impl Model {
    fn read(past: &Past) -> Model {
        let mut model = Model::default();
        let mut writes: Vec<(Time, Position, Wrote)> = Vec::new();
        for stream in past.streams() {
            let mut reading = Reading {
                past,
                stream,
                found: Stream::default(),
                open: Vec::new(),
                frames: Vec::new(),
                asked: HashMap::new(),
                made: HashSet::new(),
                reflected: HashSet::new(),
            };
            past.recording().events(stream, |event| {
                reading.take(event, &mut model, &mut writes);
                ControlFlow::Continue(())
            });
            let last = (reading.found.events.len() as u64).saturating_sub(1);
            for &row in &reading.open {
                reading.found.rows[row].exit = last;
            }
            model.streams.insert(stream, reading.found);
        }
        model.resolve();
        writes.sort_by_key(|(time, ..)| *time);
        for (time, position, wrote) in writes {
            model.write(past, time, position, wrote);
        }
        model
    }

    fn object(&self, stream: StreamId, value: Value) -> Value {
        match value {
            Value::Pending(pending) => {
                self.streams[&stream].named.get(&pending.0).map_or(value, |&id| Value::Object(id))
            }
            value => value,
        }
    }

    fn known(&self, stream: StreamId, known: KnownValue) -> KnownValue {
        match known {
            KnownValue::Value(value) => KnownValue::Value(self.object(stream, value)),
            KnownValue::Seen(value) => KnownValue::Seen(self.object(stream, value)),
            KnownValue::Unknown => KnownValue::Unknown,
        }
    }

    fn resolve(&mut self) {
        for found in self.streams.values_mut() {
            let named = &found.named;
            let resolve = |value: &mut Value| {
                if let Value::Pending(pending) = *value
                    && let Some(&id) = named.get(&pending.0)
                {
                    *value = Value::Object(id);
                }
            };
            for row in &mut found.rows {
                row.args.receiver.iter_mut().for_each(resolve);
                row.args.values.iter_mut().for_each(resolve);
                if let Ending::Returned(Some(value)) | Ending::Threw(Some(value)) = &mut row.ending {
                    resolve(value);
                }
            }
        }
        let locals = std::mem::take(&mut self.locals);
        let resolved = |(key, list): ((CallId, String), Vec<(Time, KnownValue)>)| {
            let list = list.into_iter().map(|(time, known)| (time, self.known(key.0.stream, known)));
            let list = list.collect();
            (key, list)
        };
        let locals = locals.into_iter().map(resolved).collect();
        self.locals = locals;
    }

    fn write(&mut self, past: &Past, time: Time, position: Position, wrote: Wrote) {
        let stream = position.stream;
        let id = |model: &Model, value| match model.object(stream, value) {
            Value::Object(id) => Some(id),
            _ => None,
        };
        let mut list: Vec<(Location, KnownValue)> = Vec::new();
        if matches!(wrote, Wrote::Seen(..) | Wrote::One(_, _, KnownValue::Seen(_))) {
            self.seen.insert(time);
        }
        match wrote {
            Wrote::One(owner, place, known) => {
                if let Some(location) = id(self, owner).and_then(place) {
                    list.push((location, self.known(stream, known)));
                }
            }
            Wrote::Static(location, known) => list.push((location, self.known(stream, known))),
            Wrote::Made(object) => {
                if let Some(object) = id(self, object) {
                    self.created.entry(object).or_insert(position);
                }
            }
            Wrote::Constructed(object, class) => {
                let objects = past.recording().objects();
                if let Some(object) = id(self, object)
                    && let Some(ty) = objects.type_of(object)
                    && past.recording().program().type_info(ty).unwrap().class == Some(class)
                {
                    self.created.entry(object).or_insert(position);
                    self.constructed.insert(position);
                }
            }
            Wrote::Seen(array, from, values) => {
                for (index, value) in (from..).zip(values) {
                    let known = self.known(stream, KnownValue::Seen(value));
                    list.push((Location::Element { array, index }, known));
                }
            }
            Wrote::Range(bulk) => {
                let length = |array: ObjectId| past.recording().objects().length(array).unwrap_or(0) as i32;
                let (target, to, source) = match bulk {
                    BulkWrite::Copy { source, from, target, to, length } => {
                        (id(self, target), to..to + length, Some((id(self, source), from - to)))
                    }
                    BulkWrite::Clone { source, target } => {
                        let (original, target) = (id(self, source), id(self, target));
                        if let (Some(source), Some(target)) = (original, target)
                            && past.recording().objects().length(target).is_none()
                        {
                            self.created.entry(target).or_insert(position);
                            list.extend(self.copied_fields(past, source, target, time));
                        }
                        (target, 0..target.map_or(0, length), Some((id(self, source), 0)))
                    }
                    BulkWrite::Fill { array, range, value } => {
                        let array = id(self, array);
                        let (from, to) = range.unwrap_or((0, array.map_or(0, length)));
                        let known = self.known(stream, KnownValue::Value(value));
                        for index in from..to {
                            list.extend(
                                array.map(|array| (Location::Element { array, index: index as u32 }, known)),
                            );
                        }
                        (None, 0..0, None)
                    }
                };
                for index in to {
                    let Some((array, (source, offset))) = target.zip(source) else { break };
                    let known = source.map_or(KnownValue::Unknown, |source| {
                        let element = Location::Element { array: source, index: (index + offset) as u32 };
                        self.at(past, &element, time).unwrap_or(KnownValue::Unknown)
                    });
                    list.push((Location::Element { array, index: index as u32 }, known));
                }
            }
        }
        if list.is_empty() {
            return;
        }
        self.writes.push((time, position, list.iter().map(|(location, _)| location.clone()).collect()));
        for (location, known) in list {
            self.written.entry(location).or_default().push((time, known));
        }
    }

    /// What a clone of an object has from its original, field by field.
    fn copied_fields(
        &self,
        past: &Past,
        source: ObjectId,
        target: ObjectId,
        time: Time,
    ) -> Vec<(Location, KnownValue)> {
        let program = past.recording().program();
        let Some(ty) = past.recording().objects().type_of(target) else { return Vec::new() };
        let copied = |field: FieldId| {
            let of_source = Location::Field { object: source, field };
            let known = self.at(past, &of_source, time).unwrap_or_else(|| {
                // All writes of the program are in the model.
                let followed = program.field(field).is_some_and(|(class, _)| class.recorded);
                match followed && self.created.contains_key(&source) {
                    true => KnownValue::Value(zero(&past.descriptor(&of_source))),
                    false => KnownValue::Unknown,
                }
            });
            (Location::Field { object: target, field }, known)
        };
        program.instance_fields(ty).into_iter().map(|(field, _)| copied(field)).collect()
    }

    /// What a location held; none where the model does not know whether it held a zero.
    fn at(&self, past: &Past, location: &Location, time: Time) -> Option<KnownValue> {
        let list = self.written.get(location).map_or(&[][..], Vec::as_slice);
        let after = list.partition_point(|&(at, _)| at <= time);
        if let Some(before) = after.checked_sub(1) {
            return Some(list[before].1);
        }
        let (object, descriptor) = match location {
            Location::Element { array, .. } => (*array, past.descriptor(location)),
            _ => return None,
        };
        let made = self.created.get(&object).and_then(|&at| past.index().time(at));
        match made {
            None => Some(KnownValue::Unknown),
            // Arrays within an array may have been made with it.
            Some(_) if descriptor.starts_with('[') => None,
            Some(made) if made <= time => Some(KnownValue::Value(zero(&descriptor))),
            Some(_) => Some(KnownValue::Unknown),
        }
    }
}

fn zero(descriptor: &str) -> Value {
    match descriptor.as_bytes().first() {
        Some(b'J') => Value::Long(0),
        Some(b'F') => Value::Float(0.0),
        Some(b'D') => Value::Double(0.0),
        Some(b'L' | b'[') | None => Value::Null,
        _ => Value::Int(0),
    }
}

struct Reading<'p> {
    past: &'p Past,
    stream: StreamId,
    found: Stream,
    /// Rows that have not ended, outermost first.
    open: Vec<usize>,
    /// The row of each open call of program code.
    frames: Vec<usize>,
    /// By depth: the row of the call that an instruction made and that has not come back, if it has one.
    asked: HashMap<u32, Option<usize>>,
    /// Arrays that the instruction just before has made.
    made: HashSet<ObjectId>,
    /// Rows of calls of `newInstance`.
    reflected: HashSet<usize>,
}

impl Reading<'_> {
    fn take(&mut self, event: &Event<'_>, model: &mut Model, writes: &mut Vec<(Time, Position, Wrote)>) {
        let ordinal = self.found.events.len() as u64;
        let position = Position { stream: self.stream, ordinal };
        let time = self.past.index().time(position).expect("every event has a time");
        let mut brief =
            Brief { kind: event.kind.index(), depth: event.depth, begins_unasked: false, hidden: false };
        let program = self.past.recording().program();
        let mut write = |wrote| writes.push((time, position, wrote));
        let before = self.open.last().copied();
        if !matches!(event.kind, EventKind::ArrayContents { .. }) {
            self.made.clear();
        }
        match event.kind {
            EventKind::Call { callee, args } => {
                brief.hidden = is_hidden(callee);
                let row = (!brief.hidden).then(|| {
                    let (receiver, values) = match args {
                        [first, rest @ ..] if callee.receiver() => (Some(*first), rest),
                        args => (None, args),
                    };
                    self.begin(ordinal, event.depth, true, Arguments { receiver, values: values.to_vec() })
                });
                let makes = ["java/lang/Class", "java/lang/reflect/Constructor"].contains(&&*callee.owner);
                if makes && callee.name == "newInstance" {
                    self.reflected.extend(row);
                }
                self.asked.insert(event.depth, row);
            }
            EventKind::Enter { receiver, args, called } => {
                if let (false, Some(object @ Value::Pending(_)), Some(site)) = (called, receiver, event.site)
                {
                    let (class, _) = program.method(site.method).unwrap();
                    write(Wrote::Constructed(object, class.id));
                }
                let asked = self.asked.get(&(event.depth - 1)).copied().flatten().filter(|_| called);
                let row = asked.unwrap_or_else(|| {
                    let args = Arguments { receiver, values: args.to_vec() };
                    self.begin(ordinal, event.depth, false, args)
                });
                brief.begins_unasked = !called;
                let own = &mut self.found.rows[row];
                (own.is_library, own.begin, own.own) = (false, ordinal, event.depth);
                self.frames.truncate(event.depth as usize - 1);
                self.frames.push(row);
                self.asked.remove(&event.depth);
            }
            EventKind::Exit { value } => self.leave(event.depth, ordinal, Ending::Returned(value)),
            EventKind::Unwind { exception, .. } => self.leave(event.depth, ordinal, Ending::Threw(exception)),
            EventKind::Return { value } => {
                let made = matches!(self.asked.get(&event.depth), Some(None));
                if let (true, Some(value)) = (made, value) {
                    write(Wrote::Made(value));
                }
                if let Some(Some(row)) = self
                    .asked
                    .get(&event.depth)
                    .filter(|row| row.is_some_and(|row| self.reflected.contains(&row)))
                    && let Some(made @ Value::Object(object)) = value
                    && object.is_program()
                {
                    let position = Position { ordinal: self.found.rows[*row].entry, ..position };
                    let time = self.past.index().time(position).unwrap();
                    writes.push((time, position, Wrote::Made(made)));
                }
                self.came_back(event.depth, ordinal, Ending::Returned(value));
            }
            EventKind::Throw { exception } => self.came_back(event.depth, ordinal, Ending::Threw(exception)),
            EventKind::Named { pending, object: Value::Object(object) } => {
                self.found.named.insert(pending.0, object);
            }
            EventKind::OrderingPoint { number } => model.points.push((time, number)),
            EventKind::New { object, .. } => write(Wrote::Made(object)),
            EventKind::NewArray { array, .. } => {
                write(Wrote::Made(array));
                if let Value::Object(array) = array {
                    self.made = HashSet::from([array]);
                }
            }
            EventKind::FieldWrite { object, field, value } => {
                if let Some(field) = field.id(program) {
                    let place = Box::new(move |object| Some(Location::Field { object, field }));
                    write(Wrote::One(object, place, written(value)));
                }
            }
            EventKind::StaticWrite { field, value } => {
                if let Some(field) = field.id(program) {
                    write(Wrote::Static(Location::Static(field), written(value)));
                }
            }
            EventKind::ArrayWrite { array, index, value } => {
                brief.hidden = !matches!(array, Value::Object(_));
                let place = Box::new(move |array| Some(Location::Element { array, index: index as u32 }));
                write(Wrote::One(array, place, written(value)));
            }
            EventKind::LocalWrite { slot, value } => {
                if let (Some(&row), Some(site)) = (self.frames.get(event.depth as usize - 1), event.site) {
                    let name = self.past.recording().local_name(site, slot);
                    let name = name.map_or(format!("local{slot}"), |(name, _)| name.to_owned());
                    let call = CallId { stream: self.stream, index: row as u32 };
                    model.locals.entry((call, name)).or_default().push((time, KnownValue::Value(value)));
                }
            }
            EventKind::BulkWrite(bulk) => write(Wrote::Range(bulk)),
            EventKind::ArrayContents { array, from, elements, .. } => {
                // `new int[2][3]` makes three arrays.
                if let (trace::Elements::References(inner), true) = (elements, self.made.contains(&array)) {
                    for &inner in inner {
                        if let Value::Object(id) = inner
                            && self.past.recording().objects().length(id).is_some()
                            && self.made.insert(id)
                        {
                            write(Wrote::Made(inner));
                        }
                    }
                }
                write(Wrote::Seen(array, from, values(elements)));
            }
            EventKind::ObjectContents { object, values } => {
                let Some(ty) = self.past.recording().objects().type_of(object) else { return };
                for (field, &value) in program.fields(ty).iter().zip(values) {
                    if let Some(field) = field.id(program) {
                        let place = Box::new(move |object| Some(Location::Field { object, field }));
                        write(Wrote::One(Value::Object(object), place, KnownValue::Seen(value)));
                    }
                }
            }
            kinds! { threads branches losses Named Catch MonitorEnter MonitorExit } => {}
        }
        // A call that ends here is still the innermost, and so is one that begins here.
        let now = self.open.last().copied();
        let innermost =
            if now.is_some_and(|now| self.found.rows[now].entry == ordinal) { now } else { before };
        self.found.around.push(innermost);
        self.found.events.push(brief);
    }

    fn begin(&mut self, entry: u64, own: u32, is_library: bool, args: Arguments) -> usize {
        let row = self.found.rows.len();
        let parent = self.open.last().copied();
        if let Some(parent) = parent {
            self.found.rows[parent].children.push(row);
        }
        self.found.rows.push(Row {
            parent,
            entry,
            begin: entry,
            exit: entry,
            depth: self.open.len() as u32,
            is_library,
            args,
            ending: Ending::Open,
            own,
            children: Vec::new(),
        });
        self.open.push(row);
        row
    }

    fn end(&mut self, row: usize, exit: u64, ending: Ending) {
        while let Some(open) = self.open.pop() {
            self.found.rows[open].exit = exit;
            self.found.rows[open].ending = if open == row { ending } else { Ending::Threw(None) };
            if open == row {
                break;
            }
        }
    }

    fn leave(&mut self, depth: u32, ordinal: u64, ending: Ending) {
        if let Some(&row) = self.frames.get(depth as usize - 1) {
            self.frames.truncate(depth as usize - 1);
            self.end(row, ordinal, ending);
        }
    }

    fn came_back(&mut self, depth: u32, ordinal: u64, ending: Ending) {
        if let Some(Some(row)) = self.asked.remove(&depth)
            && self.open.contains(&row)
        {
            self.end(row, ordinal, ending);
        }
    }
}

fn is_hidden(callee: &Callee) -> bool {
    callee.owner.is_empty() || (callee.name == "<init>" && callee.owner == "java/lang/Object")
}

fn written(value: Value) -> KnownValue {
    if value == Value::Top { KnownValue::Unknown } else { KnownValue::Value(value) }
}

fn values(elements: Elements<'_>) -> Vec<Value> {
    let (kind, data) = match elements {
        Elements::References(values) => return values.to_vec(),
        Elements::Primitive { kind, data } => (kind, data),
    };
    let size = trace::record::element_size(kind).unwrap();
    let value = |bytes: &[u8]| match kind {
        b'J' => Value::Long(i64::from_le_bytes(bytes.try_into().unwrap())),
        b'D' => Value::Double(f64::from_le_bytes(bytes.try_into().unwrap())),
        b'F' => Value::Float(f32::from_le_bytes(bytes.try_into().unwrap())),
        b'I' => Value::Int(i32::from_le_bytes(bytes.try_into().unwrap())),
        b'S' => Value::Int(i16::from_le_bytes(bytes.try_into().unwrap()).into()),
        b'C' => Value::Int(u16::from_le_bytes(bytes.try_into().unwrap()).into()),
        b'B' => Value::Int((bytes[0] as i8).into()),
        _ => Value::Int(bytes[0].into()),
    };
    data.chunks_exact(size).map(value).collect()
}

struct Check<'a> {
    past: &'a Past,
    model: &'a Model,
    faults: Vec<String>,
    chance: testkit::Chance,
    samples: usize,
}

impl Check<'_> {
    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, got: T, wanted: T, what: impl FnOnce() -> String) {
        if got != wanted && self.faults.len() < 30 {
            self.faults.push(format!("{}: {got:?}, a plain reading finds {wanted:?}", what()));
        }
    }

    fn ids(&self) -> Vec<CallId> {
        let of = |(&stream, found): (&StreamId, &Stream)| {
            (0..found.rows.len() as u32).map(move |index| CallId { stream, index }).collect::<Vec<_>>()
        };
        self.model.streams.iter().flat_map(of).collect()
    }

    /// All calls, or some of them if there are many.
    fn some_ids(&mut self, at_most: usize) -> Vec<CallId> {
        let ids = self.ids();
        if ids.len() <= at_most {
            return ids;
        }
        (0..at_most).map(|_| ids[self.chance.below_u64(ids.len() as u64) as usize]).collect()
    }

    fn row(&self, id: CallId) -> &Row {
        &self.model.streams[&id.stream].rows[id.index as usize]
    }

    /// Times are a dense order that keeps the order within a thread and that of the ordering points.
    fn order(&mut self) {
        let index = self.past.index();
        let all: u64 = self.model.streams.values().map(|found| found.events.len() as u64).sum();
        self.expect(index.events(), all, || "number of events".to_owned());
        let mut last: HashMap<StreamId, u64> = HashMap::new();
        for time in 0..all {
            let Some(position) = index.position(Time(time)) else {
                self.faults.push(format!("no event at time {time}"));
                return;
            };
            let next = last.entry(position.stream).or_insert(0);
            let (got, wanted) = (position.ordinal, *next);
            *next += 1;
            self.expect(got, wanted, || format!("ordinal at time {time}"));
            self.expect(index.time(position), Some(Time(time)), || format!("time of {position:?}"));
        }
        self.expect(index.position(Time(all)), None, || "the time after the last".to_owned());
        let mut points = self.model.points.clone();
        points.sort_by_key(|&(time, _)| time);
        for pair in points.windows(2) {
            if pair[0].1 >= pair[1].1 {
                self.faults.push(format!("ordering points are out of order: {pair:?}"));
                return;
            }
        }
    }

    fn calls(&mut self) {
        for (&stream, found) in &self.model.streams {
            let calls = self.past.index().calls(stream) as usize;
            self.expect(calls, found.rows.len(), || format!("calls of {stream:?}"));
            let sizes = sizes(&found.rows);
            for (index, row) in found.rows.iter().enumerate().take(calls) {
                let id = CallId { stream, index: index as u32 };
                let got = self.past.index().call(id).unwrap();
                let past = self.past;
                let name = || format!("{} ({id:?})", past.call_name(id));
                let is_library = matches!(got.target, past::Target::Library(_));
                let facts = (got.parent, got.entry, got.exit, got.depth, is_library);
                let parent = row.parent.map(|row| row as u32);
                let plain = (parent, row.entry, row.exit, row.depth, row.is_library);
                self.expect(facts, plain, || format!("parent, entry, exit, depth of {}", name()));
                let size = (sizes[index], row.children.len() as u32);
                self.expect((got.size, got.children), size, || format!("size of {}", name()));
                // As texts: one NaN does not equal another.
                let (ending, plain) = (format!("{:?}", got.ending), format!("{:?}", row.ending));
                self.expect(ending, plain, || format!("ending of {}", name()));
                let args = format!("{:?}", past.index().arguments(id).unwrap());
                self.expect(args, format!("{:?}", row.args), || format!("arguments of {}", name()));
            }
            let step = found.around.len() / 50_000 + 1;
            for (ordinal, around) in found.around.iter().enumerate().step_by(step) {
                let position = Position { stream, ordinal: ordinal as u64 };
                let got = self.past.index().call_at(position).map(|id| id.index as usize);
                self.expect(got, *around, || format!("call at {position:?}"));
            }
        }
    }

    fn paging(&mut self) {
        for id in self.some_ids(self.samples * 4) {
            let all = self.row(id).children.clone();
            let from = self.chance.below_u64(all.len() as u64 + 2) as u32;
            let count = self.chance.below_u64(20) as usize;
            let got: Vec<usize> =
                self.past.index().children(id, from, count).iter().map(|id| id.index as usize).collect();
            let wanted: Vec<usize> = all.into_iter().skip(from as usize).take(count).collect();
            self.expect(got, wanted, || format!("children {from} and {count} more of {id:?}"));
        }
        let rows: Vec<(CallId, u32)> =
            self.past.tree_rows(None, None, true).map(|row| (row.call, row.depth)).collect();
        let wanted: Vec<(CallId, u32)> = self.ids().into_iter().map(|id| (id, self.row(id).depth)).collect();
        if rows != wanted {
            self.faults.push(format!("the tree has {} rows, not {}, or others", rows.len(), wanted.len()));
        }
        for id in self.some_ids(20) {
            let limit = self.chance.below_u64(4) as u32;
            let got: Vec<u32> =
                self.past.tree_rows(Some(id), Some(limit), true).map(|row| row.call.index).collect();
            let (first, top) = (id.index, self.row(id).depth);
            let all = &self.model.streams[&id.stream].rows;
            let end = first as usize + sizes_of(all, first as usize);
            let wanted: Vec<u32> =
                (first..end as u32).filter(|&row| all[row as usize].depth - top <= limit).collect();
            self.expect(got, wanted, || format!("tree below {id:?}, {limit} levels"));
        }
    }

    fn names(&mut self) {
        let mut seen = HashSet::new();
        for id in self.some_ids(20_000) {
            let name = self.past.call_name(id);
            self.expect(self.past.find_call(&name).ok(), Some(id), || format!("the call named {name}"));
            let number = id.number().to_string();
            self.expect(self.past.find_call(&number).ok(), Some(id), || format!("the call {number}"));
            seen.insert((name, id));
        }
        let names: HashSet<&String> = seen.iter().map(|(name, _)| name).collect();
        self.expect(names.len(), seen.len(), || "different names".to_owned());
        for (id, _) in self.past.recording().objects().ids().take(20_000).collect::<Vec<_>>() {
            let name = self.past.object_name(id);
            self.expect(self.past.find_object(&name).ok(), Some(id), || format!("the object named {name}"));
        }
        // Superclasses of library classes may be missing, and with them the names of their fields.
        let is_nameable = |location: &&Location| !matches!(location, Location::Field { object, .. } if !object.is_program());
        let locations: Vec<&Location> = self.model.written.keys().filter(is_nameable).take(2000).collect();
        for location in locations {
            let name = self.past.location_name(location);
            let found = self.past.find_location(&name, None).map_err(|error| error.to_string());
            self.expect(found, Ok(location.clone()), || format!("the location named {name}"));
        }
    }

    fn some_locations(&mut self, count: usize) -> Vec<Location> {
        let mut all: Vec<&Location> = self.model.written.keys().collect();
        all.sort();
        (0..count.min(all.len() * 4))
            .map(|_| all[self.chance.below_u64(all.len() as u64) as usize].clone())
            .collect()
    }

    fn state(&mut self) {
        for location in self.some_locations(self.samples * 20) {
            // Near its writes, where it matters, or anywhere.
            let list = &self.model.written[&location];
            let near = list[self.chance.below_u64(list.len() as u64) as usize].0.0;
            let last = self.past.index().events() - 1;
            let time = match self.chance.below_u64(4) {
                0 => near.saturating_sub(1),
                1 => near,
                2 => (near + 1).min(last),
                _ => self.chance.below_u64(last + 1),
            };
            self.value(&location, Time(time));
        }
    }

    fn value(&mut self, location: &Location, time: Time) {
        let got = self.past.value_at(location, time);
        let Some(wanted) = self.model.at(self.past, location, time) else { return };
        if self.is_read(location) || got == KnownValue::Unknown && self.is_doubted(location) {
            return;
        }
        if !same(got, wanted) {
            let name = self.past.location_name(location);
            self.expect(got, wanted, || format!("{name} at {}", time.0));
        }
    }

    /// Classes whose content is called unknown although something of it was seen; arrays of which only the beginning is
    /// looked at; and what is read otherwise than it was written.
    fn is_doubted(&self, location: &Location) -> bool {
        let field = match *location {
            _ if self.is_read(location) => return true,
            Location::Field { field, .. } => field,
            Location::Element { index, .. } => return index >= 1000,
            Location::Static(_) | Location::Local { .. } => return false,
        };
        let declared = self.past.recording().program().field(field);
        declared.is_some_and(|(class, _)| class.name.starts_with("java/util/concurrent/"))
    }

    /// Was something read from it that no write had told? The model knows of writes only.
    fn is_read(&self, location: &Location) -> bool {
        let key = match *location {
            Location::Field { object, field } => Key::field(object, field),
            Location::Static(field) => Key::of_static(field),
            Location::Element { array, index } => Key::element(array, index),
            Location::Local { .. } => return false,
        };
        self.past.index().all(key, None).any(|found| matches!(found.posting.what, PostingKind::Read(_)))
    }

    fn histories(&mut self) {
        for location in self.some_locations(self.samples) {
            let mut before = None;
            let mut wanted = self.model.written[&location].clone();
            wanted.retain(|&(time, known)| {
                let news = !self.model.seen.contains(&time)
                    || before.is_none_or(|before| !same_value(before, known));
                before = Some(known);
                news
            });
            let entries = self.past.history(&location).unwrap();
            let got: Vec<Time> = entries.iter().map(|entry| entry.time).collect();
            let times: Vec<Time> = wanted.iter().map(|&(time, _)| time).collect();
            let name = self.past.location_name(&location);
            let unsure = self.model.written[&location].iter().any(|(_, known)| *known == KnownValue::Unknown);
            if !unsure && !self.is_doubted(&location) {
                self.expect(got, times, || format!("times of {name}"));
            }
            for entry in entries.iter().filter(|entry| entry.manner != Manner::Seen) {
                let at = self.model.at(self.past, &location, entry.time);
                if at.is_some_and(|at| at != KnownValue::Unknown && !same_value(at, entry.value)) {
                    self.expect(entry.value, at.unwrap(), || {
                        format!("history of {name} at {}", entry.time.0)
                    });
                }
            }
        }
        let mut locals: Vec<_> = self.model.locals.iter().collect();
        locals.sort_by_key(|&(key, _)| key);
        for _ in 0..self.samples.min(locals.len()) {
            let ((call, name), wanted) = locals[self.chance.below_u64(locals.len() as u64) as usize];
            let place = Location::Local { call: *call, name: name.clone() };
            let begin = self.past.call(*call).unwrap().entry;
            let entries = self.past.history(&place).unwrap().into_iter().filter(|entry| entry.time != begin);
            let got: Vec<(Time, KnownValue)> = entries.map(|entry| (entry.time, entry.value)).collect();
            let differs = got.len() != wanted.len()
                || got.iter().zip(wanted).any(|(got, wanted)| got.0 != wanted.0 || !same(got.1, wanted.1));
            if differs {
                self.expect(got, wanted.clone(), || format!("{name} of {call:?}"));
            }
        }
    }

    /// The last event that tells what a call did: of a library's, arrays that it got or gave are looked at afterwards.
    fn last_event(&self, id: CallId) -> u64 {
        let row = self.row(id);
        let mut last = row.exit;
        if !row.is_library {
            return last;
        }
        let given = match row.ending {
            Ending::Returned(given) => given,
            _ => None,
        };
        let own: Vec<Value> = row.args.values.iter().copied().chain(given).collect();
        let is_own = |location: &Location| match location {
            Location::Element { array, .. } => own.contains(&Value::Object(*array)),
            _ => false,
        };
        let events = &self.model.streams[&id.stream].events;
        for (at, event) in events.iter().enumerate().skip(row.exit as usize + 1) {
            if !["contents", "fields", "named"].contains(&trace::KINDS[event.kind]) {
                break;
            }
            let position = Position { stream: id.stream, ordinal: at as u64 };
            let time = self.past.index().time(position).unwrap();
            let start = self.model.writes.partition_point(|(other, ..)| *other < time);
            let there = self.model.writes[start..].iter().take_while(|(other, ..)| *other == time);
            if there.flat_map(|(.., list)| list).any(is_own) {
                last = at as u64;
            }
        }
        last
    }

    /// Bit by bit, but a text is what it says.
    fn is_unchanged(&self, before: KnownValue, after: KnownValue) -> bool {
        let is_text = |known| {
            matches!(
                known,
                KnownValue::Value(Value::Str(_) | Value::Literal { .. })
                    | KnownValue::Seen(Value::Str(_) | Value::Literal { .. })
            )
        };
        let whole = RenderLimits { string: usize::MAX, width: usize::MAX, ..RenderLimits::default() };
        let text = |known| self.past.known_text(known, "", Time(0), &whole);
        same_value(before, after) || is_text(before) && is_text(after) && text(before) == text(after)
    }

    fn changes(&mut self) {
        for id in self.some_ids(self.samples) {
            let (entry, exit) = (self.row(id).entry, self.last_event(id));
            let time = |ordinal| self.past.index().time(Position { stream: id.stream, ordinal }).unwrap();
            let (from, to) = (time(entry), time(exit));
            let within = |at: &Position| at.stream == id.stream && (entry..=exit).contains(&at.ordinal);
            let start = self.model.writes.partition_point(|(time, ..)| *time < from);
            let end = self.model.writes.partition_point(|(time, ..)| *time <= to);
            let written = self.model.writes[start..end].iter().filter(|(_, at, _)| within(at));
            let written: HashSet<&Location> = written.flat_map(|(_, _, list)| list).collect();
            if written.len() > 5000 {
                continue;
            }
            let is_new = |location: &Location| match location {
                Location::Field { object, .. } | Location::Element { array: object, .. } => {
                    let own = |at: &Position| at.ordinal == entry && self.model.constructed.contains(at);
                    self.model.created.get(object).is_some_and(|at| within(at) && !own(at))
                }
                _ => false,
            };
            let changes = self.past.changes(id, 100_000);
            let got: BTreeMap<Location, (KnownValue, KnownValue)> = changes
                .list
                .into_iter()
                .map(|change| (change.location, (change.before, change.after)))
                .collect();
            let name = self.past.call_name(id);
            for (location, (_, after)) in &got {
                // A copy that failed half-way leaves elements unknown; the plain reading has no write for that.
                let is_lost = *after == KnownValue::Unknown && matches!(location, Location::Element { .. });
                let is_told = written.contains(location) || is_lost || self.is_doubted(location);
                if !is_told || is_new(location) {
                    let location = self.past.location_name(location);
                    self.faults.push(format!("{name} did not change {location}"));
                }
            }
            let written =
                written.into_iter().filter(|location| !is_new(location) && !self.is_doubted(location));
            let written: Vec<&Location> = written.collect();
            for location in written {
                let (before, after) = (self.past.value_at(location, from), self.past.value_at(location, to));
                let wanted = (!self.is_unchanged(before, after)).then_some((before, after));
                let got = got.get(location);
                // Where another thread wrote meanwhile, what counts is the last write of its own.
                let writes = || {
                    self.model.writes[start..end].iter().rev().filter(|(.., list)| list.contains(location))
                };
                let own = writes().find(|(_, at, _)| within(at)).map(|(time, ..)| *time);
                let other = writes().find(|(_, at, _)| at.stream != id.stream).map(|(time, ..)| *time);
                if let (Some(own), Some(other)) = (own, other.filter(|other| *other > from)) {
                    let by_own = self.past.value_at(location, own);
                    let last = if own > other { after } else { by_own };
                    let is_told = match got {
                        Some(got) => same(got.0, before) && (same(got.1, last) || same(got.1, after)),
                        None => self.is_unchanged(before, last) || self.is_unchanged(before, after),
                    };
                    if !is_told {
                        let location = self.past.location_name(location);
                        self.expect(got.copied(), Some((before, last)), || {
                            format!("change of {location} by {name}, another thread wrote there too")
                        });
                    }
                    continue;
                }
                let is_same = match (got, wanted) {
                    (Some(got), Some(wanted)) => same(got.0, wanted.0) && same(got.1, wanted.1),
                    (None, None) => true,
                    _ => false,
                };
                if !is_same {
                    let location = self.past.location_name(location);
                    self.expect(got.copied(), wanted, || format!("change of {location} by {name}"));
                }
            }
            self.faults.truncate(40);
        }
    }

    fn events(&mut self) {
        const HIDDEN: [&str; 7] =
            ["thread-start", "thread-end", "return", "named", "sync", "contents", "fields"];
        for id in self.some_ids(self.samples) {
            let deep = self.chance.below_u64(3) == 0;
            let row = self.row(id);
            if row.exit - row.entry > 200_000 || (deep && row.exit - row.entry > 2000) {
                continue;
            }
            let found = &self.model.streams[&id.stream];
            let mut wanted = Vec::new();
            for ordinal in row.begin..=row.exit {
                let event = &found.events[ordinal as usize];
                let kind = trace::KINDS[event.kind];
                // What lies in a callee is the callee's, but its beginning and the exception that leaves it.
                let inner = found.around[ordinal as usize];
                let begins = |at: usize| {
                    let inner = &found.rows[at];
                    inner.parent == Some(id.index as usize) && inner.entry == ordinal
                };
                let own = inner == Some(id.index as usize)
                    || inner.is_some_and(begins)
                    || (kind == "throw" && event.depth == row.own);
                if (deep || own) && !event.hidden && !HIDDEN.contains(&kind) {
                    let time = self.past.index().time(Position { stream: id.stream, ordinal }).unwrap();
                    wanted.push((time, kind));
                }
            }
            let page = self.past.events(id, None, usize::MAX, deep);
            let got: Vec<(Time, &str)> = page.events.iter().map(|event| (event.time, event.kind)).collect();
            let name = self.past.call_name(id);
            if got != wanted {
                let at = got.iter().zip(&wanted).take_while(|(got, wanted)| got == wanted).count();
                self.faults.push(format!(
                    "events of {name} (deep {deep}): {:?} at {at}, a plain reading finds {:?} ({} and {})",
                    got.get(at),
                    wanted.get(at),
                    got.len(),
                    wanted.len()
                ));
                continue;
            }
            // From the middle on, and page by page, they are the same.
            let Some(&(middle, _)) = wanted.get(wanted.len() / 2) else { continue };
            let rest = self.past.events(id, Some(middle), 5, deep);
            let got: Vec<(Time, &str)> = rest.events.iter().map(|event| (event.time, event.kind)).collect();
            let wanted: Vec<(Time, &str)> = wanted[wanted.len() / 2..].iter().take(5).copied().collect();
            self.expect(got, wanted, || format!("events of {name} from {} on (deep {deep})", middle.0));
        }
    }
}

impl Check<'_> {
    /// Stepping over, from a call's beginning to its end and back, meets exactly the call's own events.
    fn steps(&mut self) {
        for id in self.some_ids(self.samples / 2) {
            let row = self.row(id);
            if row.is_library || row.exit - row.entry > 300 {
                continue;
            }
            // What a library did is stepped over, too.
            let mut own = self.past.events(id, None, usize::MAX, false).events;
            own.retain(|event| {
                let around = self.past.index().call_at(event.position);
                around == Some(id)
                    || around.is_some_and(|call| self.row(call).entry == event.position.ordinal)
            });
            let (Some(first), Some(last)) = (own.first(), own.last()) else { continue };
            // Where no instruction tells of a call, the callee's own beginning does: that one is stepped into.
            if own.iter().skip(1).any(|event| event.kind == "enter") {
                continue;
            }
            let name = self.past.call_name(id);
            for (step, from, times) in [
                (Step::Over, first, own.iter().skip(1).map(|event| event.time).collect::<Vec<_>>()),
                (Step::BackOver, last, own.iter().rev().skip(1).map(|event| event.time).collect()),
            ] {
                let mut at = from.position;
                let mut got = Vec::new();
                while got.len() < times.len() {
                    let Some(next) = self.past.step(at, &step) else { break };
                    at = next.position;
                    got.push(next.time);
                }
                self.expect(got, times, || format!("{step:?} through {name}"));
            }
            let out = self.past.step(first.position, &Step::Out).map(|event| event.time);
            self.expect(out, Some(last.time), || format!("the end of {name}"));
        }
    }
}

fn sizes(rows: &[Row]) -> Vec<u32> {
    let mut sizes = vec![1; rows.len()];
    for index in (0..rows.len()).rev() {
        if let Some(parent) = rows[index].parent {
            sizes[parent] += sizes[index];
        }
    }
    sizes
}

fn sizes_of(rows: &[Row], first: usize) -> usize {
    let below = rows[first + 1..].iter().take_while(|row| row.depth > rows[first].depth).count();
    below + 1
}

fn same(one: KnownValue, other: KnownValue) -> bool {
    let seen = |known| matches!(known, KnownValue::Seen(_));
    same_value(one, other) && seen(one) == seen(other)
}

/// Bit by bit: one NaN is another's equal, and the two zeros differ.
fn same_value(one: KnownValue, other: KnownValue) -> bool {
    let value = |known| match known {
        KnownValue::Value(value) | KnownValue::Seen(value) => Some(value),
        KnownValue::Unknown => None,
    };
    match (value(one), value(other)) {
        (Some(Value::Double(one)), Some(Value::Double(other))) => one.to_bits() == other.to_bits(),
        (Some(Value::Float(one)), Some(Value::Float(other))) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}
