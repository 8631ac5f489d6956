//! What could have had a part in a value, had a branch gone its other way: where a mistake left something out, nothing that
//! happened depends on it. Looked at are the calls of the slice, the nearest first; what decided on their branches is a
//! weaker second set.

use std::collections::{BTreeSet, HashSet};

use index::{Evidence, Position};
use past::{CallId, Past};

use super::lines::Ran;
use super::otherwise::matters;
use super::search::{EventPart, SliceSearch};
use super::{Criterion, Slice, SliceLimits, start};
use crate::code::Local;
use crate::error::Result;

/// Calls of a slice whose branches are looked at.
const MAX_CALLS: usize = 100;
/// Events of a call that is looked at, at most.
const MAX_EVENTS: u64 = 100_000;
/// Branches that are followed.
const MAX_BRANCHES: usize = 500;

/// The slice of a criterion, and the calls that only a branch ties to it whose other way could have mattered.
pub fn potential(
    past: &Past,
    criterion: &Criterion,
    limits: &SliceLimits,
) -> Result<(Slice, BTreeSet<CallId>)> {
    let mut search = SliceSearch::new(past, *limits);
    start(&mut search, criterion)?;
    search.run()?;
    let found = search.slice();
    if found.cut.is_some() {
        return Ok((found, BTreeSet::new()));
    }
    let known: HashSet<Position> = found.elements.iter().map(|element| element.position).collect();
    let mut seen = HashSet::new();
    let calls: Vec<CallId> = found
        .elements
        .iter()
        .map(|element| element.call)
        .filter(|call| seen.insert(*call))
        .take(MAX_CALLS)
        .collect();
    let mut left = MAX_BRANCHES;
    for call in calls {
        let Some(row) = past.index().call(call).filter(|row| row.exit - row.entry <= MAX_EVENTS) else {
            continue;
        };
        let mut ran = Ran::default();
        ran.look(&mut search, call, row.entry, row.exit)?;
        let Some(facts) = ran.facts.clone() else { continue };
        let sites =
            found.elements.iter().filter(|element| element.call == call).filter_map(|element| element.site);
        let slots: HashSet<u16> = sites
            .filter_map(|site| facts.code.insns[facts.code.at(site.bci)?].local)
            .map(Local::slot)
            .collect();
        for (_, ordinals) in ran.branches.iter().filter(|(bci, _)| matters(&facts, **bci, &slots, true)) {
            // What a loop decides each time anew is decided by the same.
            let last = ordinals.last().map(|&ordinal| Position { stream: call.stream, ordinal });
            if let Some(position) = last.filter(|position| left > 0 && !known.contains(position)) {
                left -= 1;
                search.start(position, EventPart::Event);
            }
        }
    }
    search.limits.elements = search.limits.elements.saturating_mul(2);
    search.run()?;
    let before: HashSet<CallId> = found.elements.iter().map(|element| element.call).collect();
    let more = search.slice().elements.into_iter().map(|element| element.call);
    Ok((found, more.filter(|call| !before.contains(call)).collect()))
}
