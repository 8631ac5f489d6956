//! A recording of tests: what was called in a test that passed is right. It only ever says that a call is: a call of the
//! same code that was asked the same and answered the same. Which calls are worth looking into is told by their
//! courses, which are had for all calls at once; only those get fingerprints.

use std::collections::{HashMap, HashSet};

use base::{CallId, Ending, MethodId, Target};
use past::{MethodGroup, Past};

use super::OracleError;
use super::reference::{ending_looks, looks};
use super::twins::{MethodKey, Twins};
use crate::entry::{SymptomReason, Testing, failure, symptom, testing};
use crate::fingerprint::{Fingerprint, Fingerprints, fingerprints_by};

/// Calls of one method that are known of, at most.
const MAX_LISTED: u64 = 500_000;
/// What is looked at for one answer, about: objects, elements, reads and events of calls that may be the same.
const MAX_EFFORT: u64 = 400_000;
/// Calls that are looked into for one answer, at most.
const MAX_COMPARED: usize = 64;

pub struct Passing {
    past: Past,
    twins: Twins,
    /// None if all calls count; otherwise only those in tests that passed.
    tests: Option<Tests>,
    /// Methods by owner, name and descriptor.
    groups: HashMap<MethodKey, MethodGroup>,
    /// Calls of a method by what shows of receiver, arguments and result.
    listed: HashMap<MethodGroup, HashMap<Looks, Vec<Listed>>>,
    /// Calls here that were looked into.
    known: HashMap<CallId, Option<Fingerprints>>,
    confirmed: HashSet<Fingerprints>,
    /// What was said of calls that are over: strategies come back to the same ones.
    said: HashMap<CallId, bool>,
}

type Looks = (Fingerprint, Fingerprint);

#[derive(Clone, Copy)]
struct Listed {
    call: CallId,
    events: u64,
}

/// Those that took about so many events, the nearest first.
fn nearest(mut list: Vec<Listed>, events: u64) -> Vec<Listed> {
    let distance = |one: &Listed| (one.events.abs_diff(events), one.call);
    if list.len() > MAX_COMPARED {
        list.select_nth_unstable_by_key(MAX_COMPARED, distance);
        list.truncate(MAX_COMPARED);
    }
    list.sort_by_key(distance);
    list
}

impl Passing {
    /// Of a recording with a test that failed only the tests that passed say what is right; one that ended by an
    /// exception says nothing.
    pub fn new(past: Past, name: &str) -> Result<Passing, OracleError> {
        let symptom = symptom(&past, None).ok().flatten();
        let refused = |why: String| Err(OracleError::NotPassing { name: name.to_owned(), why });
        let tests = match symptom.map(|symptom| symptom.why) {
            Some(SymptomReason::FailedTest { test, message, .. }) => {
                let mut tests = Tests::default();
                if !tests.any_passed(&past) {
                    return refused(format!("{test} failed: {message}, and no test passed"));
                }
                Some(tests)
            }
            Some(SymptomReason::Uncaught { exception }) => {
                return refused(format!("it ended by {exception}"));
            }
            Some(SymptomReason::Request { text, failed, .. }) => {
                return refused(format!("{text} failed: {}", failed.unwrap_or_default()));
            }
            Some(SymptomReason::NeverEnded { .. }) => {
                let mut tests = Tests::default();
                if !tests.any_passed(&past) {
                    return refused("it never ended, and no test passed".to_owned());
                }
                Some(tests)
            }
            Some(
                SymptomReason::Named
                | SymptomReason::NamedBefore
                | SymptomReason::Output { .. }
                | SymptomReason::Main
                | SymptomReason::WholeRun,
            )
            | None => None,
        };
        let methods = past.methods();
        let groups = methods.map(|(group, owner, name, descriptor, _)| {
            ((owner.to_owned(), name.to_owned(), descriptor.to_owned()), group)
        });
        Ok(Passing {
            groups: groups.collect(),
            past,
            tests,
            twins: Twins::default(),
            listed: HashMap::new(),
            known: HashMap::new(),
            confirmed: HashSet::new(),
            said: HashMap::new(),
        })
    }

    /// Was the same asked and answered in a test that passed?
    pub fn confirms(&mut self, past: &Past, call: CallId) -> bool {
        if let Some(&said) = self.said.get(&call) {
            return said;
        }
        let over = past.call_row(call).is_some_and(|row| row.ending != Ending::Open);
        let said = over && self.find(past, call).unwrap_or(false);
        if over {
            self.said.insert(call, said);
        }
        said
    }

    fn find(&mut self, past: &Past, call: CallId) -> Option<bool> {
        let row = past.call_row(call)?;
        let Target::Method(method) = row.target else { return None };
        let group = *self.groups.get(&past.target(row.target))?;
        if !self.twins.is_unchanged(past, &self.past, &self.groups, method) {
            return None;
        }
        let looks = (looks(past, call)?, ending_looks(past, row.ending)?);
        self.list(group);
        let listed = self.listed.get(&group)?.get(&looks)?;
        let course = self.twins.course(past, &self.past, &self.groups, call);
        let alike = |one: &&Listed| course.is_none_or(|course| self.twins.took(one.call, course));
        let candidates = nearest(listed.iter().filter(alike).copied().collect(), row.exit - row.entry);
        if candidates.is_empty() {
            return None;
        }
        let wanted = fingerprints_by(past, &self.twins.here, call).0?;
        if self.confirmed.contains(&wanted) {
            return Some(true);
        }
        let mut effort = 0;
        for one in candidates {
            let prints = match self.known.get(&one.call) {
                Some(&known) => known,
                None if effort > MAX_EFFORT => break,
                None => {
                    let (prints, looked_at) = fingerprints_by(&self.past, &self.twins.there, one.call);
                    effort += one.events + looked_at as u64;
                    self.known.insert(one.call, prints);
                    self.confirmed.extend(prints);
                    prints
                }
            };
            if prints == Some(wanted) {
                return Some(true);
            }
        }
        Some(false)
    }

    fn list(&mut self, group: MethodGroup) {
        let (past, tests) = (&self.past, &mut self.tests);
        self.listed.entry(group).or_insert_with(|| {
            let mut listed: HashMap<Looks, Vec<Listed>> = HashMap::new();
            let count = past.call_count(group).min(MAX_LISTED);
            for call in (0..count).filter_map(|rank| past.ranked(group, rank)) {
                if tests.as_mut().is_some_and(|tests| !tests.is_in_passed(past, call)) {
                    continue;
                }
                let Some(row) = past.call_row(call) else { continue };
                if let Some(looks) = looks(past, call).zip(ending_looks(past, row.ending)) {
                    listed.entry(looks).or_default().push(Listed { call, events: row.exit - row.entry });
                }
            }
            listed
        });
    }
}

/// Which calls of a recording are in tests that passed.
#[derive(Default)]
struct Tests {
    methods: HashMap<MethodId, Option<Testing>>,
}

impl Tests {
    fn any_passed(&mut self, past: &Past) -> bool {
        past.methods().any(|(group, ..)| {
            let is_test = past.ranked(group, 0).is_some_and(|call| self.test(past, call).is_some());
            let count = if is_test { past.call_count(group).min(MAX_LISTED) } else { 0 };
            let mut calls = (0..count).filter_map(|rank| past.ranked(group, rank));
            calls.any(|call| self.test(past, call) == Some(true))
        })
    }

    fn is_in_passed(&mut self, past: &Past, call: CallId) -> bool {
        let mut around = Some(call);
        let mut passed = false;
        while let Some(call) = around {
            match self.test(past, call) {
                Some(false) => return false,
                Some(true) => passed = true,
                None => {}
            }
            around = past.parent(call);
        }
        passed
    }

    /// Did the call, if it is one of a test, pass?
    fn test(&mut self, past: &Past, call: CallId) -> Option<bool> {
        let row = past.call_row(call)?;
        let Target::Method(method) = row.target else { return None };
        let known = self.methods.entry(method).or_insert_with(|| testing(past.program(), method));
        let testing = known.as_ref().filter(|testing| testing.is_test)?;
        Some(row.ending != Ending::Open && failure(past, testing, call, row.ending).is_none())
    }
}
