//! The debuggee as its author wrote it and as it was compiled: where the sources of a class are, and, where there are
//! none, its bytecode in readable form; the class files of the JDK and of the class path.
//!
//! A recording has no sources in it, so they are looked for, and what is found is checked: a file of the right name
//! is taken only if its package fits the class.

mod archive;
mod class_path;
mod error;
mod folder;
mod image;
mod jar_manifest;
mod listing;
mod package;
mod run_path;
mod sources;
mod stamps;

pub use class_path::{ClassBytes, ClassPath};
pub use error::Error;
pub use image::Image;
pub use jar_manifest::path_of_url;
pub use listing::{last_line, listing};
pub use run_path::{Start, class_path_of};
pub use sources::{Source, Sources};
pub use stamps::{Stamp, stamps};
