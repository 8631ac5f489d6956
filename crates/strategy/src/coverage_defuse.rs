//! Coverage D&Q by def-use chains: as by edges, with p(x) = Σ 0.6^v(e) over the chains e from a write of a variable to
//! a read of it that x covered.

use tree::Suspects;

use crate::definition::{Choose, Covered, Definition, Weights};
use crate::dq_nearest;
use crate::learned::{Coverage, Learned};

pub(crate) const DEFINITION: Definition = Definition {
    name: "coverage-defuse",
    summary: "Nearest to half, weighed by which writes reached which reads; those seen in right calls count less.",
    weights: Weights::Coverage(Covered::DefUse, weigh),
    choose: Choose::Walk(dq_nearest::choose),
    divides: true,
};

fn weigh(suspects: &mut Suspects, learned: &Learned, coverage: &Coverage) {
    learned.weigh_by_coverage(suspects, coverage, 0.6);
}
