//! The events of one call's own code, from a replay that steps over what its callees did where that is long.

use index::{CallRow, Evidence, Position, Target};
use past::{CallId, Past};
use trace::{Event, EventKind, Paused, StreamId, Then, Visitor};

use crate::error::{Error, Result};

/// Tells all events of a call's own code with their ordinals, until `visit` says false. Gives the call's row.
pub fn own_events(
    past: &Past,
    call: CallId,
    visit: &mut dyn FnMut(&Event<'_>, u64) -> bool,
) -> Result<CallRow> {
    own_events_within(past, call, 0, u64::MAX, visit).map(|(row, _)| row)
}

/// The same from an ordinal on, looking at no more than `limit` events, those of callees included that are not stepped
/// over. Says too whether it was enough.
pub fn own_events_within(
    past: &Past,
    call: CallId,
    from: u64,
    limit: u64,
    visit: &mut dyn FnMut(&Event<'_>, u64) -> bool,
) -> Result<(CallRow, bool)> {
    let row = past.index().call(call).ok_or(Error::NoSuchCall)?;
    if let Target::Library(_) = row.target {
        return Err(Error::Library(past.call_name(call)));
    }
    let from = from.max(row.entry);
    let depth = if from > row.entry { past.depth_of(call) } else { None };
    let start = Position { stream: call.stream, ordinal: from };
    let checkpoint = past.index().checkpoint(start);
    let next = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
    let mut left = limit;
    let telling = Telling { past, call, row, from, next, left: &mut left, depth, visit };
    let replay = match &checkpoint {
        Some(checkpoint) => past.recording().replay_at(checkpoint, telling),
        None => Some(past.recording().replay(call.stream, telling)),
    };
    let mut replay = replay.ok_or(Error::Replay(call.stream.0))?;
    while replay.run(u64::MAX) == Paused::Reached {}
    drop(replay);
    Ok((row, left > 0))
}

struct Telling<'a> {
    past: &'a Past,
    call: CallId,
    row: CallRow,
    from: u64,
    next: u64,
    left: &'a mut u64,
    /// Open calls of program code in the call, once it was entered.
    depth: Option<u32>,
    visit: &'a mut dyn FnMut(&Event<'_>, u64) -> bool,
}

impl Telling<'_> {
    fn stream(&self) -> StreamId {
        self.call.stream
    }

    fn call_at(&self, ordinal: u64) -> Option<CallId> {
        self.past.index().call_at(Position { stream: self.stream(), ordinal })
    }
}

impl Visitor for Telling<'_> {
    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.next;
        self.next += 1;
        if at < self.from {
            return Then::On;
        }
        if at > self.row.exit || *self.left == 0 {
            return Then::Stop;
        }
        *self.left -= 1;
        let enters = matches!(event.kind, EventKind::Enter { .. });
        if self.depth.is_none() && enters && self.call_at(at) == Some(self.call) {
            self.depth = Some(event.depth);
        }
        let mut then = Then::On;
        let own = self.depth == Some(event.depth) && !event.library;
        if own && !(self.visit)(event, at) {
            return Then::Stop;
        }
        if enters
            && self.depth.is_some_and(|depth| event.depth > depth)
            && let Some(jump) = self.past.index().jump(Position { stream: self.stream(), ordinal: at })
        {
            self.next = jump.events;
            then = Then::Skip(jump);
        }
        if at == self.row.exit { Then::Stop } else { then }
    }
}
