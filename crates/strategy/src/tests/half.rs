//! The walk down the heaviest path finds what a scan of all nodes would.

use super::*;

struct Scan {
    node: Node,
    weight: f64,
    below: f64,
}

fn scan(suspects: &Suspects) -> Vec<Scan> {
    let nodes = suspects.remaining().filter(|&node| suspects.askable(node) && suspects.count(node) > 0);
    nodes
        .map(|node| {
            let weight = suspects.weight(node);
            Scan { node, weight, below: weight - suspects.own(node) }
        })
        .collect()
}

fn least(scan: &[Scan], badness: impl Fn(&Scan) -> f64) -> Option<&Scan> {
    scan.iter().min_by(|one, other| {
        badness(one)
            .total_cmp(&badness(other))
            .then(other.weight.total_cmp(&one.weight))
            .then(one.node.cmp(&other.node))
    })
}

/// The choice by definition, looking at every node.
fn naive(strategy: Strategy, suspects: &Suspects) -> Option<Node> {
    if suspects.is_empty() {
        return None;
    }
    let scan = scan(suspects);
    let total = suspects.total();
    let best = match strategy {
        Strategy::DqShapiro => {
            // Level by level.
            let mut nodes = Vec::new();
            let mut level = vec![suspects.root()];
            while !level.is_empty() {
                nodes.extend(level.iter().copied().filter(|&node| suspects.askable(node)));
                level = level.into_iter().flat_map(|node| suspects.children(node)).collect();
            }
            let weight = |node: &Node| suspects.weight(*node);
            let light = nodes.iter().rev().copied().filter(|node| 2.0 * weight(node) <= total);
            let light = light.max_by(|one, other| weight(one).total_cmp(&weight(other)));
            return light.or(nodes.into_iter().min_by(|one, other| weight(one).total_cmp(&weight(other))));
        }
        Strategy::DqOptimal => {
            let known = if suspects.root_wrong() { suspects.own(suspects.root()) } else { 0.0 };
            least(&scan, |it| (total - known - it.weight - it.below).abs())
        }
        _ => least(&scan, |it| (it.weight - total / 2.0).abs()),
    };
    best.map(|it| it.node)
}

#[test]
fn path_equals_scan() {
    let mut dice = Dice::seeded(7);
    let dividing = [
        Strategy::DqShapiro,
        Strategy::DqHirunkitti,
        Strategy::DqNearest,
        Strategy::DqOptimal,
        Strategy::DivideByYes,
        Strategy::DynamicWeight,
        Strategy::CoverageEdge,
        Strategy::CoverageDefuse,
    ];
    let mut compared = 0;
    for round in 0..1500 {
        let size = if round % 50 == 0 { 400 } else { 2 + dice.below(60) };
        let tree = dice.mixed(size);
        let coverage = dice.coverage(tree.len());
        for strategy in dividing {
            let mut suspects = Suspects::new(shared(&tree), Node(0), dice.below(2) == 0);
            let mut learned = Learned::default();
            for _ in 0..6 {
                let at = dice.below(size);
                let node = Node(at as u32);
                match dice.below(4) {
                    0 if suspects.holds(node) => suspects.defer(node),
                    1 if suspects.holds(node) && suspects.cleared_until(node).is_none() => {
                        learned.note(&suspects, node, Judgement::Wrong, Some(&coverage));
                        suspects.enter(node);
                    }
                    _ if node != suspects.root() => {
                        learned.note(&suspects, node, Judgement::Correct, Some(&coverage));
                        suspects.clear(node);
                    }
                    _ => {}
                }
                let choice = strategy.next(&mut suspects, &learned, Some(&coverage));
                let expected = naive(strategy, &suspects);
                if strategy == Strategy::DqOptimal {
                    // Equals are told apart by looking ahead.
                    let known = if suspects.root_wrong() { suspects.own(suspects.root()) } else { 0.0 };
                    let badness = |node: Node| {
                        let weight = suspects.weight(node);
                        (suspects.total() - known - weight - (weight - suspects.own(node))).abs()
                    };
                    assert_eq!(choice.map(|it| badness(it.node)), expected.map(badness));
                } else {
                    assert_eq!(choice.map(|it| it.node), expected, "{strategy} in round {round}");
                }
                compared += usize::from(expected.is_some());
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}
