//! Heaviest first: asks about r while it is not judged, then about the child with the greatest w.

use tree::{Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::top_down;

pub(crate) const DEFINITION: Definition = Definition {
    name: "heaviest-first",
    summary: "From the symptom down, the call with the most suspects in it first.",
    weights: Weights::Alike,
    choose: Choose::Walk(choose),
    divides: false,
};

pub(crate) fn choose(suspects: &mut Suspects) -> Option<Choice> {
    let root = suspects.root();
    if suspects.askable(root) {
        return top_down::choose(suspects);
    }
    let child = suspects.best(root, Order::Weight, 1).first().copied()?;
    Some(Choice::of(suspects, child, ChoiceRule::Heaviest))
}
