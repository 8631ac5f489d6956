//! A stretch of a thread's time at a given number of columns, as a timeline shows it: calls that can be seen, crowds
//! of calls that are too short for that, exceptions and output. What it costs goes with the columns and levels that are
//! asked for, not with how much happened.

mod flames;

use std::ops::Range;

use index::{CallId, Ending, List, Noted, Position, Target, Time};
use trace::StreamId;

use crate::past::Past;
use flames::{Bar, Calls};

/// What is wanted of a lane. Both times belong to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    pub from: Time,
    pub to: Time,
    pub columns: u32,
    pub levels: Range<u32>,
}

/// One thread in the stretch. What it holds is bounded by the columns, however much happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    pub flames: Vec<Flame>,
    pub crowds: Vec<Crowd>,
    pub throws: Vec<Dot>,
    pub output: Vec<Dot>,
    /// Calls that began in the stretch, on all levels.
    pub calls: u32,
}

/// A call that is long enough to be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Flame {
    pub call: CallId,
    pub target: Target,
    pub level: u32,
    pub from: Time,
    pub to: Time,
    pub ending: Ending,
}

/// Calls in one column that are too short and too many to be told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowd {
    pub column: u32,
    /// On each of these there is something; deeper there may be more.
    pub levels: Range<u32>,
    pub calls: u32,
    /// One of them.
    pub first: CallId,
}

/// The first event of note in a column, and how many there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    pub noted: Noted,
    pub time: Time,
    pub count: usize,
}

impl Stretch {
    /// As many columns as there are moments, at most.
    fn columns(&self) -> u64 {
        u64::from(self.columns.max(1)).min(self.moments())
    }

    fn moments(&self) -> u64 {
        self.to.0.saturating_sub(self.from.0) + 1
    }

    /// The column that a time of the stretch is in.
    fn column(&self, time: Time) -> u64 {
        let share = u128::from(time.0.saturating_sub(self.from.0)) * u128::from(self.columns());
        (share / u128::from(self.moments())) as u64
    }

    /// The times at which a column begins and the next one does.
    pub fn times(&self, column: u32) -> Range<u64> {
        let begin = |column: u64| {
            let share = u128::from(self.moments()) * u128::from(column) / u128::from(self.columns());
            self.from.0 + share as u64
        };
        begin(u64::from(column))..begin(u64::from(column) + 1)
    }
}

impl Past {
    /// The lane of a thread that has several streams, one after the other.
    pub fn thread_lane(&self, streams: &[StreamId], stretch: &Stretch) -> Lane {
        let before = |stream| match stretch.from.0.checked_sub(1) {
            Some(time) => self.index.happened(stream, Time(time)),
            None => 0,
        };
        let mut whole = Lane::default();
        for &stream in streams {
            if self.index.happened(stream, stretch.to) == before(stream) {
                continue;
            }
            let lane = self.lane(stream, stretch);
            whole.flames.extend(lane.flames);
            whole.calls += lane.calls;
            // In the column in which one stream ended the next has begun.
            let shared = whole.crowds.len();
            for crowd in lane.crowds {
                let place = (crowd.column, crowd.levels.start);
                let mut before = whole.crowds[..shared].iter_mut().rev();
                let mut before = before.by_ref().take_while(|one| one.column == crowd.column);
                match before.find(|one| (one.column, one.levels.start) == place) {
                    Some(one) => {
                        one.levels.end = one.levels.end.max(crowd.levels.end);
                        one.calls += crowd.calls;
                    }
                    None => whole.crowds.push(crowd),
                }
            }
            for (all, own) in [(&mut whole.throws, lane.throws), (&mut whole.output, lane.output)] {
                for dot in own {
                    match all.last_mut() {
                        Some(last) if stretch.column(last.time) == stretch.column(dot.time) => {
                            last.count += dot.count
                        }
                        _ => all.push(dot),
                    }
                }
            }
        }
        whole
    }

    pub fn lane(&self, stream: StreamId, stretch: &Stretch) -> Lane {
        self.stay_small();
        let index = &self.index;
        let happened =
            |before: u64| before.checked_sub(1).map_or(0, |last| index.happened(stream, Time(last)));
        let columns = stretch.columns() as u32;
        let mut bounds = vec![happened(stretch.from.0)];
        bounds.extend((0..columns).map(|column| happened(stretch.times(column).end)));
        let id = |row: u32| CallId { stream, index: row };
        let calls = Calls {
            count: index.calls(stream),
            bar: &|row| {
                let call = index.call(id(row))?;
                Some(Bar { entry: call.entry, exit: call.exit, parent: call.parent, depth: call.depth })
            },
            child: &|parent, inner| Some(index.child_around(id(parent), id(inner))?.index),
        };
        let seen = flames::seen(&calls, &bounds, &stretch.levels);
        let time = |ordinal| index.time(Position { stream, ordinal });
        let flames = seen.bars.into_iter().filter_map(|(row, bar)| {
            let call = index.call(id(row))?;
            let (from, to) = (time(bar.entry)?, time(bar.exit)?);
            Some(Flame {
                call: id(row),
                target: call.target,
                level: bar.depth,
                from,
                to,
                ending: call.ending,
            })
        });
        let crowds = seen.crowds.into_iter().map(|crowd| Crowd {
            column: crowd.column,
            levels: crowd.levels,
            calls: crowd.calls,
            first: id(crowd.first),
        });
        Lane {
            flames: flames.collect(),
            crowds: crowds.collect(),
            throws: self.dots(List::Throws, stream, &bounds),
            output: self.dots(List::Output, stream, &bounds),
            calls: seen.begun,
        }
    }

    fn dots(&self, list: List, stream: StreamId, bounds: &[u64]) -> Vec<Dot> {
        let end = bounds.last().copied().unwrap_or(0);
        let mut from = bounds.first().copied().unwrap_or(0);
        let mut marks = Vec::new();
        loop {
            let found = self.index.noted_within(list, stream, from..end);
            let Some(noted) = Some(found.start).filter(|_| !found.is_empty()) else { return marks };
            let Some(noted) = self.index.noted(list, noted) else { return marks };
            let column = bounds.partition_point(|&bound| bound <= noted.position.ordinal);
            let next = bounds.get(column).copied().unwrap_or(end);
            let count = self.index.noted_within(list, stream, noted.position.ordinal..next).len();
            let Some(time) = self.index.time(noted.position) else { return marks };
            marks.push(Dot { noted, time, count });
            from = next;
        }
    }
}
