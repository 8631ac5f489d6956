//! What works on a machine.

use serde::{Deserialize, Serialize};

/// `inquest doctor --json`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Doctor {
    /// Programs can be recorded here.
    pub ok: bool,
    pub checks: Vec<DoctorCheck>,
}

/// Something that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DoctorCheck {
    /// `java`, `agent`, `memory`, `disk`, `rights`, `build-tool`, `page`, `browser`.
    pub check: String,
    /// False if programs cannot be recorded because of this.
    pub ok: bool,
    /// What was found.
    pub text: String,
    /// What to do, if something could be better.
    pub advice: Option<String>,
}
