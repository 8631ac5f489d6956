//! The events of a call as a tree: a callee is one row until it is unfolded, then its events follow. Rows have no
//! numbers, because counting them would mean replaying the call; they are found from any moment on, in both directions,
//! by the rows of calls in the index and one replay of the stretch that is shown.

use std::collections::BTreeSet;

use index::{CallId, CallRow, Position, Target, Time};
use trace::{Event, EventKind, Paused, Read, ReadKind, Then, Value, Visitor, kinds};

use crate::events::ShownEvent;
use crate::location::Location;
use crate::past::Past;

/// Reads that are told with an event, at most.
const MAX_READS: usize = 8;

/// An event of a call, or a callee that is folded to one row.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    pub event: ShownEvent,
    /// The call that it happened in; for a call, the one that made it.
    pub owner: CallId,
    /// Unfolded calls around it.
    pub level: u32,
    /// For a call, its row in the index.
    pub callee: Option<CallRow>,
    pub unfolded: bool,
    /// What was read for it from fields and arrays, since the event before.
    pub reads: Vec<(Location, Value)>,
    /// The last event, and hidden ones behind it, that no later row stands for.
    pub until: u64,
}

/// Some rows around a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventRows {
    pub rows: Vec<EventRow>,
    /// How many of them are before the moment that was asked for.
    pub before: usize,
    pub is_first: bool,
    pub is_last: bool,
}

impl Past {
    /// The rows of a call's events around a moment: at most `before` rows before it, and `after` from it on. A moment
    /// within a call that is not unfolded is that call's row.
    pub fn event_rows(
        &self,
        root: CallId,
        unfolded: &BTreeSet<CallId>,
        at: Option<Time>,
        before: usize,
        after: usize,
    ) -> EventRows {
        self.stay_small();
        let Some(row) = self.index.call(root) else { return EventRows::default() };
        let tree = Tree { past: self, root, row, unfolded };
        let from = tree.snap(at.map_or(row.entry, |time| tree.ordinal(time)));
        // About every second event is bookkeeping.
        let mut steps = before.saturating_mul(2);
        loop {
            let start = tree.back(from, steps);
            let mut found = tree.walk(start, from, after);
            let is_first = start == row.entry;
            if found.before < before && !is_first {
                steps = steps.saturating_mul(2).max(before + 8);
                continue;
            }
            let spare = found.before.saturating_sub(before);
            found.rows.drain(..spare);
            found.before -= spare;
            found.is_first = is_first && spare == 0;
            return found;
        }
    }
}

pub(crate) struct Tree<'t> {
    pub past: &'t Past,
    pub root: CallId,
    pub row: CallRow,
    pub unfolded: &'t BTreeSet<CallId>,
}

impl Tree<'_> {
    fn id(&self, index: u32) -> CallId {
        CallId { stream: self.root.stream, index }
    }

    /// The last event of the call at or before a moment.
    pub fn ordinal(&self, time: Time) -> u64 {
        let index = &self.past.index;
        let (mut low, mut high) = (self.row.entry, self.row.exit);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            let position = Position { stream: self.root.stream, ordinal: middle };
            if index.time(position).is_some_and(|at| at <= time) { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// Calls around an event below the root, the outermost first, with their rows.
    fn path(&self, ordinal: u64) -> Vec<(CallId, CallRow)> {
        let index = &self.past.index;
        let mut path = Vec::new();
        let mut inner = index.call_at(Position { stream: self.root.stream, ordinal });
        while let Some(id) = inner.filter(|&id| id != self.root) {
            let Some(row) = index.call(id) else { break };
            path.push((id, row));
            inner = row.parent.map(|parent| self.id(parent));
        }
        path.reverse();
        path
    }

    /// The event whose row stands for this one: the beginning of the outermost call around it that is folded.
    pub fn snap(&self, ordinal: u64) -> u64 {
        let ordinal = ordinal.clamp(self.row.entry, self.row.exit);
        let folded = self.path(ordinal).into_iter().find(|(id, _)| !self.unfolded.contains(id));
        folded.map_or(ordinal, |(_, row)| row.entry)
    }

    /// Some events back, over folded calls.
    fn back(&self, from: u64, steps: usize) -> u64 {
        let mut at = from;
        for _ in 0..steps {
            if at <= self.row.entry {
                break;
            }
            at = self.snap(at - 1);
        }
        at
    }

    fn walk(&self, start: u64, from: u64, after: usize) -> EventRows {
        let past = self.past;
        // The calls that are open at the start, and the next one that begins.
        let open = self.path(start).into_iter().take_while(|(_, row)| row.entry < start);
        let frames = std::iter::once((self.root, self.row)).chain(open).collect();
        let (mut low, mut high) = (self.root.index + 1, self.root.index.saturating_add(self.row.size));
        while low < high {
            let middle = low + (high - low) / 2;
            if past.index.call(self.id(middle)).is_some_and(|call| call.entry < start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let position = Position { stream: self.root.stream, ordinal: start };
        let checkpoint = past.index.checkpoint(position);
        let mut walk = Walk {
            tree: self,
            at: checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events),
            start,
            from,
            after,
            frames,
            next: low,
            next_row: past.index.call(self.id(low)),
            folded: None,
            reads: Vec::new(),
            found: EventRows { is_last: true, ..EventRows::default() },
        };
        let replay = match &checkpoint {
            Some(checkpoint) => past.recording.replay_at(checkpoint, &mut walk),
            None => Some(past.recording.replay(position.stream, &mut walk)),
        };
        if let Some(mut replay) = replay {
            while replay.run(u64::MAX) == Paused::Reached {}
        }
        walk.found
    }
}

struct Walk<'t> {
    tree: &'t Tree<'t>,
    at: u64,
    start: u64,
    from: u64,
    after: usize,
    /// Open calls that are unfolded, the root first.
    frames: Vec<(CallId, CallRow)>,
    /// The call that begins next: calls are numbered as they begin.
    next: u32,
    next_row: Option<CallRow>,
    /// The call that is passed over.
    folded: Option<CallRow>,
    reads: Vec<(Location, Value)>,
    found: EventRows,
}

impl Walk<'_> {
    fn go_on_with(&mut self, next: u32) {
        self.next = next;
        self.next_row = self.tree.past.index.call(self.tree.id(next));
    }

    fn push_event(&mut self, event: &Event<'_>, at: u64, callee: Option<(CallId, CallRow)>) -> Then {
        let position = Position { stream: self.tree.root.stream, ordinal: at };
        let Some(happened) = self.tree.past.happened(event, position) else { return Then::On };
        let shown = self.found.rows.len() - self.found.before;
        if shown == self.after && at >= self.from {
            self.found.is_last = false;
            self.end_last(at);
            return Then::Stop;
        }
        self.end_last(at);
        self.found.before += usize::from(at < self.from);
        self.found.rows.push(EventRow {
            event: happened,
            owner: self.frames.last().map_or(self.tree.root, |frame| frame.0),
            level: self.frames.len() as u32 - 1,
            callee: callee.map(|(_, row)| row),
            unfolded: callee.is_some_and(|(id, _)| self.tree.unfolded.contains(&id)),
            reads: std::mem::take(&mut self.reads),
            until: self.tree.row.exit,
        });
        Then::On
    }

    /// A row begins: the one before stands for what is before it.
    fn end_last(&mut self, at: u64) {
        if let Some(last) = self.found.rows.last_mut() {
            last.until = at.saturating_sub(1);
        }
    }

    /// What to do at an event within a call that is passed over.
    fn pass(&mut self, event: &Event<'_>, at: u64, folded: &CallRow) -> Then {
        let is_throw = matches!(event.kind, EventKind::Throw { .. });
        // What a library throws is thrown in the program's call.
        if is_throw && at == folded.exit && is_library(folded) {
            return self.push_event(event, at, None);
        }
        if let EventKind::Enter { .. } = event.kind
            && folded.exit - folded.entry >= index::WORTH_A_JUMP
            && let Some(jump) =
                self.tree.past.index.jump(Position { stream: self.tree.root.stream, ordinal: at })
        {
            self.at = jump.events;
            return Then::Skip(jump);
        }
        Then::On
    }
}

impl Visitor for &mut Walk<'_> {
    const READS: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.at;
        self.at += 1;
        if at < self.start {
            self.reads.clear();
            return Then::On;
        }
        if at > self.tree.row.exit {
            return Then::Stop;
        }
        if let Some(folded) = self.folded.take()
            && at <= folded.exit
        {
            let then = self.pass(event, at, &folded);
            self.folded = Some(folded);
            return then;
        }
        let throw = matches!(event.kind, EventKind::Throw { .. });
        let is_over = |row: &CallRow| row.exit < at || throw && row.exit == at && is_library(row);
        while self.frames.len() > 1 && self.frames.last().is_some_and(|(_, row)| is_over(row)) {
            self.frames.pop();
        }
        if let Some(row) = self.next_row.filter(|row| row.entry == at) {
            let id = self.tree.id(self.next);
            let then = self.push_event(event, at, Some((id, row)));
            self.reads.clear();
            if then == Then::Stop {
                return then;
            }
            if self.tree.unfolded.contains(&id) {
                self.frames.push((id, row));
                self.go_on_with(id.index + 1);
                return Then::On;
            }
            self.go_on_with(id.index.saturating_add(row.size.max(1)));
            let then = if at < row.exit { self.pass(event, at, &row) } else { Then::On };
            self.folded = Some(row);
            return then;
        }
        let begins = match event.kind {
            // Its row is the one of the call.
            EventKind::Enter { .. } => self.frames.len() > 1,
            // The caller's part of the root's beginning.
            EventKind::Call { .. } => at == self.tree.row.entry && !is_library(&self.tree.row),
            kinds! {
                threads writes branches creations exceptions locks contents losses Exit Unwind Return
                LocalWrite
            } => false,
        };
        let then = if begins { Then::On } else { self.push_event(event, at, None) };
        self.reads.clear();
        if at == self.tree.row.exit { Then::Stop } else { then }
    }

    fn read(&mut self, read: &Read<'_>) {
        let in_folded = self.folded.as_ref().is_some_and(|folded| self.at <= folded.exit);
        if in_folded || self.at < self.start || self.reads.len() == MAX_READS {
            return;
        }
        let past = self.tree.past;
        let stream = self.tree.root.stream;
        let object = |value| match past.index.resolved(stream, value) {
            Value::Object(id) => Some(id),
            _ => None,
        };
        let program = past.recording.program();
        let (location, value) = match read.kind {
            ReadKind::Field { object: owner, field, value } => {
                let location = object(owner).zip(field.used_id(program));
                (location.map(|(object, field)| Location::Field { object, field }), value)
            }
            ReadKind::Static { field, value } => (field.id(program).map(Location::Static), value),
            ReadKind::Element { array, index, value } => {
                (object(array).map(|array| Location::Element { array, index: index as u32 }), value)
            }
        };
        if let Some(location) = location {
            self.reads.push((location, past.index.resolved(stream, value)));
        }
    }
}

fn is_library(row: &CallRow) -> bool {
    matches!(row.target, Target::Library(_))
}
