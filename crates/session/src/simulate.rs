//! Plays the dialogue with every suspect as the bug in turn, on the tree that a person would be asked about.

use std::sync::Arc;

use past::Past;
use strategy::Strategy;
use tree::transform::folded;
use tree::{Fragment, Node, Transform, Tree};

use crate::entry::{SymptomReason, symptom};
use crate::error::{Error, Result};
use crate::grow;
use crate::oracle::Trust;
use crate::plain::Root;
use crate::state::{Plan, SearchState};

#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    pub strategy: Strategy,
    /// Nodes of the tree that can be the bug.
    pub nodes: u32,
    /// Questions until it is found, on average and at most. None if playing all dialogues would take too long.
    pub mean: Option<f64>,
    pub max: Option<u32>,
    /// Bugs that the dialogue does not find.
    pub unfound: u64,
    /// Of the number of nodes: what halving with every question would need.
    pub log2: f64,
}

/// Nodes that are looked at for one strategy before it is given up: some seconds.
const STEPS: u64 = 30_000_000;

pub fn simulate(
    past: Past,
    root: Option<&str>,
    ask_root: bool,
    strategies: &[Strategy],
    transforms: &[Transform],
) -> Result<Vec<Simulated>> {
    let symptom = symptom(&past, root)?.ok_or(Error::Nothing)?;
    let whole = symptom.why == SymptomReason::WholeRun;
    let (root, root_wrong) = match whole {
        true => (Root::WholeRun, false),
        false => (Root::Call(symptom.call), !ask_root),
    };
    let past = Arc::new(past);
    let mut table = Vec::new();
    for &strategy in strategies {
        let plan = Plan {
            root,
            root_wrong,
            strategy,
            transforms: transforms.to_vec(),
            trust: Trust::default(),
            reasons: Arc::default(),
        };
        let state = SearchState::build(&past, &plan, &[], &[])?;
        let bugs = |node| bugs(&state, node);
        let (tree, root) = (state.suspects.tree(), state.suspects.root());
        let suspects = state.suspects.len();
        let small = strategy.simulation_limit().is_none_or(|limit| suspects <= limit);
        let coverage = state.coverage.as_deref();
        let play = || strategy::simulate_within(STEPS, tree, root, root_wrong, strategy, coverage, &bugs);
        let played = small.then(play).flatten();
        table.push(Simulated {
            strategy,
            nodes: played.map_or(suspects, |played| played.nodes),
            mean: played.map(|played| played.mean),
            max: played.map(|played| played.max),
            unfound: played.map_or(0, |played| played.unfound),
            log2: f64::from(suspects.max(1)).log2(),
        });
    }
    Ok(table)
}

/// In how many calls the bug can be if it is in this node.
fn bugs(state: &SearchState, node: Node) -> u32 {
    match state.fragment(node) {
        Fragment::Collapse { first, last, .. } => {
            grow::suspects_between(&state.plain, Node(first.0), state.plain.end(Node(last.0)))
        }
        Fragment::Compressed { levels, .. } => match (&state.unfolded, &state.tree) {
            (Some(unfolded), Some(tree)) => 1 + folded(unfolded, tree, node).len() as u32,
            _ => levels,
        },
        Fragment::Call(_)
        | Fragment::Thread(_)
        | Fragment::Projection { .. }
        | Fragment::Loop { .. }
        | Fragment::Iterations { .. }
        | Fragment::Statement { .. } => 1,
    }
}
