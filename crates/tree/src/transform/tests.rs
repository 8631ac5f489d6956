//! All transformations together, on random trees with random links and loops.

use testkit::Chance;

use super::testing::{check, random, sketch, tree};
use super::*;
use crate::fragment::{Fragment, PlainRow};
use crate::loops::{IterationStart, LoopRun};
use crate::tree::{CodeGroup, Node, Suspicion, Tree};

/// Loops in some calls: runs of the calls that they made, and more runs in those.
fn random_loops(dice: &mut Chance, tree: &MemoryTree) -> LoopRuns {
    let mut loops = LoopRuns::default();
    for call in (0..tree.len()).map(Node).filter(|_| dice.below_u64(3) == 0).collect::<Vec<_>>() {
        let children: Vec<PlainRow> = tree.children(call).map(|child| tree.fragment(child).row()).collect();
        let end = tree.end(call);
        let after = if end.0 < tree.len() { tree.fragment(end).row() } else { PlainRow(end.0) };
        let ends: Vec<PlainRow> = children.iter().copied().chain([after]).collect();
        let mut at = 0;
        let mut number = 0;
        while at < ends.len() && dice.below_u64(5) > 0 {
            let from = at + dice.below_u64((ends.len() - at) as u64) as usize;
            let to = from + dice.below_u64((ends.len() - from) as u64) as usize;
            number = random_run(dice, &mut loops, tree.fragment(call).row(), &ends[from..=to], None, number);
            at = to;
            if from == to && dice.below_u64(2) == 0 {
                at += 1;
            }
        }
    }
    loops
}

/// One run over the calls between the first and the last of these rows; gives the number for the next.
fn random_run(
    dice: &mut Chance,
    loops: &mut LoopRuns,
    call: PlainRow,
    rows: &[PlainRow],
    within: Option<(u32, u32)>,
    number: u32,
) -> u32 {
    let iterations = 1 + dice.below_u64(6) as u32;
    let calls = rows.len() - 1;
    let mut starts: Vec<IterationStart> = Vec::new();
    let mut iteration = 0;
    let mut spans: Vec<(u32, usize)> = Vec::new();
    for (at, &row) in rows[..calls].iter().enumerate() {
        iteration = (iteration + dice.below_u64(2) as u32).min(iterations);
        if starts.last().is_none_or(|start| start.iteration < iteration) {
            starts.push(IterationStart { iteration, first: row });
            spans.push((iteration, at));
        }
    }
    let run = LoopRun { group: CodeGroup(50), within, iterations, first: rows[0], end: rows[calls] };
    loops.push(call, run, starts);
    let mut next = number + 1;
    for (at, &(iteration, from)) in spans.iter().enumerate() {
        let to = spans.get(at + 1).map_or(calls, |(_, to)| *to);
        if iteration < iterations && dice.below_u64(2) == 0 {
            let begin = from + dice.below_u64((to - from + 1) as u64) as usize;
            next = random_run(dice, loops, call, &rows[begin..=to], Some((number, iteration)), next);
        }
    }
    next
}

fn combinations() -> impl Iterator<Item = Vec<Transform>> {
    (0..1 << Transform::ALL.len()).map(|bits: u32| {
        Transform::ALL
            .into_iter()
            .enumerate()
            .filter(|(at, _)| bits >> at & 1 == 1)
            .map(|(_, it)| it)
            .collect()
    })
}

#[test]
fn every_combination_keeps_every_call_and_the_order_of_nodes() {
    let mut dice = Chance::seeded(4242);
    let mut kinds = [0; 5];
    for round in 0..500 {
        let methods = 1 + dice.below_u64(4);
        let (plain, links) = random(&mut dice, 40, methods);
        let loops = random_loops(&mut dice, &plain);
        let facts = TreeFacts { links, loops };
        for which in combinations() {
            let made = transform(&plain, &facts, &which);
            if let Err(what) = check(&plain, &made, None) {
                panic!("round {round} {which:?}: {what}\n{}", sketch(&plain, &facts.links));
            }
            for node in (0..made.len()).map(Node) {
                match made.fragment(node) {
                    Fragment::Projection { .. } => kinds[0] += 1,
                    Fragment::Collapse { .. } => kinds[1] += 1,
                    Fragment::Compressed { .. } => kinds[2] += 1,
                    Fragment::Loop { .. } => kinds[3] += 1,
                    Fragment::Iterations { .. } => kinds[4] += 1,
                    _ => {}
                }
            }
        }
        let (made, links) = expand_loops(&plain, &facts.links, &facts.loops);
        check(&plain, &made, Some(&links)).unwrap();
        let (made, links) = compress(&made, &links);
        check(&plain, &made, Some(&links)).unwrap();
        let (made, links) = collapse(&made, &links);
        check(&plain, &made, Some(&links)).unwrap();
        let (made, links) = project(&made, &links);
        check(&plain, &made, Some(&links)).unwrap();
    }
    assert!(kinds.iter().all(|&count| count > 500), "{kinds:?}");
}

/// A call may be asked about in every tree, alone or together, exactly if it may in the plain one.
#[test]
fn trusted_calls_stay_trusted_and_suspects_suspected() {
    let mut dice = Chance::seeded(5);
    for _ in 0..200 {
        let (plain, links) = random(&mut dice, 40, 2);
        let facts = TreeFacts { links, loops: random_loops(&mut dice, &plain) };
        for which in combinations() {
            let made = transform(&plain, &facts, &which);
            for call in (0..plain.len()).map(Node) {
                if let Some(node) = made.holder(plain.fragment(call).row()) {
                    assert_eq!(made.suspicion(node), plain.suspicion(call));
                    assert_eq!(made.group(node), plain.group(call));
                }
            }
        }
    }
}

/// The rows of calls that a node of a transformed tree answers for.
fn rows(plain: &MemoryTree, loops: &LoopRuns, fragment: Fragment) -> std::ops::Range<PlainRow> {
    let after = |row: PlainRow| PlainRow(plain.end(plain.locate(Fragment::Call(row)).unwrap()).0);
    let run = |call: PlainRow, run: u32| loops.of(call).nth(run as usize).unwrap();
    match fragment {
        Fragment::Loop { call, run: number } => {
            let (run, _) = run(call, number);
            run.first..run.end
        }
        Fragment::Iterations { call, run: number, from, to } => {
            let (run, starts) = run(call, number);
            let begin = |iteration| starts.iter().find(|start| start.iteration >= iteration);
            let begin = |iteration| begin(iteration).map_or(run.end, |start| start.first);
            begin(from)..begin(to)
        }
        other => other.row()..after(other.last()),
    }
}

#[test]
fn following_what_is_wrong_leads_to_the_planted_fault() {
    let mut dice = Chance::seeded(31);
    for round in 0..200 {
        let methods = 1 + dice.below_u64(4);
        let (plain, links) = random(&mut dice, 40, methods);
        let facts = TreeFacts { links, loops: random_loops(&mut dice, &plain) };
        for which in combinations() {
            let made = transform(&plain, &facts, &which);
            for fault in (0..plain.len()).map(PlainRow) {
                let wrong = |&node: &Node| rows(&plain, &facts.loops, made.fragment(node)).contains(&fault);
                let mut at = Node(0);
                while let Some(child) = made.children(at).find(wrong) {
                    assert_eq!(made.children(at).filter(wrong).count(), 1, "round {round} {which:?}");
                    at = child;
                }
                let blamed = made.holder(fault) == Some(at) || folded(&plain, &made, at).contains(&fault);
                assert!(blamed, "round {round} {which:?}: {fault:?} leads to {:?}", made.fragment(at));
            }
        }
    }
}

#[test]
fn nothing_asked_for_is_the_plain_tree() {
    let (plain, links) = tree("f(a -a b(c -d))");
    assert_eq!(transform(&plain, &TreeFacts { links, ..TreeFacts::default() }, &[]), plain);
}

#[test]
fn transformations_combine_in_one_order_however_they_are_named() {
    // g; for 3 { a; a; b } c; d; e
    let (plain, links) = tree("f(g a -a -b a -a -b a -a -b c -d -e)");
    let mut loops = LoopRuns::default();
    let start = |iteration| IterationStart { iteration, first: PlainRow(2 + 3 * iteration) };
    let run =
        LoopRun { group: CodeGroup(50), within: None, iterations: 3, first: PlainRow(2), end: PlainRow(11) };
    loops.push(PlainRow(0), run, (0..3).map(start));
    let facts = TreeFacts { links, loops };
    let made =
        |names| sketch(&transform(&plain, &facts, &Transform::list(names).unwrap()), &Links::default());
    assert_eq!(made("loops"), "f(g {<0..2 <0 a a b> <1 a a b>> <2 a a b>} c d e)");
    assert_eq!(made("loops,project"), "f(g {<0..2 <0 [a a b]> <1 [a a b]>> <2 [a a b]>} [c d e])");
    assert_eq!(made("loops,balance"), "f(g {<0..2 <0 a*2 b> <1 a*2 b>> <2 a*2 b>} [[c d] e])");
    assert_eq!(made("balance,loops"), made("loops,balance"));
    assert_eq!(made("project,balance"), "f(g [a*2 b] [a*2 b] [a*2 b] [[c d] e])");
}

#[test]
fn loops_of_a_folded_call_are_kept() {
    let (plain, links) = tree("f(f(a -a))");
    let mut loops = LoopRuns::default();
    let start = |iteration| IterationStart { iteration, first: PlainRow(2 + iteration) };
    let run =
        LoopRun { group: CodeGroup(50), within: None, iterations: 2, first: PlainRow(2), end: PlainRow(4) };
    loops.push(PlainRow(1), run, (0..2).map(start));
    let made = transform(&plain, &TreeFacts { links, loops }, &[Transform::Compress, Transform::Loops]);
    assert_eq!(sketch(&made, &Links::default()), "f^2({<0 a> <1 a>})");
    assert_eq!(made.fragment(Node(1)), Fragment::Loop { call: PlainRow(1), run: 0 });
}

#[test]
fn names_are_read_back() {
    for transform in Transform::ALL {
        assert_eq!(transform.to_string().parse(), Ok(transform));
    }
    assert_eq!(Transform::list("none"), Ok(vec![]));
    assert_eq!(Transform::list("loops, balance"), Ok(vec![Transform::Loops, Transform::Balance]));
    assert_eq!(Transform::list("loop"), Err(UnknownTransform("loop".to_owned())));
    assert_eq!(
        UnknownTransform("loop".to_owned()).to_string(),
        "no transformation is called `loop`: there are none, project, balance, compress, loops"
    );
}

/// The projection over all that f called is what tells f's fault from those of g and h, which cancel out.
#[test]
fn a_projection_may_stand_over_all_calls_of_one() {
    let (plain, links) = tree("f(g -h)");
    let made = transform(&plain, &TreeFacts { links, ..TreeFacts::default() }, &[Transform::Project]);
    assert_eq!(made.fragment(Node(1)), Fragment::Projection { first: PlainRow(1), last: PlainRow(2) });
    assert_eq!((made.suspicion(Node(1)), made.before(Node(2)), made.len()), (Suspicion::Joint, 1, 4));
}
