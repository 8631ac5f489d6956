//! Where answers come from: keys of a terminal, lines of a file or of stdin.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use session::AnswerKind;

use crate::ask::reply::{self, Reply};

pub enum Replies {
    Keys(Keys),
    Lines(Box<dyn BufRead + Send>),
}

impl Replies {
    /// From a file, from stdin (`-`), or from whatever stdin is.
    pub fn open(answers: Option<&Path>) -> Result<Replies> {
        Ok(match answers {
            Some(path) if path.as_os_str() != "-" => {
                let file = File::open(path)
                    .with_context(|| format!("cannot read the answers in {}", path.display()))?;
                Replies::Lines(Box::new(BufReader::new(file)))
            }
            None if io::stdin().is_terminal() && io::stdout().is_terminal() => Replies::Keys(Keys),
            _ => Replies::Lines(Box::new(BufReader::new(io::stdin()))),
        })
    }

    /// Do people sit before it?
    pub fn by_hand(&self) -> bool {
        matches!(self, Replies::Keys(_))
    }

    /// What one can say.
    pub fn help(&self) -> String {
        if self.by_hand() { reply::keys() } else { reply::help() }
    }

    /// What is to happen after the verdict: only a person at a terminal is asked.
    pub fn after_verdict(&mut self, zooms: bool) -> Result<AfterVerdict> {
        let Replies::Keys(_) = self else { return Ok(AfterVerdict::End) };
        prompt(if zooms {
            "u takes the last answer back, z looks into the statements of the call, any other key ends. "
        } else {
            "u takes the last answer back, any other key ends. "
        })?;
        let key = key()?;
        prompt("\n")?;
        Ok(match key {
            'u' => AfterVerdict::Undo,
            'z' if zooms => AfterVerdict::Zoom,
            _ => AfterVerdict::End,
        })
    }

    /// The next reply; none when there are no more. Empty lines and what follows a `#` say nothing.
    pub fn next(&mut self) -> Result<Option<Result<Reply, String>>> {
        match self {
            Replies::Keys(keys) => keys.next().map(Some),
            Replies::Lines(lines) => loop {
                let mut line = String::new();
                if lines.read_line(&mut line).context("cannot read an answer")? == 0 {
                    return Ok(None);
                }
                let said = line.split(" #").next().unwrap_or("").trim();
                if !said.is_empty() && !said.starts_with('#') {
                    return Ok(Some(reply::parse(said)));
                }
            },
        }
    }
}

pub enum AfterVerdict {
    End,
    Undo,
    /// Into the guilty call.
    Zoom,
}

/// Single keys, without Enter; those that need more ask for it in a line.
pub struct Keys;

impl Keys {
    fn next(&mut self) -> Result<Result<Reply, String>> {
        let key = key()?;
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
            '\n' | '\r' => Ok(Reply::Help),
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
