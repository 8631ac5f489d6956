//! The collector while a command runs: finds the JVMs that its agent announces, empties their pools, and closes
//! their recordings as they end. One thread watches at normal priority; another writes in the background at low
//! priority, so that a short run costs only its probes. The watcher writes too when a pool gets half full; where the
//! processors are busy with other work, without compressing.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pool::StopReason;

use crate::close::{JvmSummary, close};
use crate::crowd::Crowd;
use crate::ending::ProcessExit;
use crate::error::{Error, io};
use crate::gather::jvm_folders;
use crate::live::Live;
use crate::plan::Eagerness;
use crate::priority;

const WATCH: Duration = Duration::from_millis(20);
const WATCH_CLOSELY: Duration = Duration::from_millis(1);
const BACKGROUND: Duration = Duration::from_millis(5);
/// How long JVMs that outlive the command may take to end by themselves, and then to hand over their chunks.
const FAREWELL: Duration = Duration::from_secs(2);
const HAND_OVER: Duration = Duration::from_millis(200);

/// Runs from the command's start to its end.
pub struct Collector {
    shared: Arc<Shared>,
    watcher: JoinHandle<Summary>,
    background: JoinHandle<()>,
}

/// What was recorded in all.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    pub jvms: Vec<JvmSummary>,
    /// Folders of JVMs whose agent began but never got ready to record, and why if it is known.
    pub failed: Vec<(PathBuf, String)>,
}

/// How it goes, for a line of text that is redrawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordingProgress {
    pub jvms: usize,
    /// Bytes in files.
    pub bytes: u64,
    pub chunks: u64,
    pub waited_ms: u64,
}

struct Shared {
    dir: PathBuf,
    /// Pid of the command: if it is a JVM itself, its recording is closed once its exit code is known.
    command: u32,
    live: Mutex<Vec<Arc<Live>>>,
    closed: Mutex<RecordingProgress>,
    exit: Mutex<Option<ProcessExit>>,
    quit: AtomicBool,
}

impl Collector {
    /// Starts to watch `dir`, where the agents of a command and its children make a folder each.
    pub fn start(dir: &Path, command: u32) -> Result<Collector, Error> {
        let shared = Arc::new(Shared {
            dir: dir.to_path_buf(),
            command,
            live: Mutex::default(),
            closed: Mutex::default(),
            exit: Mutex::default(),
            quit: AtomicBool::new(false),
        });
        let spawn_error = io("start a thread for", dir);
        let (for_background, for_watcher) = (shared.clone(), shared.clone());
        let threads = thread::Builder::new()
            .name("background".to_owned())
            .spawn(move || write_in_background(&for_background))
            .and_then(|background| {
                let watcher =
                    thread::Builder::new().name("watcher".to_owned()).spawn(move || watch(&for_watcher));
                watcher.map(|watcher| (background, watcher))
            });
        let (background, watcher) = threads.map_err(spawn_error)?;
        Ok(Collector { shared, watcher, background })
    }

    pub fn progress(&self) -> RecordingProgress {
        let mut progress = *lock(&self.shared.closed);
        for live in lock(&self.shared.live).iter() {
            progress.jvms += 1;
            progress.bytes += live.bytes();
            progress.chunks += live.pool.published();
            progress.waited_ms += live.pool.waited_ns() / 1_000_000;
        }
        progress
    }

    /// To be called when the command has ended: closes every recording, also of JVMs that live on.
    pub fn finish(self, exit: ProcessExit) -> Summary {
        *lock(&self.shared.exit) = Some(exit);
        let summary = self.watcher.join().unwrap_or_default();
        self.shared.quit.store(true, Release);
        let _ = self.background.join();
        summary
    }
}

fn write_in_background(shared: &Shared) {
    priority::lower_this_thread();
    while !shared.quit.load(Acquire) {
        let mut worked = false;
        let jvms = lock(&shared.live).clone();
        for live in &jvms {
            // Under pressure the lock belongs to the watcher.
            worked |= !live.is_pressed() && live.drain_frame(Eagerness::Whole, true);
        }
        drop(jvms);
        if !worked {
            thread::sleep(BACKGROUND);
        }
    }
}

fn watch(shared: &Shared) -> Summary {
    let mut summary = Summary::default();
    let mut known = HashSet::new();
    let mut ending: Option<Instant> = None;
    let mut crowd = Crowd::default();
    loop {
        let exit = *lock(&shared.exit);
        if exit.is_some() {
            ending.get_or_insert_with(Instant::now);
        }
        find_new(shared, &mut known, &mut summary);
        let jvms = lock(&shared.live).clone();
        let mut pressed = false;
        for live in &jvms {
            live.pool.beat();
            if live.is_pressed() {
                pressed = true;
                relieve(live, &mut crowd);
            }
        }
        drop(jvms);
        let overdue = ending.is_some_and(|since| since.elapsed() > FAREWELL);
        close_ended(shared, exit, overdue, &mut summary);
        if ending.is_some() && lock(&shared.live).is_empty() {
            report_unready(shared, &known, &mut summary);
            return summary;
        }
        let pause = if pressed || ending.is_some() { WATCH_CLOSELY } else { WATCH };
        thread::sleep(pause);
    }
}

/// Writes at normal priority until the pool has room again, or there is nothing to write.
fn relieve(live: &Live, crowd: &mut Crowd) {
    while !live.is_relaxed() && live.drain_frame(Eagerness::InOrder, !crowd.is_crowded()) {
        live.pool.beat();
    }
}

fn find_new(shared: &Shared, known: &mut HashSet<PathBuf>, summary: &mut Summary) {
    for dir in jvm_folders(&shared.dir) {
        if known.contains(&dir) {
            continue;
        }
        match Live::open(&dir) {
            Ok(None) => {}
            Ok(Some(live)) => {
                known.insert(dir);
                lock(&shared.live).push(Arc::new(live));
            }
            Err(error) => {
                summary.failed.push((dir.clone(), error.to_string()));
                known.insert(dir);
            }
        }
    }
}

fn close_ended(shared: &Shared, exit: Option<ProcessExit>, overdue: bool, summary: &mut Summary) {
    let jvms = lock(&shared.live).clone();
    for live in jvms {
        let awaits_exit = live.pid() == shared.command && exit.is_none();
        if !(overdue || live.is_dead()) || awaits_exit {
            continue;
        }
        if overdue && !live.is_dead() {
            // A daemon that outlives its command: it runs on unrecorded.
            live.pool.stop(StopReason::Asked);
            thread::sleep(HAND_OVER);
        }
        lock(&shared.live).retain(|other| !Arc::ptr_eq(other, &live));
        let closed = close(sole(live), exit);
        let mut totals = lock(&shared.closed);
        totals.jvms += 1;
        totals.bytes += closed.bytes;
        totals.chunks += closed.chunks;
        totals.waited_ms += closed.waited_ms;
        drop(totals);
        summary.jvms.push(closed);
    }
}

/// Waits until the other threads have let go; each holds on for one frame at most.
fn sole(mut live: Arc<Live>) -> Live {
    loop {
        match Arc::try_unwrap(live) {
            Ok(live) => return live,
            Err(shared) => live = shared,
        }
        thread::sleep(WATCH_CLOSELY);
    }
}

fn report_unready(shared: &Shared, known: &HashSet<PathBuf>, summary: &mut Summary) {
    for dir in jvm_folders(&shared.dir) {
        if !known.contains(&dir) {
            summary.failed.push((dir, "its agent did not get ready to record".to_owned()));
        }
    }
}

/// No data behind these locks is ever half changed, so a panic elsewhere does not matter here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
