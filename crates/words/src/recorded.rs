//! An event as it was recorded: kind, place, details, with what no list of events shows. For `dump` and bug reports,
//! and without an index: the replay is all that it takes, so that it works on what else cannot be looked into.

use std::fmt::Write;

use trace::{BulkWrite, Elements, Event, EventKind, GapReason, Recording, Value, simple_name};

/// One line.
pub fn recorded_event(recording: &Recording, event: &Event<'_>) -> String {
    let mut line = event.kind.name().to_owned();
    if let Some(site) = event.site {
        line.push(' ');
        line.push_str(&recording.place(site));
    }
    if event.library {
        line.push_str(" (library)");
    }
    // Writing into a String cannot fail.
    let _ = details(recording, event, &mut line);
    line
}

fn details(recording: &Recording, event: &Event<'_>, line: &mut String) -> std::fmt::Result {
    let any = |value: Value| recording.value(value, "");
    let maybe = |value: Option<Value>, descriptor: &str| match value {
        Some(value) => recording.value(value, descriptor),
        None => "-".to_owned(),
    };
    let element = |array: Value, value: Value| recording.value(value, &element_descriptor(recording, array));
    let method =
        event.site.and_then(|site| recording.program().method(site.method)).map(|(_, method)| method);
    match event.kind {
        EventKind::ThreadStart | EventKind::ThreadEnd => Ok(()),
        EventKind::Enter { receiver, args, called } => {
            let by = if called { "" } else { " by-library" };
            let this = receiver.map_or(String::new(), |this| format!(" this={}", any(this)));
            let kinds = method.map_or(&[][..], |method| method.kinds());
            write!(line, "{by}{this} ({})", values(recording, args, kinds.iter().copied()))
        }
        EventKind::Exit { value } => {
            let descriptor = method.map_or("", |method| method.descriptor.as_str());
            write!(line, " {}", maybe(value, descriptor.rsplit(')').next().unwrap_or("")))
        }
        EventKind::Unwind { exception, recorded } => {
            write!(line, " {}{}", maybe(exception, ""), if recorded { "" } else { " (concluded)" })
        }
        EventKind::Call { callee, args } => {
            let instance = usize::from(callee.receiver() && !args.is_empty());
            let (this, rest) = args.split_at(instance);
            let this = this.first().map_or(String::new(), |&this| format!(" on {}", any(this)));
            let rest = values(recording, rest, callee.kinds().iter().copied().skip(instance));
            write!(line, " {}.{}{this} ({rest})", simple_name(&callee.owner), callee.name)
        }
        EventKind::Return { value } => write!(line, " {}", maybe(value, "")),
        EventKind::FieldWrite { object, field, value } => {
            write!(line, " {}.{} = {}", any(object), field.name, recording.value(value, &field.descriptor))
        }
        EventKind::StaticWrite { field, value } => {
            let value = recording.value(value, &field.descriptor);
            write!(line, " {}.{} = {value}", simple_name(&field.owner), field.name)
        }
        EventKind::ArrayWrite { array, index, value } => {
            write!(line, " {}[{index}] = {}", any(array), element(array, value))
        }
        EventKind::LocalWrite { slot, value } => {
            match event.site.and_then(|at| recording.local_name(at, slot)) {
                Some((name, descriptor)) => write!(line, " {name} = {}", recording.value(value, descriptor)),
                None => write!(line, " local{slot} = {}", any(value)),
            }
        }
        EventKind::Branch { taken } => write!(line, " {}", if taken { "taken" } else { "not taken" }),
        EventKind::Switch { key, case: Some(case) } => write!(line, " {key} case {case}"),
        EventKind::Switch { key, case: None } => write!(line, " {key} default"),
        EventKind::New { class, object } => write!(line, " {} {}", simple_name(class), any(object)),
        EventKind::Named { pending, object } => write!(line, " new#{} is {}", pending.0, any(object)),
        EventKind::NewArray { class, array } => write!(line, " {} {}", simple_name(class), any(array)),
        EventKind::Throw { exception } | EventKind::Catch { exception } => {
            write!(line, " {}", maybe(exception, ""))?;
            match exception {
                Some(Value::Object(id)) => match recording.objects().message(id) {
                    Some(message) => write!(line, " {}", any(Value::Str(message))),
                    None => Ok(()),
                },
                _ => Ok(()),
            }
        }
        EventKind::MonitorEnter { object } | EventKind::MonitorExit { object } => {
            write!(line, " {}", any(object))
        }
        EventKind::OrderingPoint { number } => write!(line, " {number}"),
        EventKind::BulkWrite(BulkWrite::Copy { source, from, target, to, length }) => {
            write!(line, " {}[{to}..] = {}[{from}..] x {length}", any(target), any(source))
        }
        EventKind::BulkWrite(BulkWrite::Clone { source, target }) => {
            write!(line, " {} = copy of {}", any(target), any(source))
        }
        EventKind::BulkWrite(BulkWrite::Fill { array, range, value }) => {
            let range = range.map_or(String::new(), |(from, to)| format!("{from}..{to}"));
            write!(line, " {}[{range}] = {}", any(array), element(array, value))
        }
        EventKind::ArrayContents { array, length, from, elements } => {
            let kind = match elements {
                Elements::Primitive { kind, .. } => kind,
                Elements::References(_) => b'L',
            };
            let seen = elements.values();
            let to = u64::from(from) + seen.len() as u64;
            let list = values(recording, &seen, std::iter::repeat(kind));
            write!(line, " {}[{from}..{to}] of {length}: {list}", any(Value::Object(array)))
        }
        EventKind::ObjectContents { object, values } => {
            let ty = recording.objects().type_of(object);
            let fields = ty.map_or(&[][..], |ty| recording.program().fields(ty));
            let known = fields.iter().map(|field| (field.name.as_str(), field.descriptor.as_str()));
            let named = known.chain(std::iter::repeat(("?", ""))).zip(values);
            let texts = named.map(|((name, descriptor), &value)| {
                format!("{name} = {}", recording.value(value, descriptor))
            });
            let texts: Vec<String> = texts.collect();
            write!(line, " {} {{{}}}", any(Value::Object(object)), texts.join(", "))
        }
        EventKind::Gap { why } => write!(line, " {}", gap_reason(why)),
        EventKind::Stop { reason } => write!(line, " reason {reason}"),
    }
}

/// Why a part of a thread is not known.
pub fn gap_reason(why: GapReason) -> &'static str {
    match why {
        GapReason::LostLog => "a part of the log is missing",
        GapReason::NeverBegan => "records of a call that never began",
        GapReason::NotOpen => "an exception in a call that is not open",
        GapReason::LeftElsewhere => "the log leaves the call at another place than the code",
        GapReason::ReturnedElsewhere => "the log has a call that comes back where the code has none",
        GapReason::ExplicitRecord => "an explicit record in a replayed call",
        GapReason::UnneededValue => "the log has a value where the code needs none",
        GapReason::MissingValue => "a value is missing or of another kind",
        GapReason::OtherValue => "the log has a value of another kind",
        GapReason::EndlessLoop => "a loop without end, though the log goes on",
        GapReason::ConstructedTwice => "a constructor was called on an object that already is one",
        GapReason::UnknownLength => "the length of an array is not known",
        GapReason::NoTarget => "a method was called that cannot be told",
        GapReason::TooDeep => "the calls are nested deeper than any Java stack",
        GapReason::UnknownMethod => "the method is not in the tables",
        GapReason::UnknownCall => "a call at a place that is not in the tables",
        GapReason::UnknownWrite => "a write at a place that is not in the tables",
        GapReason::UnknownCreation => "an object created at a place that is not in the tables",
        GapReason::NoCode => "the method's code is missing",
        GapReason::UnreadableCode => "the method's code is missing or cannot be understood",
        GapReason::NoInstruction => "an instruction that does not exist",
        GapReason::NoHandler => "an exception handler that the method does not have",
        GapReason::NoCallee => "a call of nothing",
        GapReason::BadReference => "the code refers to something that the class file does not have",
        GapReason::TooFewOperands => "too few operands",
        GapReason::WrongOperands => "the operands are not what the code needs",
    }
}

/// With commas between them; the kinds are letters of descriptors, and there may be fewer of them.
fn values(recording: &Recording, values: &[Value], kinds: impl Iterator<Item = u8>) -> String {
    let descriptors = kinds.map(|kind| char::from(kind).to_string()).chain(std::iter::repeat(String::new()));
    let texts: Vec<String> = values
        .iter()
        .zip(descriptors)
        .map(|(&value, descriptor)| recording.value(value, &descriptor))
        .collect();
    texts.join(", ")
}

fn element_descriptor(recording: &Recording, array: Value) -> String {
    let Value::Object(id) = array else { return String::new() };
    let ty = recording.objects().type_of(id).and_then(|ty| recording.program().type_info(ty));
    ty.and_then(|ty| ty.name.strip_prefix('[')).unwrap_or("").to_owned()
}
