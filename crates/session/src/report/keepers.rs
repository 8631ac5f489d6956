//! Calls within a guilty one that kept a collection or array that they were given, and that somebody else changed before it
//! ended. They gave what they should, and so were called right; and yet what they kept became wrong. Named, because a defect
//! that looks like the caller's is often theirs.

use past::{CallId, Past};

use crate::question::{Kept, call_info, kept};
use crate::subject::Subject;

/// A call, and what it kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keeper {
    /// `Orders.place#7`
    pub call: String,
    pub kept: Kept,
}

/// Calls that are looked at, and those of more events are not.
const CALLS: usize = 200;
const EVENTS: u64 = 20_000;
/// So many are told.
const TOLD: usize = 2;

pub(super) fn keepers(past: &Past, guilty: &Subject) -> Vec<Keeper> {
    let Subject::Call { call } = *guilty else { return Vec::new() };
    let Some(guilty) = CallId::of_number(call).filter(|&call| past.call_row(call).is_some()) else {
        return Vec::new();
    };
    let inside = |call: CallId| {
        let row = past.call_row(guilty)?;
        let last = guilty.index.saturating_add(row.size.max(1));
        Some(call.stream == guilty.stream && guilty.index < call.index && call.index < last)
    };
    let children = past.children(guilty, 0, CALLS).into_iter().filter(|&child| past.is_program_call(child));
    let children = children.filter_map(|child| call_info(past, child)).filter(|info| info.events <= EVENTS);
    let found = children.flat_map(|info| {
        let changed = kept::of_call(past, &info).into_iter();
        changed.map(move |kept| Keeper { call: info.name.clone(), kept })
    });
    found.filter(|keeper| inside(keeper.kept.changed_by) == Some(true)).take(TOLD).collect()
}
