//! The tree that is asked about, for a client that draws it: which node is what, and what is known of it.

use std::sync::Arc;

use past::{CallId, Ending, Target};
use tree::{Node, Suspicion, Tree};

use crate::answer::Answer;
use crate::error::{Error, Result};
use crate::question::NodeKind;
use crate::session::Session;
use crate::subject::Subject;

/// The tree as it is now. Nodes are those of `tree`; after a change of `generation` they are others, and subjects say
/// which is which.
#[derive(Clone)]
pub struct AskedTree {
    pub tree: Arc<dyn Tree>,
    pub top: Node,
    pub generation: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not decided yet.
    Suspect,
    /// Judged to be right.
    Correct,
    /// It lies in what is right.
    Cleared,
    Wrong,
    /// Believed to be right: a library, or what somebody trusts.
    Trusted,
    /// Somebody could not say.
    Unknown,
    /// It has not ended yet.
    Unfinished,
    /// It should never have been called like this.
    Inadmissible,
    /// Not in the part that is still looked at.
    Outside,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TreeRow {
    pub subject: Option<Subject>,
    pub kind: NodeKind,
    /// `MergeSort.merge#3`
    pub name: String,
    pub status: Status,
    /// The call by number, as commands take it: the first one where there are several.
    pub call: Option<u64>,
    pub library: bool,
    /// Events in it, for a call.
    pub events: u64,
}

impl Session {
    pub fn tree(&mut self) -> Result<AskedTree> {
        self.prepare()?;
        let state = self.state.as_ref().ok_or(Error::Nothing)?;
        let tree = Arc::clone(state.suspects.tree());
        Ok(AskedTree { tree, top: Node(0), generation: self.generation })
    }

    /// What a row shows, but for what it says in words (`Captions`): that takes no session.
    pub fn tree_row(&self, node: Node) -> Option<TreeRow> {
        let state = self.state.as_ref()?;
        let subject = state.subject(node);
        let call = subject.as_ref().and_then(Subject::call);
        let row = call.and_then(|call| self.past.call_row(call));
        let library = row.as_ref().is_some_and(|row| matches!(row.target, Target::Library(_)));
        let kind = subject.as_ref().map_or(NodeKind::Thread, NodeKind::of);
        Some(TreeRow {
            kind,
            name: call.map_or_else(|| crate::session::WHOLE_RUN.to_owned(), |call| self.past.call_name(call)),
            status: self.status(node, subject.as_ref(), row.as_ref().map(|row| row.ending)),
            call: call.map(CallId::number),
            library,
            events: row.map_or(0, |row| row.exit - row.entry + 1),
            subject,
        })
    }

    /// What a node is, in terms that outlive the tree.
    pub fn tree_subject(&self, node: Node) -> Option<Subject> {
        self.state.as_ref()?.subject(node)
    }

    pub fn tree_node(&self, subject: &Subject) -> Option<Node> {
        self.state.as_ref()?.node_of(subject)
    }

    fn status(&self, node: Node, subject: Option<&Subject>, ending: Option<Ending>) -> Status {
        let said = self.journal_state.answers.iter().rev().find(|judged| Some(&judged.subject) == subject);
        match said.map(|judged| &judged.answer) {
            Some(Answer::Correct) => return Status::Correct,
            Some(Answer::Wrong { .. }) => return Status::Wrong,
            Some(Answer::Inadmissible) => return Status::Inadmissible,
            Some(Answer::DontKnow) => return Status::Unknown,
            Some(Answer::Trust { .. }) | None => {}
        }
        let Some(state) = &self.state else { return Status::Suspect };
        let suspects = &state.suspects;
        let root = Subject::Call { call: self.symptom.call.number() };
        if subject == Some(&root) && self.is_root_wrong() {
            return Status::Wrong;
        }
        if ending == Some(Ending::Open) && self.is_live() {
            return Status::Unfinished;
        }
        if suspects.tree().suspicion(node) == Suspicion::Through {
            return Status::Trusted;
        }
        if suspects.cleared_until(node).is_some() {
            return Status::Cleared;
        }
        if suspects.holds(node) { Status::Suspect } else { Status::Outside }
    }
}
