//! What `testkit` has for tests of every crate, and recordings as the readers' crates open them.

pub use testkit::{
    Jdk, Program, Ran, Recorded, binary, check_all, classes, document, inquest, jar, jdk17, jdks, left_out,
    newest, root, run, scratch, until,
};

/// A recording, to be read.
pub trait Openable {
    fn open(&self) -> trace::Recording;

    /// With its index, to be asked.
    fn past(&self) -> past::Past;
}

impl Openable for Recorded {
    fn open(&self) -> trace::Recording {
        trace::Recording::open(&self.path()).unwrap()
    }

    fn past(&self) -> past::Past {
        past::Past::open(&self.path(), &past::Settings::default(), &mut |_| {}).unwrap()
    }
}
