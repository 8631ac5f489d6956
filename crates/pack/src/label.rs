//! The first entry of a packed file. It says what the file is, before anything else of it is read.

use serde::{Deserialize, Serialize};

/// The name of the entry.
pub const NAME: &str = "inquest-pack.json";
/// The version of the layout that this crate writes and reads.
pub const VERSION: u64 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub version: u64,
    /// Version of the Inquest that packed it.
    pub inquest: String,
    /// What the recording's folder was called.
    pub name: String,
    /// Were values taken out?
    pub redacted: bool,
}

impl Label {
    pub fn new(name: &str, redacted: bool) -> Label {
        Label {
            version: VERSION,
            inquest: env!("CARGO_PKG_VERSION").to_owned(),
            name: name.to_owned(),
            redacted,
        }
    }
}
