//! Inside a guilty call: its own statements, one node each. The calls in it were judged already, so what is left is
//! what its own code computed.

use std::sync::Arc;

use base::CallId;
use past::Past;
use strategy::Learned;
use tree::{CodeGroup, Fragment, Node, PlainRow, Suspects, Suspicion, TreeBuilder};

use crate::answer::Judged;
use crate::error::{Error, Result};
use crate::oracle::Trust;
use crate::plain::PlainTree;
use crate::state::SearchState;

/// Statements that are looked at, at most.
const MAX_STATEMENTS: usize = 100_000;

pub fn build(past: &Arc<Past>, call: CallId, answers: &[Judged]) -> Result<SearchState> {
    let plain = Arc::new(PlainTree::new(Arc::clone(past), call, false, &Trust::default()));
    let statements = analysis::statements(past, call, MAX_STATEMENTS)?;
    if statements.list.is_empty() {
        return Err(Error::NothingTo("look into"));
    }
    let mut builder = TreeBuilder::default();
    builder.open(Fragment::Call(PlainRow(0)), CodeGroup(0), Suspicion::Suspect);
    for (at, statement) in statements.list.iter().enumerate() {
        // The same instruction executed again is the same code.
        let group = CodeGroup(1 + u32::from(statement.bci));
        builder.leaf(Fragment::Statement { call: PlainRow(0), at: at as u32 }, group, Suspicion::Suspect);
    }
    let tree = Arc::new(builder.finish());
    let suspects = Suspects::new(Arc::clone(&tree) as _, Node(0), true);
    let note = (!statements.complete).then(|| "not all statements of the call are known".to_owned());
    let mut state = SearchState {
        plain,
        tree: Some(tree),
        unfolded: None,
        coverage: None,
        suspects,
        learned: Learned::default(),
        note,
        postponed: false,
    };
    for judged in answers {
        state.apply(judged);
    }
    Ok(state)
}
