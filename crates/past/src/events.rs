//! What happened in a call, one event after the other. Locals and branches are not in the index: they come from
//! replaying the call, from the nearest checkpoint on; callees that took long are stepped over.

use std::ops::ControlFlow;

use index::{CallId, Ending, Position, Target, Time};
use render::KnownValue;
use trace::{BulkWrite, Event, EventKind, Paused, Site, Then, Value, Visitor, kinds};

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
                && event.depth == depth + 1
                && let Some(child) = self.index.call_at(at)
                && let Some(jump) = self.index.jump(child)
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

    /// An event as it is shown; none for bookkeeping.
    pub(crate) fn happened(&self, event: &Event<'_>, position: Position) -> Option<ShownEvent> {
        let time = self.index.time(position)?;
        let resolved = |value: Value| self.index.resolved(position.stream, value);
        let object = |value: Value| match resolved(value) {
            Value::Object(id) => Some(id),
            _ => None,
        };
        let mut place = event.site.filter(|_| !event.library).map(|site| self.source_line(site));
        let (mut child, mut location, mut written) = (None, None, None);
        let action = match event.kind {
            EventKind::Enter { .. } => {
                let call = self.index.call_at(position)?;
                child = Some(call);
                Action::Call(call)
            }
            EventKind::Exit { value } => {
                let call = self.index.call_at(position);
                let value = value.map(resolved).or_else(|| match self.index.call(call?)?.ending {
                    Ending::Returned(value) => value,
                    _ => None,
                });
                Action::Return { value, descriptor: self.result_descriptor(event.site) }
            }
            EventKind::Unwind { exception, .. } => Action::Unwind { exception: exception.map(resolved) },
            EventKind::Call { .. } => {
                let call = self.index.call_at(position)?;
                // A call without a row of its own is none to a person.
                if self.index.call(call)?.entry != position.ordinal {
                    return None;
                }
                child = Some(call);
                Action::Call(call)
            }
            EventKind::FieldWrite { object: owner, field, value } => {
                let (object, value) = (object(owner), resolved(value));
                if let (Some(object), Some(id)) = (object, field.id(self.recording.program())) {
                    location = Some(Location::Field { object, field: id });
                }
                written = Some(value);
                let descriptor = field.descriptor.clone();
                Action::FieldWrite { object, field: field.name.clone(), value, descriptor }
            }
            EventKind::StaticWrite { field, value } => {
                let value = resolved(value);
                location = field.id(self.recording.program()).map(Location::Static);
                written = Some(value);
                let (class, descriptor) = (trace::simple_name(&field.owner), field.descriptor.clone());
                Action::StaticWrite { class, field: field.name.clone(), value, descriptor }
            }
            EventKind::ArrayWrite { array, index, value } => {
                let (array, value) = (object(array)?, resolved(value));
                location = Some(Location::Element { array, index: index as u32 });
                written = Some(value);
                Action::ElementWrite { array, index, value, descriptor: self.element_descriptor(array) }
            }
            EventKind::LocalWrite { slot, value } => {
                let site = event.site?;
                let (name, descriptor) = self.local(site, slot);
                let (call, value) = (self.index.call_at(position)?, resolved(value));
                location = Some(Location::Local { call, name: name.clone() });
                written = Some(value);
                Action::LocalWrite { name, value, descriptor }
            }
            EventKind::Branch { taken } => {
                let target = event.site.and_then(|site| self.recording.program().jump_target(site));
                Action::Branch { taken, line: target.and_then(|target| self.recording.line_of(target)) }
            }
            EventKind::Switch { key, case } => Action::Switch { key, is_default: case.is_none() },
            EventKind::New { class, object: made } => {
                Action::New { class: trace::simple_name(class), object: object(made) }
            }
            EventKind::NewArray { array, .. } => {
                let array = object(array)?;
                Action::NewArray { array, length: self.recording.objects().length(array)? }
            }
            EventKind::Throw { exception } => Action::Throw { exception: exception.map(resolved) },
            EventKind::Catch { exception } => Action::Catch { exception: exception.map(resolved) },
            EventKind::MonitorEnter { object } => Action::Lock { object: resolved(object) },
            EventKind::MonitorExit { object } => Action::Unlock { object: resolved(object) },
            EventKind::BulkWrite(bulk) => match bulk {
                BulkWrite::Copy { source, from, target, to, length } => Action::Copy {
                    source: object(source),
                    from: from.into(),
                    target: object(target),
                    to: to.into(),
                    length: length.into(),
                },
                BulkWrite::Clone { source, target } => {
                    Action::Clone { source: object(source), target: object(target) }
                }
                BulkWrite::Fill { array, range, value } => {
                    let array = object(array)?;
                    Action::Fill {
                        array,
                        range: range.map(|(from, to)| (from.into(), to.into())),
                        value: KnownValue::Value(resolved(value)),
                        descriptor: self.element_descriptor(array),
                    }
                }
            },
            EventKind::Gap { why } => Action::Gap { why },
            EventKind::Stop { .. } => Action::Stop,
            kinds! { threads contents Return Named OrderingPoint } => return None,
        };
        if event.library {
            place = self.index.call_at(position).and_then(|call| self.place_in(call, index::NO_BCI));
        }
        Some(ShownEvent {
            time,
            position,
            kind: event.kind.name(),
            action,
            place,
            depth: event.depth,
            child,
            location,
            value: written,
        })
    }

    fn result_descriptor(&self, site: Option<Site>) -> String {
        let method = site.and_then(|site| self.recording.program().method(site.method));
        method.map_or(String::new(), |(_, method)| {
            method.descriptor.rsplit(')').next().unwrap_or("").to_owned()
        })
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
