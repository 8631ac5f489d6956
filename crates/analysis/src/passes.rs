//! How often control came to each line of a call, and what was written there: for the source view. Lines without any
//! event of their own (`break`, the second line of a condition) are known from the way that control took to the next
//! event.

use std::collections::BTreeMap;

use index::Evidence;
use past::{CallId, Past, Position, Time, Value};
use trace::{Event, EventKind, Method, kinds};

use crate::cfg::EdgeId;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::follow::Walk;
use crate::own::own_events_within;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passes {
    /// A line that is not here did not run, if this is `complete`.
    pub lines: BTreeMap<u32, LineExecution>,
    pub complete: bool,
    /// The line of the last event up to the moment.
    pub current: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineExecution {
    /// How often control came to it from another line.
    pub count: u64,
    /// That, up to the moment.
    pub until: u64,
    /// What was written on it last, up to the moment: the latest ones.
    pub written: Vec<Written>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub name: String,
    pub descriptor: String,
    pub value: Value,
    pub time: Time,
}

/// What counts as a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Line,
    Instruction,
}

/// Values kept for one line.
const MAX_WRITTEN: usize = 4;

/// What a call did on its lines, and what it had done at a moment (its end, if none is given). Looks at `limit` events at
/// most; of a moment behind those it tells only what happened shortly before it.
pub fn passes(past: &Past, call: CallId, by: By, moment: Option<Time>, limit: u64) -> Result<Passes> {
    let mut gathering = Gathering::new(past, call, by, moment)?;
    let (row, enough) = own_events_within(past, call, 0, limit, &mut |event, at| {
        gathering.event(event, at);
        true
    })?;
    let seen = gathering.last;
    let mut told = gathering.told;
    told.complete &= enough;
    // Had the moment not come yet, the state of before is not that of the moment.
    if let Some(moment) = moment.map(|moment| past.index().happened(call.stream, moment))
        && !enough
        && moment > seen
    {
        told.lines.values_mut().for_each(|pass| pass.written.clear());
        let from = moment.min(row.exit + 1).saturating_sub(limit / 4);
        let mut late = Gathering::new(past, call, by, None)?;
        late.code = None;
        own_events_within(past, call, from, limit / 4 + 1, &mut |event, at| {
            if at < moment {
                late.event(event, at);
            }
            at < moment
        })?;
        told.current = late.told.current;
        for (line, pass) in late.told.lines {
            let known = told.lines.entry(line).or_default();
            known.count = known.count.max(1);
            known.written = pass.written;
        }
    }
    Ok(told)
}

/// An event on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLine {
    At(Time),
    /// There is none.
    Nowhere,
    /// There is none among the events that were looked at.
    NotNear,
}

/// The first event of a call on a line (or instruction) after a moment, or at all.
pub fn next_on_line(
    past: &Past,
    call: CallId,
    (by, line): (By, u32),
    after: Option<Time>,
    limit: u64,
) -> Result<OnLine> {
    let from = after.map_or(0, |after| past.index().happened(call.stream, after));
    let lines = Lines::of(past, call, by)?;
    let mut found = None;
    let (_, enough) = own_events_within(past, call, from, limit, &mut |event, at| {
        let at = Position { stream: call.stream, ordinal: at };
        if lines.of_event(event) == Some(line) && past.event_at(at).is_some() {
            found = past.index().time(at);
        }
        found.is_none()
    })?;
    Ok(found.map_or(if enough { OnLine::Nowhere } else { OnLine::NotNear }, OnLine::At))
}

/// The last event of a call on a line before a moment.
pub fn last_on_line(
    past: &Past,
    call: CallId,
    (by, line): (By, u32),
    before: Time,
    limit: u64,
) -> Result<OnLine> {
    let row = past.index().call(call).ok_or(Error::NoSuchCall)?;
    let lines = Lines::of(past, call, by)?;
    let happened = before.0.checked_sub(1).map_or(0, |last| past.index().happened(call.stream, Time(last)));
    let mut end = happened.min(row.exit.saturating_add(1));
    let mut size = 4096;
    let mut left = limit;
    // Backwards in growing stretches: most often it is near.
    while end > row.entry && left > 0 {
        let from = end.saturating_sub(size).max(row.entry);
        let mut found = Vec::new();
        own_events_within(past, call, from, left, &mut |event, at| {
            if at < end && lines.of_event(event) == Some(line) {
                found.push(at);
            }
            at < end
        })?;
        let mut shown = found.into_iter().rev().map(|ordinal| Position { stream: call.stream, ordinal });
        if let Some(time) = shown.find(|&at| past.event_at(at).is_some()).and_then(|at| past.index().time(at))
        {
            return Ok(OnLine::At(time));
        }
        left = left.saturating_sub(end - from);
        end = from;
        size = size.saturating_mul(4);
    }
    Ok(if end > row.entry { OnLine::NotNear } else { OnLine::Nowhere })
}

/// The lines of a call's method.
struct Lines<'a> {
    method: &'a Method,
    id: trace::MethodId,
    by: By,
}

impl<'a> Lines<'a> {
    fn of(past: &'a Past, call: CallId, by: By) -> Result<Lines<'a>> {
        let id = past.method_of(call).ok_or_else(|| Error::Library(past.call_name(call)))?;
        let method = past.recording().program().method(id).map(|(_, method)| method);
        let method = method.ok_or_else(|| Error::NoCode(past.call_name(call)))?;
        Ok(Lines { method, id, by })
    }

    fn at(&self, bci: u16) -> Option<u32> {
        match self.by {
            By::Line => self.method.line(bci).map(u32::from),
            By::Instruction => Some(u32::from(bci)),
        }
    }

    /// The line of an event that a person is shown; none of what is only bookkeeping.
    fn of_event(&self, event: &Event<'_>) -> Option<u32> {
        let hidden = match event.kind {
            kinds! { contents Return Named Enter } => true,
            kinds! {
                threads writes branches exceptions locks losses Exit Unwind Call LocalWrite New NewArray
            } => false,
        };
        let site = event.site.filter(|site| site.method == self.id && !hidden)?;
        self.at(site.bci)
    }
}

struct Gathering<'a> {
    past: &'a Past,
    call: CallId,
    lines: Lines<'a>,
    /// None if the way of control cannot be followed: then lines are known by their events only.
    code: Option<Code>,
    walk: Walk,
    /// The instruction from which on nothing is counted yet.
    next: u32,
    /// The line that control is on.
    here: Option<u32>,
    /// The first ordinal after the moment.
    moment: u64,
    last: u64,
    told: Passes,
    edges: Vec<(EdgeId, u32)>,
}

impl<'a> Gathering<'a> {
    fn new(past: &'a Past, call: CallId, by: By, moment: Option<Time>) -> Result<Gathering<'a>> {
        let lines = Lines::of(past, call, by)?;
        let code = Code::read(past.recording().program(), lines.id)?.filter(|code| code.replayed);
        Ok(Gathering {
            past,
            call,
            code,
            walk: Walk::default(),
            next: 0,
            here: None,
            moment: moment.map_or(u64::MAX, |moment| past.index().happened(call.stream, moment)),
            last: 0,
            told: Passes { complete: true, ..Passes::default() },
            lines,
            edges: Vec::new(),
        })
    }

    fn event(&mut self, event: &Event<'_>, at: u64) {
        self.last = at;
        if matches!(event.kind, EventKind::Gap { .. }) {
            self.told.complete = false;
        }
        let Some(site) = event.site.filter(|site| site.method == self.lines.id) else { return };
        if matches!(event.kind, EventKind::Enter { .. }) {
            return;
        }
        self.follow(event, site.bci, at);
        let line = self.lines.at(site.bci);
        if at < self.moment {
            self.told.current = line.or(self.told.current);
            if let Some(line) = line {
                self.written(line, event, site.bci, at);
            }
        }
    }

    /// Counts the lines that control came to up to an event, and because of it.
    fn follow(&mut self, event: &Event<'_>, bci: u16, at: u64) {
        let Some(code) = self.code.take() else { return self.arrive(bci, at) };
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        self.walk.event(&code.cfg, bci, &event.kind, &mut |edge, reached| edges.push((edge, reached)));
        for &(edge, reached) in &edges {
            let edge = code.cfg.edge_of(edge);
            let end = if edge.exceptional { reached } else { u32::from(code.cfg.block(edge.from).last) + 1 };
            self.run(Some(&code), end, at);
            self.next = code.cfg.block(edge.to).first.into();
        }
        self.edges = edges;
        self.run(Some(&code), self.walk.reached(), at);
        if self.walk.is_lost() {
            self.arrive(bci, at);
        } else {
            self.code = Some(code);
        }
    }

    /// Without the code only the events are known.
    fn arrive(&mut self, bci: u16, at: u64) {
        self.told.complete = false;
        if let Some(line) = self.lines.at(bci) {
            self.come(line, at);
        }
    }

    /// Control went on to the instruction before `end`.
    fn run(&mut self, code: Option<&Code>, end: u32, at: u64) {
        let from = self.next;
        if from >= end {
            return;
        }
        self.next = end;
        if self.lines.by == By::Instruction {
            let insns = code.map_or(&[][..], |code| &code.insns[..]);
            let first = insns.partition_point(|insn| u32::from(insn.bci) < from);
            for insn in insns[first..].iter().take_while(|insn| u32::from(insn.bci) < end) {
                self.here = None;
                self.come(insn.bci.into(), at);
            }
            return;
        }
        if let Some(line) = self.lines.at(from as u16) {
            self.come(line, at);
        }
        let table = self.lines.method.lines();
        let first = table.partition_point(|&(bci, _)| u32::from(bci) <= from);
        for &(_, line) in table[first..].iter().take_while(|&&(bci, _)| u32::from(bci) < end) {
            self.come(line.into(), at);
        }
    }

    fn come(&mut self, line: u32, at: u64) {
        if self.here == Some(line) {
            return;
        }
        self.here = Some(line);
        let pass = self.told.lines.entry(line).or_default();
        pass.count += 1;
        if at < self.moment {
            pass.until = pass.count;
        }
    }

    fn written(&mut self, line: u32, event: &Event<'_>, bci: u16, at: u64) {
        let stream = self.call.stream;
        let resolved = |value| self.past.index().resolved(stream, value);
        let (name, descriptor, value) = match event.kind {
            EventKind::LocalWrite { slot, value } => match self.lines.method.local(slot, bci) {
                Some((name, descriptor)) => (name.to_owned(), descriptor.to_owned(), value),
                // A variable that only the compiler knows.
                None if self.lines.method.locals().next().is_some() => return,
                None => (format!("local{slot}"), String::new(), value),
            },
            EventKind::FieldWrite { field, value, .. } | EventKind::StaticWrite { field, value } => {
                (field.name.clone(), field.descriptor.clone(), value)
            }
            EventKind::ArrayWrite { array, index, value } => {
                let class = match resolved(array) {
                    Value::Object(array) => self.past.class_of(array),
                    _ => None,
                };
                let descriptor = class.and_then(|class| class.strip_prefix('[')).unwrap_or("");
                (format!("[{index}]"), descriptor.to_owned(), value)
            }
            kinds! { threads calls branches creations exceptions locks contents losses BulkWrite } => return,
        };
        let Some(time) = self.past.index().time(Position { stream, ordinal: at }) else { return };
        let value = resolved(value);
        let written = &mut self.told.lines.entry(line).or_default().written;
        written.retain(|known| known.name != name);
        written.push(Written { name, descriptor, value, time });
        if written.len() > MAX_WRITTEN {
            written.remove(0);
        }
    }
}
