//! From a recorded run to the points-to analysis of its program: the classes, what the run showed, and the result,
//! which is kept.

mod classes;
mod facts;
mod kept;

pub use classes::RunClasses;
pub use facts::{Want, observed, observed_as};
pub(crate) use facts::{is_reflection, member};
pub use kept::{Progress, points_to};
