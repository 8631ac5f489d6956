//! The rows of a tree that is shown with some nodes expanded. A tree has up to 10^8 nodes and one node up to millions of
//! children, so rows are never listed: only expanded nodes are kept, each with how many rows lie below it, and the row at
//! a rank is found by going down from the root. Where everything below a node is expanded, only what is folded there is
//! kept, because then the row at a rank is a matter of counting.

mod kids;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::{FilteredTree, Node};
use kids::Kids;

/// Nodes whose children were counted for the place of a row, at most.
const MAX_COUNTED: usize = 4096;

/// What is expanded. Nodes belong to what is shown of one tree; a node whose ancestors are not all expanded keeps its
/// state and is not visible.
#[derive(Clone, Debug)]
pub struct Outline {
    root: Node,
    /// Visible expanded nodes, those below a wholly expanded one left out.
    open: HashMap<Node, Open>,
    /// Expanded nodes that are not visible now.
    hidden: BTreeSet<Node>,
    /// Nodes below which everything is expanded, where that is not visible now.
    hidden_wholes: BTreeSet<Node>,
    /// Nodes folded within a wholly expanded one, where they are not visible now.
    hidden_folds: BTreeSet<Node>,
    /// Children of nodes that rows were given for, to know their places.
    counted: HashMap<Node, Kids>,
}

#[derive(Clone, Debug)]
struct Open {
    /// Rows below it.
    rows: u64,
    below: Below,
}

#[derive(Clone, Debug)]
enum Below {
    /// Its children, and those of them that are open, by their place.
    Some { kids: Kids, inner: BTreeMap<u32, Node> },
    /// Everything, but what is in these.
    All { folds: BTreeSet<Node> },
}

/// A row to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineRow {
    pub node: Node,
    /// 0 for the root.
    pub level: u32,
    /// Its place among its siblings, and how many there are.
    pub place: u32,
    pub siblings: u32,
    /// It has children.
    pub expandable: bool,
    pub expanded: bool,
}

/// Where a node is.
enum Spot {
    /// Below an open node that is not wholly expanded, or the root.
    Listed,
    /// Visible below this wholly expanded one.
    Within(Node),
    /// Not visible; this is what is shown in its place.
    Covered(Node),
}

impl Outline {
    /// Only the root is visible.
    pub fn new(root: Node) -> Outline {
        Outline {
            root,
            open: HashMap::new(),
            hidden: BTreeSet::new(),
            hidden_wholes: BTreeSet::new(),
            hidden_folds: BTreeSet::new(),
            counted: HashMap::new(),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> u64 {
        1 + self.open.get(&self.root).map_or(0, |open| open.rows)
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    /// Shows the children of a node, if it has any.
    pub fn expand(&mut self, tree: &FilteredTree, node: Node) {
        if is_leaf(tree, node) || self.open.contains_key(&node) {
            return;
        }
        match self.spot(tree, node) {
            Spot::Listed => self.show(tree, node),
            Spot::Within(whole) => self.unfold(tree, whole, node),
            Spot::Covered(_) => {
                self.hidden_folds.remove(&node);
                self.hidden.insert(node);
            }
        }
    }

    /// Shows all that is below a node.
    pub fn expand_all(&mut self, tree: &FilteredTree, node: Node) {
        if is_leaf(tree, node) {
            return;
        }
        let range = node..tree.end(node);
        match self.spot(tree, node) {
            Spot::Listed => {
                self.collapse(tree, node);
                self.forget(range);
                self.hidden_wholes.insert(node);
                self.show(tree, node);
            }
            Spot::Within(whole) => {
                if let Some(Below::All { folds }) = self.open.get(&whole).map(|open| &open.below) {
                    let again: Vec<Node> = folds.range(range.clone()).copied().collect();
                    self.forget(range);
                    again.into_iter().for_each(|fold| self.unfold(tree, whole, fold));
                }
            }
            Spot::Covered(_) => {
                self.forget(range);
                self.hidden.insert(node);
                self.hidden_wholes.insert(node);
            }
        }
    }

    /// Hides them. What is expanded below stays so, for when they are shown again.
    pub fn collapse(&mut self, tree: &FilteredTree, node: Node) {
        if let Some(open) = self.open.get(&node) {
            let rows = open.rows;
            self.close(node);
            if let Some((parent, place)) = self.place(tree, node)
                && let Some(Open { below: Below::Some { inner, .. }, .. }) = self.open.get_mut(&parent)
            {
                inner.remove(&place);
            }
            self.hidden.remove(&node);
            self.grow(tree, node, -(rows as i64));
            return;
        }
        match self.spot(tree, node) {
            Spot::Within(whole) if !is_leaf(tree, node) => self.fold(tree, whole, node),
            Spot::Covered(_) => {
                self.hidden.remove(&node);
                self.hidden_folds.insert(node);
            }
            _ => {}
        }
    }

    /// Expands what is above a node, so that it is visible; says what was expanded for that.
    pub fn reveal(&mut self, tree: &FilteredTree, node: Node) -> Vec<Node> {
        let mut opened = Vec::new();
        let path = self.path(tree, node);
        for &above in &path[..path.len() - 1] {
            if !self.is_expanded(tree, above) {
                self.expand(tree, above);
                opened.push(above);
            }
        }
        opened
    }

    /// Is it visible, and are its children?
    pub fn is_expanded(&self, tree: &FilteredTree, node: Node) -> bool {
        self.open.contains_key(&node)
            || match self.spot(tree, node) {
                Spot::Within(whole) => !is_leaf(tree, node) && !self.is_fold(whole, node),
                _ => false,
            }
    }

    /// The node itself if it is visible, else what it is folded in.
    pub fn visible(&self, tree: &FilteredTree, node: Node) -> Node {
        match self.spot(tree, node) {
            Spot::Covered(cover) => cover,
            _ => node,
        }
    }

    /// The rows from a rank on, at most `count`.
    pub fn rows(&mut self, tree: &FilteredTree, from: u64, count: usize) -> Vec<OutlineRow> {
        let mut rows = Vec::new();
        let Some(mut cursor) = self.cursor(tree, from) else { return rows };
        while rows.len() < count {
            rows.push(self.row(tree, &mut cursor));
            if !self.step(tree, &mut cursor) {
                break;
            }
        }
        rows
    }

    /// At which rank a node is; none if it is not visible.
    pub fn rank(&self, tree: &FilteredTree, node: Node) -> Option<u64> {
        let (mut rank, mut at) = (0, node);
        match self.spot(tree, node) {
            Spot::Covered(_) => return None,
            Spot::Within(whole) => {
                let before = self.folds(whole).range(..node).map(|&fold| below(tree, fold));
                rank += u64::from(node.0 - whole.0) - before.sum::<u64>();
                at = whole;
            }
            Spot::Listed => {}
        }
        while at != self.root {
            let parent = tree.parent(at)?;
            let Below::Some { kids, inner } = &self.open.get(&parent)?.below else { return None };
            let place = kids.place(tree, at);
            let before = inner.range(..place).filter_map(|(_, inner)| self.open.get(inner));
            rank += 1 + u64::from(place) + before.map(|open| open.rows).sum::<u64>();
            at = parent;
        }
        Some(rank)
    }

    /// From the root to a node.
    fn path(&self, tree: &FilteredTree, node: Node) -> Vec<Node> {
        let mut path = vec![node];
        let mut at = node;
        while at != self.root
            && let Some(parent) = tree.parent(at)
        {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    fn spot(&self, tree: &FilteredTree, node: Node) -> Spot {
        let path = self.path(tree, node);
        for &above in &path[..path.len() - 1] {
            match self.open.get(&above).map(|open| &open.below) {
                None => return Spot::Covered(above),
                Some(Below::Some { .. }) => {}
                Some(Below::All { folds }) => {
                    let cover = folds.range(..node).next_back().filter(|&&fold| tree.end(fold) > node);
                    return cover.map_or(Spot::Within(above), |&fold| Spot::Covered(fold));
                }
            }
        }
        Spot::Listed
    }

    fn folds(&self, whole: Node) -> &BTreeSet<Node> {
        static NONE: BTreeSet<Node> = BTreeSet::new();
        match self.open.get(&whole).map(|open| &open.below) {
            Some(Below::All { folds }) => folds,
            _ => &NONE,
        }
    }

    fn is_fold(&self, whole: Node, node: Node) -> bool {
        self.folds(whole).contains(&node)
    }

    /// Folds a visible node in a wholly expanded one. What is folded in it is kept for later.
    fn fold(&mut self, tree: &FilteredTree, whole: Node, node: Node) {
        let Some(Open { below: Below::All { folds }, .. }) = self.open.get_mut(&whole) else { return };
        if folds.contains(&node) {
            return;
        }
        let inside: Vec<Node> = folds.range(node..tree.end(node)).copied().collect();
        let mut rows = below(tree, node);
        for fold in inside {
            folds.remove(&fold);
            self.hidden_folds.insert(fold);
            rows -= below(tree, fold);
        }
        folds.insert(node);
        self.resize(tree, whole, -(rows as i64));
    }

    fn unfold(&mut self, tree: &FilteredTree, whole: Node, node: Node) {
        let Some(Open { below: Below::All { folds }, .. }) = self.open.get_mut(&whole) else { return };
        if !folds.remove(&node) {
            return;
        }
        let mut rows = below(tree, node);
        for fold in outermost(tree, &mut self.hidden_folds, node) {
            folds.insert(fold);
            rows -= below(tree, fold);
        }
        self.resize(tree, whole, rows as i64);
    }

    /// Opens a visible node, and what was open below it before.
    fn show(&mut self, tree: &FilteredTree, node: Node) {
        self.hidden.remove(&node);
        let whole = self.hidden_wholes.remove(&node);
        let open = if whole {
            let folds: BTreeSet<Node> = outermost(tree, &mut self.hidden_folds, node).into_iter().collect();
            let folded: u64 = folds.iter().map(|&fold| below(tree, fold)).sum();
            Open { rows: below(tree, node) - folded, below: Below::All { folds } }
        } else {
            let kids = Kids::of(tree, node);
            Open { rows: u64::from(kids.count), below: Below::Some { kids, inner: BTreeMap::new() } }
        };
        let rows = open.rows;
        self.open.insert(node, open);
        if let Some((parent, place)) = self.place(tree, node)
            && let Some(Open { below: Below::Some { inner, .. }, .. }) = self.open.get_mut(&parent)
        {
            inner.insert(place, node);
        }
        self.grow(tree, node, rows as i64);
        if whole {
            // Of what is wholly expanded nothing is open by itself.
            remove_range(&mut self.hidden, Node(node.0 + 1)..tree.end(node));
            remove_range(&mut self.hidden_wholes, Node(node.0 + 1)..tree.end(node));
            return;
        }
        let again: Vec<Node> = self.hidden.range(node..tree.end(node)).copied().collect();
        for inner in again {
            if self.hidden.contains(&inner) && matches!(self.spot(tree, inner), Spot::Listed) {
                self.hidden.remove(&inner);
                self.show(tree, inner);
            }
        }
    }

    /// A node and what is open below it become hidden.
    fn close(&mut self, node: Node) {
        let mut nodes = vec![node];
        while let Some(one) = nodes.pop() {
            let Some(open) = self.open.remove(&one) else { continue };
            match open.below {
                Below::Some { inner, .. } => nodes.extend(inner.values()),
                Below::All { folds } => {
                    self.hidden_folds.extend(folds);
                    self.hidden_wholes.insert(one);
                }
            }
            self.hidden.insert(one);
        }
    }

    /// Nothing is known of what is expanded in a run of nodes any more.
    fn forget(&mut self, range: Range<Node>) {
        for set in [&mut self.hidden, &mut self.hidden_wholes, &mut self.hidden_folds] {
            remove_range(set, range.clone());
        }
    }

    fn resize(&mut self, tree: &FilteredTree, open: Node, by: i64) {
        if let Some(open) = self.open.get_mut(&open) {
            open.rows = open.rows.saturating_add_signed(by);
        }
        self.grow(tree, open, by);
    }

    /// Adds rows to all that is open above a node. The node itself has them counted, or is gone.
    fn grow(&mut self, tree: &FilteredTree, node: Node, by: i64) {
        let mut at = node;
        while at != self.root
            && let Some(parent) = tree.parent(at)
        {
            if let Some(open) = self.open.get_mut(&parent) {
                open.rows = open.rows.saturating_add_signed(by);
            }
            at = parent;
        }
    }

    /// The parent, and the place among its children; none for the root.
    fn place(&self, tree: &FilteredTree, node: Node) -> Option<(Node, u32)> {
        if node == self.root {
            return None;
        }
        let parent = tree.parent(node)?;
        match &self.open.get(&parent)?.below {
            Below::Some { kids, .. } => Some((parent, kids.place(tree, node))),
            Below::All { .. } => None,
        }
    }

    fn cursor(&self, tree: &FilteredTree, rank: u64) -> Option<Cursor> {
        let mut cursor = Cursor { path: Vec::new(), node: self.root, whole: None };
        let mut left = rank;
        while left > 0 {
            left -= 1;
            let parent = cursor.node;
            let open = self.open.get(&parent)?;
            if left >= open.rows {
                return None;
            }
            let (kids, inner) = match &open.below {
                Below::Some { kids, inner } => (kids, inner),
                Below::All { folds } => {
                    cursor.enter_whole(tree, parent, nth_unfolded(tree, parent, folds, left));
                    return Some(cursor);
                }
            };
            // Open children take more than one rank: those before are passed one by one, the others counted.
            let (mut place, mut passed) = (0u32, 0u64);
            for (&at, inner) in inner {
                let gap = u64::from(at - place);
                let rows = self.open.get(inner).map_or(0, |open| open.rows);
                if left < passed + gap + 1 + rows {
                    break;
                }
                passed += gap + 1 + rows;
                place = at + 1;
            }
            let rest = left - passed;
            match inner.range(place..).next() {
                Some((&at, &inner)) if rest >= u64::from(at - place) => {
                    left = rest - u64::from(at - place);
                    cursor.path.push((parent, Some(at)));
                    cursor.node = inner;
                }
                _ => {
                    let place = place + rest as u32;
                    cursor.path.push((parent, Some(place)));
                    cursor.node = kids.child(tree, parent, place)?;
                    left = 0;
                }
            }
        }
        Some(cursor)
    }

    fn shows_children(&self, tree: &FilteredTree, cursor: &Cursor) -> bool {
        match cursor.whole {
            Some((whole, _)) => !is_leaf(tree, cursor.node) && !self.is_fold(whole, cursor.node),
            None => self.open.contains_key(&cursor.node),
        }
    }

    /// To the next row; false behind the last one.
    fn step(&self, tree: &FilteredTree, cursor: &mut Cursor) -> bool {
        if self.shows_children(tree, cursor) {
            let all = self.open.get(&cursor.node).is_some_and(|open| matches!(open.below, Below::All { .. }));
            cursor.path.push((cursor.node, Some(0)));
            if all {
                cursor.whole = Some((cursor.node, cursor.path.len()));
            }
            cursor.node = Node(cursor.node.0 + 1);
            return true;
        }
        while let Some((parent, place)) = cursor.path.pop() {
            let next = tree.end(cursor.node);
            if next < tree.end(parent) {
                cursor.path.push((parent, place.map(|place| place + 1)));
                cursor.node = next;
                return true;
            }
            cursor.node = parent;
            cursor.whole = cursor.whole.filter(|&(_, depth)| cursor.path.len() >= depth);
        }
        false
    }

    fn row(&mut self, tree: &FilteredTree, cursor: &mut Cursor) -> OutlineRow {
        let (node, level) = (cursor.node, cursor.path.len() as u32);
        let expanded = self.shows_children(tree, cursor);
        let (place, siblings) = match cursor.path.last_mut() {
            None => (0, 1),
            Some((parent, place)) => {
                let kids = self.kids(tree, *parent);
                let place = *place.get_or_insert_with(|| kids.place(tree, node));
                (place, kids.count)
            }
        };
        OutlineRow { node, level, place, siblings, expandable: !is_leaf(tree, node), expanded }
    }

    /// The children of a node, counted once.
    fn kids(&mut self, tree: &FilteredTree, node: Node) -> &Kids {
        if let Some(Open { below: Below::Some { kids, .. }, .. }) = self.open.get(&node) {
            return kids;
        }
        if self.counted.len() > MAX_COUNTED {
            self.counted.clear();
        }
        self.counted.entry(node).or_insert_with(|| Kids::of(tree, node))
    }
}

/// A row, and the way to it: each ancestor with the place of the next node among its children, where that is known.
struct Cursor {
    path: Vec<(Node, Option<u32>)>,
    node: Node,
    /// The wholly expanded node that it is in, and the length of the path right below that.
    whole: Option<(Node, usize)>,
}

impl Cursor {
    fn enter_whole(&mut self, tree: &FilteredTree, whole: Node, node: Node) {
        let depth = self.path.len();
        let mut at = node;
        while at != whole
            && let Some(parent) = tree.parent(at)
        {
            self.path.push((parent, None));
            at = parent;
        }
        self.path[depth..].reverse();
        self.node = node;
        self.whole = Some((whole, depth + 1));
    }
}

/// The node at a rank below a wholly expanded one.
fn nth_unfolded(tree: &FilteredTree, whole: Node, folds: &BTreeSet<Node>, rank: u64) -> Node {
    let (mut at, mut left) = (whole.0 + 1, rank);
    for fold in folds {
        let span = u64::from(fold.0 - at + 1);
        if left < span {
            break;
        }
        left -= span;
        at = tree.end(*fold).0;
    }
    Node(at + left as u32)
}

fn remove_range(set: &mut BTreeSet<Node>, range: Range<Node>) {
    let gone: Vec<Node> = set.range(range).copied().collect();
    for node in gone {
        set.remove(&node);
    }
}

/// Takes out of the set those below a node that are in no other of them.
fn outermost(tree: &FilteredTree, folds: &mut BTreeSet<Node>, node: Node) -> Vec<Node> {
    let (mut found, mut from) = (Vec::new(), Node(node.0 + 1));
    while let Some(&fold) = folds.range(from..tree.end(node)).next() {
        folds.remove(&fold);
        from = tree.end(fold);
        if !is_leaf(tree, fold) {
            found.push(fold);
        }
    }
    found
}

fn is_leaf(tree: &FilteredTree, node: Node) -> bool {
    tree.end(node).0 == node.0 + 1
}

/// Nodes below one.
fn below(tree: &FilteredTree, node: Node) -> u64 {
    u64::from(tree.end(node).0 - node.0 - 1)
}
