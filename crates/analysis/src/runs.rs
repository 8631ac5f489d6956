//! The runs of loops that are open in a call: each edge that control takes may begin one, begin an iteration of one,
//! or end some.

use crate::cfg::{BlockExit, BlockId, EdgeId};
use crate::code::Code;
use crate::loops::{LoopEnd, Within};
use crate::natural_loops::{LoopId, NaturalLoops};

/// Who is told about runs; they are numbered as they begin.
pub trait RunListener {
    /// `first`: the ordinal of the first event that may be in it.
    fn begins(&mut self, run: u32, which: LoopId, first: u64, within: Option<Within>);

    /// An iteration began with this event.
    fn iterates(&mut self, run: u32, start: u64);

    /// `last`: the ordinal of the last event in it.
    fn ends(&mut self, run: u32, last: u64, how: LoopEnd);
}

#[derive(Clone, Debug)]
struct Open {
    which: LoopId,
    run: u32,
    /// The ordinal of the first event after the last arrival at the head.
    arrived: u64,
    /// Did the body run since?
    begun: bool,
    count: u64,
    /// The body was left, but not what is written in it.
    leaving: Option<LoopEnd>,
}

impl Open {
    /// From 0; that of a test that ends the loop is the number after the last.
    fn iteration(&self) -> u64 {
        if self.begun { self.count - 1 } else { self.count }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Runs {
    open: Vec<Open>,
    next: u32,
}

impl Runs {
    /// The innermost open run, and which of its iterations it is in.
    pub fn here(&self) -> Option<Within> {
        let open = self.open.last()?;
        Some(Within { run: open.run, iteration: open.iteration() })
    }

    /// The open runs, the outermost first, and which of its iterations each is in.
    pub fn iterations(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.open.iter().map(|open| (open.run, open.iteration()))
    }

    /// Numbers of the open runs, the outermost first.
    pub fn open(&self) -> impl Iterator<Item = u32> + '_ {
        self.open.iter().map(|open| open.run)
    }

    /// The call begins; `first` is the ordinal of its first event after that.
    pub fn start(&mut self, loops: &NaturalLoops, first: u64, sink: &mut impl RunListener) {
        let at_start = loops.all.iter().position(|one| one.head == BlockId(0));
        if let Some(at) = at_start {
            self.begin(LoopId(at as u16), first, sink);
            if loops.all[at].test.is_none() {
                self.iterate(LoopId(at as u16), sink);
            }
        }
    }

    /// Control takes an edge. `before` is the ordinal of the last event that came before this event; `at` that of the
    /// event, which is why control goes this way unless there was no choice.
    #[inline]
    pub fn edge(&mut self, code: &Code, edge: EdgeId, before: u64, at: u64, sink: &mut impl RunListener) {
        let passage = code.loops().passage(edge);
        if passage.matters() {
            self.pass(code, edge, before, at, sink);
        }
    }

    fn pass(&mut self, code: &Code, id: EdgeId, before: u64, at: u64, sink: &mut impl RunListener) {
        let (loops, edge) = (code.loops(), code.cfg.edge_of(id));
        let passage = loops.passage(id);
        let chosen = !matches!(code.cfg.block(edge.from).exit, BlockExit::Falls(_) | BlockExit::Goes(_));
        let last = if chosen && !edge.exceptional { at } else { before };
        if passage.leaves {
            for open in &mut self.open {
                let one = loops.get(open.which);
                if open.leaving.is_none() && one.body.contains(edge.from) && !one.body.contains(edge.to) {
                    let normal = one.is_normal_exit(edge);
                    open.leaving = Some(if normal { LoopEnd::Normal } else { LoopEnd::Break });
                }
            }
            while let Some(open) = self.open.last() {
                let stays = loops.get(open.which).extent.contains(edge.to);
                let how = match open.leaving {
                    Some(LoopEnd::Normal) => LoopEnd::Normal,
                    _ if stays => break,
                    _ if edge.exceptional => LoopEnd::Throw,
                    how => how.unwrap_or(LoopEnd::Break),
                };
                sink.ends(open.run, last, how);
                self.open.pop();
            }
        }
        if let Some(which) = passage.arrives {
            match self.open.last_mut().filter(|open| open.which == which) {
                Some(open) => (open.arrived, open.begun) = (last + 1, false),
                None => self.begin(which, last + 1, sink),
            }
        }
        if let Some(which) = passage.begins {
            self.iterate(which, sink);
        }
    }

    fn begin(&mut self, which: LoopId, first: u64, sink: &mut impl RunListener) {
        let (run, within) = (self.next, self.here());
        self.next += 1;
        self.open.push(Open { which, run, arrived: first, begun: false, count: 0, leaving: None });
        sink.begins(run, which, first, within);
    }

    fn iterate(&mut self, which: LoopId, sink: &mut impl RunListener) {
        if let Some(open) = self.open.iter_mut().rev().find(|open| open.which == which && !open.begun) {
            open.begun = true;
            open.count += 1;
            sink.iterates(open.run, open.arrived);
        }
    }

    /// The call is over, or nothing more is known of it.
    pub fn end(&mut self, last: u64, how: LoopEnd, sink: &mut impl RunListener) {
        while let Some(open) = self.open.pop() {
            sink.ends(open.run, last, how);
        }
    }
}
