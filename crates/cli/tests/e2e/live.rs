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

use crate::debuggee::{Jdk, Openable, Recorded, classes, document, inquest, jdks, run, until};

/// A refresh shows what was printed before it; the rest is for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(5);

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
                assert!(began.elapsed() < TIMEOUT, "{}", outline(&recording));
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
                    assert!(began.elapsed() < TIMEOUT, "{}", outline(&recording));
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

/// What the commands say of a program that waits for its input, and of the same program when it has ended.
#[test]
fn commands_answer_while_the_program_runs_and_names_stay() {
    jdks().iter().for_each(|jdk| check_commands(jdk, false));
}

#[test]
#[ignore = "calls are numbered by time, and a thread without ordering points goes on before others' later stretches"]
fn names_of_calls_that_several_threads_make_stay_too() {
    jdks().iter().for_each(|jdk| check_commands(jdk, true));
}

/// `all`: also names of methods that more than one thread calls must stay.
fn check_commands(jdk: &Jdk, all_names: bool) {
    let recorded = Recorded::new();
    let mut echo = Echo::start(jdk, "full", &recorded);
    echo.expect("ready first");
    echo.expect("mixed");
    echo.say("one");
    echo.expect("echo one 3");
    let dir = recorded.path();
    // The program has gone on to wait for the next line.
    until("the answer is recorded", || {
        let rows = ask(&dir, &["tree", "--root", "Echo.main#1", "--depth", "1"]);
        names(&rows).iter().any(|(_, call, _)| call == "Echo$Reply.to#1")
            && names(&rows)
                .last()
                .is_some_and(|(_, call, finished)| call.starts_with("Scanner.hasNextLine") && !finished)
    });
    let before = names(&ask(&dir, &["tree"]));
    let open: Vec<&str> =
        before.iter().filter(|(.., finished)| !finished).map(|(_, call, _)| call.as_str()).collect();
    assert!(open.contains(&"Echo.main#1"), "{open:?}");
    assert!(!open.contains(&"Echo.greet#1") && !open.contains(&"Echo$Reply.to#1"), "{open:?}");
    let shown = ask(&dir, &["show", "Echo.main#1"]);
    assert_eq!((&shown["finished"], &shown["result"]), (&false.into(), &serde_json::Value::Null));
    let counts = ask(&dir, &["state", "Echo@1.counts"]);
    assert_eq!(counts["value"], "[0, 1, 2]", "{counts:#}");
    let history = ask(&dir, &["history", "Echo@1.counts[2]"]);
    assert_eq!(history.as_array().unwrap().len(), 1, "{history:#}");
    assert_eq!(history[0]["call"], "Echo$Reply.to#1");
    let events = ask(&dir, &["events", "Echo.main#1"]);
    let kinds = |events: &serde_json::Value, kind: &str| {
        events.as_array().unwrap().iter().filter(|event| event["kind"] == kind).count()
    };
    assert_eq!((kinds(&events, "exit"), kinds(&events, "enter")), (0, 1), "{events:#}");
    assert!(!dir.join("index").exists(), "the index of a running program is not kept");

    echo.say("two");
    echo.expect("echo two 3");
    echo.end();
    let after = names(&ask(&dir, &["tree"]));
    assert!(after.iter().all(|(.., finished)| *finished), "all calls have ended");
    let now: std::collections::HashMap<u64, &String> =
        after.iter().map(|(number, call, _)| (*number, call)).collect();
    let method = |call: &str| call.split('#').next().unwrap().to_owned();
    let threads = |of: &str| {
        let numbers = before.iter().filter(|(_, call, _)| method(call) == of);
        numbers.map(|(number, ..)| number >> 32).collect::<std::collections::BTreeSet<_>>().len()
    };
    let mut shared = std::collections::HashMap::new();
    for (number, call, _) in &before {
        let several = *shared.entry(method(call)).or_insert_with_key(|method| threads(method) > 1);
        if several && !all_names {
            continue;
        }
        assert_eq!(now.get(number), Some(&call), "call {number} on JDK {}", jdk.version);
    }
    assert_eq!(ask(&dir, &["history", "Echo@1.counts[2]"]).as_array().unwrap().len(), 1);
    assert_eq!(ask(&dir, &["state", "Echo@1.text"])["value"], "\"one\"");
    assert_eq!(ask(&dir, &["state", "Echo@2.text"])["value"], "\"two\"");
    let all = ask(&dir, &["events", "Echo.main#1"]);
    assert_eq!(kinds(&all, "exit"), 1);
    // Each event is what it was, perhaps at a later time: another thread's may have come before it.
    let texts = |events: &serde_json::Value| -> Vec<String> {
        events
            .as_array()
            .unwrap()
            .iter()
            .map(|event| format!("{} {}", event["kind"], event["line"]))
            .collect()
    };
    let (seen, all) = (texts(&events), texts(&all));
    assert!(all.starts_with(&seen), "{seen:#?}\n{all:#?}");
}

/// The JSON that a command prints.
fn ask(dir: &std::path::Path, words: &[&str]) -> serde_json::Value {
    let ran = run(inquest(&words[..1]).arg(dir).args(&words[1..]).arg("--json"), None);
    assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Number, name and whether it has ended, of each row of a tree.
fn names(rows: &serde_json::Value) -> Vec<(u64, String, bool)> {
    let name = |row: &serde_json::Value| {
        let call = row["call"].as_str().unwrap().to_owned();
        (row["number"].as_u64().unwrap(), call, row["finished"].as_bool().unwrap())
    };
    rows.as_array().unwrap().iter().map(name).collect()
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
            lines.push(format!("{} {}", event.depth, words::recorded_event(recording, event)));
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
