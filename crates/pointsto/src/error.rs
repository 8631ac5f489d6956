//! What can go wrong. A class that cannot be read is none of it: it is listed in the solution as left out.

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the run observed no method, so there is nothing to start from")]
    NothingObserved,
}
