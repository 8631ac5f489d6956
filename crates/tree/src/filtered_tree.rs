//! A part of a tree: some nodes and what is above them. Kept as a bit per node, so that showing a part of 10^8 nodes
//! costs no more than showing all of them.

use crate::bits::Bits;
use crate::{Node, Tree};

/// Which nodes are kept: with a node also its ancestors.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptNodes {
    nodes: Bits,
}

impl KeptNodes {
    /// Keeps what is wanted, and what is above it; the root in any case. Subtrees with nothing wanted in them are
    /// passed over as a whole.
    pub fn new(tree: &dyn Tree, wanted: &Bits) -> KeptNodes {
        let mut kept = Bits::new(tree.len());
        kept.set(0);
        let mut node = 0;
        while node < tree.len() {
            if !wanted.get(node) {
                let end = tree.end(Node(node)).0;
                if wanted.before(end) == wanted.before(node) {
                    node = end;
                    continue;
                }
            }
            kept.set(node);
            node += 1;
        }
        kept.count();
        KeptNodes { nodes: kept }
    }

    pub fn kept(&self) -> &Bits {
        &self.nodes
    }
}

/// What is shown of a tree. Nodes of it are numbered in pre-order like those of the tree.
#[derive(Clone, Copy)]
pub struct FilteredTree<'t> {
    tree: &'t dyn Tree,
    kept: Option<&'t KeptNodes>,
}

impl<'t> FilteredTree<'t> {
    pub fn new(tree: &'t dyn Tree, kept: Option<&'t KeptNodes>) -> FilteredTree<'t> {
        FilteredTree { tree, kept }
    }

    pub fn len(&self) -> u32 {
        self.kept.map_or(self.tree.len(), |kept| kept.nodes.total())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The node of the tree.
    pub fn outer(&self, node: Node) -> Node {
        self.kept.map_or(node, |kept| Node(kept.nodes.nth(node.0).unwrap_or(0)))
    }

    /// The node here of one of the tree; none if it is not shown.
    pub fn inner(&self, node: Node) -> Option<Node> {
        match self.kept {
            Some(kept) => kept.nodes.get(node.0).then(|| Node(kept.nodes.before(node.0))),
            None => Some(node),
        }
    }

    pub fn end(&self, node: Node) -> Node {
        match self.kept {
            Some(kept) => Node(kept.nodes.before(self.tree.end(self.outer(node)).0)),
            None => self.tree.end(node),
        }
    }

    pub fn parent(&self, node: Node) -> Option<Node> {
        self.inner(self.tree.parent(self.outer(node))?)
    }

    /// Its children, in order.
    pub fn children(self, node: Node) -> impl Iterator<Item = Node> + 't {
        let end = self.end(node);
        let mut next = (Node(node.0 + 1), self.outer(node).0 + 1);
        std::iter::from_fn(move || {
            let (child, from) = next;
            if child >= end {
                return None;
            }
            next = match self.kept {
                // From one to the next by looking on, which is less than counting from the beginning.
                Some(kept) => {
                    let end = self.tree.end(Node(kept.nodes.next(from)?)).0;
                    (Node(kept.nodes.before(end)), end)
                }
                None => (self.tree.end(child), 0),
            };
            Some(child)
        })
    }

    /// How many nodes in the subtree are not shown.
    pub fn left_out(&self, node: Node) -> u32 {
        let outer = self.outer(node);
        self.tree.end(outer).0 - outer.0 - (self.end(node).0 - node.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::tests::tree;

    #[test]
    fn a_part_has_what_is_wanted_with_its_ancestors_and_is_nested_as_the_tree_is() {
        let tree = tree("((()())()((()()())())())");
        for wanted in 0..1u32 << tree.len() {
            let mut bits = Bits::new(tree.len());
            (0..tree.len()).filter(|at| wanted >> at & 1 == 1).for_each(|at| bits.set(at));
            bits.count();
            let kept = KeptNodes::new(&tree, &bits);
            let shown = FilteredTree::new(&tree, Some(&kept));
            let holds = |node: u32| (node..tree.end(Node(node)).0).any(|at| bits.get(at));
            let expected: Vec<u32> = (0..tree.len()).filter(|&at| at == 0 || holds(at)).collect();
            assert_eq!(shown.len() as usize, expected.len());
            for (number, &outer) in expected.iter().enumerate() {
                let node = Node(number as u32);
                assert_eq!((shown.outer(node), shown.inner(Node(outer))), (Node(outer), Some(node)));
                let parent = tree.parent(Node(outer)).map(|parent| parent.0);
                assert_eq!(shown.parent(node).map(|parent| expected[parent.0 as usize]), parent);
                let within = outer..tree.end(Node(outer)).0;
                let size = expected.iter().filter(|at| within.contains(at)).count() as u32;
                assert_eq!(shown.end(node).0 - node.0, size);
                assert_eq!(shown.left_out(node), within.len() as u32 - size);
                let below = (0..shown.len()).map(Node).filter(|&at| shown.parent(at) == Some(node));
                assert!(shown.children(node).eq(below));
            }
        }
    }
}
