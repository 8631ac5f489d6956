//! Loops of hand-written calls: what `{loop <iteration call>}` they become.

use super::*;
use crate::transform::testing::{check, sketch, tree};

fn run(iterations: u32, first: u32, end: u32) -> LoopRun {
    LoopRun { group: CodeGroup(90), within: None, iterations, first: PlainRow(first), end: PlainRow(end) }
}

fn starts(calls: &[(u32, u32)]) -> Vec<IterationStart> {
    calls.iter().map(|&(iteration, first)| IterationStart { iteration, first: PlainRow(first) }).collect()
}

fn expanded(text: &str, loops: &LoopRuns) -> String {
    let (plain, links) = tree(text);
    let (made, links) = expand_loops(&plain, &links, loops);
    check(&plain, &made, Some(&links)).unwrap();
    sketch(&made, &links)
}

#[test]
fn iterations_lie_in_an_interval_tree_below_their_loop() {
    let mut loops = LoopRuns::default();
    loops.push(PlainRow(0), run(4, 1, 5), starts(&[(0, 1), (1, 2), (2, 3), (3, 4)]));
    assert_eq!(expanded("f(a -a -a -a -b)", &loops), "f({<0..2 <0 a> <1 a>> <2..4 <2 a> <3 a>>} b)");
}

#[test]
fn calls_stay_linked_within_an_iteration_only() {
    let mut loops = LoopRuns::default();
    loops.push(PlainRow(0), run(2, 2, 6), starts(&[(0, 2), (1, 4)]));
    assert_eq!(expanded("f(a -b -c -b -c -d)", &loops), "f(a {<0 b -c> <1 b -c>} d)");
}

#[test]
fn a_loop_without_calls_lies_where_it_ran() {
    for (first, after) in [(1, "f({<0> <1>} a b)"), (2, "f(a {<0> <1>} b)"), (3, "f(a b {<0> <1>})")] {
        let mut loops = LoopRuns::default();
        loops.push(PlainRow(0), run(2, first, first), []);
        assert_eq!(expanded("f(a b)", &loops), after);
    }
}

#[test]
fn loops_nest_and_those_that_ran_once_leave_no_trace() {
    // for 2 { a; once { for 2 { b } } }
    let mut loops = LoopRuns::default();
    loops.push(PlainRow(0), run(2, 1, 7), starts(&[(0, 1), (1, 4)]));
    for (at, outer) in [(1, 0), (3, 1)] {
        let row = 2 + 3 * outer;
        let once = LoopRun { within: Some((0, outer)), ..run(1, row, row + 2) };
        loops.push(PlainRow(0), once, starts(&[(0, row)]));
        let inner = LoopRun { within: Some((at, 0)), ..run(2, row, row + 2) };
        loops.push(PlainRow(0), inner, starts(&[(0, row), (1, row + 1)]));
    }
    assert_eq!(expanded("f(a b b a b b c)", &loops), "f({<0 a {<0 b> <1 b>}> <1 a {<0 b> <1 b>}>} c)");
}

#[test]
fn the_last_test_of_the_condition_belongs_to_no_iteration() {
    // while (h()) g(): the third h gives false.
    let mut loops = LoopRuns::default();
    loops.push(PlainRow(0), run(2, 1, 6), starts(&[(0, 1), (1, 3), (2, 5)]));
    assert_eq!(expanded("f(h g h g h x)", &loops), "f({<0 h g> <1 h g> h} x)");
    let nested = LoopRun { within: Some((0, 2)), ..run(2, 6, 6) };
    loops.push(PlainRow(0), nested, []);
    assert_eq!(expanded("f(h g h g h x)", &loops), "f({<0 h g> <1 h g> h {<0> <1>}} x)");
}

#[test]
fn loops_of_calls_in_loops_stay_in_their_calls() {
    let mut loops = LoopRuns::default();
    loops.push(PlainRow(1), run(2, 2, 3), starts(&[(1, 2)]));
    loops.push(PlainRow(0), run(2, 1, 5), starts(&[(0, 1), (1, 3)]));
    loops.push(PlainRow(3), run(3, 4, 5), starts(&[(0, 4)]));
    assert_eq!(expanded("f(g(a) g(a))", &loops), "f({<0 g({<0> <1 a>})> <1 g({<0..2 <0 a> <1>> <2>})>})");
}

#[test]
fn a_trusted_call_has_no_suspected_loops() {
    let mut loops = LoopRuns::default();
    loops.push(PlainRow(1), run(2, 2, 4), starts(&[(0, 2), (1, 3)]));
    assert_eq!(expanded("f(!g(a -a))", &loops), "f(!g(a -a))");
}

#[test]
fn a_loop_of_a_billion_iterations_stays_small_and_its_calls_alone() {
    let mut loops = LoopRuns::default();
    loops.push(PlainRow(0), run(1_000_000_000, 1, 3), starts(&[(5, 1), (999_999_999, 2)]));
    let (plain, links) = tree("f(a b)");
    let (made, _) = expand_loops(&plain, &links, &loops);
    check(&plain, &made, None).unwrap();
    assert!(made.len() < 4 * FINE, "{} nodes", made.len());
    for (row, iteration) in [(1, 5), (2, 999_999_999)] {
        let call = made.locate(Fragment::Call(PlainRow(row))).unwrap();
        let around = made.fragment(made.parent(call).unwrap());
        let alone = Fragment::Iterations { call: PlainRow(0), run: 0, from: iteration, to: iteration + 1 };
        assert_eq!(around, alone);
    }
}

#[test]
fn many_loops_without_calls_do_not_outgrow_the_calls() {
    let (mut text, mut loops) = ("f(".to_owned(), LoopRuns::default());
    for row in 1..=3000 {
        text.push('a');
        loops.push(PlainRow(row), run(200, row + 1, row + 1), []);
    }
    let (plain, links) = tree(&(text + ")"));
    let (made, _) = expand_loops(&plain, &links, &loops);
    check(&plain, &made, None).unwrap();
    assert!(u64::from(made.len()) < 3 * FREE, "{} nodes", made.len());
    assert!(made.len() > 3 * plain.len(), "{} nodes", made.len());
}
