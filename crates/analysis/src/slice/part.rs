//! Parts of a slice: what lies in one call, and the calls that a value came through.

use std::collections::{HashSet, VecDeque};

use index::Evidence;
use past::{CallId, Location, Past, Time};

use super::search::is_within;
use super::{Criterion, Element, Slice, SliceLimits, Tie, slice};
use crate::error::Result;

/// Elements that are looked at for the calls that a value came through.
const MAX_ELEMENTS: usize = 2000;

/// The part of a slice that lies in one call (not its callees) between what it got and the criterion: the elements in
/// it, ascending, that the criterion depends on and that depend on something the call got, or are constants of its own.
pub fn within(past: &Past, slice: &Slice, call: CallId) -> Vec<Element> {
    let Some(row) = past.index().call(call) else { return Vec::new() };
    let inside = |element: &Element| is_within(call, &row, element.position);
    // An element is reached from what the call got, or from a constant of its own.
    let mut reached = vec![false; slice.elements.len()];
    let causes = causes(slice);
    // Causes are later in the list than what they explain, but for a few: until nothing changes.
    let mut changed = true;
    while changed {
        changed = false;
        for (at, element) in slice.elements.iter().enumerate().rev() {
            let flows = causes[at].iter().filter(|(_, tie)| *tie != Tie::Control);
            let own = element.call == call && flows.clone().next().is_none();
            let mut from = flows.map(|&(cause, _)| cause as usize);
            let is = own
                || !inside(element)
                || from.any(|cause| reached[cause] || !inside(&slice.elements[cause]));
            if is && !reached[at] {
                reached[at] = true;
                changed = true;
            }
        }
    }
    let own = slice.elements.iter().zip(&reached);
    let own = own.filter(|(element, reached)| **reached && element.call == call && inside(element));
    let mut list: Vec<Element> = own.map(|(element, _)| element.clone()).collect();
    list.reverse();
    list
}

/// The calls of program code that the value of a location came through, the nearest first: who wrote it, who gave what
/// was written, and so on along the data. At most `limit`.
pub fn writers(past: &Past, location: &Location, time: Time, limit: usize) -> Result<Vec<CallId>> {
    let limits = SliceLimits { elements: MAX_ELEMENTS, control: false, ..SliceLimits::default() };
    let slice = slice(past, &Criterion::Location(location.clone(), time), &limits)?;
    let causes = causes(&slice);
    let mut open: VecDeque<usize> = VecDeque::new();
    let mut seen = vec![false; slice.elements.len()];
    for (at, element) in slice.elements.iter().enumerate() {
        if element.explains.iter().any(|&(_, tie)| tie == Tie::Start) {
            seen[at] = true;
            open.push_back(at);
        }
    }
    let (mut calls, mut known) = (Vec::new(), HashSet::new());
    while let Some(at) = open.pop_front() {
        if calls.len() == limit {
            break;
        }
        let call = past.program_call(slice.elements[at].call);
        if let Some(call) = call.filter(|&call| known.insert(call)) {
            calls.push(call);
        }
        for &(cause, tie) in &causes[at] {
            if tie == Tie::Data && !std::mem::replace(&mut seen[cause as usize], true) {
                open.push_back(cause as usize);
            }
        }
    }
    Ok(calls)
}

/// By element: what it was caused by, and how.
fn causes(slice: &Slice) -> Vec<Vec<(u32, Tie)>> {
    let mut causes = vec![Vec::new(); slice.elements.len()];
    for (at, element) in slice.elements.iter().enumerate() {
        for &(explained, tie) in element.explains.iter().filter(|(_, tie)| *tie != Tie::Start) {
            causes[explained as usize].push((at as u32, tie));
        }
    }
    causes
}
