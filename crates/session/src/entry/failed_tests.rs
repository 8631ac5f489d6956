//! Tests that failed: calls of methods that a framework calls, that ended by an exception, or without the one that was
//! expected. Which methods these are is told by annotations and names; which calls failed, by the rows of the index.

use std::collections::{HashMap, HashSet};

use base::{CallId, ClassId, Ending, MethodId, StreamId, Target, Time, Value};
use past::Past;
use render::Heap;

use super::annotations::{has_tests, is_named_as_test, testing_in};
use super::failure::{Failed, failure_of};
use super::{Framework, MAX_ROOTS, Symptom, SymptomKind, SymptomReason, Testing, outermost, testing};

/// Calls of one test method that are looked at, at most.
const MAX_CALLS: u64 = 100_000;
/// Failed tests that are looked into; of others only the message is known.
const MAX_DETAILED: usize = 2_000;

pub struct FailedTests {
    pub failed: Vec<Symptom>,
    /// Threads in which a framework called tests: it catches everything.
    pub streams: HashSet<StreamId>,
}

/// Calls of test methods that failed.
pub fn failed_tests(past: &Past) -> FailedTests {
    let (mut failed, mut streams) = (Vec::new(), HashSet::new());
    let mut factories = false;
    let mut classes: HashMap<ClassId, bool> = HashMap::new();
    for (group, ..) in past.methods() {
        let Some(first) = past.ranked(group, 0) else { continue };
        let Some(method) = past.method_of(first) else { continue };
        let Some((class, _)) = past.program().method(method) else { continue };
        let has_tests = *classes.entry(class.id).or_insert_with(|| has_tests(class));
        let testing =
            testing_in(past.program(), method, has_tests).or_else(|| inherited(past, first, method));
        let Some(testing) = testing else { continue };
        factories |= testing.is_factory;
        for call in past.ranked_from(group, 0).take(MAX_CALLS as usize) {
            let Some(row) = past.call_row(call) else { continue };
            streams.insert(call.stream);
            // Code that a dynamic test runs within itself is no test.
            if testing.is_dynamic && outermost(past, call) != Some(call) {
                continue;
            }
            let detailed = failed.len() < MAX_DETAILED;
            if let Some(failure) = failure_of(past, &testing, call, row.ending, detailed) {
                failed.push(symptom(past, call, testing.framework, failure));
            }
        }
    }
    if factories {
        let known: HashSet<CallId> = failed.iter().map(|symptom| symptom.call).collect();
        let tested = |stream: &StreamId| streams.iter().any(|one| past.are_of_one_thread(*one, *stream));
        let of_threads: HashSet<StreamId> = past.streams().into_iter().filter(tested).collect();
        failed.extend(handed_over(past, &of_threads).into_iter().filter(|one| !known.contains(&one.call)));
    }
    FailedTests { failed, streams }
}

fn symptom(past: &Past, call: CallId, framework: Framework, failure: Failed) -> Symptom {
    let why = SymptomReason::FailedTest { framework, test: test_name(past, call), message: failure.message };
    Symptom { why, call, ..failure.shown }
}

/// `BasketTest.tenAreCheaper`, and what it was given if it takes something.
fn test_name(past: &Past, call: CallId) -> String {
    let Some(info) = past.call(call) else { return past.call_name(call) };
    let method = match info.method.split_once(".lambda$") {
        // Of a dynamic test the factory, and what the test took with it.
        Some((class, lambda)) => {
            format!("{class}.{}", lambda.rsplit_once('$').map_or(lambda, |(name, _)| name))
        }
        None => info.method,
    };
    if info.args.is_empty() {
        return method;
    }
    let given = info.args.iter().map(|arg| past.text(arg.value, &arg.descriptor, info.entry));
    format!("{method}({})", given.collect::<Vec<_>>().join(", "))
}

/// Tests that a factory gave as references to methods: nothing tells these from other methods but that the framework
/// called them and that they failed by an assertion.
fn handed_over(past: &Past, streams: &HashSet<StreamId>) -> Vec<Symptom> {
    let mut found = Vec::new();
    let mut tests: HashMap<MethodId, bool> = HashMap::new();
    for &stream in streams {
        for call in past.roots(stream, 0, MAX_ROOTS) {
            let Some(row) = past.call_row(call) else { continue };
            let (Target::Method(method), Ending::Threw(Some(Value::Object(exception)))) =
                (row.target, row.ending)
            else {
                continue;
            };
            let is_test = *tests.entry(method).or_insert_with(|| testing(past.program(), method).is_some());
            let classes = past.heap_at(Time(0)).supertypes(exception);
            if is_test || !classes.iter().any(|class| class == jdk::names::ASSERTION_ERROR) {
                continue;
            }
            let testing = Testing { framework: Framework::JUnit5, ..Testing::junit3() };
            if let Some(failure) = failure_of(past, &testing, call, row.ending, true) {
                found.push(symptom(past, call, testing.framework, failure));
            }
        }
    }
    found
}

/// A test of JUnit 3 whose class is one by a superclass that is not the program's: its objects say so.
pub fn inherited(past: &Past, call: CallId, method: MethodId) -> Option<Testing> {
    let (_, model) = past.program().method(method)?;
    let Some(Value::Object(object)) = past.arguments(call).filter(|_| is_named_as_test(model))?.receiver
    else {
        return None;
    };
    let supertypes = past.heap_at(Time(0)).supertypes(object);
    supertypes.iter().any(|class| class == jdk::testing::JUNIT3_TEST_CASE).then(Testing::junit3)
}

/// What shows of a test of which only the message is known.
pub fn unknown_shown(call: CallId) -> Symptom {
    Symptom { kind: SymptomKind::Exception, ..Symptom::of(call, SymptomReason::Main) }
}
