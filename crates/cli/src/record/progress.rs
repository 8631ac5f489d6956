//! The line that shows how a recording goes. It shares the terminal with the program: it is drawn only when there is
//! something new to say, leaves the cursor at the line's start, and is gone at the end.

use std::io::Write;
use std::time::{Duration, Instant};

use collector::RecordingProgress;

use crate::quantity;

/// Short runs need no progress line.
const PATIENCE: Duration = Duration::from_secs(1);

pub struct ProgressLine {
    started: Instant,
    drawn: Option<RecordingProgress>,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        ProgressLine { started: Instant::now(), drawn: None }
    }

    pub fn draw(&mut self, progress: &RecordingProgress) {
        // A program that waits for input records nothing: its prompt is left alone.
        if self.started.elapsed() < PATIENCE || self.drawn.as_ref() == Some(progress) || progress.jvms == 0 {
            return;
        }
        self.drawn = Some(*progress);
        let mut stderr = std::io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[K{}\r", text(progress, self.started.elapsed()));
        let _ = stderr.flush();
    }

    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

fn text(progress: &RecordingProgress, time: Duration) -> String {
    let mut text = format!(
        "inquest: recording {}, {} chunks, {} on disk",
        quantity::duration(time),
        quantity::count(progress.chunks),
        quantity::size(progress.bytes)
    );
    if progress.jvms > 1 {
        text += &format!(", {} JVMs", progress.jvms);
    }
    if progress.waited_ms > 0 {
        text += &format!(", waited {}", quantity::duration(Duration::from_millis(progress.waited_ms)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_much_and_how_long() {
        let progress = RecordingProgress { jvms: 2, bytes: 2_500_000, chunks: 1234, waited_ms: 80 };
        let expected = "inquest: recording 4.0 s, 1,234 chunks, 2.5 MB on disk, 2 JVMs, waited 80 ms";
        assert_eq!(text(&progress, Duration::from_secs(4)), expected);
    }
}
