//! The crate's one error type. Damage inside a recording is not an error (it is reported as data); an error
//! means that there is nothing to read or write at all, and says what the user can do about it.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "{path} is not a recording: it has no manifest.json; give the folder that `inquest record` wrote"
    )]
    NoManifest { path: PathBuf },

    #[error("cannot read {path}: {source}; check that the file exists and that you may read it")]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {path}: {source}; check the free space and that you may write there")]
    Write { path: PathBuf, source: io::Error },

    #[error("the manifest {path} cannot be understood: {why}; the file was changed or is not a manifest")]
    BadManifest { path: PathBuf, why: String },

    #[error(
        "this recording has format {found}; this inquest reads formats up to {known}: use a newer inquest"
    )]
    UnknownFormat { found: u64, known: u64 },

    #[error("{path} cannot be used: {why}; delete the index, it will be made anew")]
    BadTables { path: PathBuf, why: String },

    #[error(
        "{path} was made from another state of the recording: {why}; delete the index, it will be made anew"
    )]
    Stale { path: PathBuf, why: String },

    #[error(
        "not enough memory for the tables of objects: {source}; keep them in files, or end other programs"
    )]
    Memory { source: io::Error },
}

pub type Result<T, E = Error> = std::result::Result<T, E>;
