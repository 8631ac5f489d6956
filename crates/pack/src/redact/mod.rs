//! Taking values out of a recording on its way into a packed file. Values are found by rules; then their *texts* are
//! taken out wherever they occur: in strings, arrays, constants of class files, names of threads, the manifest,
//! sources, the journal of answers. What is taken out is unknown to every reader, and is never replaced by
//! something that could be taken for the value.
//!
//! A log is replayed by readers, so what the program computes from single characters or numbers would come back by itself.
//! Where rules reach such values, nothing is packed, and it is said which code it is.

mod arrays;
mod class_file;
mod collect;
mod known;
mod needles;
mod pattern;
mod rewrite;
mod rules;
mod scan;
mod secrets;

pub use rules::{RuleError, Rules};

pub(crate) use collect::damaged;
pub(crate) use rewrite::{Redactor, is_name};
pub(crate) use scan::Scanning;
