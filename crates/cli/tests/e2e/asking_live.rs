//! Questions while the program runs: only about calls that have ended, soon after the first of them, and what was
//! answered still holds when the program is over.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::debuggee::{Recorded, classes, inquest, jdks, run};

/// From the first completed call to the first question. The aim is 0.2 s; machines that run tests are busy.
const SOON: Duration = Duration::from_secs(2);

struct Dialogue {
    child: std::process::Child,
    answers: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Dialogue {
    fn start(jdk: &crate::debuggee::Jdk, recorded: &Recorded, steps: &str, options: &[&str]) -> Dialogue {
        let mut command = inquest(&["run", "-q", "-o"]);
        command.arg(recorded.path()).args(options).args(["--answers", "-", "--"]).arg(jdk.java());
        command.arg("-cp").arg(classes("live")).args(["Slow", steps]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            // A prompt has no end of line.
            let mut text = Vec::new();
            loop {
                let bytes = out.fill_buf().unwrap_or_default();
                if bytes.is_empty() {
                    break;
                }
                let length = bytes.len();
                text.extend_from_slice(bytes);
                out.consume(length);
                while let Some(at) = text.iter().position(|&byte| byte == b'\n' || byte == b']') {
                    let line: Vec<u8> = text.drain(..=at).collect();
                    let line = String::from_utf8_lossy(&line).trim().to_owned();
                    if sender.send((Instant::now(), line)).is_err() {
                        return;
                    }
                }
            }
        });
        Dialogue { answers: child.stdin.take(), child, lines }
    }

    /// The next line with this in it, and when it came.
    fn expect(&self, part: &str) -> (Instant, String) {
        loop {
            let (at, line) = self.lines.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|error| {
                panic!("{part:?} did not come: {error}");
            });
            if line.contains(part) {
                return (at, line);
            }
        }
    }

    fn say(&mut self, answer: &str) {
        writeln!(self.answers.as_mut().unwrap(), "{answer}").unwrap();
    }
}

#[test]
fn the_first_question_comes_while_the_program_runs() {
    for jdk in jdks() {
        let recorded = Recorded::new();
        let mut dialogue = Dialogue::start(&jdk, &recorded, "40", &["--strategy", "top-down"]);
        let (first, _) = dialogue.expect("step 1");
        let (asked, line) = dialogue.expect("1. Slow.");
        assert!(line.contains("Slow.step(0, 1) = 1"), "main has not ended, so it is not asked about: {line}");
        let took = asked.saturating_duration_since(first);
        assert!(took < SOON, "the first question came after {took:?}");
        dialogue.expect("Right?");
        dialogue.say("y");
        dialogue.expect("2. Slow.step");
        dialogue.say("y");
        // Whoever says nothing more keeps what was said, and the program goes on.
        drop(dialogue.answers.take());
        dialogue.expect("sum 22131");
        let status = dialogue.child.wait().unwrap();
        assert_eq!(status.code(), Some(7), "the exit code is the program's");

        let answers = recorded.path().join("more");
        std::fs::write(&answers, "y\n".repeat(60)).unwrap();
        let mut command = inquest(&["ask", "--json", "--strategy", "top-down", "--answers"]);
        let ran = run(command.arg(&answers).arg(recorded.path()), None);
        let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["question"]["call"], "Slow.step#3", "what was answered while it ran holds");
    }
}

#[test]
fn a_wrong_call_is_found_before_the_program_ends_and_stops_it_only_if_told() {
    let jdk = crate::debuggee::jdk17();
    let answers = |recorded: &Recorded| {
        let path = recorded.path().with_extension("txt");
        std::fs::write(&path, "y\n".repeat(10) + "n\nn\n").unwrap();
        path
    };
    for stop in [true, false] {
        let recorded = Recorded::new();
        let mut command = inquest(&["run", "-q", "--json", "--strategy", "top-down", "-o"]);
        command.arg(recorded.path()).arg("--answers").arg(answers(&recorded));
        command.args(stop.then_some("--stop")).arg("--").arg(jdk.java());
        command.arg("-cp").arg(classes("live")).args(["Slow", if stop { "600" } else { "20" }]);
        let ran = run(&mut command, None);
        let verdict = ran.stdout.lines().rfind(|line| line.contains("\"verdict\"")).unwrap();
        let verdict: Value = serde_json::from_str(verdict).unwrap();
        assert_eq!(verdict["method"], "Slow.square", "{ran:?}");
        assert_eq!(verdict["verdict"], "buggy");
        assert_eq!(ran.stdout.contains("sum "), !stop, "{ran:?}");
        if !stop {
            assert_eq!(ran.code, Some(7));
        }
    }
}

#[test]
fn what_is_believed_grows_with_the_program() {
    let jdk = crate::debuggee::jdk17();
    let recorded = Recorded::new();
    let mut dialogue = Dialogue::start(&jdk, &recorded, "40", &["--strategy", "belief"]);
    for number in 1..=3 {
        dialogue.expect(&format!("{number}. Slow."));
        dialogue.expect("Right?");
        dialogue.say("y");
    }
    drop(dialogue.answers.take());
    dialogue.expect("sum 22131");
    assert_eq!(dialogue.child.wait().unwrap().code(), Some(7), "the exit code is the program's");
    // When it is over, calls are believed in that had not been made when the first was asked about.
    let answers = recorded.path().with_extension("txt");
    std::fs::write(&answers, "").unwrap();
    let mut command = inquest(&["ask", "--json", "--strategy", "belief", "--answers"]);
    let ran = run(command.arg(&answers).arg(recorded.path()), None);
    let open: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    let places = open["places"].as_array().unwrap_or_else(|| panic!("{open}"));
    assert!(places.iter().any(|place| place["method"] == "Slow.square"), "{open}");
}
