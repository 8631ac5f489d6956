//! A recording of a version that is known to be good: a call of the same method that was asked the same there says by
//! its answer whether a call is right. Calls are looked for by what is cheap to know of their arguments; only those
//! that agree in that are compared in depth. And where the good version has other code somewhere, a call in which only code
//! of the good version ran is right: that version would have done the same with what it was given.

use std::collections::{HashMap, HashSet};
use std::hash::Hasher;

use base::{CallId, Ending, MethodId, Target, Value};
use past::{MethodGroup, Past};

use super::OracleError;
use super::changes::Changes;
use super::compare::{Comparison, compare};
use super::pairs::Side;
use super::twins::{MethodKey, Twins};
use crate::fingerprint::{Fingerprint, Footprint, Print, label, plain, thrown};
use crate::question::{Question, QuestionDetail, question};
use crate::subject::Subject;

/// Calls of one method that are known of, at most.
const MAX_LISTED: u64 = 1_000_000;
/// Calls that are looked at for one answer, at most: some microseconds each.
const MAX_LOOKED_AT: usize = 4_000;
/// Calls that are replayed for one answer, at most: some milliseconds each.
const MAX_REPLAYED: usize = 24;
/// Events of calls that are replayed for one answer, about.
const MAX_EFFORT: u64 = 400_000;
/// What is looked at while all of a run is looked at, about, in events; and what a call counts besides its events.
const MAX_SWEPT: u64 = 2_000_000;
const LOOKED_AT: u64 = 500;
/// Calls with the same question that must agree, if there are as many.
const ENOUGH: usize = 2;

pub struct Reference {
    past: Past,
    twins: Twins,
    /// What was said of calls that are over: strategies come back to the same ones.
    said: HashMap<CallId, Option<bool>>,
    /// Calls that answered otherwise, with one of the reference that was asked the same.
    others: HashMap<CallId, CallId>,
    groups: HashMap<MethodKey, MethodGroup>,
    /// Calls of a method by the looks of their arguments, with their number among the method's calls.
    listed: HashMap<MethodGroup, HashMap<Fingerprint, Vec<(u64, CallId)>>>,
    /// What was looked at for all answers so far, about, in events.
    effort: u64,
}

impl Reference {
    /// `past` is what is debugged: if it has no method in common with the reference, the reference is of another
    /// program.
    pub fn new(reference: Past, name: &str, past: &Past) -> Result<Reference, OracleError> {
        let methods = |past: &Past| -> Vec<(MethodGroup, MethodKey)> {
            // What libraries were called says nothing of the program.
            let own = |&(group, ..): &(MethodGroup, &str, &str, &str, u64)| {
                past.ranked(group, 0).is_some_and(|call| past.method_of(call).is_some())
            };
            let methods = past.methods().filter(own);
            methods
                .map(|(group, owner, name, descriptor, _)| {
                    (group, (owner.to_owned(), name.to_owned(), descriptor.to_owned()))
                })
                .collect()
        };
        let groups: HashMap<MethodKey, MethodGroup> =
            methods(&reference).into_iter().map(|(group, key)| (key, group)).collect();
        let wanted = methods(past);
        if !wanted.is_empty() && !wanted.iter().any(|(_, key)| groups.contains_key(key)) {
            let example = |keys: Vec<&MethodKey>| {
                keys.iter().map(|key| key.0.replace('/', ".")).min().unwrap_or_default()
            };
            return Err(OracleError::OtherProgram {
                name: name.to_owned(),
                theirs: example(groups.keys().collect()),
                ours: example(wanted.iter().map(|(_, key)| key).collect()),
            });
        }
        let (mut twins, said, others): (Twins, _, _) = Default::default();
        twins.changes(past, &reference);
        Ok(Reference { past: reference, twins, said, others, groups, listed: HashMap::new(), effort: 0 })
    }

    /// Is the call right? It is if only code of the good version ran in it, or if the good version, asked the same, answered
    /// the same.
    pub fn answer(&mut self, past: &Past, call: CallId) -> Option<bool> {
        if self.runs_good_code(past, call) { Some(true) } else { self.agrees(past, call) }
    }

    /// Is there other code in the good version, so that what is the same can be told from it?
    /// The methods that are other code in the good version.
    pub(super) fn other_code(&self) -> Option<&HashSet<MethodId>> {
        self.twins.known_changes().map(Changes::differing)
    }

    pub(super) fn knows_changes(&self) -> bool {
        self.twins.known_changes().is_some_and(Changes::tell)
    }

    /// Can it be said of a call while all of a run is looked at?
    pub(super) fn is_cheap(&self, past: &Past, call: CallId) -> bool {
        let events = past.call_row(call).map_or(0, |row| row.exit - row.entry);
        self.said.contains_key(&call)
            || self.runs_good_code(past, call)
            || self.effort + events + LOOKED_AT <= MAX_SWEPT
    }

    fn runs_good_code(&self, past: &Past, call: CallId) -> bool {
        let changes = self.twins.known_changes().filter(|changes| changes.tell());
        let over = || past.call_row(call).is_some_and(|row| row.ending != Ending::Open);
        changes.is_some_and(|changes| changes.is_unchanged(past, call)) && over()
    }

    /// Did the call answer as the reference does? None if the reference was not asked the same, if its answers to
    /// the same question differ, or if that cannot be known.
    pub fn agrees(&mut self, past: &Past, call: CallId) -> Option<bool> {
        if let Some(&said) = self.said.get(&call) {
            return said;
        }
        let over = past.call_row(call)?.ending != Ending::Open;
        let said = if over { self.find(past, call) } else { None };
        if over {
            self.said.insert(call, said);
        }
        said
    }

    /// What the reference did where a call answered otherwise.
    pub fn instead(&self, call: CallId) -> Option<Question> {
        let subject = Subject::Call { call: self.others.get(&call)?.number() };
        question(&self.past, &subject, QuestionDetail::Short).ok()
    }

    fn find(&mut self, past: &Past, call: CallId) -> Option<bool> {
        let row = past.call_row(call)?;
        let Target::Method(_) = row.target else { return None };
        let group = *self.groups.get(&past.target(row.target))?;
        let looks = looks(past, call)?;
        self.list(group);
        let candidates = self.listed.get(&group)?.get(&looks)?;
        let course = self.twins.course(past, &self.past, call);
        let alike =
            |&&(_, other): &&(u64, CallId)| course.is_none_or(|course| self.twins.took(other, course));
        let candidates: Vec<(u64, CallId)> = candidates.iter().filter(alike).copied().collect();
        if candidates.is_empty() {
            return None;
        }
        let one = Side::new(past, &self.twins.here, call)?;
        let footprint = Footprint::of(past, &self.twins.here, call)?;
        let same_code = self.twins.known_changes().is_none_or(|changes| changes.is_unchanged(past, call));
        // Two runs go much the same way: the call is likely to have the same number in both.
        let own = past.group_of(row.target);
        let rank = own.and_then(|own| past.rank(own, call)).unwrap_or(0);
        let (mut same, mut different, mut replayed, mut effort) = (0, 0, 0, 0);
        self.effort += row.exit - row.entry + LOOKED_AT;
        for other in nearest(&candidates, rank).take(MAX_LOOKED_AT) {
            let events = self.past.call_row(other).map_or(0, |row| row.exit - row.entry);
            let Some(side) = Side::new(&self.past, &self.twins.there, other) else { continue };
            let outcome = compare(&one, &footprint, &side, same_code);
            match outcome {
                Comparison::Same => same += 1,
                Comparison::Different => {
                    different += 1;
                    self.others.entry(call).or_insert(other);
                }
                Comparison::NotComparable | Comparison::OtherQuestion => {}
            }
            if outcome != Comparison::OtherQuestion {
                replayed += 1;
                effort += events;
            }
            if same + different == ENOUGH || replayed == MAX_REPLAYED || effort > MAX_EFFORT {
                break;
            }
        }
        self.effort += effort;
        match (same, different) {
            (0, 0) => None,
            (_, 0) => Some(true),
            // Code that the program makes while it runs is as wrong as who made it.
            (0, _) if is_made_at_run_time(past, row.target) => None,
            (0, _) => Some(false),
            _ => None,
        }
    }

    fn list(&mut self, group: MethodGroup) {
        let past = &self.past;
        self.listed.entry(group).or_insert_with(|| {
            let mut listed: HashMap<Fingerprint, Vec<(u64, CallId)>> = HashMap::new();
            for rank in 0..past.call_count(group).min(MAX_LISTED) {
                let Some(call) = past.ranked(group, rank) else { break };
                if let Some(looks) = looks(past, call) {
                    listed.entry(looks).or_default().push((rank, call));
                }
            }
            listed
        });
    }
}

/// Does the class say that no file is its source?
fn is_made_at_run_time(past: &Past, target: Target) -> bool {
    let Target::Method(method) = target else { return false };
    let class = past.program().method(method).and_then(|(class, _)| past.program().model(class));
    class.and_then(|model| model.source_file.as_deref()).is_some_and(|name| name.starts_with('<'))
}

/// Calls by how far their number is from this one.
fn nearest(calls: &[(u64, CallId)], rank: u64) -> impl Iterator<Item = CallId> {
    let at = calls.partition_point(|&(own, _)| own < rank);
    let (mut before, mut after) = (calls[..at].iter().rev().peekable(), calls[at..].iter().peekable());
    std::iter::from_fn(move || {
        let back = before.peek().map(|(own, _)| rank - own);
        let ahead = after.peek().map(|(own, _)| own - rank);
        let next = match (back, ahead) {
            (Some(back), Some(ahead)) if back < ahead => before.next(),
            (Some(_), None) => before.next(),
            _ => after.next(),
        };
        next.map(|&(_, call)| call)
    })
}

/// What can be seen of receiver and arguments without looking into them.
pub(super) fn looks(past: &Past, call: CallId) -> Option<Fingerprint> {
    let args = past.arguments(call)?;
    let mut print = Print::new();
    for value in args.receiver.into_iter().chain(args.values) {
        look(past, value, &mut print)?;
    }
    Some(print.fingerprint())
}

/// The same of what a call gave.
pub(super) fn ending_looks(past: &Past, ending: Ending) -> Option<Fingerprint> {
    let mut print = Print::new();
    match ending {
        Ending::Open => return None,
        Ending::Returned(None) => print.write_u8(0),
        Ending::Returned(Some(value)) => look(past, value, &mut print)?,
        Ending::Threw(exception) => {
            let (class, message) = thrown(past, exception)?;
            print.bytes(class.as_bytes());
            print.bytes(message.as_bytes());
        }
    }
    Some(print.fingerprint())
}

fn look(past: &Past, value: Value, print: &mut Print) -> Option<()> {
    if let Some(object) = print.value(plain(past, value))? {
        print.label(&label(past, object)?);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::StreamId;

    #[test]
    fn calls_are_tried_from_the_nearest_number_outwards() {
        let call = |index| CallId { stream: StreamId(1), index };
        let calls: Vec<(u64, CallId)> = [1, 4, 5, 9].map(|rank| (rank, call(rank as u32))).into();
        let order = |rank| nearest(&calls, rank).map(|call| call.index).collect::<Vec<_>>();
        assert_eq!(order(5), [5, 4, 9, 1]);
        assert_eq!(order(0), [1, 4, 5, 9]);
        assert_eq!(order(100), [9, 5, 4, 1]);
        assert_eq!(order(7), [9, 5, 4, 1]);
    }
}
