//! When there is nothing left to ask: what the answers amount to, and what follows from them without a question.

use super::Suspects;
use crate::tree::{Node, Suspicion};

/// What the answers amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// It is wrong, may be what is wrong, and nothing else in it is suspected.
    Buggy(Node),
    /// The root was not known to be wrong, and nothing is suspected any more.
    Correct,
    /// It is wrong and all that could be asked about in it is correct, but it is not asked about itself. In a program
    /// that runs: the bug is in a call that is not completed yet. Otherwise: in code that is trusted.
    Unfinished(Node),
    /// It was judged wrong, yet everything that could be wrong in it was judged correct.
    Contradiction(Node),
}

impl Suspects {
    /// What the answers amount to, or none while something is left to ask or put off. Call `infer` first.
    pub fn conclusion(&self) -> Option<Conclusion> {
        let (root, left) = (self.root, self.len());
        match (self.root_wrong, left) {
            (false, 0) => Some(Conclusion::Correct),
            (true, 0) if self.tree.suspicion(root) == Suspicion::Through => {
                Some(Conclusion::Unfinished(root))
            }
            (true, 0) => Some(Conclusion::Contradiction(root)),
            (true, 1) if self.own_parts(root) > 0 => Some(Conclusion::Buggy(root)),
            _ => None,
        }
    }

    /// Takes one step that needs no question: a wrong root without code of its own (a projection, or a trusted call
    /// in a program that has ended) has a wrong child, so if only one is left that is it. A child that was put off
    /// counts. Returns the new root.
    pub fn infer(&mut self) -> Option<Node> {
        let codeless = match self.tree.suspicion(self.root) {
            Suspicion::Suspect => false,
            Suspicion::Joint => true,
            Suspicion::Through => !self.running,
        };
        if !self.root_wrong || !codeless {
            return None;
        }
        let mut left = self.topmost(self.root, |node| self.tree.suspicion(node) != Suspicion::Through);
        let (only, _) = left.next()?;
        if left.next().is_some() {
            return None;
        }
        drop(left);
        self.enter(only);
        Some(only)
    }
}
