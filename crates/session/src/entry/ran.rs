//! How many tests ran, by what the log says of calls of test methods: without an index, so that a suite of thousands is counted as
//! soon as it is over.

use std::collections::{HashMap, HashSet};

use base::{CallId, MethodId};
use past::{Glance, Past};

use super::Testing;
use super::annotations::{carries, has_tests, testing, testing_in};
use super::suspected;

/// Calls of test methods that a framework made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCount {
    pub ran: u64,
    /// Of those, the ones that gave up by an assumption: they neither passed nor failed.
    pub skipped: u64,
}

pub fn count_tests(glance: &Glance) -> TestCount {
    let tests = test_methods(glance);
    if tests.is_empty() {
        return TestCount::default();
    }
    let ran = glance.entered(&tests.keys().copied().collect::<HashSet<_>>()).values().sum();
    let gave_up = |exception| {
        jdk::testing::NO_FAILURE.iter().any(|class| glance.program().is_subtype(exception, class))
    };
    let failed = glance.outline().failed().iter();
    let skipped = failed
        .filter(|call| {
            call.method.is_some_and(|method| tests.contains_key(&method)) && gave_up(call.exception)
        })
        .count() as u64;
    TestCount { ran, skipped: skipped.min(ran) }
}

/// Tests that failed, by their names, as far as tables say it: how `inquest record` knows them when the run is over.
pub fn failed_at_a_glance(glance: &Glance) -> Vec<String> {
    let tests = test_methods(glance);
    let is = |exception, class: &str| glance.program().is_subtype(exception, class);
    let mut names: Vec<String> = Vec::new();
    for call in glance.outline().failed() {
        let Some((method, testing)) = call.method.and_then(|method| tests.get_key_value(&method)) else {
            continue;
        };
        let expected = testing.expects_by_rule
            || testing.expected.iter().any(|class| is(call.exception, class))
            || jdk::testing::NO_FAILURE.iter().any(|class| is(call.exception, class));
        if let Some((class, method)) = glance.program().method(*method).filter(|_| !expected) {
            let name = format!("{}.{}", base::simple_name(&class.name), method.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Can something have failed? Not if nothing that was called from outside ended by an exception, and no test waits for one. What
/// never ended is another matter.
pub fn may_have_failed(glance: &Glance) -> bool {
    let waits = |testing: &Testing| testing.expects_by_rule || !testing.expected.is_empty();
    !suspected(glance).is_empty() || test_methods(glance).values().any(waits)
}

/// Is it a call of a test?
pub fn is_test(past: &Past, call: CallId) -> bool {
    past.method_of(call)
        .and_then(|method| testing(past.program(), method))
        .is_some_and(|testing| testing.is_test)
}

/// Is it a call of what prepares tests, which do not run if it fails?
pub fn prepares_tests(past: &Past, call: CallId) -> bool {
    let begins = [jdk::testing::JUNIT4_ANNOTATIONS, jdk::testing::TESTNG_ANNOTATIONS];
    let prepares = |annotation: &str| base::simple_name(annotation).starts_with("Before");
    let method = past.method_of(call).and_then(|method| past.program().method(method));
    method.is_some_and(|(class, method)| carries(class, method, &begins, prepares))
}

/// The methods of tests; those of factories give tests and are none.
fn test_methods(glance: &Glance) -> HashMap<MethodId, Testing> {
    let program = glance.program();
    let mut tests = HashMap::new();
    for class in program.classes() {
        let annotated = has_tests(class);
        let count = program.model(class).map_or(0, |model| model.methods.len() as u32);
        for method in (0..count).map(|number| MethodId(class.first_method.0 + number)) {
            let testing = testing_in(program, method, annotated);
            if let Some(testing) = testing.filter(|one| one.is_test && !one.is_factory) {
                tests.insert(method, testing);
            }
        }
    }
    tests
}
