//! Questions about what lies in a call: a loop, some of its iterations, one statement. Shown are the variables as they
//! were before and after, because inside a call there are no arguments and no result.

use analysis::{ChangedVariable, LoopEnd, LoopRun, Role, Statement};
use base::Position;
use past::{CallInfo, Error, KnownValue, Location, Past, RenderLimits, Result, Time, Value, same};

use super::call::starts_at;
use super::difference::{Moment, difference};
use super::effect::{Span, StateChange};
use super::reach::Reach;
use super::shown::{IN_LINE, limits};
use super::{
    Difference, Held, Question, QuestionAbout, QuestionDetail, QuestionNote, QuestionPart, StatementAction,
    StillHeld, Thrown, written,
};

/// Variables of longer calls are not followed to the middle of a loop: each would be a replay of the call.
const FOLLOWED: u64 = 300_000;

/// Iterations `from..to` of a loop; all of them if there is no `to`.
pub(super) fn iterations(
    past: &Past,
    info: &CallInfo,
    run: u32,
    from: u32,
    to: Option<u32>,
    detail: QuestionDetail,
) -> Result<Question> {
    let run = loop_run(past, info, run)?;
    let mut question = Question::new(info);
    let limits = limits(detail);
    let span = stretch(info, &run, from, to);
    let (Some(before), Some(after)) = (span.start(past), span.end(past)) else {
        return Err(Error::Path(format!("the loop in {} cannot be read", info.name)));
    };
    let whole = from == 0 && to.is_none_or(|to| u64::from(to) >= run.count);
    let count = to.map_or(run.count, u64::from).min(run.count).saturating_sub(u64::from(from));
    question.iterations = Some(count);
    for changed in &run.changed {
        let ends = match whole {
            true => Some((changed.before, changed.after)),
            false => at_ends(past, info, changed, span),
        };
        let Some((old, new)) = ends else {
            question.more = true;
            continue;
        };
        let text = |value: Option<Value>, time, limits: &RenderLimits| match value {
            Some(value) => {
                Held::Value(past.known_text(KnownValue::Value(value), &changed.descriptor, time, limits))
            }
            None => Held::NotSet,
        };
        let itself = !same(old, new);
        let is_object = matches!((old, new), (Some(Value::Object(_)), _) | (_, Some(Value::Object(_))));
        let values = (old, new);
        let (old, new) = (text(old, before, &limits), text(new, after, &limits));
        let changed_it = old != new;
        if let (false, Held::Value(value)) = (changed_it, &old)
            && let Some(writes) = writes(past, info, changed, span).filter(|&writes| writes > 1)
        {
            let (location, value) = (changed.name.clone(), value.clone());
            question.still.push(StillHeld { location, value, writes });
        }
        let difference = changed_it.then(|| between(past, values, (&old, &new), (before, after))).flatten();
        let after = changed_it.then_some(new);
        question.args.push(QuestionPart {
            name: changed.name.clone(),
            before: old,
            after,
            changed: changed_it,
            itself: itself && changed_it,
            is_object,
            parts: Vec::new(),
            difference,
            looked_at: true,
        });
    }
    let mut effect = StateChange::of(past, &[span], detail);
    question.more |= effect.more;
    let reach = Reach::new(past, roots(info).chain(variables(past, info, before)), before, after);
    effect.list.retain(|change| !reach.is_hidden_iterator(&change.location));
    question.changes = reach.shown(&effect.list, &limits).into_iter().map(|(shown, _)| shown).collect();
    written::put(past, &mut question, &effect, &reach, &limits, detail);
    question.still.extend(effect.still(past, &reach, after, &limits));
    question.reads = went_by(past, info, &run, span, count, &limits);
    // What other iterations change, and these leave as it was.
    let left = question.args.iter().filter(|part| !part.changed);
    let left = left.filter(|part| !question.still.iter().any(|still| still.location == part.name));
    question.reads.extend(left.map(|part| (part.name.clone(), part.before.clone())).filter(|_| !whole));
    question
        .reads
        .retain(|(name, _)| !question.changes.iter().any(|change| starts_at(&change.location, name)));
    question.reads.extend(given_to_call(past, info, &question, before));
    question.finished = !whole || run.end != LoopEnd::Unfinished;
    question.note = whole.then_some(QuestionNote::LoopEnded(run.end));
    question.about = QuestionAbout::Loop { line: run.line, from, all: run.count };
    Ok(question)
}

/// What a loop goes through, iteration by iteration (the variable that is set first), and the variables that it reads and
/// leaves alone. Of a single iteration all that it set for itself.
fn went_by(
    past: &Past,
    info: &CallInfo,
    run: &LoopRun,
    span: Span,
    count: u64,
    limits: &RenderLimits,
) -> Vec<(String, Held)> {
    let told = if count == 1 { run.own.len() } else { 1 };
    let own = run.own.iter().take(told).filter_map(|(name, descriptor)| {
        let values = gone_through(past, info, name, descriptor, span)?;
        Some((name.clone(), Held::Value(values)))
    });
    let given = run.given.iter().filter_map(|variable| {
        let known = KnownValue::Value(variable.value);
        let text = past.known_text(known, &variable.descriptor, span.start(past)?, limits);
        Some((variable.name.clone(), Held::Value(text)))
    });
    own.chain(given).collect()
}

/// The numbers that the call was given and still holds where the loop begins, as far as they are not told yet: a loop that goes too
/// far reads nothing of what should have bounded it.
fn given_to_call(past: &Past, info: &CallInfo, question: &Question, before: Time) -> Vec<(String, Held)> {
    let told = |name: &str| {
        question.args.iter().any(|part| part.name == name)
            || question.reads.iter().any(|(known, _)| starts_at(known, name))
            || question.changes.iter().any(|change| starts_at(&change.location, name))
            || question.still.iter().any(|still| starts_at(&still.location, name))
    };
    if info.events > FOLLOWED {
        return Vec::new();
    }
    // What bounds a loop is a number; what it goes through is told already.
    let args = info.args.iter().filter(|arg| arg.descriptor.len() == 1 && !told(&arg.name));
    let held = args.filter_map(|arg| {
        let location = Location::Local { call: info.id, name: arg.name.clone() };
        let known = past.value_at(&location, before);
        let text = past.known_text(known, &arg.descriptor, before, &IN_LINE);
        (known != KnownValue::Unknown).then(|| (arg.name.clone(), Held::Value(text)))
    });
    held.collect()
}

/// `A, then B, then C, … (12 in all)`; none if the call is too long to be followed, or nothing was set.
fn gone_through(past: &Past, info: &CallInfo, name: &str, descriptor: &str, span: Span) -> Option<String> {
    if info.events > FOLLOWED {
        return None;
    }
    let entries = past.history(&Location::Local { call: info.id, name: name.to_owned() }).ok()?;
    let inside = entries.iter().filter(|entry| (span.from..=span.to).contains(&entry.position.ordinal));
    let inside: Vec<_> = inside.collect();
    let mut text = String::new();
    for (at, entry) in inside.iter().enumerate() {
        let one = past.known_text(entry.value, descriptor, entry.time, &IN_LINE);
        if at > 0 && text.chars().count() + one.chars().count() > GONE_THROUGH {
            text.push_str(&format!(", … ({} in all)", inside.len()));
            break;
        }
        text.push_str(if at > 0 { ", then " } else { "" });
        text.push_str(&one);
    }
    (!text.is_empty()).then_some(text)
}

/// Chars of what a loop goes through.
const GONE_THROUGH: usize = 200;

/// One statement: what it assigned, or which way the condition went.
pub(super) fn statement(past: &Past, info: &CallInfo, at: u32, detail: QuestionDetail) -> Result<Question> {
    let found = executed(past, info, at)?;
    let mut question = Question::new(info);
    let limits = limits(detail);
    let span = Span { stream: info.id.stream, from: found.first, to: found.last.max(found.first) };
    let (Some(before), Some(after)) = (span.start(past), span.end(past)) else {
        return Err(Error::Path(format!("the statement in {} cannot be read", info.name)));
    };
    let known = |known: KnownValue, descriptor: &str, time: Time, limits: &RenderLimits| {
        past.known_text(known, descriptor, time, limits)
    };
    let thrown = |exception: Option<Value>| match exception {
        Some(exception) => Thrown::Value(known(KnownValue::Value(exception), "", after, &limits)),
        None => Thrown::Unknown,
    };
    let reach = Reach::new(past, roots(info), before, after);
    let did = match &found.role {
        Role::Assign { location, descriptor, before: old, after: new } => {
            let name = match location {
                Location::Local { name, .. } => name.clone(),
                location => reach.location(location).path,
            };
            let old_text = known(*old, descriptor, before, &limits);
            let new_text = known(KnownValue::Value(*new), descriptor, after, &limits);
            let changed = old_text != new_text;
            question.args.push(QuestionPart {
                name: name.clone(),
                before: Held::Value(old_text),
                after: Some(Held::Value(new_text)),
                changed,
                itself: changed && !same(super::effect::value(*old), Some(*new)),
                is_object: matches!(new, Value::Object(_)),
                parts: Vec::new(),
                difference: None,
                looked_at: true,
            });
            StatementAction::Assigned {
                name,
                before: (*old != KnownValue::Unknown).then(|| known(*old, descriptor, before, &IN_LINE)),
                after: known(KnownValue::Value(*new), descriptor, after, &IN_LINE),
            }
        }
        Role::Condition { holds, to, .. } => StatementAction::Tested { holds: *holds, to: *to },
        Role::Switch { key, case, to } => {
            StatementAction::Switched { key: *key, default: case.is_none(), to: *to }
        }
        Role::Catch { exception } => {
            question.thrown = Some(thrown(*exception));
            StatementAction::Caught
        }
        Role::Throw { exception } => {
            question.thrown = Some(thrown(*exception));
            StatementAction::Threw
        }
        Role::Return { value } => {
            question.result = Some(match value {
                Some(value) => known(KnownValue::Value(*value), &info.result_descriptor, after, &limits),
                None => "void".to_owned(),
            });
            question.result_is_object = matches!(value, Some(Value::Object(_)));
            StatementAction::Returned
        }
        Role::Call { .. } => StatementAction::Called,
    };
    question.list(past, made_in(past, info, span, &found.role).into_iter());
    let source = source_line(past, info, &found);
    question.reads = looked_at(past, info, &found, before, &limits, source.as_deref().unwrap_or(""));
    if matches!(found.role, Role::Call { .. }) {
        let effect = StateChange::of(past, &[span], detail);
        written::put(past, &mut question, &effect, &reach, &limits, detail);
        question.more |= effect.more;
    }
    question.about = QuestionAbout::Statement { up_to: false, line: found.line, bci: found.bci, source, did };
    Ok(question)
}

/// The calls that a statement made: what they gave is what it went by. Those of libraries only if it is one.
fn made_in(past: &Past, info: &CallInfo, span: Span, role: &Role) -> Vec<CallInfo> {
    if let Role::Call { call } = role {
        return past.call(*call).into_iter().collect();
    }
    let first = past.call_at(Position { stream: span.stream, ordinal: span.from });
    let children = past.children(info.id, 0, CHILDREN).into_iter();
    let within =
        children.skip_while(|child| first.is_some_and(|first| child.index < first.index)).filter(|&child| {
            let row = past.call_row(child);
            row.is_some_and(|row| {
                span.from <= row.entry && row.exit <= span.to && past.is_program_call(child)
            })
        });
    within.take(INNER).filter_map(|child| past.call(child)).collect()
}

/// Children of a call that are looked through for those of a statement, and those that are told.
const CHILDREN: usize = 20_000;
const INNER: usize = 4;

/// How often a variable was written; none if the call is too long to be followed.
fn writes(past: &Past, info: &CallInfo, variable: &ChangedVariable, span: Span) -> Option<u32> {
    if info.events > FOLLOWED {
        return None;
    }
    let location = Location::Local { call: info.id, name: variable.name.clone() };
    let entries = past.history(&location).ok()?;
    let inside = entries.iter().filter(|entry| (span.from..=span.to).contains(&entry.position.ordinal));
    u32::try_from(inside.count()).ok()
}

/// What is different in a variable, where both values whole would hide it.
fn between(
    past: &Past,
    (old, new): (Option<Value>, Option<Value>),
    (before, after): (&Held, &Held),
    (from, to): (Time, Time),
) -> Option<Difference> {
    let (Held::Value(before), Held::Value(after)) = (before, after) else { return None };
    let old = Moment { known: KnownValue::Value(old?), time: from, text: before };
    let new = Moment { known: KnownValue::Value(new?), time: to, text: after };
    difference(past, &old, &new)
}

pub(crate) fn loop_run(past: &Past, info: &CallInfo, run: u32) -> Result<LoopRun> {
    let loops = analysis::loops(past, info.id).map_err(|error| Error::Path(error.to_string()))?;
    let missing = || Error::NotFound { name: format!("loop {run} of {}", info.name), close: Vec::new() };
    loops.runs.into_iter().nth(run as usize).ok_or_else(missing)
}

fn executed(past: &Past, info: &CallInfo, at: u32) -> Result<Statement> {
    let limit = at as usize + 1;
    let found = analysis::statements(past, info.id, limit).map_err(|error| Error::Path(error.to_string()))?;
    let missing = || Error::NotFound { name: format!("statement {at} of {}", info.name), close: Vec::new() };
    found.list.into_iter().nth(at as usize).ok_or_else(missing)
}

/// The events of some iterations of a loop.
pub(crate) fn stretch(info: &CallInfo, run: &LoopRun, from: u32, to: Option<u32>) -> Span {
    let start = |at: u32| run.starts.get(at as usize).copied();
    let first = if from == 0 { run.first } else { start(from).unwrap_or(run.last) };
    let last = to
        .filter(|&to| u64::from(to) < run.count)
        .and_then(start)
        .map_or(run.last, |next| next.saturating_sub(1));
    Span { stream: info.id.stream, from: first, to: last.max(first) }
}

/// A variable's values before the first and after the last event; none if the call is too long to be followed.
fn at_ends(
    past: &Past,
    info: &CallInfo,
    changed: &ChangedVariable,
    span: Span,
) -> Option<(Option<Value>, Option<Value>)> {
    if info.events > FOLLOWED {
        return None;
    }
    let location = Location::Local { call: info.id, name: changed.name.clone() };
    let entries = past.history(&location).ok()?;
    let value = |until: u64| {
        let last = entries.iter().rfind(|entry| entry.position.ordinal <= until)?;
        super::effect::value(last.value)
    };
    Some((value(span.from.saturating_sub(1)), value(span.to)))
}

fn roots(info: &CallInfo) -> impl Iterator<Item = (String, Value)> {
    let this = info.receiver.map(|receiver| ("this".to_owned(), receiver));
    this.into_iter().chain(info.args.iter().map(|arg| (arg.name.clone(), arg.value)))
}

/// What its other variables refer to when the loop begins: a person says `nets`, not `ArrayList@5`.
fn variables(past: &Past, info: &CallInfo, time: Time) -> impl Iterator<Item = (String, Value)> {
    // What has no type here has no name in the source either: the compiler's own.
    let named =
        past.variables_at(info.id, time).into_iter().filter(|variable| !variable.descriptor.is_empty());
    named.filter_map(|variable| {
        super::effect::value(variable.held.known())
            .filter(|value| matches!(value, Value::Object(_)))
            .map(|value| (variable.name, value))
    })
}

fn source_line(past: &Past, info: &CallInfo, statement: &Statement) -> Option<String> {
    let (class, _) = past.program().method(past.method_of(info.id)?)?;
    let file = past.source_file(past.method_of(info.id)?).map(str::to_owned);
    let source = past.sources().find(&class.name, file.as_deref())?;
    let text = source.line(u32::from(statement.line?))?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The variables that stand in the statement's source, with their values before it.
fn looked_at(
    past: &Past,
    info: &CallInfo,
    statement: &Statement,
    before: Time,
    limits: &RenderLimits,
    source: &str,
) -> Vec<(String, Held)> {
    if info.events > FOLLOWED || past.position(before) != Some(position(info, statement.first)) {
        return Vec::new();
    }
    let names = past.variables(info.id).into_iter().filter(|name| name != "result" && has_word(source, name));
    let shown = names.filter_map(|name| {
        let location = Location::Local { call: info.id, name: name.clone() };
        match past.value_at(&location, before) {
            KnownValue::Unknown => None,
            known => {
                let value = past.known_text(known, &past.descriptor(&location), before, limits);
                Some((name, Held::Value(value)))
            }
        }
    });
    shown.take(8).collect()
}

fn position(info: &CallInfo, ordinal: u64) -> Position {
    Position { stream: info.id.stream, ordinal }
}

/// Does a word stand in a line of source?
pub(crate) fn has_word(source: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    source.match_indices(word).any(|(at, _)| {
        let before = source[..at].chars().next_back();
        let after = source[at + word.len()..].chars().next();
        !before.is_some_and(|c| is_word(c) || c == '.') && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn a_variable_is_found_as_a_word_of_its_own() {
        assert!(has_word("while (at < a.length) {", "at"));
        assert!(has_word("a[i] = b", "a"));
        assert!(!has_word("while (flat < 3)", "at"));
        assert!(!has_word("this.at = 3", "at"));
        assert!(!has_word("atom", "at"));
    }
}
