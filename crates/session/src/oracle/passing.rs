//! A recording of tests: what was called in a test that passed is right. It only ever says that a call is: a call of the
//! same code that was asked the same and answered the same. Which calls are worth looking into is told by their
//! courses, which are had for all calls at once; only those get fingerprints, each once, many side by side.

use std::collections::{HashMap, HashSet};

use base::{CallId, Ending, MethodId, Target};
use past::{MethodGroup, Past};

use super::OracleError;
use super::changes::Changes;
use super::reference::{ending_looks, looks};
use super::twins::{MethodKey, Twins};
use super::workers;
use crate::entry::{SymptomReason, Testing, failure, symptom, testing};
use crate::fingerprint::{Fingerprint, Fingerprints, fingerprints_by};

/// Calls of one method that are known of, at most.
const MAX_LISTED: u64 = 500_000;
/// What is looked at for one answer, about: objects, elements, reads and events of calls that may be the same.
const MAX_EFFORT: u64 = 400_000;
/// Calls that are looked into for one answer, at most.
const MAX_COMPARED: usize = 64;
/// Calls of the same course that are taken into account.
const MAX_ALIKE: usize = 10_000;

pub struct Passing {
    past: Past,
    twins: Twins,
    /// None if all calls count; otherwise only those in tests that passed.
    tests: Option<Tests>,
    /// Methods by owner, name and descriptor.
    groups: HashMap<MethodKey, MethodGroup>,
    /// All calls there by their whole course, sorted: what most calls are looked for by.
    alike: Option<Vec<(u64, CallId)>>,
    /// Calls of a method by what shows of receiver, arguments and result, for those whose code is another below.
    listed: HashMap<MethodGroup, HashMap<Looks, Vec<Listed>>>,
    /// Calls there that were looked into.
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

/// A call that is looked for, and those there that may be the same, the likeliest first.
struct Sought {
    call: CallId,
    among: Vec<Listed>,
}

/// Those that took about so many events, the nearest first; among equals those of about the same number, because two
/// runs of the same go much the same way.
fn nearest(mut list: Vec<Listed>, call: CallId, events: u64) -> Vec<Listed> {
    let distance =
        |one: &Listed| (one.events.abs_diff(events), one.call.index.abs_diff(call.index), one.call);
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
            alike: None,
            listed: HashMap::new(),
            known: HashMap::new(),
            confirmed: HashSet::new(),
            said: HashMap::new(),
        })
    }

    /// Was the same asked and answered in a test that passed?
    pub fn confirms(&mut self, past: &Past, call: CallId) -> bool {
        if !self.said.contains_key(&call) {
            self.look_into(past, &[call]);
        }
        self.said.get(&call).copied().unwrap_or(false)
    }

    /// Were the tests run with the very code that is looked into?
    pub fn has_same_code(&mut self, past: &Past) -> bool {
        self.twins.changes(past, &self.past).is_none_or(Changes::is_none)
    }

    /// The methods that were other code when the tests passed.
    pub fn other_code(&mut self, past: &Past) -> Option<&HashSet<MethodId>> {
        self.twins.changes(past, &self.past).map(Changes::differing)
    }

    /// Looks for many calls at once, so that `confirms` knows of each.
    pub fn look_into(&mut self, past: &Past, calls: &[CallId]) {
        let over = |call: &CallId| past.call_row(*call).is_some_and(|row| row.ending != Ending::Open);
        let mut sought = Vec::new();
        for &call in calls {
            if !over(&call) || self.said.contains_key(&call) {
                continue;
            }
            self.said.insert(call, false);
            if let Some(among) = self.candidates(past, call).filter(|among| !among.is_empty()) {
                sought.push(Sought { call, among });
            }
        }
        let here = &self.twins.here;
        let wanted = workers::each(&sought, |one| fingerprints_by(past, here, one.call).0);
        let mut sought: Vec<(Sought, Fingerprints)> =
            sought.into_iter().zip(wanted).filter_map(|(one, wanted)| Some((one, wanted?))).collect();
        self.settle(&mut sought);
        // The likeliest of each that is left, once for all that want the same.
        let mut asked = HashSet::new();
        let first = |(one, wanted): &(Sought, Fingerprints)| {
            let unknown = one.among.iter().map(|one| one.call).find(|call| !self.known.contains_key(call));
            unknown.filter(|_| asked.insert(*wanted))
        };
        let firsts: Vec<CallId> = sought.iter().filter_map(first).collect();
        let (passed, there) = (&self.past, &self.twins.there);
        let found = workers::each(&firsts, |&call| fingerprints_by(passed, there, call).0);
        for (call, prints) in firsts.into_iter().zip(found) {
            self.known.insert(call, prints);
            self.confirmed.extend(prints);
        }
        self.settle(&mut sought);
        for (one, wanted) in sought {
            let said = self.search(&one.among, wanted);
            self.said.insert(one.call, said);
        }
    }

    /// Takes out those that are known to be right by now.
    fn settle(&mut self, sought: &mut Vec<(Sought, Fingerprints)>) {
        let (confirmed, said) = (&self.confirmed, &mut self.said);
        sought.retain(|(one, wanted)| {
            let found = confirmed.contains(wanted);
            if found {
                said.insert(one.call, true);
            }
            !found
        });
    }

    /// Is one of these calls the same?
    fn search(&mut self, among: &[Listed], wanted: Fingerprints) -> bool {
        let mut effort = 0;
        for one in among {
            if self.confirmed.contains(&wanted) {
                return true;
            }
            if self.known.contains_key(&one.call) {
                continue;
            }
            if effort > MAX_EFFORT {
                break;
            }
            let (prints, looked_at) = fingerprints_by(&self.past, &self.twins.there, one.call);
            effort += one.events + looked_at as u64;
            self.known.insert(one.call, prints);
            self.confirmed.extend(prints);
        }
        self.confirmed.contains(&wanted)
    }

    /// Calls there that may be the same; none if there can be none.
    fn candidates(&mut self, past: &Past, call: CallId) -> Option<Vec<Listed>> {
        let row = past.call_row(call)?;
        let Target::Method(method) = row.target else { return None };
        if self.twins.changes(past, &self.past).is_some_and(|changes| !changes.is_same(method)) {
            return None;
        }
        let list = match self.twins.course(past, &self.past, call) {
            Some(course) => self.of_course(course.whole),
            None => {
                let group = *self.groups.get(&past.target(row.target))?;
                let looks = (looks(past, call)?, ending_looks(past, row.ending)?);
                self.list(group);
                self.listed.get(&group)?.get(&looks)?.clone()
            }
        };
        Some(nearest(list, call, row.exit - row.entry))
    }

    /// Calls there that took this course from their arguments to their result.
    fn of_course(&mut self, whole: u64) -> Vec<Listed> {
        let (past, twins) = (&self.past, &self.twins);
        let alike = self.alike.get_or_insert_with(|| {
            let streams = past.streams().into_iter();
            let calls = streams
                .flat_map(|stream| (0..past.calls_in(stream)).map(move |index| CallId { stream, index }));
            let own = calls.filter(|&call| past.is_program_call(call));
            let mut alike: Vec<(u64, CallId)> =
                own.filter_map(|call| Some((twins.there(call)?.whole, call))).collect();
            alike.sort_unstable();
            alike
        });
        let from = alike.partition_point(|&(course, _)| course < whole);
        let same = alike[from..].iter().take_while(|&&(course, _)| course == whole);
        let tests = &mut self.tests;
        let passed = |&(_, call): &(u64, CallId)| {
            tests.as_mut().is_none_or(|tests| tests.is_in_passed(past, call)).then_some(call)
        };
        let events = |call| past.call_row(call).map_or(0, |row| row.exit - row.entry);
        same.filter_map(passed).take(MAX_ALIKE).map(|call| Listed { call, events: events(call) }).collect()
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
