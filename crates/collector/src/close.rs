//! The end of one JVM's recording: the pool's rest goes to files, the manifest says how it ended, and what was only
//! needed while it ran goes away. The order makes it safe to be killed at any point and done again by a reader:
//! the pool is removed only when the files have everything. Data is not forced to the disk: the user would wait for
//! it at the end of every run, and a power cut costs the unwritten tail, which is what the checksums are for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use pool::{Lock, Pool};

use crate::ending::{ProcessExit, RunEnd, Stopped};
use crate::error::Error;
use crate::live::{Live, POINTER, stop_reason};
use crate::rest::{Rest, write_rest};

/// What became of one JVM's recording.
#[derive(Debug, Clone)]
pub struct JvmSummary {
    pub pid: u32,
    pub dir: PathBuf,
    /// Bytes of the recording's chunk files.
    pub bytes: u64,
    pub chunks: u64,
    /// Streams with at least one chunk; the table stream is not counted.
    pub threads: usize,
    pub waited_ms: u64,
    /// Methods that are recorded in less detail than asked for.
    pub degraded: u32,
    pub complete: bool,
    pub stopped: Option<Stopped>,
    /// What could not be done, e.g. the manifest could not be written.
    pub problem: Option<String>,
}

/// Ends the recording of a JVM that is dead, or that was asked to stop recording.
pub(crate) fn close(live: Live, exit: Option<ProcessExit>) -> JvmSummary {
    let agent_failed = live.failed_to_start();
    let (dir, pool, drain_lock, mut files) = live.into_parts();
    // Makes room for the manifest, and for the rest if it is small.
    drop(files.reserve.take());
    let open = files.writer.take().filter(|_| files.stopped.is_none());
    let rest = write_rest(&dir, &pool, &files.written, files.table, open);
    let exit = exit.filter(|exit| exit.pid == pool.debuggee());
    let mut summary = finish(&dir, &pool, &rest, files.stopped, exit);
    summary.chunks += files.chunks;
    if agent_failed && summary.problem.is_none() {
        summary.problem = Some("the agent could not record this JVM".to_owned());
    }
    drop(drain_lock);
    summary
}

/// The part that collector and salvage share, once the rest is written. `stopped` is what is known beyond the
/// pool's own reason.
pub(crate) fn finish(
    dir: &Path,
    pool: &Pool,
    rest: &Rest,
    stopped: Option<Stopped>,
    exit: Option<ProcessExit>,
) -> JvmSummary {
    let mut ending = RunEnd::of(pool);
    ending.exit = exit;
    ending.bytes = chunk_bytes(dir);
    ending.whole = rest.holes == 0 && rest.failure.is_none();
    ending.stopped = stopped.or(ending.stopped);
    if let Some(error) = &rest.failure
        && ending.stopped.is_none()
    {
        ending.stopped = Some(Stopped::now(stop_reason(error), Some(error)));
    }
    let problem = ending.store(dir).and_then(|()| remove_traces(dir, Some(pool))).err();
    JvmSummary {
        pid: ending.pid,
        dir: dir.to_path_buf(),
        bytes: ending.bytes,
        chunks: rest.chunks,
        threads: rest.threads,
        waited_ms: ending.waited_ms,
        degraded: pool.degraded().load(Relaxed),
        complete: ending.is_complete(),
        stopped: ending.stopped,
        problem: problem.map(|error| error.to_string()),
    }
}

/// Removes the pool, then the file that names it, then the locks.
pub(crate) fn remove_traces(dir: &Path, pool: Option<&Pool>) -> Result<(), Error> {
    let pool = pool.map(|pool| pool.path().to_path_buf());
    let others = [POINTER, "reserve", Lock::DEBUGGEE, Lock::DRAIN].map(|name| dir.join(name));
    for path in pool.into_iter().chain(others) {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Io { doing: "remove", path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

fn chunk_bytes(dir: &Path) -> u64 {
    (0..)
        .map_while(|number| fs::metadata(dir.join(trace::frame::file_name(number))).ok())
        .map(|metadata| metadata.len())
        .sum()
}
