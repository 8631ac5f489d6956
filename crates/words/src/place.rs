//! Where something is, and what kept something from happening there.

use past::{Past, SourceLine};
use session::Prevention;

/// `MergeSort.java:12`, or the method and the instruction where the class file has no lines.
pub fn source_line(past: &Past, place: Option<&SourceLine>) -> String {
    match place {
        Some(SourceLine { file: Some(file), line: Some(line), .. }) => format!("{file}:{line}"),
        Some(place) => past.site_text(place.site),
        None => String::new(),
    }
}

/// In one word.
pub fn prevention(kind: Prevention) -> &'static str {
    match kind {
        Prevention::Branch => "branch",
        Prevention::Switch => "switch",
        Prevention::LoopEnd => "loop-end",
        Prevention::Return => "return",
        Prevention::Throw => "throw",
        Prevention::Dispatch => "dispatch",
        Prevention::Uncalled => "uncalled",
    }
}
