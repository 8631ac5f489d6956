//! The events of one call's own code, from a replay that steps over what its callees did where that is long.

use index::{Call, Position, Target};
use past::{CallId, Past};
use trace::{Event, EventKind, Paused, StreamId, Then, Visitor};

use crate::error::{Error, Result};

/// Tells all events of a call's own code with their ordinals, until `visit` says false. Gives the call's row.
pub fn own_events(past: &Past, call: CallId, visit: &mut dyn FnMut(&Event<'_>, u64) -> bool) -> Result<Call> {
    let row = past.index().call(call).ok_or(Error::NoSuchCall)?;
    if let Target::Library(_) = row.target {
        return Err(Error::Library(past.call_name(call)));
    }
    let start = Position { stream: call.stream, ordinal: row.entry };
    let checkpoint = past.index().checkpoint(start);
    let next = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
    let telling = Telling { past, call, row, next, depth: None, visit };
    let replay = match &checkpoint {
        Some(checkpoint) => past.recording().replay_at(checkpoint, telling),
        None => Some(past.recording().replay(call.stream, telling)),
    };
    let mut replay = replay.ok_or(Error::Replay(call.stream.0))?;
    while replay.run(u64::MAX) == Paused::Reached {}
    Ok(row)
}

struct Telling<'a> {
    past: &'a Past,
    call: CallId,
    row: Call,
    next: u64,
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
        if at < self.row.entry {
            return Then::On;
        }
        if at > self.row.exit {
            return Then::Stop;
        }
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
            && self.depth == Some(event.depth.wrapping_sub(1))
            && let Some(jump) = self.call_at(at).and_then(|child| self.past.index().jump(child))
        {
            self.next = jump.events;
            then = Then::Skip(jump);
        }
        if at == self.row.exit { Then::Stop } else { then }
    }
}
