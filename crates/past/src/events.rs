//! What happened in a call, one event after the other. Locals and branches are not in the index: they come from
//! replaying the call, from the nearest checkpoint on; callees that took long are stepped over.

use std::ops::ControlFlow;

use index::{CallId, Position, Target, Time};
use trace::{Event, EventKind, Paused, Site, Then, Value, Visitor, kinds};

use crate::action::Action;
use crate::location::Location;
use crate::past::{Past, SourceLine};

/// One event, with names and values looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownEvent {
    pub time: Time,
    pub position: Position,
    /// As the table of event kinds calls it.
    pub kind: &'static str,
    pub action: Action,
    pub place: Option<SourceLine>,
    /// Open calls of program code.
    pub depth: u32,
    /// The call that begins here.
    pub child: Option<CallId>,
    /// What was written, and what it became.
    pub location: Option<Location>,
    pub value: Option<Value>,
}

/// Some events, and whether there are more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub events: Vec<ShownEvent>,
    pub more: bool,
}

impl Past {
    /// A call's own events from a time on, at most `limit`. What its callees did is one event each, unless `deep`.
    pub fn events(&self, call: CallId, from: Option<Time>, limit: usize, deep: bool) -> Page {
        let mut page = Page::default();
        self.walk(call, from, deep, &mut |event, position| {
            let Some(happened) = self.happened(event, position) else { return ControlFlow::Continue(()) };
            if page.events.len() == limit {
                page.more = true;
                return ControlFlow::Break(());
            }
            page.events.push(happened);
            ControlFlow::Continue(())
        });
        page
    }

    /// The event at a position, if it is one that is shown.
    pub fn event_at(&self, position: Position) -> Option<ShownEvent> {
        let mut found = None;
        self.replay_from(position, &mut |event, at| {
            if at.ordinal < position.ordinal {
                return Next::On;
            }
            found = self.happened(event, at);
            Next::Stop
        });
        found
    }

    /// The events at many positions, in the order of the positions; none where nothing is shown. What lies near
    /// together is replayed once.
    pub fn events_at(&self, positions: &[Position]) -> Vec<Option<ShownEvent>> {
        let mut found: Vec<Option<ShownEvent>> = positions.iter().map(|_| None).collect();
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by_key(|&at| (positions[at].stream.0, positions[at].ordinal));
        let mut left = order.as_slice();
        while let [first, ..] = *left {
            let from = positions[first];
            let near = |&&at: &&usize| {
                positions[at].stream == from.stream
                    && positions[at].ordinal - from.ordinal < index::CHECKPOINT_EVERY
            };
            let (mut wanted, rest) = left.split_at(left.iter().take_while(near).count());
            left = rest;
            self.replay_from(from, &mut |event, at| {
                while let [next, more @ ..] = wanted
                    && positions[*next].ordinal <= at.ordinal
                {
                    wanted = more;
                    if positions[*next].ordinal == at.ordinal {
                        found[*next] = self.happened(event, at);
                    }
                }
                if wanted.is_empty() { Next::Stop } else { Next::On }
            });
        }
        found
    }

    /// Replays from the nearest checkpoint at or before a position.
    pub(crate) fn replay_from(&self, from: Position, visit: &mut dyn FnMut(&Event<'_>, Position) -> Next) {
        let checkpoint = self.index.checkpoint(from);
        let ordinal = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.events);
        let counting = Counting { at: Position { stream: from.stream, ordinal }, visit };
        let replay = match &checkpoint {
            Some(checkpoint) => self.recording.replay_at(checkpoint, counting),
            None => Some(self.recording.replay(from.stream, counting)),
        };
        let Some(mut replay) = replay else { return };
        while replay.run(u64::MAX) == Paused::Reached {}
    }

    /// Tells the events of a call, from a time on. With `deep` those of its callees too.
    pub(crate) fn walk(
        &self,
        call: CallId,
        from: Option<Time>,
        deep: bool,
        visit: &mut dyn FnMut(&Event<'_>, Position) -> ControlFlow<()>,
    ) {
        let Some(row) = self.index.call(call) else { return };
        let from = from.and_then(|time| self.index.position(time)).filter(|from| from.stream == call.stream);
        let first = from.map_or(row.entry, |from| from.ordinal.clamp(row.entry, row.exit));
        let start = Position { stream: call.stream, ordinal: first };
        let library = matches!(row.target, Target::Library(_));
        let mut own_depth: Option<u32> = None;
        let mut in_callee = false;
        if first > row.entry {
            let inner = self.index.call_at(start).filter(|&inner| inner != call);
            in_callee =
                inner.and_then(|inner| self.index.call(inner)).is_some_and(|inner| inner.entry < first);
            own_depth = self.depth_of(call);
        }
        self.replay_from(start, &mut |event, at| {
            if at.ordinal > row.exit {
                return Next::Stop;
            }
            if at.ordinal < first {
                return Next::On;
            }
            let begins = match event.kind {
                EventKind::Enter { .. } => self.index.call_at(at) == Some(call),
                EventKind::Call { .. } => library && at.ordinal == row.entry,
                kinds! {
                    threads writes branches creations exceptions locks contents losses Exit Unwind Return
                    LocalWrite
                } => false,
            };
            if begins {
                own_depth = Some(event.depth);
            }
            let Some(depth) = own_depth else { return Next::On };
            let entered = matches!(event.kind, EventKind::Enter { .. }) && !begins;
            // What happens between a call and its return is the callee's.
            let own = event.depth == depth && !in_callee;
            if event.depth == depth {
                match event.kind {
                    EventKind::Call { .. } => in_callee = !begins,
                    EventKind::Return { .. } | EventKind::Throw { .. } | EventKind::Catch { .. } => {
                        in_callee = false;
                    }
                    kinds! {
                        threads writes branches creations locks contents losses Enter Exit Unwind LocalWrite
                    } => {}
                }
            }
            // Nobody has called a class initialiser, or what the VM itself calls.
            let uncalled = entered && event.depth == depth + 1 && !in_callee;
            let throws = event.depth == depth && matches!(event.kind, EventKind::Throw { .. });
            let tell = deep || own || uncalled || throws;
            if tell && visit(event, at).is_break() {
                return Next::Stop;
            }
            if at.ordinal == row.exit {
                return Next::Stop;
            }
            if entered
                && !deep
                && event.depth > depth
                && let Some(jump) = self.index.jump(at)
            {
                return Next::Skip(jump);
            }
            Next::On
        });
    }

    /// How many calls of program code are open in a call, itself included. Its own beginning tells: calls around it
    /// that are still being linked (while a class is initialised) are not open yet.
    pub fn depth_of(&self, call: CallId) -> Option<u32> {
        let row = self.index.call(call)?;
        let library = matches!(row.target, Target::Library(_));
        let mut depth = None;
        self.replay_from(Position { stream: call.stream, ordinal: row.entry }, &mut |event, at| {
            if at.ordinal < row.entry {
                return Next::On;
            }
            let enters = matches!(event.kind, EventKind::Enter { .. });
            let begins = if enters { self.index.call_at(at) == Some(call) } else { library };
            if begins {
                depth = Some(event.depth);
            }
            if begins || at.ordinal >= row.exit { Next::Stop } else { Next::On }
        });
        depth
    }

    /// Name and descriptor of the variable in a slot; a made-up name where the class file has none.
    pub(crate) fn local(&self, site: Site, slot: u16) -> (String, String) {
        match self.recording.local_name(site, slot) {
            Some((name, descriptor)) => (name.to_owned(), descriptor.to_owned()),
            None => (format!("local{slot}"), String::new()),
        }
    }

    /// Where a lambda was written; none for anything else.
    pub(crate) fn lambda_place(&self, object: trace::ObjectId) -> Option<String> {
        if !self.class_of(object)?.contains("$$Lambda") {
            return None;
        }
        let made = self.index.all(index::Key::created(object), None).next()?;
        let call = self.index.call_at(made.position)?;
        let place = self.place_in(call, made.posting.bci)?;
        Some(match (place.file, place.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => self.recording.place(place.site),
        })
    }
}

/// What to do after an event.
pub(crate) enum Next {
    On,
    Stop,
    Skip(trace::Jump),
}

/// Counts events for a visitor, over what is stepped over.
struct Counting<'v> {
    at: Position,
    visit: &'v mut dyn FnMut(&Event<'_>, Position) -> Next,
}

impl Visitor for Counting<'_> {
    fn event(&mut self, event: &Event<'_>) -> Then {
        let at = self.at;
        self.at.ordinal += 1;
        match (self.visit)(event, at) {
            Next::On => Then::On,
            Next::Stop => Then::Stop,
            Next::Skip(jump) => {
                self.at.ordinal = jump.events;
                Then::Skip(jump)
            }
        }
    }
}
