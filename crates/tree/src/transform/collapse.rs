//! Runs of linked leaves of one method become one node each: one question instead of many about the same code. If
//! the answer is that it is wrong, the method is to blame whichever of the calls it was.

use crate::fragment::Fragment;
use crate::links::{Link, Links};
use crate::memory_tree::{MemoryTree, TreeBuilder};
use crate::tree::{Node, Suspicion, Tree};

/// A run is as long as it can be, linked by one kind of link throughout. The node that replaces it keeps the first
/// one's link, and the next sibling keeps its own.
pub fn collapse(tree: &MemoryTree, links: &Links) -> (MemoryTree, Links) {
    let mut builder = TreeBuilder::default();
    let mut kept = Vec::new();
    let mut open: Vec<Node> = Vec::new();
    let mut node = Node(0);
    while node.0 < tree.len() {
        while open.pop_if(|end| *end <= node).is_some() {
            builder.close();
        }
        kept.push(links.of(node));
        let (fragment, group) = (tree.fragment(node), tree.group(node));
        let (last, link) = run(tree, links, node);
        if last > node {
            let independent = link == Link::Independent;
            let (first, last_row) = (fragment.row(), tree.fragment(last).row());
            let collapsed = Fragment::Collapse { first, last: last_row, independent };
            builder.leaf(collapsed, group, Suspicion::Suspect);
        } else {
            builder.open(fragment, group, tree.suspicion(node));
            open.push(tree.end(node));
        }
        node = Node(last.0 + 1);
    }
    (builder.finish(), Links(kept))
}

/// The last node of the run of leaves that begins here, and what links them. Siblings without children have numbers
/// that follow each other.
fn run(tree: &MemoryTree, links: &Links, first: Node) -> (Node, Link) {
    let leaf = |node: Node| {
        let call =
            matches!(tree.fragment(node), Fragment::Call(_)) && tree.suspicion(node) == Suspicion::Suspect;
        call && tree.end(node).0 == node.0 + 1
    };
    let alike = |node: Node| {
        node.0 < tree.len()
            && leaf(node)
            && tree.parent(node) == tree.parent(first)
            && tree.group(node) == tree.group(first)
    };
    let second = Node(first.0 + 1);
    if !leaf(first) || !alike(second) || links.of(second) == Link::None {
        return (first, Link::None);
    }
    let link = links.of(second);
    let mut last = second;
    while alike(Node(last.0 + 1)) && links.of(Node(last.0 + 1)) == link {
        last.0 += 1;
    }
    (last, link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::testing::{sketch, tree};

    #[test]
    fn leaves_of_one_method_become_one_node_where_they_are_linked() {
        for (before, after, why) in [
            ("f(a -a -a)", "f(a*3)", "a chain"),
            ("f(a =a =a)", "f(a*3=)", "independent of each other"),
            ("f(a a a)", "f(a a a)", "not linked"),
            ("f(a -b -a)", "f(a -b -a)", "different methods"),
            ("f(a -a(b))", "f(a -a(b))", "not a leaf"),
            ("f(a -a =a =a -a)", "f(a*2 =a*2= -a)", "kinds of link are not mixed"),
            ("f(b -a -a -b)", "f(b -a*2 -b)", "links to what is around stay"),
            ("f(b(a) -a -a)", "f(b(a) -a*2)", "cousins are not siblings"),
            ("f(!a -a -a)", "f(!a -a*2)", "a trusted one is not asked about"),
        ] {
            let (plain, links) = tree(before);
            let (collapsed, links) = collapse(&plain, &links);
            assert_eq!(sketch(&collapsed, &links), after, "{why}");
        }
    }
}
