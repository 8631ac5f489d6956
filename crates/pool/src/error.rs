//! What can go wrong with a pool: setting one up ([`Error`]), and asking it for a chunk ([`Refused`]). The second
//! is apart because it happens on the debuggee's threads, where it must not allocate.

use std::io;
use std::path::PathBuf;

use crate::StopReason;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot {doing} the chunk pool {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} is not a chunk pool of this version: {problem}", path.display())]
    Format { path: PathBuf, problem: &'static str },
    #[error("no place for the chunk pool: {} ({shared}); {} ({fallback})", shared_path.display(), fallback_path.display())]
    NoPlace { shared_path: PathBuf, shared: io::Error, fallback_path: PathBuf, fallback: io::Error },
}

/// Why a thread did not get a chunk. Either way it records no more until it asks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the recording was stopped: {0}")]
    Stopped(StopReason),
    #[error("every chunk of the pool is in use by a thread")]
    Exhausted,
}
