//! Taking down what the tests of a recording say before it goes away. Which methods they ran is known at once; calls are looked into
//! one by one, as far as there is room: the first of each method, then the second of each, and so on, so that a method
//! that is called a million times leaves room for the others.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::{CallId, Ending};
use past::{MethodGroup, Past};

use super::{TestedCall, TestedMethod, Testimony, Witness, joined, passed::in_tests, passed::passed};
use crate::fingerprint::{Courses, Facts, fingerprints_by};
use crate::oracle::each;

/// Calls that are kept of a run: 24 bytes each.
pub const ROOM: usize = 150_000;
/// Calls of one course: they may still have been asked other things, as objects count by their class there.
const ALIKE: u8 = 4;
/// A call with more events is what many others are in.
const MAX_EVENTS: u64 = 200_000;
/// What is looked at in one recording, about: events of calls, objects and elements. Some seconds of one core.
const MAX_EFFORT: u64 = 20_000_000;
/// Calls that are looked into at once.
const BATCH: usize = 1024;

impl Testimony {
    /// What the tests say that passed in a recording. Nothing if none did. `calls`: fingerprints, too.
    pub fn hear(&mut self, past: &Past, jvm: &str, calls: bool) {
        let passed = passed(past, |testing| testing.is_test);
        if passed.is_empty() {
            return;
        }
        let facts = Facts::default();
        for (group, owner, name, descriptor, _) in past.methods() {
            let tests = in_tests(past, &passed, group);
            let method = past.ranked(group, 0).and_then(|call| past.method_of(call));
            if let Some(code) = method.filter(|_| tests > 0).and_then(|method| facts.code(past, method)) {
                let [owner, name, descriptor] = [owner, name, descriptor].map(str::to_owned);
                let tested = TestedMethod { owner, name, descriptor, code };
                *self.methods.entry(tested).or_default() += tests as u32;
            }
        }
        let own = |&(test, size): &(CallId, u32)| {
            let before = |index| past.program_calls_before(test.stream, index);
            u64::from(before(test.index.saturating_add(size)) - before(test.index + 1))
        };
        let inner = passed.iter().map(own).sum();
        let looked_into = if calls { self.hear_calls(past, &facts, &passed) } else { 0 };
        self.witnesses.push(Witness {
            jvm: jvm.to_owned(),
            tests: passed.len() as u64,
            calls: inner,
            looked_into,
            in_part: past.partial().is_some(),
        });
    }

    /// How many calls were looked into, those included that turned out to be the equals of others.
    fn hear_calls(&mut self, past: &Past, facts: &Facts, passed: &[(CallId, u32)]) -> u64 {
        let Some(courses) = Courses::of(past) else { return 0 };
        let (order, same) = in_turn(past, &courses, passed);
        let mut known: HashSet<TestedCall> = self.calls.iter().copied().collect();
        let (mut looked_into, mut effort) = (same, 0);
        for batch in order.chunks(BATCH) {
            if known.len() >= ROOM || effort > MAX_EFFORT {
                break;
            }
            let prints = each(batch, |&(call, _)| fingerprints_by(past, facts, call));
            for (&(call, course), (prints, nodes)) in batch.iter().zip(prints) {
                effort += events(past, call) + nodes as u64;
                looked_into += 1;
                if let Some(prints) = prints.filter(|_| known.len() < ROOM) {
                    known.insert(TestedCall { course, print: joined(&prints) });
                }
            }
        }
        self.calls = known.into_iter().collect();
        self.calls.sort_unstable();
        looked_into
    }
}

/// The calls in tests that passed, with their courses, in the order in which they are looked into; and how many more took the same
/// course as those.
fn in_turn(past: &Past, courses: &Courses, passed: &[(CallId, u32)]) -> (Vec<(CallId, u64)>, u64) {
    let mut alike: HashMap<u64, u8> = HashMap::new();
    let mut by_method: BTreeMap<MethodGroup, Vec<(CallId, u64)>> = BTreeMap::new();
    let mut same = 0;
    // Tests may be called by tests: what was gone through is left out.
    let mut next: HashMap<_, u32> = HashMap::new();
    for &(test, size) in passed {
        let from = next.entry(test.stream).or_default();
        let until = test.index.saturating_add(size);
        for index in (test.index + 1).max(*from)..until {
            let call = CallId { stream: test.stream, index };
            let Some(course) = courses.get(call).filter(|_| past.is_program_call(call)) else { continue };
            let Some(row) = past.call_row(call) else { continue };
            if row.ending == Ending::Open || row.exit - row.entry > MAX_EVENTS {
                continue;
            }
            let count = alike.entry(course.whole).or_default();
            if *count == ALIKE {
                same += 1;
                continue;
            }
            *count += 1;
            if let Some(group) = past.group_of(row.target) {
                by_method.entry(group).or_default().push((call, course.whole));
            }
        }
        *from = until.max(*from);
    }
    let most = by_method.values().map(Vec::len).max().unwrap_or(0);
    let mut order = Vec::new();
    for turn in 0..most {
        by_method.retain(|_, calls| calls.len() > turn);
        order.extend(by_method.values().map(|calls| calls[turn]));
    }
    (order, same)
}

fn events(past: &Past, call: CallId) -> u64 {
    past.call_row(call).map_or(0, |row| row.exit - row.entry)
}
