//! The loop runs of one open call, with the rows of the calls that it made in them.

use tree::{CodeGroup, IterationStart, LoopRun, LoopRuns, PlainRow};

use crate::loops::{LoopEnd, Within};
use crate::natural_loops::LoopId;
use crate::runs::{RunListener, Runs};

struct LoopRunSoFar {
    which: LoopId,
    within: Option<Within>,
    iterations: u32,
    first: u32,
    /// None while it runs.
    end: Option<u32>,
    starts: Vec<IterationStart>,
}

#[derive(Default)]
pub struct CallLoops {
    pub runs: Runs,
    told: Vec<LoopRunSoFar>,
}

/// Told about runs while the next row is known.
pub struct Taking<'a> {
    told: &'a mut Vec<LoopRunSoFar>,
    next_row: u32,
}

impl CallLoops {
    pub fn clear(&mut self) {
        self.runs = Runs::default();
        self.told.clear();
    }

    /// The runs, and who takes them in; `next_row` is the row that begins next.
    pub fn parts(&mut self, next_row: u32) -> (&mut Runs, Taking<'_>) {
        (&mut self.runs, Taking { told: &mut self.told, next_row })
    }

    /// The call itself makes a call, which has a row.
    pub fn called(&mut self, row: u32) {
        for (run, iteration) in self.runs.iterations() {
            let Some(told) = self.told.get_mut(run as usize) else { continue };
            let iteration = u32::try_from(iteration).unwrap_or(u32::MAX);
            if told.starts.last().is_none_or(|last| last.iteration != iteration) {
                told.starts.push(IterationStart { iteration, first: PlainRow(row) });
            }
        }
    }

    pub fn finish(&mut self, call: PlainRow, first_group: u32, next_row: u32, all: &mut LoopRuns) {
        for told in self.told.drain(..) {
            let within =
                told.within.map(|within| (within.run, u32::try_from(within.iteration).unwrap_or(u32::MAX)));
            let run = LoopRun {
                group: CodeGroup(first_group + u32::from(told.which.0)),
                within,
                iterations: told.iterations,
                first: PlainRow(told.first),
                end: PlainRow(told.end.unwrap_or(next_row)),
            };
            all.push(call, run, told.starts);
        }
    }
}

impl RunListener for Taking<'_> {
    fn begins(&mut self, _run: u32, which: LoopId, _first: u64, within: Option<Within>) {
        let first = self.next_row;
        self.told.push(LoopRunSoFar { which, within, iterations: 0, first, end: None, starts: Vec::new() });
    }

    fn iterates(&mut self, run: u32, _start: u64) {
        if let Some(told) = self.told.get_mut(run as usize) {
            told.iterations = told.iterations.saturating_add(1);
        }
    }

    fn ends(&mut self, run: u32, _last: u64, _how: LoopEnd) {
        if let Some(told) = self.told.get_mut(run as usize) {
            told.end = Some(self.next_row);
        }
    }
}
