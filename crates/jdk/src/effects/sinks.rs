//! Where what is written goes: kept in memory, to a file, or on to what a wrapper was made around.

use crate::matching::{is_one_of, is_within};

/// What becomes of what is written to an object of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It stays in the object; nobody else gets it unless he asks.
    Held,
    /// To the file that the first argument of the constructor names.
    File,
    /// On to what the constructor was given: a stream, a writer, a file by its name.
    Around,
}

/// Keep what they are given.
pub const HELD: [&str; 19] = [
    "java/lang/StringBuilder",
    "java/lang/StringBuffer",
    "java/io/StringWriter",
    "java/io/CharArrayWriter",
    "java/io/ByteArrayOutputStream",
    "java/io/StringReader",
    "java/io/CharArrayReader",
    "java/io/ByteArrayInputStream",
    "java/util/StringJoiner",
    "java/nio/ByteBuffer",
    "java/nio/CharBuffer",
    "java/nio/IntBuffer",
    "java/nio/LongBuffer",
    "java/nio/ShortBuffer",
    "java/nio/FloatBuffer",
    "java/nio/DoubleBuffer",
    "java/util/Random",
    "java/util/SplittableRandom",
    "java/lang/AbstractStringBuilder",
];

/// Are files.
pub const NAMED_FILES: [&str; 5] = [
    "java/io/FileWriter",
    "java/io/FileOutputStream",
    "java/io/FileReader",
    "java/io/FileInputStream",
    "java/io/RandomAccessFile",
];

/// Have methods that only call others of theirs: what a class of the program below one of these does is its own code.
pub const FORWARDS: [&str; 5] =
    ["java/io/Writer", "java/io/OutputStream", "java/io/Reader", "java/io/InputStream", "java/lang/Object"];

/// Methods that give an object for the file that their first argument names: class, how the name begins.
pub const OPENS: [(&str, &str); 2] =
    [("java/nio/file/Files", "new"), ("java/nio/channels/FileChannel", "open")];

pub fn made(class: &str) -> Option<Made> {
    match () {
        () if is_one_of(class.as_bytes(), &HELD) => Some(Made::Held),
        () if is_one_of(class.as_bytes(), &NAMED_FILES) => Some(Made::File),
        () if class.starts_with("java/io/") || class.starts_with("java/util/") => Some(Made::Around),
        () => None,
    }
}

/// Does a method open the file that its first argument names?
pub fn opens(class: &str, name: &str) -> bool {
    OPENS.iter().any(|row| row.0 == class && name.starts_with(row.1))
}

/// Thrown before anything is done, by a method that is given what it cannot take.
pub const REFUSALS: [&str; 5] = [
    "java/lang/NullPointerException",
    "java/lang/IndexOutOfBoundsException",
    "java/lang/StringIndexOutOfBoundsException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/IllegalArgumentException",
];

pub fn is_refusal(class: &str) -> bool {
    is_one_of(class.as_bytes(), &REFUSALS)
}

/// What an object is full of that keeps what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Bytes,
}

/// Classes whose content follows from the calls on them.
pub const FORMS: [(&str, Form); 5] = [
    ("java/lang/StringBuilder", Form::Text),
    ("java/lang/StringBuffer", Form::Text),
    ("java/io/StringWriter", Form::Text),
    ("java/io/CharArrayWriter", Form::Text),
    ("java/io/ByteArrayOutputStream", Form::Bytes),
];

/// What an object of this very class is full of.
pub fn form(class: &str) -> Option<Form> {
    FORMS.iter().find(|row| row.0 == class).map(|row| row.1)
}

/// Constructors of classes that write straight on to their first argument, with how their descriptors begin.
pub const PASS_ON: [(&str, &str); 2] =
    [("java/io/PrintWriter", "(Ljava/io/Writer;"), ("java/util/Formatter", "(Ljava/lang/Appendable;")];

pub fn passes_on(class: &str, descriptor: &str) -> bool {
    PASS_ON.iter().any(|row| row.0 == class && descriptor.starts_with(row.1))
}

/// What a method may do with a builder or stream that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    Reads,
    /// Writes to it before it comes back.
    Writes,
    /// May keep it, and write to it later.
    Keeps,
}

/// Classes that write to what they are given and do not keep it.
pub const WRITES_AT_ONCE: [&str; 3] = ["java/util/regex/Matcher", "java/text/", "java/util/Properties"];

/// Classes that only look at what they are given, besides those that leave builders as they are.
pub const ONLY_LOOKS: [&str; 9] = [
    "java/lang/String",
    "java/lang/CharSequence",
    "java/lang/Character",
    "java/lang/Integer",
    "java/lang/Long",
    "java/util/regex/Pattern",
    "java/util/StringJoiner",
    "java/nio/file/Files",
    "java/util/Optional",
];

pub fn hand(owner: &str, name: &str) -> Hand {
    match () {
        () if crate::builders::is_of_builder(owner) || crate::builders::leaves_builders(owner) => {
            if name == "<init>" && crate::calls::PRINTERS.contains(&owner) {
                Hand::Keeps
            } else {
                Hand::Reads
            }
        }
        () if is_one_of(owner.as_bytes(), &ONLY_LOOKS) => Hand::Reads,
        () if owner.starts_with("java/util/")
            && crate::calls::effect(owner, name) == crate::calls::Effect::Observed =>
        {
            match () {
                () if is_within(owner.as_bytes(), &WRITES_AT_ONCE) => Hand::Writes,
                () if name == "<init>" && owner == "java/util/Formatter" => Hand::Keeps,
                () => Hand::Reads,
            }
        }
        () if is_within(owner.as_bytes(), &WRITES_AT_ONCE) => Hand::Writes,
        () => Hand::Keeps,
    }
}

/// How a person says that something was written to an object of a class.
pub const VERBS: [(&str, &str); 9] = [
    ("java/lang/AbstractStringBuilder", "appended"),
    ("java/io/PrintStream", "printed"),
    ("java/io/PrintWriter", "printed"),
    ("java/io/Console", "printed"),
    ("java/util/StringJoiner", "added"),
    ("java/nio/Buffer", "put"),
    ("java/util/logging/Logger", "logged"),
    ("java/sql/Statement", "executed"),
    ("java/sql/PreparedStatement", "executed"),
];

pub fn verb(class: &str) -> Option<&'static str> {
    VERBS.iter().find(|row| row.0 == class).map(|row| row.1)
}

/// Pass everything on to what they were made around, one by one: what a class of the program below does is in its own
/// methods.
pub const FILTERS: [&str; 4] = [
    "java/io/FilterOutputStream",
    "java/io/FilterWriter",
    "java/io/FilterInputStream",
    "java/io/FilterReader",
];

/// Types of parameters that are there to be written to.
pub const SINK_TYPES: [&str; 10] = [
    "Ljava/lang/StringBuilder;",
    "Ljava/lang/StringBuffer;",
    "Ljava/lang/Appendable;",
    "Ljava/io/Writer;",
    "Ljava/io/PrintWriter;",
    "Ljava/io/StringWriter;",
    "Ljava/io/OutputStream;",
    "Ljava/io/PrintStream;",
    "Ljava/io/ByteArrayOutputStream;",
    "Ljava/io/DataOutput;",
];

/// Interfaces that method references implement, by where they are.
pub const CALLED_BACK: [&str; 6] = [
    "java/util/function/",
    "java/lang/Runnable",
    "java/lang/Iterable",
    "java/util/Comparator",
    "java/util/concurrent/Callable",
    "java/util/stream/Collector",
];

/// May a method call back a reference that it is given, or is it the one that is called?
pub fn calls_back(owner: &str, descriptor: &str) -> bool {
    let parameters = descriptor.split(')').next().unwrap_or("");
    is_within(owner.as_bytes(), &CALLED_BACK)
        || CALLED_BACK.iter().any(|begin| parameters.contains(&format!("L{begin}")))
}

/// Does a method give a new buffer that only holds what it is given?
pub fn allocates(class: &str, name: &str) -> bool {
    class.starts_with("java/nio/") && made(class) == Some(Made::Held) && name.starts_with("allocate")
}
