//! Belief: the node that teaches most per second of a person's time. A bug is in code, and calls are witnesses of it: there
//! is a probability for each unit of code, and a question is worth how much of the uncertainty about it goes, on average
//! over both answers.
//!
//! What a node's answer would be, given that a unit is wrong, follows from how many of the unit's calls lie in the node
//! (`model`). Looked at are few nodes: calls of the likeliest units and what lies around them (`candidates`), and what
//! optimal D&Q would ask; so the cost of choosing does not grow with the tree.

mod candidates;
mod gain;
mod model;

use tree::{Node, Suspects};

use crate::choice::{Choice, ChoiceRule, Teaches};
use crate::definition::{Choose, Definition, Weights};
use crate::dq_optimal;
use crate::learned::Learned;
use gain::{Gain, Scale};
pub use model::{Belief, CallClass, Hypothesis, PERSON, UnitChance, UnitId};

pub(crate) const DEFINITION: Definition = Definition {
    name: "belief",
    summary: "The call that teaches most about which method is wrong, per second that it takes to answer.",
    weights: Weights::Alike,
    choose: Choose::Believe { choose, simulated: SIMULATED },
    divides: true,
};

/// With up to so many suspects all dialogues can be played in seconds.
const SIMULATED: u32 = 3_000;
/// Nodes whose question is made to know what it costs.
const PRICED: usize = 3;
/// What teaches less than this share of the best is not looked at.
const NEAR: f64 = 0.8;
/// A question that takes twice as long has to teach 2^this times as much. Less than 1: what takes long to judge is still one
/// question, and a small lesson leads to many.
const COST_POWER: f64 = 0.4;
/// A question that teaches less than so many bits is no better than any other.
const NOTHING: f64 = 1e-6;

/// `cost`: what asking about a node costs, in any unit; making that out may take a while.
fn choose(suspects: &mut Suspects, learned: &Learned, cost: Option<&dyn Fn(Node) -> f64>) -> Option<Choice> {
    let mut belief = match &learned.belief {
        Some(belief) => belief.clone(),
        None => Belief::of_tree(suspects),
    };
    belief.follow(suspects);
    let scale = Scale::of(&belief);
    let split = dq_optimal::split(suspects).map(|(node, _)| node);
    let mut nodes = candidates::candidates(suspects, &belief);
    nodes.extend(split.filter(|node| !nodes.contains(node)));
    let mut gains: Vec<(Node, Gain, f64)> = nodes
        .into_iter()
        .map(|node| {
            let gain = scale.gain(&belief, node, suspects.tree().end(node));
            (node, gain, gain.bits)
        })
        .collect();
    gains.sort_by(|(one, _, own), (other, _, others)| others.total_cmp(own).then(one.cmp(other)));
    if let Some(cost) = cost {
        let best = gains.first().map_or(0.0, |&(.., worth)| worth);
        gains.truncate(PRICED);
        gains.retain(|&(.., worth)| worth >= NEAR * best);
        for (node, gain, worth) in &mut gains {
            *worth = gain.bits / cost(*node).max(f64::MIN_POSITIVE).powf(COST_POWER);
        }
        gains.sort_by(|(one, _, own), (other, _, others)| others.total_cmp(own).then(one.cmp(other)));
    }
    match gains.first() {
        Some(&(node, gain, _)) if gain.bits > NOTHING => {
            let mut choice = Choice::of(suspects, node, ChoiceRule::TeachesMost);
            choice.why.teaches = Some(Teaches { wrong: gain.wrong, bits: gain.bits, open: belief.entropy() });
            Some(choice)
        }
        _ => dq_optimal::choose(suspects),
    }
}
