//! What an exception says of what went wrong: which call it came from first, what was compared there or could not be
//! done, and which value of the run that is.

use std::collections::HashMap;

use analysis::expression::Expressions;
use analysis::slice::Criterion;
use base::{CallId, Ending, ObjectId, Target, Time, Value};
use past::{CallInfo, Past, Position};
use render::Heap;

use super::failed_tests::unknown_shown;
use super::{
    Symptom, SymptomKind, SymptomReason, Testing, WrongValue, assertion, calls_before, children_backwards,
    ended, fault, path_to_last,
};

/// How a test failed.
pub struct Failed {
    pub message: String,
    /// All that shows, but for why it is a symptom.
    pub shown: Symptom,
}

/// Calls that are looked at for the one that an exception came from, of each call.
const MAX_SIBLINGS: usize = 10_000;
/// Calls between a symptom and where its exception arose.
const MAX_DEPTH: usize = 10_000;
/// Calls of a test that are looked at for what it expects.
const MAX_CALLS: u32 = 20_000;

/// What a test failed with, if it did.
pub(crate) fn failure(past: &Past, testing: &Testing, call: CallId, ending: Ending) -> Option<String> {
    failure_of(past, testing, call, ending, false).map(|failed| failed.message)
}

/// How a test failed, if it did. `detailed`: with what shows of it.
pub fn failure_of(
    past: &Past,
    testing: &Testing,
    call: CallId,
    ending: Ending,
    detailed: bool,
) -> Option<Failed> {
    let mut expected = testing.expected.clone();
    if testing.expects_by_rule {
        expected.extend(expected_by_rule(past, call));
    }
    let names = || expected.iter().map(|class| base::simple_name(class)).collect::<Vec<_>>().join(" or ");
    match ending {
        Ending::Threw(Some(Value::Object(exception))) => {
            let classes = past.heap_at(Time(0)).supertypes(exception);
            let is = |class: &str| classes.iter().any(|own| own == class);
            if expected.iter().any(|class| is(class))
                || jdk::testing::NO_FAILURE.iter().any(|class| is(class))
            {
                return None;
            }
            let mut shown = if detailed { shown(past, call, exception) } else { unknown_shown(call) };
            let message = exception_text(past, exception, &shown);
            if !expected.is_empty() && !is(jdk::names::ASSERTION_ERROR) {
                shown.kind = SymptomKind::ExpectedException;
                shown.expected = Some(names());
                shown.actual = past.class_of(exception).map(base::simple_name);
            }
            Some(Failed { message, shown })
        }
        Ending::Threw(_) => {
            let shown = Symptom { time: ended(past, call), ..unknown_shown(call) };
            Some(Failed { message: "an exception that is not known".to_owned(), shown })
        }
        Ending::Returned(_) if !expected.is_empty() => {
            let shown = Symptom {
                kind: SymptomKind::ExpectedException,
                time: ended(past, call),
                place: past.method_place(call),
                expected: Some(names()),
                ..unknown_shown(call)
            };
            Some(Failed { message: format!("expected {} to be thrown", names()), shown })
        }
        Ending::Returned(_) | Ending::Open => None,
    }
}

/// The exceptions that a test told a rule to expect: any, if it did not say which.
fn expected_by_rule(past: &Past, test: CallId) -> Vec<String> {
    let mut expected = Vec::new();
    let mut known: HashMap<Target, bool> = HashMap::new();
    let size = past.call_size(test).min(MAX_CALLS);
    for call in (1..size).map(|at| CallId { index: test.index + at, ..test }) {
        let Some(target @ Target::Library(_)) = past.call_row(call).map(|row| row.target) else { continue };
        let expects = known.entry(target).or_insert_with(|| {
            let (owner, name, _) = past.target(target);
            jdk::testing::expects_by_rule(&owner, &name)
        });
        if !*expects {
            continue;
        }
        let given = past.arguments(call).unwrap_or_default().values;
        match given.first() {
            Some(&Value::Class(ty)) => expected.extend(past.heap_at(Time(0)).class_name(ty)),
            _ => expected.push(jdk::names::THROWABLE.to_owned()),
        }
    }
    // What says more about the same exception says nothing of its class.
    if expected.iter().any(|class| class != jdk::names::THROWABLE) {
        expected.retain(|class| class != jdk::names::THROWABLE);
    }
    expected
}

/// `NullPointerException: order.customer is null`. Messages that are made only when they are asked for are not in the
/// exception: then it is what shows.
pub fn exception_text(past: &Past, exception: ObjectId, shown: &Symptom) -> String {
    let class = past.class_of(exception).map_or_else(|| "?".to_owned(), base::simple_name);
    let message = past.heap_at(Time(0)).message(exception).filter(|message| !message.text.is_empty());
    let made = || match (&shown.expected, &shown.actual, &shown.fault) {
        (Some(expected), Some(actual), _) => Some(format!("expected {expected} but was {actual}")),
        (None, Some(actual), _) => Some(format!("was {actual}")),
        (_, _, Some(fault)) => Some(fault.to_string()),
        _ => None,
    };
    match message.map(|message| message.text).or_else(made) {
        Some(text) => format!("{class}: {text}"),
        None => class,
    }
}

/// The innermost call that ended by an exception, and that exception: what was wrapped in it is nearer to what went wrong.
pub struct Origin {
    pub call: CallId,
    pub exception: ObjectId,
}

/// Where the exception came from by which a call ended.
fn origin(past: &Past, root: CallId, exception: ObjectId) -> Origin {
    let mut at = Origin { call: root, exception };
    // Mostly each call on the way ended with the last thing that it did: of a stack that overflowed there are many thousands.
    let mut path = path_to_last(past, root);
    path.pop();
    while let Some(call) = path.pop().filter(|&call| threw(past, call) == Some(exception)) {
        at.call = call;
    }
    for _ in 0..MAX_DEPTH {
        let by = |call: &CallId| threw(past, *call) == Some(at.exception);
        if let Some(call) = children_backwards(past, at.call).take(MAX_SIBLINGS).find(by) {
            at.call = call;
            continue;
        }
        // A library that was given code to run says by an exception of its own how that failed.
        let Some(row) = past.call_row(at.call) else { break };
        if !matches!(row.target, Target::Library(_)) {
            break;
        }
        let wrapped = |call: CallId| Some(Origin { call, exception: threw(past, call)? });
        let mut inner = children_backwards(past, at.call).take(MAX_SIBLINGS).filter_map(wrapped);
        let next = match assertion::of_call(past, at.call) {
            Some(jdk::assertions::Assertion::Throws { .. }) => None,
            // Of several the first.
            Some(_) => inner.last(),
            None => inner.next(),
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

fn threw(past: &Past, call: CallId) -> Option<ObjectId> {
    match past.call_row(call)?.ending {
        Ending::Threw(Some(Value::Object(exception))) => Some(exception),
        _ => None,
    }
}

/// What shows of a call that ended by an exception.
pub fn shown(past: &Past, root: CallId, exception: ObjectId) -> Symptom {
    let origin = origin(past, root, exception);
    let classes = past.heap_at(Time(0)).supertypes(origin.exception);
    let asserts = classes.iter().any(|class| class == jdk::names::ASSERTION_ERROR);
    let kind = if asserts { SymptomKind::Assertion } else { SymptomKind::Exception };
    let plain = Symptom { kind, time: ended(past, root), ..Symptom::of(root, SymptomReason::Main) };
    let library = past.call_row(origin.call).is_some_and(|row| matches!(row.target, Target::Library(_)));
    let found = match library {
        true => in_library(past, &origin, &classes, plain.clone()),
        false => in_program(past, &origin, &classes, plain.clone()),
    };
    found.unwrap_or(plain)
}

fn in_library(past: &Past, origin: &Origin, classes: &[String], plain: Symptom) -> Option<Symptom> {
    let info = past.call(origin.call)?;
    let mut found = Symptom { time: Some(info.entry), place: info.site.clone(), ..plain };
    let expressions = info.site.as_ref().and_then(|place| Expressions::of(past.program(), place.site.method));
    let at = Call { info: &info, expressions: expressions.as_ref() };
    if found.kind == SymptomKind::Assertion && assertion::asserted(past, &at, &mut found).is_some() {
        return Some(found);
    }
    let message = past.heap_at(Time(0)).message(origin.exception).map(|message| message.text);
    match fault::of_library(past, &at, classes, message.as_deref()) {
        Some((fault, operand)) => {
            found.kind = fault.kind.symptom();
            found.wrong = at.operand(past, operand);
            found.fault = Some(fault);
        }
        // What it was given is what it could not work with.
        None => {
            found.wrong = match at.info.args.len() {
                1 => at.operand(past, usize::from(info.receiver.is_some())),
                _ => at.event(past),
            }
        }
    }
    Some(found)
}

fn in_program(past: &Past, origin: &Origin, classes: &[String], plain: Symptom) -> Option<Symptom> {
    let thrown = past.thrown_in(origin.call)?;
    let wrong = |criterion| WrongValue {
        criterion,
        value: None,
        descriptor: String::new(),
        text: None,
        expression: None,
        call: thrown.call,
        time: thrown.time,
    };
    let mut found = Symptom {
        time: Some(thrown.time),
        place: thrown.place.clone(),
        wrong: Some(wrong(Criterion::Event(thrown.position))),
        ..plain
    };
    let Some(site) = thrown.site else { return Some(found) };
    let Some(expressions) = Expressions::of(past.program(), site.method) else { return Some(found) };
    if found.kind == SymptomKind::Assertion {
        assertion::stated(past, &thrown, site, &expressions, &mut found);
        return Some(found);
    }
    let message = past.heap_at(Time(0)).message(origin.exception).map(|message| message.text);
    if let Some((fault, operand)) =
        fault::of_program(past, &thrown, site, &expressions, classes, message.as_deref())
    {
        found.kind = fault.kind.symptom();
        found.wrong = Some(WrongValue {
            value: (fault.kind == fault::FaultKind::Null).then_some(Value::Null),
            expression: fault.expression.clone(),
            ..wrong(Criterion::Operand(thrown.position, operand as u16))
        });
        found.fault = Some(fault);
    }
    Some(found)
}

/// A call into a library, and what the code around it calls what it is given.
pub struct Call<'p> {
    pub info: &'p CallInfo,
    pub expressions: Option<&'p Expressions<'p>>,
}

impl Call<'_> {
    fn position(&self, past: &Past) -> Option<Position> {
        let row = past.call_row(self.info.id)?;
        Some(Position { stream: self.info.id.stream, ordinal: row.entry })
    }

    /// What the code calls an operand of the call.
    pub fn expression(&self, operand: usize) -> Option<String> {
        let bci = self.info.site.as_ref()?.site.bci;
        self.expressions?.operand(bci, operand)
    }

    /// An operand, the receiver first, as the value that is wrong.
    pub fn operand(&self, past: &Past, operand: usize) -> Option<WrongValue> {
        let receiver = usize::from(self.info.receiver.is_some());
        let (value, descriptor) = match operand.checked_sub(receiver) {
            Some(at) => self.info.args.get(at).map(|arg| (arg.value, arg.descriptor.clone()))?,
            None => (self.info.receiver?, String::new()),
        };
        Some(WrongValue {
            criterion: Criterion::Operand(self.position(past)?, operand as u16),
            value: Some(value),
            descriptor,
            text: None,
            expression: self.expression(operand),
            call: past.program_call(self.info.id)?,
            time: self.info.entry,
        })
    }

    /// That it came to this call at all.
    pub fn event(&self, past: &Past) -> Option<WrongValue> {
        Some(WrongValue {
            criterion: Criterion::Event(self.position(past)?),
            value: None,
            descriptor: String::new(),
            text: None,
            expression: None,
            call: past.program_call(self.info.id)?,
            time: self.info.entry,
        })
    }

    /// The call of the same code before this one that gave a value, and did not only hand it on.
    pub fn giver(past: &Past, before: CallId, value: Value) -> Option<CallInfo> {
        let Value::Object(_) = value else { return None };
        let parent = past.parent(before)?;
        let gave = |call: &CallId| {
            past.call_row(*call).is_some_and(|row| row.ending == Ending::Returned(Some(value)))
                && past.arguments(*call).is_none_or(|given| given.receiver != Some(value))
        };
        let call = calls_before(past, parent, before.index).take(MAX_SIBLINGS).find(gave)?;
        past.call(call)
    }
}
