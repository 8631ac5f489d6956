//! The tree that is asked about, as a page draws it: rows by rank, and what a page does with them.

use past::{CallId, Past};
use serde::{Deserialize, Serialize};

use crate::subject::Subject;

/// Rows of the tree; ranks mean the same as long as `state` is the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeRows {
    pub generation: u64,
    /// Ranks mean the same as long as this is the same.
    pub state: u64,
    /// Rows there are in all.
    pub total: u64,
    /// The rank of the first of `rows`.
    pub from: u64,
    pub rows: Vec<TreeRow>,
    pub filter: TreeFilter,
    /// The rank of what was asked for.
    pub rank: Option<u64>,
    /// How near that is to a call that was asked for.
    pub near: Option<Near>,
    pub found: Option<TreeMatch>,
    /// Only a part was expanded.
    pub cut: bool,
    /// Where the subjects are that were asked for.
    pub ranks: Vec<Option<u64>>,
}

/// A row of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeRow {
    pub node: u32,
    pub level: u32,
    /// Its place among its siblings, from 0, and how many there are.
    pub place: u32,
    pub siblings: u32,
    pub expandable: bool,
    pub expanded: bool,
    /// Nodes in it that are left out of what is shown.
    pub left_out: u32,
    /// Marked calls at it, or folded in it.
    pub marks: u32,
    pub subject: Option<Subject>,
    #[cfg_attr(test, ts(type = "KindName"))]
    pub kind: String,
    /// `MergeSort.merge#3`; the first one where there are several.
    pub call: String,
    pub number: Option<u64>,
    pub status: NodeStatus,
    /// Code of a library.
    pub trusted: bool,
    /// Events in it, for a call.
    pub events: u64,
    pub caption: Caption,
}

/// What a row says. For one call, its parts, so that each can have its room; otherwise words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Caption {
    Call(CallCaption),
    Words(String),
}

/// A call on a row: `MergeSort` `merge` `#3` `(a=[1, 2])` ` = 3`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallCaption {
    /// `MergeSort.merge`
    pub method: String,
    /// `MergeSort`
    pub class: String,
    /// `merge`, with parameter types where others would be called the same.
    pub name: String,
    /// Which call of the method it is, from 1.
    pub nth: u64,
    /// `(a=[1, 2])`
    pub args: String,
    /// `= 3`, `threw …`, and for nested calls how many; empty if there is nothing to say.
    pub end: String,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum NodeStatus {
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

/// How near a row is to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Near {
    Here,
    /// The row is the nearest one around it.
    Around,
    /// So it is because the call itself is left out of what is shown.
    LeftOut,
    /// The tree does not have it.
    Nowhere,
}

/// What was found by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeMatch {
    /// Its place among the matches, from 0.
    pub at: Option<u32>,
    /// How many there are.
    pub of: u32,
    /// The search went past an end of the tree.
    pub round: bool,
}

/// What of the tree is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeFilter {
    /// Only methods with this text in their names.
    pub text: String,
    /// No calls into libraries.
    pub program: bool,
}

/// Parameters of `GET tree`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeQuery {
    /// A name that the page made up for itself.
    pub page: String,
    pub from: u64,
    pub count: usize,
}

/// Body of `POST tree`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeRequest {
    pub page: String,
    #[serde(flatten)]
    pub act: TreeAct,
    /// The first row that is wanted; if none, those around what was asked for.
    pub from: Option<u64>,
    pub count: usize,
    /// Subjects whose ranks are wanted.
    #[serde(default)]
    pub ranks: Vec<Subject>,
}

/// What to do with the tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum TreeAct {
    Look,
    Expand {
        subject: Subject,
    },
    /// It, and all that is below.
    ExpandAll {
        subject: Subject,
    },
    /// It, and those beside it.
    ExpandSiblings {
        subject: Subject,
    },
    Collapse {
        subject: Subject,
    },
    CollapseAll,
    /// Where what is above it is.
    Parent {
        subject: Subject,
    },
    /// Expands what is above a call.
    Reveal {
        number: u64,
    },
    /// The next call of a method with a text in its name; `stay`: only counts them.
    Find {
        text: String,
        after: Option<Subject>,
        back: bool,
        stay: bool,
    },
    /// Shows another part of the tree, and a call in it.
    Filter {
        filter: TreeFilter,
        number: Option<u64>,
    },
    /// Calls to be counted on the rows in which they are.
    Mark {
        numbers: Vec<u64>,
    },
}

impl From<session::Status> for NodeStatus {
    fn from(status: session::Status) -> NodeStatus {
        use session::Status;
        match status {
            Status::Suspect => NodeStatus::Suspect,
            Status::Correct => NodeStatus::Correct,
            Status::Cleared => NodeStatus::Cleared,
            Status::Wrong => NodeStatus::Wrong,
            Status::Trusted => NodeStatus::Trusted,
            Status::Unknown => NodeStatus::Unknown,
            Status::Unfinished => NodeStatus::Unfinished,
            Status::Inadmissible => NodeStatus::Inadmissible,
            Status::Outside => NodeStatus::Outside,
        }
    }
}

impl Caption {
    pub fn of(past: &Past, call: Option<CallId>, words: words::Caption) -> Caption {
        match (words, call.and_then(|call| past.call_parts(call))) {
            (words::Caption::Call(words), Some((method, nth))) => Caption::Call(CallCaption {
                method: method.to_string(),
                class: method.class,
                name: method.name,
                nth,
                args: words.args,
                end: words.end,
            }),
            (words::Caption::Call(words), None) => Caption::Words(words.to_string()),
            (words::Caption::Words(words), _) => Caption::Words(words),
        }
    }
}
