//! What may still be wrong: the subtree of the lowest node judged wrong, without the subtrees that were cleared.
//! Cleared subtrees are kept as runs of node numbers; neighbours grow together, so walking past them is cheap.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::shape::{Node, Shape, Standing};

/// Sums of own weights: `before[i]` is what the nodes from `from` up to `from + i` weigh.
#[derive(Clone)]
struct Weights {
    from: u32,
    before: Rc<[f64]>,
}

impl Weights {
    fn sum(&self, start: u32, end: u32) -> f64 {
        self.before[(end - self.from) as usize] - self.before[(start - self.from) as usize]
    }
}

#[derive(Clone)]
pub struct Suspects<'t> {
    shape: &'t dyn Shape,
    root: Node,
    root_wrong: bool,
    /// Start → end of a run of cleared nodes, and how many suspects were in it.
    cleared: BTreeMap<u32, (u32, u32)>,
    /// Own weights of the nodes from the root on, summed up; none where each suspect weighs 1.
    weights: Option<Weights>,
    /// Nodes that nobody could judge: still suspected, not asked about again while there is something else.
    deferred: Vec<Node>,
}

impl<'t> Suspects<'t> {
    /// Everything is suspected. `root_wrong`: the root is the symptom, so it is not asked about.
    pub fn new(shape: &'t dyn Shape, root: Node, root_wrong: bool) -> Suspects<'t> {
        Suspects { shape, root, root_wrong, cleared: BTreeMap::new(), weights: None, deferred: Vec::new() }
    }

    pub fn shape(&self) -> &'t dyn Shape {
        self.shape
    }

    /// The lowest node judged wrong, or the root of all.
    pub fn root(&self) -> Node {
        self.root
    }

    pub fn root_wrong(&self) -> bool {
        self.root_wrong
    }

    /// The node is correct: it and what lies in it are no suspects.
    pub fn clear(&mut self, node: Node) {
        self.clear_run(node, self.shape.end(node));
    }

    /// Whole subtrees from `first` up to `end` are correct.
    pub fn clear_run(&mut self, first: Node, end: Node) {
        let (mut start, mut stop) = (first.0, end.0);
        if start >= stop {
            return;
        }
        let touching: Vec<u32> = self
            .cleared
            .range(..=stop)
            .rev()
            .take_while(|(_, (end, _))| *end >= start)
            .map(|(&start, _)| start)
            .collect();
        for at in touching {
            let (end, _) = self.cleared.remove(&at).unwrap_or((at, 0));
            start = start.min(at);
            stop = stop.max(end);
        }
        let suspects = self.shape.before(Node(stop)) - self.shape.before(Node(start));
        self.cleared.insert(start, (stop, suspects));
    }

    /// The node is wrong: only what lies in it is suspected.
    pub fn enter(&mut self, node: Node) {
        let end = self.shape.end(node).0;
        self.cleared = self.cleared.range(node.0..end).map(|(&start, &run)| (start, run)).collect();
        self.deferred.retain(|&other| other > node && other.0 < end);
        self.root = node;
        self.root_wrong = true;
    }

    /// Nobody knows: the node stays suspected, its children are asked about instead.
    pub fn defer(&mut self, node: Node) {
        if !self.deferred.contains(&node) {
            self.deferred.push(node);
        }
    }

    /// Nodes that nobody could judge and that are still suspected, the one first put off first.
    pub fn deferred(&self) -> impl Iterator<Item = Node> + '_ {
        self.deferred.iter().copied().filter(|&node| self.cleared_until(node).is_none())
    }

    /// The end of the run of cleared nodes that this one lies in.
    pub fn cleared_until(&self, node: Node) -> Option<Node> {
        let (_, &(end, _)) = self.cleared.range(..=node.0).next_back()?;
        (node.0 < end).then_some(Node(end))
    }

    /// How many suspects there are in the subtree.
    pub fn count(&self, node: Node) -> u32 {
        let end = self.shape.end(node);
        if self.cleared_until(node).is_some_and(|until| until >= end) {
            return 0;
        }
        let cleared: u32 = self.cleared.range(node.0..end.0).map(|(_, (_, suspects))| suspects).sum();
        self.shape.before(end) - self.shape.before(node) - cleared
    }

    /// w: what the suspects in the subtree weigh.
    pub fn weight(&self, node: Node) -> f64 {
        let Some(weights) = &self.weights else { return f64::from(self.count(node)) };
        let end = self.shape.end(node);
        if self.cleared_until(node).is_some_and(|until| until >= end) {
            return 0.0;
        }
        let cleared = self.cleared.range(node.0..end.0).map(|(&start, &(end, _))| weights.sum(start, end));
        weights.sum(node.0, end.0) - cleared.sum::<f64>()
    }

    /// W: what all suspects weigh.
    pub fn total(&self) -> f64 {
        self.weight(self.root)
    }

    /// p: what the node itself weighs, if it is a suspect.
    pub fn own(&self, node: Node) -> f64 {
        if self.shape.standing(node) != Standing::Suspect || self.cleared_until(node).is_some() {
            return 0.0;
        }
        self.weights.as_ref().map_or(1.0, |weights| weights.sum(node.0, node.0 + 1))
    }

    /// Gives every suspect in the current subtree its own weight; a pass over it.
    pub fn weigh(&mut self, weight: impl Fn(Node) -> f64) {
        let (from, end) = (self.root.0, self.shape.end(self.root).0);
        let mut before = Vec::with_capacity((end - from) as usize + 1);
        let mut sum = 0.0;
        before.push(sum);
        for node in from..end {
            if self.shape.standing(Node(node)) == Standing::Suspect {
                sum += weight(Node(node));
            }
            before.push(sum);
        }
        self.weights = Some(Weights { from, before: before.into() });
    }

    /// May a question be about it?
    pub fn askable(&self, node: Node) -> bool {
        self.shape.standing(node) != Standing::Through
            && !(self.root_wrong && node == self.root)
            && self.cleared_until(node).is_none()
            && !self.deferred.contains(&node)
    }

    /// The topmost nodes below this one that can be asked about and hold something suspected, in order: its
    /// children, or what lies in them where they are trusted, not completed, or put off.
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let stop = self.shape.end(node);
        let mut next = Node(node.0 + 1);
        std::iter::from_fn(move || {
            while next < stop {
                let at = next;
                if let Some(until) = self.cleared_until(at) {
                    next = until;
                } else if self.count(at) == 0 {
                    next = self.shape.end(at);
                } else if self.askable(at) {
                    next = self.shape.end(at);
                    return Some(at);
                } else {
                    next = Node(at.0 + 1);
                }
            }
            None
        })
    }
}
