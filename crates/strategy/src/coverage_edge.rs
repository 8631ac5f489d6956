//! Coverage D&Q by edges of control flow: D&Q nearest, with p(x) = Σ 0.5^v(e) over the edges e that x covered, where
//! v(e) is how many nodes judged correct, or pruned with one, covered e. A call with more branches is more likely to
//! be wrong; a branch that went right before, less.

use tree::Suspects;

use crate::definition::{Choose, Covered, Definition, Weights};
use crate::dq_nearest;
use crate::learned::{Coverage, Learned};

pub(crate) const DEFINITION: Definition = Definition {
    name: "coverage-edge",
    summary: "Nearest to half, weighed by branches: those that ran in right calls count less.",
    weights: Weights::Coverage(Covered::Edges, weigh),
    choose: Choose::Walk(dq_nearest::choose),
    divides: true,
};

fn weigh(suspects: &mut Suspects, learned: &Learned, coverage: &Coverage) {
    learned.weigh_by_coverage(suspects, coverage, 0.5);
}
