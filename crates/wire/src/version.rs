//! Which schema this is.

use serde::{Deserialize, Serialize};

/// Counts up when a field goes, or means something else. A field that is added does not count.
pub const VERSION: u32 = 1;

/// `inquest version --json`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Version {
    /// The version of the program.
    pub inquest: String,
    /// The version of these types.
    pub wire: u32,
}
