//! A recording that is read while the program runs: what the program has done so far is there, what it does next
//! comes, and at the end it is the same recording that anyone opens afterwards.

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use collector::{LiveTail, jvm_folders};
use trace::{EventKind, Recording, Tail};

use crate::debuggee::{Jdk, Recorded, classes, document, inquest, jdks, until};

/// A refresh shows what was printed before it; the rest is for a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

#[test]
fn a_running_program_can_be_followed_to_its_end() {
    for jdk in jdks() {
        for detail in ["full", "heap"] {
            let recorded = Recorded::new();
            let mut echo = Echo::start(&jdk, detail, &recorded);
            echo.expect("ready first");
            echo.expect("mixed");

            let dir = jvm_folders(&recorded.path()).remove(0);
            let tail = LiveTail::open(&dir).expect("it runs");
            let tail: Box<dyn Tail + Send> = Box::new(tail);
            let mut recording = Recording::follow(&dir, Some(tail), None).unwrap();
            let began = Instant::now();
            while calls(&recording, "Echo.greet") == 0 || calls(&recording, "Echo.mix") < 20_000 {
                recording.refresh().unwrap();
                assert!(began.elapsed() < PATIENCE, "{}", outline(&recording));
            }
            assert_eq!(calls(&recording, "Echo$Reply.to"), 0);
            assert!(recording.threads().iter().any(|thread| thread.name == "other"));
            let mut before = lines(&recording);
            let stats = document("stats", &recorded.path());
            assert!(stats["calls"].as_u64() > Some(20_000), "{stats:#}");

            for (turn, word) in ["one", "two"].into_iter().enumerate() {
                echo.say(word);
                echo.expect(&format!("echo {word} 3"));
                let began = Instant::now();
                while calls(&recording, "Echo$Reply.to") <= turn {
                    recording.refresh().unwrap();
                    assert!(began.elapsed() < PATIENCE, "{}", outline(&recording));
                }
                let now = lines(&recording);
                assert!(is_continued(&before, &now), "what was shown has changed");
                before = now;
            }
            echo.end();
            until("the recording is over", || {
                recording.refresh().unwrap();
                !recording.is_live()
            });
            assert_eq!(recording.path(), recorded.path());
            let read = recorded.open();
            assert_eq!(lines(&recording), lines(&read), "{} {detail}", jdk.version);
            assert_eq!(recording.stats(), read.stats());
            assert!(recording.verify().ok);
            check_indexed(&read);
        }
    }
}

/// Opened with stored tables, a recording says the same; with those of another recording, it is refused.
fn check_indexed(read: &Recording) {
    let tables = tempfile::tempdir().unwrap();
    let mut reached = (0, 0);
    let mut made =
        Recording::open_for_index(read.path(), tables.path(), &mut |done, all| reached = (done, all))
            .unwrap();
    assert_eq!(reached, (read.frames().bytes(), read.frames().bytes()));
    assert_eq!(lines(&made), lines(read));
    assert!(Recording::open_indexed(read.path(), tables.path()).is_err(), "not stored yet");
    made.store_tables().unwrap();
    let indexed = Recording::open_indexed(read.path(), tables.path()).unwrap();
    assert_eq!(lines(&indexed), lines(read));
    assert_eq!((made.stats(), indexed.stats()), (read.stats(), read.stats()));
    assert!(indexed.objects().ids().eq(read.objects().ids()));
    std::fs::write(read.path().join("chunks-999.inq"), "").unwrap();
    let refused = Recording::open_indexed(read.path(), tables.path());
    assert!(matches!(refused, Err(trace::Error::Stale { .. })));
}

/// The program, with what it prints as it comes.
struct Echo {
    recorder: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Echo {
    fn start(jdk: &Jdk, detail: &str, recorded: &Recorded) -> Echo {
        let mut command = inquest(&["record", "-q", "--detail", detail, "-o"]);
        command.arg(recorded.path()).arg("--").arg(jdk.java()).arg("-cp").arg(classes("live")).arg("Echo");
        let mut recorder =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, output) = channel();
        let out = BufReader::new(recorder.stdout.take().unwrap());
        thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = recorder.stdin.take();
        Echo { recorder, input, output }
    }

    fn say(&mut self, word: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{word}").unwrap();
        input.flush().unwrap();
    }

    /// The lines of the two threads come in any order, but no line is skipped that a later call asks for.
    fn expect(&mut self, line: &str) {
        let printed = self.output.recv_timeout(Duration::from_secs(60)).unwrap();
        let known = [line, "mixed", "ready first"];
        assert!(known.contains(&printed.as_str()), "expected {line}, got {printed}");
    }

    fn end(&mut self) {
        self.input = None;
        assert!(self.recorder.wait().unwrap().success());
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.recorder.wait();
    }
}

fn calls(recording: &Recording, method: &str) -> usize {
    let mut found = 0;
    for thread in recording.threads() {
        recording.events(thread.stream, |event| {
            if let (EventKind::Enter { .. }, Some(site)) = (event.kind, event.site)
                && recording.method_name(site.method) == method
            {
                found += 1;
            }
            ControlFlow::Continue(())
        });
    }
    found
}

/// All events, thread by thread.
fn lines(recording: &Recording) -> Vec<Vec<String>> {
    let of = |stream| {
        let mut lines = Vec::new();
        recording.events(stream, |event| {
            lines.push(format!("{} {}", event.depth, recording.event_line(event)));
            ControlFlow::Continue(())
        });
        lines
    };
    recording.threads().iter().map(|thread| of(thread.stream)).collect()
}

/// Are the events the same as before, and then more? The last ones of a log that goes on may have been incomplete.
fn is_continued(before: &[Vec<String>], now: &[Vec<String>]) -> bool {
    const UNSETTLED: usize = 4;
    before
        .iter()
        .zip(now)
        .all(|(before, now)| now.starts_with(&before[..before.len().saturating_sub(UNSETTLED)]))
}

fn outline(recording: &Recording) -> String {
    let of = |lines: Vec<String>| lines[lines.len().saturating_sub(5)..].join("\n");
    lines(recording).into_iter().map(of).collect::<Vec<_>>().join("\n--\n")
}
