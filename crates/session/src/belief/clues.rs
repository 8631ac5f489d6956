//! What the wrong value itself says of where to look: the calls that it was made in, those whose branches kept something else
//! from being made, those that decided on it, and those that ran last before it showed. None of it is a filter: each clue
//! gets a share of what is believed, and what has a part in none of them keeps the rest.

use std::collections::BinaryHeap;
use std::sync::Arc;

use analysis::slice::{Criterion, Slice, SliceLimits, potential, sure};
use base::{CallId, StreamId, Time};
use past::{Ending, Location, Past, Position, Value};
use tree::Node;

use crate::entry::{Symptom, SymptomKind, SymptomReason, text_writer};
use crate::extent::extent;
use crate::follow_up::RESULT;
use crate::plain::PlainTree;
use crate::subject::Subject;

/// Calls that a mistake is likely among.
#[derive(Clone, Debug, PartialEq)]
pub struct Clue {
    /// In order.
    calls: Arc<[CallId]>,
    /// How likely it is among them.
    pub share: f64,
}

/// A clue as nodes of a tree, in order.
pub(super) struct Nodes(pub Vec<Node>);

/// What is followed: a question must not wait for more.
const LIMITS: SliceLimits = SliceLimits { elements: 20_000, events: 2_000_000, control: true };
/// What the value was made from is worth following as far as it is little.
const THIN: SliceLimits = SliceLimits { elements: 4_000, events: 2_000_000, control: false };
/// Calls before the one in which it shows that are its latest ones.
const LATEST: usize = 64;
/// How likely it is in each kind of calls: fitted to 42 mutants of the programs that are tuned on.
const MADE: f64 = 0.2;
const KEPT_FROM: f64 = 0.15;
const DECIDED: f64 = 0.1;
const RAN_LAST: f64 = 0.25;
/// How likely it is in what throws what was expected to be thrown, elsewhere or on another way.
const COULD_THROW: f64 = 0.35;
/// Calls of one such method that are looked through, and those that count, the latest ones.
const LOOKED_THROUGH: usize = 100_000;
const LAST_OF_EACH: usize = 16;
/// How likely it is in what a value came through that a person called wrong.
const POINTED: f64 = 0.8;

impl Clue {
    fn these(mut calls: Vec<CallId>, share: f64) -> Clue {
        calls.sort_unstable();
        calls.dedup();
        Clue { calls: calls.into(), share }
    }

    /// What a symptom says. Nothing if it is not known what is wrong in it.
    pub fn of_symptom(past: &Past, symptom: &Symptom) -> Vec<Clue> {
        let mut clues = Vec::new();
        let is_test = in_test(past, symptom);
        let mut add = |calls: Vec<CallId>, share| {
            let calls: Vec<CallId> = calls.into_iter().filter(|call| !is_test(call)).collect();
            if !calls.is_empty() {
                clues.push(Clue::these(calls, share));
            }
        };
        let throwers = could_throw(past, symptom);
        // All together must leave something for what is in none.
        let left = if throwers.is_empty() { 1.0 } else { 1.0 - COULD_THROW };
        add(throwers, COULD_THROW);
        let Some(shows) = Shows::of(past, symptom) else { return clues };
        if let Some((slice, other)) = followed(past, &shows.what, &THIN) {
            add(program_calls(past, &slice), MADE * left);
            add(other, KEPT_FROM * left);
        }
        if let Some((slice, _)) = followed(past, &shows.what, &LIMITS) {
            add(program_calls(past, &slice), DECIDED * left);
        }
        clues.push(Clue::these(latest(past, shows.at), RAN_LAST * left));
        clues
    }

    /// Of a value that somebody called wrong when a subject ended. None if it could not be followed to its end.
    pub fn of_value(past: &Past, subject: &Subject, text: &str) -> Option<Clue> {
        let end = extent(past, subject)?;
        let time = past.time(Position { stream: end.stream, ordinal: end.last })?;
        let location = past.find_location(text, Some(time)).ok()?;
        let criterion = match location {
            Location::Local { call, name } if name == RESULT => Criterion::Result(call),
            location => Criterion::Location(location, time),
        };
        let (found, other) = followed(past, &criterion, &LIMITS)?;
        let calls = program_calls(past, &found).into_iter().chain(other);
        Some(Clue::these(calls.collect(), POINTED))
    }

    /// Those of its calls that are neither in a call nor around it, the latest first, one of each method.
    pub fn outside(&self, past: &Past, root: CallId) -> Vec<CallId> {
        let reaches = |outer: CallId, inner: CallId| {
            let size = past.call_row(outer).map_or(1, |row| row.size.max(1));
            outer.stream == inner.stream
                && (outer.index..outer.index.saturating_add(size)).contains(&inner.index)
        };
        let mut methods = Vec::new();
        let mut outside = Vec::new();
        for &call in self.calls.iter().rev().filter(|&&call| !reaches(root, call) && !reaches(call, root)) {
            let method = past.method_of(call);
            if !methods.contains(&method) {
                methods.push(method);
                outside.push(call);
            }
        }
        outside
    }

    /// Those of its calls that are in a tree.
    pub(super) fn nodes(&self, plain: &PlainTree) -> Nodes {
        let mut nodes: Vec<Node> = plain.nodes(self.calls.iter().copied()).collect();
        nodes.sort_unstable();
        Nodes(nodes)
    }
}

impl Nodes {
    /// Is one of the nodes from one to another among them, both included?
    pub fn have(&self, first: Node, last: Node) -> bool {
        let at = self.0.partition_point(|&known| known < first);
        self.0.get(at).is_some_and(|&known| known <= last)
    }
}

/// Is a call one of the class of the test that failed, which says what is right? Where a clue is nothing but that, it is none.
fn in_test(past: &Past, symptom: &Symptom) -> impl Fn(&CallId) -> bool {
    let class_of = |call: CallId| Some(past.program().method(past.method_of(call)?)?.0.id);
    let test = match symptom.why {
        SymptomReason::FailedTest { .. } => class_of(symptom.call),
        _ => None,
    };
    move |&call| test.is_some() && class_of(call) == test
}

/// Calls of methods that make an exception as it should have come and did not: what checks one thing may have left out another.
fn could_throw(past: &Past, symptom: &Symptom) -> Vec<CallId> {
    let Some(expected) =
        symptom.expected.as_deref().filter(|_| symptom.kind == SymptomKind::ExpectedException)
    else {
        return Vec::new();
    };
    let names: Vec<&str> =
        expected.split(" or ").map(|name| name.rsplit('.').next().unwrap_or(name)).collect();
    let of_group = |group| past.ranked(group, 0).and_then(|call| past.method_of(call));
    let methods: Vec<_> = past.methods().filter_map(|(group, ..)| Some((of_group(group)?, group))).collect();
    let ids: Vec<_> = methods.iter().map(|&(method, _)| method).collect();
    let makers = analysis::makers::makers(past.program(), &ids, &names);
    let size = past.call_row(symptom.call).map_or(1, |row| row.size.max(1));
    let is_within = |call: &CallId| {
        call.stream == symptom.call.stream
            && call.index > symptom.call.index
            && call.index - symptom.call.index < size
    };
    let of_makers = methods.into_iter().filter(|(method, _)| makers.contains(method));
    let calls = of_makers.flat_map(|(_, group)| {
        let within: Vec<CallId> = past.ranked_from(group, 0).take(LOOKED_THROUGH).filter(is_within).collect();
        within.into_iter().rev().take(LAST_OF_EACH)
    });
    calls.collect()
}

/// Where what is wrong shows first.
struct Shows {
    what: Criterion,
    at: Position,
}

impl Shows {
    fn of(past: &Past, symptom: &Symptom) -> Option<Shows> {
        let Some(wrong) = &symptom.wrong else {
            let row = past.call_row(symptom.call)?;
            match row.ending {
                Ending::Threw(_) => {}
                Ending::Returned(Some(value)) if !matches!(value, Value::Null) => {}
                Ending::Returned(_) | Ending::Open => return None,
            }
            let end = Position { stream: symptom.call.stream, ordinal: row.exit };
            return Some(Shows { what: Criterion::Result(symptom.call), at: end });
        };
        if let Some(writer) = text_writer(past, wrong) {
            let written = Position { stream: writer.stream, ordinal: past.call_row(writer)?.entry };
            return Some(Shows { what: Criterion::Event(written), at: written });
        }
        Some(Shows { what: wrong.criterion.clone(), at: past.position(wrong.time)? })
    }
}

/// The calls that began last before something, whatever thread made them.
fn latest(past: &Past, at: Position) -> Vec<CallId> {
    let Some(time) = past.time(at) else { return Vec::new() };
    let begun = |call: CallId| {
        let ordinal = past.call_row(call)?.entry;
        Some((past.time(Position { stream: call.stream, ordinal })?, call))
    };
    let last = |stream: StreamId| {
        let ordinal = past.events_by(stream, time).checked_sub(1)?;
        begun(past.last_begun(Position { stream, ordinal })?)
    };
    let mut next: BinaryHeap<(Time, CallId)> = past.streams().into_iter().filter_map(last).collect();
    let mut calls = Vec::new();
    while let Some((_, call)) = next.pop().filter(|_| calls.len() <= LATEST) {
        calls.push(call);
        next.extend(call.index.checked_sub(1).and_then(|index| begun(CallId { index, ..call })));
    }
    calls
}

/// A slice, and the calls of the program that only a branch ties to it which went another way. None if it is too large.
fn followed(past: &Past, criterion: &Criterion, limits: &SliceLimits) -> Option<(Slice, Vec<CallId>)> {
    let (found, other) = potential(past, criterion, limits).ok()?;
    if found.cut.is_some() {
        return None;
    }
    let other = other.into_iter().filter_map(|call| past.program_call(call)).collect();
    Some((found, other))
}

/// The calls of the program that surely have a part in a slice.
fn program_calls(past: &Past, slice: &Slice) -> Vec<CallId> {
    let sure = slice.elements.iter().zip(sure(slice)).filter(|(_, sure)| *sure);
    sure.filter_map(|(element, _)| past.program_call(element.call)).collect()
}
