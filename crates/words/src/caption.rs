//! What a row of the tree says, in a few words. A question says more, but takes replaying for each; here a call is
//! replayed at most once for all rows, and long ones not at all.

use std::collections::HashMap;

use analysis::Loops;
use past::{CallId, Past, RenderLimits};

use session::{QuestionDetail, Subject, question};

use crate::call::{CallWords, call};
use crate::question::question_line;

const LIMITS: RenderLimits = RenderLimits { depth: 1, elements: 6, string: 30, width: 80, named: false };
/// Calls with more events are not replayed to know a line.
const REPLAYED: u64 = 300_000;
/// Statements are told by replaying each, which is for short calls only.
const TOLD: u64 = 20_000;

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caption {
    Call(CallWords),
    Words(String),
}

pub struct Captions<'p> {
    past: &'p Past,
    loops: HashMap<CallId, Option<Loops>>,
}

impl<'p> Captions<'p> {
    pub fn new(past: &'p Past) -> Captions<'p> {
        Captions { past, loops: HashMap::new() }
    }

    pub fn caption(&mut self, subject: &Subject) -> Caption {
        let Some(id) = subject.call() else { return Caption::Words(String::new()) };
        let past = self.past;
        let name = |number: u64| CallId::of_number(number).map(|id| past.call_name(id)).unwrap_or_default();
        Caption::Words(match *subject {
            Subject::Call { .. } => return Caption::Call(call(past, id, &LIMITS)),
            Subject::Nest { levels, .. } => {
                let words = call(past, id, &LIMITS);
                let gap = if words.end.is_empty() { "" } else { ", " };
                let end = format!("{}{gap}{levels} levels deep", words.end);
                return Caption::Call(CallWords { end, ..words });
            }
            Subject::Thread { .. } => past.thread_name(id.stream),
            Subject::Run { first, last, .. } => format!("{} … {}", name(first), name(last)),
            Subject::Loop { run, from, to, .. } => self.iterations(id, run, from, to),
            Subject::Statement { at, .. } => self.statement(id, at, subject),
        })
    }

    fn iterations(&mut self, call: CallId, run: u32, from: u32, to: Option<u32>) -> String {
        let short = self.events(call) <= REPLAYED;
        let past = self.past;
        let known = self
            .loops
            .entry(call)
            .or_insert_with(|| short.then(|| analysis::loops(past, call).ok()).flatten());
        let run = known.as_ref().and_then(|loops| loops.runs.get(run as usize));
        let line = run.and_then(|run| run.line).map_or(String::new(), |line| format!(" at line {line}"));
        let all = run.map(|run| run.count);
        match (to, all) {
            (Some(to), _) if to == from + 1 => format!("iteration {to}{line}"),
            (Some(to), _) => format!("iterations {} to {to}{line}", from + 1),
            (None, Some(1)) => format!("loop{line}, 1 iteration"),
            (None, Some(count)) => format!("loop{line}, {count} iterations"),
            (None, None) => "loop".to_owned(),
        }
    }

    fn statement(&self, call: CallId, at: u32, subject: &Subject) -> String {
        let told =
            (self.events(call) <= TOLD).then(|| question(self.past, subject, QuestionDetail::Short).ok());
        let Some(question) = told.flatten() else { return format!("statement {}", at + 1) };
        let line = question_line(&question);
        // It stands below its call, and in a narrow tree the call's name would be all that is read of each.
        let target = self.past.call_row(call).map(|row| self.past.method_name(row.target));
        let own = target.and_then(|name| line.strip_prefix(&name)?.strip_prefix(' '));
        own.map_or_else(|| line.clone(), str::to_owned)
    }

    fn events(&self, call: CallId) -> u64 {
        self.past.call_row(call).map_or(0, |row| row.exit - row.entry + 1)
    }
}
