//! Rows against a plain walk that knows of each node whether it is expanded.

use super::*;
use crate::{Bits, CodeGroup, Fragment, KeptNodes, PlainRow, Suspicion, Tree, TreeBuilder};

/// A tree from brackets: `(()())` is a root with two children.
pub(crate) fn tree(brackets: &str) -> crate::MemoryTree {
    let mut builder = TreeBuilder::default();
    let mut row = 0;
    for bracket in brackets.chars() {
        if bracket == '(' {
            builder.open(Fragment::Call(PlainRow(row)), CodeGroup(0), Suspicion::Suspect);
            row += 1;
        } else {
            builder.close();
        }
    }
    builder.finish()
}

/// Which nodes are expanded, one by one.
struct Plain(BTreeSet<Node>);

impl Plain {
    /// The rows by going through the whole tree, each with its parent, place and whether it is expanded.
    fn rows(&self, tree: &FilteredTree) -> Vec<OutlineRow> {
        let (mut rows, mut stack) = (Vec::new(), vec![(Node(0), 0, 0, 1)]);
        while let Some((node, level, place, siblings)) = stack.pop() {
            let kids: Vec<Node> = tree.children(node).collect();
            let expanded = self.0.contains(&node) && !kids.is_empty();
            rows.push(OutlineRow { node, level, place, siblings, expandable: !kids.is_empty(), expanded });
            let shown = if expanded { &kids[..] } else { &[] };
            let count = shown.len() as u32;
            let next = shown.iter().zip(0..).map(|(&kid, place)| (kid, level + 1, place, count));
            stack.extend(next.collect::<Vec<_>>().into_iter().rev());
        }
        rows
    }

    fn visible(&self, tree: &FilteredTree, node: Node) -> Node {
        let path = Outline::new(Node(0)).path(tree, node);
        path.iter().copied().find(|above| !self.0.contains(above)).unwrap_or(node)
    }
}

fn check(tree: &FilteredTree, outline: &mut Outline, plain: &Plain) {
    let expected = plain.rows(tree);
    assert_eq!(outline.len(), expected.len() as u64);
    for from in 0..=expected.len() {
        let rows = outline.rows(tree, from as u64, 5);
        assert_eq!(rows, expected[from..(from + 5).min(expected.len())], "from {from}");
    }
    for node in (0..tree.len()).map(Node) {
        let rank = expected.iter().position(|row| row.node == node).map(|rank| rank as u64);
        assert_eq!(outline.rank(tree, node), rank, "{node:?}");
        assert_eq!(outline.visible(tree, node), plain.visible(tree, node), "{node:?}");
    }
}

/// A sequence of clicks that visits every state often enough.
fn click_around(tree: &FilteredTree, clicks: usize) {
    let mut outline = Outline::new(Node(0));
    let mut plain = Plain(BTreeSet::new());
    check(tree, &mut outline, &plain);
    let mut chance = testkit::Chance::seeded(7);
    for _ in 0..clicks {
        let node = Node(chance.below(tree.len() as usize) as u32);
        match chance.below(8) {
            0..=2 => {
                outline.expand(tree, node);
                plain.0.insert(node);
            }
            3 => {
                outline.expand_all(tree, node);
                plain.0.extend((node.0..tree.end(node).0).map(Node));
            }
            4 => {
                let path = outline.path(tree, node);
                let opened = outline.reveal(tree, node);
                let above = path[..path.len() - 1].iter().copied();
                assert!(opened.into_iter().eq(above.clone().filter(|node| !plain.0.contains(node))));
                plain.0.extend(above);
            }
            _ => {
                outline.collapse(tree, node);
                plain.0.remove(&node);
            }
        }
        check(tree, &mut outline, &plain);
    }
}

#[test]
fn rows_are_those_of_a_plain_walk_whatever_is_expanded() {
    let tree = tree("((()())()((()()())())())");
    click_around(&FilteredTree::new(&tree, None), 3000);
}

#[test]
fn rows_of_a_part_are_those_of_a_plain_walk_too() {
    let tree = tree("((()())()((()(()())())())((())()))");
    let mut wanted = Bits::new(tree.len());
    [3, 8, 9, 11, 14].iter().for_each(|&node| wanted.set(node));
    wanted.count();
    let kept = KeptNodes::new(&tree, &wanted);
    click_around(&FilteredTree::new(&tree, Some(&kept)), 3000);
}

#[test]
fn a_row_knows_its_place_among_many_siblings_also_where_everything_is_expanded() {
    let tree = tree(&format!("({}(()))", "()".repeat(2000)));
    let tree = FilteredTree::new(&tree, None);
    let mut some = Outline::new(Node(0));
    some.expand(&tree, Node(0));
    some.expand(&tree, Node(2001));
    let mut all = Outline::new(Node(0));
    all.expand_all(&tree, Node(0));
    for mut outline in [some, all] {
        assert_eq!(outline.len(), 2003);
        let row = outline.rows(&tree, 1500, 1)[0];
        assert_eq!((row.node, row.place, row.siblings, row.level), (Node(1500), 1499, 2001, 1));
        assert_eq!(outline.rows(&tree, 2002, 9).len(), 1);
        assert!(outline.rows(&tree, 2003, 9).is_empty());
    }
}
