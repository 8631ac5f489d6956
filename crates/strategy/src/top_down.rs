//! Top-down: asks about r while it is not judged, then about its children in the order of execution.

use tree::Suspects;

use crate::choice::{Choice, Rule};

pub(crate) fn choose(suspects: &Suspects) -> Option<Choice> {
    let root = suspects.root();
    let first = if suspects.askable(root) { root } else { suspects.children(root).next()? };
    Some(Choice::of(suspects, first, Rule::First))
}
