//! Dynamic weighting: D&Q nearest, with p(x) = 2^(wrong − correct answers that x's method got). A correct answer makes
//! its method less suspicious, a wrong one more.

use tree::Suspects;

use crate::learned::{Learned, doubled};

pub(crate) fn weigh(suspects: &mut Suspects, learned: &Learned) {
    learned.weigh_by_answers(suspects, |correct, wrong| doubled(i64::from(wrong) - i64::from(correct)));
}
