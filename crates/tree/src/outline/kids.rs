//! The children of a node by their places, without listing them.

use crate::{FilteredTree, Node};

/// Children of a node between two whose numbers are kept.
const STRIDE: u32 = 512;

/// The children of a node: how many, and every `STRIDE`th.
#[derive(Clone, Debug, Default)]
pub struct Kids {
    pub count: u32,
    marks: Vec<Node>,
}

impl Kids {
    pub fn of(tree: &FilteredTree, node: Node) -> Kids {
        let mut kids = Kids::default();
        for child in tree.children(node) {
            if kids.count % STRIDE == 0 {
                kids.marks.push(child);
            }
            kids.count += 1;
        }
        kids
    }

    pub fn child(&self, tree: &FilteredTree, parent: Node, place: u32) -> Option<Node> {
        let mut child = *self.marks.get((place / STRIDE) as usize)?;
        for _ in 0..place % STRIDE {
            child = tree.end(child);
        }
        (child < tree.end(parent)).then_some(child)
    }

    /// The place of a child.
    pub fn place(&self, tree: &FilteredTree, child: Node) -> u32 {
        let mark = self.marks.partition_point(|&mark| mark <= child).saturating_sub(1);
        let mut place = mark as u32 * STRIDE;
        let mut at = self.marks.get(mark).copied().unwrap_or(child);
        while at < child {
            at = tree.end(at);
            place += 1;
        }
        place
    }
}
