//! When branches of chosen calls were executed, which way they went, and what variables held then: from replaying
//! those calls and nothing else. Everything between them is stepped over.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use index::{CallRow, Evidence, Position};
use past::{CallId, Past};
use trace::{Event, EventKind, MethodId, Paused, StreamId, Then, Value, Visitor, kinds};

use super::bodies::MethodBody;
use crate::cfg::{BlockExit, EdgeId};

/// A replay goes on to the next call that is asked for if that is not farther than this.
const FAR: u64 = 1 << 15;
/// Calls of so few events are not stepped over: to look how would take longer.
const SHORT: u64 = 1024;
/// Events of one place that are told of one call.
const MAX_OF_PLACE: usize = 4096;

/// A call to be looked at.
pub struct MomentQuery {
    pub call: CallId,
    pub row: CallRow,
    pub method: MethodId,
    pub body: Arc<MethodBody>,
    pub places: BTreeSet<u16>,
    pub slots: BTreeSet<u16>,
}

/// A branch, a switch or an exception.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub ordinal: u64,
    pub bci: u16,
    /// The edge that control left on; none for an exception.
    pub way: Option<EdgeId>,
    variables: Vec<(u16, Value)>,
}

impl Seen {
    pub fn variable(&self, slot: u16) -> Option<Value> {
        self.variables.iter().find(|(own, _)| *own == slot).map(|&(_, value)| value)
    }
}

#[derive(Debug, Default)]
pub struct Moments {
    by_call: HashMap<CallId, CallMoments>,
}

#[derive(Debug, Default)]
struct CallMoments {
    seen: Vec<Seen>,
    /// It was looked at to its end.
    whole: bool,
}

impl Moments {
    /// What was asked for, at most `budget` events being replayed. Calls that come first in the list come first.
    pub fn replayed(past: &Past, asked: Vec<MomentQuery>, budget: u64) -> Moments {
        let mut found = Moments::default();
        let mut left = budget;
        let mut by_stream: HashMap<StreamId, Vec<MomentQuery>> = HashMap::new();
        for one in asked {
            by_stream.entry(one.call.stream).or_default().push(one);
        }
        for (stream, mut asked) in by_stream {
            asked.sort_by_key(|one| (one.row.entry, one.call.index));
            let mut from = 0;
            while from < asked.len() && left > 0 {
                let start = Position { stream, ordinal: asked[from].row.entry };
                let checkpoint = past.index().checkpoint(start);
                let next = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
                let looking = Looking {
                    past,
                    stream,
                    asked: &asked,
                    upcoming: from,
                    next,
                    cursor: None,
                    open: Vec::new(),
                    left,
                    begun: false,
                    found: &mut found,
                };
                let replay = match &checkpoint {
                    Some(checkpoint) => past.recording().replay_at(checkpoint, looking),
                    None => Some(past.recording().replay(stream, looking)),
                };
                let Some(mut replay) = replay else { break };
                while replay.run(u64::MAX) == Paused::Reached {}
                let looking = replay.into_visitor();
                left = looking.left;
                // Where the log does not get to a call any more, the next one may still be reached.
                from = looking.upcoming.max(from + 1);
            }
        }
        found
    }

    /// The events of a place of a call, and whether these are all. None if the call was not looked at.
    pub fn of(&self, call: CallId, bci: u16) -> Option<(impl Iterator<Item = &Seen>, bool)> {
        let told = self.by_call.get(&call)?;
        let here = told.seen.iter().filter(move |seen| seen.bci == bci);
        Some((here, told.whole))
    }
}

struct OpenCall {
    asked: usize,
    /// Open calls of program code in the call, once it was entered.
    depth: Option<u32>,
    slots: HashMap<u16, Value>,
}

struct Looking<'a> {
    past: &'a Past,
    stream: StreamId,
    asked: &'a [MomentQuery],
    /// The first call that was not reached yet.
    upcoming: usize,
    next: u64,
    /// The last call that had begun, once that was looked for.
    cursor: Option<u32>,
    open: Vec<OpenCall>,
    left: u64,
    /// A call was reached in this replay.
    begun: bool,
    found: &'a mut Moments,
}

impl Looking<'_> {
    /// The innermost call around an event, and its row. Calls lie in the order in which they began, and events come
    /// in order: so it is near the last one.
    fn call_at(&mut self, ordinal: u64) -> Option<(CallId, CallRow)> {
        let index = self.past.index();
        let id = |index: u32| CallId { stream: self.stream, index };
        let begun = |at: u32| index.call(id(at)).is_some_and(|call| call.entry <= ordinal);
        let mut at = match self.cursor {
            Some(at) => at,
            None => {
                let (mut low, mut high) = (0, index.calls(self.stream));
                while low < high {
                    let middle = low + (high - low) / 2;
                    if begun(middle) { low = middle + 1 } else { high = middle }
                }
                low.checked_sub(1)?
            }
        };
        while begun(at + 1) {
            at += 1;
        }
        self.cursor = Some(at);
        let mut found = id(at);
        loop {
            let call = index.call(found)?;
            if call.exit >= ordinal {
                return Some((found, call));
            }
            found = id(call.parent?);
        }
    }

    fn close(&mut self, at: u64) {
        while let Some(frame) = self.open.last() {
            let asked = &self.asked[frame.asked];
            if asked.row.exit >= at {
                break;
            }
            self.found.by_call.entry(asked.call).or_default().whole |= frame.depth.is_some();
            self.open.pop();
        }
    }

    /// An event that begins a call: one that is asked for, or one that may be stepped over.
    fn enter(&mut self, event: &Event<'_>, at: u64) -> Then {
        let EventKind::Enter { receiver, args, .. } = event.kind else { return Then::On };
        let call = self.call_at(at);
        if let Some(frame) = self.open.last_mut()
            && frame.depth.is_none()
            && call.is_some_and(|(call, _)| call == self.asked[frame.asked].call)
        {
            let asked = &self.asked[frame.asked];
            frame.depth = Some(event.depth);
            let values = receiver.into_iter().chain(args.iter().copied());
            let slots = asked.body.code.arguments.iter().copied().zip(values);
            frame.slots.extend(slots.filter(|(slot, _)| asked.slots.contains(slot)));
            self.found.by_call.entry(asked.call).or_default();
            return Then::On;
        }
        let Some((call, row)) = call else { return Then::On };
        if row.exit.saturating_sub(row.entry) < SHORT {
            return Then::On;
        }
        let free = self.asked.get(self.upcoming).is_none_or(|asked| asked.row.entry > row.exit);
        match self.past.index().jump(Position { stream: self.stream, ordinal: at }) {
            Some(jump) if free => {
                self.next = jump.events;
                self.cursor = Some(call.index + row.size.max(1) - 1);
                Then::Skip(jump)
            }
            _ => Then::On,
        }
    }

    fn own(&mut self, event: &Event<'_>, at: u64) {
        let here = |frame: &&mut OpenCall| frame.depth == Some(event.depth);
        let Some(frame) = self.open.iter_mut().rev().find(here) else { return };
        let asked = &self.asked[frame.asked];
        let Some(site) = event.site.filter(|site| site.method == asked.method && !event.library) else {
            return;
        };
        if let EventKind::LocalWrite { slot, value } = event.kind {
            if asked.slots.contains(&slot) {
                frame.slots.insert(slot, value);
            }
            return;
        }
        let cfg = &asked.body.code.cfg;
        let exit = || cfg.block_at(site.bci).map(|block| &cfg.block(block).exit);
        let way = match event.kind {
            EventKind::Branch { taken } => match exit() {
                Some(&BlockExit::Branches { taken: yes, not }) => Some(if taken { yes } else { not }),
                _ => return,
            },
            EventKind::Switch { case, .. } => match exit() {
                Some(BlockExit::Switches { cases, default }) => {
                    Some(case.map_or(*default, |case| cases.get(case as usize).copied().unwrap_or(*default)))
                }
                _ => return,
            },
            EventKind::Throw { .. } => None,
            EventKind::Gap { .. } => {
                self.open.pop();
                return;
            }
            kinds! { threads calls writes creations locks contents LocalWrite Catch Stop } => return,
        };
        if !asked.places.contains(&site.bci) {
            return;
        }
        let resolved = |value: Value| self.past.index().resolved(asked.call.stream, value);
        let variables = frame.slots.iter().map(|(&slot, &value)| (slot, resolved(value))).collect();
        let told = self.found.by_call.entry(asked.call).or_default();
        if told.seen.len() < MAX_OF_PLACE * asked.places.len() {
            told.seen.push(Seen { ordinal: at, bci: site.bci, way, variables });
        } else {
            // Nothing more is told of it, so what is told is not the whole.
            self.open.pop();
        }
    }
}

impl Visitor for Looking<'_> {
    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.next;
        self.next += 1;
        self.left = self.left.saturating_sub(1);
        self.close(at);
        while self.asked.get(self.upcoming).is_some_and(|asked| asked.row.entry <= at) {
            self.open.push(OpenCall { asked: self.upcoming, depth: None, slots: HashMap::new() });
            self.upcoming += 1;
            self.begun = true;
        }
        if self.left == 0 {
            return Then::Stop;
        }
        if self.open.is_empty() {
            // Before the first of them, the way from the checkpoint is as long as it is.
            let far = |asked: &MomentQuery| self.begun && asked.row.entry - at > FAR;
            if self.asked.get(self.upcoming).is_none_or(far) {
                return Then::Stop;
            }
        }
        if let EventKind::Enter { .. } = event.kind {
            return self.enter(event, at);
        }
        self.own(event, at);
        Then::On
    }
}
