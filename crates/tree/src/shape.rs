//! What every tree can tell, whether it lies in memory or is read from an index. Nodes are numbered in pre-order, so
//! that a subtree is a run of numbers and a weight is a difference of two sums.

/// A node: its place in pre-order; the root is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// Nodes of the same code: calls of one method, runs of one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Group(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may be asked about, and may be what is wrong.
    Suspect,
    /// It may be asked about, but has no code of its own: a projection, an interval of iterations. Its own weight
    /// is 0, and if it is wrong then one of its children is.
    Joint,
    /// It is not asked about: trusted, or not completed yet. What lies in it is.
    Through,
}

pub trait Shape {
    /// How many nodes there are.
    fn len(&self) -> u32;

    /// One past the last node of the subtree.
    fn end(&self, node: Node) -> Node;

    fn parent(&self, node: Node) -> Option<Node>;

    fn standing(&self, node: Node) -> Standing;

    fn group(&self, node: Node) -> Group;

    /// How many suspects (`Standing::Suspect`) come before this node, which may be one past the last.
    fn before(&self, node: Node) -> u32;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
