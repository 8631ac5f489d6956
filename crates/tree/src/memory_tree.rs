//! A tree in memory, one column per property: what transformations make, and what strategies weigh anew.

use crate::fragment::{Fragment, PlainRow};
use crate::tree::{CodeGroup, Node, Suspicion, Tree};

/// A tree in columns, nodes in pre-order; made by a `TreeBuilder`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryTree {
    end: Vec<u32>,
    parent: Vec<u32>,
    group: Vec<u32>,
    suspicion: Vec<Suspicion>,
    fragment: Vec<Fragment>,
    /// The fragment's row; for a part of a call, that of the call or sibling last begun before it. So rows never
    /// fall from node to node.
    row: Vec<PlainRow>,
    /// Parts of calls in the order of fragments: rows do not tell them apart.
    parts: Vec<(Fragment, Node)>,
    /// Suspects before each node, and all of them at the end.
    before: Vec<u32>,
}

impl MemoryTree {
    pub fn fragment(&self, node: Node) -> Fragment {
        self.fragment[node.0 as usize]
    }

    /// The node that stands for exactly this fragment.
    pub fn locate(&self, fragment: Fragment) -> Option<Node> {
        if fragment.is_part() {
            let at = self.parts.binary_search_by_key(&fragment, |(part, _)| *part).ok()?;
            return Some(self.parts[at].1);
        }
        self.beginning_at(fragment.row()).find(|&node| self.fragment(node) == fragment)
    }

    /// The node that a call is asked about with: its own, that of the calls it was folded with as the outermost, or
    /// of the siblings it was collapsed with. None for a call folded into one further out.
    pub fn holder(&self, row: PlainRow) -> Option<Node> {
        let own = |node: &Node| match self.fragment(*node) {
            Fragment::Call(_) | Fragment::Compressed { .. } | Fragment::Collapse { .. } => true,
            Fragment::Thread(_)
            | Fragment::Projection { .. }
            | Fragment::Loop { .. }
            | Fragment::Iterations { .. }
            | Fragment::Statement { .. } => false,
        };
        let collapsed = |node: &Node| match self.fragment(*node) {
            Fragment::Collapse { first, last, .. } => (first..=last).contains(&row),
            _ => false,
        };
        let before = || self.row.get(self.first_from(row, false).0.checked_sub(1)? as usize).copied();
        let own = self.beginning_at(row).find(own);
        own.or_else(|| self.beginning_at(before()?).find(collapsed))
    }

    /// The whole subtrees that stand for the calls of rows `first..end`, where these are whole subtrees of the plain
    /// tree. A node that stands for more is not among them. Siblings in different iterations of a loop are no run of
    /// subtrees: to be asked for one by one.
    pub fn span(&self, first: PlainRow, end: PlainRow) -> (Node, Node) {
        let beyond = self.first_from(end, false);
        let mut start = self.first_from(first, false);
        while start < beyond && (self.end(start) > beyond || self.fragment(start).last() >= end) {
            start.0 += 1;
        }
        // Parts of calls after the last row belong to a call in the span or to one around it: their parents tell.
        let Some(last) = beyond.0.checked_sub(1).filter(|&last| last >= start.0) else {
            return (start, start);
        };
        let mut stop = self.first_from(self.row[last as usize], true).max(start);
        while stop < beyond && self.parent(stop).is_some_and(|parent| parent >= start) {
            stop = self.end(stop);
        }
        (start, stop)
    }

    /// The first node that begins at the row or after it; with `parts`, after the calls of that row were begun.
    fn first_from(&self, row: PlainRow, parts: bool) -> Node {
        let from = self.row.partition_point(|&other| other < row);
        let same = self.row[from..].partition_point(|&other| other == row);
        let calls = &self.fragment[from..from + same];
        let skipped = if parts { calls.partition_point(|fragment| !fragment.is_part()) } else { 0 };
        Node((from + skipped) as u32)
    }

    /// Nodes of calls or several calls whose first row is this one, outer before inner.
    fn beginning_at(&self, row: PlainRow) -> impl Iterator<Item = Node> + '_ {
        let from = self.first_from(row, false).0;
        let here =
            move |node: &Node| self.row.get(node.0 as usize) == Some(&row) && !self.fragment(*node).is_part();
        (from..).map(Node).take_while(here)
    }

    /// Direct children, as the tree has them.
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let end = self.end(node);
        let mut next = Node(node.0 + 1);
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.end(child);
            Some(child)
        })
    }
}

impl Tree for MemoryTree {
    fn len(&self) -> u32 {
        self.end.len() as u32
    }

    fn end(&self, node: Node) -> Node {
        Node(self.end[node.0 as usize])
    }

    fn parent(&self, node: Node) -> Option<Node> {
        Some(self.parent[node.0 as usize]).filter(|&parent| parent != u32::MAX).map(Node)
    }

    fn suspicion(&self, node: Node) -> Suspicion {
        self.suspicion[node.0 as usize]
    }

    fn group(&self, node: Node) -> CodeGroup {
        CodeGroup(self.group[node.0 as usize])
    }

    fn before(&self, node: Node) -> u32 {
        self.before[node.0 as usize]
    }
}

/// Makes a tree in pre-order: `open` a node, then its children, then `close` it.
#[derive(Debug, Default)]
pub struct TreeBuilder {
    tree: MemoryTree,
    open: Vec<u32>,
}

impl TreeBuilder {
    pub fn open(&mut self, fragment: Fragment, group: CodeGroup, suspicion: Suspicion) -> Node {
        let node = self.tree.end.len() as u32;
        self.tree.parent.push(self.open.last().copied().unwrap_or(u32::MAX));
        self.tree.end.push(node + 1);
        self.tree.group.push(group.0);
        self.tree.suspicion.push(suspicion);
        let row = if fragment.is_part() { self.tree.row.last().copied() } else { None };
        self.tree.row.push(row.unwrap_or(fragment.row()));
        if fragment.is_part() {
            self.tree.parts.push((fragment, Node(node)));
        }
        self.tree.fragment.push(fragment);
        self.open.push(node);
        Node(node)
    }

    pub fn close(&mut self) {
        if let Some(node) = self.open.pop() {
            self.tree.end[node as usize] = self.tree.end.len() as u32;
        }
    }

    /// A node without children.
    pub fn leaf(&mut self, fragment: Fragment, group: CodeGroup, suspicion: Suspicion) -> Node {
        let node = self.open(fragment, group, suspicion);
        self.close();
        node
    }

    pub fn finish(mut self) -> MemoryTree {
        while !self.open.is_empty() {
            self.close();
        }
        self.tree.parts.sort_unstable();
        let mut suspects = 0;
        self.tree.before = vec![0];
        for suspicion in &self.tree.suspicion {
            suspects += u32::from(*suspicion == Suspicion::Suspect);
            self.tree.before.push(suspects);
        }
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f { a(); loop { b() } loop {} } g { }
    fn with_loops() -> MemoryTree {
        let mut builder = TreeBuilder::default();
        let call = |row| Fragment::Call(PlainRow(row));
        let part = |run| Fragment::Loop { call: PlainRow(1), run };
        let round = |at| Fragment::Iterations { call: PlainRow(1), run: 0, from: at, to: at + 1 };
        for row in 0..3 {
            builder.open(call(row), CodeGroup(0), Suspicion::Suspect);
        }
        builder.close();
        builder.open(part(0), CodeGroup(9), Suspicion::Suspect);
        builder.leaf(round(0), CodeGroup(9), Suspicion::Suspect);
        builder.open(round(1), CodeGroup(9), Suspicion::Suspect);
        builder.leaf(call(3), CodeGroup(2), Suspicion::Suspect);
        builder.close();
        builder.close();
        builder.leaf(part(1), CodeGroup(8), Suspicion::Suspect);
        builder.close();
        builder.leaf(call(4), CodeGroup(3), Suspicion::Suspect);
        builder.finish()
    }

    #[test]
    fn every_fragment_is_found_again_though_loops_come_after_calls() {
        let tree = with_loops();
        for node in (0..tree.len()).map(Node) {
            assert_eq!(tree.locate(tree.fragment(node)), Some(node), "{:?}", tree.fragment(node));
        }
        assert_eq!(tree.locate(Fragment::Call(PlainRow(5))), None);
        assert_eq!(tree.locate(Fragment::Loop { call: PlainRow(1), run: 2 }), None);
    }

    #[test]
    fn a_span_takes_the_loops_in_its_calls_and_none_around_them() {
        let tree = with_loops();
        let span = |first, end| tree.span(PlainRow(first), PlainRow(end));
        assert_eq!(span(1, 4), (Node(1), Node(8)), "f with all its loops");
        assert_eq!(span(2, 3), (Node(2), Node(3)), "a without the loop after it");
        assert_eq!(span(3, 4), (Node(6), Node(7)), "b, from within an iteration");
        assert_eq!(span(4, 5), (Node(8), Node(9)));
        assert_eq!(span(5, 9), (Node(9), Node(9)));
    }

    #[test]
    fn a_span_leaves_out_what_stands_for_more() {
        let mut builder = TreeBuilder::default();
        builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), Suspicion::Suspect);
        builder.open(
            Fragment::Projection { first: PlainRow(1), last: PlainRow(4) },
            CodeGroup(1),
            Suspicion::Joint,
        );
        builder.leaf(Fragment::Call(PlainRow(1)), CodeGroup(1), Suspicion::Suspect);
        let collapse = Fragment::Collapse { first: PlainRow(2), last: PlainRow(4), independent: false };
        builder.leaf(collapse, CodeGroup(2), Suspicion::Suspect);
        let tree = builder.finish();
        assert_eq!(tree.span(PlainRow(1), PlainRow(2)), (Node(2), Node(3)), "one of two projected");
        assert_eq!(tree.span(PlainRow(1), PlainRow(5)), (Node(1), Node(4)), "both");
        let (start, stop) = tree.span(PlainRow(2), PlainRow(3));
        assert_eq!(start, stop, "one of three collapsed has no node");
        let mut builder = TreeBuilder::default();
        builder.open(Fragment::Thread(PlainRow(0)), CodeGroup(0), Suspicion::Through);
        builder.leaf(Fragment::Call(PlainRow(0)), CodeGroup(1), Suspicion::Suspect);
        builder.leaf(Fragment::Call(PlainRow(1)), CodeGroup(1), Suspicion::Suspect);
        assert_eq!(
            builder.finish().span(PlainRow(0), PlainRow(1)),
            (Node(1), Node(2)),
            "one call of a thread"
        );
        assert_eq!(tree.holder(PlainRow(3)), Some(Node(3)));
        assert_eq!(tree.holder(PlainRow(1)), Some(Node(2)));
        assert_eq!(tree.holder(PlainRow(5)), None);
    }
}
