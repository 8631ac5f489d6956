//! Optimal D&Q: the node with the least |u − d|, where d = w(v) − p(v) is what lies below it, and u what lies outside:
//! W − w(v), less p(r) once r is known to be wrong. Neither v nor r themselves are counted, as they are found by the
//! last question either way.
//!
//! Among equals it looks one step ahead: for either answer it takes the best next question, and prefers the node after
//! which Σ n log2 n over the groups of suspects that are then left apart is least. Only a few equals are compared.

use tree::{Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::path::{Candidate, View, least};

pub(crate) const DEFINITION: Definition = Definition {
    name: "dq-optimal",
    summary: "The call that leaves nearly as many suspects if it is right as if it is wrong.",
    weights: Weights::Alike,
    choose: Choose::Walk(choose),
    divides: true,
};

/// So many equals are looked at.
const MAX_TIED: usize = 4;

pub(crate) fn choose(suspects: &mut Suspects) -> Option<Choice> {
    let (node, rule) = split(suspects)?;
    Some(Choice::of(suspects, node, rule))
}

/// The node alone: telling why takes time that whoever plays dialogues does not have.
pub(crate) fn split(suspects: &mut Suspects) -> Option<(tree::Node, ChoiceRule)> {
    let view = View::now(suspects);
    let divisible = view.divisible(suspects);
    let candidates = view.candidates(suspects, Order::Both, MAX_TIED);
    let best = least(&candidates, |it| imbalance(divisible, it))?;
    let badness = imbalance(divisible, &best);
    let mut equals: Vec<Candidate> =
        candidates.into_iter().filter(|it| imbalance(divisible, it) == badness).collect();
    if equals.len() == 1 || best.weight <= 1.0 {
        return Some((best.node, ChoiceRule::BestSplit));
    }
    equals.sort_by(|one, other| other.weight.total_cmp(&one.weight).then(one.node.cmp(&other.node)));
    equals.truncate(MAX_TIED);
    let ahead: Vec<f64> =
        equals.iter().map(|&it| left(view.inside(it), suspects) + left(view.without(it), suspects)).collect();
    let first =
        (0..equals.len()).reduce(|best, other| if ahead[other] < ahead[best] { other } else { best })?;
    Some((equals[first].node, if first == 0 { ChoiceRule::BestSplit } else { ChoiceRule::BestSplitAhead }))
}

/// |u − d|
pub(crate) fn imbalance(divisible: f64, it: &Candidate) -> f64 {
    (divisible - it.weight - it.below).abs()
}

/// What is left to find out after the best next question.
fn left(view: View, suspects: &mut Suspects) -> f64 {
    let divisible = view.divisible(suspects);
    let total = view.total(suspects);
    let candidates = view.candidates(suspects, Order::Both, 2);
    let inside = least(&candidates, |it| imbalance(divisible, it)).map_or(0.0, |it| it.weight);
    let unknown = |weight: f64| if weight > 1.0 { weight * weight.log2() } else { 0.0 };
    unknown(inside) + unknown(total - inside)
}
