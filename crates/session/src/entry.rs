//! Where a session begins: a wrong value at a moment, and the call that shows it. A failed assertion says it best, then an
//! exception that nobody caught, then a call that never ended; without any it is `main`, and without that the whole run:
//! nothing says which of its calls would be wrong.

mod annotations;
mod assertion;
mod failed_tests;
mod failure;
mod fault;
mod never_ended;
mod output;
mod ran;
mod requests;
mod slice;
mod suspected;
mod text;
mod uncaught;
mod way;

use std::collections::HashSet;

use analysis::slice::Criterion;
use base::{CallId, Ending, Target, Time, Value};
use past::{Past, SourceLine};

pub(crate) use annotations::{Testing, testing};
pub(crate) use failure::failure;
pub use fault::{Fault, FaultKind};
pub use never_ended::Standstill;
pub use ran::{TestCount, count_tests, failed_at_a_glance, is_test, prepares_tests};
pub use requests::{Request, requests};
pub use slice::{SymptomSlice, symptom_slice};
pub use suspected::suspected;
pub(crate) use text::text_writer;
pub use text::{Parting, WrongText};
pub(crate) use way::Way;

use crate::error::{Error, Result};
use crate::oracle::{CodeKind, code_kind};

/// Something that went wrong in the run, where it shows, and the call that a session is about because of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Symptom {
    /// The first call of the program, where it is the whole run.
    pub call: CallId,
    pub kind: SymptomKind,
    pub why: SymptomReason,
    /// When and where it showed.
    pub time: Option<Time>,
    pub place: Option<SourceLine>,
    /// What should have been and what was, as texts of values of the run.
    pub expected: Option<String>,
    pub actual: Option<String>,
    /// Where these part, if they are long texts.
    pub parting: Option<Parting>,
    /// What could not be dereferenced, was out of range, and so on.
    pub fault: Option<Fault>,
    pub wrong: Option<WrongValue>,
}

/// A value of the run that is not as it should be, at the moment at which that shows.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongValue {
    /// What of which event it is: what to explain.
    pub criterion: Criterion,
    /// Where it is known.
    pub value: Option<Value>,
    pub descriptor: String,
    /// Where it goes wrong, if it is a text and that is known.
    pub text: Option<WrongText>,
    /// What the code calls it: `order.customer`.
    pub expression: Option<String>,
    /// The call of program code in which it shows.
    pub call: CallId,
    pub time: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymptomKind {
    Assertion,
    Null,
    Index,
    Exception,
    /// An exception should have come, and did not.
    ExpectedException,
    Request,
    NeverEnded,
    Output,
    /// Nothing shows; the person named it, or there is nothing better.
    Call,
}

impl SymptomKind {
    pub const ALL: [(SymptomKind, &str); 9] = [
        (SymptomKind::Assertion, "assertion"),
        (SymptomKind::Null, "null"),
        (SymptomKind::Index, "index"),
        (SymptomKind::Exception, "exception"),
        (SymptomKind::ExpectedException, "expected-exception"),
        (SymptomKind::Request, "request"),
        (SymptomKind::NeverEnded, "never-ended"),
        (SymptomKind::Output, "output"),
        (SymptomKind::Call, "call"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("call", |(_, name)| name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymptomReason {
    /// The person named it.
    Named,
    /// The person named it when the session began.
    NamedBefore,
    FailedTest {
        framework: Framework,
        /// `BasketTest.tenAreCheaper`, with what it was given if it takes something.
        test: String,
        /// What it failed with.
        message: String,
    },
    /// It ended by this exception, and nothing of the program is around it.
    Uncaught {
        exception: String,
    },
    /// It was not over when the run was.
    NeverEnded {
        stands: Standstill,
    },
    /// It printed this line, which the person named.
    Output {
        line: String,
    },
    /// It answered a request: which one by number, and what is known of it. `failed`: how it shows that it went wrong;
    /// none if the person named it.
    Request {
        number: usize,
        text: String,
        failed: Option<String>,
    },
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
            | SymptomReason::Output { .. }
            | SymptomReason::Request { .. }
            | SymptomReason::Uncaught { .. } => true,
            SymptomReason::NeverEnded { .. } | SymptomReason::Main | SymptomReason::WholeRun => false,
        }
    }

    pub fn test(&self) -> Option<&str> {
        match self {
            SymptomReason::FailedTest { test, .. } => Some(test),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    JUnit3,
    JUnit4,
    JUnit5,
    TestNG,
}

/// Which symptom to begin with, if a person says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// By its number in the list, from 1 on.
    Number(usize),
    /// The first line of output with this text in it.
    Output(String),
    /// By its number among the requests, from 1 on.
    Request(usize),
}

/// Outermost calls of a thread that are looked at, at most.
const MAX_ROOTS: usize = 1_000_000;

impl Symptom {
    /// One that nothing more is known of than its call.
    pub(crate) fn of(call: CallId, why: SymptomReason) -> Symptom {
        Symptom {
            call,
            kind: SymptomKind::Call,
            why,
            time: None,
            place: None,
            expected: None,
            actual: None,
            parting: None,
            fault: None,
            wrong: None,
        }
    }

    /// How much it says of what is wrong: the less the more.
    pub fn rank(&self) -> u8 {
        match (&self.why, self.kind) {
            (SymptomReason::NeverEnded { .. }, _) => 6,
            (SymptomReason::FailedTest { .. }, SymptomKind::Assertion) if self.wrong.is_some() => 0,
            (
                SymptomReason::FailedTest { .. },
                SymptomKind::Null | SymptomKind::Index | SymptomKind::Exception,
            ) => 1,
            (SymptomReason::FailedTest { .. }, _) => 2,
            (SymptomReason::Uncaught { .. }, _) => 3,
            _ => 4,
        }
    }

    /// Is it the same as one of another run of the program, perhaps of another version?
    pub fn is_like(&self, past: &Past, other: &Symptom, its: &Past) -> bool {
        let method = |past: &Past, call: CallId| past.call_row(call).map(|row| past.method_name(row.target));
        match (&self.why, &other.why) {
            (SymptomReason::FailedTest { test, .. }, SymptomReason::FailedTest { test: also, .. }) => {
                test == also
            }
            (SymptomReason::Uncaught { exception }, SymptomReason::Uncaught { exception: also }) => {
                let class = |text: &str| text.split(':').next().unwrap_or(text).to_owned();
                class(exception) == class(also) && method(past, self.call) == method(its, other.call)
            }
            (SymptomReason::NeverEnded { .. }, SymptomReason::NeverEnded { .. }) => {
                method(past, self.call) == method(its, other.call)
            }
            (
                SymptomReason::Request { failed: Some(_), text, .. },
                SymptomReason::Request { failed: Some(_), text: also, .. },
            ) => text == also,
            _ => false,
        }
    }
}

/// All symptoms of a run, the most telling first. The recording may still grow: what has not ended has not failed.
pub fn symptoms(past: &Past) -> Vec<Symptom> {
    let tests = failed_tests::failed_tests(past);
    let mut found = tests.failed;
    let known: HashSet<CallId> = found.iter().map(|symptom| symptom.call).collect();
    if crate::build_tool::build_tool(past).is_none() {
        let failed = requests::failed(past);
        let answering: HashSet<CallId> = failed.iter().map(|symptom| symptom.call).collect();
        found.extend(failed.into_iter().filter(|symptom| !known.contains(&symptom.call)));
        let others = uncaught::uncaught(past, &tests.streams);
        found.extend(
            others.into_iter().filter(|one| !known.contains(&one.call) && !answering.contains(&one.call)),
        );
        found.extend(never_ended::never_ended(past, &known));
    }
    found.sort_by_key(|symptom| (symptom.rank(), symptom.time));
    found
}

/// The symptom to begin with: `root` if it is named. None for a recording without calls.
pub fn symptom(past: &Past, root: Option<&str>) -> past::Result<Option<Symptom>> {
    if let Some(name) = root {
        let call = past.find_call(name)?;
        return Ok(Some(Symptom::of(call, SymptomReason::Named)));
    }
    Ok(symptoms(past).into_iter().next().or_else(|| nothing_shows(past)))
}

/// The symptom that a person named otherwise than by its call.
pub(crate) fn named(past: &Past, named: &Named) -> Result<Symptom> {
    match named {
        Named::Number(number) => {
            let all = symptoms(past);
            let count = all.len();
            let found = number.checked_sub(1).and_then(|at| all.into_iter().nth(at));
            found.ok_or(Error::NoSymptom { number: *number, count })
        }
        Named::Output(text) => {
            output::printed(past, text).ok_or_else(|| Error::NoOutput { text: text.clone() })
        }
        Named::Request(number) => {
            let all = requests(past);
            let count = all.len();
            let found = number.checked_sub(1).and_then(|at| all.into_iter().nth(at));
            let found = found.ok_or(Error::NoRequest { number: *number, count })?;
            Ok(found.symptom(past))
        }
    }
}

/// The lines of output with a text in them as symptoms, in order of time.
pub fn printed_symptoms(past: &Past, text: &str, limit: usize) -> (Vec<Symptom>, bool) {
    output::all_printed(past, text, limit)
}

/// Where to begin if nothing shows: `main`, or the first call of the program for the whole run.
pub(crate) fn nothing_shows(past: &Past) -> Option<Symptom> {
    let main = main(past).map(|call| Symptom::of(call, SymptomReason::Main));
    main.or_else(|| first(past).map(|call| Symptom::of(call, SymptomReason::WholeRun)))
}

/// Was the program ended from outside? Who calls `System.exit` ends it with open calls too.
fn was_cut_off(past: &Past) -> bool {
    let by_signal = |exit: i32| !(0..=128).contains(&exit);
    !past.is_live() && past.manifest().exit.is_none_or(by_signal)
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

/// The calls that a call made itself, the last first.
fn children_backwards(past: &Past, call: CallId) -> impl Iterator<Item = CallId> + '_ {
    let size = past.call_row(call).map_or(0, |row| row.size.max(1));
    calls_before(past, call, call.index.saturating_add(size))
}

/// The call that began last in a call, and all around it up to that call itself, the innermost first.
fn path_to_last(past: &Past, call: CallId) -> Vec<CallId> {
    let size = past.call_row(call).map_or(1, |row| row.size.max(1));
    let mut path = vec![CallId { index: call.index.saturating_add(size - 1), ..call }];
    while let Some(&at) = path.last().filter(|&&at| at != call) {
        match past.parent(at) {
            Some(around) => path.push(around),
            None => break,
        }
    }
    path
}

/// The calls that a call made itself before the one of this index, the last first.
fn calls_before(past: &Past, parent: CallId, before: u32) -> impl Iterator<Item = CallId> + '_ {
    let mut before = before;
    std::iter::from_fn(move || {
        // What began last before a call lies in its sibling before.
        let mut at = CallId { index: before.checked_sub(1).filter(|&at| at > parent.index)?, ..parent };
        while past.parent(at)? != parent {
            at = past.parent(at)?;
        }
        before = at.index;
        Some(at)
    })
}

/// The call of program code at or around a call that nothing of the program is around.
fn outermost(past: &Past, call: CallId) -> Option<CallId> {
    let mut at = past.program_call(call)?;
    while let Some(around) = past.parent(at).and_then(|parent| past.program_call(parent)) {
        at = around;
    }
    Some(at)
}

/// When a call ended, where it did.
fn ended(past: &Past, call: CallId) -> Option<Time> {
    let row = past.call_row(call)?;
    (row.ending != Ending::Open)
        .then(|| past.time(past::Position { stream: call.stream, ordinal: row.exit }))?
}
