//! What can go wrong when a recording is packed or unpacked.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum Error {
    #[error("cannot read {path}: {source}", path = path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {path}: {source}", path = path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{path} is there already: name another file with -o, or remove it", path = path.display())]
    Exists { path: PathBuf },
    #[error("{path} is still being recorded: pack it when the program has ended", path = path.display())]
    Running { path: PathBuf },
    #[error(
        "{path} is damaged ({what}): it was probably not transferred completely; get it again, or pack the recording anew",
        path = path.display()
    )]
    Damaged { path: PathBuf, what: String },
    #[error("{path} is an archive, but no packed recording: make one with `inquest pack`", path = path.display())]
    NotPacked { path: PathBuf },
    #[error(
        "{path} was packed by Inquest {by}, in a way (version {found}) that this one does not know (it knows {known}): \
         take a newer Inquest",
        path = path.display()
    )]
    Version { path: PathBuf, by: String, found: u64, known: u64 },
    #[error("nothing is packed, because not everything secret could be taken out: {what}; {remedy}")]
    Unsound { what: String, remedy: String },
    #[error(transparent)]
    Rules(#[from] crate::redact::RuleError),
    #[error(transparent)]
    Recording(#[from] trace::Error),
    #[error("sources cannot be looked for: {0}")]
    Sources(#[from] program::Error),
}

pub type Result<T> = std::result::Result<T, Error>;
