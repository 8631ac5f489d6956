//! What every tree can tell, whether it lies in memory or is read from an index. Nodes are numbered in pre-order, so
//! that a subtree is a run of numbers and a weight is a difference of two sums.

/// A node: its place in pre-order; the root is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// Nodes of the same code: calls of one method, runs of one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeGroup(pub u32);

/// What a node is to the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// It may be asked about, and may be what is wrong.
    Suspect,
    /// It may be asked about, but has no code of its own: a projection, an interval of iterations. Its own weight
    /// is 0, and if it is wrong then one of its children is.
    Joint,
    /// It is not asked about: trusted, or not completed yet. What lies in it is.
    Through,
}

/// Whoever implements it keeps to `flaw`: everything else relies on it.
pub trait Tree: Send + Sync {
    /// How many nodes there are.
    fn len(&self) -> u32;

    /// One past the last node of the subtree.
    fn end(&self, node: Node) -> Node;

    fn parent(&self, node: Node) -> Option<Node>;

    fn suspicion(&self, node: Node) -> Suspicion;

    fn group(&self, node: Node) -> CodeGroup;

    /// How many suspects (`Suspicion::Suspect`) come before this node, which may be one past the last.
    fn before(&self, node: Node) -> u32;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The first node at which what a tree tells does not fit together, for the tests of trees: subtrees are runs of
/// numbers nested in each other, a parent is the tightest of them, and the sums count the suspects.
pub fn flaw(tree: &dyn Tree) -> Option<Node> {
    let mut open: Vec<Node> = Vec::new();
    let mut suspects = 0;
    for node in (0..tree.len()).map(Node) {
        while open.last().is_some_and(|&outer| tree.end(outer) <= node) {
            open.pop();
        }
        let outer = open.last().copied();
        let end = outer.map_or(Node(tree.len()), |outer| tree.end(outer));
        let fits = node < tree.end(node) && tree.end(node) <= end;
        if !fits || tree.parent(node) != outer || tree.before(node) != suspects {
            return Some(node);
        }
        suspects += u32::from(tree.suspicion(node) == Suspicion::Suspect);
        open.push(node);
    }
    let end = Node(tree.len());
    (tree.before(end) != suspects).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fragment, PlainRow, TreeBuilder};

    /// A tree that miscounts the suspects before one node.
    struct Off<'t>(&'t dyn Tree, Node);

    impl Tree for Off<'_> {
        fn len(&self) -> u32 {
            self.0.len()
        }

        fn end(&self, node: Node) -> Node {
            self.0.end(node)
        }

        fn parent(&self, node: Node) -> Option<Node> {
            self.0.parent(node)
        }

        fn suspicion(&self, node: Node) -> Suspicion {
            self.0.suspicion(node)
        }

        fn group(&self, node: Node) -> CodeGroup {
            self.0.group(node)
        }

        fn before(&self, node: Node) -> u32 {
            self.0.before(node) + u32::from(node == self.1)
        }
    }

    #[test]
    fn flaws_are_told_by_the_node() {
        let mut builder = TreeBuilder::default();
        builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), Suspicion::Through);
        builder.leaf(Fragment::Call(PlainRow(1)), CodeGroup(0), Suspicion::Suspect);
        builder.leaf(Fragment::Call(PlainRow(2)), CodeGroup(0), Suspicion::Suspect);
        let tree = builder.finish();
        assert_eq!(flaw(&tree), None);
        for node in (0..=3).map(Node) {
            assert_eq!(flaw(&Off(&tree, node)), Some(node));
        }
    }
}
