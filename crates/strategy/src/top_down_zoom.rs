//! Top-down zooming: as top-down, but the recursive children, those of r's method, come before the others. The person
//! keeps thinking about the same code.

use tree::{Order, Suspects};

use crate::choice::{Choice, ChoiceRule};
use crate::definition::{Choose, Definition, Weights};
use crate::top_down;

pub(crate) const DEFINITION: Definition = Definition {
    name: "top-down-zoom",
    summary: "As top-down, but recursive calls of the same method first: one keeps thinking about the same code.",
    weights: Weights::Alike,
    choose: Choose::Walk(choose),
    divides: false,
};

fn choose(suspects: &mut Suspects) -> Option<Choice> {
    let root = suspects.root();
    if suspects.askable(root) {
        return top_down::choose(suspects);
    }
    let child = suspects.best(root, Order::Recursive, 1).first().copied()?;
    let recursive = suspects.tree().group(child) == suspects.tree().group(root);
    Some(Choice::of(suspects, child, if recursive { ChoiceRule::Recursive } else { ChoiceRule::First }))
}
