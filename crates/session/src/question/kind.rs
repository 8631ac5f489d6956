//! The kinds of what can be asked about, one row each: every client takes names and words for nodes of the tree from here.

use serde::{Serialize, Serializer};

use crate::subject::Subject;

tree::closed! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum NodeKind {
        Call,
        /// Calls of one method that follow each other, as one.
        Collapse,
        /// Calls that follow each other, under a parent of their own.
        Projection,
        /// A call with the nested calls of the same method.
        Nest,
        Loop,
        Iterations,
        Thread,
        Statement,
    }
}

pub struct NodeKindRow {
    /// As clients write it.
    pub name: &'static str,
    /// What is told beside what it is called, if it is not one plain call.
    pub text: Option<KindText>,
    /// It has one method, which can be trusted and looked for.
    pub one_method: bool,
}

pub struct KindText {
    /// On a row of the tree, and what that means.
    pub badge: &'static str,
    pub meaning: &'static str,
    /// Over a question.
    pub asked: &'static str,
}

impl NodeKind {
    pub fn of(subject: &Subject) -> NodeKind {
        match *subject {
            Subject::Call { .. } => NodeKind::Call,
            Subject::Thread { .. } => NodeKind::Thread,
            Subject::Run { collapsed: true, .. } => NodeKind::Collapse,
            Subject::Run { collapsed: false, .. } => NodeKind::Projection,
            Subject::Nest { .. } => NodeKind::Nest,
            Subject::Loop { from: 0, to: None, .. } => NodeKind::Loop,
            Subject::Loop { .. } => NodeKind::Iterations,
            Subject::Statement { .. } => NodeKind::Statement,
        }
    }

    pub const fn row(self) -> &'static NodeKindRow {
        match self {
            NodeKind::Call => &NodeKindRow { name: "call", text: None, one_method: true },
            NodeKind::Collapse => &NodeKindRow {
                name: "collapse",
                text: Some(KindText {
                    badge: "×n",
                    meaning: "calls of one method, asked about together",
                    asked: "calls of one method, together",
                }),
                one_method: false,
            },
            NodeKind::Projection => &NodeKindRow {
                name: "projection",
                text: Some(KindText {
                    badge: "group",
                    meaning: "calls that follow each other, under a row of their own",
                    asked: "calls that follow each other, together",
                }),
                one_method: false,
            },
            NodeKind::Nest => &NodeKindRow {
                name: "nest",
                text: Some(KindText {
                    badge: "recursion",
                    meaning: "a call with the calls of the same method nested in it",
                    asked: "a call with its recursion",
                }),
                one_method: true,
            },
            NodeKind::Loop => &NodeKindRow {
                name: "loop",
                text: Some(KindText { badge: "loop", meaning: "one run of a loop", asked: "a loop" }),
                one_method: false,
            },
            NodeKind::Iterations => &NodeKindRow {
                name: "iterations",
                text: Some(KindText {
                    badge: "loop",
                    meaning: "some iterations of a loop",
                    asked: "iterations of a loop",
                }),
                one_method: false,
            },
            NodeKind::Thread => &NodeKindRow {
                name: "thread",
                text: Some(KindText {
                    badge: "thread",
                    meaning: "all that one thread did",
                    asked: "all that a thread did",
                }),
                one_method: false,
            },
            NodeKind::Statement => &NodeKindRow {
                name: "statement",
                text: Some(KindText { badge: "line", meaning: "one statement", asked: "a statement" }),
                one_method: false,
            },
        }
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }
}

impl Serialize for NodeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_that_of_a_subject_and_has_a_name_of_its_own() {
        let run = |collapsed| Subject::Run { first: 1, last: 2, collapsed, independent: false };
        let iterations = |from, to| Subject::Loop { call: 1, run: 0, from, to };
        let subjects = [
            (Subject::Call { call: 1 }, "call"),
            (run(true), "collapse"),
            (run(false), "projection"),
            (Subject::Nest { call: 1, levels: 2 }, "nest"),
            (iterations(0, None), "loop"),
            (iterations(0, Some(4)), "iterations"),
            (Subject::Thread { first: 1 }, "thread"),
            (Subject::Statement { call: 1, at: 0 }, "statement"),
        ];
        let kinds = subjects.map(|(subject, name)| {
            let kind = NodeKind::of(&subject);
            assert_eq!(kind.name(), name);
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{name}\""));
            kind
        });
        assert_eq!(kinds, NodeKind::ALL);
    }
}
