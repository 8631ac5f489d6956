//! Tests of the same recording that passed, replayed beside the one that failed: which branches they took that it took,
//! too. A survey has to go through threads in order, so their calls are put around those of the part that is surveyed.

use std::cmp::Reverse;
use std::ops::Range;

use base::{CallId, StreamId};
use past::Past;
use tree::{Coverage, Node};

use crate::entry::is_test;
use crate::plain::PlainTree;
use crate::testimony::passed;

/// Tests that are replayed, at most, and their events: no more than those of the part itself, or so many.
const MAX_TESTS: usize = 200;
const FEW_EVENTS: u64 = 150_000;

/// The tests that passed and are worth replaying beside a part with so many events, those of the same class first.
pub fn passed_beside(plain: &PlainTree, events: u64) -> Vec<CallId> {
    let past = plain.past();
    let Some(failed) = plain.call(Node(0)).filter(|&root| is_test(past, root)) else { return Vec::new() };
    let class = |call: CallId| Some(past.program().method(past.method_of(call)?)?.0.id);
    let own = class(failed);
    let mut tests = apart(passed(past, |testing| testing.is_test));
    let size = past.call_row(failed).map_or(1, |row| row.size);
    tests.retain(|&test| !overlap(test, (failed, size)));
    let mut tests: Vec<CallId> = tests.into_iter().map(|(test, _)| test).collect();
    let distance =
        |test: CallId| (test.stream.0.abs_diff(failed.stream.0), test.index.abs_diff(failed.index));
    tests.sort_by_key(|&test| (Reverse(class(test) == own), distance(test)));
    let mut left = events.max(FEW_EVENTS);
    let mut chosen = Vec::new();
    for test in tests.into_iter().take(MAX_TESTS) {
        let Some(row) = past.call_row(test) else { continue };
        let Some(rest) = left.checked_sub(row.exit.saturating_sub(row.entry) + 1) else { continue };
        left = rest;
        chosen.push(test);
    }
    chosen.sort_unstable();
    chosen
}

/// Of tests that run within others those around.
fn apart(tests: Vec<(CallId, u32)>) -> Vec<(CallId, u32)> {
    let mut apart: Vec<(CallId, u32)> = Vec::new();
    for test in tests {
        if apart.last().is_none_or(|&before| !overlap(before, test)) {
            apart.push(test);
        }
    }
    apart
}

/// Is one of two calls, each with its number of calls, the other one or within it?
fn overlap((one, size): (CallId, u32), (other, others): (CallId, u32)) -> bool {
    let (end, others_end) = (one.index.saturating_add(size), other.index.saturating_add(others));
    one.stream == other.stream && one.index < others_end && other.index < end
}

/// Calls of a part, and of tests around it, in an order in which they can be surveyed.
pub struct Rows {
    pub calls: Vec<CallId>,
    /// Where the part's own calls are: those of its first thread, and of others.
    own: [Range<usize>; 2],
    /// By test: where its calls are.
    tests: Vec<Range<usize>>,
}

impl Rows {
    /// `part`: its calls by thread, the one that it began in first.
    pub fn new(past: &Past, part: Vec<CallId>, tests: &[CallId]) -> Rows {
        let stream = part.first().map(|call| call.stream);
        let first = part.iter().take_while(|call| Some(call.stream) == stream).count();
        let elsewhere = &part[first..];
        let has = |stream: StreamId| elsewhere.iter().any(|call| call.stream == stream);
        let is_own = |test: &&CallId| Some(test.stream) == stream;
        let mut rows = Rows { calls: Vec::new(), own: [0..0, 0..0], tests: Vec::new() };
        for test in tests.iter().filter(is_own).filter(|&&test| part.first().is_some_and(|&root| test < root))
        {
            rows.add_test(past, *test);
        }
        rows.own[0] = rows.add(part[..first].iter().copied());
        for test in tests.iter().filter(is_own).filter(|&&test| part.first().is_some_and(|&root| test > root))
        {
            if !stream.is_some_and(has) {
                rows.add_test(past, *test);
            }
        }
        rows.own[1] = rows.add(elsewhere.iter().copied());
        for test in tests.iter().filter(|test| !is_own(test) && !has(test.stream)) {
            rows.add_test(past, *test);
        }
        rows
    }

    fn add(&mut self, calls: impl Iterator<Item = CallId>) -> Range<usize> {
        let from = self.calls.len();
        self.calls.extend(calls);
        from..self.calls.len()
    }

    fn add_test(&mut self, past: &Past, test: CallId) {
        let size = past.call_row(test).map_or(1, |row| row.size.max(1));
        let before = |index: u32| past.program_calls_before(test.stream, index);
        let (mut index, end) = (test.index, test.index.saturating_add(size));
        let mut calls = Vec::new();
        while index < end {
            let call = CallId { index, ..test };
            let size = past.call_row(call).map_or(1, |row| row.size.max(1));
            // A library in which nothing of the program runs covers nothing.
            let leads = before(index.saturating_add(size)) > before(index);
            index = if leads { index + 1 } else { index.saturating_add(size) };
            calls.extend(leads.then_some(call));
        }
        let range = self.add(calls.into_iter());
        self.tests.push(range);
    }

    /// The place here of a call of the part.
    pub fn place(&self, at: usize) -> usize {
        let [first, others] = &self.own;
        if at < first.len() { first.start + at } else { others.start + (at - first.len()) }
    }

    /// The call of the part at a place, or the next one of it.
    pub fn own(&self, place: usize) -> usize {
        let [first, others] = &self.own;
        if place < first.end {
            place.saturating_sub(first.start)
        } else {
            first.len() + place.saturating_sub(others.start).min(others.len())
        }
    }

    pub fn is_own(&self, place: usize) -> bool {
        self.own.iter().any(|range| range.contains(&place))
    }

    /// By what can be covered: how many of the tests covered it. Nothing without tests.
    pub fn covered_by_tests(&self, coverage: &Coverage) -> Vec<u32> {
        if self.tests.is_empty() {
            return Vec::new();
        }
        let mut counts = vec![0; coverage.entities as usize];
        let mut last = vec![0; counts.len()];
        for (number, test) in (1..).zip(&self.tests) {
            let signatures = coverage.signature.get(test.clone()).unwrap_or_default();
            let mut signatures: Vec<u32> = signatures.to_vec();
            signatures.sort_unstable();
            signatures.dedup();
            for &entity in signatures.iter().flat_map(|&signature| &coverage.signatures[signature as usize]) {
                let entity = entity as usize;
                if last[entity] != number {
                    last[entity] = number;
                    counts[entity] += 1;
                }
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(stream: u32, index: u32, size: u32) -> (CallId, u32) {
        (CallId { stream: StreamId(stream), index }, size)
    }

    #[test]
    fn a_test_within_another_is_not_replayed_twice() {
        let all = vec![test(0, 0, 5), test(0, 2, 1), test(0, 5, 2), test(1, 6, 3), test(1, 8, 1)];
        assert_eq!(apart(all), [test(0, 0, 5), test(0, 5, 2), test(1, 6, 3)]);
        assert!(overlap(test(0, 3, 1), test(0, 0, 5)) && overlap(test(0, 0, 5), test(0, 3, 1)));
        assert!(!overlap(test(0, 5, 2), test(0, 0, 5)) && !overlap(test(1, 3, 1), test(0, 0, 5)));
    }

    #[test]
    fn places_of_the_part_are_found_among_those_of_tests() {
        let rows = Rows { calls: Vec::new(), own: [2..5, 7..9], tests: vec![0..2, 5..7, 9..12] };
        let places: Vec<usize> = (0..5).map(|at| rows.place(at)).collect();
        assert_eq!(places, [2, 3, 4, 7, 8]);
        assert!(places.iter().enumerate().all(|(at, &place)| rows.own(place) == at && rows.is_own(place)));
        // What a loop goes up to may be the first of a test: then it is what follows in the part, or its end.
        assert_eq!((rows.own(5), rows.own(9)), (3, 5));
        assert!([0, 1, 5, 6, 9, 11].iter().all(|&place| !rows.is_own(place)));
    }

    #[test]
    fn each_test_counts_once_for_what_it_covered() {
        let rows = Rows { calls: Vec::new(), own: [2..3, 3..3], tests: vec![0..2, 3..4] };
        let coverage = Coverage {
            signature: vec![0, 1, 2, 1],
            signatures: vec![vec![0], vec![0, 1], vec![2]],
            entities: 3,
        };
        assert_eq!(rows.covered_by_tests(&coverage), [2, 2, 0]);
    }
}
