//! Top-down: asks about r while it is not judged, then about its children in the order of execution.

use tree::Suspects;

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};

pub(crate) const DEFINITION: Definition = Definition {
    name: "top-down",
    summary: "From the symptom down, the calls of a wrong call in the order in which they ran.",
    weights: Weights::Alike,
    choose: Choose::Walk(|suspects| choose(suspects)),
    divides: false,
};

pub(crate) fn choose(suspects: &Suspects) -> Option<Choice> {
    let root = suspects.root();
    let first = if suspects.askable(root) { root } else { suspects.children(root).next()? };
    Some(Choice::of(suspects, first, ChoiceRule::First))
}
