//! Where answers come from: keys of a terminal, lines of a file or of stdin.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use session::AnswerKind;

use crate::ask::reply::{self, Reply};

pub enum Replies {
    Keys(Keys),
    Lines(Lines),
}

/// Lines of a file, or of whoever writes to stdin.
pub struct Lines {
    lines: Box<dyn BufRead + Send>,
    /// Somebody may write them as questions are read.
    driven: bool,
    /// All of them are there already, so that one can look ahead without waiting.
    whole: bool,
    ahead: Option<String>,
}

impl Replies {
    /// From a file, from stdin (`-`), or from whatever stdin is.
    pub fn open(answers: Option<&Path>) -> Result<Replies> {
        Ok(match answers {
            Some(path) if path.as_os_str() != "-" => {
                let file = File::open(path)
                    .with_context(|| format!("cannot read the answers in {}", path.display()))?;
                let lines = Box::new(BufReader::new(file));
                Replies::Lines(Lines { lines, driven: false, whole: true, ahead: None })
            }
            None if io::stdin().is_terminal() && io::stdout().is_terminal() => Replies::Keys(Keys::default()),
            _ => {
                let lines = Box::new(BufReader::new(io::stdin()));
                // Nobody waits for questions where all answers are in a file.
                let whole = std::fs::metadata("/dev/stdin").is_ok_and(|stdin| stdin.is_file());
                Replies::Lines(Lines { lines, driven: !whole, whole, ahead: None })
            }
        })
    }

    /// Do people sit before it?
    pub fn by_hand(&self) -> bool {
        matches!(self, Replies::Keys(_))
    }

    /// Does somebody wait for a question before the next answer comes?
    pub fn driven(&self) -> bool {
        matches!(self, Replies::Lines(lines) if lines.driven)
    }

    /// Is a session that came to its end to begin anew? At a terminal it is shown again, and can be undone; so it is where
    /// nothing is answered, or the first thing said takes an answer back.
    pub fn begin_anew(&mut self) -> Result<bool> {
        match self {
            Replies::Keys(_) => Ok(false),
            Replies::Lines(lines) if lines.whole => {
                let first = lines.peek()?;
                Ok(first.is_some_and(|said| !matches!(reply::parse(&said), Ok(Reply::Undo))))
            }
            Replies::Lines(_) => Ok(true),
        }
    }

    /// What one can say.
    pub fn help(&self) -> String {
        if self.by_hand() { reply::keys() } else { reply::help() }
    }

    /// What is to happen after the verdict: only a person at a terminal is asked.
    pub fn after_verdict(&mut self, zooms: bool, certain: bool) -> Result<AfterVerdict> {
        if let Replies::Lines(lines) = self {
            let undo =
                lines.whole && lines.peek()?.is_some_and(|said| reply::parse(&said) == Ok(Reply::Undo));
            if undo {
                lines.ahead = None;
            }
            return Ok(if undo { AfterVerdict::Undo } else { AfterVerdict::End });
        }
        let zoom = if zooms { "z looks into the statements of the call, " } else { "" };
        let go_on = if certain { "" } else { "g goes on until it is certain, " };
        prompt(&format!("u takes the last answer back, {zoom}{go_on}any other key ends. "))?;
        let key = key()?;
        prompt("\n")?;
        Ok(match key {
            'u' => AfterVerdict::Undo,
            'z' if zooms => AfterVerdict::Zoom,
            'g' if !certain => AfterVerdict::GoOn,
            _ => AfterVerdict::End,
        })
    }

    /// The next reply; none when there are no more. Empty lines and what follows a `#` say nothing.
    pub fn next(&mut self) -> Result<Option<Result<Reply, String>>> {
        match self {
            Replies::Keys(keys) => keys.next().map(Some),
            Replies::Lines(lines) => Ok(lines.next()?.map(|said| reply::parse(&said))),
        }
    }
}

impl Lines {
    fn peek(&mut self) -> Result<Option<String>> {
        if self.ahead.is_none() {
            self.ahead = self.next()?;
        }
        Ok(self.ahead.clone())
    }

    fn next(&mut self) -> Result<Option<String>> {
        if let Some(said) = self.ahead.take() {
            return Ok(Some(said));
        }
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).context("cannot read an answer")? == 0 {
                return Ok(None);
            }
            let said = line.split(" #").next().unwrap_or("").trim();
            if !said.is_empty() && !said.starts_with('#') {
                return Ok(Some(said.to_owned()));
            }
        }
    }
}

pub enum AfterVerdict {
    End,
    Undo,
    /// Into the guilty call.
    Zoom,
    /// Until the verdict is certain.
    GoOn,
}

/// Single keys, without Enter; those that need more ask for it in a line.
#[derive(Default)]
pub struct Keys {
    /// The key that was pressed last, and when.
    last: Option<(char, Instant)>,
}

/// Who types a word has pressed its next letter by then; nobody has read another question.
const IN_A_WORD: Duration = Duration::from_millis(500);

impl Keys {
    /// The next key that means something. Enter says nothing, nor does the rest of `yes` and `no`: the first letter was the answer.
    fn pressed(&mut self) -> Result<char> {
        loop {
            let pressed = key()?;
            let before = self.last.take().filter(|(_, at)| at.elapsed() < IN_A_WORD).map(|(key, _)| key);
            let in_word = matches!((before, pressed), (Some('y'), 'e') | (Some('e'), 's') | (Some('n'), 'o'));
            self.last = Some((pressed, Instant::now()));
            if !in_word && !matches!(pressed, '\n' | '\r') {
                return Ok(pressed);
            }
        }
    }

    fn next(&mut self) -> Result<Result<Reply, String>> {
        let key = self.pressed()?;
        for kind in AnswerKind::ALL {
            let row = kind.row();
            if let Some(takes) = row.takes.as_ref().filter(|_| row.key == key) {
                let said = line(takes.prompt)?;
                // Who says no more has said that it is wrong all the same.
                let kind = if said.is_some() { kind } else { AnswerKind::Wrong };
                return Ok(Ok(Reply::Answer { kind, said }));
            }
        }
        Ok(match key {
            't' => {
                prompt("trust this [m]ethod, its [c]lass, or its [p]ackage? ")?;
                let kind = match self::key()? {
                    'm' | 't' | '\n' | '\r' => Ok(AnswerKind::TrustMethod),
                    'c' => Ok(AnswerKind::TrustClass),
                    'p' => Ok(AnswerKind::TrustPackage),
                    _ => Err("nothing is trusted".to_owned()),
                };
                kind.map(|kind| Reply::Answer { kind, said: None })
            }
            'x' => line("no longer trust: ")?
                .map_or_else(|| Err("nothing changes".to_owned()), |text| Ok(Reply::Distrust(text))),
            'j' => line("call and verdict, as MergeSort.merge#3 n: ")?.map_or_else(
                || Err("nothing is judged".to_owned()),
                |text| reply::parse(&format!("j {text}")),
            ),
            // Ctrl-C and Ctrl-D.
            '\u{3}' | '\u{4}' => Ok(Reply::Quit),
            key => {
                let none = |_| format!("`{key}` is no answer; there are\n{}", reply::keys());
                reply::parse(&key.to_string()).map_err(none)
            }
        })
    }
}

fn prompt(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    write!(out, "{text}")?;
    out.flush()
}

/// A line; none if it is empty.
fn line(text: &str) -> Result<Option<String>> {
    prompt(text)?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}

/// One key press.
fn key() -> Result<char> {
    let _raw = Raw::enter();
    let mut bytes = [0; 4];
    let mut stdin = io::stdin().lock();
    if stdin.read(&mut bytes[..1])? == 0 {
        return Ok('\u{4}');
    }
    // The rest of a character that takes several bytes.
    let length = match bytes[0] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    };
    stdin.read_exact(&mut bytes[1..length])?;
    Ok(std::str::from_utf8(&bytes[..length]).ok().and_then(|text| text.chars().next()).unwrap_or('?'))
}

/// The terminal without line editing, for as long as this lives.
struct Raw {
    before: Option<Termios>,
}

impl Raw {
    fn enter() -> Raw {
        let Ok(before) = tcgetattr(io::stdin()) else { return Raw { before: None } };
        let mut mode = before.clone();
        mode.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        // A terminal that does not do it gives whole lines, of which the first letter counts.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &mode);
        Raw { before: Some(before) }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}
