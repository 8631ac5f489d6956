//! Divide by rules and query: the node in which the number of different methods, counting suspects only, is nearest to
//! half of all.

use std::cmp::Reverse;

use tree::Suspects;

use crate::choice::{Choice, Rule};
use crate::rules;

pub(crate) fn choose(suspects: &Suspects) -> Option<Choice> {
    let methods = rules::methods(suspects);
    let &(_, all) = methods.first()?;
    let askable = methods.iter().filter(|&&(node, _)| suspects.askable(node));
    let distance = |methods: u32| (2 * methods).abs_diff(all);
    let near = askable.clone().map(|&(_, methods)| distance(methods)).min()?;
    let best = askable
        .filter(|&&(_, methods)| distance(methods) == near)
        .max_by_key(|&&(node, _)| (suspects.count(node), Reverse(node)))?;
    Some(Choice::of(suspects, best.0, Rule::HalfOfRules))
}
