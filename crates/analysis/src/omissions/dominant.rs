//! Which event of a call kept an instruction from being executed: backwards from the instruction, through code that
//! the call did not execute, until something that it did execute. One search serves all calls of a shape.

use std::collections::{BTreeMap, HashSet};

use super::Prevention;
use crate::cfg::{Block, BlockExit, BlockId, Cfg, Edge, EdgeId};
use crate::code::Code;
use crate::natural_loops::NaturalLoop;

/// What calls of one shape executed of their method.
pub struct Way<'a> {
    pub code: &'a Code,
    entered: Vec<bool>,
    finished: Vec<bool>,
    taken: Vec<bool>,
    thrown: &'a [u16],
    ran: Box<dyn Fn(u16) -> bool + 'a>,
}

/// An event that decided, by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub bci: u16,
    pub kind: Prevention,
    /// The event counts if control left on one of these; if there are none, it counts always.
    pub ways: Vec<EdgeId>,
}

impl<'a> Way<'a> {
    /// `ran` tells whether an instruction was begun, `taken` whether control took an edge.
    pub fn new(
        code: &'a Code,
        thrown: &'a [u16],
        taken: impl Fn(EdgeId) -> bool,
        ran: impl Fn(u16) -> bool + 'a,
    ) -> Way<'a> {
        let blocks = &code.cfg.blocks;
        Way {
            code,
            entered: blocks.iter().map(|block| ran(block.first)).collect(),
            finished: blocks.iter().map(|block| ran(block.last)).collect(),
            taken: (0..code.cfg.edges.len()).map(|at| taken(EdgeId(at as u32))).collect(),
            thrown,
            ran: Box::new(ran),
        }
    }

    pub fn entered(&self, block: BlockId) -> bool {
        self.entered[usize::from(block.0)]
    }

    fn finished(&self, block: BlockId) -> bool {
        self.finished[usize::from(block.0)]
    }

    pub fn took(&self, edge: EdgeId) -> bool {
        self.taken[edge.0 as usize]
    }

    /// Was the instruction begun?
    pub fn ran(&self, bci: u16) -> bool {
        (self.ran)(bci)
    }

    /// Where exceptions arose in a block.
    fn thrown_in(&self, block: BlockId) -> impl Iterator<Item = u16> + '_ {
        let Block { first, last, .. } = *self.code.cfg.block(block);
        self.thrown.iter().copied().filter(move |bci| (first..=last).contains(bci))
    }

    /// The edges on which control left a block, those of exceptions not among them.
    fn left_on(&self, block: BlockId) -> impl Iterator<Item = (EdgeId, Edge)> + '_ {
        let edges = self.code.cfg.successors[usize::from(block.0)].iter().copied();
        let edges = edges.map(|id| (id, self.code.cfg.edge_of(id)));
        edges.filter(|&(id, edge)| !edge.exceptional && self.took(id))
    }
}

/// The events that kept an instruction from being executed at all. None if it was executed, and if nothing is known
/// that prevented it (the run ended before, or it is code for an exception that did not arise).
pub fn stops(way: &Way<'_>, target: u16) -> Vec<Stop> {
    let cfg = &way.code.cfg;
    let mut found = BTreeMap::new();
    let Some(start) = cfg.block_at(target).filter(|_| !way.ran(target)) else { return Vec::new() };
    if way.entered(start) {
        found.extend(way.thrown_in(start).filter(|&bci| bci < target).map(|bci| (bci, Prevention::Throw)));
    }
    let mut seen = vec![false; cfg.blocks.len()];
    let mut open = if way.entered(start) { Vec::new() } else { vec![start] };
    while let Some(block) = open.pop() {
        for edge in cfg.before(block).filter(|edge| !edge.exceptional) {
            let from = edge.from;
            if !way.entered(from) {
                if !std::mem::replace(&mut seen[usize::from(from.0)], true) {
                    open.push(from);
                }
                continue;
            }
            found.extend(way.thrown_in(from).map(|bci| (bci, Prevention::Throw)));
            let last = cfg.block(from).last;
            if way.finished(from) && decides(cfg, from) {
                found.insert(last, kind(way, from, start));
            }
        }
    }
    found.into_iter().map(|(bci, kind)| Stop { bci, kind, ways: Vec::new() }).collect()
}

/// The instructions that would have been executed on the way from such an event to an instruction: those that were not
/// executed, and lead there through nothing that was.
pub fn skipped(way: &Way<'_>, target: u16) -> HashSet<u16> {
    let cfg = &way.code.cfg;
    let mut seen = vec![false; cfg.blocks.len()];
    let mut open: Vec<BlockId> = cfg.block_at(target).into_iter().collect();
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut seen[usize::from(block.0)], true) || way.entered(block) {
            continue;
        }
        open.extend(cfg.before(block).filter(|edge| !edge.exceptional).map(|edge| edge.from));
    }
    let insns = way.code.insns.iter().map(|insn| insn.bci);
    let inside = |bci: &u16| {
        let block = cfg.block_at(*bci);
        block.is_some_and(|block| seen[usize::from(block.0)]) && !way.ran(*bci)
    };
    insns.filter(inside).collect()
}

/// The events because of which an instruction in a loop was executed less often than it might have been: the end of the
/// loop, and branches in it that sometimes led past the instruction.
pub fn partial_stops(way: &Way<'_>, target: u16) -> Vec<Stop> {
    let cfg = &way.code.cfg;
    let Some(block) = cfg.block_at(target).filter(|_| way.ran(target)) else { return Vec::new() };
    let Some(around) = innermost(way.code, block) else { return Vec::new() };
    let mut found = BTreeMap::new();
    // An exception in one iteration, behind which it would have been executed.
    for from in around.extent.iter() {
        let before =
            |&bci: &u16| if from == block { bci < target } else { leads_on(cfg, around, from, block) };
        for bci in way.thrown_in(from).filter(before) {
            found.insert(bci, Stop { bci, kind: Prevention::Throw, ways: Vec::new() });
        }
    }
    for from in around.body.iter().filter(|&from| decides(cfg, from)) {
        let edges = || cfg.successors[usize::from(from.0)].iter().map(|&id| (id, cfg.edge_of(id)));
        let normal = || edges().filter(|(_, edge)| !edge.exceptional);
        let missed: Vec<(EdgeId, Edge)> =
            normal().filter(|&(id, edge)| way.took(id) && !leads_to(cfg, around, edge.to, block)).collect();
        let leaves = |edge: &Edge| !around.body.contains(edge.to);
        let reaches = normal().any(|(id, edge)| way.took(id) && leads_to(cfg, around, edge.to, block));
        let (ways, kind) = if missed.iter().any(|(_, edge)| leaves(edge)) {
            let out = missed.iter().filter(|(_, edge)| leaves(edge));
            (out.map(|&(id, _)| id).collect::<Vec<_>>(), Prevention::LoopEnd)
        } else if reaches && !missed.is_empty() {
            let switch = matches!(cfg.block(from).exit, BlockExit::Switches { .. });
            let kind = if switch { Prevention::Switch } else { Prevention::Branch };
            (missed.iter().map(|&(id, _)| id).collect(), kind)
        } else {
            continue;
        };
        found.insert(cfg.block(from).last, Stop { bci: cfg.block(from).last, kind, ways });
    }
    found.into_values().collect()
}

/// Is an instruction executed in a loop of its method?
pub fn is_in_loop(code: &Code, bci: u16) -> bool {
    code.cfg.block_at(bci).is_some_and(|block| innermost(code, block).is_some())
}

/// Did the way that control took at a branch lead to one of these places, and only that way? Then something was done
/// instead.
pub fn did_another(way: &Way<'_>, stop: &Stop, places: &[u16]) -> bool {
    let code = way.code;
    if !matches!(stop.kind, Prevention::Branch | Prevention::Switch) {
        return false;
    }
    let Some(from) = code.cfg.block_at(stop.bci) else { return false };
    way.left_on(from).filter(|(id, _)| stop.ways.is_empty() || stop.ways.contains(id)).any(|(_, edge)| {
        let alone = code.cfg.before(edge.to).all(|other| other.from == from);
        let inside = |place: &&u16| {
            let block = code.cfg.block_at(**place);
            way.ran(**place) && block.is_some_and(|block| code.dominators().dominates(edge.to, block))
        };
        alone && places.iter().any(|place| inside(&place))
    })
}

fn decides(cfg: &Cfg, block: BlockId) -> bool {
    matches!(cfg.block(block).exit, BlockExit::Branches { .. } | BlockExit::Switches { .. })
}

fn innermost(code: &Code, block: BlockId) -> Option<&NaturalLoop> {
    code.loops().all.iter().filter(|one| one.extent.contains(block)).max_by_key(|one| one.depth)
}

/// How a branch prevented what is in another block.
fn kind(way: &Way<'_>, from: BlockId, target: BlockId) -> Prevention {
    let cfg = &way.code.cfg;
    let left: Vec<(EdgeId, Edge)> = way.left_on(from).collect();
    // `if (x) return;` does not jump when it returns.
    if let (BlockExit::Branches { not, .. }, [(only, edge)]) = (&cfg.block(from).exit, left.as_slice())
        && only == not
        && let Some(end) = end_of(cfg, edge.to)
        && !reaches(cfg, target, end)
    {
        let throws = matches!(cfg.block(end).exit, BlockExit::Throws);
        return if throws { Prevention::Throw } else { Prevention::Return };
    }
    let ended = |one: &NaturalLoop| {
        one.body.contains(from)
            && one.extent.contains(target)
            && !left.is_empty()
            && left.iter().all(|(_, edge)| !one.body.contains(edge.to))
    };
    match cfg.block(from).exit {
        _ if way.code.loops().all.iter().any(ended) => Prevention::LoopEnd,
        BlockExit::Switches { .. } => Prevention::Switch,
        _ => Prevention::Branch,
    }
}

/// The block that leaves the method, if control gets there from a block without any choice.
fn end_of(cfg: &Cfg, mut block: BlockId) -> Option<BlockId> {
    for _ in 0..=cfg.blocks.len() {
        match cfg.block(block).exit {
            BlockExit::Returns | BlockExit::Throws => return Some(block),
            BlockExit::Falls(edge) | BlockExit::Goes(edge) => block = cfg.edge_of(edge).to,
            _ => return None,
        }
    }
    None
}

fn reaches(cfg: &Cfg, from: BlockId, to: BlockId) -> bool {
    search(cfg, from, to, |_| true)
}

/// Does control get from one block to another within one iteration of a loop?
fn leads_to(cfg: &Cfg, around: &NaturalLoop, from: BlockId, to: BlockId) -> bool {
    search(cfg, from, to, |block| block != around.head && around.extent.contains(block))
}

/// The same from the end of a block on.
fn leads_on(cfg: &Cfg, around: &NaturalLoop, from: BlockId, to: BlockId) -> bool {
    cfg.after(from).any(|edge| !edge.exceptional && leads_to(cfg, around, edge.to, to))
}

fn search(cfg: &Cfg, from: BlockId, to: BlockId, allowed: impl Fn(BlockId) -> bool) -> bool {
    let mut seen = vec![false; cfg.blocks.len()];
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        if !allowed(block) || std::mem::replace(&mut seen[usize::from(block.0)], true) {
            continue;
        }
        if block == to {
            return true;
        }
        open.extend(cfg.after(block).filter(|edge| !edge.exceptional).map(|edge| edge.to));
    }
    false
}

#[cfg(test)]
mod tests {
    use classfile::opcode as op;

    use super::*;
    use crate::code::tests::{TRY, WHILE, method};

    /// Where blocks begin that were entered one after the other; `thrown` is where the last of them was left, if an
    /// exception left it. Gives what prevented, or partly prevented, the instruction at `target`.
    fn found(
        code: &Code,
        way: &[u16],
        thrown: &[u16],
        target: u16,
        search: fn(&Way<'_>, u16) -> Vec<Stop>,
    ) -> Vec<(u16, Prevention)> {
        let cfg = &code.cfg;
        let pairs: Vec<(u16, u16)> = way.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let first = |id: BlockId| cfg.block(id).first;
        let taken = |id: EdgeId| {
            let edge = cfg.edge_of(id);
            pairs.contains(&(first(edge.from), first(edge.to)))
        };
        let ran = |bci: u16| {
            let block = cfg.block_at(bci).unwrap();
            let left = thrown.iter().any(|&at| cfg.block_at(at) == Some(block) && bci > at);
            way.contains(&first(block)) && !left
        };
        let way = Way::new(code, thrown, taken, ran);
        search(&way, target).into_iter().map(|stop| (stop.bci, stop.kind)).collect()
    }

    #[test]
    fn a_loop_that_never_began_ended_at_its_test() {
        let code = method(&WHILE, &[], &[0]);
        assert_eq!(found(&code, &[0, 2, 13], &[], 7, stops), [(4, Prevention::LoopEnd)]);
        assert_eq!(found(&code, &[0, 2, 7, 2, 13], &[], 7, stops), []);
        assert_eq!(found(&code, &[0, 2, 7, 2, 13], &[], 7, partial_stops), [(4, Prevention::LoopEnd)]);
        assert_eq!(found(&code, &[0, 2, 13], &[], 7, partial_stops), []);
    }

    #[test]
    fn only_the_branch_next_to_the_unexecuted_code_is_dominant() {
        // if (a) { if (b) x; }  return;
        let bytes = [
            op::ILOAD_0,
            op::IFEQ,
            0,
            10,
            op::ILOAD_1, // 4
            op::IFEQ,
            0,
            6,
            op::ICONST_0, // 8
            op::ISTORE_2,
            op::NOP,
            op::RETURN, // 11
        ];
        let code = method(&bytes, &[], &[0, 1]);
        assert_eq!(found(&code, &[0, 11], &[], 8, stops), [(1, Prevention::Branch)]);
        assert_eq!(found(&code, &[0, 4, 11], &[], 8, stops), [(5, Prevention::Branch)]);
        assert_eq!(found(&code, &[0, 4, 8, 11], &[], 8, stops), []);
    }

    #[test]
    fn an_early_return_is_told_from_the_branch_around_an_operation() {
        // if (a) return;  x; return;
        let bytes = [op::ILOAD_0, op::IFEQ, 0, 4, op::RETURN, op::ICONST_0, op::ISTORE_1, op::RETURN];
        let code = method(&bytes, &[], &[0]);
        assert_eq!(found(&code, &[0, 4], &[], 5, stops), [(1, Prevention::Return)]);
        // if (a) { x; return; }  return;
        let bytes =
            [op::ILOAD_0, op::IFEQ, 0, 6, op::ICONST_0, op::ISTORE_1, op::RETURN, op::NOP, op::RETURN];
        let code = method(&bytes, &[], &[0]);
        assert_eq!(found(&code, &[0, 7], &[], 4, stops), [(1, Prevention::Branch)]);
    }

    #[test]
    fn what_follows_an_exception_was_prevented_where_it_arose() {
        let code = method(&TRY, &[(4, 6, 7)], &[0, 1]);
        // The rest of its block: from `aload_1` on.
        assert_eq!(found(&code, &[0, 4, 7], &[4], 5, stops), [(4, Prevention::Throw)]);
        // A handler does not run because nothing was thrown: no event prevented that.
        assert_eq!(found(&code, &[0, 6], &[], 7, stops), []);
        // And a branch that goes on to a `throw`: if (!a) throw e;  return;
        assert_eq!(found(&code, &[0, 4, 7], &[5], 6, stops), [(1, Prevention::Throw)]);
    }

    #[test]
    fn a_switch_prevents_its_other_cases() {
        // switch (n) { case 1: x; }  return;
        let mut bytes = vec![op::ILOAD_0, op::TABLESWITCH, 0, 0];
        for word in [22i32, 1, 1, 19] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend([op::ICONST_0, op::ISTORE_1, op::NOP, op::RETURN]);
        let code = method(&bytes, &[], &[0]);
        assert_eq!(found(&code, &[0, 23], &[], 20, stops), [(1, Prevention::Switch)]);
    }

    #[test]
    fn a_branch_that_led_past_in_some_iterations_is_a_partial_stop() {
        // while (i < n) { if (i == 3) x; i++; }  return;
        let bytes = [
            op::ILOAD_1, // 0: the head
            op::ILOAD_0,
            op::IF_ICMPGE,
            0,
            18,
            op::ILOAD_1, // 5
            op::ICONST_3,
            op::IF_ICMPNE,
            0,
            7,
            op::ICONST_0, // 10: x
            op::ISTORE_2,
            op::NOP,
            op::NOP,
            op::IINC, // 14
            1,
            1,
            op::GOTO,
            0xff,
            0xef,
            op::RETURN, // 20
        ];
        let code = method(&bytes, &[], &[0, 1]);
        let way = [0, 5, 14, 0, 5, 10, 14, 0, 20];
        let expected = [(2, Prevention::LoopEnd), (7, Prevention::Branch)];
        assert_eq!(found(&code, &way, &[], 10, partial_stops), expected);
        assert_eq!(found(&code, &[0, 5, 14, 0, 20], &[], 10, stops), [(7, Prevention::Branch)]);
    }
}
