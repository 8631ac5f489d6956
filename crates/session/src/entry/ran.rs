//! How many tests ran, by what the log says of calls of test methods: without an index, so that a suite of thousands is counted as
//! soon as it is over.

use std::collections::{HashMap, HashSet};

use base::{CallId, ClassId, MethodId};
use past::{Glance, Method, Past};

use super::Testing;
use super::annotations::{carries, has_tests, testing, testing_in};
use super::suspected;

/// Calls of test methods that a framework made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCount {
    pub ran: u64,
    /// Of those, the ones that gave up by an assumption: they neither passed nor failed.
    pub skipped: u64,
    /// Can something have failed? Not if every outermost call that ended by an exception should have, and every test that should
    /// have did. What never ended is another matter.
    pub may_have_failed: bool,
}

pub fn count_tests(glance: &Glance) -> TestCount {
    let tests = test_methods(glance);
    let mains = mains(glance);
    let wanted: HashSet<MethodId> = tests.keys().chain(&mains).copied().collect();
    let entered = if wanted.is_empty() { HashMap::new() } else { glance.entered(&wanted) };
    let (mut skipped, mut as_expected) = (0, HashMap::<MethodId, u64>::new());
    for call in glance.outline().failed() {
        let is = |class: &str| glance.program().is_subtype(call.exception, class);
        let Some((&method, testing)) = call.method.and_then(|method| tests.get_key_value(&method)) else {
            continue;
        };
        let gave_up = jdk::testing::NO_FAILURE.iter().any(|class| is(class));
        skipped += u64::from(gave_up);
        if gave_up || testing.expected.iter().any(|class| is(class)) {
            *as_expected.entry(method).or_default() += 1;
        }
    }
    let calls = |method: &MethodId| entered.get(method).copied().unwrap_or(0);
    let ran: u64 = tests.keys().map(calls).sum();
    let lacks = |(method, testing): (&MethodId, &Testing)| {
        let waits = !testing.expected.is_empty();
        calls(method) > 0 && testing.expects_by_rule
            || waits && calls(method) > as_expected.get(method).copied().unwrap_or(0)
    };
    // Of tests that the program's own code lets run, tables say nothing.
    let by_main = mains.iter().any(|main| calls(main) > 0);
    let may_have_failed = by_main || !suspected(glance).is_empty() || tests.iter().any(lacks);
    TestCount { ran, skipped: skipped.min(ran), may_have_failed }
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

/// Where the program begins, if it does not begin with a library.
fn mains(glance: &Glance) -> Vec<MethodId> {
    let methods = methods(glance);
    methods.filter(|(_, method)| method.name == "main" && method.is_static()).map(|(id, _)| id).collect()
}

fn methods(glance: &Glance) -> impl Iterator<Item = (MethodId, &Method)> {
    let program = glance.program();
    program.classes().iter().flat_map(|class| {
        let own = program.model(class).map_or(&[][..], |model| &model.methods);
        (class.first_method.0..).map(MethodId).zip(own)
    })
}

/// The methods of tests; those of factories give tests and are none.
fn test_methods(glance: &Glance) -> HashMap<MethodId, Testing> {
    let program = glance.program();
    let mut annotated: HashMap<ClassId, bool> = HashMap::new();
    let testing = |(id, _): (MethodId, &Method)| {
        let (class, _) = program.method(id)?;
        let annotated = *annotated.entry(class.id).or_insert_with(|| has_tests(class));
        let testing = testing_in(program, id, annotated)?;
        (testing.is_test && !testing.is_factory).then_some((id, testing))
    };
    methods(glance).filter_map(testing).collect()
}
