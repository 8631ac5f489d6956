//! What is asked by belief: code rather than calls, what is likely before what is not, what is quick before what is not.

use super::*;
use crate::{Belief, CallClass, Hypothesis, PERSON, UnitId};

/// A belief over the groups of a tree with these weights.
fn weighed(suspects: &Suspects, weights: &[f64]) -> Belief {
    let tree = suspects.tree();
    let nodes: Vec<Node> = (0..tree.len()).map(Node).collect();
    let of = |group: u32| nodes.iter().copied().filter(|&node| tree.group(node).0 == group).collect();
    let groups = 0..weights.len() as u32;
    let classes = groups.clone().map(|group| CallClass { calls: Arc::new(of(group)), each: 1.0 });
    let hypothesis = |unit: u32| Hypothesis {
        unit: UnitId(unit),
        weight: weights[unit as usize],
        classes: vec![unit],
        right: 0.0,
    };
    Belief::new(groups.clone().map(CodeGroup).collect(), classes.collect(), groups.map(hypothesis).collect())
}

fn chance(belief: &Belief, unit: u32) -> f64 {
    belief.chances().into_iter().find(|one| one.unit == UnitId(unit)).map_or(0.0, |one| one.chance)
}

fn first(tree: &MemoryTree, weights: &[f64], cost: Option<&dyn Fn(Node) -> f64>) -> Node {
    let mut suspects = Suspects::new(shared(tree), Node(0), true);
    let learned = Learned { belief: Some(weighed(&suspects, weights)), ..Learned::default() };
    let choice = match cost {
        Some(cost) => Strategy::Belief.next_by_effort(&mut suspects, &learned, None, cost),
        None => Strategy::Belief.next(&mut suspects, &learned, None),
    };
    choice.expect("something to ask").node
}

#[test]
fn many_calls_of_one_method_are_one_hypothesis() {
    // A hundred calls of method 1, and one call each of 2, 3, 4, 5 with what they call.
    let calls = (0..100).map(|_| (1, 1)).chain([(1, 2), (2, 3), (2, 4), (2, 5)]);
    let tree =
        tree([(0, 0)].into_iter().chain(calls).map(|(depth, group)| (depth, group, Suspicion::Suspect)));
    assert_eq!(first(&tree, &[1.0; 6], None), Node(101));
    let (asked, found) = dialogue(&tree, true, Strategy::Belief, None, Node(103));
    assert_eq!(found, Some(Conclusion::Buggy(Node(103))));
    assert!(asked.len() <= 3, "{asked:?}");
}

#[test]
fn what_is_likely_is_asked_first_and_what_is_not_last() {
    let tree = plain(&[0, 1, 1, 1, 1]);
    assert_eq!(first(&tree, &[1.0, 1.0, 1.0, 3.0, 1.0], None), Node(3));
    let (asked, _) = {
        let mut suspects = Suspects::new(shared(&tree), Node(0), true);
        let mut learned =
            Learned { belief: Some(weighed(&suspects, &[1.0, 0.001, 2.0, 4.0, 3.0])), ..Learned::default() };
        let mut asked = Vec::new();
        while let Some(choice) = Strategy::Belief.next(&mut suspects, &learned, None) {
            learned.note(&suspects, choice.node, Judgement::Correct, None);
            suspects.clear(choice.node);
            asked.push(choice.node);
            if suspects.conclusion().is_some() {
                break;
            }
        }
        (asked, suspects)
    };
    assert_eq!(asked, [3, 4, 2, 1].map(Node));
}

#[test]
fn of_questions_that_teach_alike_the_quick_one_is_asked() {
    let tree = plain(&[0, 1, 1]);
    let cost = |dear: Node| move |node: Node| if node == dear { 30.0 } else { 3.0 };
    assert_eq!(first(&tree, &[1.0; 3], Some(&cost(Node(1)))), Node(2));
    assert_eq!(first(&tree, &[1.0; 3], Some(&cost(Node(2)))), Node(1));
}

#[test]
fn a_right_call_speaks_for_what_it_executed_and_nothing_else() {
    // Unit 0 has two branches: calls 1 to 9 take the first, 10 takes the second.
    let calls =
        |range: std::ops::Range<u32>| CallClass { calls: Arc::new(range.map(Node).collect()), each: 1.0 };
    let hypothesis =
        |unit, class| Hypothesis { unit: UnitId(unit), weight: 1.0, classes: vec![class], right: 0.0 };
    let hypotheses = vec![hypothesis(0, 0), hypothesis(0, 1), hypothesis(1, 2)];
    let classes = vec![calls(1..10), calls(10..11), calls(11..12)];
    let mut belief = Belief::new(vec![CodeGroup(0), CodeGroup(1)], classes, hypotheses);
    let before = chance(&belief, 0);
    belief.observe(Node(1), Node(5), Judgement::Correct, PERSON);
    let between = chance(&belief, 0);
    assert!(before > between && between > 0.5, "{before} {between}: the other branch is as likely as before");
    belief.observe(Node(10), Node(11), Judgement::Correct, PERSON);
    let after = chance(&belief, 0);
    assert!(after < 0.4, "{between} {after}");
}

#[test]
fn nobody_is_believed_without_a_doubt() {
    let tree = plain(&[0, 1, 1, 1]);
    let suspects = Suspects::new(shared(&tree), Node(0), true);
    let mut belief = weighed(&suspects, &[1.0, 1.0, 1.0, 1.0]);
    belief.observe(Node(1), Node(2), Judgement::Correct, PERSON);
    assert!(chance(&belief, 1) > 0.0);
    let unsure = {
        let mut belief = weighed(&suspects, &[1.0; 4]);
        belief.observe(Node(1), Node(2), Judgement::Correct, 0.7);
        chance(&belief, 1)
    };
    assert!(unsure > chance(&belief, 1), "who is less reliable says less");
    belief.observe(Node(1), Node(2), Judgement::Wrong, PERSON);
    let sum: f64 = belief.chances().iter().map(|one| one.chance).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
}

#[test]
fn with_every_call_another_method_it_is_nearly_as_good_as_halving() {
    let trees: Vec<MemoryTree> = all_trees(7).iter().map(|depths| plain(depths)).collect();
    let mean = |strategy| trees.iter().map(|tree| mean(tree, strategy)).sum::<f64>() / trees.len() as f64;
    let (belief, halving) = (mean(Strategy::Belief), mean(Strategy::DqOptimal));
    assert!(belief <= halving * 1.03, "{belief} {halving}");
}

#[test]
fn what_an_answer_cleared_need_not_be_looked_for_again() {
    for (number, depths) in all_trees(6).iter().enumerate() {
        let tree = plain(depths);
        let mut suspects = Suspects::new(shared(&tree), Node(0), true);
        let belief = || Some(weighed(&suspects, &[1.0; 6]));
        let mut quick = Learned { belief: belief(), ..Learned::default() };
        let mut thorough = Learned { belief: belief(), ..Learned::default() };
        for step in 0.. {
            let left: Vec<Node> = suspects.remaining().filter(|&node| node != suspects.root()).collect();
            let Some(&node) = left.get((number + step) % left.len().max(1)) else { break };
            // What is cleared without an answer has to be seen all the same.
            if (number + step).is_multiple_of(3) {
                suspects.clear(node);
                continue;
            }
            let wrong = (number / 3 + step).is_multiple_of(2);
            let judgement = if wrong { Judgement::Wrong } else { Judgement::Correct };
            if let Some(belief) = &mut thorough.belief {
                belief.followed(Node(u32::MAX), 0);
            }
            quick.note(&suspects, node, judgement, None);
            thorough.note(&suspects, node, judgement, None);
            match wrong {
                true => suspects.enter(node),
                false => suspects.clear(node),
            }
            let chances = |learned: &Learned| learned.belief.as_ref().map(Belief::chances);
            assert_eq!(
                chances(&quick),
                chances(&thorough),
                "{depths:?}, answer {step}: {node:?} {judgement:?}"
            );
        }
    }
}
