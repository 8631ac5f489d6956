//! A rendered value as a tree: what a client folds and unfolds. Plain data, so that terminal, JSON and web page
//! are made from the same.

use base::ObjectId;

#[derive(Clone, Debug, PartialEq)]
pub struct RenderedNode {
    /// The whole value on one line.
    pub text: String,
    pub kind: ValueKind,
    /// The object or array that this is, so that a client can ask for more of it.
    pub object: Option<ObjectId>,
    pub children: Vec<Child>,
    /// How many more children there are than are shown here.
    pub cut: Option<u64>,
    /// The value, or what is in it, is not known.
    pub unknown: bool,
    /// Known only from what a library last showed of it; it may have changed since.
    pub seen: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Child {
    /// The name of a field, `[3]` for an element, the text of the key for a pair of a map.
    pub label: String,
    /// The key of a pair, where it is an object of its own.
    pub key: Option<ObjectId>,
    pub node: RenderedNode,
}

/// What a value is to a Java developer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Null,
    Boolean,
    Char,
    Number,
    /// A string, or the content of a string builder.
    Text,
    Class,
    Enum,
    /// An object that stands for one value: a big number, a date, an atomic.
    Scalar,
    Array,
    List,
    Set,
    Map,
    Entry,
    Optional,
    Record,
    Exception,
    Lambda,
    Object,
    /// An object that is being shown further up, by its name only.
    Reference,
    Unknown,
}
