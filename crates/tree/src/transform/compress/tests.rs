//! What is folded and what is not, by hand; and that folding never costs, against the best strategy there is.

use testkit::Chance;

use super::*;
use crate::transform::testing::{check, random, sketch, tree};

#[test]
fn recursion_is_folded_where_that_saves_questions() {
    for (before, after, why) in [
        ("f(f(f))", "f^3", "nothing but recursion"),
        ("f(f(f(g)))", "f^3(g)", "what it ends in stays"),
        ("f(g f(g))", "f^2(g g)", "1.75 questions instead of 2"),
        ("f(g f(g f(g f(g))))", "f(g f^3(g g g))", "four levels: 3.25 instead of 3, three save some"),
        ("f(g(f))", "f(g(f))", "another method lies between"),
        ("f(f f f)", "f^2", "side by side"),
        ("f(g f -h)", "f^2(g h)", "the one before is gone, and so is the link to it"),
        ("f(g -h f)", "f^2(g -h)", "other links stay"),
        ("f(f(g -h))", "f^2(g -h)", "those of what was nested too"),
        ("x(f(f) -f)", "x(f^2 -f)", "that of the next sibling too"),
        ("f(!f(g))", "f(!f(g))", "a trusted call is not folded"),
        ("f(f(a b c d e))", "f(f(a b c d e))", "breadth costs more than it saves"),
        ("f(!x(a b c d e) f)", "f(!x(a b c d e) f)", "also when it lies in a trusted call"),
        ("f(f(f(g(a b c d e f g h i j k l))))", "f(f(f(g(a b c d e f g h i j k l))))", "mostly below"),
        ("s(s(s s m) s(s s m) m)", "s^3(m m m)", "divide and conquer"),
    ] {
        let (plain, links) = tree(before);
        let (compressed, links) = compress(&plain, &links);
        assert_eq!(sketch(&compressed, &links), after, "{why}");
        check(&plain, &compressed, Some(&links)).unwrap();
    }
}

#[test]
fn the_calls_that_were_folded_are_known() {
    let (plain, links) = tree("x(f(f(g) f(f(g))) f)");
    let (compressed, _) = compress(&plain, &links);
    assert_eq!(sketch(&compressed, &Links::default()), "x(f^3(g g) f)");
    assert_eq!(folded(&plain, &compressed, Node(1)), [PlainRow(2), PlainRow(4), PlainRow(5)]);
    assert_eq!(folded(&plain, &compressed, Node(0)), []);
}

/// On trees small enough to know the best strategy, folding never makes it worse. A folded node is as likely to be
/// at fault as the calls that it stands for together.
#[test]
fn no_strategy_does_better_without_folding() {
    let mut dice = Chance::seeded(99);
    let mut folds = 0;
    for _ in 0..400 {
        let (plain, links) = random(&mut dice, 11, 2);
        if (0..plain.len()).any(|node| plain.suspicion(Node(node)) != Suspicion::Suspect) {
            continue;
        }
        let (compressed, links_after) = compress(&plain, &links);
        let all = (1u32 << plain.len()) - 1;
        let before = fewest(&plain, all, &vec![1; plain.len() as usize], &mut HashMap::new());
        let mut weights = vec![1; compressed.len() as usize];
        for node in (0..compressed.len()).map(Node) {
            weights[node.0 as usize] += folded(&plain, &compressed, node).len() as u32;
        }
        folds += weights.iter().filter(|&&weight| weight > 1).count();
        let after = fewest(&compressed, (1 << compressed.len()) - 1, &weights, &mut HashMap::new());
        let text = (sketch(&plain, &links), sketch(&compressed, &links_after));
        assert!(after <= before + 1e-9, "{after} > {before}: {text:?}");
    }
    assert!(folds > 100, "only {folds} folds");
}

/// The questions expected of the best strategy: all questions are tried in all states. Nodes are bits, and as likely
/// to be at fault as they weigh.
fn fewest(tree: &MemoryTree, suspects: u32, weights: &[u32], known: &mut HashMap<u32, f64>) -> f64 {
    if suspects & (suspects - 1) == 0 {
        return 0.0;
    }
    if let Some(&cost) = known.get(&suspects) {
        return cost;
    }
    let sum = |part: u32| (0..32).filter(|bit| part >> bit & 1 == 1).map(|bit| weights[bit]).sum::<u32>();
    let share = |part: u32| f64::from(sum(part)) / f64::from(sum(suspects));
    let mut best = f64::MAX;
    for node in (0..tree.len()).map(Node) {
        let below = (node.0..tree.end(node).0).fold(0, |bits, node| bits | 1 << node);
        let (inside, outside) = (suspects & below, suspects & !below);
        if inside != 0 && outside != 0 {
            let cost = 1.0
                + share(inside) * fewest(tree, inside, weights, known)
                + share(outside) * fewest(tree, outside, weights, known);
            best = best.min(cost);
        }
    }
    known.insert(suspects, best);
    best
}
