//! The Java programs that are recorded: compiles them once, finds the JDKs, runs commands with a time limit and not
//! too many at a time, and keeps each recording in a folder that goes away.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

pub const INQUEST: &str = env!("CARGO_BIN_EXE_inquest");
const TIME_LIMIT: Duration = Duration::from_secs(240);

pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> =
        LazyLock::new(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap());
    &ROOT
}

/// The folder of a group of compiled classes (see `scripts/compile`).
pub fn classes(group: &str) -> PathBuf {
    static COMPILED: OnceLock<()> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let made = Command::new(root().join("scripts/compile")).output().unwrap();
        assert!(made.status.success(), "scripts/compile: {}", String::from_utf8_lossy(&made.stderr));
    });
    root().join("target/java").join(group)
}

#[derive(Clone)]
pub struct Jdk {
    pub version: &'static str,
    pub home: PathBuf,
}

impl Jdk {
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

/// Java 17, or where there is none, the oldest that has a compiler.
pub fn jdk17() -> Jdk {
    find("17").or_else(|| find("javac")).expect("a JDK 17 (scripts/need jdk17)")
}

/// All there are. Without a Java 25 its part of a test is left out, and that is said.
pub fn jdks() -> Vec<Jdk> {
    let newer = find("25");
    if newer.is_none() {
        println!("JDK 25 not available: left out");
    }
    [jdk17()].into_iter().chain(newer).collect()
}

fn find(version: &'static str) -> Option<Jdk> {
    let found = Command::new(root().join("scripts/jdk")).arg(version).output().unwrap();
    let home = String::from_utf8(found.stdout).unwrap();
    found.status.success().then(|| Jdk { version, home: home.trim_end().into() })
}

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

/// One way to run one Java program.
#[derive(Clone)]
pub struct Program {
    pub name: String,
    pub arguments: Vec<OsString>,
    /// Options for `inquest record`.
    pub options: Vec<String>,
    pub stdin: Option<PathBuf>,
}

impl Program {
    pub fn new(group: &str, words: &[&str]) -> Program {
        let arguments = ["-cp".into(), classes(group).into()].into_iter().chain(words.iter().map(Into::into));
        Program { name: words.join(" "), arguments: arguments.collect(), options: Vec::new(), stdin: None }
    }

    pub fn with_options(mut self, options: &[&str]) -> Program {
        self.options.extend(options.iter().map(|&option| option.to_owned()));
        self
    }

    pub fn run(&self, jdk: &Jdk) -> Ran {
        run(Command::new(jdk.java()).args(&self.arguments), self.stdin.as_deref())
    }

    /// Runs it under the recorder, which is told to say nothing itself.
    pub fn record(&self, jdk: &Jdk, options: &[&str]) -> (Ran, Recorded) {
        let recorded = Recorded::new();
        let mut command = inquest(&["record", "-q", "-o"]);
        command.arg(recorded.path()).args(&self.options).args(options).arg("--").arg(jdk.java());
        (run(command.args(&self.arguments), self.stdin.as_deref()), recorded)
    }
}

/// An inquest command; the agent is unpacked to a cache of the tests' own.
pub fn inquest<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(INQUEST);
    command.args(arguments).env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.env("XDG_DATA_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("data"));
    command.env_remove("JAVA_HOME").env_remove("JAVA_TOOL_OPTIONS");
    command
}

/// A folder for a recording, removed at the end of the test.
pub struct Recorded(tempfile::TempDir);

impl Recorded {
    pub fn new() -> Recorded {
        Recorded(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().join("recording")
    }

    pub fn open(&self) -> trace::Recording {
        trace::Recording::open(&self.path()).unwrap()
    }

    /// The recording with its index, to be asked.
    pub fn past(&self) -> past::Past {
        past::Past::open(&self.path(), &past::Settings::default(), &mut |_| {}).unwrap()
    }

    /// The document that `inquest verify` prints.
    pub fn verify(&self) -> Value {
        document("verify", &self.path())
    }

    /// Says what is wrong with a recording that should be whole, and hold something.
    pub fn faults(&self) -> Option<String> {
        let found = self.verify();
        if found["ok"] != true {
            return Some(format!("verify: {found:#}"));
        }
        (found["events"].as_u64() < Some(3)).then(|| "nothing was recorded".to_owned())
    }
}

/// The JSON document that a command prints about a recording; damage is no failure here.
pub fn document(command: &str, recording: &Path) -> Value {
    let ran = run(inquest(&[command, "--json"]).arg(recording), None);
    assert!(matches!(ran.code, Some(0 | 1)), "inquest {command}: {ran:?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("inquest {command}: {error}: {ran:?}"))
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
