use std::sync::Arc;

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::{CodeGroup, Fragment, MemoryTree, PlainRow, TreeBuilder};

/// A tree from how deep each node is below the one before it: `steps[i].0` levels are closed before node `i`.
/// The tree as suspects hold it.
fn shared(tree: &MemoryTree) -> Arc<dyn Tree> {
    Arc::new(tree.clone())
}

fn tree(steps: &[(u8, u8, u8)]) -> MemoryTree {
    let mut builder = TreeBuilder::default();
    let mut depth = 0;
    for (at, &(up, suspicion, group)) in steps.iter().enumerate() {
        for _ in 0..up {
            if depth > 1 {
                builder.close();
                depth -= 1;
            }
        }
        let suspicion = match suspicion {
            0..6 => Suspicion::Suspect,
            6..8 => Suspicion::Joint,
            _ => Suspicion::Through,
        };
        builder.open(Fragment::Call(PlainRow(at as u32)), CodeGroup(u32::from(group)), suspicion);
        depth += 1;
    }
    builder.finish()
}

fn trees(size: usize) -> impl Strategy<Value = MemoryTree> {
    prop::collection::vec((0..4u8, 0..10u8, 0..4u8), 1..size).prop_map(|steps| tree(&steps))
}

/// A root with `size` leaves of its group, all suspected.
fn star(size: u32) -> MemoryTree {
    let mut builder = TreeBuilder::default();
    builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), Suspicion::Suspect);
    for at in 1..=size {
        builder.leaf(Fragment::Call(PlainRow(at)), CodeGroup(at % 2), Suspicion::Suspect);
    }
    builder.finish()
}

/// The same told node by node.
struct Naive<'t> {
    tree: &'t MemoryTree,
    root: Node,
    root_wrong: bool,
    cleared: HashSet<Node>,
    deferred: HashSet<Node>,
    weight: Vec<f64>,
}

impl Naive<'_> {
    fn subtree(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        (node.0..self.tree.end(node).0).map(Node)
    }

    fn suspected(&self, node: Node) -> bool {
        self.tree.suspicion(node) == Suspicion::Suspect && !self.cleared.contains(&node)
    }

    fn count(&self, node: Node) -> u32 {
        self.subtree(node).filter(|&it| self.suspected(it)).count() as u32
    }

    fn weight(&self, node: Node) -> f64 {
        self.subtree(node).filter(|&it| self.suspected(it)).map(|it| self.weight[it.0 as usize]).sum()
    }

    fn askable(&self, node: Node) -> bool {
        let known = self.root_wrong && node == self.root;
        let aside = self.cleared.contains(&node) || self.deferred.contains(&node);
        self.tree.suspicion(node) != Suspicion::Through && !known && !aside
    }

    fn children(&self, node: Node) -> Vec<Node> {
        let below = |other: Node| {
            let mut at = other;
            while let Some(parent) = self.tree.parent(at) {
                if parent == node {
                    return true;
                }
                if self.askable(parent) {
                    return false;
                }
                at = parent;
            }
            false
        };
        self.subtree(node)
            .filter(|&it| it != node && self.askable(it) && self.count(it) > 0 && below(it))
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equals_a_count_node_by_node(
        tree in trees(80),
        wrong in any::<bool>(),
        answers in prop::collection::vec((0..11u8, any::<prop::sample::Index>()), 0..40),
    ) {
        let size = tree.len() as usize;
        let mut suspects = Suspects::new(shared(&tree), Node(0), wrong);
        let mut naive = Naive {
            tree: &tree, root: Node(0), root_wrong: wrong,
            cleared: HashSet::new(), deferred: HashSet::new(), weight: vec![1.0; size],
        };
        for (answer, at) in answers {
            let inside = tree.end(naive.root).0 - naive.root.0;
            let node = Node(naive.root.0 + at.index(inside as usize) as u32);
            match answer {
                0..5 if node != naive.root => {
                    suspects.clear(node);
                    let all: Vec<Node> = naive.subtree(node).collect();
                    naive.cleared.extend(all);
                }
                5 if !naive.cleared.contains(&node) => {
                    suspects.enter(node);
                    naive.root = node;
                    naive.root_wrong = true;
                    naive.deferred.retain(|&other| other != node);
                }
                6..8 => {
                    suspects.defer(node);
                    naive.deferred.insert(node);
                }
                8 => {
                    let weight = |node: Node| f64::from(node.0 % 5 + 1) / 4.0;
                    suspects.weigh(weight);
                    naive.weight = (0..size as u32).map(|node| weight(Node(node))).collect();
                }
                10 if node != naive.root => {
                    suspects.dissolve(node);
                    naive.cleared.insert(node);
                }
                9 => {
                    suspects.weigh_alike();
                    naive.weight = vec![1.0; size];
                }
                _ => {}
            }
            prop_assert_eq!(suspects.total(), naive.weight(naive.root));
            let left: Vec<Node> = naive.subtree(naive.root).filter(|&node| naive.suspected(node)).collect();
            let remaining = suspects.remaining().filter(|&node| tree.suspicion(node) == Suspicion::Suspect);
            prop_assert_eq!(remaining.collect::<Vec<_>>(), left);
            for node in naive.subtree(naive.root) {
                prop_assert_eq!(suspects.count(node), naive.count(node));
                prop_assert_eq!(suspects.weight(node), naive.weight(node));
                let own = if naive.suspected(node) { naive.weight[node.0 as usize] } else { 0.0 };
                prop_assert_eq!(suspects.own(node), own);
                if naive.count(node) > 0 {
                    prop_assert_eq!(suspects.askable(node), naive.askable(node));
                }
                let children = naive.children(node);
                prop_assert_eq!(&suspects.children(node).collect::<Vec<_>>(), &children);
                let mut best = children;
                best.sort_by(|&one, &other| naive.weight(other).total_cmp(&naive.weight(one)).then(one.cmp(&other)));
                best.truncate(3);
                prop_assert_eq!(suspects.best(node, Order::Weight, 3), best);
            }
        }
    }
}

#[test]
fn many_children_stay_ranked_while_answers_come_in() {
    let mut steps = vec![(0, 0, 0)];
    for child in 0..200u8 {
        steps.push((if child == 0 { 0 } else { 9 }, 0, child % 3));
        steps.extend((0..child % 7).map(|grandchild| (u8::from(grandchild > 0), 0, 1)));
    }
    let tree = tree(&steps);
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    for round in 0..500 {
        let mut children: Vec<Node> = suspects.children(Node(0)).collect();
        let group = |node: Node| tree.group(node) == tree.group(Node(0));
        let first = children.iter().copied().find(|&it| group(it)).or(children.first().copied());
        assert_eq!(suspects.best(Node(0), Order::Recursive, 1).first().copied(), first);
        children.sort_by_key(|&it| (std::cmp::Reverse(suspects.count(it)), it));
        children.truncate(4);
        assert_eq!(suspects.best(Node(0), Order::Weight, 4), children);
        let Some(&best) = children.first() else { break };
        match round % 4 {
            0 => suspects.clear(best),
            1 => suspects.defer(best),
            2 => suspects.clear(children[children.len() - 1]),
            _ => suspects.clear(Node(tree.end(best).0 - 1)),
        }
    }
    assert_eq!(suspects.best(Node(0), Order::Weight, 1), []);
    assert!(suspects.deferred().count() > 10);
}

#[test]
fn cleared_siblings_around_a_node_take_nothing_from_it() {
    // 0 ( 1 ( 2 3 ) 4 ): 3 and 4 are neighbours in number, not in the tree.
    let tree = tree(&[(0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0), (2, 0, 0)]);
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    suspects.clear(Node(3));
    suspects.clear(Node(4));
    assert_eq!((suspects.count(Node(1)), suspects.len()), (2, 3));
    suspects.enter(Node(1));
    assert_eq!(suspects.len(), 2);
    suspects.clear(Node(2));
    assert_eq!(suspects.conclusion(), Some(Conclusion::Buggy(Node(1))));
}

#[test]
fn what_is_found() {
    use Suspicion::*;
    // A root over two suspects; answers as (node, correct).
    type Case = (Suspicion, bool, bool, &'static [(u32, bool)], Option<Conclusion>);
    let cases: [Case; 12] = [
        (Suspect, true, false, &[], None),
        (Suspect, true, false, &[(1, true), (2, true)], Some(Conclusion::Buggy(Node(0)))),
        (Suspect, true, false, &[(2, false)], Some(Conclusion::Buggy(Node(2)))),
        (Suspect, false, false, &[(1, true), (2, true)], None),
        (Suspect, false, false, &[(0, true)], Some(Conclusion::Correct)),
        (Joint, true, false, &[(1, true)], Some(Conclusion::Buggy(Node(2)))),
        (Joint, false, false, &[(1, true)], None),
        (Joint, true, false, &[(1, true), (0, true)], Some(Conclusion::Contradiction(Node(2)))),
        (Through, true, false, &[(2, true)], Some(Conclusion::Buggy(Node(1)))),
        (Through, true, true, &[(2, true)], None),
        (Through, true, true, &[(1, true), (2, true)], Some(Conclusion::Unfinished(Node(0)))),
        (Through, false, false, &[(1, true), (2, true)], Some(Conclusion::Correct)),
    ];
    for (suspicion, wrong, running, answers, expected) in cases {
        let mut builder = TreeBuilder::default();
        builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), suspicion);
        builder.leaf(Fragment::Call(PlainRow(1)), CodeGroup(1), Suspect);
        builder.leaf(Fragment::Call(PlainRow(2)), CodeGroup(1), Suspect);
        let tree = builder.finish();
        let mut suspects = Suspects::new(shared(&tree), Node(0), wrong);
        suspects.set_running(running);
        for &(node, correct) in answers {
            match correct {
                true => suspects.clear(Node(node)),
                false => suspects.enter(Node(node)),
            }
            while suspects.infer().is_some() {}
        }
        assert_eq!(suspects.conclusion(), expected, "{suspicion:?} {wrong} {running} {answers:?}");
    }
}

#[test]
fn the_last_child_of_a_wrong_projection_is_wrong_even_if_it_was_put_off() {
    // A projection over 1 ( 2 ) and 3.
    let tree = tree(&[(0, 6, 0), (0, 0, 0), (0, 0, 0), (2, 0, 0)]);
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    suspects.defer(Node(1));
    assert_eq!(suspects.infer(), None);
    suspects.clear(Node(3));
    assert_eq!(suspects.infer(), Some(Node(1)));
    assert_eq!((suspects.root(), suspects.deferred().count()), (Node(1), 0));
}

#[test]
fn answers_about_many_siblings_are_not_kept_apart_by_trusted_calls() {
    let mut builder = TreeBuilder::default();
    builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), Suspicion::Suspect);
    for at in 1..=200_000 {
        let suspicion = if at % 2 == 0 { Suspicion::Through } else { Suspicion::Suspect };
        builder.leaf(Fragment::Call(PlainRow(at)), CodeGroup(0), suspicion);
    }
    let tree = builder.finish();
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    for answer in 0..100_000 {
        let child = suspects.children(Node(0)).next();
        assert_eq!(child, Some(Node(1 + 2 * answer)));
        suspects.clear(Node(1 + 2 * answer));
        assert_eq!(suspects.cleared_until(Node(1)), Some(Node(3 + 2 * answer)));
    }
    assert_eq!(suspects.conclusion(), Some(Conclusion::Buggy(Node(0))));
}

#[test]
fn dividing_leaves_both_sides_whole() {
    let tree = star(100);
    let mut correct = Suspects::new(shared(&tree), Node(0), true);
    correct.clear(Node(50));
    let wrong = correct.divide(Node(7));
    assert_eq!(wrong.conclusion(), Some(Conclusion::Buggy(Node(7))));
    assert_eq!((correct.len(), correct.root()), (99, Node(0)));
}

#[test]
fn a_question_does_not_look_at_a_million_children_again() {
    let tree = star(1_000_000);
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    suspects.best(Node(0), Order::Weight, 2);
    // Every other child is cleared, so that there are many runs.
    let start = std::time::Instant::now();
    for child in (1..200_000).step_by(2) {
        suspects.clear(Node(child));
    }
    let cleared = start.elapsed();
    assert_eq!(suspects.len(), 900_001);
    let start = std::time::Instant::now();
    let best = suspects.best(Node(0), Order::Weight, 2);
    let chosen = start.elapsed();
    assert_eq!(best, [Node(2), Node(4)]);
    println!("100,000 answers in {cleared:?}, a choice in {chosen:?}");
    assert!(chosen.as_millis() < 50);
}
