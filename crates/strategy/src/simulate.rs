//! Plays the dialogue with every suspect as the bug at once. All bugs share the questions up to the first one that
//! they answer differently, so there is one state for each group of bugs still alike: a question divides it in two,
//! and each node is asked about at most once in all.

use std::sync::Arc;

use tree::{Conclusion, Fragment, Node, Suspects, Suspicion, Tree};

use crate::learned::{Coverage, Judgement};
use crate::strategy::Strategy;

/// How many questions a strategy asks on a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuestionCounts {
    /// Nodes that can be asked about.
    pub nodes: u32,
    /// Places that the bug was put in.
    pub bugs: u64,
    /// Questions until it is found.
    pub mean: f64,
    pub max: u32,
    /// log2 of the nodes that may be buggy: what perfect halving would take.
    pub log2: f64,
    /// Bugs that the answers do not tell apart from others; not in `mean` and `max`.
    pub unfound: u64,
}

/// `root_wrong`: the root is the symptom and costs no question. `bugs` says in how many places the bug can be if it is
/// in this node: found is found when the node is.
pub fn simulate(
    tree: &Arc<dyn Tree>,
    root: Node,
    root_wrong: bool,
    strategy: Strategy,
    coverage: Option<&Coverage>,
    bugs: &dyn Fn(Node) -> u32,
) -> QuestionCounts {
    simulate_within(u64::MAX, tree, root, root_wrong, strategy, coverage, bugs).unwrap_or_default()
}

/// As `simulate`, or none once it took more than so many steps: nodes looked at for the choices, about. A million
/// steps take some 0.1 to 0.3 s. Only strategies that pass over all that is left for each question take many, on flat
/// trees.
pub fn simulate_within(
    mut steps: u64,
    tree: &Arc<dyn Tree>,
    root: Node,
    root_wrong: bool,
    strategy: Strategy,
    coverage: Option<&Coverage>,
    bugs: &dyn Fn(Node) -> u32,
) -> Option<QuestionCounts> {
    let coverage = coverage.filter(|_| strategy.covered().is_some());
    let suspects = Suspects::new(Arc::clone(tree), root, root_wrong);
    let asked_about =
        (root.0..tree.end(root).0).filter(|&node| tree.suspicion(Node(node)) != Suspicion::Through);
    let mut outcome = QuestionCounts {
        nodes: asked_about.count() as u32,
        log2: f64::from(suspects.len().max(1)).log2(),
        ..QuestionCounts::default()
    };
    let mut questions = 0u64;
    let begun = strategy.begin(&suspects);
    let mut states = vec![(suspects, begun, 0u32)];
    while let Some((mut state, mut learned, asked)) = states.pop() {
        while state.infer().is_some() {}
        let choice = match state.conclusion() {
            Some(Conclusion::Buggy(node)) => {
                let bugs = u64::from(bugs(node));
                outcome.bugs += bugs;
                outcome.max = outcome.max.max(asked);
                questions += bugs * u64::from(asked);
                continue;
            }
            Some(_) => continue,
            None => {
                let looked_at = if strategy.passes() { u64::from(state.len()) } else { 1 };
                steps = steps.checked_sub(looked_at)?;
                strategy.next(&mut state, &learned, coverage)
            }
        };
        let Some(choice) = choice else {
            let left = state.remaining().filter(|&node| tree.suspicion(node) == Suspicion::Suspect);
            outcome.unfound += left.map(|node| u64::from(bugs(node))).sum::<u64>();
            continue;
        };
        let mut told = learned.clone();
        if strategy.learns() {
            told.note(&state, choice.node, Judgement::Wrong, coverage);
            learned.note(&state, choice.node, Judgement::Correct, coverage);
        }
        let wrong = (state.divide(choice.node), told, asked + 1);
        let correct = (state, learned, asked + 1);
        // The smaller one goes first, so that few states wait at any time.
        match wrong.0.len() < correct.0.len() {
            true => states.extend([correct, wrong]),
            false => states.extend([wrong, correct]),
        }
    }
    if outcome.bugs > 0 {
        outcome.mean = questions as f64 / outcome.bugs as f64;
    }
    Some(outcome)
}

/// How many calls of the plain tree a node stands for, each of which may be what is wrong.
pub fn bugs_in(fragment: Fragment) -> u32 {
    match fragment {
        Fragment::Collapse { first, last, .. } => last.0 - first.0 + 1,
        Fragment::Compressed { levels, .. } => levels,
        Fragment::Projection { .. } | Fragment::Thread(_) => 0,
        Fragment::Call(_)
        | Fragment::Loop { .. }
        | Fragment::Iterations { .. }
        | Fragment::Statement { .. } => 1,
    }
}
