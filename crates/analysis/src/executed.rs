//! What every call of the run executed itself, as shapes: calls of a method that went through the same edges share
//! one, so that a million calls cost four bytes each. Worked out once for a recording, in one pass, and kept beside its
//! index.

mod pass;
mod store;
mod table;

use std::collections::BTreeMap;

use index::Evidence;
use past::{CallId, Past, Position, StreamId};
use shelf::Shelf;
use trace::MethodId;

use crate::cfg::EdgeId;
use crate::code::Code;
use crate::error::Result;
use crate::omissions::Kept;
use store::ShapeColumn;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

/// What calls of one method have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionShape {
    pub method: MethodId,
    /// A bit per edge of the method's control-flow graph that was taken.
    pub edges: Box<[u64]>,
    /// Where an exception arose, in the order of the code: the rest of its block did not run then.
    pub thrown: Box<[u16]>,
    pub end: End,
    /// Something of it is not known: then nothing is said to be unexecuted, and nothing of the above is told.
    pub unknown: bool,
    pub calls: u64,
    /// The first one, of the first thread that has one.
    pub first: CallId,
}

/// How calls of a shape ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// By the `return` at this place.
    Returned(u16),
    /// By an exception, from one of the places in `thrown`.
    Threw,
    /// Not at all, as far as is recorded: what they did not execute they may still have executed later. The
    /// instruction that they were at; none if they had just come to a block and nothing in it is known to have run.
    Open(Option<u16>),
}

impl ExecutionShape {
    /// Did the calls not end, as far as is recorded?
    pub fn unfinished(&self) -> bool {
        matches!(self.end, End::Open(_))
    }

    pub fn took(&self, edge: EdgeId) -> bool {
        self.edges.get(edge.0 as usize / 64).is_some_and(|word| word >> (edge.0 % 64) & 1 == 1)
    }

    /// Did the calls execute an instruction, if only in part: it may have failed? True if that is not known.
    pub fn ran(&self, code: &Code, bci: u16) -> bool {
        if self.unknown {
            return true;
        }
        let cfg = &code.cfg;
        let Some(block) = cfg.block_at(bci) else { return false };
        let leaving = cfg.successors[usize::from(block.0)].iter();
        let whole = leaving.copied().any(|edge| !cfg.edge_of(edge).exceptional && self.took(edge));
        if whole {
            return true;
        }
        let last = cfg.block(block).last;
        // Where the block was left in its middle, or its end was the call's.
        let stopped = match self.end {
            End::Returned(at) => Some(at),
            End::Open(at) => at,
            End::Threw => None,
        };
        self.thrown.iter().copied().chain(stopped).any(|at| (bci..=last).contains(&at))
    }
}

/// Of all calls.
pub struct Executed {
    rows: ShapeColumn,
    shapes: Vec<ExecutionShape>,
    methods: BTreeMap<MethodId, Vec<ShapeId>>,
    kept: Kept,
}

impl Executed {
    /// Opens what is kept, or makes it and keeps it: `progress` is told the share that is done.
    pub fn open(past: &Past, shelf: &Shelf, progress: &mut dyn FnMut(f64)) -> Result<Executed> {
        let (rows, shapes) = store::open(past, shelf, progress)?;
        let mut methods: BTreeMap<MethodId, Vec<ShapeId>> = BTreeMap::new();
        for (id, shape) in (0..).map(ShapeId).zip(&shapes) {
            methods.entry(shape.method).or_default().push(id);
        }
        for ids in methods.values_mut() {
            ids.sort_by_key(|id| (std::cmp::Reverse(shapes[id.0 as usize].calls), *id));
        }
        Ok(Executed { rows, shapes, methods, kept: Kept::default() })
    }

    /// Code of this recording that was read to answer questions.
    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// None for a call into a library.
    pub fn shape_of(&self, call: CallId) -> Option<ShapeId> {
        let id = self.rows.get(call)?.checked_sub(1)?;
        ((id as usize) < self.shapes.len()).then_some(ShapeId(id))
    }

    pub fn shape(&self, id: ShapeId) -> &ExecutionShape {
        &self.shapes[id.0 as usize]
    }

    /// The shapes of a method's calls, the most frequent first.
    pub fn shapes(&self, method: MethodId) -> &[ShapeId] {
        self.methods.get(&method).map_or(&[], Vec::as_slice)
    }

    /// Methods that ran.
    pub fn methods(&self) -> impl Iterator<Item = MethodId> + '_ {
        self.methods.keys().copied()
    }

    /// The calls of a shape, in the order in which they began.
    pub fn calls<'a>(&'a self, past: &'a Past, id: ShapeId) -> Box<dyn Iterator<Item = CallId> + 'a> {
        let count = usize::try_from(self.shape(id).calls).unwrap_or(usize::MAX);
        let in_stream = move |stream: StreamId| self.rows.all(stream, id.0 + 1);
        let mut streams: Vec<_> = self.rows.streams().map(|stream| in_stream(stream).peekable()).collect();
        if let [_] = streams.as_slice() {
            return Box::new(streams.pop().into_iter().flatten().take(count));
        }
        let began = |call: &CallId| {
            let entry = past.index().call(*call)?.entry;
            past.index().time(Position { stream: call.stream, ordinal: entry })
        };
        let merged = std::iter::from_fn(move || {
            let next = streams.iter_mut().enumerate().filter_map(|(at, one)| Some((began(one.peek()?), at)));
            let (_, at) = next.min()?;
            streams[at].next()
        });
        Box::new(merged.take(count))
    }

    /// Did calls of this shape execute the instruction? See [`ExecutionShape::ran`].
    pub fn ran(&self, id: ShapeId, code: &Code, bci: u16) -> bool {
        self.shape(id).ran(code, bci)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{TRY, WHILE, method};

    fn shape(edges: u64, thrown: &[u16], end: End) -> ExecutionShape {
        ExecutionShape {
            method: MethodId(0),
            edges: Box::new([edges]),
            thrown: thrown.into(),
            end,
            unknown: false,
            calls: 1,
            first: CallId { stream: StreamId(1), index: 0 },
        }
    }

    fn ran(shape: &ExecutionShape, code: &Code) -> Vec<u16> {
        code.insns.iter().map(|insn| insn.bci).filter(|&bci| shape.ran(code, bci)).collect()
    }

    #[test]
    fn a_block_runs_up_to_where_it_was_left() {
        let code = method(&WHILE, &[], &[0]);
        let edge = |from: u16, to: u16| {
            let ends = |edge: &crate::cfg::Edge| {
                (code.cfg.block(edge.from).first, code.cfg.block(edge.to).first) == (from, to)
            };
            1 << code.cfg.edges.iter().position(ends).unwrap()
        };
        let never = edge(0, 2) | edge(2, 13);
        assert_eq!(ran(&shape(never, &[], End::Returned(13)), &code), [0, 1, 2, 3, 4, 13]);
        let round = edge(0, 2) | edge(2, 7) | edge(7, 2);
        assert_eq!(ran(&shape(round, &[], End::Open(Some(3))), &code), [0, 1, 2, 3, 4, 7, 10]);
        let body = edge(0, 2) | edge(2, 7);
        assert_eq!(ran(&shape(body, &[], End::Open(None)), &code), [0, 1, 2, 3, 4]);
        assert_eq!(ran(&shape(body, &[7], End::Threw), &code), [0, 1, 2, 3, 4, 7]);
    }

    #[test]
    fn an_exception_that_was_caught_leaves_its_block_too() {
        let code = method(&TRY, &[(4, 6, 7)], &[0, 1]);
        let handler = (0..).map(EdgeId).zip(&code.cfg.edges).filter(|(_, edge)| edge.exceptional);
        let inside = code.cfg.edges.iter().position(|edge| code.cfg.block(edge.to).first == 4).unwrap();
        let edges = handler.map(|(id, _)| 1 << id.0).sum::<u64>() | 1 << inside;
        assert_eq!(ran(&shape(edges, &[4], End::Returned(8)), &code), [0, 1, 4, 7, 8]);
        assert_eq!(ran(&shape(edges, &[5], End::Returned(8)), &code), [0, 1, 4, 5, 7, 8]);
    }

    #[test]
    fn of_an_unknown_shape_nothing_is_said_not_to_have_run() {
        let code = method(&WHILE, &[], &[0]);
        let unknown = ExecutionShape { unknown: true, ..shape(0, &[], End::Threw) };
        assert_eq!(ran(&unknown, &code).len(), code.insns.len());
    }
}
