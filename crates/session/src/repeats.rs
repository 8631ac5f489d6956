//! The same question is not asked twice in a session: a call of the same method that was given the same, read the same and
//! gave the same as one that a person judged is judged likewise.

use std::collections::HashMap;

use base::CallId;
use past::{Ending, Past};

use crate::answer::{Answer, Author, Judged};
use crate::fingerprint::{Facts, Fingerprints, fingerprints_by};
use crate::subject::Subject;

/// Calls of more events are not compared: it would take longer than to ask.
const MAX_EVENTS: u64 = 100_000;
/// Answers that are compared with, the latest first.
const MAX_COMPARED: usize = 32;

/// What was worked out about calls that were asked about.
#[derive(Default)]
pub(crate) struct Repeats {
    facts: Facts,
    prints: HashMap<CallId, Option<Fingerprints>>,
}

impl Repeats {
    /// What a person said of another call that is this one's equal.
    pub fn answer(&mut self, past: &Past, subject: &Subject, answers: &[Judged]) -> Option<(Answer, Author)> {
        let Subject::Call { .. } = subject else { return None };
        let call = subject.call()?;
        let target = past.call_row(call)?.target;
        let candidates = answers.iter().rev().filter(|judged| {
            let is_call = matches!(judged.subject, Subject::Call { .. }) && judged.subject != *subject;
            let same = || judged.subject.call().and_then(|call| past.call_row(call)).map(|row| row.target);
            is_call
                && judged.by == Author::Person
                && is_about_the_call(&judged.answer)
                && same() == Some(target)
        });
        for judged in candidates.take(MAX_COMPARED) {
            let other = judged.subject.call()?;
            let own = self.prints(past, call)?;
            if self.prints(past, other) == Some(own) {
                return Some((judged.answer.clone(), Author::Inferred));
            }
        }
        None
    }

    fn prints(&mut self, past: &Past, call: CallId) -> Option<Fingerprints> {
        let row = past.call_row(call)?;
        if row.ending == Ending::Open || row.exit - row.entry > MAX_EVENTS {
            return None;
        }
        let facts = &self.facts;
        *self.prints.entry(call).or_insert_with(|| fingerprints_by(past, facts, call).0)
    }
}

/// What was said names no value of that one call, and is no rule.
fn is_about_the_call(answer: &Answer) -> bool {
    match answer {
        Answer::Correct | Answer::DontKnow | Answer::Inadmissible => true,
        Answer::Wrong { because, missing, expected } => {
            because.is_none() && missing.is_none() && expected.is_none()
        }
        Answer::Trust { .. } => false,
    }
}
