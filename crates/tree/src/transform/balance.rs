//! Shrink and balance: like leaves are collapsed, then projections are put over parts of chains so that some question
//! halves what is suspected below each node. A projection weighs nothing itself, so what is done for one node changes
//! no weight elsewhere, and nodes can be taken in any order.
//!
//! At one node, what is still to be halved only gets smaller: either the heaviest child is set aside, since it is the
//! better question, or the part of a chain that weighs closest to half is projected. At most one chain weighs more
//! than half. If there is none, the heaviest chain as a whole is closest. If there is one, its parts are searched with
//! two pointers, over sums that the tree has anyway; no other chain can be closer, since all others together miss half
//! by no less than it exceeds it. Each such search takes off at least a quarter of the weight.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::collapse::collapse;
use super::project::{Siblings, chains, insert};
use crate::links::Links;
use crate::memory_tree::MemoryTree;
use crate::tree::{Node, Suspicion, Tree};

pub fn balance(tree: &MemoryTree, links: &Links) -> MemoryTree {
    let (shrunk, links) = collapse(tree, links);
    halve(&shrunk, &links).0
}

/// The second half of it: projections only.
pub(super) fn halve(tree: &MemoryTree, links: &Links) -> (MemoryTree, Links) {
    let mut over = Vec::new();
    let mut siblings = Vec::new();
    let mut found = Vec::new();
    for parent in (0..tree.len()).map(Node) {
        siblings.clear();
        siblings.extend(tree.children(parent));
        found.clear();
        chains(tree, links, &siblings, |from, to| found.push(Part { from: from as u32, to: to as u32 }));
        if found.is_empty() || siblings.len() < 3 {
            continue;
        }
        let own = u32::from(tree.suspicion(parent) == Suspicion::Suspect);
        for part in halving_parts(&weights(tree, &siblings, parent), own.into(), &found) {
            let (first, last) = (siblings[part.from as usize], siblings[part.to as usize - 1]);
            over.push(Siblings { first, last });
        }
    }
    insert(tree, links, over)
}

/// Siblings by index, the end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    from: u32,
    to: u32,
}

impl Part {
    fn len(self) -> u32 {
        self.to - self.from
    }

    /// What is left on both sides when `inner` is taken out, if it is still a chain.
    fn without(self, inner: Part) -> impl Iterator<Item = Part> {
        let sides = [Part { from: self.from, to: inner.from }, Part { from: inner.to, to: self.to }];
        sides.into_iter().filter(|side| side.len() >= 2)
    }
}

/// Sums of the weights of siblings: `0[i]` is what those before the i-th weigh.
struct Weights(Vec<u64>);

impl Weights {
    fn of(&self, part: Part) -> u64 {
        self.0[part.to as usize] - self.0[part.from as usize]
    }

    fn at(&self, index: u32) -> u64 {
        self.of(Part { from: index, to: index + 1 })
    }
}

fn weights(tree: &MemoryTree, siblings: &[Node], parent: Node) -> Weights {
    let ends = siblings.iter().copied().chain([tree.end(parent)]);
    Weights(ends.map(|node| tree.before(node).into()).collect())
}

/// The parts to project among the children of one node, those in new projections included.
fn halving_parts(weights: &Weights, own: u64, chains: &[Part]) -> Vec<Part> {
    let all = Part { from: 0, to: weights.0.len() as u32 - 1 };
    let mut heaviest_first: Vec<u32> = (0..all.to).collect();
    heaviest_first.sort_unstable_by_key(|&child| (Reverse(weights.at(child)), child));
    let mut done = Vec::new();
    let mut owner = vec![None; all.to as usize];
    let mut todo = vec![(all, own, chains.to_vec(), heaviest_first)];
    while let Some((whole, own, chains, order)) = todo.pop() {
        let parts = Halving::new(weights, whole, own, &chains, &order, &mut owner).run();
        // Each new projection is balanced inside: its members in the order of weight come out of the order of all.
        let mut orders: Vec<Vec<u32>> =
            parts.iter().map(|part| Vec::with_capacity(part.len() as usize)).collect();
        for &child in &order {
            if let Some(Taken::Part(part)) = owner[child as usize].take() {
                orders[part as usize].push(child);
            }
        }
        for (&part, order) in parts.iter().zip(orders) {
            done.push(part);
            if part.len() > 2 {
                todo.push((part, 0, vec![part], order));
            }
        }
    }
    done
}

/// Where a child went.
#[derive(Clone, Copy, Debug)]
enum Taken {
    /// Into the projection of this number.
    Part(u32),
    /// Set aside: a question of its own.
    Alone,
}

/// One node's children being parted.
struct Halving<'a> {
    weights: &'a Weights,
    /// All children: never projected together, that would only repeat the node.
    whole: Part,
    /// What is not yet taken, the node's own weight included.
    left: u64,
    /// Chains that are left, and the same with the heaviest on top, the first of equals; there, some are outdated.
    chains: BTreeMap<u32, u32>,
    by_weight: BinaryHeap<(u64, Reverse<Part>)>,
    /// Children, heavier ones first; those before `next` are taken, and some after it.
    order: &'a [u32],
    next: usize,
    taken: &'a mut [Option<Taken>],
}

/// A part and how far twice its weight is from all that is left.
#[derive(Clone, Copy)]
struct Candidate {
    part: Part,
    weight: u64,
    distance: u64,
}

impl Candidate {
    fn rank(&self) -> (u64, Reverse<u64>, Part) {
        (self.distance, Reverse(self.weight), self.part)
    }
}

impl<'a> Halving<'a> {
    fn new(
        weights: &'a Weights,
        whole: Part,
        own: u64,
        chains: &[Part],
        order: &'a [u32],
        taken: &'a mut [Option<Taken>],
    ) -> Halving<'a> {
        let left = own + weights.of(whole);
        let by_weight = chains.iter().map(|&chain| (weights.of(chain), Reverse(chain))).collect();
        let chains = chains.iter().map(|chain| (chain.from, chain.to)).collect();
        Halving { weights, whole, left, chains, by_weight, order, next: 0, taken }
    }

    fn run(mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        while let Some(chain) = self.heaviest_chain() {
            while self.taken[self.order[self.next] as usize].is_some() {
                self.next += 1;
            }
            let child = self.order[self.next];
            let doubled = 2 * self.weights.at(child);
            let best = if doubled < self.left { self.closest(chain) } else { None };
            match best.filter(|best| best.distance <= self.left - doubled) {
                Some(best) => {
                    self.mark_used(best.part, Taken::Part(parts.len() as u32));
                    parts.push(best.part);
                }
                None => self.mark_used(Part { from: child, to: child + 1 }, Taken::Alone),
            }
        }
        parts
    }

    fn heaviest_chain(&mut self) -> Option<Part> {
        while let Some(&(_, Reverse(chain))) = self.by_weight.peek() {
            if self.chains.get(&chain.from) == Some(&chain.to) {
                return Some(chain);
            }
            self.by_weight.pop();
        }
        None
    }

    fn mark_used(&mut self, part: Part, how: Taken) {
        self.left -= self.weights.of(part);
        self.taken[part.from as usize..part.to as usize].fill(Some(how));
        let around = self.chains.range(..=part.from).next_back().map(|(&from, &to)| Part { from, to });
        if let Some(chain) = around.filter(|chain| chain.to >= part.to) {
            self.chains.remove(&chain.from);
            for side in chain.without(part) {
                self.chains.insert(side.from, side.to);
                self.by_weight.push((self.weights.of(side), Reverse(side)));
            }
        }
    }

    /// The part of a chain that weighs closest to half of what is left; of equals the heavier, then the earlier.
    fn closest(&self, heaviest: Part) -> Option<Candidate> {
        if heaviest != self.whole && 2 * self.weights.of(heaviest) <= self.left {
            return Some(self.candidate(heaviest));
        }
        self.closest_in(heaviest)
    }

    fn closest_in(&self, chain: Part) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        let mut to = chain.from;
        for from in chain.from..chain.to - 1 {
            to = to.max(from + 2);
            while to < chain.to && 2 * self.weights.of(Part { from, to }) < self.left {
                to += 1;
            }
            for part in [Part { from, to }, Part { from, to: to - 1 }] {
                if part.len() >= 2 && part != self.whole {
                    let candidate = self.candidate(part);
                    best = best.filter(|best| best.rank() < candidate.rank()).or(Some(candidate));
                }
            }
        }
        best
    }

    fn candidate(&self, part: Part) -> Candidate {
        let weight = self.weights.of(part);
        Candidate { part, weight, distance: self.left.abs_diff(2 * weight) }
    }
}

#[cfg(test)]
mod tests;
