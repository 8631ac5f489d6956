//! Single stepping: asks in post-order, so a node comes when nothing in it is left to ask about, and the first wrong
//! answer is the bug.

use tree::Suspects;

use crate::choice::{Choice, Rule};

pub(crate) fn choose(suspects: &Suspects) -> Option<Choice> {
    let mut at = suspects.root();
    while let Some(child) = suspects.children(at).next() {
        at = child;
    }
    suspects.askable(at).then(|| Choice::of(suspects, at, Rule::Innermost))
}
