//! The calls that a wrong value came through: what ran in them made it, or decided on it.

use std::sync::Arc;

use analysis::slice::{Criterion, Element, SliceLimits, Tie, potential, slice, sure};
use base::CallId;
use past::{Ending, Location, Past, Position, Value};
use tree::Node;

use crate::entry::{Symptom, symptom_slice};
use crate::extent::extent;
use crate::follow_up::RESULT;
use crate::plain::PlainTree;
use crate::subject::Subject;

/// Calls in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Witnesses(Arc<[CallId]>);

/// What is followed: a question must not wait for more.
const LIMITS: SliceLimits = SliceLimits { elements: 20_000, events: 2_000_000, control: true };

impl Witnesses {
    pub fn new(mut calls: Vec<CallId>) -> Witnesses {
        calls.sort_unstable();
        calls.dedup();
        Witnesses(calls.into())
    }

    /// Of what is wrong in a symptom; of what its call gave or threw where nothing says what that is. None if it could not
    /// be followed to its end.
    pub fn of_symptom(past: &Past, symptom: &Symptom) -> Option<Witnesses> {
        let row = past.call_row(symptom.call)?;
        if row.exit - row.entry > LIMITS.events {
            return None;
        }
        if let Some(found) = symptom_slice(past, symptom, &LIMITS) {
            return found.complete.then(|| Witnesses::new(found.calls));
        }
        match row.ending {
            Ending::Threw(_) => {}
            Ending::Returned(Some(value)) if !matches!(value, Value::Null) => {}
            Ending::Returned(_) | Ending::Open => return None,
        }
        let found = slice(past, &Criterion::Result(symptom.call), &LIMITS).ok()?;
        if found.cut.is_some() {
            return None;
        }
        let sure = |element: &&Element| {
            element.explains.is_empty() || element.explains.iter().any(|(_, tie)| *tie != Tie::Perhaps)
        };
        Some(Witnesses::new(found.elements.iter().filter(sure).map(|element| element.call).collect()))
    }

    /// Of a value that somebody called wrong when a subject ended. None if it could not be followed to its end.
    pub fn of_value(past: &Past, subject: &Subject, text: &str) -> Option<Witnesses> {
        let end = extent(past, subject)?;
        let time = past.time(Position { stream: end.stream, ordinal: end.last })?;
        let location = past.find_location(text, Some(time)).ok()?;
        let criterion = match location {
            Location::Local { call, name } if name == RESULT => Criterion::Result(call),
            location => Criterion::Location(location, time),
        };
        let (found, other) = potential(past, &criterion, &LIMITS).ok()?;
        if found.cut.is_some() {
            return None;
        }
        let sure = found.elements.iter().zip(sure(&found)).filter(|(_, sure)| *sure);
        let calls = sure.map(|(element, _)| element.call).chain(other);
        Some(Witnesses::new(calls.filter_map(|call| past.program_call(call)).collect()))
    }

    /// Those of them that are in a tree, as its nodes.
    pub(super) fn nodes(&self, plain: &PlainTree) -> Vec<Node> {
        let mut nodes: Vec<Node> = plain.nodes(self.0.iter().copied()).collect();
        nodes.sort_unstable();
        nodes
    }
}
