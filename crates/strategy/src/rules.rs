//! How many different methods ran in each subtree, all counted in one pass: a method that ran twice is counted once
//! less where its two runs come together, in their lowest common ancestor. So the number is a sum over the subtree.

use rustc_hash::FxHashMap;
use tree::{CodeGroup, Node, Suspects, Suspicion};

/// The nodes left that hold something suspected, in order, each with the number of different methods among the
/// suspects in it.
pub(crate) fn methods(suspects: &Suspects) -> Vec<(Node, u32)> {
    let tree = suspects.tree();
    let mut nodes: Vec<(Node, i64)> = Vec::new();
    let mut open: Vec<(usize, Node)> = Vec::new();
    let mut seen = FxHashMap::<CodeGroup, Node>::default();
    for node in suspects.remaining() {
        close(&mut nodes, &mut open, node);
        let at = nodes.len();
        nodes.push((node, 0));
        open.push((at, tree.end(node)));
        if tree.suspicion(node) == Suspicion::Suspect {
            nodes[at].1 += 1;
            if let Some(before) = seen.insert(tree.group(node), node) {
                let common = open.partition_point(|&(at, _)| nodes[at].0 <= before) - 1;
                nodes[open[common].0].1 -= 1;
            }
        }
    }
    close(&mut nodes, &mut open, tree.end(suspects.root()));
    nodes
        .into_iter()
        .filter(|&(_, methods)| methods > 0)
        .map(|(node, methods)| (node, methods as u32))
        .collect()
}

/// Closes the nodes that end before this one: each is complete, and goes into its parent's sum.
fn close(nodes: &mut [(Node, i64)], open: &mut Vec<(usize, Node)>, node: Node) {
    while let Some(&(at, end)) = open.last()
        && end <= node
    {
        open.pop();
        if let Some(&(parent, _)) = open.last() {
            nodes[parent].1 += nodes[at].1;
        }
    }
}
