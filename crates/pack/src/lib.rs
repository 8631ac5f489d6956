//! A recording as one file that can be handed on: what is in its folder, compressed, with the program's sources; and
//! back from there to a folder. The file is an ordinary zip archive, so that anybody can look into it and every part
//! of it has a checksum.
//!
//! Of a recording with several JVMs the folder of the whole run is packed. What can be computed again is left out,
//! unless the index is wanted.

mod archive_writer;
mod chunk_file;
mod contents;
mod error;
mod inflate;
mod label;
mod packing;
mod redact;
mod sources;
mod unpacking;

pub use error::{Error, Result};
pub use label::Label;
pub use packing::{Packed, Progress, Request, pack};
pub use redact::{RuleError, Rules};
pub use sources::{FOLDER as SOURCES, SourcePlaces};
pub use unpacking::{Archived, is_archive};
