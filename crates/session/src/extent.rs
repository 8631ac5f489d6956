//! Which events of a thread a subject covers: what lies in what is decided by that.

use base::{CallId, StreamId};
use past::Past;

use crate::subject::Subject;

/// Events of one thread without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub stream: StreamId,
    /// Ordinals of the first and the last event.
    pub first: u64,
    pub last: u64,
}

impl Extent {
    pub fn holds(&self, other: &Extent) -> bool {
        self.stream == other.stream && self.first <= other.first && other.last <= self.last
    }
}

pub fn extent(past: &Past, subject: &Subject) -> Option<Extent> {
    let whole = |number: u64| {
        let id = CallId::of_number(number)?;
        let call = past.call_row(id)?;
        Some(Extent { stream: id.stream, first: call.entry, last: call.exit })
    };
    Some(match *subject {
        Subject::Call { call } | Subject::Nest { call, .. } => whole(call)?,
        Subject::Thread { first } => {
            let stream = CallId::of_number(first)?.stream;
            let events = past.events_in(stream)?;
            Extent { stream, first: 0, last: events.saturating_sub(1) }
        }
        Subject::Run { first, last, .. } => {
            let (first, last) = (whole(first)?, whole(last)?);
            Extent { last: last.last, ..first }
        }
        Subject::Loop { call, run, from, to } => {
            let id = CallId::of_number(call)?;
            let runs = analysis::loops(past, id).ok()?.runs;
            let run = runs.get(run as usize)?;
            let start = |iteration: u32| run.starts.get(iteration as usize).copied();
            let first = if from == 0 { run.first } else { start(from)? };
            let last = to.and_then(start).map_or(run.last, |next| next.saturating_sub(1));
            Extent { stream: id.stream, first, last }
        }
        Subject::Statement { call, at } => {
            let id = CallId::of_number(call)?;
            let statements = analysis::statements(past, id, at as usize + 1).ok()?.list;
            let statement = statements.get(at as usize)?;
            Extent { stream: id.stream, first: statement.first, last: statement.last }
        }
    })
}
