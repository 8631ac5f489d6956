//! Less YES first: heaviest first, with p(x) = 2^−(correct answers that x's method got). Code that was right before is
//! less likely to be wrong now.

use tree::Suspects;

use crate::learned::{Learned, doubled};

pub(crate) fn weigh(suspects: &mut Suspects, learned: &Learned) {
    learned.weigh_by_answers(suspects, |correct, _| doubled(-i64::from(correct)));
}
