//! What the analysis is given: where class files are, and what a run observed.

use std::borrow::Cow;

/// Class files by name (with slashes). Classes of one name from several loaders are one class here.
pub trait Classes: Sync {
    fn bytes(&self, name: &str) -> Option<Cow<'_, [u8]>>;

    /// Is it code of the program, not of a library?
    fn is_program(&self, name: &str) -> bool;
}

/// A method, by names as in class files.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Member {
    pub class: String,
    pub name: String,
    pub descriptor: String,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub method: Member,
    pub bci: u16,
}

/// What the run showed. The analysis starts from it; it is complete for none of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// Methods that ran without being called by code of the program: `main`, `run` of threads, callbacks, initialisers.
    pub entries: Vec<Member>,
    /// Which method an instruction really called, directly.
    pub calls: Vec<(Place, Member)>,
    /// What values were seen where the code alone may not say where they come from.
    pub seen: Vec<(Seen, String)>,
}

/// Where an object was seen; the text beside it is its class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seen {
    /// A call into a library came back with it.
    Result(Place),
    /// The same, but by reflection: no code says where it comes from, so it may be any object of that class that the
    /// program creates.
    GivenResult(Place),
    /// An entry method got it: 0 is the receiver of a method that is not static, else the first argument.
    Argument(Member, u8),
    /// The same, but by reflection or from the VM.
    Given(Member, u8),
}
