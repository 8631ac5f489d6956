//! Worked examples: the calls of known programs and the questions that must come.

use super::*;

/// castling with right, right, right, left, left in it.
fn castling() -> MemoryTree {
    let suspect = Suspicion::Suspect;
    tree([
        (0, 0, suspect),
        (1, 1, suspect),
        (1, 1, suspect),
        (1, 1, suspect),
        (1, 2, suspect),
        (1, 2, suspect),
    ])
}

fn nodes(numbers: impl IntoIterator<Item = u32>) -> Vec<Node> {
    numbers.into_iter().map(Node).collect()
}

#[test]
fn castling_asks_the_five_moves_in_order_then_castling() {
    let tree = castling();
    let (asked, found) = dialogue(&tree, false, Strategy::DqNearest, None, Node(0));
    assert_eq!(asked, nodes([1, 2, 3, 4, 5, 0]));
    assert_eq!(found, Some(Conclusion::Buggy(Node(0))));
}

#[test]
fn castling_with_projections_takes_three_questions() {
    let suspect = Suspicion::Suspect;
    let tree = tree([
        (0, 0, suspect),
        (1, 1, Suspicion::Joint),
        (2, 1, suspect),
        (2, 1, suspect),
        (2, 1, suspect),
        (1, 2, Suspicion::Joint),
        (2, 2, suspect),
        (2, 2, suspect),
    ]);
    let (asked, found) = dialogue(&tree, false, Strategy::DqNearest, None, Node(0));
    assert_eq!((asked, found), (nodes([1, 5, 0]), Some(Conclusion::Buggy(Node(0)))));
}

/// The 12 calls of merge sort on {3, 1, 2}: sort, in it sort({3,1}) with its two and a merge with two deletes, then
/// sort({2}), then merge with three deletes.
fn merge_sort() -> MemoryTree {
    let (sort, merge, delete) = (0, 1, 2);
    let calls = [
        (0, sort),
        (1, sort),
        (2, sort),
        (2, sort),
        (2, merge),
        (3, delete),
        (3, delete),
        (1, sort),
        (1, merge),
        (2, delete),
        (2, delete),
        (2, delete),
    ];
    tree(calls.map(|(depth, method)| (depth, method, Suspicion::Suspect)))
}

#[test]
fn merge_sort_top_down_takes_seven_questions() {
    let tree = merge_sort();
    assert_eq!(tree.len(), 12);
    let (asked, found) = dialogue(&tree, false, Strategy::TopDown, None, Node(8));
    assert_eq!((asked, found), (nodes([0, 1, 7, 8, 9, 10, 11]), Some(Conclusion::Buggy(Node(8)))));
}

#[test]
fn merge_sort_by_halves_takes_five_questions() {
    let tree = merge_sort();
    let (asked, found) = dialogue(&tree, true, Strategy::DqNearest, None, Node(8));
    assert_eq!((asked.len(), found), (5, Some(Conclusion::Buggy(Node(8)))));
}

#[test]
fn merge_sort_shrunk_takes_five_top_down_and_three_by_halves() {
    // Deletes of one merge are collapsed, and so are the sorts of one element.
    let calls = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 2), (1, 0), (1, 1), (2, 2)];
    let tree = tree(calls.map(|(depth, method)| (depth, method, Suspicion::Suspect)));
    let (asked, found) = dialogue(&tree, false, Strategy::TopDown, None, Node(6));
    assert_eq!((asked.len(), found), (5, Some(Conclusion::Buggy(Node(6)))));
    let (asked, found) = dialogue(&tree, true, Strategy::DqNearest, None, Node(6));
    assert_eq!((asked.len(), found), (3, Some(Conclusion::Buggy(Node(6)))));
}

/// main, sort, distribute, merge, merge, distribute, merge, and two calls that are trusted.
fn bottom_up() -> MemoryTree {
    let calls = [(0, 0), (1, 1), (2, 2), (2, 3), (2, 3), (2, 2), (2, 3), (1, 4), (1, 5)];
    tree(calls.map(|(depth, method)| {
        (depth, method, if method < 4 { Suspicion::Suspect } else { Suspicion::Through })
    }))
}

#[test]
fn bottom_up_sort_top_down_asks_all_seven() {
    let (asked, found) = dialogue(&bottom_up(), false, Strategy::TopDown, None, Node(6));
    assert_eq!((asked, found), (nodes(0..7), Some(Conclusion::Buggy(Node(6)))));
}

#[test]
fn bottom_up_sort_by_edges_is_found_with_one_question() {
    // Own numbers of edges as in the published example: subtrees weigh 46, 45, 7, 8, 8, 7, 10, 0, 0.
    let edges = [1u32, 5, 7, 8, 8, 7, 10, 0, 0];
    let signatures: Vec<Vec<u32>> = edges.iter().map(|&edges| (0..edges).collect()).collect();
    let coverage = Coverage { signature: (0..9).collect(), signatures, entities: 10 };
    let (asked, found) = dialogue(&bottom_up(), true, Strategy::CoverageEdge, Some(&coverage), Node(6));
    assert_eq!((asked, found), (nodes([6]), Some(Conclusion::Buggy(Node(6)))));
}

#[test]
fn covered_entities_count_less_with_every_correct_answer_also_of_pruned_calls() {
    let tree = plain(&[0, 1, 2, 1, 1]);
    let coverage = Coverage {
        signature: vec![0, 1, 1, 1, 2],
        signatures: vec![vec![], vec![0, 1], vec![1, 2]],
        entities: 3,
    };
    let mut suspects = Suspects::new(shared(&tree), Node(0), true);
    let mut learned = Learned::default();
    learned.note(&suspects, Node(2), Judgement::Correct, Some(&coverage));
    suspects.clear(Node(2));
    learned.note(&suspects, Node(1), Judgement::Correct, Some(&coverage));
    suspects.clear(Node(1));
    assert_eq!(learned.correct, [2, 2, 0]);
    Strategy::CoverageEdge.next(&mut suspects, &learned, Some(&coverage));
    assert_eq!((suspects.weight(Node(3)), suspects.weight(Node(4))), (0.5, 1.25));
}

#[test]
fn zooming_asks_recursive_calls_first() {
    let tree = tree(
        [(0, 7), (1, 1), (1, 2), (1, 7), (2, 3)].map(|(depth, method)| (depth, method, Suspicion::Suspect)),
    );
    let (asked, _) = dialogue(&tree, true, Strategy::TopDownZoom, None, Node(0));
    assert_eq!(asked, nodes([3, 1, 2]));
}

#[test]
fn single_stepping_asks_in_post_order() {
    let tree = plain(&[0, 1, 2, 2, 1]);
    let (asked, _) = dialogue(&tree, false, Strategy::SingleStep, None, Node(0));
    assert_eq!(asked, nodes([2, 3, 1, 4, 0]));
}

#[test]
fn methods_rather_than_calls_decide_by_rules() {
    // 1 has four calls of one method in it, 6 two of different ones.
    let calls = [(0, 0), (1, 1), (2, 2), (2, 2), (2, 2), (2, 2), (1, 3), (2, 4), (2, 5)];
    let tree = tree(calls.map(|(depth, method)| (depth, method, Suspicion::Suspect)));
    let first = |strategy| dialogue(&tree, true, strategy, None, Node(0)).0[0];
    assert_eq!(first(Strategy::MoreRules), Node(6));
    assert_eq!(first(Strategy::HeaviestFirst), Node(1));
    assert_eq!(first(Strategy::DivideByRules), Node(6));
}

#[test]
fn answers_about_a_method_tell_about_its_other_calls() {
    // Two calls of method 1, then one of method 2: all leaves.
    let tree =
        tree([(0, 0), (1, 1), (1, 1), (1, 2)].map(|(depth, method)| (depth, method, Suspicion::Suspect)));
    for strategy in [Strategy::LessYes, Strategy::HatDelta] {
        let (asked, _) = dialogue(&tree, true, strategy, None, Node(0));
        assert_eq!(asked, nodes([1, 3, 2]), "{strategy}");
    }
}
