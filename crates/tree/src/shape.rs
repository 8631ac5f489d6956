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

/// Whoever implements it keeps to `flaw`: everything else relies on it.
pub trait Shape: Send + Sync {
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

/// The first node at which what a shape tells does not fit together, for the tests of shapes: subtrees are runs of
/// numbers nested in each other, a parent is the tightest of them, and the sums count the suspects.
pub fn flaw(shape: &dyn Shape) -> Option<Node> {
    let mut open: Vec<Node> = Vec::new();
    let mut suspects = 0;
    for node in (0..shape.len()).map(Node) {
        while open.last().is_some_and(|&outer| shape.end(outer) <= node) {
            open.pop();
        }
        let outer = open.last().copied();
        let end = outer.map_or(Node(shape.len()), |outer| shape.end(outer));
        let fits = node < shape.end(node) && shape.end(node) <= end;
        if !fits || shape.parent(node) != outer || shape.before(node) != suspects {
            return Some(node);
        }
        suspects += u32::from(shape.standing(node) == Standing::Suspect);
        open.push(node);
    }
    let end = Node(shape.len());
    (shape.before(end) != suspects).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Fragment, Row};

    /// A tree that miscounts the suspects before one node.
    struct Off<'t>(&'t dyn Shape, Node);

    impl Shape for Off<'_> {
        fn len(&self) -> u32 {
            self.0.len()
        }

        fn end(&self, node: Node) -> Node {
            self.0.end(node)
        }

        fn parent(&self, node: Node) -> Option<Node> {
            self.0.parent(node)
        }

        fn standing(&self, node: Node) -> Standing {
            self.0.standing(node)
        }

        fn group(&self, node: Node) -> Group {
            self.0.group(node)
        }

        fn before(&self, node: Node) -> u32 {
            self.0.before(node) + u32::from(node == self.1)
        }
    }

    #[test]
    fn flaws_are_told_by_the_node() {
        let mut builder = Builder::default();
        builder.open(Fragment::Call(Row(0)), Group(0), Standing::Through);
        builder.leaf(Fragment::Call(Row(1)), Group(0), Standing::Suspect);
        builder.leaf(Fragment::Call(Row(2)), Group(0), Standing::Suspect);
        let tree = builder.finish();
        assert_eq!(flaw(&tree), None);
        for node in (0..=3).map(Node) {
            assert_eq!(flaw(&Off(&tree, node)), Some(node));
        }
    }
}
