//! Narrows guilty code down: of the lines that ran, those through which what the call got became what came out wrong.
//! A line that is not among them may still be at fault for something that it did not do, so it stays guilty.

use std::collections::BTreeSet;

use analysis::slice::{Criterion, SliceLimits, chop};
use past::{CallInfo, Ending, Location, Past};

use super::origins::came_out;

/// A call is followed so far; what is not narrowed down within that stays as it is.
const LIMITS: SliceLimits = SliceLimits { elements: 5_000, events: 3_000_000, control: true };
/// Locations that came out of a call and are followed.
const LOCATIONS: usize = 8;

/// The lines of the call that what came out of it depends on; none if that cannot be said. `because` is what a person
/// called wrong: then only that is followed.
pub(super) fn likely(past: &Past, info: &CallInfo, because: Option<&str>) -> Option<BTreeSet<u32>> {
    let mut lines = BTreeSet::new();
    for criterion in criteria(past, info, because) {
        let (elements, cut) = chop(past, info.id, &criterion, &LIMITS).ok()?;
        if cut.is_some() {
            return None;
        }
        lines.extend(elements.iter().filter_map(|element| past.source_line(element.site?).line));
    }
    Some(lines).filter(|lines| !lines.is_empty())
}

fn criteria(past: &Past, info: &CallInfo, because: Option<&str>) -> Vec<Criterion> {
    let at_end = |location: Location| Criterion::Location(location, info.exit);
    if let Some(location) = because.and_then(|text| past.find_location(text, Some(info.exit)).ok()) {
        return vec![match location {
            Location::Local { call, name } if name == "result" => Criterion::Result(call),
            location => at_end(location),
        }];
    }
    let gives = matches!(info.ending, Ending::Returned(Some(_)) | Ending::Threw(_));
    let result = gives.then_some(Criterion::Result(info.id));
    let changed =
        came_out(past, info).into_iter().filter(|location| !matches!(location, Location::Local { .. }));
    result.into_iter().chain(changed.take(LOCATIONS).map(at_end)).collect()
}
