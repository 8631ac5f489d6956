//! What a tree's shape and weights are made from, for the part that is looked at: how calls are tied together, which
//! loops ran, what each call covered. Found by replaying that part, so only for parts of bounded size.

use std::collections::HashSet;

use analysis::{Entities, SurveyOptions};
use base::{CallId, Target};
use strategy::{Coverage, Covered};
use tree::{Fragment, Link, Links, MemoryTree, Need, Node, PlainRow, Transform, Tree, TreeFacts};

use crate::beside::{Rows, passed_beside};
use crate::error::Result;
use crate::grow::{self, MAX_NODES};
use crate::plain::PlainTree;
use crate::state::{Plan, SearchNote};
use crate::subject::Subject;

/// Events that are replayed before a question, at most.
pub const MAX_EVENTS: u64 = 8_000_000;
/// What is replayed without anybody asking for it: before the first question, and between questions.
const QUICK_FIRST: Quick = Quick { events: 1_000_000, calls: 100_000 };
const QUICK_NEXT: Quick = Quick { events: 150_000, calls: 30_000 };

struct Quick {
    events: u64,
    calls: u32,
}

impl Quick {
    fn holds(&self, plain: &PlainTree, root: Node) -> bool {
        events(plain, root) <= self.events && grow::suspects(plain, root) <= self.calls
    }
}

/// What the next tree cannot be made without.
pub struct SurveyNeeds {
    pub transforms: Vec<Transform>,
    coverage: Option<Entities>,
    weights: bool,
    belief: bool,
}

impl SurveyNeeds {
    pub fn of(plan: &Plan, root: Option<&Subject>) -> SurveyNeeds {
        let mut transforms = plan.transforms.clone();
        // A loop that was judged wrong has to be in the tree, whatever else is.
        if matches!(root, Some(Subject::Loop { .. })) && !transforms.contains(&Transform::Loops) {
            transforms.push(Transform::Loops);
        }
        let coverage = plan.strategy.covered().map(|covered| match covered {
            Covered::Edges => Entities::Edges,
            Covered::DefUse => Entities::DefUse,
        });
        let belief = plan.strategy.believes();
        let coverage = coverage.or(belief.then_some(Entities::Edges));
        SurveyNeeds { transforms, coverage, weights: plan.strategy.looks_at_all(), belief }
    }

    /// Is it only for a belief, which can do with less?
    pub fn is_for_belief(&self) -> bool {
        self.belief && self.transforms.is_empty()
    }

    /// Is the plain tree not enough?
    pub fn anything(&self) -> bool {
        !self.transforms.is_empty() || self.coverage.is_some() || self.weights
    }
}

/// The plain tree of the part, in memory, with what replaying it gave.
pub struct Surveyed {
    pub tree: MemoryTree,
    pub facts: TreeFacts,
    pub coverage: Option<Coverage>,
    /// How much there is to get wrong where each edge leads that can be covered.
    pub substance: Vec<f64>,
    /// By the same: how many tests that passed covered it. Empty if none was replayed beside the part.
    pub in_tests: Vec<u32>,
}

/// Why a part is left as it is for now.
pub fn too_large(plain: &PlainTree, root: Node) -> Option<SearchNote> {
    let suspects = grow::suspects(plain, root);
    if suspects > MAX_NODES {
        return Some(SearchNote::ManySuspects { suspects, limit: MAX_NODES });
    }
    let events = events(plain, root);
    (events > MAX_EVENTS).then_some(SearchNote::ManyEvents { events, limit: MAX_EVENTS })
}

/// Is a part replayed so quickly that nobody waits for it? What follows is so of the tree and the part alone: the same
/// answers lead to the same questions.
pub fn is_quick(plain: &PlainTree, root: Node) -> bool {
    QUICK_NEXT.holds(plain, root) || QUICK_FIRST.holds(plain, Node(0))
}

fn events(plain: &PlainTree, root: Node) -> u64 {
    match plain.call(root) {
        Some(call) => plain.past().call_row(call).map_or(0, |row| row.exit - row.entry + 1),
        None => plain.events_below(root),
    }
}

/// What answers say of the tree that is to be made.
pub struct Shape {
    /// Calls that are not to be put together with others, by first and last.
    pub apart: Vec<(u64, u64)>,
    /// Methods whose loops are not to be parted.
    pub unparted: HashSet<Target>,
}

pub fn survey(plain: &PlainTree, root: Node, needs: &SurveyNeeds, shape: &Shape) -> Result<Surveyed> {
    let tree = grow::grow(plain, root);
    let needed = |need: Need| needs.transforms.iter().any(|transform| transform.needs() == need);
    let options = SurveyOptions {
        links: needed(Need::Links),
        loops: needed(Need::Loops),
        coverage: needs.coverage,
        first_loop_group: plain.past().methods().count() as u32,
    };
    let mut facts = TreeFacts::default();
    facts.links.0 = vec![Link::None; tree.len() as usize];
    if !options.links && !options.loops && options.coverage.is_none() {
        return Ok(Surveyed { tree, facts, coverage: None, substance: Vec::new(), in_tests: Vec::new() });
    }
    let (rows, calls) = program_rows(plain, root);
    let tests = match needs.belief && is_quick(plain, root) {
        true => passed_beside(plain, events(plain, root)),
        false => Vec::new(),
    };
    let all = Rows::new(plain.past(), calls, &tests);
    let found = analysis::survey(plain.past(), &all.calls, options)?;
    let in_tests = all.covered_by_tests(&found.coverage);
    let end = plain.end(root);
    let mut loops = found.loops;
    loops.retain(|row| all.is_own(row.0 as usize));
    let row_of = |at: PlainRow| rows.get(all.own(at.0 as usize)).copied().unwrap_or(end);
    facts.loops = loops.renumbered(|at| PlainRow(row_of(at).0));
    let target = |row: PlainRow| Some(plain.past().call_row(plain.call(Node(row.0))?)?.target);
    facts.loops.retain(|row| target(row).is_none_or(|target| !shape.unparted.contains(&target)));
    let place = |row: PlainRow| rows.binary_search(&Node(row.0)).ok().map(|at| all.place(at));
    if options.links {
        for node in (0..tree.len()).map(Node) {
            let link = place(tree.fragment(node).row()).and_then(|at| found.links.0.get(at)).copied();
            facts.links.0[node.0 as usize] = link.unwrap_or_default();
        }
        part(plain, &tree, &mut facts.links, &shape.apart);
    }
    let coverage = needs.coverage.map(|_| {
        let mut signatures = found.coverage.signatures;
        // What is no call covers nothing.
        signatures.push(Vec::new());
        let nothing = signatures.len() as u32 - 1;
        let of = |node| {
            let at = place(tree.fragment(node).row())?;
            found.coverage.signature.get(at).copied()
        };
        let signature = (0..tree.len()).map(|node| of(Node(node)).unwrap_or(nothing)).collect();
        Coverage { signature, signatures, entities: found.coverage.entities }
    });
    Ok(Surveyed { tree, facts, coverage, substance: found.substance, in_tests })
}

/// Calls of program code below a node, and what leads to them, trusted or not: as nodes and as calls.
fn program_rows(plain: &PlainTree, root: Node) -> (Vec<Node>, Vec<CallId>) {
    let (mut rows, mut calls) = (Vec::new(), Vec::new());
    let (mut node, end) = (root, plain.end(root));
    while node < end {
        match plain.call(node) {
            Some(call) if plain.program_calls_between(node, plain.end(node)) > 0 => {
                rows.push(node);
                calls.push(call);
                node = Node(node.0 + 1);
            }
            Some(_) => node = plain.end(node),
            None => node = Node(node.0 + 1),
        }
    }
    (rows, calls)
}

/// Undoes links that do not hold in this tree: to siblings that are not in it, and within runs that are to fall apart.
fn part(plain: &PlainTree, tree: &MemoryTree, links: &mut Links, apart: &[(u64, u64)]) {
    let row = |node: Node| Node(tree.fragment(node).row().0);
    for parent in (0..tree.len()).map(Node) {
        let mut before: Option<Node> = None;
        let mut alone = false;
        for child in tree.children(parent) {
            let adjacent = before
                .is_some_and(|before| plain.program_calls_between(plain.end(row(before)), row(child)) == 0);
            let call = plain.call(row(child)).map_or(0, CallId::number);
            let was_alone = alone;
            alone = apart.iter().any(|&(first, last)| (first..=last).contains(&call));
            if !adjacent || alone || was_alone {
                links.0[child.0 as usize] = Link::None;
            }
            before = Some(child);
        }
    }
}

/// The coverage of a transformed tree: a node that stands for several calls covers what they cover.
pub fn spread(coverage: &Coverage, plain: &MemoryTree, tree: &MemoryTree) -> Coverage {
    let mut spread = Coverage {
        signature: Vec::new(),
        signatures: coverage.signatures.clone(),
        entities: coverage.entities,
    };
    let of_row = |row: PlainRow| {
        plain.locate(Fragment::Call(row)).map_or(0, |node| coverage.signature[node.0 as usize])
    };
    for node in (0..tree.len()).map(Node) {
        let signature = match tree.fragment(node) {
            Fragment::Call(row) | Fragment::Compressed { row, .. } => of_row(row),
            Fragment::Collapse { first, last, .. } => {
                let (from, to) = plain.span(first, PlainRow(last.0 + 1));
                let mut all: Vec<u32> = (from.0..to.0)
                    .flat_map(|node| &coverage.signatures[coverage.signature[node as usize] as usize])
                    .copied()
                    .collect();
                all.sort_unstable();
                all.dedup();
                spread.signatures.push(all);
                spread.signatures.len() as u32 - 1
            }
            Fragment::Thread(_)
            | Fragment::Projection { .. }
            | Fragment::Loop { .. }
            | Fragment::Iterations { .. }
            | Fragment::Statement { .. } => 0,
        };
        spread.signature.push(signature);
    }
    spread
}
