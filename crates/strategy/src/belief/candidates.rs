//! The few nodes that are worth a look: calls of the likeliest units, spread over all of them, and what lies around those
//! calls. Whatever parts the belief well is around some of it.

use std::collections::BTreeSet;

use tree::{Node, Suspects};

use super::model::Belief;

/// Units whose calls are looked at.
const UNITS: usize = 16;
/// Kinds of calls of one unit.
const CLASSES: usize = 4;
/// Calls of a kind among which the smallest is looked for.
const COMPARED: usize = 24;
/// Nodes around a call that are all looked at; farther out every second, fourth, … is.
const NEAR: usize = 12;
/// Nodes in all.
const MAX: usize = 160;
/// Nodes around a call that are walked past to find those.
const MAX_DEPTH: usize = 20_000;

pub fn candidates(suspects: &Suspects, belief: &Belief) -> Vec<Node> {
    let mut found = BTreeSet::new();
    let posterior = belief.posterior();
    for unit in belief.chances().into_iter().take(UNITS) {
        let of_unit = belief.hypotheses.iter().zip(&posterior).filter(|(one, _)| one.unit == unit.unit);
        let mut kinds: Vec<(f64, u32)> = Vec::new();
        for (one, chance) in of_unit {
            for &class in &one.classes {
                match kinds.iter_mut().find(|(_, known)| *known == class) {
                    Some((sum, _)) => *sum += chance,
                    None => kinds.push((*chance, class)),
                }
            }
        }
        kinds.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        for (_, class) in kinds.into_iter().take(CLASSES) {
            for call in spread(suspects, &belief.classes[class as usize].calls) {
                around(suspects, call, &mut found);
                if found.len() >= MAX {
                    return found.into_iter().collect();
                }
            }
        }
    }
    found.into_iter().collect()
}

/// The first call, the last, those at the quarters between, and the smallest of some.
fn spread(suspects: &Suspects, calls: &[Node]) -> Vec<Node> {
    let Some(last) = calls.len().checked_sub(1) else { return Vec::new() };
    let size = |node: &Node| suspects.tree().end(*node).0 - node.0;
    let step = calls.len().div_ceil(COMPARED);
    let smallest = calls.iter().step_by(step).copied().min_by_key(size);
    let mut spread: Vec<Node> = (0..=4).map(|quarter| calls[last * quarter / 4]).collect();
    spread.extend(smallest);
    spread.sort();
    spread.dedup();
    spread
}

/// The call, and the nodes around it, that can be asked about.
fn around(suspects: &Suspects, call: Node, found: &mut BTreeSet<Node>) {
    let (mut at, mut number, mut next) = (Some(call), 0, 0);
    while let Some(node) = at.filter(|&node| node >= suspects.root() && number < MAX_DEPTH) {
        if suspects.askable(node) {
            if number == next {
                // Who is known is known with all around it, but for those that were skipped.
                found.insert(node);
                next += 1 + number / NEAR;
            }
            number += 1;
        }
        at = suspects.tree().parent(node);
    }
}
