//! What the tests say that passed, in the same recording and in other JVMs of the run: code that they ran too is less likely wrong
//! (Ochiai's measure with the one test that failed).

use std::collections::{HashMap, HashSet};

use base::MethodId;
use tree::{CodeGroup, Node};

use crate::entry::testing;
use crate::plain::PlainTree;
use crate::testimony::{in_tests, passed};

/// By method: what its probability is multiplied by. Nothing where no test passed. `elsewhere`: how many tests that passed in other
/// JVMs ran a method. `by_branch`: what the tests of this recording ran is known by branches, and taken from there.
pub fn spectrum(
    plain: &PlainTree,
    methods: &[(CodeGroup, MethodId)],
    elsewhere: &HashMap<MethodId, u32>,
    by_branch: bool,
) -> HashMap<CodeGroup, f64> {
    let past = plain.past();
    let Some(root) = plain.call(Node(0)) else { return HashMap::new() };
    if past.method_of(root).is_none_or(|method| testing(past.program(), method).is_none()) {
        return HashMap::new();
    }
    let passed = if by_branch { Vec::new() } else { passed(past, |_| true) };
    if passed.is_empty() && elsewhere.is_empty() {
        return HashMap::new();
    }
    let known: HashSet<CodeGroup> = methods.iter().map(|&(group, _)| group).collect();
    let mut tests: HashMap<CodeGroup, usize> = HashMap::new();
    for (group, ..) in past.methods() {
        let code = CodeGroup(group.number());
        if known.contains(&code) {
            tests.insert(code, in_tests(past, &passed, group));
        }
    }
    for (code, method) in methods {
        *tests.entry(*code).or_default() += elsewhere.get(method).map_or(0, |&tests| tests as usize);
    }
    tests.into_iter().map(|(code, tests)| (code, left_by(tests))).collect()
}

/// What is left of the suspicion against code that so many tests ran which passed.
pub fn left_by(tests: usize) -> f64 {
    1.0 / (1.0 + tests as f64).sqrt()
}
