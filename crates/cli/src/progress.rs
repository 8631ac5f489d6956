//! The line on stderr that shows how something goes which takes long. It may share the terminal with a program: it is
//! drawn only when there is something new to say, leaves the cursor at the line's start, and is gone at the end.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use past::IndexProgress;
use session::Preparing;
use words::count;

/// Redrawn not more often than anybody can read.
const REDRAW: Duration = Duration::from_millis(100);

pub struct ProgressLine {
    started: Instant,
    /// What is over before needs no line.
    show_after: Duration,
    drawn: Option<Instant>,
    is_terminal: bool,
}

impl ProgressLine {
    pub fn new(show_after: Duration) -> ProgressLine {
        let is_terminal = std::io::stderr().is_terminal();
        ProgressLine { started: Instant::now(), show_after, drawn: None, is_terminal }
    }

    /// Of work on a recording, which somebody waits for.
    pub fn waiting() -> ProgressLine {
        ProgressLine::new(Duration::from_millis(300))
    }

    /// True if it was drawn; `text` is told how long it takes already.
    pub fn draw(&mut self, text: impl FnOnce(Duration) -> String) -> bool {
        let now = Instant::now();
        let elapsed = now - self.started;
        let recently = self.drawn.is_some_and(|drawn| now - drawn < REDRAW);
        if !self.is_terminal || recently || elapsed < self.show_after {
            return false;
        }
        self.drawn = Some(now);
        let mut stderr = std::io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[Kinquest: {}\r", text(elapsed));
        let _ = stderr.flush();
        true
    }

    /// While the index is built.
    pub fn indexing(&mut self, at: &IndexProgress) {
        let percent = at.done.saturating_mul(100) / at.all.max(1);
        self.draw(|_| format!("building the index: {percent:3}%, {} events", count(at.events)));
    }

    /// What is worked out for the omission finder.
    pub fn preparing(&mut self, step: Preparing) {
        self.draw(|_| match step {
            Preparing::Executed(share) => format!("what each call executed: {:3.0}%", share * 100.0),
            Preparing::Observed(share) => format!("what the run showed: {:3.0}%", share * 100.0),
            Preparing::PointsTo(done, known) => {
                let (done, known) = (count(u64::from(done)), count(u64::from(known)));
                format!("what may refer to what: {done} of {known} methods")
            }
        });
    }

    /// While bytes are copied.
    pub fn share(&mut self, what: &str, done: u64, all: u64) {
        let percent = done.saturating_mul(100) / all.max(1);
        self.draw(|_| format!("{what}: {percent:3}%"));
    }

    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}
