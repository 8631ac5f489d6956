//! Every strategy on every kind of transformed tree: whichever call is the bug, it is found, or the node that stands
//! for it together with others.

use tree::transform::folded;
use tree::{CodeGroup, Fragment, Link, Links, Node, Suspicion, Transform, Tree, TreeFacts, transform};

use super::{Dice, shared, tree};
use crate::{Strategy, bugs_in, simulate};

const TREES: u64 = 2000;

#[test]
fn every_bug_is_found_by_every_strategy_in_every_transformed_tree() {
    let mut dice = Dice::seeded(0x9e37_79b9_7f4a_7c15);
    let choices = [Transform::Project, Transform::Balance, Transform::Compress];
    for round in 0..TREES {
        let plain = random(&mut dice);
        let links = links(&mut dice, &plain);
        let facts = TreeFacts { links, ..TreeFacts::default() };
        let suspects =
            (0..plain.len()).filter(|&node| plain.suspicion(Node(node)) == Suspicion::Suspect).count();
        for mask in 0..8 {
            let which: Vec<Transform> =
                (0..3).filter(|bit| mask & (1 << bit) != 0).map(|bit| choices[bit]).collect();
            let made = transform(&plain, &facts, &which);
            let shape = shared(&made);
            for strategy in Strategy::ALL {
                for wrong in [true, false] {
                    // Recursion that branches has more calls than levels.
                    let bugs = |node| match made.fragment(node) {
                        Fragment::Compressed { .. } => 1 + folded(&plain, &made, node).len() as u32,
                        fragment => bugs_in(fragment),
                    };
                    let outcome = simulate(&shape, Node(0), wrong, strategy, None, &bugs);
                    assert_eq!(outcome.unfound, 0, "{strategy} {which:?} in round {round}");
                    assert_eq!(outcome.bugs, suspects as u64, "{strategy} {which:?} in round {round}");
                }
            }
        }
    }
}

/// A small tree of few methods; all calls are suspects.
fn random(dice: &mut Dice) -> tree::MemoryTree {
    let size = 2 + dice.below(14);
    let mut depth = 0;
    tree((0..size).map(|at| {
        if at > 0 {
            depth = 1 + dice.below(depth + 1);
        }
        (depth, dice.below(3) as u32, Suspicion::Suspect)
    }))
}

/// Links as an analysis may find them: chains anywhere, independence between leaves of one method.
fn links(dice: &mut Dice, plain: &tree::MemoryTree) -> Links {
    let mut links = vec![Link::None; plain.len() as usize];
    for parent in (0..plain.len()).map(Node) {
        let mut before: Option<(Node, CodeGroup)> = None;
        for child in plain.children(parent) {
            let leaf = |node: Node| plain.end(node).0 == node.0 + 1;
            let alike = before
                .is_some_and(|(other, group)| group == plain.group(child) && leaf(other) && leaf(child));
            links[child.0 as usize] = match dice.below(3) {
                0 if before.is_some() => Link::Chain,
                1 if alike => Link::Independent,
                _ => Link::None,
            };
            before = Some((child, plain.group(child)));
        }
    }
    Links(links)
}
