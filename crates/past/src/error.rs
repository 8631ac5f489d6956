//! What a question about the past can fail with. The texts are for the person who asked: they say what was wrong
//! with the question, and what would fit.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Index(#[from] index::Error),
    #[error(transparent)]
    Recording(#[from] trace::Error),
    #[error("{0}")]
    Source(String),
    #[error("`{0}` is no {1}: {2}")]
    Syntax(String, &'static str, &'static str),
    #[error("nothing is called `{name}`{}", candidates(.close))]
    NotFound { name: String, close: Vec<String> },
    #[error("`{name}` may mean several things{}", candidates(.found))]
    Ambiguous { name: String, found: Vec<String> },
    #[error("`{name}` has {count} calls: there is no number {wanted}")]
    NoSuchCall { name: String, count: u64, wanted: u64 },
    #[error("there are {count} objects called `{name}`: there is no number {wanted}")]
    NoSuchObject { name: String, count: u64, wanted: u64 },
    #[error("the time {time} is out of range: the recording has times 0 to {last}")]
    TimeOutOfRange { time: u64, last: u64 },
    #[error("{0}")]
    Path(String),
}

impl Error {
    /// Is it the disk's or the files' doing, so that no other question would help?
    pub fn is_of_files(&self) -> bool {
        match self {
            Error::Index(_) | Error::Recording(_) | Error::Source(_) => true,
            Error::Syntax(..)
            | Error::NotFound { .. }
            | Error::Ambiguous { .. }
            | Error::NoSuchCall { .. }
            | Error::NoSuchObject { .. }
            | Error::TimeOutOfRange { .. }
            | Error::Path(_) => false,
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// More than these are not listed.
const LISTED: usize = 12;

fn candidates(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut list: String = names.iter().take(LISTED).map(|name| format!("\n  {name}")).collect();
    if names.len() > LISTED {
        list.push_str(&format!("\n  … and {} more", names.len() - LISTED));
    }
    format!("; there is{list}")
}
