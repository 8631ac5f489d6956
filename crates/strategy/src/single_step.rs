//! Single stepping: asks in post-order, so a node comes when nothing in it is left to ask about, and the first wrong
//! answer is the bug.

use tree::Suspects;

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};

pub(crate) const DEFINITION: Definition = Definition {
    name: "single-step",
    summary: "Inner calls before outer ones, in the order in which they ended. The first wrong answer is the bug.",
    weights: Weights::Alike,
    choose: Choose::Walk(|suspects| choose(suspects)),
    divides: false,
};

fn choose(suspects: &Suspects) -> Option<Choice> {
    let mut at = suspects.root();
    while let Some(child) = suspects.children(at).next() {
        at = child;
    }
    suspects.askable(at).then(|| Choice::of(suspects, at, ChoiceRule::Innermost))
}
