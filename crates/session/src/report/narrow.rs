//! Narrows guilty code down: of the lines that ran, those on which what came out of the call depends, those on which it
//! does not, and those of which nobody can be sure. A line on which it does not may still be at fault for something that it
//! did not do, so it stays guilty.

use std::collections::BTreeSet;

use analysis::slice::{Criterion, Lines, SliceLimits, chop, lines, outcome};
use past::{CallId, CallInfo, Location, Past};

use super::origins::came_out;

/// A call is followed so far; what is not known within that is not sure.
const LIMITS: SliceLimits = SliceLimits { elements: 5_000, events: 3_000_000, control: true };
/// Locations that came out of a call and are followed.
const LOCATIONS: usize = 8;

/// What came out of a call, line by line; none if that cannot be said. `because` is what a person called wrong: then only
/// that is followed.
pub(super) fn narrowed(past: &Past, info: &CallInfo, because: Option<&str>) -> Option<Lines> {
    lines(past, info.id, &criteria(past, info, because)?, &LIMITS).ok()
}

fn criteria(past: &Past, info: &CallInfo, because: Option<&str>) -> Option<Vec<Criterion>> {
    let at_end = |location: Location| Criterion::Location(location, info.exit);
    if let Some(location) = because.and_then(|text| past.find_location(text, Some(info.exit)).ok()) {
        return Some(vec![match location {
            Location::Local { call, name } if name == "result" => Criterion::Result(call),
            location => at_end(location),
        }]);
    }
    let (mut list, complete) = outcome(past, info.id).ok()?;
    let changed = came_out(past, info);
    let changed: Vec<Location> =
        changed.into_iter().filter(|location| !matches!(location, Location::Local { .. })).collect();
    if !complete || changed.len() > LOCATIONS {
        return None;
    }
    list.extend(changed.into_iter().map(at_end));
    Some(list)
}

/// The events of a call that what came out of it depends on; none if that cannot be said.
pub(crate) fn outcome_of(past: &Past, call: CallId) -> Option<BTreeSet<u64>> {
    let info = past.call(call)?;
    let mut ordinals = BTreeSet::new();
    for criterion in criteria(past, &info, None)? {
        let (elements, cut) = chop(past, call, &criterion, &LIMITS).ok()?;
        if cut.is_some() {
            return None;
        }
        ordinals.extend(elements.iter().map(|element| element.position.ordinal));
    }
    Some(ordinals).filter(|ordinals| !ordinals.is_empty())
}
