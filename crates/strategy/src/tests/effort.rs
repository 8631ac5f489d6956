//! Effort: a cheap question that divides nearly as well is preferred, and one that divides badly is not.

use super::*;

#[test]
fn of_questions_that_divide_alike_the_cheap_one_is_asked() {
    // Two children with four nodes each.
    let tree = plain(&[0, 1, 2, 2, 2, 1, 2, 2, 2]);
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    let learned = Learned::default();
    for strategy in Strategy::ALL.into_iter().filter(|strategy| strategy.divides()) {
        let dear = |node: Node| if node == Node(1) { 50.0 } else { 1.0 };
        let choice = strategy.next_by_effort(&mut suspects, &learned, None, &dear).map(|it| it.node);
        assert_eq!(choice, Some(Node(5)), "{strategy}");
        let alike = strategy.next_by_effort(&mut suspects, &learned, None, &|_| 3.0).map(|it| it.node);
        assert_eq!(alike, strategy.next(&mut suspects, &learned, None).map(|it| it.node), "{strategy}");
    }
}

#[test]
fn a_leaf_is_not_asked_instead_of_a_half_however_cheap() {
    let tree = plain(&[0, 1, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    let cheap = |node: Node| if node == Node(1) { 3.0 } else { 1.0 };
    let choice = Strategy::DqNearest.next_by_effort(&mut suspects, &Learned::default(), None, &cheap);
    assert_eq!(choice.map(|it| it.node), Some(Node(1)));
}
