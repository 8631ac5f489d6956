//! Divide by YES and query: D&Q nearest, with the weights of less YES first.

use crate::definition::{Choose, Definition, Weights};
use crate::{dq_nearest, less_yes};

pub(crate) const DEFINITION: Definition = Definition {
    name: "divide-by-yes",
    summary: "Nearest to half, but methods that were right before weigh less.",
    weights: Weights::Answers(less_yes::weigh),
    choose: Choose::Walk(dq_nearest::choose),
    divides: true,
};
