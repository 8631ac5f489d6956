//! What the tests say that passed in the same recording: code that they ran too is less likely wrong (Ochiai's measure with
//! the one test that failed).

use std::collections::{HashMap, HashSet};

use base::{CallId, Ending, MethodId};
use tree::{CodeGroup, Node};

use crate::entry::{failure, testing};
use crate::plain::PlainTree;

/// Calls of a method that are looked at for the tests that they lie in.
const LOOKED_AT: u64 = 256;
/// Tests that are looked at.
const MAX_TESTS: usize = 2_000;

/// By method: what its probability is multiplied by. Nothing where no test passed.
pub fn spectrum(plain: &PlainTree, methods: &[(CodeGroup, MethodId)]) -> HashMap<CodeGroup, f64> {
    let past = plain.past();
    let Some(root) = plain.call(Node(0)) else { return HashMap::new() };
    if past.method_of(root).is_none_or(|method| testing(past.program(), method).is_none()) {
        return HashMap::new();
    }
    let passed = passed(plain);
    if passed.is_empty() {
        return HashMap::new();
    }
    let known: HashSet<CodeGroup> = methods.iter().map(|&(group, _)| group).collect();
    let mut found = HashMap::new();
    for (group, .., count) in past.methods() {
        let code = CodeGroup(group.number());
        if !known.contains(&code) {
            continue;
        }
        let step = count.div_ceil(LOOKED_AT).max(1);
        let calls = (0..count).step_by(step as usize).filter_map(|at| past.ranked(group, at));
        let tests: HashSet<CallId> = calls.filter_map(|call| holder(&passed, call)).collect();
        found.insert(code, left_by(tests.len()));
    }
    found
}

/// What is left of the suspicion against code that so many tests ran which passed.
pub fn left_by(tests: usize) -> f64 {
    1.0 / (1.0 + tests as f64).sqrt()
}

/// Tests that passed: where their calls begin and end.
pub fn passed(plain: &PlainTree) -> Vec<(CallId, u32)> {
    let past = plain.past();
    let mut passed: Vec<(CallId, u32)> = Vec::new();
    for (group, ..) in past.methods() {
        let Some(method) = past.ranked(group, 0).and_then(|call| past.method_of(call)) else { continue };
        let Some(testing) = testing(past.program(), method) else { continue };
        for call in past.ranked_from(group, 0).take(MAX_TESTS) {
            let Some(row) = past.call_row(call) else { continue };
            let over = row.ending != Ending::Open;
            if over && failure(past, &testing, call, row.ending).is_none() {
                passed.push((call, row.size));
            }
        }
    }
    passed.sort_unstable();
    passed
}

/// The test that a call lies in.
fn holder(tests: &[(CallId, u32)], call: CallId) -> Option<CallId> {
    let at = tests.partition_point(|&(test, _)| test <= call).checked_sub(1)?;
    let (test, size) = tests[at];
    (test.stream == call.stream && call.index - test.index < size).then_some(test)
}
