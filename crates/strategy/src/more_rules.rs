//! More rules first: asks about r while it is not judged, then about the child in which the most different methods
//! ran, counting suspects only.

use std::cmp::Reverse;

use tree::Suspects;

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::{rules, top_down};

pub(crate) const DEFINITION: Definition = Definition {
    name: "more-rules",
    summary: "From the symptom down, the call in which the most different methods ran first.",
    weights: Weights::Alike,
    choose: Choose::Pass(choose),
    divides: false,
};

fn choose(suspects: &Suspects) -> Option<Choice> {
    let root = suspects.root();
    if suspects.askable(root) {
        return top_down::choose(suspects);
    }
    let methods = rules::methods(suspects);
    let of = |node| methods.binary_search_by_key(&node, |&(node, _)| node).map_or(0, |at| methods[at].1);
    let best =
        suspects.children(root).max_by_key(|&child| (of(child), suspects.count(child), Reverse(child)))?;
    Some(Choice::of(suspects, best, ChoiceRule::MostRules))
}
