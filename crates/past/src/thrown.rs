//! Where an exception arose that left a call: the first of the throws by which it came out.

use index::{CallId, Ending, List, Position, Time};
use trace::{Site, Value};

use crate::action::Action;
use crate::past::{Past, SourceLine};

/// Where an exception arose.
#[derive(Clone, Debug, PartialEq)]
pub struct Thrown {
    pub position: Position,
    pub time: Time,
    /// The call of program code in which it arose.
    pub call: CallId,
    pub site: Option<Site>,
    pub place: Option<SourceLine>,
}

/// Throws of one call that are looked at, the last first.
const MAX_LOOKED_AT: usize = 16;

impl Past {
    /// Where the exception by which a call of program code ended was thrown, by this call itself: what `finally` throws
    /// on is the same exception.
    pub fn thrown_in(&self, call: CallId) -> Option<Thrown> {
        let row = self.index.call(call)?;
        let Ending::Threw(Some(exception)) = row.ending else { return None };
        let mut found = None;
        let all = self.index.noted_within(List::Throws, call.stream, row.entry..row.exit + 1);
        let own = all.rev().filter_map(|at| self.index.noted(List::Throws, at));
        for noted in own.filter(|noted| noted.call == Some(call)).take(MAX_LOOKED_AT) {
            match self.throw_at(noted.position, exception) {
                Some((time, place)) => found = Some((noted.position, time, place)),
                None => break,
            }
        }
        // What came out of a callee is no throw of its own.
        if found.is_none()
            && let Some(ordinal) = row.exit.checked_sub(1)
        {
            let position = Position { stream: call.stream, ordinal };
            found = self.throw_at(position, exception).map(|(time, place)| (position, time, place));
        }
        let (position, time, place) = found?;
        Some(Thrown { position, time, call, site: place.as_ref().map(|place| place.site), place })
    }

    fn throw_at(&self, position: Position, exception: Value) -> Option<(Time, Option<SourceLine>)> {
        let event = self.event_at(position)?;
        match event.action {
            Action::Throw { exception: Some(thrown) } if thrown == exception => {
                Some((event.time, event.place))
            }
            _ => None,
        }
    }
}
