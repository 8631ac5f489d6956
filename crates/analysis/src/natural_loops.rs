//! The loops of a method's code. A loop is its head and all blocks that lead back to the head without leaving what
//! the head dominates; jumps back to the same head are one loop. (So a `do` loop that begins with another `do` loop is
//! one with it, as it is in the bytecode.) A way into the middle of a circle makes it no loop here.

use crate::cfg::{Block, BlockExit, BlockId, Cfg, Edge, EdgeId};
use crate::dominators::Dominators;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u16);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaturalLoop {
    pub head: BlockId,
    /// Blocks that jump back to the head.
    pub latches: Vec<BlockId>,
    pub body: BlockSet,
    /// The body, and what is written in it but does not lead back: `if (x) { found(); break; }`.
    pub extent: BlockSet,
    /// The test at its beginning, if it has one.
    pub test: Option<Test>,
    /// Where control goes when its condition does not hold any more; none if there is no condition.
    pub exit: Option<BlockId>,
    /// The closest loop around it.
    pub parent: Option<LoopId>,
    /// Loops around it.
    pub depth: u16,
}

/// Blocks that evaluate a condition, and lead either out of the loop or to `entry` and nowhere else. As many as there
/// are: `a && b` are two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    pub blocks: BlockSet,
    pub entry: BlockId,
}

/// What following an edge means for loops; most mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The loop that this edge leads to the head of.
    pub arrives: Option<LoopId>,
    /// The loop of which an iteration begins: its body runs now for sure.
    pub begins: Option<LoopId>,
    /// It leaves the extent, or the body, of some loop.
    pub leaves: bool,
}

impl Passage {
    pub fn matters(self) -> bool {
        self.leaves || self.arrives.is_some() || self.begins.is_some()
    }
}

#[derive(Clone, Debug, Default)]
pub struct NaturalLoops {
    /// By the place of their heads in the code.
    pub all: Vec<NaturalLoop>,
    passages: Vec<Passage>,
}

impl NaturalLoops {
    pub fn of(cfg: &Cfg, dominators: &Dominators) -> NaturalLoops {
        let mut all: Vec<NaturalLoop> = Vec::new();
        for head in cfg.ids() {
            let back =
                cfg.before(head).map(|edge| edge.from).filter(|&from| dominators.dominates(head, from));
            let mut latches: Vec<BlockId> = back.collect();
            latches.sort_unstable();
            latches.dedup();
            if !latches.is_empty() {
                all.push(natural_loop(cfg, dominators, head, latches));
            }
        }
        nest(&mut all);
        let passages = cfg.edges.iter().map(|&edge| passage(&all, edge)).collect();
        NaturalLoops { all, passages }
    }

    pub fn get(&self, id: LoopId) -> &NaturalLoop {
        &self.all[usize::from(id.0)]
    }

    pub fn passage(&self, edge: EdgeId) -> Passage {
        self.passages[edge.0 as usize]
    }
}

impl NaturalLoop {
    /// Does control leave the loop on this edge because its condition does not hold?
    pub fn is_normal_exit(&self, edge: Edge) -> bool {
        let from_test = self.test.as_ref().is_none_or(|test| test.blocks.contains(edge.from));
        !edge.exceptional && from_test && self.exit == Some(edge.to) && self.body.contains(edge.from)
    }
}

fn natural_loop(cfg: &Cfg, dominators: &Dominators, head: BlockId, latches: Vec<BlockId>) -> NaturalLoop {
    let mut body = BlockSet::new(cfg.blocks.len());
    body.insert(head);
    let mut open = latches.clone();
    while let Some(block) = open.pop() {
        if body.insert(block) {
            let before = cfg.before(block).map(|edge| edge.from);
            open.extend(before.filter(|&from| dominators.is_reachable(from)));
        }
    }
    let (test, exit) = match test(cfg, head, &body) {
        Some((test, exit)) => (Some(test), Some(exit)),
        None => (None, latches.iter().rev().find_map(|&latch| bottom_exit(cfg, head, latch, &body))),
    };
    let extent = extent(cfg, dominators, head, &body, exit);
    NaturalLoop { head, latches, body, extent, test, exit, parent: None, depth: 0 }
}

/// Compilers put a loop's code in one place, and what comes after the loop behind it.
fn extent(
    cfg: &Cfg,
    dominators: &Dominators,
    head: BlockId,
    body: &BlockSet,
    exit: Option<BlockId>,
) -> BlockSet {
    let mut extent = body.clone();
    let first = body.iter().next().unwrap_or(head);
    let last = body.iter().last().unwrap_or(head);
    let end = exit.filter(|&exit| exit > last).map_or(last.0 + 1, |exit| exit.0);
    for id in (first.0..end).map(BlockId) {
        if Some(id) != exit && dominators.dominates(head, id) {
            extent.insert(id);
        }
    }
    // `if (x) return y;` at the end of the body.
    for id in cfg.ids().filter(|&id| Some(id) != exit) {
        let ends = matches!(cfg.block(id).exit, BlockExit::Returns | BlockExit::Throws);
        let mut before = cfg.before(id).peekable();
        if ends && before.peek().is_some() && before.all(|edge| !edge.exceptional && body.contains(edge.from))
        {
            extent.insert(id);
        }
    }
    extent
}

/// More blocks than these are no condition that somebody wrote.
const MAX_TEST: usize = 64;

/// The test at the head, and where it leads when it fails: the largest region of conditions that has one way into the
/// loop and one way out of it.
fn test(cfg: &Cfg, head: BlockId, body: &BlockSet) -> Option<(Test, BlockId)> {
    let mut region = BlockSet::new(cfg.blocks.len());
    let mut next = Some(head).filter(|&head| is_condition(cfg.block(head)));
    let mut found = None;
    for _ in 0..MAX_TEST {
        let Some(block) = next else { break };
        region.insert(block);
        let (mut inside, mut outside, mut broken) = (Vec::new(), Vec::new(), false);
        for block in region.iter() {
            for edge in cfg.after(block).filter(|edge| !edge.exceptional && !region.contains(edge.to)) {
                if body.contains(edge.to) { &mut inside } else { &mut outside }.push(edge.to);
                broken |= !body.contains(edge.to) && is_break(cfg, edge);
            }
            // A way back to the head is one into the loop.
            broken |= cfg.after(block).any(|edge| !edge.exceptional && edge.to == head);
        }
        inside.sort_unstable();
        inside.dedup();
        outside.sort_unstable();
        outside.dedup();
        if let ([entry], [exit], false) = (inside.as_slice(), outside.as_slice(), broken) {
            found = Some((Test { blocks: region.clone(), entry: *entry }, *exit));
        }
        let joins = |&&block: &&BlockId| {
            let mut before = cfg.before(block).filter(|edge| !edge.exceptional);
            is_condition(cfg.block(block)) && before.all(|edge| region.contains(edge.from))
        };
        next = inside.iter().find(joins).copied();
    }
    found
}

fn is_condition(block: &Block) -> bool {
    matches!(block.exit, BlockExit::Branches { .. })
}

/// A way out that is taken by not jumping, while the loop goes on by jumping forward over it, is how compilers write
/// `if (x) break;` and `if (x) return;`. A loop's own test jumps out, or back into the loop.
fn is_break(cfg: &Cfg, edge: Edge) -> bool {
    match cfg.block(edge.from).exit {
        BlockExit::Branches { taken, not } => cfg.edge_of(not) == edge && cfg.edge_of(taken).to > edge.from,
        _ => false,
    }
}

/// Where a `do` loop goes on behind its condition.
fn bottom_exit(cfg: &Cfg, head: BlockId, latch: BlockId, body: &BlockSet) -> Option<BlockId> {
    let BlockExit::Branches { taken, not } = cfg.block(latch).exit else { return None };
    match (cfg.edge_of(taken).to, cfg.edge_of(not).to) {
        (back, exit) | (exit, back) if back == head && !body.contains(exit) => Some(exit),
        _ => None,
    }
}

/// Finds the loop around each: the smallest whose extent has the head of it.
fn nest(all: &mut [NaturalLoop]) {
    let sizes: Vec<usize> = all.iter().map(|one| one.extent.count()).collect();
    for at in 0..all.len() {
        let around = (0..all.len()).filter(|&other| other != at && all[other].extent.contains(all[at].head));
        let closest = around.filter(|&other| sizes[other] > sizes[at]).min_by_key(|&other| sizes[other]);
        all[at].parent = closest.map(|other| LoopId(other as u16));
    }
    for at in 0..all.len() {
        let mut parent = all[at].parent;
        while let Some(id) = parent {
            all[at].depth += 1;
            parent = all[usize::from(id.0)].parent;
        }
    }
}

fn passage(all: &[NaturalLoop], edge: Edge) -> Passage {
    let numbered = || all.iter().enumerate().map(|(at, one)| (LoopId(at as u16), one));
    let arrives = numbered().find(|(_, one)| one.head == edge.to).map(|(id, _)| id);
    let begins = numbered().find(|(_, one)| match &one.test {
        Some(test) => !edge.exceptional && test.blocks.contains(edge.from) && test.entry == edge.to,
        None => one.head == edge.to,
    });
    let leaves = all.iter().any(|one| {
        one.extent.contains(edge.from) && !one.extent.contains(edge.to)
            || one.body.contains(edge.from) && !one.body.contains(edge.to)
    });
    Passage { arrives, begins: begins.map(|(id, _)| id), leaves }
}

/// A set of a method's blocks, as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSet(Vec<u64>);

impl BlockSet {
    pub fn new(blocks: usize) -> BlockSet {
        BlockSet(vec![0; blocks.div_ceil(64)])
    }

    /// True if it was not in it yet.
    pub fn insert(&mut self, block: BlockId) -> bool {
        let word = &mut self.0[usize::from(block.0 / 64)];
        let before = *word;
        *word |= 1 << (block.0 % 64);
        before != *word
    }

    pub fn contains(&self, block: BlockId) -> bool {
        self.0[usize::from(block.0 / 64)] >> (block.0 % 64) & 1 == 1
    }

    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = BlockId> + '_ {
        (0..self.0.len() as u16 * 64).map(BlockId).filter(|&block| self.contains(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{DO, WHILE, method};
    use classfile::opcode as op;

    #[test]
    fn a_while_loop_tests_at_its_head_and_a_do_loop_at_its_end() {
        let code = method(&WHILE, &[], &[0]);
        let [one] = code.loops().all.as_slice() else { panic!() };
        assert_eq!((one.head, one.body.count(), one.exit), (BlockId(1), 2, Some(BlockId(3))));
        assert_eq!(one.test.as_ref().map(|test| test.entry), Some(BlockId(2)));
        let code = method(&DO, &[], &[0]);
        let [one] = code.loops().all.as_slice() else { panic!() };
        assert_eq!((one.head, one.body.count(), one.exit), (BlockId(1), 1, Some(BlockId(2))));
        assert_eq!(one.test, None);
    }

    #[test]
    fn loops_know_the_loop_around_them() {
        // for (;;) { while (n) { } if (m) return; }
        let bytes = [
            op::NOP,     // 0: the outer head
            op::ILOAD_0, // 1: the inner head
            op::IFEQ,
            0,
            6,
            op::GOTO, // 5
            0xff,
            0xfc,
            op::ILOAD_1, // 8
            op::IFEQ,
            0xff,
            0xf7,
            op::RETURN, // 12
        ];
        let code = method(&bytes, &[], &[0, 1]);
        let all = &code.loops().all;
        let heads: Vec<u16> = all.iter().map(|one| code.cfg.block(one.head).first).collect();
        assert_eq!(heads, [0, 1]);
        assert_eq!((all[1].parent, all[1].depth, all[0].parent), (Some(LoopId(0)), 1, None));
    }
}
