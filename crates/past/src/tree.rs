//! The call tree, page by page: rows are found by their number and by stepping over subtrees, so that a page costs
//! the same wherever it lies and however many calls there are.

use index::{CallId, Target};
use trace::StreamId;

use crate::past::Past;

/// A row of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTreeRow {
    pub call: CallId,
    /// Levels below the root that was asked for.
    pub depth: u32,
    pub children: u32,
}

impl Past {
    /// Calls of a tree in the order in which they began, down to `depth` levels below the root; of all trees if there
    /// is no root. `library` says whether calls into libraries are among them (what they call back always is).
    pub fn tree_rows(&self, root: Option<CallId>, depth: Option<u32>, library: bool) -> CallTreeRows<'_> {
        let mut streams = if root.is_some() { Vec::new() } else { self.streams() };
        streams.reverse();
        let (next, end) = match root {
            Some(root) => {
                (root, self.index.call(root).map_or(0, |call| root.index.saturating_add(call.size)))
            }
            None => (CallId { stream: StreamId(0), index: 0 }, 0),
        };
        CallTreeRows { past: self, depth, library, streams, next, end, open: Vec::new() }
    }
}

/// Rows of the tree, one after the other.
pub struct CallTreeRows<'p> {
    past: &'p Past,
    depth: Option<u32>,
    library: bool,
    /// Streams that are still to come, the next one last.
    streams: Vec<StreamId>,
    next: CallId,
    end: u32,
    /// Ends of the subtrees that are open: as many as the next row has levels above it.
    open: Vec<u32>,
}

impl Iterator for CallTreeRows<'_> {
    type Item = CallTreeRow;

    fn next(&mut self) -> Option<CallTreeRow> {
        loop {
            while self.next.index >= self.end {
                let stream = self.streams.pop()?;
                self.open.clear();
                self.next = CallId { stream, index: 0 };
                self.end = self.past.index.calls(stream);
            }
            let id = self.next;
            let call = self.past.index.call(id)?;
            while self.open.last().is_some_and(|&end| end <= id.index) {
                self.open.pop();
            }
            let depth = self.open.len() as u32;
            let below = id.index.saturating_add(call.size.max(1));
            if self.depth.is_some_and(|limit| depth >= limit) {
                self.next.index = below;
            } else {
                self.next.index += 1;
                if below > self.next.index {
                    self.open.push(below);
                }
            }
            if self.library || matches!(call.target, Target::Method(_)) {
                return Some(CallTreeRow { call: id, depth, children: call.children });
            }
        }
    }
}
