//! What the analysis is given: where class files are, and what a run observed.

use std::borrow::Cow;

/// Class files by name (with slashes). Classes of one name from several loaders are one class here.
pub trait ClassLookup: Sync {
    fn bytes(&self, name: &str) -> Option<Cow<'_, [u8]>>;

    /// Is it code of the program, not of a library?
    fn is_program(&self, name: &str) -> bool;
}

/// A method, by names as in class files.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberName {
    pub class: String,
    pub name: String,
    pub descriptor: String,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodePoint {
    pub method: MemberName,
    pub bci: u16,
}

/// What the run showed. The analysis starts from it; it is complete for none of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// Methods that ran without being called by code of the program: `main`, `run` of threads, callbacks, initialisers.
    pub entries: Vec<MemberName>,
    /// Which method an instruction really called, directly.
    pub calls: Vec<(CodePoint, MemberName)>,
    /// What values were seen where the code alone may not say where they come from.
    pub seen: Vec<(SeenAt, String)>,
}

/// Where an object was seen; the text beside it is its class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SeenAt {
    /// A call into a library came back with it.
    Result(CodePoint),
    /// The same, but by reflection: no code says where it comes from, so it may be any object of that class that the
    /// program creates.
    GivenResult(CodePoint),
    /// An entry method got it: 0 is the receiver of a method that is not static, else the first argument.
    Argument(MemberName, u8),
    /// The same, but by reflection or from the VM.
    Given(MemberName, u8),
}
