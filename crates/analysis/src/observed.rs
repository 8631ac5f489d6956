//! From a recorded run to the points-to analysis of its program: the classes, what the run showed, and the result,
//! which is kept.

mod classes;
mod facts;
mod kept;

pub use classes::RunClasses;
pub(crate) use facts::member;
pub use facts::{FactSelection, observed, observed_as};
pub use kept::{AnalysisProgress, points_to};
