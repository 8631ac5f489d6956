//! The cleared nodes, as runs of node numbers. Neighbours grow together, so walking past them is cheap; runs are kept
//! in pieces with a sum for each, so that what is cleared between two nodes is told without adding up every run.

use super::Ruler;

/// Runs in a piece, at most.
const PIECE: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measure {
    pub suspects: u32,
    /// What they weigh, in parts; the number of them where each weighs 1.
    pub parts: u64,
}

impl std::ops::AddAssign for Measure {
    fn add_assign(&mut self, other: Measure) {
        self.suspects += other.suspects;
        self.parts += other.parts;
    }
}

#[derive(Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
    measure: Measure,
}

/// Some runs in order, at least one, and what they measure together.
#[derive(Clone)]
struct Piece {
    runs: Vec<Run>,
    sum: Measure,
}

impl Piece {
    fn new(runs: Vec<Run>) -> Piece {
        let mut piece = Piece { runs, sum: Measure::default() };
        piece.add_up();
        piece
    }

    fn add_up(&mut self) {
        self.sum = Measure::default();
        for run in &self.runs {
            self.sum += run.measure;
        }
    }

    fn end(&self) -> u32 {
        self.runs.last().map_or(0, |run| run.end)
    }
}

#[derive(Clone, Default)]
pub(super) struct Cleared {
    pieces: Vec<Piece>,
}

impl Cleared {
    /// The end of the run that the node lies in.
    pub fn until(&self, node: u32) -> Option<u32> {
        self.from(node).filter(|&(start, _)| start == node).map(|(_, end)| end)
    }

    /// Where the next run is that does not end before the node: from the node on if it lies in it.
    pub fn from(&self, node: u32) -> Option<(u32, u32)> {
        let piece = &self.pieces.get(self.pieces.partition_point(|piece| piece.end() <= node))?.runs;
        let run = piece[piece.partition_point(|run| run.end <= node)];
        Some((run.start.max(node), run.end))
    }

    /// Clears `start..end`; runs that it touches become one with it.
    pub fn insert(&mut self, mut start: u32, mut end: u32, ruler: Ruler) {
        let first = self.pieces.partition_point(|piece| piece.end() < start);
        let Some(piece) = self.pieces.get_mut(first) else {
            let run = Run { start, end, measure: ruler.measure(start, end) };
            match self.pieces.last_mut() {
                Some(last) if last.runs.len() < PIECE => {
                    last.runs.push(run);
                    last.sum += run.measure;
                }
                _ => self.pieces.push(Piece::new(vec![run])),
            }
            return;
        };
        let at = piece.runs.partition_point(|run| run.end < start);
        let mut from = at;
        let mut emptied = first + 1..first + 1;
        for (number, piece) in self.pieces.iter_mut().enumerate().skip(first) {
            let touched = piece.runs[from..].partition_point(|run| run.start <= end);
            for run in piece.runs.drain(from..from + touched) {
                start = start.min(run.start);
                end = end.max(run.end);
            }
            if number > first {
                match piece.runs.is_empty() {
                    true => emptied.end = number + 1,
                    false => piece.add_up(),
                }
            }
            if from < piece.runs.len() {
                break;
            }
            from = 0;
        }
        self.pieces.drain(emptied);
        let piece = &mut self.pieces[first];
        piece.runs.insert(at, Run { start, end, measure: ruler.measure(start, end) });
        if piece.runs.len() > PIECE {
            let rest = piece.runs.split_off(PIECE / 2);
            self.pieces.insert(first + 1, Piece::new(rest));
        }
        self.pieces[first].add_up();
    }

    /// What is cleared in `start..end`.
    pub fn sum(&self, start: u32, end: u32, ruler: Ruler) -> Measure {
        let mut sum = Measure::default();
        let first = self.pieces.partition_point(|piece| piece.end() <= start);
        for piece in &self.pieces[first..] {
            if start <= piece.runs[0].start && piece.end() <= end {
                sum += piece.sum;
                continue;
            }
            let from = piece.runs.partition_point(|run| run.end <= start);
            for run in &piece.runs[from..] {
                if end <= run.start {
                    return sum;
                }
                sum += match start <= run.start && run.end <= end {
                    true => run.measure,
                    false => ruler.measure(run.start.max(start), run.end.min(end)),
                };
            }
        }
        sum
    }

    /// What is cleared in `start..end`, on its own.
    pub fn within(&self, start: u32, end: u32, ruler: Ruler) -> Cleared {
        let first = self.pieces.partition_point(|piece| piece.end() <= start);
        let mut runs = Vec::new();
        for piece in &self.pieces[first..] {
            if end <= piece.runs[0].start {
                break;
            }
            let from = piece.runs.partition_point(|run| run.end <= start);
            let inner = piece.runs[from..].iter().take_while(|run| run.start < end);
            runs.extend(inner.map(|run| match start <= run.start && run.end <= end {
                true => *run,
                false => {
                    let (start, end) = (run.start.max(start), run.end.min(end));
                    Run { start, end, measure: ruler.measure(start, end) }
                }
            }));
        }
        Cleared { pieces: runs.chunks(PIECE / 2).map(|runs| Piece::new(runs.to_vec())).collect() }
    }

    /// Weights have changed.
    pub fn measure_again(&mut self, ruler: Ruler) {
        for piece in &mut self.pieces {
            for run in &mut piece.runs {
                run.measure = ruler.measure(run.start, run.end);
            }
            piece.add_up();
        }
    }
}
