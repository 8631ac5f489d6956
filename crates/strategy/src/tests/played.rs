//! Playing with all bugs at once equals playing with one after the other, and is quick.

use std::time::Instant;

use super::*;
use crate::{bugs_in, simulate};

#[test]
fn all_bugs_at_once_equal_one_after_the_other() {
    let mut dice = Dice::seeded(13);
    for _ in 0..60 {
        let size = 1 + dice.below(25);
        let tree = dice.mixed(size);
        let coverage = dice.coverage(tree.len());
        let bugs: Vec<Node> =
            (0..tree.len()).map(Node).filter(|&node| tree.suspicion(node) == Suspicion::Suspect).collect();
        for strategy in Strategy::ALL {
            for wrong in [true, false] {
                let asked: Vec<usize> = bugs
                    .iter()
                    .map(|&bug| dialogue(&tree, wrong, strategy, Some(&coverage), bug).0.len())
                    .collect();
                let outcome = simulate(&shared(&tree), Node(0), wrong, strategy, Some(&coverage), &|_| 1);
                assert_eq!((outcome.bugs, outcome.unfound), (bugs.len() as u64, 0));
                assert_eq!(outcome.max as usize, asked.iter().copied().max().unwrap_or(0), "{strategy}");
                let sum: usize = asked.iter().sum();
                assert_eq!((outcome.mean * bugs.len() as f64).round() as usize, sum, "{strategy}");
            }
        }
    }
}

#[test]
fn a_collapsed_node_counts_for_each_of_its_members() {
    let mut builder = TreeBuilder::default();
    builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), Suspicion::Suspect);
    let collapse = Fragment::Collapse { first: PlainRow(1), last: PlainRow(3), independent: false };
    builder.leaf(collapse, CodeGroup(1), Suspicion::Suspect);
    builder.leaf(Fragment::Call(PlainRow(4)), CodeGroup(2), Suspicion::Suspect);
    let tree = builder.finish();
    let outcome = simulate(&shared(&tree), Node(0), true, Strategy::TopDown, None, &|node| {
        bugs_in(tree.fragment(node))
    });
    // The collapse with one question, the other two with two.
    assert_eq!((outcome.nodes, outcome.bugs, outcome.max), (3, 5, 2));
    assert_eq!(outcome.mean, (3.0 * 1.0 + 2.0 * 2.0) / 5.0);
}

#[test]
fn large_trees_are_played_in_little_time() {
    let mut dice = Dice::seeded(17);
    let size = 20_000;
    let tree = plain(&dice.depths(size, 5));
    for strategy in [Strategy::TopDown, Strategy::DqShapiro, Strategy::DqNearest, Strategy::DqOptimal] {
        let start = Instant::now();
        let outcome = simulate(&shared(&tree), Node(0), true, strategy, None, &|_| 1);
        println!("{strategy}: {:.2} questions of {:.2}, {:?}", outcome.mean, outcome.log2, start.elapsed());
        assert_eq!(outcome.bugs, size as u64);
        assert!(outcome.mean >= outcome.log2 - 0.1);
    }
}
