//! Coverage D&Q by def-use chains: as by edges, with p(x) = Σ 0.6^v(e) over the chains e from a write of a variable to
//! a read of it that x covered.

use tree::Suspects;

use crate::learned::{Coverage, Learned};

pub(crate) fn weigh(suspects: &mut Suspects, learned: &Learned, coverage: &Coverage) {
    learned.weigh_by_coverage(suspects, coverage, 0.6);
}
