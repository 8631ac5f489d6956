//! Up to when everything was fine: the last thing printed before the symptom showed, the last assertion of the failed test that
//! held. What ran before has done its work at least once; what ran only since is more likely wrong.

use base::{CallId, Ending, Target};
use past::Past;
use tree::{MemoryTree, Node, Tree};

use crate::entry::{Symptom, SymptomReason};
use crate::oracle::children;
use crate::plain::PlainTree;

/// The last call that printed or compared something before a symptom showed.
pub fn fine_until(past: &Past, symptom: &Symptom) -> Option<CallId> {
    if !matches!(symptom.why, SymptomReason::FailedTest { .. }) {
        return past.last_printed(symptom.time?);
    }
    let held = |&(call, row): &(CallId, past::CallRow)| {
        let (owner, name, descriptor) = match (row.target, row.ending) {
            (Target::Library(_), Ending::Returned(_)) => past.target(row.target),
            _ => return None,
        };
        jdk::testing::asserted(&owner, &name, &descriptor).map(|_| call)
    };
    // Those of the test itself that came back: it ends with the first that does not.
    children(past, symptom.call).iter().rev().find_map(held)
}

/// Calls of a tree that were over by then, those of other threads left aside.
pub struct Fine {
    /// Rows of the plain tree that begin before this one do so before then.
    until: u32,
}

impl Fine {
    pub fn of(plain: &PlainTree, until: Option<CallId>) -> Fine {
        Fine { until: until.and_then(|call| plain.node(call)).map_or(0, |node| node.0) }
    }

    pub fn has_row(&self, plain: &PlainTree, node: Node) -> bool {
        node.0 < self.until && plain.end(node).0 <= self.until
    }

    pub fn has(&self, plain: &PlainTree, tree: &MemoryTree, node: Node) -> bool {
        let fragment = tree.fragment(node);
        self.has_row(plain, Node(fragment.row().0)) && fragment.last().0 < self.until
    }
}
