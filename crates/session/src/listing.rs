//! The calls that are left, asked about as one list: where nothing but a few small calls beside each other is suspected in
//! what is wrong, a person sees at once whether all are right, or which is not.

use base::CallId;
use past::Past;
use tree::Node;

use crate::answer::Judged;
use crate::question::between;
use crate::state::SearchState;
use crate::subject::Subject;

/// Calls of a list, and events of one of them, at most.
const CALLS: usize = 8;
const EVENTS: u64 = 2_000;
/// Suspects in one of them, itself included, at most.
const WITHIN: u32 = 3;

/// The list, unless somebody was asked about it already.
pub(crate) fn left(past: &Past, state: &SearchState, answers: &[Judged]) -> Option<Subject> {
    let suspects = &state.suspects;
    if !suspects.root_wrong() {
        return None;
    }
    let left: Vec<Node> = suspects.children(suspects.root()).take(CALLS + 1).collect();
    if !(2..=CALLS).contains(&left.len()) || left.iter().any(|&node| suspects.count(node) > WITHIN) {
        return None;
    }
    let small = |call: &CallId| past.call_row(*call).is_some_and(|row| row.exit - row.entry <= EVENTS);
    let calls: Option<Vec<CallId>> = left
        .iter()
        .map(|&node| match state.subject(node)? {
            subject @ Subject::Call { .. } => subject.call().filter(small),
            _ => None,
        })
        .collect();
    let calls = calls?;
    let (first, last) = (*calls.first()?, *calls.last()?);
    let (beside, all) = between(past, first, last);
    // What was judged between them is told along, as far as there is room.
    let beside = first.stream == last.stream
        && all
        && beside.len() <= CALLS
        && calls.iter().all(|call| beside.contains(call));
    let list =
        Subject::Run { first: first.number(), last: last.number(), collapsed: false, independent: false };
    (beside && !answers.iter().any(|judged| judged.subject == list)).then_some(list)
}

/// The calls of a list, if it is one.
pub(crate) fn calls(past: &Past, subject: &Subject) -> Vec<Subject> {
    let Subject::Run { first, last, collapsed: false, .. } = *subject else { return Vec::new() };
    let (Some(first), Some(last)) = (CallId::of_number(first), CallId::of_number(last)) else {
        return Vec::new();
    };
    let (calls, _) = between(past, first, last);
    let few = calls.len() <= CALLS;
    calls.into_iter().filter(|_| few).map(|call| Subject::Call { call: call.number() }).collect()
}
