//! Recursion becomes one node: calls of a method that lie directly in each other are folded into the outermost, what
//! else they called hangs below it. If it is wrong and all of that is correct, the method is to blame, whichever of
//! its calls it was.
//!
//! Folding takes away questions about the recursion, and makes a broad node where only one child after the other can
//! be asked about. So it is done only where the predicted number of questions falls. For `m` calls folded, with `k`
//! nodes below of weights w₁ ≥ … ≥ wₖ, out of W = m + Σ wᵢ:
//! - after: heaviest first, which is the best there is for one node and its children. The i-th costs i questions, and
//!   the node itself all k: (Σ i·wᵢ + k·m) / W.
//! - before: at least the entropy of where the fault is, whatever the strategy:
//!   Σ wᵢ/W · log₂(W/wᵢ) + m/W · log₂ W.
//!
//! It is folded if after < before: no strategy could do as well without. (The difference is at most
//! log₂(1 + (m − 1)/2ᵏ), hence recursion with much else in it is folded a few levels at a time.)

use std::collections::HashMap;

use crate::fragment::{Fragment, PlainRow};
use crate::links::{Link, Links};
use crate::memory_tree::{MemoryTree, TreeBuilder};
use crate::tree::{Node, Suspicion, Tree};

use super::project::weight;

/// More below a folded node than this are never worth it: there are fewer than 2³² calls.
const MOST_BELOW: usize = 34;

pub fn compress(tree: &MemoryTree, links: &Links) -> (MemoryTree, Links) {
    let plan = plan(tree);
    let len = tree.len() as usize;
    let mut levels = vec![1; len];
    let mut gone = vec![false; len];
    let mut inside = Vec::new();
    for node in (0..tree.len()).map(Node) {
        if gone[node.0 as usize] || plan[node.0 as usize] != Plan::Fold {
            continue;
        }
        inside.push((node, 1));
        while let Some((outer, depth)) = inside.pop() {
            levels[node.0 as usize] = levels[node.0 as usize].max(depth);
            if plan[outer.0 as usize] == Plan::Keep {
                continue;
            }
            for child in tree.children(outer).filter(|&child| nested(tree, outer, child)) {
                gone[child.0 as usize] = true;
                inside.push((child, depth + 1));
            }
        }
    }
    write(tree, links, &levels, &gone)
}

/// The calls that a node of a tree made by `compress` stands for besides the outermost. `plain` is any tree of the
/// same calls in which they have their own nodes.
pub fn folded(plain: &MemoryTree, tree: &MemoryTree, node: Node) -> Vec<PlainRow> {
    let Fragment::Compressed { row, levels } = tree.fragment(node) else { return Vec::new() };
    let mut rows = Vec::new();
    let mut inside: Vec<(Node, u32)> =
        plain.locate(Fragment::Call(row)).map(|outer| (outer, 1)).into_iter().collect();
    while let Some((outer, depth)) = inside.pop() {
        for child in plain.children(outer).filter(|&child| depth < levels && nested(plain, outer, child)) {
            let row = plain.fragment(child).row();
            if tree.holder(row).is_none() {
                rows.push(row);
                inside.push((child, depth + 1));
            }
        }
    }
    rows.sort_unstable();
    rows
}

/// Is the inner one a call of the same method, which may be folded into the outer?
fn nested(tree: &MemoryTree, outer: Node, inner: Node) -> bool {
    let call =
        |node| matches!(tree.fragment(node), Fragment::Call(_)) && tree.suspicion(node) == Suspicion::Suspect;
    tree.group(outer) == tree.group(inner) && call(outer) && call(inner)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Nothing in it is folded into it, even if it is folded into another.
    Keep,
    /// Calls nested in it go where it goes, but folding them into it alone saves nothing.
    Join,
    /// It saves questions to fold the calls nested in it into it.
    Fold,
}

/// What a call would be with the calls nested in it folded into it.
struct Piece {
    /// How many calls.
    folded: u32,
    /// The weights of the nodes below it.
    below: Vec<u32>,
}

/// For each node what to do with the calls nested in it: from the inside out, each call is joined with those nested
/// in it as long as folding can be worth anything.
fn plan(tree: &MemoryTree) -> Vec<Plan> {
    let mut plan = vec![Plan::Keep; tree.len() as usize];
    let mut pieces: HashMap<Node, Piece> = HashMap::new();
    for node in (0..tree.len()).rev().map(Node) {
        let inner: Vec<Node> = tree.children(node).filter(|&child| nested(tree, node, child)).collect();
        let joined = if inner.is_empty() { None } else { join(tree, node, &inner, &pieces) };
        for child in &inner {
            pieces.remove(child);
        }
        if let Some(piece) = &joined {
            plan[node.0 as usize] = if gain(piece) > 0.0 { Plan::Fold } else { Plan::Join };
        }
        if tree.parent(node).is_some_and(|parent| nested(tree, parent, node)) {
            let piece = joined.or_else(|| Some(Piece { folded: 1, below: below(tree, node, |_| false)? }));
            pieces.extend(piece.map(|piece| (node, piece)));
        }
    }
    plan
}

fn join(tree: &MemoryTree, node: Node, inner: &[Node], pieces: &HashMap<Node, Piece>) -> Option<Piece> {
    let mut joined = Piece { folded: 1, below: below(tree, node, |child| nested(tree, node, child))? };
    for child in inner {
        let piece = pieces.get(child)?;
        joined.folded += piece.folded;
        joined.below.extend(&piece.below);
        if joined.below.len() > MOST_BELOW {
            return None;
        }
    }
    joined.below.sort_unstable_by_key(|&weight| std::cmp::Reverse(weight));
    // Beyond this, folding could at best save a third of a question.
    (joined.below.len() as f64 <= f64::from(joined.folded).log2() + 2.0).then_some(joined)
}

/// The weights of the topmost nodes below that can be asked about, unless they are too many.
fn below(tree: &MemoryTree, node: Node, skip: impl Fn(Node) -> bool) -> Option<Vec<u32>> {
    let mut weights = Vec::new();
    let end = tree.end(node);
    let mut next = Node(node.0 + 1);
    while next < end {
        if weight(tree, next) == 0 || skip(next) {
            next = tree.end(next);
        } else if tree.suspicion(next) == Suspicion::Through {
            next.0 += 1;
        } else if weights.len() == MOST_BELOW {
            return None;
        } else {
            weights.push(weight(tree, next));
            next = tree.end(next);
        }
    }
    Some(weights)
}

/// By how much the predicted number of questions falls.
fn gain(piece: &Piece) -> f64 {
    let folded = f64::from(piece.folded);
    let weights = || piece.below.iter().map(|&weight| f64::from(weight));
    let total = folded + weights().sum::<f64>();
    let ranks = (1..).map(f64::from);
    let after = weights().zip(ranks).map(|(weight, rank)| weight * rank).sum::<f64>()
        + folded * piece.below.len() as f64;
    let before =
        weights().map(|weight| weight * (total / weight).log2()).sum::<f64>() + folded * total.log2();
    // What one division leaves over is no gain.
    (before - after) / total - 1e-9
}

fn write(tree: &MemoryTree, links: &Links, levels: &[u32], gone: &[bool]) -> (MemoryTree, Links) {
    let mut builder = TreeBuilder::default();
    let mut kept = Vec::new();
    let mut open: Vec<Node> = Vec::new();
    // Nodes whose sibling before them was folded away.
    let mut parted = vec![false; gone.len()];
    for node in (0..tree.len()).map(Node) {
        while open.pop_if(|end| *end <= node).is_some() {
            builder.close();
        }
        if gone[node.0 as usize] {
            let next = tree.end(node);
            if next.0 < tree.len() && tree.parent(next) == tree.parent(node) {
                parted[next.0 as usize] = true;
            }
            continue;
        }
        let fragment = match (tree.fragment(node), levels[node.0 as usize]) {
            (Fragment::Call(row), levels @ 2..) => Fragment::Compressed { row, levels },
            (other, _) => other,
        };
        builder.open(fragment, tree.group(node), tree.suspicion(node));
        open.push(tree.end(node));
        kept.push(if parted[node.0 as usize] { Link::None } else { links.of(node) });
    }
    (builder.finish(), Links(kept))
}

#[cfg(test)]
mod tests;
