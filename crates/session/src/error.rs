//! What can go wrong in a dialogue, each with what a person can do about it.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Past(#[from] past::Error),
    #[error("cannot {doing} the answers in {}: {source}", path.display())]
    Journal { path: PathBuf, doing: &'static str, source: io::Error },
    #[error("another inquest (ask, run or open) has the answers in {}: use that one, or end it first", path.display())]
    InUse { path: PathBuf },
    #[error(
        "the answers in {} were written by another version of inquest (format {version}): use that version, or begin anew; they are kept",
        path.display()
    )]
    JournalVersion { path: PathBuf, version: u32 },
    #[error("{} is no file of answers: move it away, or begin anew; it is kept", path.display())]
    NoJournal { path: PathBuf },
    #[error(transparent)]
    Analysis(#[from] analysis::Error),
    #[error(transparent)]
    Oracle(#[from] crate::oracle::OracleError),
    #[error("nothing is recorded that could be asked about")]
    Nothing,
    #[error(
        "there is no symptom {number}: {}; `inquest symptoms` lists them, and --root, --output or --request name another",
        listed(*count, "is found", "are found")
    )]
    NoSymptom { number: usize, count: usize },
    #[error("there is no request {number}: {}; `inquest symptoms --requests` lists them", listed(*count, "is recorded", "are recorded"))]
    NoRequest { number: usize, count: usize },
    #[error("no line of output has `{text}` in it; `inquest find --output` lists what was printed")]
    NoOutput { text: String },
    #[error("there is nothing to {0}")]
    NothingTo(&'static str),
    #[error(
        "{location} has nothing to do with {call}: nothing in it reads or writes it; name a value that it was given, gave or changed"
    )]
    Unrelated { location: String, call: String },
    #[error(
        "this is {tool}'s own JVM, not the program that it builds or tests, and no test failed in it: {advice}"
    )]
    BuildTool { tool: &'static str, advice: String },
    #[error("no rule of trust is called {0}")]
    NoRule(String),
}

pub type Result<T> = std::result::Result<T, Error>;

fn listed(count: usize, one: &str, several: &str) -> String {
    match count {
        0 => format!("none {one}"),
        1 => format!("only 1 {one}"),
        count => format!("{count} {several}"),
    }
}
