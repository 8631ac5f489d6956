//! Exceptions that nobody of the program caught: outermost calls after which their thread did nothing more, and which
//! ended by an exception.

use std::collections::HashSet;

use base::{Ending, StreamId, Value};
use past::Past;

use super::failed_tests::inherited;
use super::failure::{exception_text, shown};
use super::{MAX_ROOTS, Symptom, SymptomKind, SymptomReason, ended, testing};

/// Of all threads but those in which a framework called tests.
pub fn uncaught(past: &Past, tested: &HashSet<StreamId>) -> Vec<Symptom> {
    let mut found = Vec::new();
    let tested: HashSet<ThreadKey> = tested.iter().map(|&stream| key(past, stream)).collect();
    for stream in past.last_streams() {
        if tested.contains(&key(past, stream)) {
            continue;
        }
        let Some(last) = past.roots(stream, 0, MAX_ROOTS).pop() else { continue };
        let Some(row) = past.call_row(last) else { continue };
        let (exception, shown) = match row.ending {
            Ending::Threw(Some(Value::Object(exception))) => {
                let shown = shown(past, last, exception);
                (exception_text(past, exception, &shown), shown)
            }
            Ending::Threw(_) => {
                let shown = Symptom::of(last, SymptomReason::Main);
                let shown = Symptom { kind: SymptomKind::Exception, time: ended(past, last), ..shown };
                ("an exception that is not known".to_owned(), shown)
            }
            _ => continue,
        };
        // A test that failed as it should is no symptom.
        let is_test =
            |method| testing(past.program(), method).or_else(|| inherited(past, last, method)).is_some();
        if past.method_of(last).is_some_and(is_test) {
            continue;
        }
        found.push(Symptom { why: SymptomReason::Uncaught { exception }, ..shown });
    }
    found
}

/// What tells a thread from others.
type ThreadKey = (Option<u64>, Option<StreamId>);

fn key(past: &Past, stream: StreamId) -> ThreadKey {
    match past.thread_id(stream) {
        Some(id) => (Some(id), None),
        None => (None, Some(stream)),
    }
}
