//! What an assertion that failed compared, from the recorded call of it and of those that made what it was given: values
//! of the run, and not the text of a message. Of `assert` it is the branch that led to it.

use analysis::expression::Expressions;
use analysis::slice::Criterion;
use base::{CallId, Ending, Site, Target, Time, Value};
use classfile::MethodDescriptor;
use jdk::assertions::{Assertion, is_equality, is_fluent, is_plain_matcher};
use past::{Action, CallInfo, KnownValue, Location, Past, Position, Thrown};
use render::Heap;

use super::failure::Call;
use super::{Symptom, SymptomKind, WrongText, WrongValue, children_backwards};

/// Matchers in matchers, and values that were taken out of others to be looked at.
const MAX_DEPTH: u32 = 10;
/// Events before a throw among which the branch is that led to it.
const MAX_EVENTS: usize = 64;

/// What the assertion that a call is of compares; none if it is none.
pub fn of_call(past: &Past, call: CallId) -> Option<Assertion> {
    let target = past.call_row(call)?.target;
    let (owner, name, descriptor) = past.target(target);
    // Who inherits an assertion calls it by its own name.
    let asserts = name.starts_with("assert") || name == "fail" || jdk::testing::compares(&owner, &name);
    if !matches!(target, Target::Library(_)) || !asserts {
        return None;
    }
    let parsed = MethodDescriptor::parse(descriptor.as_bytes()).ok()?;
    let parameters: Vec<String> =
        parsed.parameters.iter().map(|one| String::from_utf8_lossy(one).into_owned()).collect();
    let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
    jdk::assertions::assertion(&owner, &name, &parameters)
}

/// Fills in what a call of an assertion that failed compared; none if it is no call of one that is known.
pub fn asserted(past: &Past, call: &Call<'_>, found: &mut Symptom) -> Option<()> {
    let info = call.info;
    let receiver = usize::from(info.receiver.is_some());
    let text = |at: usize| argument_text(past, info, at);
    match of_call(past, info.id)? {
        Assertion::Compares { expected, actual, not } => {
            let not = if not { "not " } else { "" };
            found.expected = text(expected).map(|text| format!("{not}{text}"));
            found.actual = text(actual);
            found.wrong = call.operand(past, receiver + actual);
            let given = |at: usize| info.args.get(at).map(|arg| arg.value);
            goes_wrong(past, given(expected), found);
        }
        Assertion::Is { actual, expected } => {
            found.expected = Some(expected.to_owned());
            found.actual = computed(past, info, actual).or_else(|| text(actual));
            found.wrong = call.operand(past, receiver + actual);
        }
        Assertion::Matches { actual, matcher } => {
            found.expected = matcher_text(past, info.id, info.args.get(matcher)?.value, 0);
            found.actual = text(actual);
            found.wrong = call.operand(past, receiver + actual);
        }
        Assertion::Throws { expected } => {
            found.kind = SymptomKind::ExpectedException;
            found.expected = expected.and_then(|at| class_name(past, info.args.get(at)?.value));
            found.actual = children_backwards(past, info.id).next().and_then(|run| thrown(past, run));
        }
        Assertion::Fluent => {
            let (owner, name, _) = past.target(past.call_row(info.id)?.target);
            let given: Vec<String> = (0..info.args.len()).filter_map(text).collect();
            found.expected = Some(match given.as_slice() {
                [one] if is_equality(&name) => one.clone(),
                [] => name.clone(),
                all => format!("{name} {}", all.join(", ")),
            });
            if let Some((made, at)) = subject(past, &owner, info.id, info.receiver?, 0) {
                let expressions =
                    made.site.as_ref().and_then(|place| Expressions::of(past.program(), place.site.method));
                let receiver = usize::from(made.receiver.is_some());
                found.actual = argument_text(past, &made, at);
                found.wrong =
                    Call { info: &made, expressions: expressions.as_ref() }.operand(past, receiver + at);
                if is_equality(&name) {
                    goes_wrong(past, info.args.first().map(|arg| arg.value), found);
                }
            }
        }
        Assertion::Fails => {
            found.wrong = call.event(past);
            // `try { …; fail(); } catch (X expected)`: what should have been thrown is what is caught around it.
            let caught =
                info.site.as_ref().zip(call.expressions).map(|(place, all)| all.caught(place.site.bci));
            let is_wide = |class: &String| {
                [jdk::names::THROWABLE, jdk::names::ASSERTION_ERROR].contains(&class.as_str())
                    || class == jdk::names::ERROR
            };
            let caught = caught.unwrap_or_default();
            if !caught.is_empty() && !caught.iter().any(is_wide) {
                let names: Vec<String> = caught.iter().map(|class| base::simple_name(class)).collect();
                found.kind = SymptomKind::ExpectedException;
                found.expected = Some(names.join(" or "));
            }
        }
        Assertion::Runs => found.wrong = call.event(past),
    }
    Some(())
}

/// Says where a text goes wrong that should have been another one.
fn goes_wrong(past: &Past, expected: Option<Value>, found: &mut Symptom) {
    if let Some(wrong) = &mut found.wrong {
        let actual = wrong.value.zip(expected);
        (wrong.text, found.parting) = actual
            .and_then(|(actual, expected)| WrongText::between(past, expected, actual))
            .map_or((None, None), |(text, parting)| (Some(text), parting));
    }
}

/// What code that an assertion was given to run computed, if it was given such.
fn computed(past: &Past, info: &CallInfo, at: usize) -> Option<String> {
    info.args.get(at).filter(|arg| jdk::assertions::is_computed(&arg.descriptor))?;
    let run = past.call(children_backwards(past, info.id).next()?)?;
    match run.ending {
        Ending::Returned(Some(value)) => Some(past.text(value, &run.result_descriptor, run.exit)),
        _ => None,
    }
}

fn thrown(past: &Past, call: CallId) -> Option<String> {
    match past.call_row(call)?.ending {
        Ending::Threw(Some(Value::Object(exception))) => past.class_of(exception).map(base::simple_name),
        _ => None,
    }
}

fn argument_text(past: &Past, info: &CallInfo, at: usize) -> Option<String> {
    let arg = info.args.get(at)?;
    Some(class_name(past, arg.value).unwrap_or_else(|| past.text(arg.value, &arg.descriptor, info.entry)))
}

/// The name of the class that a value is, if it is one.
fn class_name(past: &Past, value: Value) -> Option<String> {
    match value {
        Value::Class(ty) => past.heap_at(Time(0)).class_name(ty).map(|name| base::simple_name(&name)),
        _ => None,
    }
}

/// What a matcher asks for: the value that something should be equal to, or the calls that made the matcher.
fn matcher_text(past: &Past, before: CallId, matcher: Value, depth: u32) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let made = Call::giver(past, before, matcher)?;
    let (owner, name, _) = past.target(past.call_row(made.id)?.target);
    if !made.result_descriptor.ends_with("Matcher;") && !owner.starts_with(jdk::testing::HAMCREST) {
        return None;
    }
    let text = |at: usize| {
        let value = made.args.get(at)?.value;
        matcher_text(past, made.id, value, depth + 1).or_else(|| argument_text(past, &made, at))
    };
    let given: Vec<String> = (0..made.args.len()).filter_map(text).collect();
    Some(match given.as_slice() {
        [one] if is_plain_matcher(&name) => one.clone(),
        [] => name,
        all => format!("{name} {}", all.join(", ")),
    })
}

/// The call that was given the value which a fluent assertion is about, and which of its arguments that is.
fn subject(past: &Past, owner: &str, before: CallId, made: Value, depth: u32) -> Option<(CallInfo, usize)> {
    if depth > MAX_DEPTH || !is_fluent(owner) {
        return None;
    }
    let call = Call::giver(past, before, made)?;
    let (owner, name, _) = past.target(past.call_row(call.id)?.target);
    let takes = name.starts_with("assert") || matches!(name.as_str(), "that" | "then" | "expectThat");
    if takes && !call.args.is_empty() {
        return Some((call, 0));
    }
    // A part of what it was about before: that is where the part came from.
    subject(past, &owner, call.id, call.receiver?, depth + 1)
}

/// Fills in what `assert` asked for: the branch that led to the throw.
pub fn stated(past: &Past, thrown: &Thrown, site: Site, expressions: &Expressions<'_>, found: &mut Symptom) {
    let Some((branch, position, taken)) = last_branch(past, thrown, site) else { return };
    // Only what leads to making the exception at once is its condition.
    let leads = expressions.leads_to(branch.bci, taken).and_then(|bci| expressions.op(bci));
    if leads != Some(classfile::opcode::NEW) {
        return;
    }
    let Some(condition) = expressions.condition(branch.bci, !taken) else { return };
    found.expected = Some(condition.text);
    let values = (0..usize::from(condition.operands)).filter_map(|at| {
        let name = expressions.variable(branch.bci, at)?.to_owned();
        let location = Location::Local { call: thrown.call, name: name.clone() };
        let descriptor = past.descriptor(&location);
        match past.value_at(&location, thrown.time) {
            KnownValue::Value(value) => {
                Some(format!("{name} = {}", past.text(value, &descriptor, thrown.time)))
            }
            _ => None,
        }
    });
    let values: Vec<String> = values.collect();
    found.actual = (!values.is_empty()).then(|| values.join(", "));
    if let Some(wrong) = &mut found.wrong {
        *wrong = WrongValue { criterion: Criterion::Event(position), ..wrong.clone() };
    }
}

/// The last branch of a call before it threw: where, when, and whether it was taken.
fn last_branch(past: &Past, thrown: &Thrown, site: Site) -> Option<(Site, Position, bool)> {
    let row = past.call_row(thrown.call)?;
    let ordinal = thrown.position.ordinal.saturating_sub(MAX_EVENTS as u64).max(row.entry);
    let from = past.time(Position { ordinal, ..thrown.position });
    let page = past.events(thrown.call, from, MAX_EVENTS + 1, false);
    let mut before = page.events.into_iter().rev().filter(|event| event.time < thrown.time);
    before.find_map(|event| match event.action {
        Action::Branch { taken, .. } => {
            let at = event.place?.site;
            (at.method == site.method).then_some((at, event.position, taken))
        }
        _ => None,
    })
}
