//! The loops that ran in one call's own code.

use std::collections::{BTreeSet, HashMap};

use index::Evidence;
use past::{CallId, Ending, Past, Target, Value};
use trace::{EventKind, Method, kinds};

use crate::code::{Code, Local};
use crate::error::{Error, Result};
use crate::follow::Walk;
use crate::natural_loops::LoopId;
use crate::own::own_events;
use crate::runs::{RunListener, Runs};

/// One execution of a loop, from its first arrival at the head until it was left.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopRun {
    /// Where the head is in the code, and its source line.
    pub head: u16,
    pub line: Option<u16>,
    /// Ordinals of its first and last event; the last one is that which left it. Where nothing happened in it that
    /// is an event, `last` is before `first`.
    pub first: u64,
    pub last: u64,
    /// How often the body ran: a last look at the condition that ends the loop does not count. The body of a loop
    /// that tests at its end, or nowhere, runs with each arrival at the head.
    pub count: u64,
    /// Where each iteration begins: the ordinal of the first event after the arrival at the head, so the test is
    /// in the iteration that it allows. At most `MAX_STARTS` of all runs of the call; `count` may be more.
    pub starts: Vec<u64>,
    /// The loop around it, if that is in the same call.
    pub within: Option<Within>,
    pub end: LoopEnd,
    /// Variables in scope at the head that the run wrote.
    pub changed: Vec<ChangedVariable>,
    /// Those that its code reads and the run did not write: what it went by.
    pub given: Vec<GivenVariable>,
    /// Name and descriptor of the variables that are an iteration's own, in the order in which they were set first.
    pub own: Vec<(String, String)>,
}

/// A place in another loop's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// Which of the call's runs.
    pub run: u32,
    /// Which of its iterations, from 0; that of a test that ended it is the number after the last.
    pub iteration: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopEnd {
    /// Its condition did not hold.
    Normal,
    /// `break`, or a `continue` or `break` of a loop around it.
    Break,
    Return,
    /// An exception left it.
    Throw,
    /// It still ran at the end of the recording.
    Unfinished,
    /// Nothing is known from some place in it on.
    Unknown,
}

/// A variable, and what a loop made of it. None: it had no value yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedVariable {
    pub slot: u16,
    pub name: String,
    pub descriptor: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// A variable, and what it held all the time.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenVariable {
    pub name: String,
    pub descriptor: String,
    pub value: Value,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loops {
    /// In the order in which they began; the place of one is its number.
    pub runs: Vec<LoopRun>,
    /// Not so if there were more than `MAX_RUNS`, or something in the call is not known.
    pub complete: bool,
}

/// Runs that are told, at most.
pub const MAX_RUNS: usize = 100_000;
/// Starts of iterations that are kept, at most.
pub const MAX_STARTS: usize = 1 << 20;

/// Every execution of a loop in one call's own code. Loops are those of the bytecode (see `natural_loops`).
pub fn loops(past: &Past, call: CallId) -> Result<Loops> {
    let code = code_of(past, call)?;
    let program = past.recording().program();
    let mut gathering = Gathering {
        code: &code,
        method: program.method(code.method).map(|(_, method)| method),
        slots: vec![None; usize::from(code.slots)],
        told: Loops { runs: Vec::new(), complete: true },
        entered: HashMap::new(),
        read: HashMap::new(),
        starts: 0,
    };
    let mut walk = Walk::default();
    let mut runs = Runs::default();
    let mut before = None;
    let mut over = false;
    let row = own_events(past, call, &mut |event, at| {
        match event.kind {
            EventKind::Enter { receiver, args, .. } => {
                for (&slot, &value) in code.arguments.iter().zip(receiver.iter().chain(args)) {
                    gathering.write(past, call, slot, value, &runs, 0);
                }
                runs.start(code.loops(), at + 1, &mut gathering);
                before = Some(at);
                return true;
            }
            EventKind::Gap { .. } => {
                gathering.told.complete = false;
                runs.end(before.unwrap_or(at), LoopEnd::Unknown, &mut gathering);
                over = true;
                return false;
            }
            kinds! {
                threads writes branches creations exceptions locks contents Exit Unwind Call Return LocalWrite
                Stop
            } => {}
        }
        let Some(site) = event.site.filter(|site| site.method == code.method) else { return true };
        let last = before.replace(at).unwrap_or(at);
        walk.event(&code.cfg, site.bci, &event.kind, &mut |edge, _| {
            runs.edge(&code, edge, last, at, &mut gathering);
        });
        match event.kind {
            EventKind::LocalWrite { slot, value } => {
                gathering.write(past, call, slot, value, &runs, site.bci);
            }
            EventKind::Exit { .. } => runs.end(at, LoopEnd::Return, &mut gathering),
            EventKind::Unwind { .. } => runs.end(at, LoopEnd::Throw, &mut gathering),
            kinds! {
                threads writes branches creations exceptions locks contents losses Enter Call Return
            } => {}
        }
        over |= matches!(event.kind, EventKind::Exit { .. } | EventKind::Unwind { .. });
        if walk.is_lost() {
            gathering.told.complete = false;
            runs.end(at, LoopEnd::Unknown, &mut gathering);
        }
        !walk.is_lost()
    })?;
    if !over && !walk.is_lost() {
        let last = before.unwrap_or(row.entry);
        walk.drift(&code.cfg, &mut |edge, _| runs.edge(&code, edge, last, last, &mut gathering));
        let how = if row.ending == Ending::Open { LoopEnd::Unfinished } else { LoopEnd::Unknown };
        runs.end(row.exit, how, &mut gathering);
    }
    Ok(gathering.told)
}

/// The code of a call, if what it did is recorded.
pub(crate) fn code_of(past: &Past, call: CallId) -> Result<Code> {
    let row = past.index().call(call).ok_or(Error::NoSuchCall)?;
    let Target::Method(method) = row.target else { return Err(Error::Library(past.call_name(call))) };
    let code = Code::read(past.recording().program(), method)?;
    let code = code.ok_or_else(|| Error::NoCode(past.call_name(call)))?;
    if code.replayed { Ok(code) } else { Err(Error::NoBranches(past.call_name(call))) }
}

struct Gathering<'a> {
    code: &'a Code,
    method: Option<&'a Method>,
    /// What the variables hold.
    slots: Vec<Option<Value>>,
    told: Loops,
    entered: HashMap<u32, Entered>,
    /// By loop: the variables that its code reads.
    read: HashMap<LoopId, BTreeSet<u16>>,
    starts: usize,
}

/// What is known of an open run.
struct Entered {
    which: LoopId,
    /// The variables when it began, and which it wrote.
    before: Vec<Option<Value>>,
    written: BTreeSet<u16>,
    /// What was set, and by which instruction, each once.
    set: Vec<(u16, u16)>,
}

/// Variables of a loop that are told apart.
const MAX_SET: usize = 32;

impl Gathering<'_> {
    fn write(&mut self, past: &Past, call: CallId, slot: u16, value: Value, runs: &Runs, bci: u16) {
        if let Some(held) = self.slots.get_mut(usize::from(slot)) {
            *held = Some(past.index().resolved(call.stream, value));
        }
        for run in runs.open() {
            if let Some(entered) = self.entered.get_mut(&run) {
                entered.written.insert(slot);
                if entered.set.len() < MAX_SET && !entered.set.contains(&(slot, bci)) {
                    entered.set.push((slot, bci));
                }
            }
        }
    }

    /// What a loop's code reads and its run did not write.
    fn given(&mut self, entered: &Entered, head: u16) -> Vec<GivenVariable> {
        let code = self.code;
        let read = self.read.entry(entered.which).or_insert_with(|| read_in(code, entered.which)).clone();
        let given = read.difference(&entered.written).filter_map(|&slot| {
            let (name, descriptor) = self.variable(slot, head)?;
            let value = *entered.before.get(usize::from(slot))?;
            Some(GivenVariable { name, descriptor, value: value? })
        });
        given.filter(|variable| variable.name != "this").collect()
    }

    /// The variables that are an iteration's own; none without debug information.
    fn own(&self, entered: &Entered, head: u16) -> Vec<(String, String)> {
        let Some(method) = self.method else { return Vec::new() };
        let is_own = |&&(slot, _): &&(u16, u16)| method.local(slot, head).is_none();
        let mut own: Vec<(String, String)> = Vec::new();
        for &(slot, bci) in entered.set.iter().filter(is_own) {
            if let Some((name, descriptor)) = method.local(slot, bci)
                && !own.iter().any(|(known, _)| known == name)
            {
                own.push((name.to_owned(), descriptor.to_owned()));
            }
        }
        own
    }

    /// Name and descriptor of the variable that a slot is for all of a loop; none if it is only used within.
    fn variable(&self, slot: u16, head: u16) -> Option<(String, String)> {
        let method = self.method?;
        if method.locals().next().is_none() {
            return Some((format!("local{slot}"), String::new()));
        }
        method.local(slot, head).map(|(name, descriptor)| (name.to_owned(), descriptor.to_owned()))
    }
}

fn read_in(code: &Code, which: LoopId) -> BTreeSet<u16> {
    let blocks = code.loops().get(which).extent.iter().map(|block| code.cfg.block(block));
    let insns = blocks.flat_map(|block| {
        let from = code.insns.partition_point(|insn| insn.bci < block.first);
        code.insns[from..].iter().take_while(move |insn| insn.bci <= block.last)
    });
    insns.filter_map(|insn| insn.local).filter(|local| local.is_read()).map(Local::slot).collect()
}

impl RunListener for Gathering<'_> {
    fn begins(&mut self, run: u32, which: LoopId, first: u64, within: Option<Within>) {
        if self.told.runs.len() == MAX_RUNS {
            self.told.complete = false;
            return;
        }
        let head = self.code.cfg.block(self.code.loops().get(which).head).first;
        let entered =
            Entered { which, before: self.slots.clone(), written: BTreeSet::new(), set: Vec::new() };
        self.entered.insert(run, entered);
        self.told.runs.push(LoopRun {
            head,
            line: self.method.and_then(|method| method.line(head)),
            first,
            last: first.saturating_sub(1),
            count: 0,
            starts: Vec::new(),
            within,
            end: LoopEnd::Unknown,
            changed: Vec::new(),
            given: Vec::new(),
            own: Vec::new(),
        });
    }

    fn iterates(&mut self, run: u32, start: u64) {
        let Some(told) = self.told.runs.get_mut(run as usize) else { return };
        told.count += 1;
        if self.starts < MAX_STARTS {
            self.starts += 1;
            told.starts.push(start);
        }
    }

    fn ends(&mut self, run: u32, last: u64, how: LoopEnd) {
        let Some(entered) = self.entered.remove(&run) else { return };
        let head = self.told.runs[run as usize].head;
        let changed = entered.written.iter().filter_map(|&slot| {
            let (name, descriptor) = self.variable(slot, head)?;
            let of = |values: &[Option<Value>]| values.get(usize::from(slot)).copied().flatten();
            Some(ChangedVariable {
                slot,
                name,
                descriptor,
                before: of(&entered.before),
                after: of(&self.slots),
            })
        });
        let changed = changed.collect();
        let (given, own) = (self.given(&entered, head), self.own(&entered, head));
        let told = &mut self.told.runs[run as usize];
        (told.last, told.end, told.changed) = (last, how, changed);
        (told.given, told.own) = (given, own);
    }
}
