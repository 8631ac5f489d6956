//! The heaviest path: where the nodes are that divide the suspects well. At most one child of a node holds more than
//! half of everything, so whoever looks for a half walks down to it and sees the few best children on the way;
//! nothing else in the tree can be nearer.

use tree::{Node, Order, Suspects};

/// What is suspected, or would be after an answer.
#[derive(Clone, Copy)]
pub(crate) struct View {
    root: Node,
    root_wrong: bool,
    /// A node taken as correct, and what it weighs.
    without: Option<(Node, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub node: Node,
    /// w
    pub weight: f64,
    /// w − p: what lies below it.
    pub below: f64,
}

impl View {
    pub fn now(suspects: &Suspects) -> View {
        View { root: suspects.root(), root_wrong: suspects.root_wrong(), without: None }
    }

    /// As if the candidate were wrong.
    pub fn inside(self, candidate: Candidate) -> View {
        View { root: candidate.node, root_wrong: true, without: None }
    }

    /// As if the candidate were correct.
    pub fn without(self, candidate: Candidate) -> View {
        View { without: Some((candidate.node, candidate.weight)), ..self }
    }

    /// W
    pub fn total(self, suspects: &Suspects) -> f64 {
        self.candidate(suspects, self.root).weight
    }

    /// What |u − d| is measured against: what lies outside of a candidate and below it together with it twice.
    pub fn divisible(self, suspects: &Suspects) -> f64 {
        let root = self.candidate(suspects, self.root);
        if self.root_wrong { root.below } else { root.weight }
    }

    fn candidate(self, suspects: &Suspects, node: Node) -> Candidate {
        let (weight, own) = (suspects.weight(node), suspects.own(node));
        let less = match self.without {
            Some((other, less)) if node <= other && other < suspects.tree().end(node) => less,
            _ => 0.0,
        };
        Candidate { node, weight: weight - less, below: weight - less - own }
    }

    /// The nodes on the heaviest path down to where less than half is left, and the best of their children: at least
    /// two of each, and `few` if that is more.
    pub fn candidates(self, suspects: &mut Suspects, order: Order, few: usize) -> Vec<Candidate> {
        let half = match order {
            Order::Both => self.divisible(suspects),
            _ => self.total(suspects) / 2.0,
        };
        let rank = |candidate: &Candidate| match order {
            Order::Both => candidate.weight + candidate.below,
            _ => candidate.weight,
        };
        let mut candidates = Vec::new();
        if !self.root_wrong && suspects.askable(self.root) {
            candidates.push(self.candidate(suspects, self.root));
        }
        let mut at = self.root;
        loop {
            // One more than needed, as the one that holds what is taken as correct may fall behind.
            let nodes = suspects.best(at, order, few.max(2) + usize::from(self.without.is_some()));
            let children = nodes
                .into_iter()
                .filter(|&node| self.without.is_none_or(|(other, _)| other != node))
                .map(|node| self.candidate(suspects, node))
                .filter(|child| child.weight > 0.0);
            let from = candidates.len();
            candidates.extend(children);
            let best = candidates[from..]
                .iter()
                .copied()
                .reduce(|best, other| if rank(&other) > rank(&best) { other } else { best });
            match best {
                Some(best) if rank(&best) >= half => at = best.node,
                _ => return candidates,
            }
        }
    }
}

/// The one with the least `badness`; among equals the heavier, then the earlier.
pub(crate) fn least(candidates: &[Candidate], badness: impl Fn(&Candidate) -> f64) -> Option<Candidate> {
    let order = |one: &&Candidate, other: &&Candidate| {
        badness(one)
            .total_cmp(&badness(other))
            .then(other.weight.total_cmp(&one.weight))
            .then(one.node.cmp(&other.node))
    };
    candidates.iter().min_by(order).copied()
}
