//! Writes to a variable of a call near a moment. They are not in the index, so the call is replayed; but only from the
//! moment on, or in windows that go back from it: a call may be the whole run.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use index::{CallId, Ending, Position, Time};
use render::KnownValue;
use trace::EventKind;

use crate::history::{HistoryEntry, Manner};
use crate::past::Past;
use crate::unfolded::Tree;

/// Windows that are looked through backwards before the rest is, from the call's beginning on.
const WINDOWS: usize = 64;

impl Past {
    /// Writes to a variable after a time, the first ones.
    pub(crate) fn local_writes_after(
        &self,
        call: CallId,
        name: &str,
        after: Time,
        limit: usize,
    ) -> Vec<HistoryEntry> {
        let Some(tree) = self.tree_of(call) else { return Vec::new() };
        let start = tree.ordinal(after);
        let mut list = self.local_window(call, name, start, tree.row.exit, limit.saturating_add(1));
        list.retain(|entry| entry.time > after);
        list.truncate(limit);
        list
    }

    /// The last writes to a variable at or before a time, in order; at least `count` if there are so many.
    pub(crate) fn local_writes_before(
        &self,
        call: CallId,
        name: &str,
        until: Time,
        count: usize,
    ) -> Vec<HistoryEntry> {
        let Some(row) = self.index.call(call) else { return Vec::new() };
        let position = |ordinal| Position { stream: call.stream, ordinal };
        if self.index.time(position(row.entry)).is_none_or(|entry| entry > until) {
            return Vec::new();
        }
        let Some(tree) = self.tree_of(call) else { return Vec::new() };
        let mut end = tree.ordinal(until);
        let mut list: Vec<HistoryEntry> = Vec::new();
        for window in 0.. {
            let stretch = self.index.stretch(position(end)).start;
            let start = if window < WINDOWS { stretch.max(row.entry) } else { row.entry };
            let mut part = self.local_window(call, name, start, end, usize::MAX);
            part.append(&mut list);
            list = part;
            if list.len() >= count || start <= row.entry {
                break;
            }
            end = tree.snap(start - 1);
        }
        list
    }

    fn tree_of(&self, call: CallId) -> Option<Tree<'_>> {
        static NONE: BTreeSet<CallId> = BTreeSet::new();
        Some(Tree { past: self, root: call, row: self.index.call(call)?, unfolded: &NONE })
    }

    /// Writes to a variable by the events `from..=to` of its call, what the call got and gave included.
    fn local_window(&self, call: CallId, name: &str, from: u64, to: u64, limit: usize) -> Vec<HistoryEntry> {
        let mut list = Vec::new();
        let Some(info) = self.call(call) else { return list };
        let Some(row) = self.index.call(call) else { return list };
        let position = |ordinal| Position { stream: call.stream, ordinal };
        let entry = |ordinal, value, place| {
            let (manner, position) = (Manner::Written, position(ordinal));
            let time = self.index.time(position)?;
            Some(HistoryEntry {
                time,
                position,
                value: KnownValue::Value(value),
                manner,
                call: Some(call),
                place,
            })
        };
        let first = match name {
            "this" => info.receiver,
            name => info.args.iter().find(|arg| arg.name == name).map(|arg| arg.value),
        };
        if let (Some(value), true) = (first, from <= row.entry) {
            list.extend(entry(row.entry, value, info.site.clone()));
        }
        let start = self.index.time(position(from.max(row.entry)));
        self.walk(call, start, false, &mut |event, at| {
            if at.ordinal > to || list.len() >= limit {
                return ControlFlow::Break(());
            }
            if let EventKind::LocalWrite { slot, value } = event.kind
                && let Some(site) = event.site
                && self.local(site, slot).0 == name
            {
                let value = self.index.resolved(at.stream, value);
                list.extend(entry(at.ordinal, value, Some(self.source_line(site))));
            }
            ControlFlow::Continue(())
        });
        if let ("result", Ending::Returned(Some(value))) = (name, info.ending)
            && (from..=to).contains(&row.exit)
            && list.len() < limit
            && !self.has_own_result(call)
        {
            list.extend(entry(row.exit, value, None));
        }
        list
    }
}
