//! The debuggee as its author wrote it: where the sources of a class are, and, where there are none, its bytecode in
//! readable form.
//!
//! A recording has no sources in it, so they are looked for, and what is found is checked: a file of the right name
//! is taken only if its package fits the class.

mod archive;
mod error;
mod folder;
mod listing;
mod package;
mod sources;

pub use error::Error;
pub use listing::{last_line, listing};
pub use sources::{Source, Sources};
