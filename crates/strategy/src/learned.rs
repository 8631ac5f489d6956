//! What the answers so far say beyond the nodes that they are about.

use std::collections::HashMap;

use tree::{Group, Node};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Correct,
    Wrong,
}

/// Which entities (edges of control flow, def-use chains) each node's own code covered. Nodes with the same ones share
/// a signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By node: which of `signatures`.
    pub signature: Vec<u32>,
    /// The entities of each, ascending.
    pub signatures: Vec<Vec<u32>>,
    /// How many entities there are.
    pub entities: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// Correct and wrong answers by method.
    pub answers: HashMap<Group, (u32, u32)>,
    /// How often each entity was covered by a node judged correct, or by one pruned with it.
    pub correct: Vec<u32>,
    /// The last question.
    pub last: Option<(Node, Verdict)>,
}
