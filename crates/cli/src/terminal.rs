//! Output for a person: colour where stdout is a terminal, lines cut to its width. Piped output is plain and whole, unless
//! `--color` says otherwise.

use std::env;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

use serde::Serialize;
use words::Line;
pub use words::Style;

use crate::args::Color;

/// What stdout shows. Looked at once, because a pager may take its place.
#[derive(Clone, Copy)]
struct Look {
    colour: bool,
    width: Option<usize>,
}

static LOOK: OnceLock<Look> = OnceLock::new();

/// To be called before anything is printed.
pub fn set_up(color: Color) {
    LOOK.get_or_init(|| Look::of(color));
}

impl Look {
    fn of(color: Color) -> Look {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let colour = match color {
            Color::Auto => is_terminal && !set("NO_COLOR") && env::var("TERM").as_deref() != Ok("dumb"),
            Color::Always => true,
            Color::Never => false,
        };
        Look { colour, width: is_terminal.then(|| columns(&stdout)).flatten() }
    }
}

pub struct Terminal {
    out: BufWriter<StdoutLock<'static>>,
    colour: bool,
    width: Option<usize>,
}

impl Terminal {
    pub fn open() -> Terminal {
        let Look { colour, width } = *LOOK.get_or_init(|| Look::of(Color::Auto));
        Terminal { out: BufWriter::new(io::stdout().lock()), colour, width }
    }

    /// Columns of a line; without a terminal there is no end.
    pub fn columns(&self) -> usize {
        self.width.unwrap_or(usize::MAX)
    }

    /// One line of styled pieces, cut to the terminal's width.
    pub fn line(&mut self, pieces: &[(Style, &str)]) -> io::Result<()> {
        let mut left = self.width.unwrap_or(usize::MAX);
        for (style, text) in pieces {
            let clean: String = text.chars().map(|c| if c.is_control() { '␤' } else { c }).collect();
            let length = clean.chars().count();
            let shown: String = if length <= left {
                clean
            } else {
                let kept: String = clean.chars().take(left.saturating_sub(1)).collect();
                kept + "…"
            };
            left = left.saturating_sub(length);
            self.styled(*style, &shown)?;
            if left == 0 {
                break;
            }
        }
        writeln!(self.out)
    }

    /// Styled pieces after some columns, on as many lines of the terminal as they take.
    pub fn wrapped(&mut self, indent: usize, pieces: &[(Style, &str)]) -> io::Result<()> {
        let width = self.width.unwrap_or(usize::MAX).max(indent + HANGING + NARROWEST);
        let mut column = indent;
        write!(self.out, "{:indent$}", "")?;
        for (style, text) in pieces {
            let clean: String = text.chars().map(|c| if c.is_control() { '␤' } else { c }).collect();
            let mut rest = clean.as_str();
            while !rest.is_empty() {
                let room = width - column;
                let (shown, after) = split(rest, room);
                self.styled(*style, shown)?;
                (rest, column) = (after, column + shown.chars().count());
                if !rest.is_empty() {
                    writeln!(self.out)?;
                    column = indent + HANGING;
                    write!(self.out, "{:column$}", "")?;
                    rest = rest.trim_start_matches(' ');
                }
            }
        }
        writeln!(self.out)
    }

    fn styled(&mut self, style: Style, text: &str) -> io::Result<()> {
        match code(style).filter(|_| self.colour) {
            Some(code) => write!(self.out, "\x1b[{code}m{text}\x1b[0m"),
            None => self.out.write_all(text.as_bytes()),
        }
    }

    pub fn lines(&mut self, lines: &[Line]) -> io::Result<()> {
        for line in lines {
            let pieces: Vec<(Style, &str)> =
                line.iter().map(|(style, text)| (*style, text.as_str())).collect();
            self.line(&pieces)?;
        }
        Ok(())
    }

    /// One document on a line of its own.
    pub fn json_line(&mut self, document: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, document).map_err(io::Error::from)?;
        writeln!(self.out)
    }

    /// Text as it is, without an end of line.
    pub fn piece(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    pub fn json(&mut self, document: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, document).map_err(io::Error::from)?;
        writeln!(self.out)
    }

    /// An array whose elements come one after the other, each on a line of its own.
    pub fn array(&mut self) -> io::Result<JsonArray<'_>> {
        write!(self.out, "[")?;
        Ok(JsonArray { out: &mut self.out, first: true })
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub struct JsonArray<'t> {
    out: &'t mut BufWriter<StdoutLock<'static>>,
    first: bool,
}

impl JsonArray<'_> {
    pub fn push(&mut self, element: &impl Serialize) -> io::Result<()> {
        self.out.write_all(if self.first { b"\n" } else { b",\n" })?;
        self.first = false;
        serde_json::to_writer(&mut self.out, element).map_err(io::Error::from)
    }

    pub fn end(self) -> io::Result<()> {
        writeln!(self.out, "{}]", if self.first { "" } else { "\n" })
    }
}

/// Columns by which lines that go on are set in, and how much room they have at least.
const HANGING: usize = 2;
const NARROWEST: usize = 20;

/// As much of a text as has room, to the last space if there is one near.
fn split(text: &str, room: usize) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(room) else { return (text, "") };
    let near = text[..end].rfind(' ').filter(|&at| text[at..end].chars().count() <= room / 3);
    text.split_at(near.map_or(end, |at| at + 1))
}

fn code(style: Style) -> Option<&'static str> {
    match style {
        Style::Plain => None,
        Style::Faint => Some("2"),
        Style::Bold => Some("1"),
        Style::Red => Some("31"),
        Style::Green => Some("32"),
        Style::Yellow => Some("33"),
        Style::Cyan => Some("36"),
    }
}

fn columns(stdout: &io::Stdout) -> Option<usize> {
    // SAFETY: all bytes of a `winsize` may be zero.
    let mut size: libc::winsize = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open and `size` is a `winsize`, which is what this request fills.
    let done = unsafe { libc::ioctl(stdout.as_raw_fd(), libc::TIOCGWINSZ, &mut size) };
    (done == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_line_that_is_too_long_goes_on_after_a_space_or_where_it_must() {
        assert_eq!(split("short", 10), ("short", ""));
        assert_eq!(split("one two three", 8), ("one two ", "three"));
        assert_eq!(split("abcdefghij", 4), ("abcd", "efghij"));
        assert_eq!(split("a bcdefghij", 6), ("a bcde", "fghij"));
    }
}
