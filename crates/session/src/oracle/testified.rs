//! What is left of tests that passed in other JVMs of a run: calls that were asked and answered as one there are right, as they would be
//! by the recording itself. Courses tell at once which calls may be among them; only those get fingerprints.

use std::collections::HashMap;

use base::{CallId, Ending};
use past::Past;

use super::workers;
use crate::fingerprint::{Courses, Facts, fingerprints_by};
use crate::testimony::Testimony;

pub struct Testified {
    testimony: Testimony,
    facts: Facts,
    /// Of the recording that is debugged; none if they cannot be had.
    courses: Option<Option<Courses>>,
    /// What was said of calls that are over: strategies come back to the same ones.
    said: HashMap<CallId, bool>,
}

impl Testified {
    pub fn new(testimony: Testimony) -> Testified {
        Testified { testimony, facts: Facts::default(), courses: None, said: HashMap::new() }
    }

    /// Was the same asked and answered in a test that passed?
    pub fn confirms(&mut self, past: &Past, call: CallId) -> bool {
        if !self.said.contains_key(&call) {
            self.look_into(past, &[call]);
        }
        self.said.get(&call).copied().unwrap_or(false)
    }

    /// Looks for many calls at once, so that `confirms` knows of each.
    pub fn look_into(&mut self, past: &Past, calls: &[CallId]) {
        // Of a program that runs, courses are not over.
        if past.is_live() {
            return;
        }
        let courses = self.courses.get_or_insert_with(|| Courses::of(past));
        let mut sought: Vec<(CallId, u64)> = Vec::new();
        for &call in calls {
            let over = past.call_row(call).is_some_and(|row| row.ending != Ending::Open);
            if !over || self.said.contains_key(&call) {
                continue;
            }
            self.said.insert(call, false);
            let course = courses.as_ref().and_then(|courses| courses.get(call));
            sought.extend(
                course.filter(|one| self.testimony.has_course(one.whole)).map(|one| (call, one.whole)),
            );
        }
        let (testimony, facts) = (&self.testimony, &self.facts);
        let confirmed = workers::each(&sought, |&(call, course)| {
            let prints = fingerprints_by(past, facts, call).0;
            prints.is_some_and(|prints| testimony.confirms(course, &prints))
        });
        self.said.extend(sought.into_iter().zip(confirmed).map(|((call, _), said)| (call, said)));
    }
}
