//! The numbers of a recording as types, so that a method can never be used where an object is meant.
//! They are the numbers of the format (docs/format.md) and stay the same for the life of a recording.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
    )*};
}

ids! {
    /// A stream of the recording: 0 holds the tables, every other one belongs to a thread.
    StreamId,
    /// A class that was loaded in scope (a class record of the table stream).
    ClassId,
    /// A method, recording-wide: the first method of its class + its index in the class file.
    MethodId,
    /// A run-time type: class, interface or array class of one loader.
    TypeId,
    /// A string's content.
    StringId,
    /// A place in explicitly recorded code.
    SiteId,
    /// An object that is being constructed and has no identity yet; unique within its thread stream.
    PendingId,
}

impl StreamId {
    /// The table stream.
    pub const TABLES: StreamId = StreamId(0);
}

impl TypeId {
    /// Stands for a type that is not known.
    pub const NONE: TypeId = TypeId(u32::MAX);
}

impl ClassId {
    /// Stands for a class that is not known.
    pub const NONE: ClassId = ClassId(u32::MAX);
}

/// An object or array. Objects of program classes and library objects are numbered apart: bit 31 tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// Stands for an object whose identity is not known.
    pub const UNIDENTIFIED: u32 = 0x7fff_ffff;

    /// True for an object of a program class: its identity is exact.
    pub fn is_program(self) -> bool {
        self.0 >> 31 == 1
    }

    /// The number without the bit that tells the two kinds apart.
    pub fn number(self) -> u32 {
        self.0 & 0x7fff_ffff
    }
}

/// A field: the class that declares it and its index in the class file. Does not depend on the order of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u32);

impl FieldId {
    const INDEX_BITS: u32 = 12;

    /// None for a class or an index that is too large.
    pub fn new(class: ClassId, index: usize) -> Option<FieldId> {
        let index = u32::try_from(index).ok().filter(|index| index >> Self::INDEX_BITS == 0)?;
        // The last class is left out: the index of locations has other uses for the largest numbers.
        (class.0 < (1 << (32 - Self::INDEX_BITS)) - 1).then_some(FieldId(class.0 << Self::INDEX_BITS | index))
    }

    /// So many classes stand for libraries of which only fields are known that the program uses. They have the last numbers.
    const LIBRARIES: u32 = 1 << 14;
    const FIRST_LIBRARY: u32 = (1 << (32 - Self::INDEX_BITS)) - 1 - Self::LIBRARIES;

    /// A field of such a class; none if there are too many.
    pub fn of_library(class: usize, index: usize) -> Option<FieldId> {
        let class = u32::try_from(class).ok().filter(|&class| class < Self::LIBRARIES)?;
        FieldId::new(ClassId(Self::FIRST_LIBRARY + class), index)
    }

    /// Is it one that a library declares, of which nothing is known but that the program uses it?
    pub fn is_of_library(self) -> bool {
        self.class().0 >= Self::FIRST_LIBRARY
    }

    pub fn class(self) -> ClassId {
        ClassId(self.0 >> Self::INDEX_BITS)
    }

    pub fn index(self) -> usize {
        (self.0 & ((1 << Self::INDEX_BITS) - 1)) as usize
    }
}

/// What an instruction calls: the class whose code calls, and the index in its constant pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CalleeId {
    pub class: ClassId,
    pub index: u16,
}

/// A place in the program's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub method: MethodId,
    pub bci: u16,
}
