//! How a call is tied to the one before it under the same caller: what makes runs of siblings into one question.

use crate::tree::Node;

/// How a call is tied to its sibling before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// Not at all, or it is the first.
    #[default]
    None,
    /// The state after the one is the state before the other on all that the run of linked calls reads or writes,
    /// and something flows from the one to the other.
    Chain,
    /// Nothing flows between them and neither changes anything: two leaves of one method, tried on different input.
    Independent,
}

/// The link of each node of a tree of calls to its previous sibling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links(pub Vec<Link>);

impl Links {
    pub fn of(&self, node: Node) -> Link {
        self.0.get(node.0 as usize).copied().unwrap_or_default()
    }
}
