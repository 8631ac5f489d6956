//! Variables with the objects they may refer to, and the ways objects flow between them. Only what is new since a
//! variable was last looked at is passed on (difference propagation). Variables on a circle become one.

use std::collections::VecDeque;

use crate::filters::{ALL, Filter, Filters};
use crate::set::Set;

/// A variable, a field of an object, a static field, what a method returns or throws.
pub type GraphNode = u32;

pub const NO_NODE: GraphNode = u32::MAX;

/// What else happens with each object that reaches a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    Load {
        field: u32,
        to: GraphNode,
    },
    Store {
        field: u32,
        from: GraphNode,
    },
    /// All fields that code may reach by an offset.
    LoadAny {
        to: GraphNode,
    },
    StoreAny {
        from: GraphNode,
    },
    Call {
        site: u32,
    },
}

#[derive(Default)]
pub struct Graph {
    rep: Vec<GraphNode>,
    pub filter: Vec<Filter>,
    points: Vec<Set>,
    fresh: Vec<Set>,
    next: Vec<Vec<GraphNode>>,
    reactions: Vec<Vec<Reaction>>,
    queued: Vec<bool>,
    queue: VecDeque<GraphNode>,
    /// Nodes that were looked at often: they wait until nothing else is left.
    hot: VecDeque<GraphNode>,
    visits: Vec<u16>,
    pub stats: SolverStats,
}

#[derive(Default, Clone, Copy, Debug)]
pub struct SolverStats {
    pub visits: u64,
    pub passed: u64,
    pub edges: u64,
    pub merged: u64,
}

/// From this many visits on a node waits.
const HOT: u16 = 6;

impl Graph {
    pub fn len(&self) -> usize {
        self.rep.len()
    }

    /// Makes nodes that let everything pass.
    pub fn add(&mut self, count: u32) -> GraphNode {
        let first = self.rep.len();
        let len = first + count as usize;
        self.rep.extend(first as GraphNode..len as GraphNode);
        self.filter.resize(len, ALL);
        self.points.resize_with(len, Set::default);
        self.fresh.resize_with(len, Set::default);
        self.next.resize_with(len, Vec::new);
        self.reactions.resize_with(len, Vec::new);
        self.queued.resize(len, false);
        self.visits.resize(len, 0);
        first as GraphNode
    }

    pub fn find(&mut self, mut node: GraphNode) -> GraphNode {
        while self.rep[node as usize] != node {
            let up = self.rep[self.rep[node as usize] as usize];
            self.rep[node as usize] = up;
            node = up;
        }
        node
    }

    pub fn points(&mut self, node: GraphNode) -> &Set {
        let node = self.find(node);
        &self.points[node as usize]
    }

    /// The objects of a node, at the end.
    pub fn take_points(&mut self, node: GraphNode) -> Set {
        let node = self.find(node);
        std::mem::take(&mut self.points[node as usize])
    }

    fn enqueue(&mut self, node: GraphNode) {
        if !self.queued[node as usize] {
            self.queued[node as usize] = true;
            if self.visits[node as usize] > HOT {
                self.hot.push_back(node);
            } else {
                self.queue.push_back(node);
            }
        }
    }

    pub fn insert(&mut self, filters: &Filters, node: GraphNode, object: u32) {
        let node = self.find(node);
        if filters.passes(self.filter[node as usize], object) && self.points[node as usize].insert(object) {
            self.fresh[node as usize].insert(object);
            self.enqueue(node);
        }
    }

    /// From now on everything flows from one to the other.
    pub fn copy(&mut self, filters: &Filters, from: GraphNode, to: GraphNode) {
        if from == NO_NODE || to == NO_NODE {
            return;
        }
        let (from, to) = (self.find(from), self.find(to));
        if from == to {
            return;
        }
        let next = &mut self.next[from as usize];
        if next.iter().rev().take(8).any(|&n| n == to) {
            return;
        }
        next.push(to);
        self.stats.edges += 1;
        if !self.points[from as usize].is_empty() {
            let set = std::mem::take(&mut self.points[from as usize]);
            self.pass(filters, &set, to);
            self.points[from as usize] = set;
        }
    }

    /// Makes ways along which nothing flows yet.
    pub fn link(&mut self, ways: &[(GraphNode, GraphNode)]) {
        for &(from, to) in ways {
            let (from, to) = (self.find(from), self.find(to));
            if from != to {
                self.next[from as usize].push(to);
                self.stats.edges += 1;
            }
        }
    }

    /// Lets everything flow along ways that were linked.
    pub fn flow(&mut self, filters: &Filters, ways: &[(GraphNode, GraphNode)]) {
        for &(from, to) in ways {
            let (from, to) = (self.find(from), self.find(to));
            if from != to && !self.points[from as usize].is_empty() {
                let set = std::mem::take(&mut self.points[from as usize]);
                self.pass(filters, &set, to);
                self.points[from as usize] = set;
            }
        }
    }

    fn pass(&mut self, filters: &Filters, set: &Set, to: GraphNode) {
        self.stats.passed += 1;
        let t = to as usize;
        if self.points[t].absorb(set, filters.bits(self.filter[t]), &mut self.fresh[t]) {
            self.enqueue(to);
        }
    }

    pub fn react(&mut self, node: GraphNode, reaction: Reaction) -> GraphNode {
        let node = self.find(node);
        self.reactions[node as usize].push(reaction);
        node
    }

    /// A node with news: what is new has flowed on, and is given back with how many reactions there are.
    pub fn next_changed(&mut self, filters: &Filters) -> Option<(GraphNode, Set)> {
        loop {
            let node = self.queue.pop_front().or_else(|| self.hot.pop_front())?;
            self.queued[node as usize] = false;
            if self.rep[node as usize] != node {
                continue;
            }
            let fresh = std::mem::take(&mut self.fresh[node as usize]);
            if fresh.is_empty() {
                continue;
            }
            self.stats.visits += 1;
            self.visits[node as usize] = self.visits[node as usize].saturating_add(1);
            let next = std::mem::take(&mut self.next[node as usize]);
            for &to in &next {
                let to = self.find(to);
                if to != node {
                    self.pass(filters, &fresh, to);
                }
            }
            self.next[node as usize] = next;
            return Some((node, fresh));
        }
    }

    /// Has it objects that its reactions have already seen?
    pub fn has_old(&self, node: GraphNode) -> bool {
        self.points[node as usize].len() > self.fresh[node as usize].len()
    }

    pub fn reactions(&self, node: GraphNode) -> &[Reaction] {
        &self.reactions[node as usize]
    }

    pub fn successors(&self, node: GraphNode) -> &[GraphNode] {
        &self.next[node as usize]
    }

    pub fn is_own(&self, node: GraphNode) -> bool {
        self.rep[node as usize] == node
    }

    /// Makes nodes with the same filter that are on a circle one. What any of them has not yet reacted to is new.
    pub fn merge(&mut self, circle: &[GraphNode]) {
        let Some((&first, rest)) = circle.split_first() else { return };
        let f = first as usize;
        let mut done = self.points[f].minus(&self.fresh[f]);
        for &node in rest {
            let n = node as usize;
            self.rep[n] = first;
            let points = std::mem::take(&mut self.points[n]);
            let fresh = std::mem::take(&mut self.fresh[n]);
            done.intersect(&points.minus(&fresh));
            let mut ignored = Set::default();
            self.points[f].absorb(&points, None, &mut ignored);
            let next = std::mem::take(&mut self.next[n]);
            self.next[f].extend(next);
            let reactions = std::mem::take(&mut self.reactions[n]);
            self.reactions[f].extend(reactions);
            self.stats.merged += 1;
        }
        self.tidy(first);
        self.fresh[f] = self.points[f].minus(&done);
        if !self.fresh[f].is_empty() {
            self.enqueue(first);
        }
    }

    /// Each way once, none to itself.
    pub fn tidy(&mut self, node: GraphNode) {
        let mut next = std::mem::take(&mut self.next[node as usize]);
        for n in &mut next {
            *n = self.find(*n);
        }
        next.sort_unstable();
        next.dedup();
        next.retain(|&n| n != node);
        self.next[node as usize] = next;
    }
}
