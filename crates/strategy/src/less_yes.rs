//! Less YES first: heaviest first, with p(x) = 2^−(correct answers that x's method got). Code that was right before is
//! less likely to be wrong now.

use tree::Suspects;

use crate::definition::{Choose, Definition, Weights};
use crate::heaviest_first;
use crate::learned::{Learned, doubled};

pub(crate) const DEFINITION: Definition = Definition {
    name: "less-yes",
    summary: "Heaviest first, but methods that were right before weigh less.",
    weights: Weights::Answers(weigh),
    choose: Choose::Walk(heaviest_first::choose),
    divides: false,
};

pub(crate) fn weigh(suspects: &mut Suspects, learned: &Learned) {
    learned.weigh_by_answers(suspects, |correct, _| doubled(-i64::from(correct)));
}
