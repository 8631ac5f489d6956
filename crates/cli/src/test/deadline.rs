//! The end of a run that takes too long. JVMs are asked to end, so that they say what they have to say, and killed if they do not; the
//! recording has all that they did either way. The build tool comes last: it may want to tell what became of its tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use collector::LiveTail;
use trace::Manifest;

use crate::open;
use crate::record::{BesideRecording, RunningProgram};

const LOOK_EVERY: Duration = Duration::from_millis(50);
/// So long a JVM may take to end when it is asked to.
const FAREWELL: Duration = Duration::from_secs(5);
/// So long after the tests' JVMs the command may go on, and then take to end.
const AFTER: Duration = Duration::from_secs(10);
const LAST: Duration = Duration::from_secs(15);

pub struct Deadline {
    time: Option<Duration>,
    takes_input: bool,
    passed: AtomicBool,
}

impl Deadline {
    /// `takes_input`: what is on stdin is not for the command.
    pub fn new(time: Option<Duration>, takes_input: bool) -> Deadline {
        Deadline { time, takes_input, passed: AtomicBool::new(false) }
    }

    /// Was the run ended because of it?
    pub fn has_passed(&self) -> bool {
        self.passed.load(Ordering::Acquire)
    }
}

impl BesideRecording for Deadline {
    fn takes_input(&self) -> bool {
        self.takes_input
    }

    fn speaks(&self) -> bool {
        false
    }

    fn keep(&self, running: &RunningProgram) {
        let Some(time) = self.time else { return };
        let started = Instant::now();
        let mut asked: Vec<(PathBuf, Instant)> = Vec::new();
        let mut command_asked = false;
        while !running.over.load(Ordering::Acquire) {
            thread::sleep(LOOK_EVERY);
            let Some(late) = started.elapsed().checked_sub(time) else { continue };
            if running.has_ended.load(Ordering::Acquire) {
                continue;
            }
            self.passed.store(true, Ordering::Release);
            for (place, pid) in running_jvms(running.dir, late > AFTER) {
                match asked.iter().find(|(known, _)| *known == place) {
                    None => {
                        send(pid, libc::SIGTERM);
                        asked.push((place, Instant::now()));
                    }
                    Some((_, since)) if since.elapsed() > FAREWELL => send(pid, libc::SIGKILL),
                    Some(_) => {}
                }
            }
            if late > LAST {
                send(running.pid, libc::SIGKILL);
            } else if late > AFTER && !command_asked {
                command_asked = true;
                send(running.pid, libc::SIGTERM);
            }
        }
    }
}

/// The JVMs that are being recorded, by their folders; of build tools only if asked for.
fn running_jvms(dir: &Path, tools: bool) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for place in collector::jvm_folders(dir) {
        // One that has ended is nobody's to ask: its number may be another's by now.
        if open::has_ended(&place) || LiveTail::open(&place).is_none() {
            continue;
        }
        let Ok(manifest) = Manifest::load(&place) else { continue };
        if tools || session::build_tool_of(&manifest.command).is_none() {
            found.push((place, manifest.pid));
        }
    }
    found
}

fn send(pid: u32, signal: i32) {
    // SAFETY: a plain system call; the process is one of this run's, which has not ended yet.
    unsafe { libc::kill(pid as libc::pid_t, signal) };
}
