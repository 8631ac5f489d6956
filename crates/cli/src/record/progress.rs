//! How a recording goes, on the progress line.

use std::time::Duration;

use collector::RecordingProgress;
use words::{count, duration, size};

use crate::progress::ProgressLine;

/// Short runs need no progress line.
const SHOW_AFTER: Duration = Duration::from_secs(1);

pub struct RecordingLine {
    line: ProgressLine,
    drawn: Option<RecordingProgress>,
}

impl RecordingLine {
    pub fn new() -> RecordingLine {
        RecordingLine { line: ProgressLine::new(SHOW_AFTER), drawn: None }
    }

    pub fn draw(&mut self, progress: &RecordingProgress) {
        // A program that waits for input records nothing: its prompt is left alone.
        if self.drawn.as_ref() == Some(progress) || progress.jvms == 0 {
            return;
        }
        if self.line.draw(|time| text(progress, time)) {
            self.drawn = Some(*progress);
        }
    }

    pub fn clear(&mut self) {
        self.line.clear();
    }
}

fn text(progress: &RecordingProgress, time: Duration) -> String {
    let (chunks, bytes) = (count(progress.chunks), size(progress.bytes));
    let mut text = format!("recording {}, {chunks} chunks, {bytes} on disk", duration(time));
    if progress.jvms > 1 {
        text += &format!(", {} JVMs", progress.jvms);
    }
    if progress.waited_ms > 0 {
        text += &format!(", waited {}", duration(Duration::from_millis(progress.waited_ms)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_much_and_how_long() {
        let progress = RecordingProgress { jvms: 2, bytes: 2_500_000, chunks: 1234, waited_ms: 80 };
        let expected = "recording 4.0 s, 1,234 chunks, 2.5 MB on disk, 2 JVMs, waited 80 ms";
        assert_eq!(text(&progress, Duration::from_secs(4)), expected);
    }
}
