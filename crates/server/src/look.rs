//! How one page looks at the tree: what is expanded, what is left out, what was searched for. Nodes change when the tree
//! is made anew, so what a person did is remembered by subjects, and the rest is made from that again.

use std::collections::{BTreeSet, HashMap};

use past::CallId;
use session::{AskedTree, Hits, Scan, Session, Subject};
use tree::{FilteredTree, KeptNodes, Node, Outline, OutlineRow, Tree};

/// Nodes that are remembered as expanded, at most.
const MAX_REMEMBERED: usize = 50_000;
/// Siblings that are expanded at once, to either side.
const SIBLINGS: usize = 500;

pub struct Look {
    outline: Outline,
    generation: Option<u64>,
    memory: Memory,
    /// The same while only some methods are shown.
    filtered: Memory,
    pub sift: Sift,
    sieve: Option<KeptNodes>,
    matches: Option<Matches>,
    /// Calls that are to be counted on the rows in which they are.
    marks: Vec<u64>,
    counts: Option<HashMap<Node, u32>>,
    /// Counts up whenever ranks may be others than before.
    pub state: u64,
}

/// What a search found in the tree of one generation.
struct Matches {
    generation: u64,
    text: String,
    hits: Hits,
}

/// A match: its node in the tree, its number from 0, and whether the search went past an end of the tree.
pub struct Match {
    pub node: Node,
    pub number: u32,
    pub round: bool,
}

/// What of the tree is shown.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sift {
    /// Only calls of methods with this in their name, and what is above them; all if it is empty.
    pub text: String,
    /// Calls into libraries are left out, where no code of the program ran in them.
    pub program: bool,
}

impl Sift {
    fn is_all(&self) -> bool {
        self.text.is_empty() && !self.program
    }
}

/// What a person expanded and folded.
#[derive(Default)]
struct Memory {
    open: BTreeSet<Subject>,
    /// With everything below.
    whole: BTreeSet<Subject>,
    folds: BTreeSet<Subject>,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            outline: Outline::new(Node(0)),
            generation: None,
            memory: Memory::default(),
            filtered: Memory::default(),
            sift: Sift::default(),
            sieve: None,
            matches: None,
            marks: Vec::new(),
            counts: None,
            state: 0,
        }
    }
}

impl Look {
    /// Lets go of what takes memory; it is made again when it is needed.
    pub fn rest(&mut self) {
        *self = Look {
            memory: std::mem::take(&mut self.memory),
            filtered: std::mem::take(&mut self.filtered),
            sift: std::mem::take(&mut self.sift),
            marks: std::mem::take(&mut self.marks),
            state: self.state + 1,
            ..Look::default()
        };
    }

    pub fn show(&mut self, sift: Sift) {
        if sift != self.sift {
            self.filtered = Memory::default();
            self.sift = sift;
            self.generation = None;
            self.matches = None;
        }
    }

    pub fn mark(&mut self, calls: Vec<u64>) {
        self.marks = calls;
        self.counts = None;
    }

    /// Does the tree have to be looked through before this can be used, maybe for a text?
    pub fn wants_scan(&self, generation: u64, find: Option<&str>) -> bool {
        let stale = self.generation != Some(generation);
        let known = |text| {
            self.matches.as_ref().is_some_and(|found| found.generation == generation && found.text == text)
        };
        let unknown = find.is_some_and(|text| !known(text));
        stale && !self.sift.is_all() || unknown
    }

    /// Looks through a tree. That may take a while where it is large; nothing but this page waits for it.
    pub fn scan(&mut self, generation: u64, scan: &Scan, find: Option<&str>) {
        if self.generation != Some(generation) {
            self.sieve = (!self.sift.is_all()).then(|| {
                let wanted = match (self.sift.text.as_str(), self.sift.program) {
                    ("", _) => scan.program(),
                    (text, false) => scan.calls_of(text),
                    (text, true) => scan.calls_of(text).and(&scan.program()),
                };
                KeptNodes::new(scan.tree(), &wanted)
            });
        }
        if let Some(text) = find {
            let hits = scan.find(text, self.sieve.as_ref().map(KeptNodes::kept));
            self.matches = Some(Matches { generation, text: text.to_owned(), hits });
        }
    }

    /// Expands what was expanded, if the tree is another than last time. To be called after `scan`.
    pub fn settle(&mut self, session: &Session, view: &AskedTree) {
        if self.generation == Some(view.generation) {
            return;
        }
        if self.sift.is_all() {
            self.sieve = None;
        }
        self.generation = Some(view.generation);
        self.changed();
        let shown = FilteredTree::new(view.tree.as_ref(), self.sieve.as_ref());
        let memory = if self.sift.text.is_empty() { &self.memory } else { &self.filtered };
        let nodes = |subjects: &BTreeSet<Subject>| -> Vec<Node> {
            subjects.iter().filter_map(|one| shown.inner(session.tree_node(one)?)).collect()
        };
        self.outline = Outline::new(Node(0));
        if self.sift.text.is_empty() {
            self.outline.expand(&shown, Node(0));
        } else {
            self.outline.expand_all(&shown, Node(0));
        }
        for node in nodes(&memory.whole) {
            self.outline.expand_all(&shown, node);
        }
        for node in nodes(&memory.open) {
            self.outline.expand(&shown, node);
        }
        for node in nodes(&memory.folds) {
            self.outline.collapse(&shown, node);
        }
    }

    fn changed(&mut self) {
        self.counts = None;
        self.state += 1;
    }

    pub fn shown<'t>(&'t self, shape: &'t dyn Tree) -> FilteredTree<'t> {
        FilteredTree::new(shape, self.sieve.as_ref())
    }

    /// How many rows there are.
    pub fn total(&self) -> u64 {
        self.outline.len()
    }

    pub fn rows(&mut self, shape: &dyn Tree, from: u64, count: usize) -> Vec<OutlineRow> {
        self.outline.rows(&FilteredTree::new(shape, self.sieve.as_ref()), from, count)
    }

    pub fn rank(&self, shape: &dyn Tree, node: Node) -> Option<u64> {
        self.outline.rank(&self.shown(shape), node)
    }

    fn memory(&mut self) -> &mut Memory {
        if self.sift.text.is_empty() { &mut self.memory } else { &mut self.filtered }
    }

    pub fn expand(&mut self, session: &Session, shape: &dyn Tree, node: Node) {
        self.outline.expand(&FilteredTree::new(shape, self.sieve.as_ref()), node);
        self.opened(session, shape, &[node]);
    }

    /// Expands what is above a node.
    pub fn reveal(&mut self, session: &Session, shape: &dyn Tree, node: Node) {
        let opened = self.outline.reveal(&FilteredTree::new(shape, self.sieve.as_ref()), node);
        if !opened.is_empty() {
            self.opened(session, shape, &opened);
        }
    }

    /// Expands a node and those beside it; false if there are too many, and only the nearest were.
    pub fn expand_siblings(&mut self, session: &Session, shape: &dyn Tree, node: Node) -> bool {
        let shown = FilteredTree::new(shape, self.sieve.as_ref());
        let Some(parent) = shown.parent(node) else {
            self.expand(session, shape, node);
            return true;
        };
        let before = shown.children(parent).take_while(|&child| child < node).count();
        let from = before.saturating_sub(SIBLINGS);
        let mut siblings: Vec<Node> =
            shown.children(parent).skip(from).take(before - from + SIBLINGS + 2).collect();
        let rest = siblings.len() > before - from + SIBLINGS + 1;
        siblings.truncate(before - from + SIBLINGS + 1);
        for &sibling in &siblings {
            self.outline.expand(&shown, sibling);
        }
        self.opened(session, shape, &siblings);
        from == 0 && !rest
    }

    pub fn expand_all(&mut self, session: &Session, shape: &dyn Tree, node: Node) {
        let shown = FilteredTree::new(shape, self.sieve.as_ref());
        self.outline.expand_all(&shown, node);
        let outer = shown.outer(node);
        let within = |subject: &Subject| {
            session.tree_node(subject).is_some_and(|one| outer <= one && one < shape.end(outer))
        };
        self.memory().folds.retain(|subject| !within(subject));
        if let Some(subject) = session.tree_subject(outer) {
            self.memory().whole.insert(subject);
        }
        self.changed();
    }

    pub fn collapse(&mut self, session: &Session, shape: &dyn Tree, node: Node) {
        let shown = FilteredTree::new(shape, self.sieve.as_ref());
        self.outline.collapse(&shown, node);
        if let Some(subject) = session.tree_subject(shown.outer(node)) {
            let memory = self.memory();
            memory.open.remove(&subject);
            memory.folds.insert(subject);
        }
        self.changed();
    }

    /// As in the beginning: only what is right below the root.
    pub fn collapse_all(&mut self) {
        *self.memory() = Memory::default();
        self.generation = None;
    }

    fn opened(&mut self, session: &Session, shape: &dyn Tree, nodes: &[Node]) {
        let shown = FilteredTree::new(shape, self.sieve.as_ref());
        let subjects: Vec<Subject> =
            nodes.iter().filter_map(|&node| session.tree_subject(shown.outer(node))).collect();
        let memory = self.memory();
        for subject in subjects {
            memory.folds.remove(&subject);
            if memory.open.len() < MAX_REMEMBERED {
                memory.open.insert(subject);
            }
        }
        self.changed();
    }

    /// The node here that is next around one of the tree.
    pub fn nearest(&self, shape: &dyn Tree, node: Node) -> Node {
        let shown = self.shown(shape);
        let mut at = node;
        loop {
            match (shown.inner(at), shape.parent(at)) {
                (Some(inner), _) => return inner,
                (None, Some(parent)) => at = parent,
                (None, None) => return Node(0),
            }
        }
    }

    /// How many marked calls there are at each visible row: at its own call, or folded in it.
    pub fn counts(&mut self, session: &Session, shape: &dyn Tree) -> &HashMap<Node, u32> {
        if self.counts.is_none() {
            let mut counts = HashMap::new();
            let calls = self.marks.iter().filter_map(|&number| CallId::of_number(number));
            for node in calls.filter_map(|call| session.tree_around(call)) {
                let visible = self.outline.visible(&self.shown(shape), self.nearest(shape, node));
                *counts.entry(visible).or_default() += 1;
            }
            self.counts = Some(counts);
        }
        self.counts.get_or_insert_default()
    }

    /// The next match from a node of the tree on, or the one before it, going round; and how many there are.
    pub fn find(&self, scan: &Scan, after: Option<Node>, back: bool) -> (Option<Match>, u32) {
        let Some(Matches { hits, .. }) = &self.matches else { return (None, 0) };
        let end = Node(scan.tree().len());
        let from = |node| scan.hit_from(hits, node);
        let (near, far) = match (after, back) {
            (None, false) => (from(Node(0)), None),
            (None, true) => (scan.hit_before(hits, end), None),
            (Some(node), false) => (from(Node(node.0 + 1)), from(Node(0))),
            (Some(node), true) => (scan.hit_before(hits, node), scan.hit_before(hits, end)),
        };
        let found = near.or(far).map(|node| {
            let number = scan.hits_before(hits, node);
            Match { node, number, round: near.is_none() }
        });
        (found, scan.hits_before(hits, end))
    }
}
