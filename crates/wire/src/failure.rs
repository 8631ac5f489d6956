//! What is said instead of an answer.

use serde::{Deserialize, Serialize};

/// Body of every refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Refusal {
    pub error: String,
}

/// Body of 202: there is no session yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Waiting {
    pub waiting: String,
}
