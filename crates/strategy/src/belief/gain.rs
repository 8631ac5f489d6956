//! What a question teaches: how much less is unknown afterwards about which unit is wrong and which of its calls show it, on
//! average over both answers. A call's answer follows from these two but for the person's mistakes, so that is the entropy
//! of the answer less that of a mistake.

use tree::Node;

use super::model::{Belief, PERSON, Prediction, said};
use crate::learned::Judgement;

/// Hypotheses that are weighed one by one; what is left of the others is small.
const WEIGHED: usize = 600;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// What it teaches.
    pub bits: f64,
    /// How likely it is wrong.
    pub wrong: f64,
}

/// The hypotheses that matter, with all that does not depend on the node.
pub struct Scale {
    /// By place, with its probability.
    hypotheses: Vec<(usize, f64, Prediction)>,
    classes: Vec<u32>,
}

impl Scale {
    pub fn of(belief: &Belief) -> Scale {
        let posterior = belief.posterior();
        let mut order: Vec<usize> = (0..posterior.len()).collect();
        order.sort_by(|&one, &other| posterior[other].total_cmp(&posterior[one]).then(one.cmp(&other)));
        order.truncate(WEIGHED);
        let hypotheses = order.iter().map(|&at| (at, posterior[at], belief.prediction(at))).collect();
        let mut classes: Vec<u32> =
            order.iter().flat_map(|&at| belief.hypotheses[at].classes.iter().copied()).collect();
        classes.sort_unstable();
        classes.dedup();
        classes.retain(|&class| !belief.classes[class as usize].calls.is_empty());
        Scale { hypotheses, classes }
    }

    pub fn gain(&self, belief: &Belief, node: Node, end: Node) -> Gain {
        let mut inside = vec![0.0; belief.classes.len()];
        for &class in &self.classes {
            inside[class as usize] = belief.classes[class as usize].between(node, end);
        }
        let (mut wrong, mut all) = (0.0, 0.0);
        for &(at, posterior, prediction) in &self.hypotheses {
            let classes = belief.hypotheses[at].classes.iter();
            let calls: f64 = classes.map(|&class| inside[class as usize]).sum();
            wrong += posterior * prediction.wrong(calls);
            all += posterior;
        }
        if all <= 0.0 {
            return Gain { bits: 0.0, wrong: 0.0 };
        }
        let wrong = wrong / all;
        let answer = |wrong: f64| entropy(said(Judgement::Wrong, PERSON, wrong));
        let mistakes = wrong * answer(1.0) + (1.0 - wrong) * answer(0.0);
        Gain { bits: (answer(wrong) - mistakes).max(0.0), wrong }
    }
}

/// Of an answer with this probability, in bits.
fn entropy(chance: f64) -> f64 {
    let part = |chance: f64| if chance > 0.0 { -chance * chance.log2() } else { 0.0 };
    part(chance) + part(1.0 - chance)
}
