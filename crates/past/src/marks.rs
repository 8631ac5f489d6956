//! Which rows of an event list changed a location: by the location's identity, looked up in the index.

use index::{Key, Time};
use trace::StreamId;

use crate::history::{same, value_of};
use crate::location::Location;
use crate::past::Past;
use crate::state::covers;
use crate::unfolded::EventRow;

/// How an event row has to do with the change of a value that somebody looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeMark {
    /// The event itself changed it.
    Here,
    /// Something within the call did.
    Within,
}

/// Writes to other elements, or that changed nothing, that are passed over.
const MAX_PASSED: usize = 100_000;

impl Past {
    /// For each row what it did to a location.
    pub fn changed_in(&self, rows: &[EventRow], location: &Location) -> Vec<Option<ChangeMark>> {
        rows.iter().map(|row| self.changed_in_row(row, location)).collect()
    }

    fn changed_in_row(&self, row: &EventRow, location: &Location) -> Option<ChangeMark> {
        let at = row.event.position;
        let is_entry = row.callee.is_none() && row.event.kind == "enter";
        if let Location::Local { call, name } = location {
            return match (&row.callee, row.event.child) {
                (Some(callee), Some(child)) => {
                    let end = child.index.saturating_add(callee.size.max(1));
                    let is_in = call.stream == child.stream && (child.index..end).contains(&call.index);
                    (is_in && self.is_written(*call, name)).then_some(ChangeMark::Within)
                }
                _ if row.event.location.as_ref() == Some(location) => Some(ChangeMark::Here),
                _ if is_entry && row.owner == *call => {
                    let info = self.call(*call)?;
                    let given = info.args.iter().any(|arg| arg.name == *name)
                        || name == "this" && info.receiver.is_some();
                    given.then_some(ChangeMark::Here)
                }
                _ if name == "result" && row.owner == *call && row.event.kind == "exit" => {
                    (!self.has_own_result(*call)).then_some(ChangeMark::Here)
                }
                _ => None,
            };
        }
        let until = row.callee.map_or(row.until, |callee| callee.exit.max(row.until));
        let mark = if row.callee.is_some() { ChangeMark::Within } else { ChangeMark::Here };
        self.is_changed(location, at.stream, at.ordinal, until).then_some(mark)
    }

    fn is_written(&self, call: index::CallId, name: &str) -> bool {
        let before = self.index.call(call).and_then(|row| {
            let entry = index::Position { stream: call.stream, ordinal: row.entry };
            self.index.time(entry)?.0.checked_sub(1)
        });
        !self.local_writes_after(call, name, Time(before.unwrap_or(0)), 1).is_empty()
    }

    /// Did events `from..=until` of a stream change a location of the heap?
    fn is_changed(&self, location: &Location, stream: StreamId, from: u64, until: u64) -> bool {
        let Some(key) = location.key() else { return false };
        if self.is_news(location, key, stream, from, until, |_| true) {
            return true;
        }
        let Location::Element { array, index } = *location else { return false };
        self.is_news(location, Key::ranges(array), stream, from, until, |what| covers(what, index))
    }

    /// Is there a posting that says something new of the location? What was only seen may be what was known.
    fn is_news(
        &self,
        location: &Location,
        key: Key,
        stream: StreamId,
        from: u64,
        until: u64,
        fits: impl Fn(index::PostingKind) -> bool,
    ) -> bool {
        let mut until = until;
        for _ in 0..MAX_PASSED {
            let Some(found) = self.index.last_within(key, stream, from, until) else { return false };
            let seen = matches!(
                found.posting.what,
                index::PostingKind::Seen(_)
                    | index::PostingKind::Read(_)
                    | index::PostingKind::SeenRange { .. }
            );
            if fits(found.posting.what) && (!seen || self.is_other(location, found.time)) {
                return true;
            }
            let Some(before) = found.position.ordinal.checked_sub(1).filter(|&before| before >= from) else {
                return false;
            };
            until = before;
        }
        false
    }

    /// Does a location hold something else at a time than before it, or is this the first that is known of it?
    pub(crate) fn is_other(&self, location: &Location, time: Time) -> bool {
        let Some(before) = time.0.checked_sub(1).map(Time) else { return true };
        self.last_write(location, before).is_none()
            || !same(value_of(self.value_at(location, before)), value_of(self.value_at(location, time)))
    }
}
