//! Looking through the whole tree for methods, by the index's lists of calls per method: no row is read. It does not
//! need the session, so that a dialogue goes on meanwhile.

use std::sync::Arc;

use past::{MethodGroup, Past};
use tree::{Bits, Fragment, MemoryTree, Node, Tree};

use crate::plain::PlainTree;
use crate::session::Session;
use crate::state::fragment_at;

/// The tree of a session as it was. To be dropped soon: while it is there, nothing new of a running program is taken in.
pub struct Scan {
    plain: Arc<PlainTree>,
    tree: Option<Arc<MemoryTree>>,
}

impl Session {
    /// None before there is a tree.
    pub fn scan(&self) -> Option<Scan> {
        let state = self.state.as_ref()?;
        Some(Scan { plain: Arc::clone(&state.plain), tree: state.tree.clone() })
    }

    /// The node of a call; if it has none, of the next call around it that has one. None for a call that is nowhere in
    /// this tree.
    pub fn tree_around(&self, call: base::CallId) -> Option<Node> {
        let state = self.state.as_ref()?;
        let mut at = Some(call);
        while let Some(id) = at {
            let row = state.plain.row(id)?;
            let found = match &state.tree {
                Some(tree) => tree.locate(Fragment::Call(row)).or_else(|| tree.holder(row)),
                None => Some(Node(row.0)),
            };
            if found.is_some() {
                return found;
            }
            at = state.plain.parent(Node(row.0)).and_then(|parent| state.plain.call(parent));
        }
        None
    }
}

/// Calls that a search found, in a form that can be kept while the tree is the same.
pub enum Hits {
    /// As the index lists them, where its order is that of the tree: nothing has to be looked through.
    Listed(Vec<MethodGroup>),
    Marked(Bits),
}

impl Scan {
    pub fn tree(&self) -> &dyn Tree {
        match &self.tree {
            Some(tree) => &**tree,
            None => &*self.plain,
        }
    }

    /// Nodes of calls whose method has a text in its name, upper and lower case alike; `name#3` is the third call only.
    pub fn calls_of(&self, text: &str) -> Bits {
        let past = self.plain.past();
        let (name, number) = match text.rsplit_once('#') {
            Some((name, number)) => (name, number.parse::<u64>().ok()),
            None => (text, None),
        };
        let mut bits = Bits::new(self.plain.len());
        for group in methods(past, name) {
            let (from, count) = match number {
                Some(number) => (number.saturating_sub(1), 1),
                None => (0, usize::MAX),
            };
            let calls = past.ranked_from(group, from).take(count);
            self.plain.nodes(calls).for_each(|node| bits.set(node.0));
        }
        self.shown(bits, |fragment, bits| match fragment {
            Fragment::Call(row) | Fragment::Compressed { row, .. } => bits.get(row.0),
            Fragment::Collapse { first, last, .. } => bits.next(first.0).is_some_and(|at| at <= last.0),
            Fragment::Thread(_)
            | Fragment::Projection { .. }
            | Fragment::Loop { .. }
            | Fragment::Iterations { .. }
            | Fragment::Statement { .. } => false,
        })
    }

    /// The same for going from one to the next; `among` these only.
    pub fn find(&self, text: &str, among: Option<&Bits>) -> Hits {
        let listed = self.tree.is_none() && self.plain.is_one_stream() && !text.contains('#');
        match among {
            None if listed => Hits::Listed(methods(self.plain.past(), text)),
            None => Hits::Marked(self.calls_of(text)),
            Some(among) => Hits::Marked(self.calls_of(text).and(among)),
        }
    }

    /// How many hits there are before a node; the node may be one past the last.
    pub fn hits_before(&self, hits: &Hits, node: Node) -> u32 {
        match hits {
            Hits::Listed(groups) => {
                let ranks = groups.iter().map(|&group| self.rank(group, node) - self.rank(group, Node(0)));
                ranks.sum::<u64>() as u32
            }
            Hits::Marked(bits) => bits.before(node.0),
        }
    }

    /// The first hit from a node on.
    pub fn hit_from(&self, hits: &Hits, node: Node) -> Option<Node> {
        match hits {
            Hits::Listed(groups) => {
                let past = self.plain.past();
                let next = |&group: &MethodGroup| past.ranked(group, self.rank(group, node));
                groups.iter().filter_map(next).min().and_then(|id| self.plain.node(id))
            }
            Hits::Marked(bits) => bits.next(node.0).map(Node),
        }
    }

    /// The last hit before a node.
    pub fn hit_before(&self, hits: &Hits, node: Node) -> Option<Node> {
        match hits {
            Hits::Listed(groups) => {
                let past = self.plain.past();
                let last = |&group: &MethodGroup| past.ranked(group, self.rank(group, node).checked_sub(1)?);
                groups.iter().filter_map(last).max().and_then(|id| self.plain.node(id))
            }
            Hits::Marked(bits) => bits.nth(bits.before(node.0).checked_sub(1)?).map(Node),
        }
    }

    /// How many calls of a method there are before a node.
    fn rank(&self, group: MethodGroup, node: Node) -> u64 {
        let past = self.plain.past();
        self.plain.row_at(node).and_then(|id| past.rank(group, id)).unwrap_or(0)
    }

    /// Nodes that are no calls into libraries.
    pub fn program(&self) -> Bits {
        self.shown(self.plain.program_calls(), |fragment, bits| match fragment {
            Fragment::Call(row) => bits.get(row.0),
            Fragment::Thread(_)
            | Fragment::Projection { .. }
            | Fragment::Collapse { .. }
            | Fragment::Compressed { .. }
            | Fragment::Loop { .. }
            | Fragment::Iterations { .. }
            | Fragment::Statement { .. } => true,
        })
    }

    /// From rows of the plain tree to nodes of the one that is looked at.
    fn shown(&self, mut rows: Bits, holds: impl Fn(Fragment, &Bits) -> bool) -> Bits {
        let Some(tree) = &self.tree else {
            rows.count();
            return rows;
        };
        let mut nodes = Bits::new(tree.len());
        for node in (0..tree.len()).map(Node) {
            if holds(fragment_at(&self.plain, Some(tree), node), &rows) {
                nodes.set(node.0);
            }
        }
        nodes.count();
        nodes
    }
}

/// Methods that have a text in their name, with the package or as it is shown.
fn methods(past: &Past, text: &str) -> Vec<MethodGroup> {
    let text = text.to_lowercase();
    let has = |group: MethodGroup, owner: &str, name: &str| {
        let full = format!("{}.{name}", owner.replace(['/', '$'], "."));
        full.to_lowercase().contains(&text) || {
            let target = past.ranked(group, 0).and_then(|id| past.call_row(id)).map(|call| call.target);
            target.is_some_and(|target| past.method_name(target).to_lowercase().contains(&text))
        }
    };
    past.methods()
        .filter(|&(group, owner, name, ..)| has(group, owner, name))
        .map(|(group, ..)| group)
        .collect()
}
