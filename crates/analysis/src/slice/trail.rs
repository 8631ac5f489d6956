//! What one call did within one window, in order, with the blocks that it went through. So it is known when every
//! instruction ran, also those that leave no event: the last time before a moment is a matter of looking it up.

use std::collections::HashMap;
use std::rc::Rc;

use past::CallId;

use super::methods::SlicedMethod;
use super::window::{Did, WindowEvent};
use crate::cfg::{BlockExit, BlockId};

/// A moment in a call: a run through a block, and a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallMoment {
    pub run: u32,
    pub bci: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrailEvent {
    pub ordinal: u64,
    pub at: CallMoment,
    pub did: Did,
}

pub struct CallTrail {
    pub call: CallId,
    pub facts: Rc<SlicedMethod>,
    /// The call began in this window.
    pub begun: bool,
    /// In order of time, which is that of moments too.
    pub steps: Vec<TrailEvent>,
    /// The blocks that were run, in order.
    pub runs: Vec<BlockId>,
    /// By variable: the steps that wrote it.
    writes: HashMap<u16, Vec<u32>>,
    /// By block: its runs.
    runs_of: HashMap<BlockId, Vec<u32>>,
    caught: Vec<u32>,
    /// Log and code do not fit somewhere, or a part is missing.
    pub doubtful: bool,
    /// The instruction that is executed next is here or behind, in the last block.
    from: u32,
    extended: bool,
}

impl CallTrail {
    pub fn new(call: CallId, facts: Rc<SlicedMethod>, records: &[WindowEvent]) -> CallTrail {
        let mut trail = CallTrail {
            call,
            begun: records.first().is_some_and(|first| first.did == Did::Entered),
            steps: Vec::with_capacity(records.len()),
            runs: Vec::new(),
            writes: HashMap::new(),
            runs_of: HashMap::new(),
            caught: Vec::new(),
            doubtful: !facts.code.replayed,
            facts,
            from: 0,
            extended: false,
        };
        if trail.begun {
            trail.enter(BlockId(0));
        }
        for record in records {
            trail.push(record);
        }
        trail
    }

    /// Did the first block begin before this window?
    pub fn is_cut(&self) -> bool {
        !self.begun && self.steps.first().is_some_and(|first| first.did != Did::Caught)
    }

    /// Where the next window's part of the call goes on: blocks without events in between are made up for.
    pub fn extend(&mut self, bci: u16) {
        if !std::mem::replace(&mut self.extended, true) {
            self.arrive(bci, false);
        }
    }

    /// The step of an event.
    pub fn step(&self, ordinal: u64) -> Option<&TrailEvent> {
        let mut at = self.steps.partition_point(|step| step.ordinal < ordinal);
        while matches!(self.steps.get(at)?.did, Did::Read(..)) {
            at += 1;
        }
        self.steps.get(at).filter(|step| step.ordinal == ordinal)
    }

    /// What an instruction did at a moment.
    pub fn step_at(&self, at: CallMoment, wanted: impl Fn(&Did) -> bool) -> Option<&TrailEvent> {
        let from = self.steps.partition_point(|step| step.at < at);
        self.steps[from..].iter().take_while(|step| step.at == at).find(|step| wanted(&step.did))
    }

    /// The last write to a variable before a moment.
    pub fn last_write(&self, slot: u16, before: CallMoment) -> Option<&TrailEvent> {
        let list = self.writes.get(&slot)?;
        let after = list.partition_point(|&step| self.steps[step as usize].at < before);
        list.get(after.checked_sub(1)?).map(|&step| &self.steps[step as usize])
    }

    /// The last run of a block before another one.
    pub fn last_run(&self, block: BlockId, before: u32) -> Option<u32> {
        let list = self.runs_of.get(&block)?;
        list.get(list.partition_point(|&run| run < before).checked_sub(1)?).copied()
    }

    /// The last exception that was caught, up to a run.
    pub fn last_caught(&self, until: u32) -> Option<&TrailEvent> {
        let after = self.caught.partition_point(|&step| self.steps[step as usize].at.run <= until);
        self.caught.get(after.checked_sub(1)?).map(|&step| &self.steps[step as usize])
    }

    fn enter(&mut self, block: BlockId) {
        self.runs_of.entry(block).or_default().push(self.runs.len() as u32);
        self.runs.push(block);
        self.from = self.facts.code.cfg.block(block).first.into();
    }

    fn push(&mut self, record: &WindowEvent) {
        match record.did {
            Did::Entered => {}
            Did::Caught => match self.facts.code.cfg.block_at(record.bci) {
                Some(block) => self.enter(block),
                None => self.doubtful = true,
            },
            Did::Gap => {
                self.doubtful = true;
                return;
            }
            did => {
                let again = matches!(did, Did::Threw | Did::Bulk(_) | Did::Exited);
                self.arrive(record.bci, !again);
            }
        }
        let run = (self.runs.len() as u32).saturating_sub(1);
        let place = self.steps.len() as u32;
        let at = CallMoment { run, bci: record.bci.into() };
        self.steps.push(TrailEvent { ordinal: record.ordinal, at, did: record.did });
        let facts = Rc::clone(&self.facts);
        let block = self.runs.last().map(|&block| facts.code.cfg.block(block));
        match (record.did, block.map(|block| &block.exit)) {
            (Did::Local(slot), _) => self.writes.entry(slot).or_default().push(place),
            (Did::Caught, _) => self.caught.push(place),
            (Did::Branched(yes), Some(&BlockExit::Branches { taken, not })) => {
                self.enter(facts.code.cfg.edge_of(if yes { taken } else { not }).to);
            }
            (Did::Switched(case), Some(BlockExit::Switches { cases, default })) => {
                let edge = case.map_or(Some(default), |case| cases.get(case as usize));
                match edge {
                    Some(&edge) => self.enter(facts.code.cfg.edge_of(edge).to),
                    None => self.doubtful = true,
                }
            }
            (Did::Branched(_) | Did::Switched(_), _) => self.doubtful = true,
            _ => {}
        }
    }

    /// Goes on to an instruction. `fresh`: it was not executed before.
    fn arrive(&mut self, bci: u16, fresh: bool) {
        let facts = Rc::clone(&self.facts);
        let cfg = &facts.code.cfg;
        let here = u32::from(bci);
        let mut left = cfg.blocks.len() + 1;
        while let Some(&last) = self.runs.last() {
            let block = cfg.block(last);
            let from = if fresh { self.from } else { self.from.saturating_sub(1).max(block.first.into()) };
            if (from..=u32::from(block.last)).contains(&here) {
                self.from = self.from.max(here + 1);
                return;
            }
            left -= 1;
            match block.exit {
                BlockExit::Falls(edge) | BlockExit::Goes(edge) if left > 0 => {
                    self.enter(cfg.edge_of(edge).to)
                }
                // Where a subroutine goes back to is told by what comes next.
                BlockExit::Resumes => break,
                _ => {
                    self.doubtful = true;
                    break;
                }
            }
        }
        if let Some(block) = cfg.block_at(bci) {
            self.enter(block);
            self.from = here + 1;
        }
    }
}
