//! Methods that read or write many elements at once, and those that only read the arrays that they are given.

use crate::matching::{begins, is_one_of};

/// What a bulk operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkOperation {
    /// `System.arraycopy`
    Copy,
    /// `Arrays.fill`, all of an array or a range
    Fill,
    /// `clone` of an array
    Clone,
    /// `Arrays.copyOf`, `copyOfRange`: a new array with elements of the first
    CopyOf,
    /// `Array.newInstance`
    New,
}

const COPY: (&str, &str) = ("java/lang/System", "arraycopy");

/// Owner, name, what it does. `clone` is a method of arrays and has no row.
pub const BULK: [(&str, &str, BulkOperation); 5] = [
    (COPY.0, COPY.1, BulkOperation::Copy),
    ("java/util/Arrays", "fill", BulkOperation::Fill),
    ("java/util/Arrays", "copyOf", BulkOperation::CopyOf),
    ("java/util/Arrays", "copyOfRange", BulkOperation::CopyOf),
    ("java/lang/reflect/Array", "newInstance", BulkOperation::New),
];

/// Which bulk operation a call is, if it is one.
pub fn bulk(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Option<BulkOperation> {
    let (owner, name) = (owner.as_ref(), name.as_ref());
    if owner.starts_with(b"[") {
        return (name == b"clone").then_some(BulkOperation::Clone);
    }
    let row = BULK.iter().find(|row| row.0.as_bytes() == owner && row.1.as_bytes() == name);
    row.map(|row| row.2)
}

/// `System.arraycopy`, whose effect the reader computes.
pub fn is_copy(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    owner.as_ref() == COPY.0.as_bytes() && name.as_ref() == COPY.1.as_bytes()
}

/// Classes that take arrays and leave them as they are, but for methods that begin like this; of `System` and `Arrays`
/// also those whose effect the reader computes.
pub const READERS: [(&str, &[&str]); 9] = [
    ("java/lang/System", &[]),
    ("java/lang/String", &["getChars", "getBytes"]),
    ("java/lang/StringBuilder", &["getChars", "getBytes"]),
    ("java/lang/StringBuffer", &["getChars", "getBytes"]),
    ("java/util/Arrays", &["sort", "fill", "set", "parallel"]),
    ("java/io/PrintStream", &[]),
    ("java/util/Objects", &[]),
    ("java/util/List", &[]),
    ("java/util/Set", &[]),
];

/// Methods that leave the arrays as they are that they are given, whatever class of a library has them.
pub const READING: [&str; 2] = ["write", "of"];

/// Does a method leave arrays as they are, or does the reader compute what becomes of them?
pub fn leaves_arrays(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    let (owner, name) = (owner.as_ref(), name.as_ref());
    match READERS.iter().find(|row| row.0.as_bytes() == owner) {
        Some((_, writing)) => !begins(name, writing),
        None => is_one_of(name, &READING),
    }
}

/// What reads into an array, by offset or from the first element on, and says how many came: by contract it leaves the
/// other elements as they are.
pub const READS_INTO: [(&str, &str); 5] = [
    ("read", "([C)I"),
    ("read", "([CII)I"),
    ("read", "([B)I"),
    ("read", "([BII)I"),
    ("readNBytes", "([BII)I"),
];

/// Does a method of the JDK read into the array that it is given first, and leave all but what it read?
pub fn reads_into(owner: &str, name: &str, descriptor: &str) -> bool {
    READS_INTO.contains(&(name, descriptor)) && crate::owner::is_jdk(owner)
}

/// How buffers are made around an array, and how they give it.
pub const WRAP: &str = "wrap";
pub const EXPOSE: &str = "array";

/// Methods by which a buffer writes to its array.
pub const FILLING: [&str; 5] = ["put", "compact", "append", "read", "transfer"];

/// Methods that leave the buffers as they are that they are given, but for what was read of them.
pub const LEAVING: [&str; 8] =
    ["write", "put", "send", "equals", "compareTo", "mismatch", "println", "append"];

/// Is it a class of buffers?
pub fn is_buffer(owner: &str) -> bool {
    owner.starts_with("java/nio/") && owner.ends_with("Buffer")
}

/// Does a method of a buffer write to the buffer's array?
pub fn fills_own_buffer(owner: &str, name: &str) -> bool {
    is_buffer(owner) && begins(name.as_bytes(), &FILLING)
}

/// Does a method of a library leave the buffers as they are that it is given?
pub fn leaves_buffers(name: &str) -> bool {
    begins(name.as_bytes(), &LEAVING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bulk_operations_are_known_by_owner_and_name() {
        assert_eq!(bulk("[I", "clone"), Some(BulkOperation::Clone));
        assert_eq!(bulk("[I", "hashCode"), None);
        assert_eq!(bulk(b"java/lang/System", b"arraycopy"), Some(BulkOperation::Copy));
        assert_eq!(bulk("demo/System", "arraycopy"), None);
        assert_eq!(bulk("java/util/Arrays", "copyOfRange"), Some(BulkOperation::CopyOf));
        assert_eq!(bulk("java/util/Arrays", "sort"), None);
    }

    #[test]
    fn what_reads_into_an_array_says_how_far() {
        assert!(reads_into("java/io/Reader", "read", "([CII)I"));
        assert!(!reads_into("java/io/Reader", "read", "(Ljava/nio/CharBuffer;)I"));
        assert!(!reads_into("demo/Input", "read", "([CII)I"));
    }

    #[test]
    fn what_fills_a_buffer_is_told_from_what_empties_it() {
        assert!(fills_own_buffer("java/nio/ByteBuffer", "putInt"));
        assert!(!fills_own_buffer("java/nio/CharBuffer", "get") && !fills_own_buffer("java/util/Map", "put"));
        assert!(leaves_buffers("write") && !leaves_buffers("read") && !leaves_buffers("decode"));
    }

    #[test]
    fn what_writes_to_an_array_is_told_from_what_reads_it() {
        for (owner, name, leaves) in [
            ("java/lang/System", "arraycopy", true),
            ("java/lang/String", "valueOf", true),
            ("java/lang/String", "getChars", false),
            ("java/util/Arrays", "asList", true),
            ("java/util/Arrays", "sort", false),
            ("java/util/Arrays", "parallelPrefix", false),
            ("java/io/PrintStream", "println", true),
            ("java/io/OutputStream", "write", true),
            ("java/io/InputStream", "read", false),
            ("java/util/List", "toArray", true),
        ] {
            assert_eq!(leaves_arrays(owner, name), leaves, "{owner}.{name}");
        }
    }
}
