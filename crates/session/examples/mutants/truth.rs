//! What a truthful person would say of each call: it is wrong if something that it gave, or that is different afterwards,
//! depends on an active execution within it.

use std::collections::HashMap;

use base::{CallId, ObjectId, StreamId, Target};
use past::{Location, Past};
use session::Subject;

use crate::forward;

/// Times as `forward::time` has them.
#[derive(Default)]
pub struct Truth {
    /// When the mutated instruction came out otherwise than the original's would have, ascending.
    pub active: Vec<u64>,
    /// Executions of it whose operands are not known: taken for active.
    pub assumed: u64,
    /// Places where the pass lost track of the operands.
    pub lost: u64,
    /// Events of the threads before.
    pub offsets: HashMap<StreamId, u64>,
    pub records: Vec<Record>,
    pub locals: Vec<LocalRecord>,
    /// When something was not done, and the last active execution that this depends on.
    pub omissions: Vec<(u64, u64)>,
    /// By stream and entry of a call: what its result or exception depends on.
    pub ends: HashMap<(StreamId, u64), u64>,
    /// When an object was first and last seen.
    pub objects: HashMap<ObjectId, (u64, u64)>,
}

/// A location holds something that depends on an active execution, for a while.
pub struct Record {
    pub taint: u64,
    pub from: u64,
    pub until: u64,
    /// The one that it is in; none for statics, and for what left the program.
    pub object: Option<ObjectId>,
    /// None for what is somewhere in a library's object, and for what left the program.
    pub location: Option<Location>,
}

/// A variable of a call does.
pub struct LocalRecord {
    pub stream: StreamId,
    /// The call's entry.
    pub call: u64,
    pub taint: u64,
    pub from: u64,
    pub until: u64,
}

impl Truth {
    /// Is it wrong? None for what nobody is asked about here.
    pub fn is_wrong(&self, past: &Past, subject: &Subject) -> Option<bool> {
        match *subject {
            Subject::Call { call } | Subject::Nest { call, .. } => self.call(past, CallId::of_number(call)?),
            Subject::Run { first, last, .. } => {
                let (first, last) = (CallId::of_number(first)?, CallId::of_number(last)?);
                let mut at = first;
                while at.index <= last.index {
                    if self.call(past, at)? {
                        return Some(true);
                    }
                    at.index += past.call_row(at)?.size.max(1);
                }
                Some(false)
            }
            Subject::Thread { first } => {
                let stream = CallId::of_number(first)?.stream;
                Some(self.stretch(stream, 0, past.events_in(stream)?.saturating_sub(1)))
            }
            Subject::Loop { call, run, from, to } => {
                let id = CallId::of_number(call)?;
                let entry = past.call_row(id)?.entry;
                let runs = analysis::loops(past, id).ok()?.runs;
                let run = runs.get(run as usize)?;
                let start = |iteration: u32| run.starts.get(iteration as usize).copied();
                let first = if from == 0 { run.first } else { start(from)? };
                let last = to.and_then(start).map_or(run.last, |next| next.saturating_sub(1));
                Some(self.stretch(id.stream, first, last) || self.variables(id.stream, entry, first, last))
            }
            Subject::Statement { .. } => None,
        }
    }

    pub fn call(&self, past: &Past, call: CallId) -> Option<bool> {
        let row = past.call_row(call)?;
        let (start, end) = (self.time(call.stream, row.entry), self.time(call.stream, row.exit));
        if !self.is_active_within(start, end) {
            return Some(false);
        }
        let ended = self.ends.get(&(call.stream, row.entry)).is_some_and(|&taint| taint >= start);
        Some(ended || self.stretch(call.stream, row.entry, row.exit))
    }

    /// Calls of the program that are wrong.
    pub fn wrong(&self, past: &Past) -> Vec<CallId> {
        let calls = past
            .streams()
            .into_iter()
            .flat_map(|stream| (0..past.calls_in(stream)).map(move |index| CallId { stream, index }));
        let program = calls
            .filter(|&call| past.call_row(call).is_some_and(|row| matches!(row.target, Target::Method(_))));
        program.filter(|&call| self.call(past, call) == Some(true)).collect()
    }

    /// Does what a call gave depend on an active execution within it?
    pub fn gave_wrong(&self, past: &Past, call: CallId) -> bool {
        past.call_row(call).is_some_and(|row| {
            let start = self.time(call.stream, row.entry);
            self.ends.get(&(call.stream, row.entry)).is_some_and(|&taint| taint >= start)
        })
    }

    /// The locations that a call left wrong by what happened within it, by name.
    pub fn left_wrong(&self, past: &Past, call: CallId) -> Vec<String> {
        let Some(row) = past.call_row(call) else { return Vec::new() };
        let (start, end) = (self.time(call.stream, row.entry), self.time(call.stream, row.exit));
        let held = |record: &&Record| {
            record.taint >= start && (start..=end).contains(&record.from) && end < record.until
        };
        let wrong = self.records.iter().filter(held).filter_map(|record| record.location.as_ref());
        wrong.map(|location| past.location_name(location)).collect()
    }

    fn time(&self, stream: StreamId, ordinal: u64) -> u64 {
        forward::time(self.offsets.get(&stream).copied().unwrap_or(0) + ordinal)
    }

    fn is_active_within(&self, start: u64, end: u64) -> bool {
        let at = self.active.partition_point(|&active| active < start);
        self.active.get(at).is_some_and(|&active| active <= end)
    }

    /// Does something that can be seen after these events depend on an active execution among them?
    fn stretch(&self, stream: StreamId, first: u64, last: u64) -> bool {
        let (start, end) = (self.time(stream, first), self.time(stream, last));
        if !self.is_active_within(start, end) {
            return false;
        }
        let seen = |object: ObjectId| {
            self.objects.get(&object).is_none_or(|&(made, used)| made < start || used > end)
        };
        let omitted = |&(at, taint): &(u64, u64)| start <= at && at <= end && taint >= start;
        let held = |record: &Record| {
            record.taint >= start
                && record.from <= end
                && end < record.until
                && record.object.is_none_or(seen)
        };
        let from = self.omissions.partition_point(|&(at, _)| at < start);
        self.omissions[from..].iter().take_while(|&&(at, _)| at <= end).any(omitted)
            || self.records.iter().any(held)
    }

    /// Does a variable of a call?
    fn variables(&self, stream: StreamId, call: u64, first: u64, last: u64) -> bool {
        let (start, end) = (self.time(stream, first), self.time(stream, last));
        let held = |record: &LocalRecord| {
            (record.stream, record.call) == (stream, call)
                && record.taint >= start
                && record.from <= end
                && end < record.until
        };
        self.is_active_within(start, end) && self.locals.iter().any(held)
    }
}
