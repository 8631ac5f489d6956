//! How a recording ended, as its manifest tells it: when, by what, and whether everything is there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pool::{AgentState, Pool, StopReason};
use serde_json::Value;
use trace::Manifest;

use crate::error::Error;

/// How the command's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessExit {
    pub pid: u32,
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

/// Why and when recording stopped before the program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    pub reason: StopReason,
    /// Milliseconds since 1970; unknown when nobody was there to see it.
    pub at: Option<u64>,
    /// What the system said, if it was a failed write.
    pub detail: Option<String>,
}

impl Stopped {
    pub(crate) fn now(reason: StopReason, error: Option<&io::Error>) -> Stopped {
        Stopped { reason, at: Some(now()), detail: error.map(io::Error::to_string) }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{} ({detail})", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}

/// What the manifest of an ended JVM has to say.
#[derive(Debug, Clone)]
pub(crate) struct RunEnd {
    pub pid: u32,
    pub exit: Option<ProcessExit>,
    pub stopped: Option<Stopped>,
    /// Nothing that was recorded is missing from the files.
    pub whole: bool,
    pub ended_well: bool,
    pub waited_ms: u64,
    pub bytes: u64,
}

impl RunEnd {
    pub fn of(pool: &Pool) -> RunEnd {
        RunEnd {
            pid: pool.debuggee(),
            exit: None,
            stopped: pool.stopped().map(|reason| Stopped { reason, at: None, detail: None }),
            whole: true,
            ended_well: pool.agent_state() == AgentState::Ended,
            waited_ms: pool.waited_ns() / 1_000_000,
            bytes: 0,
        }
    }

    /// Everything up to the program's end is there. A JVM that returned an exit code went through its own end.
    pub fn is_complete(&self) -> bool {
        let returned = self.exit.is_some_and(|exit| exit.code.is_some());
        self.whole && self.stopped.is_none() && (self.ended_well || returned)
    }

    /// Rewrites the manifest. A manifest that the agent never got to write is made from what we know.
    pub fn store(&self, dir: &Path) -> Result<(), Error> {
        let mut manifest =
            Manifest::load(dir).unwrap_or_else(|_| Manifest { pid: self.pid, ..Manifest::default() });
        manifest.ended = Some(now());
        manifest.exit = self.exit.and_then(|exit| exit.code);
        manifest.complete = self.is_complete();
        manifest.waited_ms = self.waited_ms;
        manifest.stopped = self.stopped.as_ref().map(Stopped::to_string);
        let more = [
            ("signal", self.exit.and_then(|exit| exit.signal).map(Value::from)),
            ("stopped_at", self.stopped.as_ref().and_then(|stopped| stopped.at).map(Value::from)),
            ("bytes", Some(self.bytes.into())),
        ];
        for (name, value) in more {
            manifest.more.insert(name.to_owned(), value.unwrap_or(Value::Null));
        }
        manifest.store(dir).map_err(|source| Error::Recording { path: dir.to_path_buf(), source })
    }
}

/// A little disk space, kept back so that a recording on a full disk can still say that it is one.
pub(crate) struct Reserve(PathBuf);

impl Reserve {
    const BYTES: usize = 64 * 1024;

    pub fn create(dir: &Path) -> io::Result<Reserve> {
        let path = dir.join("reserve");
        let reserve = Reserve(path);
        fs::write(&reserve.0, [0; Reserve::BYTES])?;
        Ok(reserve)
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending() -> RunEnd {
        RunEnd { pid: 7, exit: None, stopped: None, whole: true, ended_well: false, waited_ms: 12, bytes: 34 }
    }

    #[test]
    fn only_a_run_that_was_seen_to_its_end_is_complete() {
        let exit = |code, signal| Some(ProcessExit { pid: 7, code, signal });
        let stopped = Some(Stopped { reason: StopReason::DiskFull, at: Some(1), detail: None });
        assert!(!ending().is_complete());
        assert!(RunEnd { ended_well: true, ..ending() }.is_complete());
        assert!(RunEnd { exit: exit(Some(3), None), ..ending() }.is_complete());
        assert!(!RunEnd { exit: exit(None, Some(9)), ..ending() }.is_complete());
        assert!(!RunEnd { ended_well: true, stopped, ..ending() }.is_complete());
        assert!(!RunEnd { ended_well: true, whole: false, ..ending() }.is_complete());
    }

    #[test]
    fn the_manifest_keeps_what_the_agent_wrote() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = r#"{"format": 1, "pid": 7, "command": ["java", "A"], "future": [1]}"#;
        fs::write(dir.path().join("manifest.json"), manifest).unwrap();
        ending().store(dir.path()).unwrap();
        let manifest = Manifest::load(dir.path()).unwrap();
        assert_eq!(manifest.command, ["java", "A"]);
        assert_eq!(manifest.more["future"], serde_json::json!([1]));
        assert_eq!(manifest.more["bytes"], 34);
        assert_eq!((manifest.waited_ms, manifest.complete), (12, false));
        assert!(manifest.ended.is_some());
    }
}
