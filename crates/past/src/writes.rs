//! Writes to a location around a moment: a location may have been written ten million times, and a person looks at
//! some of them.

use std::ops::ControlFlow;

use index::{Position, Time};
use trace::EventKind;

use crate::history::{HistoryEntry, Manner, same, value_of};
use crate::locals::WALKED;
use crate::location::Location;
use crate::past::Past;

/// Some writes in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Writes {
    pub entries: Vec<HistoryEntry>,
    /// There are, or may be, earlier ones.
    pub earlier: bool,
    pub later: bool,
}

/// Sightings without news that are passed over.
const MAX_SIGHTINGS: usize = 10_000;
/// Stretches of a long call that are replayed for the writes to a variable, in each direction.
const STRETCHES: usize = 6;

impl Past {
    /// The last `before` writes up to a moment, and the first `after` writes behind it.
    pub fn writes_around(&self, location: &Location, moment: Time, before: usize, after: usize) -> Writes {
        if let Location::Local { call, name } = location {
            return self.local_writes(*call, name, moment, before, after);
        }
        let mut writes = Writes::default();
        let mut until = Some(moment);
        for _ in 0..before.saturating_add(MAX_SIGHTINGS) {
            let Some(entry) = until.and_then(|until| self.last_write(location, until)) else { break };
            until = entry.time.0.checked_sub(1).map(Time);
            let known = until.and_then(|until| value_of(self.value_at(location, until)));
            if entry.manner == Manner::Seen && known.is_some() && same(known, value_of(entry.value)) {
                continue;
            }
            if writes.entries.len() == before {
                writes.earlier = true;
                break;
            }
            writes.entries.push(entry);
        }
        writes.entries.reverse();
        let mut later: Vec<HistoryEntry> =
            self.writes(location, Some(moment)).take(after.saturating_add(1)).collect();
        writes.later = later.len() > after;
        later.truncate(after);
        writes.entries.extend(later);
        writes
    }

    fn local_writes(
        &self,
        call: index::CallId,
        name: &str,
        moment: Time,
        before: usize,
        after: usize,
    ) -> Writes {
        let Some(row) = self.index.call(call) else { return Writes::default() };
        let mut all = Vec::new();
        let (mut first, mut last) = (row.entry, row.exit);
        if row.exit - row.entry <= WALKED || name == "result" && !self.has_own_result(call) {
            all = match name {
                "result" if row.exit - row.entry > WALKED => self.result_entry(call).into_iter().collect(),
                _ => self.local_history(call, name, None),
            };
        } else {
            let stretch = |ordinal| self.index.stretch(Position { stream: call.stream, ordinal });
            let middle =
                self.index.happened(call.stream, moment).saturating_sub(1).clamp(row.entry, row.exit);
            first = stretch(middle).start.max(row.entry);
            let mut found = self.writes_within(call, name, first, middle);
            for _ in 1..STRETCHES {
                if found.len() > before || first == row.entry {
                    break;
                }
                let end = first - 1;
                first = stretch(end).start.max(row.entry);
                let mut more = self.writes_within(call, name, first, end);
                more.append(&mut found);
                found = more;
            }
            if first == row.entry
                && let Some(given) = self.given_entry(call, name)
            {
                found.insert(0, given);
            }
            all.append(&mut found);
            last = middle;
            for _ in 0..STRETCHES {
                let beyond = all.iter().filter(|entry| entry.time > moment).count();
                if beyond > after || last >= row.exit {
                    break;
                }
                let end = (stretch(last + 1).end - 1).min(row.exit);
                all.extend(self.writes_within(call, name, last + 1, end));
                last = end;
            }
        }
        let split = all.partition_point(|entry| entry.time <= moment);
        let skipped = split.saturating_sub(before);
        let end = all.len().min(split.saturating_add(after));
        Writes {
            earlier: skipped > 0 || first > row.entry,
            later: end < all.len() || last < row.exit,
            entries: all.drain(skipped..end).collect(),
        }
    }

    /// Writes to a variable in a part of its call.
    fn writes_within(&self, call: index::CallId, name: &str, from: u64, to: u64) -> Vec<HistoryEntry> {
        let mut entries = Vec::new();
        let start = self.index.time(Position { stream: call.stream, ordinal: from });
        self.walk(call, start, false, &mut |event, at| {
            if at.ordinal > to {
                return ControlFlow::Break(());
            }
            if let (EventKind::LocalWrite { slot, value }, Some(site)) = (event.kind, event.site)
                && self.local(site, slot).0 == name
                && let Some(time) = self.index.time(at)
            {
                let value = render::KnownValue::Value(self.index.resolved(at.stream, value));
                entries.push(HistoryEntry {
                    time,
                    position: at,
                    value,
                    manner: Manner::Written,
                    call: Some(call),
                    place: Some(self.source_line(site)),
                });
            }
            ControlFlow::Continue(())
        });
        entries
    }
}
