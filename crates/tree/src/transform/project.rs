//! A node over a chain of siblings, which stay below it: one question about what they did together. It has no code of
//! its own, so it is never what is wrong.

use crate::fragment::Fragment;
use crate::links::{Link, Links};
use crate::memory_tree::{MemoryTree, TreeBuilder};
use crate::tree::{Node, Suspicion, Tree};

/// Siblings from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Siblings {
    pub first: Node,
    pub last: Node,
}

/// A projection over every chain that is as long as it can be, even if it is all that the parent called.
pub fn project(tree: &MemoryTree, links: &Links) -> (MemoryTree, Links) {
    let mut over = Vec::new();
    let mut siblings = Vec::new();
    for parent in (0..tree.len()).map(Node) {
        siblings.clear();
        siblings.extend(tree.children(parent));
        chains(tree, links, &siblings, |from, to| {
            over.push(Siblings { first: siblings[from], last: siblings[to - 1] });
        });
    }
    insert(tree, links, over)
}

/// The maximal chains among siblings, as runs of indices. What is not asked about, or has nothing suspected in it,
/// is in no chain.
pub(super) fn chains(
    tree: &MemoryTree,
    links: &Links,
    siblings: &[Node],
    mut found: impl FnMut(usize, usize),
) {
    let member = |node: Node| tree.suspicion(node) != Suspicion::Through && weight(tree, node) > 0;
    let mut from = 0;
    for at in 1..=siblings.len() {
        let linked = |at: usize| {
            links.of(siblings[at]) == Link::Chain && member(siblings[at - 1]) && member(siblings[at])
        };
        if at < siblings.len() && linked(at) {
            continue;
        }
        if at - from >= 2 {
            found(from, at);
        }
        from = at;
    }
}

pub(super) fn weight(tree: &MemoryTree, node: Node) -> u32 {
    tree.before(tree.end(node)) - tree.before(node)
}

/// The tree with a projection over each of these. They may lie in each other, but do not overlap otherwise. A
/// projection is of the group of its first member.
pub(super) fn insert(tree: &MemoryTree, links: &Links, mut over: Vec<Siblings>) -> (MemoryTree, Links) {
    over.sort_unstable_by_key(|siblings| (siblings.first, std::cmp::Reverse(siblings.last)));
    let mut over = over.into_iter().peekable();
    let mut builder = TreeBuilder::default();
    let mut kept = Vec::new();
    let mut open: Vec<(Node, bool)> = Vec::new();
    for node in (0..tree.len()).map(Node) {
        let mut cut = false;
        while let Some((_, projection)) = open.pop_if(|(end, _)| *end <= node) {
            cut = projection;
            builder.close();
        }
        while let Some(siblings) = over.next_if(|siblings| siblings.first == node) {
            let (first, last) = (tree.fragment(node).row(), tree.fragment(siblings.last).last());
            builder.open(Fragment::Projection { first, last }, tree.group(node), Suspicion::Joint);
            open.push((tree.end(siblings.last), true));
            kept.push(Link::None);
            cut = true;
        }
        builder.open(tree.fragment(node), tree.group(node), tree.suspicion(node));
        open.push((tree.end(node), false));
        kept.push(if cut { Link::None } else { links.of(node) });
    }
    (builder.finish(), Links(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::testing::{sketch, tree};

    #[test]
    fn every_chain_gets_a_node_of_its_own() {
        for (before, after, why) in [
            ("f(a -b)", "f([a -b])", "all that was called"),
            ("f(a -b c -d)", "f([a -b] [c -d])", "two chains"),
            ("f(a(c -d) -b e)", "f([a([c -d]) -b] e)", "chains in chains"),
            ("f(a =a)", "f(a =a)", "independent calls are no chain"),
            ("f(a -!b(c) -d)", "f(a -!b(c) -d)", "nor is what passes a trusted call"),
            ("f(a -b =b)", "f([a -b] b)", "the next one is not linked to a projection"),
        ] {
            let (plain, links) = tree(before);
            let (projected, links) = project(&plain, &links);
            assert_eq!(sketch(&projected, &links), after, "{why}");
        }
    }
}
