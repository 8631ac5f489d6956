//! The tests of a recording that passed, and which of its methods they ran.

use std::collections::HashSet;

use base::{CallId, Ending, Time, Value};
use past::{MethodGroup, Past};
use render::Heap;

use crate::entry::{Testing, failure, testing};

/// Calls of a method that are looked at for the tests that they lie in.
const LOOKED_AT: u64 = 256;
/// Tests that are looked at, of one method.
const MAX_TESTS: usize = 2_000;

/// Where the calls of tests that passed begin, ascending, and how many calls each has.
pub fn passed(past: &Past, counts: impl Fn(&Testing) -> bool) -> Vec<(CallId, u32)> {
    let mut passed: Vec<(CallId, u32)> = Vec::new();
    for (group, ..) in past.methods() {
        let Some(method) = past.ranked(group, 0).and_then(|call| past.method_of(call)) else { continue };
        let Some(testing) = testing(past.program(), method).filter(&counts) else { continue };
        for call in past.ranked_from(group, 0).take(MAX_TESTS) {
            let Some(row) = past.call_row(call) else { continue };
            let over = row.ending != Ending::Open && !gave_up(past, row.ending);
            if over && failure(past, &testing, call, row.ending).is_none() {
                passed.push((call, row.size));
            }
        }
    }
    passed.sort_unstable();
    passed
}

/// By an assumption: such a test neither passed nor failed.
fn gave_up(past: &Past, ending: Ending) -> bool {
    let Ending::Threw(Some(Value::Object(exception))) = ending else { return false };
    let classes = past.heap_at(Time(0)).supertypes(exception);
    jdk::testing::NO_FAILURE.iter().any(|class| classes.iter().any(|own| own == class))
}

/// How many of these tests ran a method, by some of its calls.
pub fn in_tests(past: &Past, passed: &[(CallId, u32)], group: MethodGroup) -> usize {
    let count = past.call_count(group);
    let step = count.div_ceil(LOOKED_AT).max(1);
    let calls = (0..count).step_by(step as usize).filter_map(|at| past.ranked(group, at));
    calls.filter_map(|call| holder(passed, call)).collect::<HashSet<CallId>>().len()
}

/// The test that a call lies in.
fn holder(tests: &[(CallId, u32)], call: CallId) -> Option<CallId> {
    let at = tests.partition_point(|&(test, _)| test <= call).checked_sub(1)?;
    let (test, size) = tests[at];
    (test.stream == call.stream && call.index - test.index < size).then_some(test)
}
