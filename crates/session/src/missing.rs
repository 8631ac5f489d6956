//! What should have happened to an object and did not, as rows that a client shows: what was not done, and what
//! prevented it.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use analysis::executed::Executed;
use analysis::observed::AnalysisProgress;
use analysis::omissions::{
    Certainty, Omission, OmissionExtent, OmissionOptions, OmissionSubject, Omissions, Operation,
    PartialReason, Prevention, WriteCounts, omissions,
};
use base::Site;
use past::{KnownValue, Location, ObjectId, Past, Pointed, Time, Value};
use pointsto::{CodePoint, MemberName, Solution};

use crate::error::{Error, Result};

/// What is looked up in, once it is worked out for a recording.
pub struct Finder {
    solution: Solution,
    executed: Executed,
}

/// A finder that several may use, one at a time; it is made when it is first needed. Whoever waits for it need not hold
/// the session meanwhile.
#[derive(Clone, Default)]
pub struct SharedFinder(Arc<Mutex<Option<Finder>>>);

#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// What was asked about, by its name.
    pub object: String,
    pub time: u64,
    /// The most telling first.
    pub balloons: Vec<Balloon>,
    /// Operations that would only have read it, and are not shown.
    pub reads: usize,
    /// Operations of methods that were not wanted.
    pub hidden: usize,
    /// Why the answer may lack something.
    pub partial: Vec<Incomplete>,
    /// The class of the object, if objects of it never change: there is nothing to look for.
    pub unchangeable: Option<String>,
    /// How often it was written after it was made, up to then, and by which methods of the program most often.
    pub writes: u64,
    pub writers: Vec<(String, u64)>,
}

/// Why an answer may lack something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    Search(PartialReason),
    /// The recording has this detail, at which it is not recorded what calls executed.
    Detail(String),
    /// The code of these classes could not be read, and why; there may be more of them.
    Unreadable {
        classes: Vec<(String, String)>,
        more: bool,
    },
}

/// One operation that was prevented at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Balloon {
    pub at: PreventedAt,
    /// `ArrayList@1.add(…)`
    pub operation: String,
    /// The name of the method that would have been called; none for other operations.
    pub called: Option<String>,
    /// The methods on the way from what was prevented to the operation.
    pub chain: Vec<String>,
    /// Where the operation is.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Other ways to the same operation, and other lines with it, that the same place prevented.
    pub ways: u64,
    /// How often it was prevented there.
    pub events: u64,
    /// It may have been more often.
    pub more: bool,
    /// When, the first ones, and in which calls.
    pub times: Vec<u64>,
    pub calls: Vec<u64>,
    pub certainty: Certainty,
    pub extent: OmissionExtent,
    /// The way that was taken did something else to the same object: rather a choice than an omission.
    pub instead: bool,
}

/// What prevented it.
#[derive(Clone, Debug, PartialEq)]
pub struct PreventedAt {
    pub call: String,
    pub number: u64,
    pub time: u64,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub kind: Prevention,
}

/// Steps of the preparation, for a client that shows them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preparing {
    /// What each call executed, and the share of the recording that is done.
    Executed(f64),
    /// What the run showed, and the share that is done.
    Observed(f64),
    /// What variables may refer to: methods that were looked at, of those known by now.
    PointsTo(u32, u32),
}

impl Finder {
    /// Works out, or takes from beside the recording, what every search needs.
    pub fn open(past: &Past, progress: &mut dyn FnMut(Preparing)) -> Result<Finder> {
        let shelf = past.shelf();
        let executed = Executed::open(past, &shelf, &mut |share| progress(Preparing::Executed(share)))?;
        let solution = analysis::points_to(past, &shelf, &mut |at| {
            progress(match at {
                AnalysisProgress::Looking { rows, of } => Preparing::Observed(rows as f64 / of.max(1) as f64),
                AnalysisProgress::Solving { read, known } => Preparing::PointsTo(read, known),
            });
        })?;
        Ok(Finder { solution, executed })
    }

    /// What should have happened to what a text names: an object (and what it is made of), or a location (then to what
    /// it refers to, or to the location itself if it holds no object). Calls of methods in `hide` (`add`, `List.add`)
    /// are left out.
    pub fn find(
        &self,
        past: &Past,
        text: &str,
        options: &OmissionOptions,
        hide: &[String],
    ) -> Result<Missing> {
        let time = options.at.or_else(|| past.last_time()).unwrap_or(Time(0));
        let subject = subject(past, text, options.at, time)?;
        let name = match &subject {
            OmissionSubject::Object(object) => past.object_name(*object),
            OmissionSubject::Location(location) => past.location_name(location),
        };
        let mut missing = self.find_one(past, &subject, name, time, options, hide)?;
        if let OmissionSubject::Object(object) = subject {
            for (location, part) in parts(past, object, time) {
                let name = past.location_name(&location);
                let found = self.find_one(past, &OmissionSubject::Object(part), name, time, options, hide)?;
                missing.add(found);
            }
            // What is not written to a writer is missing in what the writer was made around.
            for wrapper in past.wrappers(object) {
                let name = past.object_name(wrapper);
                let subject = OmissionSubject::Object(wrapper);
                missing.add(self.find_one(past, &subject, name, time, options, hide)?);
            }
        }
        missing.partial.extend(self.gaps(past));
        missing.balloons = bundled(missing.balloons);
        // What was rather a choice than an omission comes last.
        missing.balloons.sort_by_key(|balloon| balloon.instead);
        Ok(missing)
    }

    fn find_one(
        &self,
        past: &Past,
        subject: &OmissionSubject,
        object: String,
        time: Time,
        options: &OmissionOptions,
        hide: &[String],
    ) -> Result<Missing> {
        let found = omissions(past, &self.solution, &self.executed, subject, options)?;
        let Omissions { mut list, reads, partial, unchangeable, history } = found;
        let partial = partial.into_iter().map(Incomplete::Search).collect();
        let all = list.len();
        list.retain(|omission| !hide.iter().any(|name| is_called(&omission.operation, name)));
        let hidden = all - list.len();
        let balloons = list.iter().filter_map(|omission| balloon(past, &object, omission)).collect();
        let reads = if options.reads { 0 } else { reads };
        let WriteCounts { writes, writers, .. } = history;
        Ok(Missing { object, time: time.0, balloons, reads, hidden, partial, unchangeable, writes, writers })
    }
}

impl Missing {
    /// What is missing in a part is missing in the whole. That a part never changes says nothing of the whole.
    fn add(&mut self, part: Missing) {
        if part.unchangeable.is_some() {
            return;
        }
        self.balloons.extend(part.balloons);
        self.reads += part.reads;
        self.hidden += part.hidden;
        self.partial.extend(part.partial);
        self.writes += part.writes;
        for (method, count) in part.writers {
            match self.writers.iter_mut().find(|(own, _)| *own == method) {
                Some(own) => own.1 += count,
                None => self.writers.push((method, count)),
            }
        }
        self.writers.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    }
}

/// Fields that are looked into, at most.
const MAX_PARTS: usize = 16;

/// What an object of the program is made of: arrays and library objects in its fields. Other objects of the program have
/// a life of their own.
fn parts(past: &Past, object: ObjectId, time: Time) -> Vec<(Location, ObjectId)> {
    let Some(ty) = past.type_of(object).filter(|_| object.is_program()) else { return Vec::new() };
    let fields = past.program().instance_fields(ty).into_iter();
    let parts = fields.filter_map(|(field, _)| {
        let location = Location::Field { object, field };
        match past.value_at(&location, time) {
            KnownValue::Value(Value::Object(part)) | KnownValue::Seen(Value::Object(part)) => {
                Some((location, part))
            }
            _ => None,
        }
    });
    let is_part = |part: ObjectId| !part.is_program() || past.array_length(part).is_some();
    parts.filter(|&(_, part)| is_part(part)).take(MAX_PARTS).collect()
}

/// One balloon for each place and operation: ways there that differ only in what lies between are one to a person.
fn bundled(balloons: Vec<Balloon>) -> Vec<Balloon> {
    let mut list: Vec<Balloon> = Vec::new();
    let mut known: HashMap<Bundle, usize> = HashMap::new();
    for balloon in balloons {
        match known.entry(Bundle::of(&balloon)) {
            Entry::Vacant(place) => {
                place.insert(list.len());
                list.push(balloon);
            }
            Entry::Occupied(at) => list[*at.get()].join(balloon),
        }
    }
    list
}

#[derive(PartialEq, Eq, Hash)]
struct Bundle {
    method: String,
    file: Option<String>,
    line: Option<u32>,
    kind: Prevention,
    operation: String,
    extent: OmissionExtent,
    instead: bool,
}

impl Bundle {
    fn of(balloon: &Balloon) -> Bundle {
        let PreventedAt { call, file, line, kind, .. } = &balloon.at;
        Bundle {
            method: call.split('#').next().unwrap_or(call).to_owned(),
            file: file.clone(),
            line: *line,
            kind: *kind,
            operation: balloon.operation.clone(),
            extent: balloon.extent,
            instead: balloon.instead,
        }
    }
}

impl Balloon {
    /// Takes in another one of the same place; the first is the more telling one.
    fn join(&mut self, other: Balloon) {
        self.ways += 1 + other.ways;
        if other.certainty != self.certainty {
            // What may have been adds nothing to what would have been.
            return;
        }
        let mut events: BTreeSet<(u64, u64)> =
            self.times.iter().copied().zip(self.calls.iter().copied()).collect();
        let before = events.len() as u64;
        events.extend(other.times.into_iter().zip(other.calls));
        // Those that are not listed may be the same ones.
        let unlisted = (self.events - before).max(other.events.saturating_sub(LISTED));
        self.more |= other.more || unlisted > 0;
        self.events = events.len() as u64 + unlisted;
        (self.times, self.calls) = events.into_iter().take(LISTED as usize).unzip();
    }
}

/// Events that a balloon lists, at most.
const LISTED: u64 = 100;

impl SharedFinder {
    /// Works out what searches need, if that was not done yet or `again`.
    pub fn prepare(&self, past: &Past, again: bool, progress: &mut dyn FnMut(Preparing)) -> Result<()> {
        let mut finder = self.lock();
        if finder.is_none() || again {
            *finder = Some(Finder::open(past, progress)?);
        }
        Ok(())
    }

    pub fn find(
        &self,
        past: &Past,
        text: &str,
        options: &OmissionOptions,
        hide: &[String],
    ) -> Result<Missing> {
        let finder = self.lock();
        finder.as_ref().ok_or(Error::NothingTo("look for"))?.find(past, text, options, hide)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Finder>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Finder {
    /// What the whole analysis lacks, whatever is asked.
    fn gaps(&self, past: &Past) -> Vec<Incomplete> {
        let mut gaps = Vec::new();
        let detail = &past.manifest().detail;
        if detail != "full" {
            gaps.push(Incomplete::Detail(detail.clone()));
        }
        let left_out = self.solution.left_out();
        if !left_out.is_empty() {
            let named = left_out.iter().take(NAMED);
            let named = named.map(|(class, why)| (class.replace('/', "."), why.to_string()));
            gaps.push(Incomplete::Unreadable { classes: named.collect(), more: left_out.len() > NAMED });
        }
        gaps
    }
}

/// Classes that could not be read and are named.
const NAMED: usize = 3;

fn subject(past: &Past, text: &str, at: Option<Time>, time: Time) -> Result<OmissionSubject> {
    let location = match past.find_value(text, at)? {
        Pointed::Object(object) => return Ok(OmissionSubject::Object(object)),
        Pointed::Location(location) => location,
    };
    // A variable is gone when its call is over: what it referred to then is meant.
    let moment = match &location {
        Location::Local { call, .. } => past.call(*call).map_or(time, |info| info.exit.min(time)),
        _ => time,
    };
    Ok(match past.value_at(&location, moment) {
        KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => {
            OmissionSubject::Object(object)
        }
        _ => OmissionSubject::Location(location),
    })
}

/// None for one without an event: there is nothing to attach it to.
fn balloon(past: &Past, object: &str, omission: &Omission) -> Option<Balloon> {
    let place = past.source_line(omission.at);
    let &(call, time) = omission.events.first()?;
    let (file, line) = source(past, &omission.place);
    let chain = omission.chain.iter().map(|step| member_text(&step.to));
    Some(Balloon {
        at: PreventedAt {
            call: past.call_name(call),
            number: call.number(),
            time: time.0,
            file: place.file,
            line: place.line,
            kind: omission.kind,
        },
        operation: operation_text(object, &omission.operation),
        called: match &omission.operation {
            Operation::Call { method, .. } => Some(method.name.clone()),
            Operation::Put { .. } | Operation::Store | Operation::Read => None,
        },
        chain: chain.collect(),
        file,
        line,
        ways: 0,
        events: omission.count.unwrap_or(omission.events.len() as u64),
        more: omission.count.is_none(),
        times: omission.events.iter().map(|&(_, time)| time.0).collect(),
        calls: omission.events.iter().map(|&(call, _)| call.number()).collect(),
        certainty: omission.certainty,
        extent: omission.extent,
        instead: omission.instead,
    })
}

/// File and line of an instruction, if its class is in the recording.
fn source(past: &Past, place: &CodePoint) -> (Option<String>, Option<u32>) {
    let program = past.program();
    let site = program.class_named(&place.method.class, 0).and_then(|class| {
        let methods = &program.model(class)?.methods;
        let same = |method: &past::Method| {
            method.name == place.method.name && method.descriptor == place.method.descriptor
        };
        let index = methods.iter().position(same)? as u32;
        Some(Site { method: base::MethodId(class.first_method.0 + index), bci: place.bci })
    });
    let found = site.map(|site| past.source_line(site));
    found.map_or((None, None), |place| (place.file, place.line))
}

/// `FileLister.addItem`
fn member_text(member: &MemberName) -> String {
    let class = base::simple_name(&member.class);
    match member.name.as_str() {
        "<init>" => format!("new {class}"),
        "<clinit>" => format!("{class}.static"),
        name => format!("{class}.{name}"),
    }
}

fn operation_text(object: &str, operation: &Operation) -> String {
    match operation {
        Operation::Call { method, operand: 0, receiver: true } => {
            let nothing = method.descriptor.starts_with("()");
            format!("{object}.{}({})", method.name, if nothing { "" } else { "…" })
        }
        Operation::Call { method, operand, receiver } => {
            let at = usize::from(*operand) - usize::from(*receiver && *operand > 0);
            let count = parameters(&method.descriptor);
            let args: Vec<&str> = (0..count).map(|one| if one == at { object } else { "…" }).collect();
            format!("{}({})", member_text(method), args.join(", "))
        }
        Operation::Put { field } if object.ends_with(&format!(".{field}")) => format!("{object} = …"),
        Operation::Put { field } => format!("{object}.{field} = …"),
        Operation::Store => match object.ends_with(']') {
            true => format!("{object} = …"),
            false => format!("{object}[…] = …"),
        },
        Operation::Read => format!("reads {object}"),
    }
}

/// Is the operation a call of a method of this name, with or without its class?
fn is_called(operation: &Operation, name: &str) -> bool {
    match operation {
        Operation::Call { method, .. } => method.name == name || member_text(method) == name,
        _ => false,
    }
}

/// How many parameters a descriptor has.
fn parameters(descriptor: &str) -> usize {
    classfile::MethodDescriptor::parse(descriptor.as_bytes()).map_or(0, |parsed| parsed.parameters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_names_the_object_where_it_would_have_stood() {
        let method = |class: &str, name: &str, descriptor: &str| MemberName {
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
        };
        let add = method("java/util/List", "add", "(Ljava/lang/Object;)Z");
        let all = method("java/util/Collections", "addAll", "(Ljava/util/Collection;[Ljava/lang/Object;)Z");
        let call = |method: &MemberName, operand, receiver| Operation::Call {
            method: method.clone(),
            operand,
            receiver,
        };
        for (object, operation, text) in [
            ("ArrayList@1", call(&add, 0, true), "ArrayList@1.add(…)"),
            ("ArrayList@1", call(&add, 1, true), "List.add(ArrayList@1)"),
            ("ArrayList@1", call(&all, 0, false), "Collections.addAll(ArrayList@1, …)"),
            ("Lister@1", Operation::Put { field: "active".into() }, "Lister@1.active = …"),
            ("Lister@1.active", Operation::Put { field: "active".into() }, "Lister@1.active = …"),
            ("int[]@1", Operation::Store, "int[]@1[…] = …"),
            ("int[]@1[3]", Operation::Store, "int[]@1[3] = …"),
        ] {
            assert_eq!(operation_text(object, &operation), text);
        }
    }
}
