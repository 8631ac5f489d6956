//! Where the wrong values came from: the last writes of what the found node changed or gave, and the commands that
//! tell the whole history.

use past::{CallInfo, Ending, KnownValue, Location, Past, RenderLimits, Time, Value};
use render::Heap;

use crate::question::{QuestionDetail, Span, StateChange, has_word};
use crate::subject::Subject;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueOrigin {
    /// As `inquest history` takes it.
    pub location: String,
    pub value: String,
    /// Ready to be typed.
    pub command: String,
    /// The last writes, the newest first.
    pub writes: Vec<Wrote>,
    /// There were earlier ones.
    pub more: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrote {
    pub time: u64,
    pub value: String,
    /// The call that wrote it.
    pub call: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
}

const LOCATIONS: usize = 4;
const WRITES: usize = 4;
/// Variables of longer calls are not looked at: each would be a replay of the call.
const FOLLOWED: u64 = 300_000;
const LIMITS: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 60, width: 120, named: false };

pub(super) fn origins(past: &Past, subject: &Subject, because: Option<&str>) -> Vec<ValueOrigin> {
    let Some(info) = subject.call().and_then(|call| past.call(call)) else { return Vec::new() };
    let mut locations = Vec::new();
    locations.extend(because.and_then(|text| past.find_location(text, Some(info.exit)).ok()));
    for location in came_out(past, &info) {
        if locations.len() < LOCATIONS && !locations.contains(&location) {
            locations.push(location);
        }
    }
    locations.into_iter().map(|location| origin(past, &info, &location)).collect()
}

/// What the call gave, part by part, and what it changed.
pub(super) fn came_out(past: &Past, info: &CallInfo) -> Vec<Location> {
    let span = Span::of_call(past, info.id);
    let effect = StateChange::of(past, span.as_slice(), QuestionDetail::Short);
    let mut locations: Vec<Location> = effect.list.into_iter().map(|change| change.location).collect();
    if let Ending::Returned(Some(value)) = info.ending
        && !matches!(value, Value::Object(_))
    {
        locations.splice(0..0, returned(past, info, value));
    }
    if let Ending::Returned(Some(Value::Object(object))) = info.ending {
        let heap = past.heap_at(info.exit);
        match heap.length(object) {
            Some(length) => {
                let elements =
                    (0..length.min(LOCATIONS as u32)).map(|index| Location::Element { array: object, index });
                locations.splice(0..0, elements);
            }
            None if object.is_program() => {
                let ty = past.type_of(object);
                let fields = ty.map_or(Vec::new(), |ty| past.program().instance_fields(ty));
                let fields = fields.into_iter().map(|(field, _)| Location::Field { object, field });
                locations.extend(fields);
            }
            None => {}
        }
    }
    locations
}

/// The variables that hold what was returned and stand on the line that returned it, if that can be read.
fn returned(past: &Past, info: &CallInfo, value: Value) -> Vec<Location> {
    if info.events > FOLLOWED {
        return Vec::new();
    }
    let line = return_line(past, info);
    let named = |name: &String| line.as_ref().is_none_or(|line| has_word(line, name));
    let is_own =
        |name: &String| name != "this" && name != "result" && !info.args.iter().any(|arg| arg.name == *name);
    let names = past.variables(info.id).into_iter().filter(is_own).filter(named);
    let locations = names.map(|name| Location::Local { call: info.id, name });
    locations
        .filter(|location| past.value_at(location, info.exit) == KnownValue::Value(value))
        .take(2)
        .collect()
}

fn return_line(past: &Past, info: &CallInfo) -> Option<String> {
    let place = past.event_at(past.position(info.exit)?)?.place?;
    let (class, _) = past.program().method(place.site.method)?;
    let source = past.sources().find(&class.name, place.file.as_deref())?;
    source.line(place.line?).map(str::to_owned)
}

fn origin(past: &Past, info: &CallInfo, location: &Location) -> ValueOrigin {
    let name = past.location_name(location);
    let descriptor = past.descriptor(location);
    let text = |known: KnownValue, time| past.known_text(known, &descriptor, time, &LIMITS);
    let mut writes = Vec::new();
    let mut until = info.exit;
    let mut more = false;
    while let Some(entry) = past.last_write(location, until) {
        if writes.len() == WRITES {
            more = true;
            break;
        }
        writes.push(Wrote {
            time: entry.time.0,
            value: text(entry.value, entry.time),
            call: entry.call.and_then(|call| past.program_call(call)).map(|call| past.call_name(call)),
            file: entry.place.as_ref().and_then(|place| place.file.clone()),
            line: entry.place.as_ref().and_then(|place| place.line),
        });
        let Some(before) = entry.time.0.checked_sub(1) else { break };
        until = Time(before);
    }
    let dir = past.path().display().to_string();
    ValueOrigin {
        value: text(past.value_at(location, info.exit), info.exit),
        command: format!("inquest history {} {}", quoted(&dir), quoted(&name)),
        location: name,
        writes,
        more,
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_gets_the_word_back() {
        assert_eq!(quoted("Castling.castling#1"), "'Castling.castling#1'");
        assert_eq!(quoted("/tmp/a-b_c"), "/tmp/a-b_c");
        assert_eq!(quoted("int[]@1[2]"), "'int[]@1[2]'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
