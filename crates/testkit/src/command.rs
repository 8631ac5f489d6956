//! Commands with a time limit, and not too many at a time.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const TIME_LIMIT: Duration = Duration::from_secs(240);

/// What a command did.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

/// Runs a command to its end; one that takes too long is ended, and is a failure.
pub fn run(command: &mut Command, stdin: Option<&Path>) -> Ran {
    let _slot = Slot::take();
    let stdin = stdin.map_or(Stdio::null(), |path| File::open(path).unwrap().into());
    let mut child = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let group = child.id() as i32;
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let text = |source: &mut dyn Read| {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (ended, wait) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let ended = ended.lock().unwrap();
            let (_ended, waited) = wait.wait_timeout_while(ended, TIME_LIMIT, |ended| !*ended).unwrap();
            if waited.timed_out() {
                // SAFETY: plain system call on the group of our own child, which has not been waited for.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            waited.timed_out()
        });
        let stderr = scope.spawn(|| text(&mut err));
        let stdout = text(&mut out);
        let stderr = stderr.join().unwrap();
        let status = child.wait().unwrap();
        *ended.lock().unwrap() = true;
        wait.notify_all();
        assert!(!watch.join().unwrap(), "takes too long: {command:?}\n{stdout}\n{stderr}");
        Ran { stdout, stderr, code: status.code() }
    })
}

/// As many programs at a time as there are processors: tests that start more would only disturb each other.
struct Slot;

static TAKEN: Mutex<usize> = Mutex::new(0);
static GIVEN_BACK: Condvar = Condvar::new();

impl Slot {
    fn take() -> Slot {
        let limit = thread::available_parallelism().map_or(2, usize::from).max(2);
        let mut taken = GIVEN_BACK.wait_while(TAKEN.lock().unwrap(), |taken| *taken >= limit).unwrap();
        *taken += 1;
        Slot
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap() -= 1;
        GIVEN_BACK.notify_one();
    }
}

/// Checks each of them, two at a time, and fails with the faults of all.
pub fn check_all<T: Sync>(list: &[T], check: impl Fn(&T) -> Option<String> + Sync) {
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(one) = list.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(fault) = check(one) {
                faults.lock().unwrap().push(fault);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} of {} failed\n{}", faults.len(), list.len(), faults.join("\n"));
}

/// Waits until it is so.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < Duration::from_secs(60), "still not: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
