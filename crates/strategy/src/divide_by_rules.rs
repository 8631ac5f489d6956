//! Divide by rules and query: the node in which the number of different methods, counting suspects only, is nearest to
//! half of all.

use std::cmp::Reverse;

use tree::Suspects;

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::rules;

pub(crate) const DEFINITION: Definition = Definition {
    name: "divide-by-rules",
    summary: "The call in which nearly half of the suspected methods ran.",
    weights: Weights::Alike,
    choose: Choose::Pass(choose),
    divides: false,
};

fn choose(suspects: &Suspects) -> Option<Choice> {
    let methods = rules::methods(suspects);
    let &(_, all) = methods.first()?;
    let askable = methods.iter().filter(|&&(node, _)| suspects.askable(node));
    let distance = |methods: u32| (2 * methods).abs_diff(all);
    let near = askable.clone().map(|&(_, methods)| distance(methods)).min()?;
    let best = askable
        .filter(|&&(_, methods)| distance(methods) == near)
        .max_by_key(|&&(node, _)| (suspects.count(node), Reverse(node)))?;
    Some(Choice::of(suspects, best.0, ChoiceRule::HalfOfRules))
}
