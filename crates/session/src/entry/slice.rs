//! The calls that had a part in what is wrong: the backward slice of a symptom's value. Evidence for where to look, and no
//! more than that: what did not happen is in no slice.

use std::collections::BTreeSet;

use analysis::slice::{SliceLimits, potential, sure};
use base::CallId;
use past::Past;

use super::Symptom;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymptomSlice {
    /// Calls of program code that the value came through, or that decided on it; sorted.
    pub calls: Vec<CallId>,
    /// Calls that may have had a part: a library that we know nothing of had something of theirs in hand. Sorted, none of
    /// them is among `calls`.
    pub perhaps: Vec<CallId>,
    /// Calls that decided, or made what decided, that a branch in one of `calls` did not go its other way, which could have
    /// written something: where a mistake left something out, it is in one of these. Sorted, none is in the lists above.
    pub potential: Vec<CallId>,
    /// Is this all, as far as the recording goes? Otherwise a limit was reached, or the trail is lost somewhere.
    pub complete: bool,
}

/// The slice of a symptom's wrong value; none if it has none, or nothing is known of it.
pub fn symptom_slice(past: &Past, symptom: &Symptom, limits: &SliceLimits) -> Option<SymptomSlice> {
    let wrong = symptom.wrong.as_ref()?;
    let (found, other) = potential(past, &wrong.criterion, limits).ok()?;
    let (mut calls, mut perhaps) = (BTreeSet::new(), BTreeSet::new());
    for (element, sure) in found.elements.iter().zip(sure(&found)) {
        if let Some(call) = past.program_call(element.call) {
            if sure {
                calls.insert(call)
            } else {
                perhaps.insert(call)
            };
        }
    }
    let perhaps: Vec<CallId> = perhaps.difference(&calls).copied().collect();
    let other: BTreeSet<CallId> = other.into_iter().filter_map(|call| past.program_call(call)).collect();
    let potential =
        other.into_iter().filter(|call| !calls.contains(call) && !perhaps.contains(call)).collect();
    let complete = found.cut.is_none() && found.unknown.is_empty();
    Some(SymptomSlice { calls: calls.into_iter().collect(), perhaps, potential, complete })
}
