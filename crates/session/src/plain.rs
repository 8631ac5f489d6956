//! The plain tree: recorded calls as the index has them, read from there when they are asked for. Nothing of it is in
//! memory but which calls are trusted, a bit each; so its size does not matter.
//!
//! Nodes are rows of the index: those of the root's subtree first, then, below the root, other threads that began
//! while it ran. The whole run is a forest: its root is a node of its own without code, above all threads. Library
//! calls, trusted calls and calls of a running program that have not ended are passed through.

mod trusted;

use std::collections::HashMap;
use std::sync::Arc;

use base::{CallId, Position, StreamId};
use past::{CallRow, Past};
use tree::{Bits, CodeGroup, Node, PlainRow, Suspicion, Tree};

use crate::oracle::{Trust, TrustedCode};

/// What a tree is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// A call, and what other threads did from its beginning on if nothing of the program is around it.
    Call(CallId),
    /// All that was recorded: threads, initialisers, calls that libraries made.
    WholeRun,
}

/// The calls below a symptom, and other threads: a node is a row of the index, or a thread as a whole.
pub struct PlainTree {
    past: Arc<Past>,
    parts: Vec<Part>,
    /// Calls of program code that have not ended, ascending.
    open: Vec<Node>,
    trusted: Option<Bits>,
    /// Calls into libraries are suspected too.
    libraries: bool,
}

/// A run of rows of one thread.
struct Part {
    stream: StreamId,
    /// Its first row, and how many.
    first: u32,
    rows: u32,
    /// The node of its first row.
    at: u32,
    /// The node before that stands for the thread as a whole.
    headed: bool,
    /// Suspects before it, trust and open calls left aside.
    before: u32,
}

/// Groups of what is no method: a thread's whole run.
const THREADS: CodeGroup = CodeGroup(u32::MAX);

impl PlainTree {
    /// `wrong` is what is known to be wrong: trust in a call around it says nothing of what is in there.
    pub fn new(past: Arc<Past>, root: Root, trust: &Trust, wrong: Option<CallId>) -> PlainTree {
        let libraries = !trust.rules.iter().any(|rule| rule.on && rule.code == TrustedCode::Libraries);
        // Where nothing comes any more, what has not ended never will, and may be what is wrong.
        let over = !past.is_live();
        let mut parts = Vec::new();
        let (mut nodes, mut before) = (u32::from(root == Root::WholeRun), 0);
        let mut push = |stream: StreamId, first: u32, rows: u32, headed: bool| {
            nodes += u32::from(headed);
            parts.push(Part { stream, first, rows, at: nodes, headed, before });
            nodes += rows;
            before +=
                counted(&past, stream, first + rows, libraries) - counted(&past, stream, first, libraries);
        };
        let mut others = None;
        if let Root::Call(call) = root {
            let row = past.call_row(call);
            push(call.stream, call.index, row.as_ref().map_or(1, |row| row.size), false);
            others = row.is_some_and(|row| row.parent.is_none()).then_some(call);
        }
        if others.is_some() || root == Root::WholeRun {
            for (stream, first, rows, several) in threads(&past, others) {
                push(stream, first, rows, several);
            }
        }
        let mut plain =
            PlainTree { past: Arc::clone(&past), parts, open: Vec::new(), trusted: None, libraries };
        plain.open = plain
            .parts
            .iter()
            .flat_map(|part| past.open_calls(part.stream))
            .filter_map(|id| plain.node(id))
            .filter(|&node| !over && plain.is_counted(node))
            .collect();
        plain.open.sort();
        plain.trusted = plain.trusted_calls(trust, wrong);
        plain
    }

    pub fn past(&self) -> &Arc<Past> {
        &self.past
    }

    /// The call that a node is; none for a thread as a whole.
    pub fn call(&self, node: Node) -> Option<CallId> {
        let part = self.part(node);
        let index = part.first + node.0.checked_sub(part.at)?;
        Some(CallId { stream: part.stream, index })
    }

    pub fn node(&self, id: CallId) -> Option<Node> {
        let part = self.parts.iter().find(|part| {
            part.stream == id.stream && id.index >= part.first && id.index - part.first < part.rows
        })?;
        Some(Node(part.at + (id.index - part.first)))
    }

    /// The first call of the thread that a node stands for.
    pub fn thread(&self, node: Node) -> Option<CallId> {
        let part = self.part(node);
        (part.headed && node.0 + 1 == part.at).then_some(CallId { stream: part.stream, index: part.first })
    }

    /// Is a call the person's, or of a library that is suspected too?
    pub fn may_suspect(&self, id: CallId) -> bool {
        self.libraries || self.past.is_program_call(id)
    }

    pub fn row(&self, id: CallId) -> Option<PlainRow> {
        self.node(id).map(|node| PlainRow(node.0))
    }

    /// Calls of program code from one node up to another of the same thread, trusted or not.
    pub fn program_calls_between(&self, from: Node, to: Node) -> u32 {
        let part = self.part(from);
        let row = |node: Node| part.first + node.0.saturating_sub(part.at).min(part.rows);
        let before = |node| self.past.program_calls_before(part.stream, row(node));
        // All threads are below the root.
        let rest = if to.0 > part.at + part.rows {
            self.before(to) - self.before(Node(part.at + part.rows))
        } else {
            0
        };
        before(to).saturating_sub(before(from)) + rest
    }

    /// Events of the threads that a node without code stands for.
    pub fn events_below(&self, node: Node) -> u64 {
        let end = self.end(node);
        let below = self.parts.iter().filter(|part| part.at > node.0 && part.at < end.0);
        below.filter_map(|part| self.past.events_in(part.stream)).sum()
    }

    fn part(&self, node: Node) -> &Part {
        let after = self.parts.partition_point(|part| part.at - u32::from(part.headed) <= node.0);
        &self.parts[after.saturating_sub(1)]
    }

    /// Are all calls of the recording in one run of rows?
    pub fn is_one_stream(&self) -> bool {
        self.parts.len() == 1 && self.past.streams().len() == 1
    }

    /// Where a node is among the calls of its thread; it may be one past the last.
    pub fn row_at(&self, node: Node) -> Option<CallId> {
        let part = self.part(node);
        Some(CallId { stream: part.stream, index: part.first + node.0.checked_sub(part.at)? })
    }

    /// The nodes of calls, of those that have one. For many of them, where `node` would look for the thread each time.
    pub fn nodes<'s>(&'s self, calls: impl Iterator<Item = CallId> + 's) -> impl Iterator<Item = Node> + 's {
        let parts: HashMap<StreamId, &Part> = self.parts.iter().map(|part| (part.stream, part)).collect();
        let mut part = &self.parts[0];
        calls.filter_map(move |id| {
            if id.stream != part.stream {
                part = parts.get(&id.stream)?;
            }
            let row = id.index.checked_sub(part.first).filter(|&row| row < part.rows)?;
            Some(Node(part.at + row))
        })
    }

    /// A bit for each node that is a call of program code. Not counted yet.
    pub fn program_calls(&self) -> Bits {
        let mut bits = Bits::new(self.len());
        for part in &self.parts {
            let mut row = part.first;
            let end = part.first + part.rows;
            // The index has them counted by 64: mostly all of them are, or none.
            while row < end {
                let next = (row / 64 + 1).saturating_mul(64).min(end);
                let before = |row| self.past.program_calls_before(part.stream, row);
                let count = before(next) - before(row);
                let is = |index: &u32| {
                    count == next - row
                        || self.past.is_program_call(CallId { stream: part.stream, index: *index })
                };
                if count > 0 {
                    (row..next).filter(is).for_each(|index| bits.set(part.at + (index - part.first)));
                }
                row = next;
            }
        }
        bits
    }

    fn is_counted(&self, node: Node) -> bool {
        self.libraries || self.call(node).is_some_and(|id| self.past.is_program_call(id))
    }

    fn is_open(&self, node: Node) -> bool {
        self.open.binary_search(&node).is_ok()
    }
}

/// Calls of a stream before a row that are suspected unless something speaks for them.
fn counted(past: &Past, stream: StreamId, row: u32, libraries: bool) -> u32 {
    if libraries { row.min(past.calls_in(stream)) } else { past.program_calls_before(stream, row) }
}

/// Runs of rows of all threads, in the order in which they began: stream, first row, rows, and whether there is more
/// than one outermost call. With a root: of other threads that began while it ran.
fn threads(past: &Past, root: Option<CallId>) -> Vec<(StreamId, u32, u32, bool)> {
    let began = |id: CallId| {
        let call = past.call_row(id)?;
        past.time(Position { stream: id.stream, ordinal: call.entry })
    };
    let start = root.map(began);
    if start == Some(None) {
        return Vec::new();
    }
    let mut threads: Vec<_> = past
        .streams()
        .into_iter()
        .filter(|&stream| root.is_none_or(|root| !past.are_of_one_thread(stream, root.stream)))
        .filter(|&stream| past.program_calls_before(stream, u32::MAX) > 0)
        .filter_map(|stream| {
            let first = CallId { stream, index: 0 };
            let time = began(first).filter(|&time| start.flatten().is_none_or(|start| time > start))?;
            let rows = past.calls_in(stream);
            let several = past.call_row(first)?.size < rows;
            Some((time, (stream, 0, rows, several)))
        })
        .collect();
    threads.sort_by_key(|&(time, _)| time);
    threads.into_iter().map(|(_, part)| part).collect()
}

fn row_of(past: &Past, part: &Part, node: Node) -> Option<CallRow> {
    past.call_row(CallId { stream: part.stream, index: part.first + (node.0 - part.at) })
}

impl Tree for PlainTree {
    fn len(&self) -> u32 {
        self.parts.last().map_or(0, |part| part.at + part.rows)
    }

    fn end(&self, node: Node) -> Node {
        if node.0 == 0 {
            return Node(self.len());
        }
        let part = self.part(node);
        let last = part.at + part.rows;
        if node.0 < part.at {
            return Node(last);
        }
        let id = CallId { stream: part.stream, index: part.first + (node.0 - part.at) };
        Node(node.0.saturating_add(self.past.call_size(id)).min(last))
    }

    fn parent(&self, node: Node) -> Option<Node> {
        if node.0 == 0 {
            return None;
        }
        let part = self.part(node);
        let above = || row_of(&self.past, part, node)?.parent?.checked_sub(part.first);
        let outermost = if part.headed && node.0 >= part.at { Node(part.at - 1) } else { Node(0) };
        if node.0 < part.at {
            return Some(Node(0));
        }
        Some(above().map_or(outermost, |row| Node(part.at + row)))
    }

    fn suspicion(&self, node: Node) -> Suspicion {
        let part = self.part(node);
        if node.0 < part.at {
            return Suspicion::Joint;
        }
        let suspected = self.is_counted(node)
            && !self.is_open(node)
            && !self.trusted.as_ref().is_some_and(|bits| bits.get(node.0));
        if suspected { Suspicion::Suspect } else { Suspicion::Through }
    }

    fn group(&self, node: Node) -> CodeGroup {
        let part = self.part(node);
        if node.0 < part.at {
            return THREADS;
        }
        let target = row_of(&self.past, part, node).map(|call| call.target);
        let group = target.and_then(|target| self.past.group_of(target));
        CodeGroup(group.map_or(u32::MAX - 1, |group| group.number()))
    }

    fn before(&self, node: Node) -> u32 {
        let part = self.part(node);
        let row = part.first + node.0.saturating_sub(part.at).min(part.rows);
        let counted = |row| counted(&self.past, part.stream, row, self.libraries);
        let program = part.before + counted(row) - counted(part.first);
        let open = self.open.partition_point(|open| open.0 < node.0) as u32;
        let trusted = self.trusted.as_ref().map_or(0, |bits| bits.before(node.0));
        program - open - trusted
    }
}
