//! The suspected calls of each method in a part of the plain tree, as the index lists them. Of more than there is room for,
//! some stand for all: every n-th one.

use base::CallId;
use tree::{CodeGroup, Node, Suspicion, Tree};

use crate::plain::PlainTree;

pub struct Listed {
    pub group: CodeGroup,
    /// In the order of the tree.
    pub calls: Vec<Node>,
    /// How many calls each of them stands for.
    pub each: f64,
}

/// Calls of one method that are listed at least, if there are as many.
const LEAST: u64 = 64;

pub fn listed(plain: &PlainTree, from: Node, to: Node, room: usize) -> Vec<Listed> {
    let past = plain.past();
    let suspects = u64::from(plain.before(to) - plain.before(from));
    let methods = past.methods().count() as u64;
    // To look for each n-th takes longer than to list all.
    let some = room as u64 / 4;
    let most = if suspects <= room as u64 { u64::MAX } else { (some / methods.max(1)).max(LEAST) };
    let ends = plain.is_one_stream().then(|| plain.row_at(from).zip(plain.row_at(to))).flatten();
    let mut all = Vec::new();
    for (group, .., count) in past.methods() {
        let Some(first) = past.ranked(group, 0) else { continue };
        if !plain.may_suspect(first) {
            continue;
        }
        // Calls of one thread are numbered as they lie in the tree.
        let place = |call: CallId| past.rank(group, call).unwrap_or(count);
        let (start, end) = ends.map_or((0, count), |(first, last)| (place(first), place(last)));
        let calls = end.saturating_sub(start);
        if calls == 0 {
            continue;
        }
        let step = calls.div_ceil(most);
        let suspected =
            |node: &Node| from <= *node && *node < to && plain.suspicion(*node) == Suspicion::Suspect;
        let mut nodes: Vec<Node> = match step {
            1 => plain.nodes(past.ranked_from(group, start).take(calls as usize)).filter(suspected).collect(),
            step => {
                let some = (step / 2..calls).step_by(step as usize);
                plain.nodes(some.filter_map(|at| past.ranked(group, start + at))).filter(suspected).collect()
            }
        };
        if nodes.is_empty() {
            continue;
        }
        nodes.sort_unstable();
        all.push(Listed { group: CodeGroup(group.number()), calls: nodes, each: step as f64 });
    }
    all
}
