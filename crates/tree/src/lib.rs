//! The execution tree: nodes for code fragments (calls, loops, runs of calls), what is still suspected in it, and
//! the transformations that give it a better shape. Plain data in, plain data out: no files, no clock.

mod bits;
mod closed;
mod coverage;
mod filtered_tree;
mod fragment;
mod links;
mod loops;
mod memory_tree;
mod outline;
mod suspects;
pub mod transform;
mod tree;

pub use bits::Bits;
pub use coverage::Coverage;
pub use filtered_tree::{FilteredTree, KeptNodes};
pub use fragment::{Fragment, PlainRow};
pub use links::{Link, Links};
pub use loops::{IterationStart, LoopRun, LoopRuns};
pub use memory_tree::{MemoryTree, TreeBuilder};
pub use outline::{Outline, OutlineRow};
pub use suspects::{Conclusion, Order, Suspects};
pub use transform::{Need, Transform, TreeFacts, transform};
pub use tree::{CodeGroup, Node, Suspicion, Tree, flaw};
