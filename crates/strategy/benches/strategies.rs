//! What the strategies take: a whole simulation of each on trees of several kinds, and single questions on two million
//! calls. `cargo bench -p strategy`; the numbers are for reading, nothing is checked.

use std::sync::Arc;
use std::time::Instant;

use strategy::{Coverage, Learned, Strategy, simulate_within};
use testkit::Chance;
use tree::{CodeGroup, Fragment, MemoryTree, Node, PlainRow, Suspects, Suspicion, Tree, TreeBuilder};

fn main() {
    simulations();
    questions();
}

fn simulations() {
    let mut chance = Chance::seeded(19);
    for (name, deep, size) in [
        ("star", 0, 100_000),
        ("flat", 4, 10_000),
        ("medium", 5, 100_000),
        ("deep", 6, 100_000),
        ("small", 5, 9_000),
    ] {
        let depths = depths(&mut chance, size, deep);
        let deepest = depths.iter().max().copied().unwrap_or(0);
        let tree = tree(&depths, |_| chance.below(200) as u32);
        let coverage = coverage(&mut chance, tree.len());
        for strategy in Strategy::ALL {
            let slow = strategy == Strategy::SingleStep && deepest > 1000;
            if slow || strategy.simulation_limit().is_some_and(|limit| limit < tree.len()) {
                continue;
            }
            let start = Instant::now();
            let outcome =
                simulate_within(30_000_000, &shared(&tree), Node(0), true, strategy, Some(&coverage), &|_| 1);
            let Some(outcome) = outcome else {
                println!("{name} ({deepest} levels) {strategy}: given up after {:?}", start.elapsed());
                continue;
            };
            println!(
                "{name} ({deepest} levels) {strategy}: mean {:.2} max {} log2 {:.2} in {:?}",
                outcome.mean,
                outcome.max,
                outcome.log2,
                start.elapsed()
            );
        }
    }
}

fn questions() {
    let mut chance = Chance::seeded(29);
    for (name, deep) in [("star", 0), ("medium", 5), ("deep", 6)] {
        let size = 2_000_000;
        let tree = tree(&depths(&mut chance, size, deep), |at| at as u32);
        for strategy in
            [Strategy::DqShapiro, Strategy::DqNearest, Strategy::DqOptimal, Strategy::HeaviestFirst]
        {
            let mut suspects = Suspects::new(shared(&tree), Node(0), true);
            let learned = Learned::default();
            let start = Instant::now();
            let _ = strategy.next(&mut suspects, &learned, None);
            let first = start.elapsed();
            for _ in 0..50_000 {
                suspects.clear(Node(1 + chance.below(size - 1) as u32));
            }
            strategy.next(&mut suspects, &learned, None);
            let start = Instant::now();
            let mut asked = 0;
            for _ in 0..200 {
                let Some(choice) = strategy.next(&mut suspects, &learned, None) else { break };
                suspects.clear(choice.node);
                asked += 1;
            }
            let each = start.elapsed() / asked.max(1);
            println!("{name} {strategy}: first {first:?}, then {each:?} each ({asked} asked)");
        }
    }
}

fn shared(tree: &MemoryTree) -> Arc<dyn Tree> {
    Arc::new(tree.clone())
}

/// Depths in pre-order; `deep` of 10: how often a node goes below the one before it, and how rarely it closes one more.
fn depths(chance: &mut Chance, size: usize, deep: usize) -> Vec<usize> {
    let mut depths = vec![0];
    while depths.len() < size {
        let mut depth = depths[depths.len() - 1] + 1;
        while depth > 1 && chance.below(10) >= deep {
            depth -= 1;
        }
        depths.push(depth);
    }
    depths
}

/// Only suspects, each of the method that `group` gives it.
fn tree(depths: &[usize], mut group: impl FnMut(usize) -> u32) -> MemoryTree {
    let mut builder = TreeBuilder::default();
    let mut open = 0;
    for (at, &depth) in depths.iter().enumerate() {
        while open > depth {
            builder.close();
            open -= 1;
        }
        builder.open(Fragment::Call(PlainRow(at as u32)), CodeGroup(group(at)), Suspicion::Suspect);
        open += 1;
    }
    builder.finish()
}

fn coverage(chance: &mut Chance, size: u32) -> Coverage {
    let signatures = (0..4).map(|from| (from..from + chance.below(4) as u32).collect()).collect();
    Coverage { signature: (0..size).map(|_| chance.below(4) as u32).collect(), signatures, entities: 8 }
}
