//! Calls that were not over when the run was ended from outside, and what they were at: waiting in a library, for a lock,
//! or in a loop.

use std::collections::HashSet;

use analysis::expression::Expressions;
use analysis::slice::Criterion;
use base::{CallId, Ending, Site, Target};
use past::{Past, Position};

use super::{Symptom, SymptomKind, SymptomReason, WrongValue, children_backwards, testing, was_cut_off};

/// What a call that never ended was at, as far as the recording says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standstill {
    /// In a call into a library: `Thread.join`. `waits`: it is one that can wait for another thread.
    Library { method: String, waits: bool },
    /// Before a lock, and what the code calls it.
    Lock { expression: Option<String> },
    /// In a loop of these lines.
    Loop { first: u32, last: u32 },
    /// Somewhere else in its code.
    Code,
}

/// The outermost calls that never ended, of each thread; tests that did not rather than what is around them. Those that
/// were ended by `System.exit` are none.
pub fn never_ended(past: &Past, known: &HashSet<CallId>) -> Vec<Symptom> {
    if past.is_live() {
        return Vec::new();
    }
    // Of a JVM that the command started the exit code is not known: one that ended itself was not cut off.
    let cut_off = was_cut_off(past) && !ended_itself(past);
    let mut found = Vec::new();
    for stream in past.last_streams() {
        let open = past.open_calls(stream);
        let is_program = |call: &CallId| past.is_program_call(*call);
        let is_test = |call: &CallId| {
            past.method_of(*call).and_then(|method| testing(past.program(), method)).is_some()
        };
        let test = open.iter().copied().find(is_test);
        let Some(call) = test.or_else(|| open.iter().copied().find(is_program).filter(|_| cut_off)) else {
            continue;
        };
        let Some(&innermost) = open.last() else { continue };
        if !known.contains(&call) {
            found.push(symptom(past, call, innermost));
        }
    }
    found
}

/// Is a thread in the call that ends the JVM?
fn ended_itself(past: &Past) -> bool {
    past.last_streams().into_iter().any(|stream| {
        let open = past.open_calls(stream);
        let row = open.last().and_then(|&call| past.call_row(call));
        row.is_some_and(|row| {
            let (owner, name, _) = past.target(row.target);
            matches!(
                (owner.as_str(), name.as_str()),
                ("java/lang/System", "exit") | ("java/lang/Runtime", "exit" | "halt")
            )
        })
    })
}

fn symptom(past: &Past, call: CallId, innermost: CallId) -> Symptom {
    let at = stands_at(past, innermost);
    let (stands, site, position) = at.unwrap_or((Standstill::Code, None, None));
    let time = position.and_then(|position| past.time(position));
    let wrong =
        position.zip(time).zip(past.program_call(innermost)).map(|((position, time), call)| WrongValue {
            criterion: Criterion::Event(position),
            value: None,
            descriptor: String::new(),
            text: None,
            expression: None,
            call,
            time,
        });
    let place = site.map(|site| past.source_line(site)).or_else(|| past.call(innermost)?.site);
    Symptom {
        kind: SymptomKind::NeverEnded,
        time,
        place,
        wrong,
        ..Symptom::of(call, SymptomReason::NeverEnded { stands })
    }
}

/// What the innermost open call is at, in which code, and what it did last.
fn stands_at(past: &Past, innermost: CallId) -> Option<(Standstill, Option<Site>, Option<Position>)> {
    let row = past.call_row(innermost)?;
    let stream = innermost.stream;
    let method = match row.target {
        Target::Library(_) => {
            let (owner, name, _) = past.target(row.target);
            let stands = Standstill::Library {
                waits: jdk::threads::orders(&owner, &name),
                method: past.method_name(row.target),
            };
            return Some((stands, None, Some(Position { stream, ordinal: row.entry })));
        }
        Target::Method(method) => method,
    };
    let last = Position { stream, ordinal: row.exit };
    // What it did last: made a call that came back, or something of its own.
    let called = children_backwards(past, innermost).next();
    let called = called.and_then(|call| past.call_row(call)).filter(|call| call.ending != Ending::Open);
    let event = past.event_at(last).or_else(|| past.step(last, &past::Step::BackOver));
    let own = event.as_ref().and_then(|event| Some((event.position, event.place.as_ref()?.site)));
    let own = own.filter(|(_, site)| site.method == method);
    let (position, bci) = match (called, own) {
        (Some(call), Some((at, _))) if call.exit >= at.ordinal => {
            (Position { stream, ordinal: call.entry }, call.bci)
        }
        (_, Some((at, site))) => (at, site.bci),
        (Some(call), None) => (Position { stream, ordinal: call.entry }, call.bci),
        (None, None) => return None,
    };
    let site = Site { method, bci };
    let Some(expressions) = Expressions::of(past.program(), method) else {
        return Some((Standstill::Code, Some(site), Some(position)));
    };
    if let Some(lock) = expressions.lock_behind(bci) {
        let expression = expressions.operand(lock, 0);
        return Some((Standstill::Lock { expression }, Some(Site { method, bci: lock }), Some(position)));
    }
    let lines = expressions.loop_around(bci).map(|bcis| {
        let lines = bcis.into_iter().filter_map(|bci| past.source_line(Site { method, bci }).line);
        lines.fold((u32::MAX, 0), |(first, last), line| (first.min(line), last.max(line)))
    });
    let stands = match lines {
        Some((first, last)) if first <= last => Standstill::Loop { first, last },
        _ => Standstill::Code,
    };
    Some((stands, Some(site), Some(position)))
}
