//! Optimal: the node that leads to the fewest questions on average, every suspect being as likely as any other.
//!
//! - Few suspects: exact. A dialogue depends only on the shape of the tree of suspects, whatever the order of siblings,
//!   so shapes are told apart and each is solved once (`exact`).
//! - Up to some thousand: the few nodes that split best are tried, by playing for each answer all dialogues that
//!   follow, by optimal D&Q while many suspects are left and exactly from there on. So it is never worse than optimal
//!   D&Q, and close to exact.
//! - More, or where all nodes are small: optimal D&Q. Its questions halve nearly perfectly there, or nothing can, so
//!   there is little to gain.

mod exact;

use std::sync::{Arc, Mutex, PoisonError};

use tree::{Node, Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::dq_optimal;
use crate::path::View;
use exact::Exact;

pub(crate) const DEFINITION: Definition = Definition {
    name: "optimal",
    summary: "The question that leads to the fewest questions on average. Exact for few suspects, played out for more.",
    weights: Weights::Alike,
    choose: Choose::Play { choose, simulated: SIMULATED },
    divides: true,
};

/// With up to so many suspects an exact answer is tried for,
const EXACT: u32 = 64;
/// as long as it takes no more than so many shapes.
const SHAPES: usize = 6_000;
/// Dialogues are played with up to so many suspects,
const PLAYED: u32 = 4_000;
/// unless no node holds this share of them: then it hardly matters which one comes first,
const SHARE: f64 = 1.0 / 8.0;
/// for so many nodes,
const TRIED: usize = 6;
/// and with so few left they are known exactly.
const KNOWN: u32 = 16;

/// With up to so many suspects all dialogues can be played in seconds.
const SIMULATED: u32 = 10_000;

/// Solved shapes. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solved(Arc<Mutex<Exact>>);

fn choose(suspects: &mut Suspects, solved: &Solved) -> Option<Choice> {
    let mut exact = solved.0.lock().unwrap_or_else(PoisonError::into_inner);
    let left = suspects.len();
    if left <= EXACT
        && let Some(plan) = exact.plan(suspects, SHAPES)
    {
        return plan.node.map(|node| Choice::of(suspects, node, ChoiceRule::FewestQuestions));
    }
    if left > PLAYED {
        return dq_optimal::choose(suspects);
    }
    let view = View::now(suspects);
    let divisible = view.divisible(suspects);
    let mut candidates = view.candidates(suspects, Order::Both, 3);
    candidates.sort_by(|one, other| {
        let order = |it| dq_optimal::imbalance(divisible, it);
        order(one)
            .total_cmp(&order(other))
            .then(other.weight.total_cmp(&one.weight))
            .then(one.node.cmp(&other.node))
    });
    candidates.truncate(TRIED);
    if candidates.iter().all(|it| it.weight < SHARE * f64::from(left)) {
        return dq_optimal::choose(suspects);
    }
    // Optimal D&Q's own choice is among those tried, or the outcome could be worse than its.
    let own = dq_optimal::split(suspects).map(|(node, _)| node);
    let mut nodes: Vec<Node> = own.into_iter().chain(candidates.iter().map(|it| it.node)).collect();
    nodes.dedup();
    let costs = nodes.into_iter().map(|node| {
        let mut correct = suspects.clone();
        let wrong = correct.divide(node);
        (play(wrong, &mut exact) + play(correct, &mut exact), node)
    });
    let best = costs.reduce(|best, other| if other.0 < best.0 { other } else { best });
    best.map(|(_, node)| Choice::of(suspects, node, ChoiceRule::FewestQuestionsPlayed))
}

/// How many questions all dialogues take together, one for each suspect as the bug.
fn play(suspects: Suspects, exact: &mut Exact) -> u64 {
    let mut questions = 0;
    let mut states = vec![suspects];
    while let Some(mut state) = states.pop() {
        while state.infer().is_some() {}
        if state.conclusion().is_some() {
            continue;
        }
        if state.len() <= KNOWN
            && let Some(plan) = exact.plan(&state, SHAPES)
        {
            questions += plan.questions;
            continue;
        }
        if let Some((node, _)) = dq_optimal::split(&mut state) {
            questions += u64::from(state.len());
            states.push(state.divide(node));
            states.push(state);
        }
    }
    questions
}

#[cfg(test)]
pub(crate) use exact::Plan;

#[cfg(test)]
impl Solved {
    pub(crate) fn plan(&self, suspects: &Suspects, shapes: usize) -> Option<Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).plan(suspects, shapes)
    }
}
