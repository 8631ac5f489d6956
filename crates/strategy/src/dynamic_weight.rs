//! Dynamic weighting: D&Q nearest, with p(x) = 2^(wrong − correct answers that x's method got). A correct answer makes
//! its method less suspicious, a wrong one more.

use tree::Suspects;

use crate::definition::{Choose, Definition, Weights};
use crate::dq_nearest;
use crate::learned::{Learned, doubled};

pub(crate) const DEFINITION: Definition = Definition {
    name: "dynamic-weight",
    summary: "Nearest to half; a right answer makes its method less suspicious, a wrong one more.",
    weights: Weights::Answers(weigh),
    choose: Choose::Walk(dq_nearest::choose),
    divides: true,
};

fn weigh(suspects: &mut Suspects, learned: &Learned) {
    learned.weigh_by_answers(suspects, |correct, wrong| doubled(i64::from(wrong) - i64::from(correct)));
}
