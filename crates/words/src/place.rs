//! Where something is.

use past::{Past, SourceLine};

/// `MergeSort.java:12`, or the method and the instruction where the class file has no lines.
pub fn source_line(past: &Past, place: Option<&SourceLine>) -> String {
    match place {
        Some(SourceLine { file: Some(file), line: Some(line), .. }) => format!("{file}:{line}"),
        Some(place) => past.site_text(place.site),
        None => String::new(),
    }
}
