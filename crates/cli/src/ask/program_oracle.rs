//! A program that answers questions, for `--oracle command:CMD`: started once, a line of JSON to it for each question, a line of
//! JSON back. Whatever it does wrong (it ends, says nothing for long, says something else), it is not asked any more and
//! the person is; nothing that it writes can keep the dialogue from going on.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use session::{Advice, Advisor, AnswerKind, Question, Reliability};
use wire::{AnswerLine, AskLine};

use crate::ask::reply::{self, Reply};

/// Bytes of one answer, at most.
const MAX_LINE: u64 = 1 << 20;
/// How long a program may take to end when nothing more is asked.
const LET_END: Duration = Duration::from_millis(300);
/// Chars of what a program said that are told.
const TOLD: usize = 80;

pub struct ProgramOracle {
    command: String,
    /// How long an answer is waited for.
    wait: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    /// Lines to its input, by a thread: who does not read must not keep us waiting.
    questions: Sender<String>,
    /// Lines of its output; the end of them when it closes it.
    answers: Receiver<Result<String, String>>,
}

/// What a program says of a question.
#[derive(Deserialize)]
struct Said {
    /// As it is typed.
    answer: String,
    why: Option<String>,
    reliability: Option<f64>,
}

impl ProgramOracle {
    pub fn new(command: &str, wait: Duration) -> ProgramOracle {
        ProgramOracle { command: command.to_owned(), wait, running: None }
    }

    /// The line that it answers with.
    fn line(&mut self, question: &Question) -> Result<String, String> {
        if self.running.is_none() {
            self.running = Some(Running::start(&self.command)?);
        }
        let Some(running) = &self.running else { return Err("it is not there".to_owned()) };
        match running.answers.try_recv() {
            Ok(line) => return Err(format!("it said more than it was asked: {}", told(&line?))),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Err("it has ended".to_owned()),
        }
        let asked = AskLine::Answered(Box::new(AnswerLine::open(question.clone().into())));
        let json = serde_json::to_string(&asked).map_err(|error| error.to_string())?;
        running.questions.send(json).map_err(|_| "it has ended".to_owned())?;
        let until = Instant::now() + self.wait;
        loop {
            match running.answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let line = line?;
                    if !line.trim().is_empty() {
                        return Ok(line);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("it said nothing for {} s", self.wait.as_secs_f64()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err("it has ended".to_owned()),
            }
        }
    }
}

impl Advisor for ProgramOracle {
    fn name(&self) -> &str {
        &self.command
    }

    fn ask(&mut self, question: &Question) -> Result<Option<Advice>, String> {
        let advice = self.line(question).and_then(|line| read(&line));
        if advice.is_err() {
            self.running = None;
        }
        advice
    }
}

/// An answer as a program writes it; none if it does not know.
fn read(line: &str) -> Result<Option<Advice>, String> {
    let no_answer = |why: String| format!("{}: {why}", told(line));
    let said: Said = serde_json::from_str(line).map_err(|error| no_answer(error.to_string()))?;
    let reliability = match said.reliability {
        Some(share) => Reliability::new(share).ok_or_else(|| no_answer("no share of 1".to_owned()))?,
        None => Reliability::UNSAID,
    };
    match reply::parse(&said.answer) {
        Ok(Reply::Answer { kind: AnswerKind::DontKnow, .. }) => Ok(None),
        Ok(Reply::Answer { kind, said: with }) => Ok(Some(Advice { kind, with, why: said.why, reliability })),
        Ok(_) | Err(_) => Err(no_answer("no answer".to_owned())),
    }
}

/// What was said, short, on one line.
fn told(line: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut text: String = line.trim().chars().take(TOLD).map(plain).collect();
    if line.trim().chars().count() > TOLD {
        text.push('…');
    }
    format!("`{text}`")
}

impl Running {
    fn start(command: &str) -> Result<Running, String> {
        let mut shell = Command::new("sh");
        // A group of its own: what it started ends with it.
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = shell.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it cannot be talked to".to_owned());
        };
        let (questions, asked) = channel::<String>();
        // Who says more than is asked waits.
        let (say, answers) = sync_channel(2);
        thread::spawn(move || {
            for mut line in asked {
                line.push('\n');
                if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let line = next_line(&mut output);
                let Some(line) = line else { return };
                let failed = line.is_err();
                if say.send(line).is_err() || failed {
                    return;
                }
            }
        });
        Ok(Running { child, questions, answers })
    }
}

/// The next line of its output; none at its end.
fn next_line(output: &mut impl BufRead) -> Option<Result<String, String>> {
    let mut line = Vec::new();
    match output.take(MAX_LINE).read_until(b'\n', &mut line) {
        Ok(0) => None,
        Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 == MAX_LINE => {
            Some(Err("it said a line without an end".to_owned()))
        }
        Ok(_) => Some(String::from_utf8(line).map_err(|_| "it said what is no text".to_owned())),
        Err(error) => Some(Err(error.to_string())),
    }
}

impl Drop for Running {
    /// Its input is closed; if it does not end by that, it is ended.
    fn drop(&mut self) {
        self.questions = channel().0;
        let until = Instant::now() + LET_END;
        while Instant::now() < until {
            if let Ok(Some(_)) = self.child.try_wait() {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        // What it started may be there still.
        if let Ok(group) = libc::pid_t::try_from(self.child.id()) {
            // SAFETY: a signal to the group of a child that is ours; nothing of this process is touched.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_that_can_be_typed() {
        let kind = |line: &str| read(line).map(|advice| advice.map(|advice| (advice.kind, advice.with)));
        assert_eq!(kind(r#"{"answer": "y"}"#), Ok(Some((AnswerKind::Right, None))));
        assert_eq!(kind(r#"{"answer": "no", "why": "x"}"#), Ok(Some((AnswerKind::Wrong, None))));
        let because = (AnswerKind::Because, Some("a[2]".to_owned()));
        assert_eq!(kind(r#"{"answer": "n a[2]"}"#), Ok(Some(because)));
        assert_eq!(kind(r#"{"answer": "d"}"#), Ok(None));
    }

    #[test]
    fn what_is_no_answer_is_told_shortly_and_on_one_line() {
        let long = format!("[{}]", "1, ".repeat(200));
        for line in
            ["", "yes", "{}", r#"{"answer": 1}"#, r#"{"answer": "q"}"#, r#"{"answer": "maybe"}"#, &long]
        {
            let why = read(line).err().unwrap();
            assert!(why.chars().count() < 250 && !why.contains('\n'), "{why}");
        }
        for share in ["-0.1", "1.1", "1e300"] {
            assert!(read(&format!(r#"{{"answer": "y", "reliability": {share}}}"#)).is_err(), "{share}");
        }
        assert!(told("a\u{7}b\nc").contains("`a b c`"));
    }
}
