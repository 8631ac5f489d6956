//! The optimum: equal to trying everything, and what the others are away from it.

use std::collections::HashMap;

use super::*;
use crate::optimal::Solved;

/// The fewest questions in all dialogues together, by trying every question in every state: states are sets of
/// suspects, told by bits, and the root known to be wrong, or none.
fn fewest(
    tree: &MemoryTree,
    root: Option<Node>,
    left: u32,
    known: &mut HashMap<(Option<Node>, u32), u32>,
) -> u32 {
    if left == 0 || (root.is_some() && left.count_ones() == 1) {
        return 0;
    }
    if let Some(&questions) = known.get(&(root, left)) {
        return questions;
    }
    let inside = |node: Node| (node.0..tree.end(node).0).fold(0u32, |bits, at| bits | 1 << at);
    let all = (0..tree.len())
        .map(Node)
        .filter(|&node| root.is_none_or(|root| root < node && holds(tree, root, node)));
    let askable = all.filter(|&node| tree.suspicion(node) != Suspicion::Through);
    let nodes: Vec<Node> = askable.filter(|&node| left & inside(node) != 0).collect();
    // A wrong node without code of its own has a wrong child.
    if let Some(root) = root
        && tree.suspicion(root) == Suspicion::Joint
        && let Some(&only) = nodes.iter().find(|&&node| left & !inside(node) == 0)
    {
        return fewest(tree, Some(only), left, known);
    }
    let cost = |&node: &Node| {
        let wrong = fewest(tree, Some(node), left & inside(node), known);
        left.count_ones() + wrong + fewest(tree, root, left & !inside(node), known)
    };
    let questions = nodes.iter().map(cost).min().unwrap_or(0);
    known.insert((root, left), questions);
    questions
}

#[test]
fn exact_equals_trying_everything() {
    let mut dice = Dice::seeded(11);
    for round in 0..400 {
        let size = 2 + dice.below(11);
        let tree = dice.mixed(size);
        let suspects = |at: &u32| tree.suspicion(Node(*at)) == Suspicion::Suspect;
        let left = (0..tree.len()).filter(suspects).fold(0, |bits, at| bits | 1 << at);
        let wrong = round % 2 == 0 && tree.suspicion(Node(0)) != Suspicion::Through;
        if left == 0 {
            continue;
        }
        let root = wrong.then_some(Node(0));
        let expected = fewest(&tree, root, left, &mut HashMap::new());
        let plan = Solved::default().plan(&Suspects::new(shared(&tree), Node(0), wrong), usize::MAX / 2);
        let plan = plan.expect("no limit");
        assert_eq!(plan.questions, u64::from(expected), "round {round}: {tree:?}");
        let outcome = crate::simulate(&shared(&tree), Node(0), wrong, Strategy::Optimal, None, &|_| 1);
        assert_eq!((outcome.mean * outcome.bugs as f64).round(), f64::from(expected), "round {round}");
        assert_eq!(outcome.unfound, 0);
    }
}

#[test]
fn optimal_divide_and_query_is_within_a_twentieth_of_the_optimum() {
    let mut dice = Dice::seeded(5);
    let (mut worst, mut sums) = (1.0f64, [0.0, 0.0, 0.0]);
    let solved = Solved::default();
    for size in (4..=32).step_by(2) {
        for _ in 0..12 {
            let deep = 1 + dice.below(8);
            let tree = plain(&dice.depths(size, deep));
            let plan =
                solved.plan(&Suspects::new(shared(&tree), Node(0), true), 50_000).expect("small enough");
            let best = plan.questions as f64 / size as f64;
            let (divided, nearest) = (mean(&tree, Strategy::DqOptimal), mean(&tree, Strategy::DqNearest));
            assert!(divided >= best - 1e-9 && nearest >= best - 1e-9);
            worst = worst.max(divided / best);
            sums = [sums[0] + best, sums[1] + divided, sums[2] + nearest];
        }
    }
    println!(
        "dq-optimal: {:.4} of the optimum on average, {worst:.4} at worst; dq-nearest {:.4}",
        sums[1] / sums[0],
        sums[2] / sums[0],
    );
    assert!(worst <= 1.05, "{worst}");
}

#[test]
fn playing_dialogues_is_no_worse_than_optimal_divide_and_query() {
    let mut dice = Dice::seeded(3);
    for size in [60, 120, 240] {
        let tree = plain(&dice.depths(size, 5));
        let (played, divided) = (mean(&tree, Strategy::Optimal), mean(&tree, Strategy::DqOptimal));
        println!("{size}: optimal {played:.4}, dq-optimal {divided:.4}");
        assert!(played <= divided + 1e-9, "{size}: {played} {divided}");
    }
}

/// How far exact answers reach: cargo test --release -p strategy -- --ignored --nocapture reach
#[test]
#[ignore = "a measurement, not a check"]
fn reach() {
    let mut dice = Dice::seeded(23);
    for deep in [2, 4, 5, 6, 8] {
        for size in [16, 20, 24, 28, 32, 40, 48] {
            let start = std::time::Instant::now();
            let (mut solved, mut most) = (0, std::time::Duration::ZERO);
            for _ in 0..10 {
                let tree = plain(&dice.depths(size, deep));
                let start = std::time::Instant::now();
                solved += u32::from(
                    Solved::default().plan(&Suspects::new(shared(&tree), Node(0), true), 20_000).is_some(),
                );
                most = most.max(start.elapsed());
            }
            println!(
                "deep {deep} size {size}: {solved} of 10 solved, {:?} each, {most:?} at most",
                start.elapsed() / 10
            );
        }
    }
}
