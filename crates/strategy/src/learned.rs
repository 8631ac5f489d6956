//! What the answers so far say beyond the nodes that they are about.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

pub use tree::Coverage;
use tree::{CodeGroup, Node, Suspects, Suspicion, Tree};

use crate::belief::{Belief, PERSON};
use crate::optimal::Solved;

/// An answer as strategies see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Correct,
    Wrong,
}

/// What strategies remember; part of what they choose by, so that a choice depends on nothing else.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// Correct and wrong answers by method.
    pub answers: HashMap<CodeGroup, (u32, u32)>,
    /// How often each entity was covered by a node judged correct, or by one pruned with it.
    pub correct: Vec<u32>,
    /// The last question.
    pub last: Option<(Node, Judgement)>,
    /// Which code is how likely wrong, for the strategy that asks by that.
    pub belief: Option<Belief>,
    /// What `optimal` found out about trees by their shape alone: holds for every tree, whatever is answered.
    pub(crate) solved: Solved,
}

impl Learned {
    /// Takes note of an answer, before the suspects do: what they cleared earlier counts only once. With coverage a
    /// correct answer takes a pass over the node.
    pub fn note(&mut self, suspects: &Suspects, node: Node, verdict: Judgement, coverage: Option<&Coverage>) {
        self.note_by(PERSON, suspects, node, verdict, coverage);
    }

    /// As `note`, from somebody who is right so often.
    pub fn note_by(
        &mut self,
        reliability: f64,
        suspects: &Suspects,
        node: Node,
        verdict: Judgement,
        coverage: Option<&Coverage>,
    ) {
        let tree = suspects.tree();
        let (correct, wrong) = self.answers.entry(tree.group(node)).or_default();
        match verdict {
            Judgement::Correct => *correct += 1,
            Judgement::Wrong => *wrong += 1,
        }
        self.last = Some((node, verdict));
        if let Some(belief) = &mut self.belief {
            belief.follow(suspects);
            belief.observe(node, tree.end(node), verdict, reliability);
            // What the answer clears is forgotten already.
            let inside = suspects.count(node);
            match verdict {
                _ if !suspects.holds(node) => {}
                Judgement::Correct => belief.followed(suspects.root(), suspects.len() - inside),
                Judgement::Wrong => belief.followed(node, inside),
            }
        }
        if let (Judgement::Correct, Some(coverage)) = (verdict, coverage) {
            self.count(suspects, node, coverage);
        }
    }

    fn count(&mut self, suspects: &Suspects, node: Node, coverage: &Coverage) {
        let tree: &dyn Tree = &**suspects.tree();
        let mut nodes = HashMap::<u32, u32>::new();
        let (mut at, end) = (node, tree.end(node));
        while at < end {
            if let Some(until) = suspects.cleared_until(at) {
                at = until;
                continue;
            }
            if tree.suspicion(at) == Suspicion::Suspect
                && let Some(&signature) = coverage.signature.get(at.0 as usize)
            {
                *nodes.entry(signature).or_default() += 1;
            }
            at = Node(at.0 + 1);
        }
        self.correct.resize(self.correct.len().max(coverage.entities as usize), 0);
        for (signature, nodes) in nodes {
            for &entity in &coverage.signatures[signature as usize] {
                self.correct[entity as usize] += nodes;
            }
        }
    }

    /// Weighs each suspect by the correct and wrong answers that its method got.
    pub(crate) fn weigh_by_answers(&self, suspects: &mut Suspects, weight: impl Fn(u32, u32) -> f64) {
        let answers = self.answers.iter().map(|(&group, &(correct, wrong))| (group, weight(correct, wrong)));
        let mut weights: Vec<(CodeGroup, f64)> = answers.filter(|&(_, weight)| weight != 1.0).collect();
        if weights.is_empty() {
            return suspects.weigh_alike();
        }
        weights.sort_unstable_by_key(|&(group, _)| group);
        let tree = Arc::clone(suspects.tree());
        let stamp = stamp(weights.iter().map(|&(group, weight)| (group.0, weight)));
        suspects.weigh_by(stamp, |node| {
            let known = weights.binary_search_by_key(&tree.group(node), |&(group, _)| group);
            known.map_or(1.0, |at| weights[at].1)
        });
    }

    /// Weighs each suspect by what it covers: an entity counts `share` as much with every node judged correct that
    /// covers it. All weights are in proportion to the entity that counts the most, or many answers would leave
    /// nothing to tell them apart by.
    pub(crate) fn weigh_by_coverage(&self, suspects: &mut Suspects, coverage: &Coverage, share: f64) {
        let tree = suspects.tree();
        let mut left = vec![false; coverage.signatures.len()];
        for node in suspects.remaining().filter(|&node| tree.suspicion(node) == Suspicion::Suspect) {
            if let Some(&signature) = coverage.signature.get(node.0 as usize) {
                left[signature as usize] = true;
            }
        }
        let times = |&entity: &u32| self.correct.get(entity as usize).copied().unwrap_or(0);
        let covered = coverage.signatures.iter().zip(&left).filter(|(_, left)| **left);
        let fewest = covered.flat_map(|(entities, _)| entities).map(times).min().unwrap_or(0);
        let weight = |entity: &u32| share.powi(times(entity).saturating_sub(fewest).min(1000) as i32);
        let weights: Vec<f64> =
            coverage.signatures.iter().map(|entities| entities.iter().map(weight).sum()).collect();
        let stamp = stamp((0..).zip(weights.iter().copied()));
        suspects.weigh_by(stamp, |node| match coverage.signature.get(node.0 as usize) {
            Some(&signature) => weights[signature as usize],
            None => 0.0,
        });
    }
}

/// Stands for these weights, in this order.
fn stamp(weights: impl Iterator<Item = (u32, f64)>) -> u64 {
    let mut hasher = DefaultHasher::new();
    weights.for_each(|(class, weight)| (class, weight.to_bits()).hash(&mut hasher));
    hasher.finish()
}

/// 2 to the power of this many answers, kept so far from 0 that a sum over a large tree still tells it.
pub(crate) fn doubled(times: i64) -> f64 {
    2f64.powi(times.clamp(-16, 16) as i32)
}
