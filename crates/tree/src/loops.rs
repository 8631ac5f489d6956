//! Which loops ran in which calls, how often, and what was called in which iteration: what loop expansion is made
//! from. Iterations in which nothing was called are only counted, so a loop of a billion rounds costs no more here
//! than one of two.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::fragment::PlainRow;
use crate::tree::CodeGroup;

/// One execution of a loop in a call. Its number is its place among all of that call, in the order they began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopRun {
    /// One group for all runs of a loop, none of which is a method's.
    pub group: CodeGroup,
    /// The run that it was nested in, and the iteration of that in which it began.
    pub within: Option<(u32, u32)>,
    pub iterations: u32,
    /// The first call that the same frame made after the loop began; the end of the call's subtree if there is none.
    pub first: PlainRow,
    /// The first call that the same frame made after the loop ended; the end of the call's subtree if there is none.
    pub end: PlainRow,
}

/// Where the calls of an iteration begin: only for iterations with calls made by the same frame, those in nested
/// loops included. The last test of the loop's condition, after which no iteration follows, counts as iteration
/// number `iterations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationStart {
    pub iteration: u32,
    pub first: PlainRow,
}

/// The loop runs of all calls, in one array; each with a run of another array for its iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopRuns {
    calls: BTreeMap<PlainRow, Range<u32>>,
    runs: Vec<(LoopRun, Range<u32>)>,
    starts: Vec<IterationStart>,
}

impl LoopRuns {
    /// Adds the next run of a call. The runs of one call are given one after the other, in the order they began; the
    /// calls in any order. `starts` comes in the order of iterations.
    pub fn push(&mut self, call: PlainRow, run: LoopRun, starts: impl IntoIterator<Item = IterationStart>) {
        let at = self.runs.len() as u32;
        let begin = self.starts.len() as u32;
        self.starts.extend(starts);
        self.runs.push((run, begin..self.starts.len() as u32));
        self.calls.entry(call).or_insert(at..at).end = at + 1;
    }

    /// The same with other rows, in the same order.
    pub fn renumbered(&self, row: impl Fn(PlainRow) -> PlainRow) -> LoopRuns {
        LoopRuns {
            calls: self.calls.iter().map(|(&call, range)| (row(call), range.clone())).collect(),
            runs: self
                .runs
                .iter()
                .map(|(run, starts)| {
                    let run = LoopRun { first: row(run.first), end: row(run.end), ..*run };
                    (run, starts.clone())
                })
                .collect(),
            starts: self
                .starts
                .iter()
                .map(|start| IterationStart { first: row(start.first), ..*start })
                .collect(),
        }
    }

    /// Leaves out the loops of the calls that do not pass.
    pub fn retain(&mut self, pass: impl Fn(PlainRow) -> bool) {
        self.calls.retain(|&call, _| pass(call));
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs in a call with their iterations that made calls; a run's number is its index.
    pub fn of(&self, call: PlainRow) -> impl ExactSizeIterator<Item = (LoopRun, &[IterationStart])> {
        let range = self.calls.get(&call).cloned().unwrap_or(0..0);
        self.runs[range.start as usize..range.end as usize].iter().map(|run| self.with_starts(run))
    }

    /// All runs, whatever call they are of.
    pub fn all(&self) -> impl ExactSizeIterator<Item = (LoopRun, &[IterationStart])> {
        self.runs.iter().map(|run| self.with_starts(run))
    }

    fn with_starts<'a>(
        &'a self,
        (run, starts): &'a (LoopRun, Range<u32>),
    ) -> (LoopRun, &'a [IterationStart]) {
        (*run, &self.starts[starts.start as usize..starts.end as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_by_their_call_whatever_order_the_calls_came_in() {
        let mut loops = LoopRuns::default();
        let run = |group, first, end| LoopRun {
            group: CodeGroup(group),
            within: None,
            iterations: 3,
            first: PlainRow(first),
            end: PlainRow(end),
        };
        let start = IterationStart { iteration: 1, first: PlainRow(8) };
        loops.push(PlainRow(7), run(1, 8, 9), [start]);
        loops.push(PlainRow(7), run(2, 9, 9), []);
        loops.push(PlainRow(2), run(1, 3, 3), []);
        let of = |row| {
            loops.of(PlainRow(row)).map(|(run, starts)| (run.group.0, starts.to_vec())).collect::<Vec<_>>()
        };
        assert_eq!(of(7), [(1, vec![start]), (2, vec![])]);
        assert_eq!(of(2), [(1, vec![])]);
        assert_eq!(of(3), []);
        assert_eq!(loops.all().len(), 3);
    }
}
