//! What may still be wrong: the subtree of the lowest node judged wrong, without the subtrees that were cleared.
//! A weight is a difference of two sums less what was cleared between them, so no answer touches more than one run of
//! cleared nodes, and a question looks at one path.

mod cleared;
mod conclusion;
mod heaviest;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::tree::{Node, Suspicion, Tree};
use cleared::{Cleared, Measure};
pub use conclusion::Conclusion;
pub use heaviest::Order;
use heaviest::Ranked;

/// Weights are counted in whole parts of this size, so that sums and differences are exact and ties are ties.
const PARTS: f64 = (1u64 << 20) as f64;

/// Own weights, summed up: the suspects weighed, in order, each with what it and those before it weigh, in parts.
#[derive(Clone)]
struct Weights(Arc<[(Node, u64)]>);

impl Weights {
    fn before(&self, node: Node) -> u64 {
        let at = self.0.partition_point(|&(other, _)| other < node);
        if at == 0 { 0 } else { self.0[at - 1].1 }
    }
}

/// What is still suspected. It only ever shrinks: an answer that is taken back means a new one.
#[derive(Clone)]
pub struct Suspects {
    tree: Arc<dyn Tree>,
    root: Node,
    root_wrong: bool,
    running: bool,
    cleared: Cleared,
    /// None where each suspect weighs 1.
    weights: Option<Weights>,
    /// What the weights were made from.
    stamp: Option<u64>,
    /// Nodes that nobody could judge: still suspected, not asked about again while there is something else.
    deferred: Vec<Node>,
    put_off: HashSet<Node>,
    /// The children of nodes that have many, best first, by the order asked for. Entries may lag behind: a child's
    /// rank only falls while answers come in, so the first entry that is up to date is the best.
    ranked: BTreeMap<(Node, Order), Ranked>,
}

impl Suspects {
    /// Everything is suspected. `root_wrong`: the root is the symptom, so it is not asked about.
    pub fn new(tree: Arc<dyn Tree>, root: Node, root_wrong: bool) -> Suspects {
        Suspects {
            tree,
            root,
            root_wrong,
            running: false,
            cleared: Cleared::default(),
            weights: None,
            stamp: None,
            deferred: Vec::new(),
            put_off: HashSet::new(),
            ranked: BTreeMap::new(),
        }
    }

    /// The program still runs: a `Through` root may be an unfinished call, whose own code may be what is wrong.
    pub fn set_running(&mut self, running: bool) {
        self.running = running;
    }

    pub fn tree(&self) -> &Arc<dyn Tree> {
        &self.tree
    }

    /// The lowest node judged wrong, or the root of all.
    pub fn root(&self) -> Node {
        self.root
    }

    pub fn root_wrong(&self) -> bool {
        self.root_wrong
    }

    /// Does the node lie in the subtree of the root?
    pub fn holds(&self, node: Node) -> bool {
        self.root <= node && node < self.tree.end(self.root)
    }

    /// The node is correct: it and what lies in it are no suspects.
    pub fn clear(&mut self, node: Node) {
        self.clear_run(node, self.tree.end(node));
    }

    /// Whole subtrees from `first` up to `end` are correct. What lies outside of the root's subtree is no suspect
    /// anyway.
    pub fn clear_run(&mut self, first: Node, end: Node) {
        let last = self.tree.end(self.root);
        let (start, mut stop) = (first.max(self.root), end.min(last));
        if start < stop {
            // Nodes that hold no suspect would keep runs apart, and be walked over one by one.
            while stop < last && self.tree.before(self.tree.end(stop)) == self.tree.before(stop) {
                stop = self.tree.end(stop);
            }
            self.cleared.insert(start.0, stop.0, Ruler { tree: &*self.tree, weights: self.weights.as_ref() });
        }
    }

    /// Nobody can judge the node by itself: its own code is that of the one around it, and what lies in it stays suspected.
    pub fn dissolve(&mut self, node: Node) {
        self.clear_run(node, Node(node.0 + 1));
    }

    /// The node is wrong: only what lies in it is suspected. Nothing changes if it is not in the root's subtree.
    pub fn enter(&mut self, node: Node) {
        if self.holds(node) {
            *self = self.inside(node);
        }
    }

    /// The node is wrong in the state returned, and correct in this one.
    pub fn divide(&mut self, node: Node) -> Suspects {
        let wrong = self.inside(node);
        self.clear(node);
        wrong
    }

    /// The state in which the node is wrong. Takes what was ranked in the node along.
    fn inside(&mut self, node: Node) -> Suspects {
        let end = self.tree.end(node);
        let ruler = Ruler { tree: &*self.tree, weights: self.weights.as_ref() };
        let moved: Vec<(Node, Order)> =
            self.ranked.range((node, Order::MIN)..(end, Order::MIN)).map(|(&key, _)| key).collect();
        let deferred: Vec<Node> =
            self.deferred.iter().copied().filter(|&other| node < other && other < end).collect();
        Suspects {
            tree: Arc::clone(&self.tree),
            root: node,
            root_wrong: true,
            running: self.running,
            cleared: self.cleared.within(node.0, end.0, ruler),
            weights: self.weights.clone(),
            stamp: self.stamp,
            put_off: deferred.iter().copied().collect(),
            deferred,
            ranked: moved.into_iter().filter_map(|key| self.ranked.remove_entry(&key)).collect(),
        }
    }

    /// Nobody knows: the node stays suspected, its children are asked about instead.
    pub fn defer(&mut self, node: Node) {
        if self.put_off.insert(node) {
            self.deferred.push(node);
        }
    }

    /// Nodes that nobody could judge and that are still suspected, the one first put off first.
    pub fn deferred(&self) -> impl Iterator<Item = Node> + '_ {
        self.deferred.iter().copied().filter(|&node| {
            self.holds(node)
                && self.cleared_until(node).is_none()
                && !(self.root_wrong && node == self.root)
                && self.count(node) > 0
        })
    }

    /// The end of the run of cleared nodes that this one lies in. What holds no suspect may be in one too.
    pub fn cleared_until(&self, node: Node) -> Option<Node> {
        self.cleared.until(node.0).map(Node)
    }

    /// How many suspects there are in the subtree.
    pub fn count(&self, node: Node) -> u32 {
        let end = self.tree.end(node);
        let all = self.tree.before(end) - self.tree.before(node);
        match all {
            0 => 0,
            _ => all - self.cleared.sum(node.0, end.0, Ruler { tree: &*self.tree, weights: None }).suspects,
        }
    }

    /// How many suspects there are at all.
    pub fn len(&self) -> u32 {
        self.count(self.root)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// w: what the suspects in the subtree weigh.
    pub fn weight(&self, node: Node) -> f64 {
        self.shown(self.parts(node))
    }

    /// W: what all suspects weigh.
    pub fn total(&self) -> f64 {
        self.weight(self.root)
    }

    /// p: what the node itself weighs, if it is a suspect.
    pub fn own(&self, node: Node) -> f64 {
        self.shown(self.own_parts(node))
    }

    /// Every node of the root's subtree that is not cleared, in order, whatever its suspicion; some that hold no
    /// suspect may be left out.
    pub fn remaining(&self) -> impl Iterator<Item = Node> + '_ {
        let end = self.tree.end(self.root).0;
        let run = move |at: u32| self.cleared.from(at).unwrap_or((end, end));
        let mut next = self.root.0;
        let mut gap = run(next);
        std::iter::from_fn(move || {
            while next == gap.0 && next < end {
                next = gap.1;
                gap = run(next);
            }
            let node = (next < end).then_some(Node(next))?;
            next += 1;
            Some(node)
        })
    }

    /// Gives every suspect in the current subtree its own weight; a pass over it. A suspect never weighs nothing,
    /// else it would not be looked at.
    pub fn weigh(&mut self, weight: impl Fn(Node) -> f64) {
        let mut sum = 0;
        let suspects = self.remaining().filter(|&node| self.tree.suspicion(node) == Suspicion::Suspect);
        let summed = suspects.map(|node| {
            sum += ((weight(node) * PARTS).round() as u64).max(1);
            (node, sum)
        });
        let weights = Weights(summed.collect());
        self.set_weights(Some(weights));
    }

    /// As `weigh`, unless that was done last by the same stamp: it stands for what the weights are made from.
    pub fn weigh_by(&mut self, stamp: u64, weight: impl Fn(Node) -> f64) {
        if self.stamp != Some(stamp) {
            self.weigh(weight);
            self.stamp = Some(stamp);
        }
    }

    /// Each suspect weighs 1 again.
    pub fn weigh_alike(&mut self) {
        if self.weights.is_some() {
            self.set_weights(None);
        }
    }

    fn set_weights(&mut self, weights: Option<Weights>) {
        self.weights = weights;
        self.stamp = None;
        self.ranked.clear();
        self.cleared.measure_again(Ruler { tree: &*self.tree, weights: self.weights.as_ref() });
    }

    /// May a question be about it?
    pub fn askable(&self, node: Node) -> bool {
        self.tree.suspicion(node) != Suspicion::Through
            && !(self.root_wrong && node == self.root)
            && (self.put_off.is_empty() || !self.put_off.contains(&node))
            && self.cleared_until(node).is_none()
    }

    /// The topmost nodes below this one that can be asked about and hold something suspected, in order: its
    /// children, or what lies in them where they are trusted, not completed, or put off.
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.topmost(node, |at| self.askable(at)).map(|(child, _)| child)
    }

    /// The topmost nodes below this one that hold something suspected and pass, and how many suspects these are.
    fn topmost<'s>(
        &'s self,
        node: Node,
        pass: impl Fn(Node) -> bool + 's,
    ) -> impl Iterator<Item = (Node, u32)> + 's {
        let stop = self.tree.end(node);
        let mut next = Node(node.0 + 1);
        // Of a million children each is looked up once: where one ends the next begins.
        let mut known = (next, self.tree.before(next));
        std::iter::from_fn(move || {
            while next < stop {
                let at = next;
                if let Some(until) = self.cleared_until(at) {
                    next = until;
                    continue;
                }
                let end = self.tree.end(at);
                let before = if known.0 == at { known.1 } else { self.tree.before(at) };
                known = (end, self.tree.before(end));
                let count = match known.1 - before {
                    0 => 0,
                    all => {
                        all - self
                            .cleared
                            .sum(at.0, end.0, Ruler { tree: &*self.tree, weights: None })
                            .suspects
                    }
                };
                if count == 0 {
                    next = end;
                } else if pass(at) {
                    next = end;
                    return Some((at, count));
                } else {
                    next = Node(at.0 + 1);
                }
            }
            None
        })
    }

    fn parts(&self, node: Node) -> u64 {
        let end = self.tree.end(node);
        let ruler = Ruler { tree: &*self.tree, weights: self.weights.as_ref() };
        let all = ruler.measure(node.0, end.0).parts;
        match all {
            0 => 0,
            _ => all - self.cleared.sum(node.0, end.0, ruler).parts,
        }
    }

    fn own_parts(&self, node: Node) -> u64 {
        if self.tree.suspicion(node) != Suspicion::Suspect || self.cleared_until(node).is_some() {
            return 0;
        }
        Ruler { tree: &*self.tree, weights: self.weights.as_ref() }.parts(node.0, node.0 + 1).unwrap_or(1)
    }

    fn shown(&self, parts: u64) -> f64 {
        parts as f64 / if self.weights.is_some() { PARTS } else { 1.0 }
    }
}

/// Measures runs of nodes as if nothing were cleared.
#[derive(Clone, Copy)]
struct Ruler<'a> {
    tree: &'a dyn Tree,
    weights: Option<&'a Weights>,
}

impl Ruler<'_> {
    fn parts(&self, start: u32, end: u32) -> Option<u64> {
        let weights = self.weights?;
        Some(weights.before(Node(end)) - weights.before(Node(start)))
    }

    fn measure(&self, start: u32, end: u32) -> Measure {
        let suspects = self.tree.before(Node(end)) - self.tree.before(Node(start));
        Measure { suspects, parts: self.parts(start, end).unwrap_or(u64::from(suspects)) }
    }
}

#[cfg(test)]
mod tests;
