//! The question about one call: arguments, result, and what it changed. Of the receiver only what was read or changed
//! is shown, because an object of forty fields hides the one that matters.

use base::ObjectId;
use past::{CallInfo, Ending, KnownValue, Location, Noise, Past, ReadLocation, Value};
use render::Heap;

use super::difference::{Moment, difference};
use super::effect::{self, Span, StateChange};
use super::reach::Reach;
use super::shown::{IN_LINE, NAME, limits};
use super::{
    CallEnd, CallLine, Held, LineValue, Question, QuestionAbout, QuestionDetail, QuestionNote, QuestionPart,
    StillHeld, Thrown, constants, shown, written,
};

/// Longer calls are not replayed for what they read unless more is wanted.
const READ_EVENTS: u64 = 20_000;

pub(super) fn question(past: &Past, info: &CallInfo, detail: QuestionDetail) -> Question {
    let mut question = Question::new(info);
    let limits = limits(detail);
    let constructor = info.is_constructor();
    let spans: Vec<Span> = Span::of_call(past, info.id).into_iter().collect();
    let mut effect = StateChange::of(past, &spans, detail);
    let (reads, all_read) = reads(past, info, detail);
    question.more = effect.more || !all_read;

    let this = info.receiver.map(|receiver| ("this".to_owned(), receiver));
    let args = info.args.iter().map(|arg| (arg.name.clone(), arg.value));
    let reach = Reach::new(past, this.into_iter().chain(args), info.entry, info.exit);
    effect.list.retain(|change| !reach.is_hidden_iterator(&change.location));
    let places: Vec<_> = effect.list.iter().map(|one| reach.location(&one.location)).collect();
    let sinks: Vec<ObjectId> = effect
        .wrote
        .iter()
        .filter_map(|wrote| match wrote.sink {
            past::Sink::Object(object) => Some(object),
            _ => None,
        })
        .collect();
    let is_changed = |value: Value, name: &str| {
        let Value::Object(object) = value else { return false };
        effect.more || sinks.contains(&object) || places.iter().any(|place| starts_at(&place.path, name))
    };

    let owner = past.call_row(info.id).map(|row| past.target(row.target).0).unwrap_or_default();
    for arg in &info.args {
        let known = KnownValue::Value(arg.value);
        let seen = (detail == QuestionDetail::Short && all_read && !effect.more)
            .then(|| own_fields(arg.value, &reads, &effect))
            .filter(|seen| !seen.is_empty());
        let text = |time| match &seen {
            Some(_) => object_text(past, arg.value, seen.as_deref(), time, &limits),
            None => {
                let text = past.known_text(known, &arg.descriptor, time, &limits);
                constants::named(past, &owner, &arg.name, arg.value, text)
            }
        };
        let before = text(info.entry);
        let touched = is_changed(arg.value, &arg.name);
        let after = touched.then(|| text(info.exit)).filter(|after| *after != before);
        let changed = after.is_some() || touched && !effect.more;
        let difference = after.as_ref().and_then(|after| {
            let moment = |time, text| Moment { known, time, text };
            difference(past, &moment(info.entry, before.as_str()), &moment(info.exit, after.as_str()))
        });
        question.args.push(QuestionPart {
            name: arg.name.clone(),
            before: Held::Value(before),
            after: after.map(Held::Value),
            changed,
            itself: false,
            is_object: matches!(arg.value, Value::Object(_)),
            parts: Vec::new(),
            difference,
            looked_at: all_read,
        });
    }
    if let Some(receiver) = info.receiver.filter(|_| !constructor) {
        let seen = (detail == QuestionDetail::Short && all_read && !effect.more)
            .then(|| own_fields(receiver, &reads, &effect));
        let before = object_text(past, receiver, seen.as_deref(), info.entry, &limits);
        let after = Some(object_text(past, receiver, seen.as_deref(), info.exit, &limits));
        let after = after.filter(|after| *after != before);
        let changed = after.is_some() || is_changed(receiver, "this") && !effect.more;
        let difference = after.as_ref().and_then(|after| {
            let moment = |time, text| Moment { known: KnownValue::Value(receiver), time, text };
            difference(past, &moment(info.entry, before.as_str()), &moment(info.exit, after.as_str()))
        });
        question.receiver = Some(QuestionPart {
            name: "this".to_owned(),
            before: Held::Value(before),
            after: after.map(Held::Value),
            changed,
            itself: false,
            is_object: true,
            parts: Vec::new(),
            difference,
            looked_at: all_read,
        });
    }
    match ending(past, info, &limits) {
        CallEnd::Open => {}
        CallEnd::Gave(result) => {
            question.result = Some(match info.ending {
                Ending::Returned(Some(value)) => {
                    shown::result(past, KnownValue::Value(value), &info.result_descriptor, info.exit, detail)
                }
                _ => result,
            });
        }
        CallEnd::Threw(exception) => {
            question.thrown = Some(exception);
            question.arose = arose(past, info);
        }
    }
    question.result_is_object =
        constructor || matches!(info.ending, Ending::Returned(Some(Value::Object(_))));
    if let (true, Some(receiver), Ending::Returned(_)) = (constructor, info.receiver, info.ending) {
        question.result = Some(shown::result(past, KnownValue::Value(receiver), "", info.exit, detail));
    }

    let initialises = info.method.ends_with(".static");
    let shown = reach.shown(&effect.list, &limits);
    for (mut shown, _) in shown {
        // What an initialiser sets is what it is for.
        shown.noise = shown.noise.filter(|&noise| !(initialises && noise == Noise::FirstUse));
        // A container's new content is shown with the argument that it is; a new object is the result.
        let told = question
            .args
            .iter_mut()
            .find(|arg| arg.after.is_some() && is_element(&shown.location, &arg.name))
            .filter(|_| detail == QuestionDetail::Short);
        if let Some(arg) = told {
            match shown.location == arg.name {
                true => arg.parts.extend(shown.parts),
                false => arg.parts.push(shown),
            }
            continue;
        }
        let own = constructor && starts_at(&shown.location, "this");
        if detail == QuestionDetail::Short && own {
            continue;
        }
        question.changes.push(shown);
    }
    let buffers = buffers(&reads);
    for &(array, stretch) in &buffers {
        let place = reach.of(array);
        if place.within.is_none() && !question.args.iter().any(|arg| arg.name == place.path) {
            let value = reach.elements(array, stretch, info.entry, &limits);
            question
                .reads
                .push((format!("{}[{}..{}]", place.path, stretch.0, stretch.1), Held::Value(value)));
        }
    }
    for read in &reads {
        let of_buffer = |array: ObjectId| buffers.iter().any(|(known, _)| *known == array);
        if matches!(read.location, Location::Element { array, .. } if of_buffer(array)) {
            continue;
        }
        let place = reach.location(&read.location);
        // What a library's field holds is not known before it is read: no value above shows it.
        let shows = !matches!(read.location, Location::Field { field, .. } if field.is_of_library());
        let shown_above = shows
            && (place.within.is_some()
                || question.args.iter().any(|arg| is_part(&place.path, &arg.name))
                || is_part(&place.path, "this")
                || question.changes.iter().any(|shown| starts_at(&shown.location, &place.path))
                || question.reads.iter().any(|(known, _)| starts_at(&place.path, known)));
        let told =
            detail == QuestionDetail::Short && (shown_above || is_way(past, Some(read.value), info.entry));
        if !told && !question.reads.iter().any(|(known, _)| *known == place.path) {
            let value = past.known_text(
                KnownValue::Value(read.value),
                &past.descriptor(&read.location),
                info.entry,
                &limits,
            );
            // What a constant of a library is says nothing, nor that one of an enum is itself.
            let is_itself = is_library_constant(past, &read.location, &place.path)
                || matches!(read.location, Location::Static(_))
                    && place.path.ends_with(&value)
                    && place.path[..place.path.len() - value.len()]
                        .chars()
                        .next_back()
                        .is_none_or(|at| "$.".contains(at));
            if !is_itself {
                question.reads.push((place.path, Held::Value(value)));
            }
        }
    }
    written::put(past, &mut question, &effect, &reach, &limits, detail);
    question.still.extend(effect.still(past, &reach, info.exit, &limits));
    question.still.retain(|still| !(constructor && starts_at(&still.location, "this")));
    question.kept = super::kept::kept(past, info, &reads, &reach);
    if !question.finished {
        question.note = Some(QuestionNote::SoFar);
    }
    // What became of an object is said by its fields, what became of a container by its content.
    let told =
        |part: &QuestionPart| question.changes.iter().any(|shown| starts_at(&shown.location, &part.name));
    let changed: Vec<bool> = question.args.iter().map(|part| part.after.is_some() && !told(part)).collect();
    let call = call_line(past, info, &changed);
    question.about =
        QuestionAbout::Call { call, fields: fields_gone_by(past, info, &question, &reads, &effect) };
    question
}

/// Where an exception came from that left a call: the line on which the innermost call of the program was left by it.
fn arose(past: &Past, info: &CallInfo) -> Option<String> {
    let mut at = info.id;
    loop {
        let last = past.children(at, 0, CHILDREN).pop();
        let same = |call: &past::CallId| past.call_row(*call).is_some_and(|row| row.ending == info.ending);
        match last.filter(|&call| past.is_program_call(call)).filter(same) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    let place = past.event_at(past.position(past.call(at)?.exit)?)?.place?;
    Some(format!("{}:{}", place.file?, place.line?))
}

/// Children that are looked at to find the last.
const CHILDREN: usize = 100_000;

/// `Locale.ENGLISH`
fn is_library_constant(past: &Past, location: &Location, name: &str) -> bool {
    let Location::Static(field) = *location else { return false };
    let constant = |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_lowercase());
    let of_jdk = || past.program().field(field).is_some_and(|(class, _)| jdk::owner::is_jdk(&class.name));
    (field.is_of_library() || of_jdk()) && name.rsplit('.').next().is_some_and(constant)
}

/// Arrays of which several elements were read, with the first and the last of these.
fn buffers(reads: &[ReadLocation]) -> Vec<(ObjectId, (u32, u32))> {
    let mut found: Vec<(ObjectId, (u32, u32), usize)> = Vec::new();
    for read in reads {
        let Location::Element { array, index } = read.location else { continue };
        match found.iter_mut().find(|(known, ..)| *known == array) {
            Some((_, (first, last), count)) => {
                (*first, *last) = ((*first).min(index), (*last).max(index));
                *count += 1;
            }
            None => found.push((array, (index, index), 1)),
        }
    }
    found
        .into_iter()
        .filter(|(.., count)| *count >= BUFFER)
        .map(|(array, stretch, _)| (array, stretch))
        .collect()
}

/// Elements of an array from which on they are told as one.
const BUFFER: usize = 3;

/// The receiver's own fields that the call read and did not change.
fn fields_gone_by(
    past: &Past,
    info: &CallInfo,
    question: &Question,
    reads: &[ReadLocation],
    effect: &StateChange,
) -> Vec<(String, String)> {
    let Some(receiver @ Value::Object(object)) = info.receiver.filter(|_| !info.is_constructor()) else {
        return Vec::new();
    };
    let mut shown = Vec::new();
    for field in own_fields(receiver, reads, effect) {
        let location = Location::Field { object, field };
        if effect.list.iter().any(|change| change.location == location) {
            continue;
        }
        let known = past.value_at(&location, info.entry);
        let value = past.known_text(known, &past.descriptor(&location), info.entry, &IN_LINE);
        let name = past.location_name(&location);
        let field = name.split_once('.').map_or("?", |(_, field)| field);
        let path = format!("this.{field}");
        let changed = question.changes.iter().any(|shown| starts_at(&shown.location, &path));
        if !changed && !is_way(past, effect::value(known), info.entry) {
            shown.push((path, value));
        }
    }
    shown
}

/// The call itself; those of its arguments that are said to have changed with what became of them.
fn call_line(past: &Past, info: &CallInfo, changed: &[bool]) -> CallLine {
    let owner = past.call_row(info.id).map(|row| past.target(row.target).0).unwrap_or_default();
    let short = |value: Value, descriptor: &str, time| short_text(past, value, descriptor, time);
    let args = info.args.iter().enumerate().map(|(at, arg)| {
        let before = short(arg.value, &arg.descriptor, info.entry);
        let before = constants::named(past, &owner, &arg.name, arg.value, before);
        let changed = changed.get(at).copied().unwrap_or_default();
        let after = changed.then(|| short(arg.value, &arg.descriptor, info.exit));
        let brief = |after: &String| before.chars().count() + after.chars().count() <= ARROW;
        let after = after.filter(|after| *after != before && brief(after));
        LineValue { before, after }
    });
    let args = args.collect();
    let constructs = info.is_constructor();
    let name = if constructs { info.method.trim_end_matches(".new") } else { &info.method };
    let end = match (info.ending, info.receiver) {
        (Ending::Returned(_), Some(made)) if constructs => CallEnd::Gave(short(made, "", info.exit)),
        _ => ending(past, info, &IN_LINE),
    };
    CallLine { name: name.to_owned(), of: None, constructs, args, end }
}

/// A value on the line of a call. Of an object with many fields only those that say which it is: what a call went by is
/// told below.
pub(super) fn short_text(past: &Past, value: Value, descriptor: &str, time: past::Time) -> String {
    let whole = || past.known_text(KnownValue::Value(value), descriptor, time, &IN_LINE);
    let Value::Object(object) = value else { return whole() };
    if !object.is_program() || is_value(past, object, time) {
        return whole();
    }
    let Some(ty) = past.type_of(object) else { return whole() };
    if past.program().instance_fields(ty).len() <= SHOWN_WHOLE {
        return whole();
    }
    object_text(past, value, Some(&naming(past, object, time)), time, &NAME)
}

/// Fields of an object that say which it is: its own, or one that refers to what has such a field (`tag` of an element).
fn naming(past: &Past, object: ObjectId, time: past::Time) -> Vec<base::FieldId> {
    let own = naming_itself(past, object, time);
    if !own.is_empty() {
        return own;
    }
    let named = |&field: &base::FieldId| match past.value_at(&Location::Field { object, field }, time) {
        KnownValue::Value(Value::Object(other)) | KnownValue::Seen(Value::Object(other)) => {
            other.is_program() && !naming_itself(past, other, time).is_empty()
        }
        _ => false,
    };
    naming_fields(past, object).filter(named).take(1).collect()
}

fn naming_itself(past: &Past, object: ObjectId, time: past::Time) -> Vec<base::FieldId> {
    let fields = naming_fields(past, object);
    fields.filter(|&field| says(past, &Location::Field { object, field }, time)).take(NAMING).collect()
}

/// Fields that are called as what says which thing it is. That something is so or not says nothing.
fn naming_fields(past: &Past, object: ObjectId) -> impl Iterator<Item = base::FieldId> + '_ {
    let fields = past.type_of(object).map_or_else(Vec::new, |ty| past.program().instance_fields(ty));
    fields
        .into_iter()
        .filter(|(_, field)| field.descriptor != "Z" && render::names_thing(&field.name))
        .map(|(id, _)| id)
}

/// Does a field hold something that tells one object from another?
fn says(past: &Past, location: &Location, time: past::Time) -> bool {
    let value = effect::value(past.value_at(location, time));
    value.is_some_and(|value| !matches!(value, Value::Null | Value::Object(_)))
}

/// An object of so many fields is shown with all of them; of others, so many that say which it is.
const SHOWN_WHOLE: usize = 3;
const NAMING: usize = 2;
/// Chars of an argument before and after, up to which both stand on the call's line.
const ARROW: usize = 80;

/// A call among others: no changes.
pub(super) fn member(past: &Past, info: &CallInfo) -> CallLine {
    // Not by what changes from one call to the next.
    let of = info.receiver.filter(|_| !info.is_constructor()).map(|receiver| {
        let Value::Object(object) = receiver else { return short_text(past, receiver, "", info.entry) };
        let text = object_text(past, receiver, Some(&naming(past, object, info.entry)), info.entry, &NAME);
        if text.chars().count() > RECEIVER { past.object_name(object) } else { text }
    });
    CallLine { of, ..call_line(past, info, &[]) }
}

/// Chars of what a call among others is made on; of more only its name is told.
const RECEIVER: usize = 60;

pub(super) fn ending(past: &Past, info: &CallInfo, limits: &past::RenderLimits) -> CallEnd {
    let text =
        |value, descriptor: &str| past.known_text(KnownValue::Value(value), descriptor, info.exit, limits);
    match info.ending {
        Ending::Open => CallEnd::Open,
        Ending::Returned(Some(value)) => CallEnd::Gave(text(value, &info.result_descriptor)),
        Ending::Returned(None) if info.result_descriptor == "V" => CallEnd::Gave("void".to_owned()),
        Ending::Returned(None) => CallEnd::Gave("?".to_owned()),
        Ending::Threw(Some(value)) => CallEnd::Threw(Thrown::Value(text(value, ""))),
        Ending::Threw(None) => CallEnd::Threw(Thrown::Unknown),
    }
}

fn reads(past: &Past, info: &CallInfo, detail: QuestionDetail) -> (Vec<ReadLocation>, bool) {
    match detail {
        QuestionDetail::Short if info.events > READ_EVENTS => (Vec::new(), false),
        QuestionDetail::Short => {
            // A call that reads a thousand elements is not asked about by them.
            let (reads, _) = past.reads(info.id, LOOKED_THROUGH);
            let mut tables = Vec::new();
            let mut reads: Vec<ReadLocation> =
                reads.into_iter().filter(|read| tells(past, info, read, &mut tables)).collect();
            reads.truncate(READS);
            (reads, true)
        }
        QuestionDetail::More => past.reads(info.id, 1_000),
    }
}

/// Reads that a question is made of, and among which these are looked for.
const READS: usize = 24;
const LOOKED_THROUGH: usize = 96;

/// Does it say anything about what a call was given? Tables of the compiler do not, nor what a constant is made of, nor an
/// array that nobody had heard of before: a library made it of something that is told.
fn tells(past: &Past, info: &CallInfo, read: &ReadLocation, tables: &mut Vec<ObjectId>) -> bool {
    if let Location::Element { array, .. } = read.location {
        return !tables.contains(&array) && past.is_known_by(array, info.entry);
    }
    let constant = past.is_constant(&read.location);
    if let (true, Value::Object(table)) = (constant, read.value) {
        tables.push(table);
    }
    !constant
}

/// Fields of an object that were read or changed, in order.
fn own_fields(object: Value, reads: &[ReadLocation], effect: &StateChange) -> Vec<base::FieldId> {
    let Value::Object(object) = object else { return Vec::new() };
    let locations = reads.iter().map(|read| &read.location);
    let locations = locations.chain(effect.list.iter().map(|change| &change.location));
    let mut fields: Vec<base::FieldId> = locations
        .filter_map(|location| match location {
            Location::Field { object: own, field } if *own == object => Some(*field),
            _ => None,
        })
        .collect();
    fields.sort();
    fields.dedup();
    fields
}

impl StateChange {
    /// What was written and did not change, as a person says it.
    pub(super) fn still(
        &self,
        past: &Past,
        reach: &Reach<'_>,
        time: past::Time,
        limits: &past::RenderLimits,
    ) -> Vec<StillHeld> {
        let told = self.still.iter().map(|(location, known, writes)| StillHeld {
            location: reach.location(location).path,
            value: super::shown::value(past, location, *known, time, limits),
            writes: *writes,
        });
        told.collect()
    }
}

/// An object with some of its fields, those that say which it is first, or all of it where these are not known.
fn object_text(
    past: &Past,
    object: Value,
    fields: Option<&[base::FieldId]>,
    time: past::Time,
    limits: &past::RenderLimits,
) -> String {
    let whole = || past.known_text(KnownValue::Value(object), "", time, limits);
    let (Some(fields), Value::Object(object)) = (fields, object) else { return whole() };
    if !object.is_program() || is_value(past, object, time) {
        return whole();
    }
    let shown = fields.iter().map(|&field| {
        let location = Location::Field { object, field };
        let name = past.location_name(&location);
        let text = past.known_text(past.value_at(&location, time), &past.descriptor(&location), time, limits);
        format!("{}={text}", name.split_once('.').map_or("?", |(_, field)| field))
    });
    let shown: Vec<String> = shown.take(limits.elements).collect();
    match shown.is_empty() {
        true => past.object_name(object),
        false => format!("{}{{{}}}", past.object_name(object), shown.join(", ")),
    }
}

/// Is it an object that is but on the way to what matters? What was read of it is told by itself.
fn is_way(past: &Past, value: Option<Value>, time: past::Time) -> bool {
    matches!(value, Some(Value::Object(object)) if object.is_program() && !is_value(past, object, time))
}

/// Records and enum constants are known by what they are, not by which fields were read.
fn is_value(past: &Past, object: ObjectId, time: past::Time) -> bool {
    let heap = past.heap_at(time);
    heap.is_record(object) || heap.enum_constant(Value::Object(object)).is_some()
}

/// Does a path begin with this name?
pub(super) fn starts_at(path: &str, name: &str) -> bool {
    path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Is it the name itself, or one step from it? That much of an argument is always shown.
fn is_part(path: &str, name: &str) -> bool {
    starts_at(path, name) && path[name.len()..].matches(['.', '[']).count() <= 1
}

/// Is it the name itself, or an element of it?
fn is_element(path: &str, name: &str) -> bool {
    is_part(path, name) && !path[name.len()..].starts_with('.')
}
