//! Where a session begins: the call that shows the symptom. A test that failed says it best, then one that never ended, then an
//! exception that nobody caught; without any it is `main`, and without that the whole run: nothing says which of its calls
//! would be wrong.

mod annotations;
mod assertion;

use base::{CallId, Ending, MethodId, ObjectId, Target, Time, Value};
use past::{Past, Result};
use render::Heap;

use annotations::is_named_as_test;
pub(crate) use annotations::{Testing, testing};

use crate::oracle::{CodeKind, code_kind};

/// The call that a session is about, and why it.
#[derive(Clone, Debug, PartialEq)]
pub struct Symptom {
    /// The first call of the program, where it is the whole run.
    pub call: CallId,
    pub why: SymptomReason,
    /// Other calls that show one, in order of time.
    pub others: Vec<(CallId, SymptomReason)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymptomReason {
    /// The person named it.
    Named,
    /// The person named it when the session began.
    NamedBefore,
    FailedTest {
        framework: Framework,
        /// `BasketTest.tenAreCheaper`
        test: String,
        /// What it failed with.
        message: String,
    },
    /// It ended by this exception, and nothing of the program is around it.
    Uncaught {
        exception: String,
    },
    /// It was not over when the run was.
    NeverEnded,
    Main,
    /// Nothing failed, and `main` is not the program's: all that was recorded.
    WholeRun,
}

impl SymptomReason {
    /// Does it say by itself that something is wrong, without anybody's word?
    pub(crate) fn is_proof(&self) -> bool {
        match self {
            SymptomReason::Named
            | SymptomReason::NamedBefore
            | SymptomReason::FailedTest { .. }
            | SymptomReason::Uncaught { .. } => true,
            SymptomReason::NeverEnded | SymptomReason::Main | SymptomReason::WholeRun => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    JUnit3,
    JUnit4,
    JUnit5,
}

/// Calls of one test method that are looked at, at most.
const MAX_CALLS: u64 = 100_000;
/// Outermost calls of a thread that are looked at, at most.
const MAX_ROOTS: usize = 100_000;

/// The call to begin with: `root` if it is named. The recording may still grow: what has not ended has not failed.
/// None for a recording without calls.
pub fn symptom(past: &Past, root: Option<&str>) -> Result<Option<Symptom>> {
    if let Some(name) = root {
        let call = past.find_call(name)?;
        return Ok(Some(Symptom { call, why: SymptomReason::Named, others: Vec::new() }));
    }
    let mut found = failed_tests(past);
    found.extend(uncaught(past, &found));
    let mut found = found.into_iter();
    if let Some((call, why)) = found.next() {
        return Ok(Some(Symptom { call, why, others: found.collect() }));
    }
    let only = |call, why| Symptom { call, why, others: Vec::new() };
    let main = main(past).map(|call| {
        let hangs = past.call_row(call).is_some_and(|row| row.ending == Ending::Open) && was_cut_off(past);
        only(call, if hangs { SymptomReason::NeverEnded } else { SymptomReason::Main })
    });
    Ok(main.or_else(|| first(past).map(|call| only(call, SymptomReason::WholeRun))))
}

/// Was the program ended from outside? Who calls `System.exit` ends it with open calls too.
fn was_cut_off(past: &Past) -> bool {
    let by_signal = |exit: i32| !(0..=128).contains(&exit);
    !past.is_live() && past.manifest().exit.is_none_or(by_signal)
}

/// Calls of test methods that failed, in order of time, then those that never ended.
fn failed_tests(past: &Past) -> Vec<(CallId, SymptomReason)> {
    let mut failed: Vec<(Time, CallId, SymptomReason)> = Vec::new();
    for (group, ..) in past.methods() {
        let Some(first) = past.ranked(group, 0) else { continue };
        let Some(method) = past.method_of(first) else { continue };
        let Some(testing) = testing(past.program(), method).or_else(|| inherited(past, first, method)) else {
            continue;
        };
        for call in (0..past.call_count(group).min(MAX_CALLS)).filter_map(|rank| past.ranked(group, rank)) {
            let Some(row) = past.call_row(call) else { continue };
            let Some(info) = past.call(call) else { continue };
            let why = match failure(past, &testing, call, row.ending) {
                Some(message) => {
                    SymptomReason::FailedTest { framework: testing.framework, test: info.method, message }
                }
                None if row.ending == Ending::Open && !past.is_live() => SymptomReason::NeverEnded,
                None => continue,
            };
            failed.push((info.entry, call, why));
        }
    }
    // A failure says more than that something did not end.
    failed.sort_by_key(|(time, _, why)| (*why == SymptomReason::NeverEnded, *time));
    failed.into_iter().map(|(_, call, why)| (call, why)).collect()
}

/// A test of JUnit 3 whose class is one by a superclass that is not the program's: its objects say so.
fn inherited(past: &Past, call: CallId, method: MethodId) -> Option<Testing> {
    let (_, model) = past.program().method(method)?;
    let Some(Value::Object(object)) = past.arguments(call).filter(|_| is_named_as_test(model))?.receiver
    else {
        return None;
    };
    let supertypes = past.heap_at(Time(0)).supertypes(object);
    supertypes.iter().any(|class| class == jdk::testing::JUNIT3_TEST_CASE).then(Testing::junit3)
}

/// What a test failed with, if it did.
pub(crate) fn failure(past: &Past, testing: &Testing, call: CallId, ending: Ending) -> Option<String> {
    match ending {
        Ending::Threw(Some(Value::Object(exception))) => {
            let classes = past.heap_at(Time(0)).supertypes(exception);
            let is = |class: &str| classes.iter().any(|own| own == class);
            let expected = testing.expected.as_deref().is_some_and(is)
                || testing.expects_by_rule && !is(jdk::names::ASSERTION_ERROR);
            (!expected && !jdk::testing::NO_FAILURE.iter().any(|class| is(class)))
                .then(|| failure_text(past, call, exception))
        }
        Ending::Threw(_) => Some("an exception that is not known".to_owned()),
        Ending::Returned(_) => {
            let expected = testing.expected.as_deref()?;
            Some(format!("expected {} to be thrown", base::simple_name(expected)))
        }
        Ending::Open => None,
    }
}

/// What a test failed with. Messages that are made only when they are asked for are not in the exception: then it is
/// what was compared.
fn failure_text(past: &Past, call: CallId, exception: ObjectId) -> String {
    let text = exception_text(past, exception);
    match past.heap_at(Time(0)).message(exception) {
        Some(message) if !message.text.is_empty() => text,
        _ => match assertion::compared(past, call, exception) {
            Some(compared) => format!("{}: {compared}", text.trim_end_matches([':', ' '])),
            None => text,
        },
    }
}

fn exception_text(past: &Past, exception: ObjectId) -> String {
    let class = past.class_of(exception).map_or_else(|| "?".to_owned(), base::simple_name);
    match past.heap_at(Time(0)).message(exception) {
        Some(message) => format!("{class}: {}", message.text),
        None => class,
    }
}

/// Outermost calls after which their thread did nothing more, and which ended by an exception; in order of time.
fn uncaught(past: &Past, known: &[(CallId, SymptomReason)]) -> Vec<(CallId, SymptomReason)> {
    // Tests are called by their framework, which catches everything.
    if !known.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(Time, CallId, SymptomReason)> = Vec::new();
    for stream in past.streams() {
        let Some(last) = past.roots(stream, 0, MAX_ROOTS).pop() else { continue };
        let Some(info) = past.call(last) else { continue };
        let exception = match info.ending {
            Ending::Threw(Some(Value::Object(exception))) => exception_text(past, exception),
            Ending::Threw(_) => "an exception that is not known".to_owned(),
            _ => continue,
        };
        // A test that failed as it should is no symptom.
        let is_test =
            |method| testing(past.program(), method).or_else(|| inherited(past, last, method)).is_some();
        if past.method_of(last).is_some_and(is_test) {
            continue;
        }
        found.push((info.exit, last, SymptomReason::Uncaught { exception }));
    }
    found.sort_by_key(|&(time, ..)| time);
    found.into_iter().map(|(_, call, why)| (call, why)).collect()
}

/// The first outermost call of a `main`.
fn main(past: &Past) -> Option<CallId> {
    let methods = past.methods().filter(|&(_, _, name, descriptor, _)| {
        name == "main" && matches!(descriptor, "([Ljava/lang/String;)V" | "()V")
    });
    let outermost = |call: &CallId| {
        past.call_row(*call)
            .is_some_and(|row| row.parent.is_none() && matches!(row.target, Target::Method(_)))
    };
    let calls = methods.filter_map(|(group, ..)| past.ranked(group, 0)).filter(outermost);
    calls.min_by_key(|&call| past.call(call).map(|info| info.entry))
}

/// The first outermost call of the person's own code, in the first thread that has one; failing that, of any.
fn first(past: &Past) -> Option<CallId> {
    let roots = || past.streams().into_iter().flat_map(|stream| past.roots(stream, 0, MAX_ROOTS));
    let own = |call: &CallId| {
        past.call_row(*call).is_some_and(|row| code_kind(past, row.target) == CodeKind::Program)
    };
    roots().find(own).or_else(|| roots().next())
}
