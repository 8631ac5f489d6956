//! The likeliest places by name, now and after either answer.

use std::collections::HashMap;

use base::CallId;
use past::{MethodGroup, Past};
use strategy::{Belief, Judgement};
use tree::{CodeGroup, Node};

/// Code that may be what is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct LikelyPlace {
    /// `MergeSort.merge`
    pub method: String,
    pub file: Option<String>,
    /// Its first line.
    pub line: Option<u32>,
    /// A call of it.
    pub call: Option<CallId>,
    pub chance: f64,
    /// What it will be after either answer to what is asked.
    pub if_wrong: Option<f64>,
    pub if_right: Option<f64>,
}

/// Places that are told of.
const TOLD: usize = 5;

/// The likeliest, the likeliest first. `asked`: what is asked now.
pub(crate) fn places(past: &Past, belief: &Belief, asked: Option<(Node, Node)>) -> Vec<LikelyPlace> {
    let after = |judgement| {
        let (from, to) = asked?;
        Some(chances(&belief.after(from, to, judgement)))
    };
    let (wrong, right) = (after(Judgement::Wrong), after(Judgement::Correct));
    let now = belief.chances();
    let groups: Vec<CodeGroup> = now.iter().take(TOLD).map(|one| belief.units[one.unit.0 as usize]).collect();
    let named: HashMap<u32, MethodGroup> = past
        .methods()
        .map(|(group, ..)| (group.number(), group))
        .filter(|(number, _)| groups.contains(&CodeGroup(*number)))
        .collect();
    let place = |(one, group): (&strategy::UnitChance, &CodeGroup)| {
        let method = *named.get(&group.0)?;
        let call = past.ranked(method, 0);
        let id = call.and_then(|call| past.method_of(call));
        let model = id.and_then(|id| past.program().method(id)).map(|(_, model)| model);
        let of = |chances: &Option<HashMap<CodeGroup, f64>>| {
            chances.as_ref().and_then(|all| all.get(group).copied())
        };
        Some(LikelyPlace {
            method: past.group_name(method),
            file: id.and_then(|id| past.source_file(id)).map(str::to_owned),
            line: model.and_then(|model| model.lines().iter().map(|&(_, line)| u32::from(line)).min()),
            call,
            chance: one.chance,
            if_wrong: of(&wrong),
            if_right: of(&right),
        })
    };
    now.iter().zip(&groups).filter_map(place).collect()
}

fn chances(belief: &Belief) -> HashMap<CodeGroup, f64> {
    belief.chances().into_iter().map(|one| (belief.units[one.unit.0 as usize], one.chance)).collect()
}
