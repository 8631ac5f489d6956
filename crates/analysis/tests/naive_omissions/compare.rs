//! Both finders on all objects of a recording, and where they differ.
//!
//! Compared is what both know: operations that a call did not execute at all, kept from it by a branch or a switch,
//! reached over calls of the program's own code. Values are left aside, and calls that did not end. Ways that come
//! through a method twice, which the naive one does not go, may be there or not.

use std::collections::{BTreeMap, BTreeSet};

use analysis::executed::Executed;
use analysis::observed::points_to;
use analysis::omissions::{Omission, OmissionExtent, OmissionOptions, OmissionSubject, omissions};
use classfile::opcode as op;
use index::Evidence;
use past::{CallId, Ending, ObjectId, Past, Position};
use pointsto::{MethodNo, Solution};
use trace::{MethodId, Site};

use super::{balloons, created};

/// A jump, the instruction of the same method that it prevented, and the operation.
type Key = (Site, u16, (MethodNo, u16));

type CallsByOmission = BTreeMap<Key, Calls>;

struct Calls {
    calls: BTreeSet<CallId>,
    /// These are all.
    whole: bool,
    /// The way to the operation comes through a method twice.
    circle: bool,
}

impl Default for Calls {
    fn default() -> Self {
        Calls { calls: BTreeSet::new(), whole: true, circle: true }
    }
}

/// Asks about one object of every instruction that makes some; says how many answers there were, and what is wrong.
pub fn compare(past: &Past) -> (usize, Option<String>) {
    let solution = points_to(past, &past.shelf(), &mut |_| {}).unwrap();
    let executed = Executed::open(past, &past.shelf(), &mut |_| {}).unwrap();
    let (mut seen, mut said, mut faults) = (BTreeSet::new(), 0, Vec::new());
    for (object, made) in created(past) {
        if !seen.insert((made.0, past.class_of(object).map(str::to_owned))) {
            continue;
        }
        let Some(ours) = ours(past, &solution, &executed, object) else { continue };
        let naive = naive(past, &solution, object, made);
        said += naive.len();
        faults.extend(
            difference(past, &ours, &naive).map(|fault| format!("{}: {fault}", past.object_name(object))),
        );
    }
    faults.truncate(8);
    (said, (!faults.is_empty()).then(|| faults.join("\n  ")))
}

fn naive(past: &Past, solution: &Solution, object: ObjectId, made: (Site, Position)) -> CallsByOmission {
    let mut found = CallsByOmission::new();
    for one in balloons(past, solution, object, made, 5).unwrap_or_default() {
        found.entry((one.jump, one.target, one.used)).or_default().calls.insert(one.call);
    }
    found
}

/// None if no operation on such an object can be missing.
fn ours(past: &Past, solution: &Solution, executed: &Executed, object: ObjectId) -> Option<CallsByOmission> {
    let options =
        OmissionOptions { reads: true, values: false, limit: usize::MAX, ..OmissionOptions::default() };
    let answer = omissions(past, solution, executed, &OmissionSubject::Object(object), &options).unwrap();
    if answer.unchangeable.is_some() {
        return None;
    }
    let mut found = CallsByOmission::new();
    for one in answer.list.iter().filter(|one| one.extent == OmissionExtent::Total) {
        let code = past.recording().program().opcode(one.at);
        let jumps = |code| op::is_conditional(code) || matches!(code, op::TABLESWITCH | op::LOOKUPSWITCH);
        if !code.is_some_and(jumps) || one.chain.iter().any(|step| step.back) || is_reference(past, one) {
            continue;
        }
        let target = one.chain.first().map_or(one.place.bci, |step| step.site.bci);
        let used = (solution.method(&one.place.method).unwrap(), one.place.bci);
        let ended = |call: &CallId| past.index().call(*call).is_some_and(|row| row.ending != Ending::Open);
        let calls: BTreeSet<CallId> = one.events.iter().map(|&(call, _)| call).filter(ended).collect();
        if calls.is_empty() && one.count.is_some() {
            continue;
        }
        let whole = one.count == Some(one.events.len() as u64);
        let mut way: Vec<_> = one.chain.iter().map(|step| &step.site.method).collect();
        way.push(&one.place.method);
        let length = way.len();
        way.sort_unstable();
        way.dedup();
        let known = found.entry((one.at, target, used)).or_default();
        known.calls.extend(calls);
        known.whole &= whole;
        known.circle &= way.len() < length;
    }
    Some(found)
}

/// `list::add`: to make such a reference is an operation to us, and none to the paper.
fn is_reference(past: &Past, one: &Omission) -> bool {
    let program = past.recording().program();
    let site = program.class_named(&one.place.method.class, 0).and_then(|class| {
        let named = |method: &trace::Method| {
            method.name == one.place.method.name && method.descriptor == one.place.method.descriptor
        };
        let index = program.model(class)?.methods.iter().position(named)? as u32;
        Some(Site { method: MethodId(class.first_method.0 + index), bci: one.place.bci })
    });
    site.and_then(|site| program.opcode(site)) == Some(op::INVOKEDYNAMIC)
}

fn difference(past: &Past, ours: &CallsByOmission, naive: &CallsByOmission) -> Option<String> {
    let shown = |key: &Key| {
        let (jump, target, used) = key;
        let (_, method) = past.recording().program().method(jump.method).unwrap();
        let line = |bci| method.line(bci).unwrap_or(0);
        format!(
            "{} {} (line {}) to {target} (line {}) for {used:?}",
            method.name,
            jump.bci,
            line(jump.bci),
            line(*target)
        )
    };
    let few =
        |calls: &BTreeSet<CallId>| calls.iter().take(4).map(|&call| past.call_name(call)).collect::<Vec<_>>();
    if let Some((key, lacking)) = naive.iter().find(|(key, _)| !ours.contains_key(key)) {
        return Some(format!("lacks {} in {:?}", shown(key), few(&lacking.calls)));
    }
    for (key, found) in ours {
        let Some(expected) = naive.get(key) else {
            if found.circle {
                continue;
            }
            return Some(format!("too much: {} in {:?}", shown(key), few(&found.calls)));
        };
        let (calls, expected) = (&found.calls, &expected.calls);
        if found.whole && calls != expected || !calls.is_subset(expected) {
            let (more, less) = (calls - expected, expected - calls);
            return Some(format!("{}: too much {:?}, lacks {:?}", shown(key), few(&more), few(&less)));
        }
    }
    None
}
