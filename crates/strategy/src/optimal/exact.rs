//! The fewest questions for a tree of suspects, by its shape. A question about v takes one question of every suspect,
//! then goes on with the shape of v (wrong) or with what is left without it (correct):
//! F(s) = n(s) + min over v of F(v) + F(s without v). Questions are tried by what they cost at least, until none left
//! can be better. That is the greater of two bounds:
//! - No dialogue tells k suspects apart with less than the binary tree of k leaves.
//! - If the bug is the node itself, each of its m children has to be cleared. If it is in a child c, the questions in c
//!   are at least F(c) + 1 together, as c is not known to be wrong; and since the children are done with one after the
//!   other, for some bug in the i-th one i − 1 others were asked about before. In all
//!   m own(s) + Σ (F(c) + 1) + m (m − 1) / 2, less one if the last child left is wrong without a question.

use std::cmp::Reverse;
use std::collections::HashMap;

use tree::{Node, Suspects};

/// Shapes kept, at most, before starting anew.
const KEPT: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Id(u32);

/// A wrong node with what is suspected in it, up to the order of children; or several nodes of which one may be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SuspectTree {
    /// Whether nothing is known to be wrong yet, so that the last suspect is asked about too.
    open: bool,
    /// Suspects that are not in a child: itself, and those put off.
    own: u32,
    children: Vec<Id>,
}

#[derive(Clone, Copy, Debug)]
struct Size {
    suspects: u32,
    /// How many of them can be told apart.
    places: u32,
    /// F is no less.
    bound: u64,
}

#[derive(Clone, Debug)]
struct Solution {
    questions: u64,
    /// From the root down to what is asked about; empty if nothing is.
    asked: Vec<Id>,
}

/// A question: what is left by either answer, and what that costs at least.
struct Cut {
    way: Vec<Id>,
    wrong: Id,
    correct: Option<Id>,
    bound: u64,
}

pub(crate) struct Plan {
    /// In all dialogues together.
    pub questions: u64,
    /// What to ask about; none if there is nothing.
    pub node: Option<Node>,
}

#[derive(Debug, Default)]
pub(crate) struct Exact {
    ids: HashMap<SuspectTree, Id>,
    shapes: Vec<SuspectTree>,
    sizes: Vec<Size>,
    solutions: HashMap<Id, Solution>,
}

impl Exact {
    /// The best question, if it can be told by solving no more than `limit` shapes.
    pub fn plan(&mut self, suspects: &Suspects, limit: usize) -> Option<Plan> {
        if self.shapes.len() > KEPT {
            *self = Exact::default();
        }
        let mut known = HashMap::new();
        let root = suspects.root();
        let id = match (suspects.root_wrong(), suspects.askable(root)) {
            (true, _) => self.learn(suspects, root, &mut known)?,
            (false, true) => {
                let children = vec![self.learn(suspects, root, &mut known)?];
                self.intern(SuspectTree { open: true, own: 0, children })?
            }
            (false, false) => {
                let shape = self.learn_inside(suspects, root, &mut known);
                self.intern(SuspectTree { open: true, ..shape })?
            }
        };
        let limit = self.solutions.len() + limit;
        let questions = self.solve(id, limit)?;
        let mut way = self.solutions[&id].asked.as_slice();
        if way.is_empty() {
            return Some(Plan { questions, node: None });
        }
        let mut node = root;
        if !suspects.root_wrong() {
            if !suspects.askable(root) {
                node = suspects.children(root).find(|child| known.get(child) == Some(&way[0]))?;
            }
            way = &way[1..];
        }
        for step in way {
            node = find(suspects, node, *step, &known)?;
        }
        Some(Plan { questions, node: Some(node) })
    }

    /// The shape of what is suspected in the node, and of every node in it that can be asked about.
    fn learn(&mut self, suspects: &Suspects, node: Node, known: &mut HashMap<Node, Id>) -> Option<Id> {
        let shape = self.learn_inside(suspects, node, known);
        let id = self.intern(shape)?;
        known.insert(node, id);
        Some(id)
    }

    fn learn_inside(
        &mut self,
        suspects: &Suspects,
        node: Node,
        known: &mut HashMap<Node, Id>,
    ) -> SuspectTree {
        let mut own = suspects.count(node);
        let mut children = Vec::new();
        for child in suspects.children(node) {
            own -= suspects.count(child);
            children.extend(self.learn(suspects, child, known));
        }
        SuspectTree { open: false, own, children }
    }

    /// None if nothing is suspected in it. Without suspects of its own it is the same as its only child.
    fn intern(&mut self, mut shape: SuspectTree) -> Option<Id> {
        if shape.own == 0 && shape.children.is_empty() {
            return None;
        }
        if let ([only], 0, false) = (&*shape.children, shape.own, shape.open) {
            return Some(*only);
        }
        shape.children.sort_unstable();
        if let Some(&id) = self.ids.get(&shape) {
            return Some(id);
        }
        let id = Id(self.shapes.len() as u32);
        let mut size = Size { suspects: shape.own, places: u32::from(shape.own > 0), bound: 0 };
        for (before, &child) in shape.children.iter().enumerate() {
            let child = self.size(child);
            size.suspects += child.suspects;
            size.places += child.places;
            size.bound += u64::from(shape.own) + child.bound + 1 + before as u64;
        }
        if shape.own == 0 && !shape.open {
            size.bound -= 1;
        }
        size.bound = size.bound.max(at_least(size.places));
        self.sizes.push(size);
        self.shapes.push(shape.clone());
        self.ids.insert(shape, id);
        Some(id)
    }

    fn size(&self, id: Id) -> Size {
        self.sizes[id.0 as usize]
    }

    /// F, or none once more than `limit` shapes would have to be solved.
    fn solve(&mut self, id: Id, limit: usize) -> Option<u64> {
        if let Some(solution) = self.solutions.get(&id) {
            return Some(solution.questions);
        }
        if self.solutions.len() >= limit {
            return None;
        }
        let suspects = u64::from(self.size(id).suspects);
        let mut ways = Vec::new();
        self.ways(id, &mut Vec::new(), &mut ways);
        let mut cuts: Vec<Cut> = ways.into_iter().map(|way| self.cut(id, way)).collect();
        cuts.sort_by_key(|cut| (cut.bound, Reverse(self.size(cut.wrong).suspects)));
        let mut best: Option<Solution> = None;
        for cut in cuts {
            if best.as_ref().is_some_and(|best| best.questions <= suspects + cut.bound) {
                break;
            }
            let mut questions = suspects + self.solve(cut.wrong, limit)?;
            if let Some(correct) = cut.correct {
                questions += self.solve(correct, limit)?;
            }
            if best.as_ref().is_none_or(|best| questions < best.questions) {
                best = Some(Solution { questions, asked: cut.way });
            }
        }
        let solution = best.unwrap_or(Solution { questions: 0, asked: Vec::new() });
        let questions = solution.questions;
        self.solutions.insert(id, solution);
        Some(questions)
    }

    /// The ways down to each node below, one for those that are alike.
    fn ways(&self, id: Id, way: &mut Vec<Id>, ways: &mut Vec<Vec<Id>>) {
        let mut last = None;
        for &child in &self.shapes[id.0 as usize].children {
            if last.replace(child) != Some(child) {
                way.push(child);
                ways.push(way.clone());
                self.ways(child, way, ways);
                way.pop();
            }
        }
    }

    fn cut(&mut self, id: Id, way: Vec<Id>) -> Cut {
        let wrong = way[way.len() - 1];
        let correct = self.without(id, &way);
        let bound = self.size(wrong).bound + correct.map_or(0, |id| self.size(id).bound);
        Cut { way, wrong, correct, bound }
    }

    /// The shape without the node at the end of the way.
    fn without(&mut self, id: Id, way: &[Id]) -> Option<Id> {
        let mut shape = self.shapes[id.0 as usize].clone();
        let at = shape.children.iter().position(|&child| child == way[0])?;
        shape.children.remove(at);
        if way.len() > 1 {
            shape.children.extend(self.without(way[0], &way[1..]));
        }
        self.intern(shape)
    }
}

/// The earliest child of this shape. A node that is the same as its only child has that one's children.
fn find(suspects: &Suspects, mut node: Node, id: Id, known: &HashMap<Node, Id>) -> Option<Node> {
    loop {
        let first = suspects.children(node).next()?;
        if suspects.count(first) < suspects.count(node) {
            return suspects.children(node).find(|child| known.get(child) == Some(&id));
        }
        node = first;
    }
}

/// The leaves of the flattest binary tree with so many of them, each counted by its depth.
fn at_least(leaves: u32) -> u64 {
    if leaves < 2 {
        return 0;
    }
    let depth = leaves.next_power_of_two().trailing_zeros();
    u64::from(leaves) * u64::from(depth + 1) - (1u64 << depth)
}
