//! The execution tree: nodes for code fragments (calls, loops, runs of calls), what is still suspected in it, and
//! the transformations that give it a better shape. Plain data in, plain data out: no files, no clock.

mod bits;
mod columns;
mod coverage;
mod fragment;
mod links;
mod loops;
mod outline;
mod shape;
mod sieve;
mod suspects;
pub mod transform;

pub use bits::Bits;
pub use columns::{Builder, Columns};
pub use coverage::Coverage;
pub use fragment::{Fragment, Row};
pub use links::{Link, Links};
pub use loops::{IterationStart, LoopRun, LoopRuns};
pub use outline::{Outline, OutlineRow};
pub use shape::{Group, Node, Shape, Standing, flaw};
pub use sieve::{Shown, Sieve};
pub use suspects::{Found, Order, Suspects};
pub use transform::{Facts, Transform, transform};
