//! All ordered trees with 7 nodes, one bug, root known to be wrong: the known means.

use super::*;

#[test]
fn means_over_all_trees_with_seven_nodes() {
    let trees: Vec<MemoryTree> = all_trees(7).iter().map(|depths| plain(depths)).collect();
    assert_eq!(trees.len(), 132);
    let expected = [
        (Strategy::Optimal, 2.968),
        (Strategy::DqNearest, 2.974),
        (Strategy::DqHirunkitti, 2.974),
        (Strategy::DqShapiro, 3.071),
        (Strategy::HeaviestFirst, 3.162),
        (Strategy::TopDown, 3.433),
    ];
    for (strategy, expected) in expected {
        let mean: f64 = trees.iter().map(|tree| mean(tree, strategy)).sum::<f64>() / trees.len() as f64;
        println!("{strategy} {mean:.4}");
        assert!((mean - expected).abs() < 0.0005, "{strategy}: {mean}, not {expected}");
    }
    let mean = |strategy| trees.iter().map(|tree| mean(tree, strategy)).sum::<f64>() / trees.len() as f64;
    println!("dq-optimal {:.4}", mean(Strategy::DqOptimal));
    assert!(mean(Strategy::DqOptimal) <= mean(Strategy::DqNearest));
}

#[test]
fn names_are_read_back_and_unknown_ones_get_the_list() {
    for strategy in Strategy::ALL {
        assert_eq!(strategy.to_string().parse(), Ok(strategy));
    }
    let error = "dq".parse::<Strategy>().unwrap_err().to_string();
    assert!(Strategy::ALL.iter().all(|strategy| error.contains(strategy.name())), "{error}");
}

#[test]
fn what_strategies_need_follows_from_their_definitions() {
    use Strategy::*;
    let those =
        |holds: fn(Strategy) -> bool| Strategy::ALL.into_iter().filter(|&it| holds(it)).collect::<Vec<_>>();
    assert_eq!(
        those(Strategy::divides),
        [
            DqShapiro,
            DqHirunkitti,
            DqNearest,
            DqOptimal,
            DivideByYes,
            DynamicWeight,
            CoverageEdge,
            CoverageDefuse,
            Optimal,
            Belief
        ]
    );
    let weighing = [LessYes, DivideByYes, DynamicWeight, CoverageEdge, CoverageDefuse];
    let passing = [[MoreRules, DivideByRules].as_slice(), &weighing].concat();
    assert_eq!(those(Strategy::passes), passing);
    assert_eq!(those(Strategy::looks_at_all), [passing.as_slice(), &[Optimal]].concat());
    assert_eq!(
        those(Strategy::learns),
        [LessYes, DivideByYes, DynamicWeight, HatDelta, CoverageEdge, CoverageDefuse, Belief]
    );
    assert_eq!(CoverageEdge.covered(), Some(crate::Covered::Edges));
    assert_eq!(CoverageDefuse.covered(), Some(crate::Covered::DefUse));
    assert_eq!(those(|it| it.covered().is_some()).len(), 2);
    assert_eq!(those(|it| it.simulation_limit().is_some()), [Optimal, Belief]);
    assert_eq!(those(Strategy::believes), [Belief]);
}

#[test]
fn every_strategy_is_told_in_one_line() {
    for strategy in Strategy::ALL {
        let summary = strategy.summary();
        assert!(summary.ends_with('.') && !summary.contains('\n'), "{strategy}: {summary}");
    }
}
