//! Stepping from one event to another, in both directions. Where a step leads is looked up; only to show what
//! happened there something is replayed.

use index::{CallId, Position, Time};

use crate::events::ShownEvent;
use crate::location::Location;
use crate::past::Past;

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The next event of the thread, into calls.
    Into,
    /// The next event of the same call, over calls; at its end, of the caller.
    Over,
    /// The end of the call.
    Out,
    /// The event before, into calls.
    BackInto,
    /// The event before in the same call, over calls; at its beginning, of the caller.
    BackOver,
    /// The beginning of the call.
    BackOut,
    /// The next write to a location.
    NextWrite(Location),
    /// The last write to a location.
    LastWrite(Location),
    /// Where the exception was thrown that was thrown, caught or passed on last.
    Thrown,
}

/// Bookkeeping that is passed over in a row, at most.
const MAX_HIDDEN: usize = 100_000;

impl Past {
    /// The event that a step leads to; none if there is none.
    pub fn step(&self, from: Position, step: &Step) -> Option<ShownEvent> {
        match step {
            Step::Into => self.shown(from, |at| at.checked_add(1)),
            Step::BackInto => self.shown(from, |at| at.checked_sub(1)),
            Step::Over => {
                let call = self.stepping_in(from);
                self.shown(from, |at| self.over(from.stream, call, at.checked_add(1)?, true))
            }
            Step::BackOver => {
                let call = self.stepping_in(from);
                self.shown(from, |at| self.over(from.stream, call, at.checked_sub(1)?, false))
            }
            Step::Out => {
                let call = self.index.call(self.index.call_at(from)?)?;
                let at = if call.exit > from.ordinal { call.exit } else { from.ordinal.checked_add(1)? };
                self.event_at(Position { ordinal: at, ..from })
                    .or_else(|| self.shown(Position { ordinal: at, ..from }, |at| at.checked_add(1)))
            }
            Step::BackOut => {
                let call = self.index.call(self.index.call_at(from)?)?;
                let at = if call.entry < from.ordinal { call.entry } else { from.ordinal.checked_sub(1)? };
                self.event_at(Position { ordinal: at, ..from })
                    .or_else(|| self.shown(Position { ordinal: at, ..from }, |at| at.checked_sub(1)))
            }
            Step::NextWrite(location) => {
                let time = self.index.time(from)?;
                let mut after = time;
                // What was seen after an event that is shown is told with it: not the same one again.
                loop {
                    let next = self.next_write(location, after)?;
                    let shown = self.shown_at_or_before(next.position)?;
                    if shown.time > time {
                        return Some(shown);
                    }
                    after = next.time;
                }
            }
            Step::LastWrite(location) => {
                let before = self.index.time(from)?.0.checked_sub(1)?;
                self.shown_at_or_before(self.last_write(location, Time(before))?.position)
            }
            Step::Thrown => {
                let origins = self.index.throws().filter(|throw| throw.position.stream == from.stream);
                let last = origins.take_while(|throw| throw.position.ordinal <= from.ordinal).last()?;
                self.event_at(last.position)
            }
        }
    }

    /// The call whose events are stepped through: an instruction that calls is the caller's, although the call
    /// begins with it.
    pub fn stepping_in(&self, from: Position) -> Option<CallId> {
        let call = self.index.call_at(from)?;
        let row = self.index.call(call)?;
        if row.entry == from.ordinal && row.bci != index::NO_BCI {
            return row.parent.map(|index| CallId { stream: from.stream, index });
        }
        Some(call)
    }

    fn shown_at_or_before(&self, at: Position) -> Option<ShownEvent> {
        self.event_at(at).or_else(|| self.shown(at, |at| at.checked_sub(1)))
    }

    /// The first event that is shown, going on by `next`.
    fn shown(&self, from: Position, next: impl Fn(u64) -> Option<u64>) -> Option<ShownEvent> {
        let events = self.index.streams().find(|&(stream, _)| stream == from.stream)?.1;
        let mut at = from.ordinal;
        for _ in 0..MAX_HIDDEN {
            at = next(at).filter(|&at| at < events)?;
            if let Some(happened) = self.event_at(Position { ordinal: at, ..from }) {
                return Some(happened);
            }
        }
        None
    }

    /// The event at or beyond `at` in the direction of the step that lies in no callee of `call`. A callee's
    /// beginning is told in the caller, too.
    fn over(&self, stream: trace::StreamId, call: Option<CallId>, at: u64, forward: bool) -> Option<u64> {
        let call = call?;
        let mut at = at;
        loop {
            let Some(mut inner) = self.index.call_at(Position { stream, ordinal: at }) else {
                return Some(at);
            };
            let mut child = None;
            while inner != call {
                let row = self.index.call(inner)?;
                child = Some(row);
                match row.parent {
                    Some(parent) => inner.index = parent,
                    // Not below the call: it was left.
                    None => return Some(at),
                }
            }
            match child {
                Some(child) if child.entry < at && forward => at = child.exit.max(at).checked_add(1)?,
                Some(child) if child.entry < at => return Some(child.entry),
                _ => return Some(at),
            }
        }
    }
}
