//! What can go wrong with an index: almost always the disk. Anything else that is wrong with one is mended by
//! building it again.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot write the index file {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read the index file {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("the index in {} does not fit: {why}", path.display())]
    Unfit { path: PathBuf, why: String },
    #[error(transparent)]
    Recording(#[from] trace::Error),
}

pub type Result<T> = std::result::Result<T, Error>;

pub(crate) fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::Write { path, source }
}

pub(crate) fn cannot_read(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::Read { path, source }
}
