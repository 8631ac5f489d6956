//! What can go wrong while a recording is put together. Errors of single JVMs end up in its summary and not here:
//! one broken recording must not take the others with it.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Pool(#[from] pool::Error),
    #[error("cannot read what the recording {} holds already: {source}", path.display())]
    Recording { path: PathBuf, source: trace::Error },
    #[error("{} is not a manifest: {problem}", path.display())]
    Manifest { path: PathBuf, problem: String },
}

/// For `map_err`: an I/O error with what was being done to what.
pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Io { doing, path: path.to_path_buf(), source }
}
