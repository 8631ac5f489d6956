//! What we know about the JDK, and of the frameworks that run tests: closed tables, and a function to look things up in
//! each. Nobody else has a list of JDK classes, so that a new collection or a quirk of one version is one row here.
//!
//! Classes are named as class files name them (`java/util/Map$Entry`). Class files have bytes and recordings have text,
//! so the functions take either. `tests/installed.rs` holds the tables against the JDKs that are installed.

pub mod arrays;
pub mod assertions;
pub mod boxes;
pub mod builders;
pub mod caches;
pub mod calls;
pub mod collections;
pub mod contents;
pub mod effects;
pub mod failures;
pub mod flows;
pub mod identity;
pub mod machine;
pub mod names;
pub mod owner;
pub mod requests;
pub mod scalars;
pub mod testing;
pub mod threads;
pub mod unseen;
pub mod util_parts;
pub mod values;

mod matching;

/// The name of a field. A name is declared once in the classes of the JDK that are above one another, where not said
/// otherwise.
pub type Field = &'static str;
