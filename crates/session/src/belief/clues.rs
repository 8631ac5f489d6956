//! What the wrong value itself says of where to look: the calls that it was made in, those whose branches kept something else
//! from being made, those that decided on it, and those that ran last before it showed. None of it is a filter: each clue
//! gets a share of what is believed, and what has a part in none of them keeps the rest.

use std::sync::Arc;

use analysis::slice::{Criterion, Slice, SliceLimits, potential, sure};
use base::CallId;
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
    calls: Calls,
    /// How likely it is among them.
    pub share: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Calls {
    /// In order.
    These(Arc<[CallId]>),
    /// What began in one thread from one call on, up to another.
    Between(CallId, CallId),
}

/// A clue as nodes of a tree.
pub(super) enum Nodes {
    These(Vec<Node>),
    Between(Node, Node),
}

/// What is followed: a question must not wait for more.
const LIMITS: SliceLimits = SliceLimits { elements: 20_000, events: 2_000_000, control: true };
/// What the value was made from is worth following as far as it is little.
const THIN: SliceLimits = SliceLimits { elements: 4_000, events: 2_000_000, control: false };
/// Calls before the one in which it shows that are its latest ones.
const LATEST: u32 = 64;
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
        Clue { calls: Calls::These(calls.into()), share }
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
        let from = CallId { index: shows.last.index.saturating_sub(LATEST), ..shows.last };
        clues.push(Clue { calls: Calls::Between(from, shows.last), share: RAN_LAST * left });
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
        let Calls::These(calls) = &self.calls else { return Vec::new() };
        let reaches = |outer: CallId, inner: CallId| {
            let size = past.call_row(outer).map_or(1, |row| row.size.max(1));
            outer.stream == inner.stream
                && (outer.index..outer.index.saturating_add(size)).contains(&inner.index)
        };
        let mut methods = Vec::new();
        let mut outside = Vec::new();
        for &call in calls.iter().rev().filter(|&&call| !reaches(root, call) && !reaches(call, root)) {
            let method = past.method_of(call);
            if !methods.contains(&method) {
                methods.push(method);
                outside.push(call);
            }
        }
        outside
    }

    /// Those of its calls that are in a tree.
    pub(super) fn nodes(&self, plain: &PlainTree) -> Option<Nodes> {
        match &self.calls {
            Calls::These(calls) => {
                let mut nodes: Vec<Node> = plain.nodes(calls.iter().copied()).collect();
                nodes.sort_unstable();
                Some(Nodes::These(nodes))
            }
            Calls::Between(from, to) => {
                let to = plain.node(*to)?;
                Some(Nodes::Between(plain.node(*from).unwrap_or(Node(0)), Node(to.0 + 1)))
            }
        }
    }
}

impl Nodes {
    /// Is one of the nodes from one to another among them, both included?
    pub fn have(&self, first: Node, last: Node) -> bool {
        match self {
            Nodes::These(nodes) => {
                let at = nodes.partition_point(|&known| known < first);
                nodes.get(at).is_some_and(|&known| known <= last)
            }
            Nodes::Between(from, to) => first < *to && *from <= last,
        }
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
    /// The last call that began before that.
    last: CallId,
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
            return Shows::at(past, Criterion::Result(symptom.call), end);
        };
        if let Some(writer) = text_writer(past, wrong) {
            let written = Position { stream: writer.stream, ordinal: past.call_row(writer)?.entry };
            return Shows::at(past, Criterion::Event(written), written);
        }
        Shows::at(past, wrong.criterion.clone(), past.position(wrong.time)?)
    }

    fn at(past: &Past, what: Criterion, position: Position) -> Option<Shows> {
        Some(Shows { what, last: past.last_begun(position)? })
    }
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
