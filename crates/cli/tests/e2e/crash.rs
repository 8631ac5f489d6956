//! `kill -9` of the program, of the recorder, or of both, at any moment: the recording opens, nothing in it is damaged,
//! and what the program had printed more than a second before has its events.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use trace::{EventKind, Recording, Value};

use crate::debuggee::{Recorded, check_all, classes, document, inquest, jdk17, jdks, left_out, until};

#[derive(Clone, Copy, Debug)]
enum Victim {
    Program,
    Recorder,
    Both,
}

#[test]
fn a_kill_loses_nothing_that_is_older_than_a_second() {
    let mut chance = testkit::Chance::fresh();
    let kills: Vec<(Victim, Duration)> =
        [Victim::Program, Victim::Both, Victim::Program, Victim::Both, Victim::Recorder, Victim::Both]
            .into_iter()
            .map(|victim| (victim, Duration::from_millis(1500 + chance.below_u64(1700))))
            .collect();
    check_all(&kills, |&(victim, moment)| {
        kill(victim, moment).map(|fault| format!("{victim:?} killed after {moment:?}: {fault}"))
    });
}

fn kill(victim: Victim, moment: Duration) -> Option<String> {
    let recorded = Recorded::new();
    let mut command = inquest(&["record", "-q", "-o"]);
    command.arg(recorded.path()).arg("--").arg(jdk17().java()).arg("-cp").arg(classes("crash")).arg("Ticker");
    let mut recorder =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let pid = recorder.id();
    let out = BufReader::new(recorder.stdout.take().unwrap());
    let printed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            for tick in out.lines().map_while(Result::ok).filter_map(|line| line.parse::<i32>().ok()) {
                printed.lock().unwrap().push((Instant::now(), tick));
            }
        });
        // The moment counts from when there is something to lose.
        until("the program runs", || !printed.lock().unwrap().is_empty());
        thread::sleep(moment);
        let jvm = child_of(pid);
        let killed = Instant::now();
        match victim {
            Victim::Program => end(jvm),
            Victim::Recorder => end(pid),
            Victim::Both => {
                end(pid);
                end(jvm);
            }
        }
        if let Victim::Recorder = victim {
            thread::sleep(Duration::from_millis(200));
            end(jvm);
        }
        recorder.wait().unwrap();
        until("the program is gone", || is_gone(jvm));
        let expected: HashSet<i32> = printed
            .lock()
            .unwrap()
            .iter()
            .filter(|(at, _)| *at + Duration::from_secs(1) < killed)
            .map(|&(_, tick)| tick)
            .collect();
        let found = document("verify", &recorded.path());
        if found["ok"] != true {
            return Some(format!("verify: {found:#}"));
        }
        let path = Recording::find(&recorded.path()).unwrap().remove(0);
        let kept = ticks(&Recording::open(&path).unwrap());
        let lost = expected.difference(&kept).min();
        if expected.len() < 10 {
            return Some(format!("only {} ticks in {moment:?}: nothing is shown", expected.len()));
        }
        lost.map(|first| format!("of {} ticks {first} is the first that is lost", expected.len()))
    })
}

fn end(pid: u32) {
    // SAFETY: plain system call on processes that this test started.
    unsafe { libc::kill(pid as i32, libc::SIGKILL) };
}

/// An ended process may stay as a zombie where nobody waits for orphans.
fn is_gone(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_none_or(|state| state.is_empty() || state.starts_with(['Z', 'X']))
}

fn child_of(pid: u32) -> u32 {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    children.split_whitespace().next().unwrap_or_else(|| panic!("inquest has no child")).parse().unwrap()
}

fn ticks(recording: &Recording) -> HashSet<i32> {
    let mut found = HashSet::new();
    for thread in recording.threads() {
        recording.events(thread.stream, |event| {
            if let (EventKind::Enter { args: &[Value::Int(tick)], .. }, Some(site)) = (event.kind, event.site)
                && recording.method_name(site.method) == "Ticker.tick"
            {
                found.insert(tick);
            }
            ControlFlow::Continue(())
        });
    }
    found
}

/// The recorder's disk is full: the program goes on, and the recording says from when it is missing.
#[test]
fn a_full_disk_stops_the_recording_and_not_the_program() {
    let folder = Recorded::new();
    let mount = folder.path();
    std::fs::create_dir(&mount).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
        .arg(&mount)
        .output()
        .is_ok_and(|made| made.status.success());
    if !mounted {
        left_out("a recording on a full disk", "no right to mount one");
        return;
    }
    let _unmount = Unmount(&mount);
    for jdk in jdks() {
        let output = mount.join(jdk.version);
        let mut command = inquest(&["record", "-o"]);
        command
            .arg(&output)
            .args(["--detail", "heap", "--"])
            .arg(jdk.java())
            .arg("-cp")
            .arg(classes("crash"));
        let ran = crate::debuggee::run(command.args(["Ticker", "3000", "200000"]), None);
        assert_eq!((ran.code, ran.stdout.ends_with("end\n")), (Some(0), true), "{}", ran.stderr);
        assert!(ran.stderr.contains("full"), "{}", ran.stderr);
        let stats = document("stats", &output);
        assert_eq!(stats["complete"], false);
        assert!(stats["stopped"].as_str().is_some_and(|why| why.contains("full")), "{stats:#}");
        assert!(stats["calls"].as_u64() > Some(1000), "{stats:#}");
        // There is no room for an index either, which is said.
        let _ = std::fs::remove_dir_all(output.join("index"));
        let filler = mount.join("filler");
        let _ = std::fs::write(&filler, vec![1; 4 << 20]);
        let asked = crate::debuggee::run(&mut inquest(&["symptoms", output.to_str().unwrap()]), None);
        assert!(asked.code == Some(2) && asked.stderr.contains("No space left"), "{asked:?}");
        std::fs::remove_file(&filler).unwrap();
        std::fs::remove_dir_all(&output).unwrap();
    }
}

struct Unmount<'a>(&'a Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0).status();
    }
}
