//! Trees by hand and at random, and a truthful oracle.

mod belief;
mod dialogues;
mod effort;
mod half;
mod optimum;
mod planted;
mod played;
mod table;
mod transformed;

use std::sync::Arc;

use tree::{
    CodeGroup, Conclusion, Fragment, MemoryTree, Node, PlainRow, Suspects, Suspicion, Tree, TreeBuilder,
};

use crate::{Coverage, Judgement, Learned, Strategy};

/// The tree as suspects hold it.
fn shared(tree: &MemoryTree) -> Arc<dyn Tree> {
    Arc::new(tree.clone())
}

/// A tree from its depths in pre-order, with a group and a suspicion for each node.
fn tree(nodes: impl IntoIterator<Item = (usize, u32, Suspicion)>) -> MemoryTree {
    let mut builder = TreeBuilder::default();
    let mut open = 0;
    for (at, (depth, group, suspicion)) in nodes.into_iter().enumerate() {
        while open > depth {
            builder.close();
            open -= 1;
        }
        builder.open(Fragment::Call(PlainRow(at as u32)), CodeGroup(group), suspicion);
        open += 1;
    }
    builder.finish()
}

/// Only suspects, each its own method.
fn plain(depths: &[usize]) -> MemoryTree {
    tree(depths.iter().enumerate().map(|(at, &depth)| (depth, at as u32, Suspicion::Suspect)))
}

/// All ordered trees with so many nodes, as depths.
fn all_trees(size: usize) -> Vec<Vec<usize>> {
    let mut trees = vec![vec![0]];
    for _ in 1..size {
        let longer = |tree: &Vec<usize>| {
            let deepest = tree[tree.len() - 1] + 1;
            (1..=deepest).map(|depth| [tree.as_slice(), &[depth]].concat()).collect::<Vec<_>>()
        };
        trees = trees.iter().flat_map(longer).collect();
    }
    trees
}

/// Numbers and trees at random.
struct Dice(testkit::Chance);

impl Dice {
    #[track_caller]
    fn seeded(seed: u64) -> Dice {
        Dice(testkit::Chance::seeded(seed))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// `deep` of 10: how often a node goes below the one before it, and how rarely it closes one more.
    fn depths(&mut self, size: usize, deep: usize) -> Vec<usize> {
        let mut depths = vec![0];
        while depths.len() < size {
            let mut depth = depths[depths.len() - 1] + 1;
            while depth > 1 && self.below(10) >= deep {
                depth -= 1;
            }
            depths.push(depth);
        }
        depths
    }

    /// A tree of suspects and others. A leaf is never `Joint`.
    fn mixed(&mut self, size: usize) -> MemoryTree {
        let deep = self.below(9);
        let depths = self.depths(size, deep);
        let methods = 1 + self.below(size);
        tree((0..size).map(|at| {
            let leaf = depths.get(at + 1).is_none_or(|&next| next <= depths[at]);
            let suspicion = match self.below(10) {
                0 | 1 if !leaf => Suspicion::Joint,
                2 => Suspicion::Through,
                _ => Suspicion::Suspect,
            };
            (depths[at], self.below(methods) as u32, suspicion)
        }))
    }

    fn coverage(&mut self, size: u32) -> Coverage {
        let signatures: Vec<Vec<u32>> =
            (0..4).map(|from| (from..from + self.below(4) as u32).collect()).collect();
        Coverage { signature: (0..size).map(|_| self.below(4) as u32).collect(), signatures, entities: 8 }
    }
}

fn holds(tree: &MemoryTree, node: Node, bug: Node) -> bool {
    node <= bug && bug < tree.end(node)
}

/// What is asked until the bug is found, with truthful answers.
fn dialogue(
    tree: &MemoryTree,
    root_wrong: bool,
    strategy: Strategy,
    coverage: Option<&Coverage>,
    bug: Node,
) -> (Vec<Node>, Option<Conclusion>) {
    let mut suspects = Suspects::new(shared(tree), Node(0), root_wrong);
    let mut learned = strategy.begin(&suspects);
    let mut asked = Vec::new();
    loop {
        while suspects.infer().is_some() {}
        if let Some(found) = suspects.conclusion() {
            return (asked, Some(found));
        }
        let Some(choice) = strategy.next(&mut suspects, &learned, coverage) else { return (asked, None) };
        asked.push(choice.node);
        let wrong = holds(tree, choice.node, bug);
        let verdict = if wrong { Judgement::Wrong } else { Judgement::Correct };
        learned.note(&suspects, choice.node, verdict, coverage);
        match wrong {
            true => suspects.enter(choice.node),
            false => suspects.clear(choice.node),
        }
    }
}

/// Mean over all suspects as the bug, root known to be wrong.
fn mean(tree: &MemoryTree, strategy: Strategy) -> f64 {
    crate::simulate(&shared(tree), Node(0), true, strategy, None, &|_| 1).mean
}
