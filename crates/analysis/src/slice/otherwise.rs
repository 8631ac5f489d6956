//! What could have happened instead: a branch, of the call or of what it called, whose other way would have had a part in what
//! came out; and a write that went elsewhere, and could have gone where it is looked at. Nobody can be sure of the lines that
//! these hang on. What is looked for grows with what is found, so it goes in rounds.

use std::collections::{HashMap, HashSet};

use classfile::opcode as op;
use index::{CallRow, Evidence, Position, PostingKind, Target};
use past::CallId;

use super::lines::Ran;
use super::methods::SlicedMethod;
use super::search::{EventPart, SliceSearch};
use crate::cfg::BlockId;
use crate::code::Local;
use crate::error::Result;

/// Branches whose other way is considered.
const MAX_BRANCHES: usize = 2000;
/// Calls whose branches are looked at, and events of a call in which that is done.
const MAX_CALLS: usize = 2000;
const MAX_EVENTS: u64 = 200_000;
/// Each finds more to look for, seldom more than twice.
const MAX_ROUNDS: usize = 8;

/// What the calls below one decided, as far as they are looked at.
struct Below {
    calls: Vec<(CallId, Ran)>,
    /// What was called from this event on is not.
    until: u64,
}

impl SliceSearch<'_> {
    /// Searches on from what could have happened instead in a call. False if not all of that was looked at.
    pub(super) fn consider(&mut self, call: CallId, row: &CallRow, own: &Ran) -> Result<bool> {
        let below = self.below(call, row)?;
        self.limits.elements = self.limits.elements.saturating_mul(4);
        let mut left = MAX_BRANCHES;
        let mut considered: HashSet<Position> = HashSet::new();
        for position in self.beyond(call, &below) {
            let args = self.call_made(position).and_then(|(made, _)| self.past.index().arguments(made));
            let count = args.map_or(0, |all| all.values.len() + usize::from(all.receiver.is_some()));
            if count > left {
                return Ok(false);
            }
            left -= count;
            (0..count).for_each(|at| self.start(position, EventPart::Argument(at as u16)));
        }
        for _ in 0..MAX_ROUNDS {
            let mut found: Vec<(Position, EventPart)> = Vec::new();
            self.branches(call, own, true, &mut found);
            for (callee, ran) in &below.calls {
                self.branches(*callee, ran, false, &mut found);
            }
            self.elsewhere(call, row, &mut found);
            self.chosen(call, row, &mut found);
            found.retain(|(position, _)| !self.is_found(*position) && considered.insert(*position));
            if found.is_empty() {
                return Ok(true);
            }
            if found.len() > left {
                return Ok(false);
            }
            left -= found.len();
            found.into_iter().for_each(|(position, part)| self.start(position, part));
            self.run()?;
            if self.cut.is_some() {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Branches of a call whose other way could have had a part in what is looked for. What another way would have given
    /// back is a matter of the branch itself, in all calls but the outermost.
    fn branches(&self, call: CallId, ran: &Ran, outermost: bool, found: &mut Vec<(Position, EventPart)>) {
        let Some(facts) = &ran.facts else { return };
        let none = HashSet::new();
        let slots = self.slots.get(&call).unwrap_or(&none);
        for (_, ordinals) in ran.branches.iter().filter(|(bci, _)| matters(facts, **bci, slots, outermost)) {
            let at = |&ordinal: &u64| (Position { stream: call.stream, ordinal }, EventPart::Event);
            found.extend(ordinals.iter().map(at));
        }
    }

    /// The calls of program code below one that branched. All of them only if it is not long.
    fn below(&mut self, call: CallId, row: &CallRow) -> Result<Below> {
        let mut below = Below { calls: Vec::new(), until: row.entry };
        if row.exit - row.entry > MAX_EVENTS {
            return Ok(below);
        }
        let mut looked_at = 0;
        for index in call.index + 1.. {
            let callee = CallId { index, ..call };
            let Some(inner) = self.past.index().call(callee).filter(|inner| inner.entry <= row.exit) else {
                break;
            };
            let Target::Method(_) = inner.target else { continue };
            looked_at += 1;
            if looked_at > MAX_CALLS {
                below.until = inner.entry;
                return Ok(below);
            }
            let mut ran = Ran::default();
            ran.look(self, callee, inner.entry, inner.exit)?;
            if self.cut.is_some() {
                below.until = inner.entry;
                return Ok(below);
            }
            if !ran.branches.is_empty() {
                below.calls.push((callee, ran));
            }
        }
        below.until = u64::MAX;
        Ok(below)
    }

    /// Calls of program code that a call made, and in which not all branches are looked at.
    fn beyond(&self, call: CallId, below: &Below) -> Vec<Position> {
        let count = self.past.index().call(call).map_or(0, |row| row.children);
        if below.until == u64::MAX {
            return Vec::new();
        }
        let children = self.past.index().children(call, 0, (count as usize).min(MAX_BRANCHES + 1));
        let rows = children.into_iter().filter_map(|child| Some((child, self.past.index().call(child)?)));
        let rows = rows.filter(|(_, row)| row.exit >= below.until && matches!(row.target, Target::Method(_)));
        rows.map(|(child, row)| Position { stream: child.stream, ordinal: row.entry }).collect()
    }

    /// Writes to elements of arrays that were looked at, and what was filed under other keys: where they went is not only
    /// for the code to say.
    fn elsewhere(&mut self, call: CallId, row: &CallRow, found: &mut Vec<(Position, EventPart)>) {
        let mut places: Vec<Position> = self.elsewhere.iter().copied().collect();
        if !self.arrays.is_empty() {
            let past = self.past;
            let written =
                past.index().changes_within(call.stream, row.entry + 1, row.exit).filter(|posting| {
                    let writes = match posting.what {
                        PostingKind::Written(_) => posting.key.is_location(),
                        PostingKind::Copied { .. } | PostingKind::Filled { .. } => true,
                        _ => false,
                    };
                    writes && !posting.library && self.arrays.contains(&posting.key.object)
                });
            places.extend(written.map(|one| Position { stream: call.stream, ordinal: one.ordinal }));
        }
        places.sort_unstable();
        places.dedup();
        let mut fixed: HashMap<(trace::MethodId, u16), bool> = HashMap::new();
        for place in places {
            if self.is_found(place) {
                continue;
            }
            let site = self.site_of(place);
            let is_fixed = site.is_some_and(|site| {
                *fixed.entry(site).or_insert_with(|| {
                    self.methods
                        .get(self.past.recording().program(), site.0)
                        .is_some_and(|facts| is_fixed(&facts, site.1))
                })
            });
            if !is_fixed {
                found.push((place, EventPart::Address));
            }
        }
    }

    /// The method and the instruction of an event.
    fn site_of(&mut self, position: Position) -> Option<(trace::MethodId, u16)> {
        let window = self.window(position).ok()??;
        let trail = window.trail_at(self.past, &mut self.methods, position.ordinal)?;
        let trail = trail.borrow();
        let step = trail.step(position.ordinal)?;
        Some((trail.facts.code.method, step.at.bci as u16))
    }
}

/// Does an instruction write to a place that stands in the code?
fn is_fixed(facts: &SlicedMethod, bci: u16) -> bool {
    let operands = facts.producers.operands(bci);
    let is_constant = |operand: &crate::producers::OperandProducers| {
        operand.iter().all(|producer| !producer.caught && facts.is_constant(producer.bci))
    };
    match facts.op(bci) {
        code if op::is_array_store(code) => operands.get(1).is_some_and(is_constant),
        // A key, or where a range begins and ends: the first is what it is done to.
        _ => match operands {
            [_, key, ..] => is_constant(key),
            _ => false,
        },
    }
}

/// Could the other way of a branch have had a part in what came out? What it decides on may write variables that were
/// asked for, or do something that lasts. `returns`: also by what it gives back.
pub(super) fn matters(facts: &SlicedMethod, bci: u16, slots: &HashSet<u16>, returns: bool) -> bool {
    let cfg = &facts.code.cfg;
    let Some(from) = cfg.block_at(bci) else { return true };
    let decided = decided(facts, from);
    decided.iter().any(|&block| {
        let block = cfg.block(block);
        let from = facts.code.insns.partition_point(|insn| insn.bci < block.first);
        facts.code.insns[from..].iter().take_while(|insn| insn.bci <= block.last).any(|insn| {
            let writes = matches!(insn.local, Some(Local::Store(slot) | Local::Increment(slot)) if slots.contains(&slot));
            let lasts = (op::is_invoke(insn.op) && !facts.is_harmless(insn.bci))
                || op::is_array_store(insn.op)
                || (returns && op::is_return(insn.op))
                || matches!(insn.op, op::PUTFIELD | op::PUTSTATIC | op::ATHROW);
            writes || lasts
        })
    })
}

/// The blocks that a branch decides on, and those that these decide on.
fn decided(facts: &SlicedMethod, from: BlockId) -> HashSet<BlockId> {
    let mut decided: HashSet<BlockId> = HashSet::from([from]);
    let mut grew = true;
    while grew {
        grew = false;
        for block in facts.code.cfg.ids() {
            if !decided.contains(&block) && facts.control.on(block).iter().any(|by| decided.contains(by)) {
                grew |= decided.insert(block);
            }
        }
    }
    // It decides on itself only where it is in a loop.
    if !facts.control.on(from).contains(&from) {
        decided.remove(&from);
    }
    decided
}
