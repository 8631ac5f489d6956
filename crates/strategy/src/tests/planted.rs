//! With truthful answers every strategy finds the planted bug, wherever it is.

use super::*;

#[test]
fn every_bug_is_found_by_every_strategy() {
    let mut dice = Dice::seeded(1);
    let mut found_bugs = 0;
    for _ in 0..1000 {
        let size = 1 + dice.below(14);
        let tree = dice.mixed(size);
        let coverage = dice.coverage(tree.len());
        for wrong in [true, false] {
            for strategy in Strategy::ALL {
                for bug in (0..tree.len()).map(Node) {
                    if tree.suspicion(bug) != Suspicion::Suspect {
                        continue;
                    }
                    let (asked, found) = dialogue(&tree, wrong, strategy, Some(&coverage), bug);
                    assert_eq!(found, Some(Conclusion::Buggy(bug)), "{strategy} {wrong} {tree:?}");
                    let mut once = asked.clone();
                    once.sort_unstable();
                    once.dedup();
                    assert_eq!(once.len(), asked.len(), "{strategy} asked twice: {asked:?}");
                    found_bugs += 1;
                }
            }
        }
    }
    assert!(found_bugs > 100_000, "{found_bugs}");
}

#[test]
fn nobody_being_sure_leaves_the_bug_among_the_suspects() {
    let mut dice = Dice::seeded(2);
    let (mut found_bugs, mut open) = (0, 0);
    for round in 0..3000 {
        let size = 1 + dice.below(30);
        let tree = dice.mixed(size);
        let bugs: Vec<Node> =
            (0..tree.len()).map(Node).filter(|&node| tree.suspicion(node) == Suspicion::Suspect).collect();
        if bugs.is_empty() {
            continue;
        }
        let bug = bugs[dice.below(bugs.len())];
        let strategy = Strategy::ALL[round % Strategy::ALL.len()];
        let mut suspects = Suspects::new(shared(&tree), Node(0), dice.below(2) == 0);
        let mut learned = Learned::default();
        let answer = |suspects: &mut Suspects, learned: &mut Learned, node: Node| {
            let wrong = holds(&tree, node, bug);
            learned.note(suspects, node, if wrong { Judgement::Wrong } else { Judgement::Correct }, None);
            match wrong {
                true => suspects.enter(node),
                false => suspects.clear(node),
            }
        };
        loop {
            while suspects.infer().is_some() {}
            if suspects.conclusion().is_some() {
                break;
            }
            let put_off = suspects.deferred().count();
            match strategy.next(&mut suspects, &learned, None) {
                Some(choice) if dice.below(4) == 0 => suspects.defer(choice.node),
                Some(choice) => answer(&mut suspects, &mut learned, choice.node),
                // The oldest is asked again, and some people still do not know.
                None if put_off > 0 && dice.below(3) > 0 => {
                    let oldest = suspects.deferred().next().expect("something was put off");
                    answer(&mut suspects, &mut learned, oldest);
                }
                None => {
                    assert!(put_off > 0, "{strategy} has nothing to ask: {tree:?}");
                    break;
                }
            }
        }
        match suspects.conclusion() {
            Some(found) => {
                assert_eq!(found, Conclusion::Buggy(bug), "{strategy}");
                found_bugs += 1;
            }
            None => {
                assert!(suspects.remaining().any(|node| node == bug), "{strategy}");
                open += 1;
            }
        }
    }
    assert!(found_bugs > 1000 && open > 100, "{found_bugs} {open}");
}

#[test]
fn what_is_put_off_is_looked_through_and_comes_last() {
    // 0 ( 1 ( 2 3 ) )
    let tree = plain(&[0, 1, 2, 2]);
    for strategy in Strategy::ALL {
        let mut suspects = Suspects::new(shared(&tree), Node(0), true);
        let learned = Learned::default();
        suspects.defer(Node(1));
        for child in [2, 3] {
            let choice = strategy.next(&mut suspects, &learned, None).map(|it| it.node);
            assert_eq!(choice, Some(Node(child)), "{strategy}");
            suspects.clear(Node(child));
        }
        assert_eq!(strategy.next(&mut suspects, &learned, None), None, "{strategy}");
        assert_eq!(suspects.conclusion(), None);
        assert_eq!(suspects.deferred().collect::<Vec<_>>(), [Node(1)]);
        suspects.clear(Node(1));
        assert_eq!(suspects.conclusion(), Some(Conclusion::Buggy(Node(0))));
    }
}
