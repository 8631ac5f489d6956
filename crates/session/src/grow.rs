//! From the plain tree in the index to a tree in memory: the calls that are suspected, what leads to them, and nothing
//! else. Only parts that are small enough are grown; transformations and weights work on them.

use tree::{Fragment, MemoryTree, Node, PlainRow, Suspicion, Tree, TreeBuilder};

use crate::plain::PlainTree;

/// Nodes that are held in memory, at most.
pub const MAX_NODES: u32 = 2_000_000;

/// The subtree of a node.
pub fn grow(plain: &PlainTree, root: Node) -> MemoryTree {
    let mut builder = TreeBuilder::default();
    add(plain, root, plain.end(root), &mut builder);
    builder.finish()
}

/// Calls that were made one after the other by the same caller, under a node of their own.
pub fn grow_run(plain: &PlainTree, fragment: Fragment, first: Node, last: Node) -> MemoryTree {
    let mut builder = TreeBuilder::default();
    builder.open(fragment, plain.group(first), Suspicion::Joint);
    add(plain, first, plain.end(last), &mut builder);
    builder.finish()
}

/// How many suspects there are in a subtree.
pub fn suspects(plain: &PlainTree, node: Node) -> u32 {
    suspects_between(plain, node, plain.end(node))
}

pub fn suspects_between(plain: &PlainTree, from: Node, to: Node) -> u32 {
    plain.before(to) - plain.before(from)
}

fn add(plain: &PlainTree, from: Node, to: Node, builder: &mut TreeBuilder) {
    let mut open: Vec<Node> = Vec::new();
    let mut node = from;
    while node < to {
        while open.last().is_some_and(|&end| end <= node) {
            open.pop();
            builder.close();
        }
        let end = plain.end(node);
        if plain.before(end) == plain.before(node) {
            node = end;
            continue;
        }
        let row = PlainRow(node.0);
        let fragment = if plain.call(node).is_some() { Fragment::Call(row) } else { Fragment::Thread(row) };
        builder.open(fragment, plain.group(node), plain.suspicion(node));
        open.push(end);
        node = Node(node.0 + 1);
    }
    for _ in open {
        builder.close();
    }
}
