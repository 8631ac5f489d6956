//! Loops become nodes: one for a run of a loop, below it an interval tree over its iterations, in that what the
//! iterations called and the loops nested in them. Halving the iterations finds the first wrong one in a few
//! questions.
//!
//! Loops of a call that is not asked about get no nodes: they are trusted as it is, or not completed either.
//!
//! A run of fewer than two iterations gets no node; loops nested in it count as nested in what is around it. What the
//! last test of the condition called lies directly below the loop.
//!
//! Iterations in which nothing was called and no loop ran would make most of the tree and are worth little: runs of
//! more than `FINE` iterations get one node for several of these in a row, so that there are at most about twice as
//! many as `FINE`, and if there are more of them in the whole tree than calls (and than `FREE`), all loops get
//! coarser. A node for several such iterations is a leaf and suspected itself.

use crate::fragment::{Fragment, PlainRow};
use crate::links::{Link, Links};
use crate::loops::{IterationStart, LoopRun, LoopRuns};
use crate::memory_tree::{MemoryTree, TreeBuilder};
use crate::tree::{CodeGroup, Node, Suspicion, Tree};

/// So many iterations without calls are told apart in one run.
const FINE: u32 = 256;

/// So many are told apart in any tree.
const FREE: u64 = 1 << 16;

pub fn expand_loops(tree: &MemoryTree, links: &Links, loops: &LoopRuns) -> (MemoryTree, Links) {
    let fine = fineness(loops, FREE.max(tree.len().into()));
    let mut builder = TreeBuilder::default();
    let mut kept = Vec::new();
    let mut open: Vec<(Node, CallParts)> = Vec::new();
    for node in (0..tree.len()).map(Node) {
        while let Some((_, frame)) = open.pop_if(|(end, _)| *end <= node) {
            frame.finish(&mut builder, &mut kept);
        }
        let parted = match open.last_mut() {
            Some((_, frame)) => frame.reach(tree.fragment(node).row(), &mut builder, &mut kept),
            None => false,
        };
        kept.push(if parted { Link::None } else { links.of(node) });
        builder.open(tree.fragment(node), tree.group(node), tree.suspicion(node));
        let parts = match (tree.fragment(node), tree.suspicion(node)) {
            (Fragment::Call(row), Suspicion::Suspect) => parts(loops, row, fine),
            _ => Vec::new(),
        };
        open.push((tree.end(node), CallParts { parts, ..CallParts::default() }));
    }
    while let Some((_, frame)) = open.pop() {
        frame.finish(&mut builder, &mut kept);
    }
    (builder.finish(), Links(kept))
}

/// The most iterations without calls that each run may tell apart for all to be no more than `most`.
fn fineness(loops: &LoopRuns, most: u64) -> u32 {
    let empty =
        |(run, starts): (LoopRun, &[IterationStart])| run.iterations.saturating_sub(starts.len() as u32);
    let sum = |fine: u32| loops.all().map(|run| u64::from(empty(run).min(fine))).sum::<u64>();
    let mut fine = FINE;
    while fine > 1 && sum(fine) > most {
        fine /= 2;
    }
    fine
}

/// A loop or some iterations of it, to be opened before the first call at or after `first`, and closed before the
/// first at or after `end`.
#[derive(Clone, Copy, Debug)]
struct Part {
    fragment: Fragment,
    group: CodeGroup,
    suspicion: Suspicion,
    /// 1 directly below the call.
    depth: usize,
    first: PlainRow,
    end: PlainRow,
}

/// A call being written: its parts in pre-order, how many were opened, and where the open ones end.
#[derive(Default)]
struct CallParts {
    parts: Vec<Part>,
    opened: usize,
    ends: Vec<PlainRow>,
}

impl CallParts {
    /// Opens and closes parts up to a call in this one; were there any?
    fn reach(&mut self, row: PlainRow, builder: &mut TreeBuilder, links: &mut Vec<Link>) -> bool {
        let mut parted = false;
        while let Some(&part) = self.parts.get(self.opened).filter(|part| part.first <= row) {
            self.begin(part, builder, links);
            parted = true;
        }
        while self.ends.pop_if(|end| *end <= row).is_some() {
            builder.close();
            parted = true;
        }
        parted
    }

    fn begin(&mut self, part: Part, builder: &mut TreeBuilder, links: &mut Vec<Link>) {
        while self.ends.len() >= part.depth {
            self.ends.pop();
            builder.close();
        }
        builder.open(part.fragment, part.group, part.suspicion);
        links.push(Link::None);
        self.ends.push(part.end);
        self.opened += 1;
    }

    fn finish(mut self, builder: &mut TreeBuilder, links: &mut Vec<Link>) {
        while let Some(&part) = self.parts.get(self.opened) {
            self.begin(part, builder, links);
        }
        for _ in self.ends {
            builder.close();
        }
        builder.close();
    }
}

/// All loops of a call with their iterations, in pre-order.
fn parts(loops: &LoopRuns, call: PlainRow, fine: u32) -> Vec<Part> {
    let runs: Vec<_> = loops.of(call).collect();
    if runs.is_empty() {
        return Vec::new();
    }
    let mut inner: Vec<Vec<(u32, u32)>> = vec![Vec::new(); runs.len()];
    let mut top = Vec::new();
    for (number, (run, _)) in runs.iter().enumerate().filter(|(_, (run, _))| run.iterations >= 2) {
        let mut within = run.within;
        while let Some((around, _)) = within.filter(|(around, _)| runs[*around as usize].0.iterations < 2) {
            within = runs[around as usize].0.within;
        }
        match within {
            Some((around, iteration)) => inner[around as usize].push((iteration, number as u32)),
            None => top.push(number as u32),
        }
    }
    let mut parting = Parting { call, runs, inner, fine, parts: Vec::new() };
    for number in top {
        parting.loop_parts(number, 1);
    }
    parting.parts
}

struct Parting<'a> {
    call: PlainRow,
    runs: Vec<(LoopRun, &'a [IterationStart])>,
    /// For each run the runs nested in it: the iteration they began in, and their number.
    inner: Vec<Vec<(u32, u32)>>,
    fine: u32,
    parts: Vec<Part>,
}

impl Parting<'_> {
    fn loop_parts(&mut self, number: u32, depth: usize) {
        let (run, _) = self.runs[number as usize];
        let fragment = Fragment::Loop { call: self.call, run: number };
        let suspicion = Suspicion::Suspect;
        self.parts.push(Part {
            fragment,
            group: run.group,
            suspicion,
            depth,
            first: run.first,
            end: run.end,
        });
        let units = self.units(number);
        if units.len() > 1 {
            let middle = units.len().div_ceil(2);
            self.interval(number, &units[..middle], depth + 1);
            self.interval(number, &units[middle..], depth + 1);
        }
        self.nested(number, run.iterations, u32::MAX, depth + 1);
    }

    fn interval(&mut self, number: u32, units: &[(u32, u32)], depth: usize) {
        let (run, _) = self.runs[number as usize];
        let (from, to) = (units[0].0, units[units.len() - 1].1);
        let (first, end) = (self.reached(number, from), self.reached(number, to));
        let fragment = Fragment::Iterations { call: self.call, run: number, from, to };
        let suspicion = if units.len() == 1 { Suspicion::Suspect } else { Suspicion::Joint };
        self.parts.push(Part { fragment, group: run.group, suspicion, depth, first, end });
        if units.len() > 1 {
            let middle = units.len().div_ceil(2);
            self.interval(number, &units[..middle], depth + 1);
            self.interval(number, &units[middle..], depth + 1);
            return;
        }
        self.nested(number, from, to, depth + 1);
    }

    /// The loops nested in iterations `from..to`.
    fn nested(&mut self, number: u32, from: u32, to: u32, depth: usize) {
        let nested = &self.inner[number as usize];
        let begin = nested.partition_point(|(iteration, _)| *iteration < from);
        let stop = nested.partition_point(|(iteration, _)| *iteration < to);
        for at in begin..stop {
            self.loop_parts(self.inner[number as usize][at].1, depth);
        }
    }

    /// The first call made in this iteration or a later one, or after the loop.
    fn reached(&self, number: u32, iteration: u32) -> PlainRow {
        let (run, starts) = self.runs[number as usize];
        let at = starts.partition_point(|start| start.iteration < iteration);
        starts.get(at).map_or(run.end, |start| start.first)
    }

    /// What is not parted further: each iteration with something in it, and a few or more of the others in a row.
    fn units(&self, number: u32) -> Vec<(u32, u32)> {
        let (run, starts) = self.runs[number as usize];
        let grain = run.iterations.div_ceil(self.fine);
        let mut units = Vec::new();
        let plain = |units: &mut Vec<(u32, u32)>, from: u32, to: u32| {
            let mut from = from;
            while from < to {
                let next = to.min(from.saturating_add(grain));
                units.push((from, next));
                from = next;
            }
        };
        let mut calls = starts.iter().map(|start| start.iteration).peekable();
        let mut nested = self.inner[number as usize].iter().map(|(iteration, _)| *iteration).peekable();
        let mut reached = 0;
        loop {
            let next = calls.peek().into_iter().chain(nested.peek()).min().copied();
            let Some(next) = next.filter(|&next| next < run.iterations) else { break };
            while calls.next_if_eq(&next).is_some() {}
            while nested.next_if_eq(&next).is_some() {}
            plain(&mut units, reached, next);
            units.push((next, next + 1));
            reached = next + 1;
        }
        plain(&mut units, reached, run.iterations);
        units
    }
}

#[cfg(test)]
mod tests;
