//! A recording as one file.

use serde::{Deserialize, Serialize};

/// `inquest pack --json`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Packed {
    pub file: String,
    /// Of the file.
    pub bytes: u64,
    /// Of all files of the recording that are in it.
    pub bytes_before: u64,
    /// Source files in it.
    pub sources: usize,
    /// What rules mean was taken out.
    pub redacted: bool,
    /// Texts that were taken out wherever they were.
    pub redacted_texts: usize,
    /// Strings and arrays that were taken out where rules mean them.
    pub redacted_values: usize,
    /// What was answered is left out, because a text in it was taken out.
    pub answers_left_out: bool,
}
