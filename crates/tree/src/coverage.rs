//! What the code of each node covered: a fact about a tree's nodes that analysis finds and strategies weigh.

/// Which entities (edges of control flow or def-use chains, and what was written where) each node's own code covered. Nodes with the same ones share
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
