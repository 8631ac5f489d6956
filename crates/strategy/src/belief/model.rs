//! What is believed, as plain data: hypotheses about code, each with the calls that would show it, and what the answers so
//! far make of them.
//!
//! A wrong unit need not go wrong in each of its calls. Most do (q of them); how often the others do is not known: the rate a has
//! the density s·a^(s−1), which is flat for s = 1 and has every order of magnitude alike as s goes to 0. So k > 0 calls are all
//! right with probability F(k) = (1−q) ∫ (1−a)^k s·a^(s−1) da ≈ (1−q) (1 + k/c)^−s, and F(0) = 1; and of a unit
//! with k calls judged right and J left in what is wrong, a node with n of these is wrong with probability
//! (F(k) − F(k+n)) / (F(k) − F(k+J)). Ten thousand calls of a method are one hypothesis, a node with a hundred of them says
//! nearly as much as one with all, and each call judged right says less than the one before.

use std::collections::HashMap;
use std::sync::Arc;

use tree::{CodeGroup, Node, Suspects, Suspicion};

use crate::learned::Judgement;

/// How far a person's word is believed.
pub const PERSON: f64 = 0.98;
/// Nobody is believed more.
const SUREST: f64 = 0.999;

/// A unit of code, by its place in `Belief::units`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u32);

/// Calls that are alike as far as it is known: of one unit, and what they executed is the same. In the order of the tree.
#[derive(Clone, Debug, Default)]
pub struct CallClass {
    pub calls: Arc<Vec<Node>>,
    /// How many calls each of these stands for: 1, unless there are too many to list.
    pub each: f64,
}

/// One way in which something can be wrong.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// Whose code it is about.
    pub unit: UnitId,
    /// How likely it is before anything was answered, in proportion to the others.
    pub weight: f64,
    /// The calls that would show it: places in the list of classes.
    pub classes: Vec<u32>,
    /// How many such calls are known to be right that are in none of the classes.
    pub right: f64,
}

/// A unit with its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitChance {
    pub unit: UnitId,
    pub chance: f64,
}

/// Clones share what does not change with an answer.
#[derive(Clone, Debug, Default)]
pub struct Belief {
    /// The group that each unit's calls have.
    pub units: Arc<[CodeGroup]>,
    pub(super) hypotheses: Arc<[Hypothesis]>,
    /// What is still suspected of each class.
    pub(super) classes: Vec<CallClass>,
    /// How many calls of each class were judged right.
    right: Vec<f64>,
    /// By hypothesis: ln of how likely the answers are if it is true.
    likelihood: Vec<f64>,
    /// The root and how many were suspected when nothing was left to forget.
    followed: Option<(Node, u32)>,
}

/// What a hypothesis says of calls, given the answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prediction {
    right: f64,
    base: f64,
    /// F(k) − F(k+J), or 0 if none of its calls is left.
    span: f64,
    left: f64,
}

impl Prediction {
    fn new(right: f64, left: f64) -> Prediction {
        let base = all_right(right);
        let span = if left > 0.0 { base - all_right(right + left) } else { 0.0 };
        Prediction { right, base, span, left }
    }

    /// How likely a node is wrong that has so many of the calls left.
    pub fn wrong(&self, calls: f64) -> f64 {
        if calls <= 0.0 || self.left <= 0.0 {
            return 0.0;
        }
        if calls >= self.left {
            return 1.0;
        }
        ((self.base - all_right(self.right + calls)) / self.span).clamp(0.0, 1.0)
    }
}

impl Belief {
    pub fn new(units: Vec<CodeGroup>, classes: Vec<CallClass>, hypotheses: Vec<Hypothesis>) -> Belief {
        Belief {
            units: units.into(),
            right: vec![0.0; classes.len()],
            likelihood: vec![0.0; hypotheses.len()],
            classes,
            hypotheses: hypotheses.into(),
            followed: None,
        }
    }

    /// Where nothing is known but the tree: every group is as likely as any other. A pass over what is suspected.
    pub fn of_tree(suspects: &Suspects) -> Belief {
        let tree = suspects.tree();
        let mut numbers: HashMap<CodeGroup, usize> = HashMap::new();
        let mut calls: Vec<(CodeGroup, Vec<Node>)> = Vec::new();
        for node in suspects.remaining().filter(|&node| tree.suspicion(node) == Suspicion::Suspect) {
            let group = tree.group(node);
            let at = *numbers.entry(group).or_insert_with(|| {
                calls.push((group, Vec::new()));
                calls.len() - 1
            });
            calls[at].1.push(node);
        }
        let hypothesis =
            |unit: u32| Hypothesis { unit: UnitId(unit), weight: 1.0, classes: vec![unit], right: 0.0 };
        let units = calls.iter().map(|(group, _)| *group).collect();
        let hypotheses = (0..calls.len() as u32).map(hypothesis).collect();
        let class = |(_, calls): (CodeGroup, Vec<Node>)| CallClass { calls: calls.into(), each: 1.0 };
        Belief::new(units, calls.into_iter().map(class).collect(), hypotheses)
    }

    /// What answers made of each hypothesis: how likely they are if it is true (ln), and how many of its calls they called
    /// right.
    pub fn lessons(&self) -> impl Iterator<Item = (&Hypothesis, f64, f64)> {
        let right =
            |one: &Hypothesis| one.classes.iter().map(|&class| self.right[class as usize]).sum::<f64>();
        self.hypotheses.iter().zip(&self.likelihood).map(move |(one, &ln)| (one, ln, one.right + right(one)))
    }

    /// Takes in how likely answers are that are not about the calls listed here, for each hypothesis (ln).
    pub fn heard(&mut self, likelihood: impl Fn(&Hypothesis) -> f64) {
        for (one, sum) in self.hypotheses.iter().zip(&mut self.likelihood) {
            *sum += likelihood(one);
        }
    }

    /// Takes an answer about the nodes from one up to another in.
    pub fn observe(&mut self, node: Node, end: Node, judgement: Judgement, reliability: f64) {
        let inside: Vec<f64> = self.classes.iter().map(|class| class.between(node, end)).collect();
        let elsewhere = said(judgement, reliability, 0.0).ln();
        for at in 0..self.hypotheses.len() {
            let calls: f64 = self.hypotheses[at].classes.iter().map(|&class| inside[class as usize]).sum();
            self.likelihood[at] += match calls > 0.0 {
                true => said(judgement, reliability, self.prediction(at).wrong(calls)).ln(),
                false => elsewhere,
            };
        }
        for (at, &calls) in inside.iter().enumerate() {
            let class = &mut self.classes[at];
            match judgement {
                Judgement::Correct if calls > 0.0 => {
                    class.remove(node, end);
                    self.right[at] += calls;
                }
                Judgement::Correct => {}
                Judgement::Wrong => class.keep(node, end),
            }
        }
        self.followed = None;
    }

    /// Says that there is nothing to forget while so many are suspected below this root.
    pub fn followed(&mut self, root: Node, suspects: u32) {
        self.followed = Some((root, suspects));
    }

    /// Forgets calls that are suspected no more for other reasons.
    pub fn follow(&mut self, suspects: &Suspects) {
        let now = Some((suspects.root(), suspects.len()));
        if self.followed == now {
            return;
        }
        self.followed = now;
        let end = suspects.tree().end(suspects.root());
        for class in &mut self.classes {
            class.keep(suspects.root(), end);
            if class.calls.iter().any(|&call| suspects.cleared_until(call).is_some()) {
                Arc::make_mut(&mut class.calls).retain(|&call| suspects.cleared_until(call).is_none());
            }
        }
    }

    pub(super) fn prediction(&self, hypothesis: usize) -> Prediction {
        let one = &self.hypotheses[hypothesis];
        let right: f64 = one.classes.iter().map(|&class| self.right[class as usize]).sum();
        let left: f64 = one.classes.iter().map(|&class| self.classes[class as usize].len()).sum();
        Prediction::new(one.right + right, left)
    }

    /// How likely each hypothesis is.
    pub(super) fn posterior(&self) -> Vec<f64> {
        let most = self.likelihood.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weigh = |(one, likelihood): (&Hypothesis, &f64)| one.weight * (likelihood - most).exp();
        let mut chances: Vec<f64> = self.hypotheses.iter().zip(&self.likelihood).map(weigh).collect();
        let sum: f64 = chances.iter().sum();
        if sum > 0.0 {
            chances.iter_mut().for_each(|chance| *chance /= sum);
        }
        chances
    }

    /// How likely each unit is the wrong one, the likeliest first.
    pub fn chances(&self) -> Vec<UnitChance> {
        let mut chances = vec![0.0; self.units.len()];
        for (one, chance) in self.hypotheses.iter().zip(self.posterior()) {
            chances[one.unit.0 as usize] += chance;
        }
        let units = (0..).map(UnitId).zip(chances);
        let mut units: Vec<UnitChance> = units.map(|(unit, chance)| UnitChance { unit, chance }).collect();
        units.sort_by(|one, other| other.chance.total_cmp(&one.chance).then(one.unit.cmp(&other.unit)));
        units
    }

    /// What is not known about which unit it is, in bits.
    pub fn entropy(&self) -> f64 {
        let bits = |one: UnitChance| if one.chance > 0.0 { -one.chance * one.chance.log2() } else { 0.0 };
        self.chances().into_iter().map(bits).sum()
    }

    /// The belief if a node were judged so.
    pub fn after(&self, node: Node, end: Node, judgement: Judgement) -> Belief {
        let mut after = self.clone();
        after.observe(node, end, judgement, PERSON);
        after
    }
}

impl CallClass {
    pub(super) fn len(&self) -> f64 {
        self.calls.len() as f64 * self.each
    }

    /// How many of the calls are nodes from `from` up to `to`.
    pub fn between(&self, from: Node, to: Node) -> f64 {
        match self.calls.first().zip(self.calls.last()) {
            Some((&first, &last)) if first < to && from <= last => {
                (self.place(to) - self.place(from)) as f64 * self.each
            }
            _ => 0.0,
        }
    }

    fn place(&self, node: Node) -> usize {
        self.calls.partition_point(|&call| call < node)
    }

    fn remove(&mut self, from: Node, to: Node) {
        let (from, to) = (self.place(from), self.place(to));
        Arc::make_mut(&mut self.calls).drain(from..to);
    }

    fn keep(&mut self, from: Node, to: Node) {
        let (from, to) = (self.place(from), self.place(to));
        if (from, to) != (0, self.calls.len()) {
            self.calls = Arc::new(self.calls[from..to].to_vec());
        }
    }
}

/// How likely an answer is, from somebody who is right so often, about a node that is wrong with a probability. Who calls
/// something wrong has seen what is wrong; who calls it right may have overlooked it.
pub(super) fn said(judgement: Judgement, reliability: f64, wrong: f64) -> f64 {
    let overlooked = 1.0 - reliability.clamp(0.5, SUREST);
    let imagined = overlooked * IMAGINED;
    match judgement {
        Judgement::Wrong => (1.0 - overlooked) * wrong + imagined * (1.0 - wrong),
        Judgement::Correct => (1.0 - imagined) * (1.0 - wrong) + overlooked * wrong,
    }
}

/// How much rarer it is that something right is called wrong than that something wrong is called right.
const IMAGINED: f64 = 0.1;

/// How many of the units that are wrong go wrong in each call.
const ALWAYS: f64 = 0.6;
/// s: how often the others do.
const RATE: f64 = 0.5;
/// c: so that the approximation fits, Γ(1+s)^(1/s).
const SCALE: f64 = 0.785;

/// F: how likely so many calls are all right, of a unit that is wrong.
fn all_right(calls: f64) -> f64 {
    match calls > 0.0 {
        true => (1.0 - ALWAYS) * (1.0 + calls / SCALE).powf(-RATE),
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_calls_are_all_right_as_the_integral_says() {
        // By the middle of small steps of a.
        let steps = 1_000_000;
        let integral = |calls: i32| {
            let at = |step: i32| (f64::from(step) + 0.5) / f64::from(steps);
            (0..steps)
                .map(|step| (1.0 - at(step)).powi(calls) * RATE * at(step).powf(RATE - 1.0))
                .sum::<f64>()
                / f64::from(steps)
                * if calls > 0 { 1.0 - ALWAYS } else { 1.0 }
        };
        for calls in [0, 1, 2, 5, 20, 100] {
            let (quick, exact) = (all_right(f64::from(calls)), integral(calls));
            assert!((quick - exact).abs() < 0.01, "{calls}: {quick} {exact}");
        }
    }

    #[test]
    fn a_node_with_more_calls_is_more_likely_wrong_and_each_further_one_says_less() {
        let prediction = Prediction::new(0.0, 100.0);
        let wrong: Vec<f64> = (0..=100).map(|calls| prediction.wrong(f64::from(calls))).collect();
        assert_eq!((wrong[0], wrong[100]), (0.0, 1.0));
        assert!(wrong.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(wrong[1] > 0.15 && wrong[50] > 0.8, "{} {}", wrong[1], wrong[50]);
        // Once many were right, the others are as likely as they are many.
        let later = Prediction::new(10_000.0, 100.0);
        assert!((later.wrong(50.0) - 0.5).abs() < 0.01, "{}", later.wrong(50.0));
    }
}
