//! Which node to ask about next. Each strategy is a function of what is suspected and what was learned from the
//! answers so far, in a file of its own that begins with its definition.

mod learned;

pub use learned::{Coverage, Learned, Verdict};
