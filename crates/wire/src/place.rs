//! A place in a source file, which many answers have beside other things.

use serde::{Deserialize, Serialize};

/// A place in a source file, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourcePlace {
    /// The file's name as the class file has it.
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl From<Option<&past::SourceLine>> for SourcePlace {
    fn from(place: Option<&past::SourceLine>) -> SourcePlace {
        SourcePlace {
            file: place.and_then(|place| place.file.clone()),
            line: place.and_then(|place| place.line),
        }
    }
}
