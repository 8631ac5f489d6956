//! Who wrote, before a call began, what it read: where to look when all that it called is right.

use base::{CallId, Time};
use past::{Location, Past};

/// Reads of a call that are looked at.
const READS: usize = 200;

/// The outermost calls of the program in which what a call read was written before it began, the latest first.
pub(crate) fn writers(past: &Past, call: CallId) -> Vec<CallId> {
    let Some(info) = past.call(call) else { return Vec::new() };
    let before = Time(info.entry.0.saturating_sub(1));
    let (reads, _) = past.reads(call, READS);
    let written = reads.into_iter().filter(|read| !matches!(read.location, Location::Local { .. }));
    let mut found: Vec<(Time, CallId)> = Vec::new();
    for read in written {
        let Some(entry) = past.last_write(&read.location, before) else { continue };
        let Some(writer) = entry.call.and_then(|writer| past.program_call(writer)) else { continue };
        // What a class's first use sets is nobody's doing who happens to be the first.
        if past.call(writer).is_some_and(|info| info.method.ends_with(".static")) {
            continue;
        }
        let outer = outermost(past, writer);
        if !contains(past, outer, call) && !found.iter().any(|&(_, known)| known == outer) {
            found.push((entry.time, outer));
        }
    }
    found.sort_by_key(|&(time, _)| std::cmp::Reverse(time));
    found.into_iter().map(|(_, writer)| writer).collect()
}

/// The call of the program around all others that are around this one.
fn outermost(past: &Past, call: CallId) -> CallId {
    let mut outer = call;
    let mut at = past.parent(call);
    while let Some(around) = at {
        if past.is_program_call(around) {
            outer = around;
        }
        at = past.parent(around);
    }
    outer
}

fn contains(past: &Past, outer: CallId, inner: CallId) -> bool {
    let size = past.call_row(outer).map_or(1, |row| row.size.max(1));
    outer.stream == inner.stream && (outer.index..outer.index.saturating_add(size)).contains(&inner.index)
}
