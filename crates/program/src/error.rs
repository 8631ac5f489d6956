//! What can be wrong with the places that sources and classes are looked for in, and with the classes that are listed.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the source path {} does not exist", .0.display())]
    Missing(PathBuf),
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is neither a folder, nor a source file, nor a readable jar or zip: {reason}", path.display())]
    Archive { path: PathBuf, reason: String },
    #[error("{} is no image of a JDK's modules that can be read: {reason}", path.display())]
    Image { path: PathBuf, reason: String },
    #[error("the class cannot be read: {0}")]
    Class(#[from] classfile::Error),
    #[error("the class has no method {0}")]
    NoMethod(usize),
}
