//! The best children of a node without looking at all of them again for each question: a node with many children
//! keeps them in a heap, whose entries are brought up to date only when they come to the top.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Suspects;
use crate::tree::Node;

/// From this many children on they are kept in a heap.
const MANY: usize = 48;

/// What makes a child better than its sibling. Among equals the earlier one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// w: heavier.
    Weight,
    /// w + d, where d is what lies below it: heavier, and less of it its own.
    Both,
    /// It is of the parent's group: a recursive call.
    Recursive,
}

impl Order {
    pub(super) const MIN: Order = Order::Weight;
}

/// Children with their ranks, the highest first, the earlier first among equals.
pub(super) type Ranked = BinaryHeap<(u64, Reverse<Node>)>;

impl Suspects {
    /// The best `few` of `children(node)`, best first.
    pub fn best(&mut self, node: Node, order: Order, few: usize) -> Vec<Node> {
        let mut ranked = match self.ranked.remove(&(node, order)) {
            Some(ranked) => ranked,
            None => {
                let children = self.topmost(node, |at| self.askable(at));
                let rank = |(child, count): (Node, u32)| {
                    // Where each suspect weighs 1, how many there are is what they weigh.
                    let parts = self.weights.is_none().then_some(u64::from(count));
                    (self.rank_of(node, child, order, parts), Reverse(child))
                };
                let all: Vec<_> = children.map(rank).collect();
                if all.len() < MANY {
                    return best_of(all, few);
                }
                Ranked::from(all)
            }
        };
        let mut best = Vec::with_capacity(few);
        while best.len() < few {
            let Some((rank, Reverse(child))) = ranked.pop() else { break };
            if self.count(child) == 0 {
                continue;
            }
            if !self.askable(child) {
                ranked.extend(self.children(child).map(|it| (self.rank(node, it, order), Reverse(it))));
                continue;
            }
            match self.rank(node, child, order) {
                now if now == rank => best.push((rank, Reverse(child))),
                now => ranked.push((now, Reverse(child))),
            }
        }
        ranked.extend(best.iter().copied());
        self.ranked.insert((node, order), ranked);
        best.into_iter().map(|(_, Reverse(child))| child).collect()
    }

    fn rank(&self, parent: Node, child: Node, order: Order) -> u64 {
        self.rank_of(parent, child, order, None)
    }

    /// `parts`: what the suspects in the child weigh, if that is known.
    fn rank_of(&self, parent: Node, child: Node, order: Order, parts: Option<u64>) -> u64 {
        let parts = || parts.unwrap_or_else(|| self.parts(child));
        match order {
            Order::Weight => parts(),
            Order::Both => 2 * parts() - self.own_parts(child),
            Order::Recursive => u64::from(self.tree.group(child) == self.tree.group(parent)),
        }
    }
}

fn best_of(mut all: Vec<(u64, Reverse<Node>)>, few: usize) -> Vec<Node> {
    if few == 1 {
        return all.into_iter().max().map(|(_, Reverse(child))| child).into_iter().collect();
    }
    all.sort_unstable_by(|one, other| other.cmp(one));
    all.into_iter().take(few).map(|(_, Reverse(child))| child).collect()
}
