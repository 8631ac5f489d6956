//! Why nothing can be said about a call's code. The texts are for the person who asked.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the recording has no such call")]
    NoSuchCall,
    #[error("`{0}` is code of a library: only what it did to the program is recorded")]
    Library(String),
    #[error("`{0}` has no code that can be read")]
    NoCode(String),
    #[error("`{0}` is recorded without its branches and variables (record it at detail `full`)")]
    NoBranches(String),
    #[error("the class file of `{class}` cannot be read: {source}")]
    Class { class: String, source: classfile::Error },
    #[error(transparent)]
    PointsTo(#[from] pointsto::Error),
    #[error("the recording of thread {0} cannot be replayed from its index: delete the index")]
    Replay(u32),
    #[error("the recording has no such object")]
    NoSuchObject,
    #[error("a variable is not an object: ask about the object in it, or about a field or an element")]
    Variable,
}

impl Error {
    /// Is it the disk's or the files' doing, so that no other question would help?
    pub fn is_of_files(&self) -> bool {
        match self {
            Error::Replay(_) => true,
            Error::NoSuchCall
            | Error::Library(_)
            | Error::NoCode(_)
            | Error::NoBranches(_)
            | Error::Class { .. }
            | Error::PointsTo(pointsto::Error::NothingObserved)
            | Error::NoSuchObject
            | Error::Variable => false,
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;
