//! Calls that are known to write nothing that lasts, besides those that only compute: only of these it may be said that
//! nothing was changed.

use crate::calls;
use crate::matching::{is_one_of, is_within};

/// Packages (with a slash) and classes whose methods change nothing but their receiver, which is told where it matters;
/// what they call back is recorded by itself.
pub const SILENT: [&str; 37] = [
    "java/lang/Boolean",
    "java/lang/Cloneable",
    "java/lang/Iterable",
    "java/lang/Module",
    "java/lang/Package",
    "java/lang/Runnable",
    "java/lang/StackTraceElement",
    "java/lang/StackWalker",
    "java/lang/ThreadLocal",
    "java/lang/AutoCloseable",
    "java/lang/annotation/",
    "java/lang/constant/",
    "java/lang/invoke/",
    "java/lang/ref/",
    "java/lang/reflect/",
    "java/lang/runtime/",
    "java/math/",
    "java/io/Closeable",
    "java/io/Flushable",
    "java/io/Serializable",
    "java/io/IOException",
    "java/io/UncheckedIOException",
    "java/net/URI",
    "java/net/URLDecoder",
    "java/net/URLEncoder",
    "java/nio/charset/",
    "java/nio/file/FileSystems",
    "java/nio/file/Path",
    "java/nio/file/Paths",
    "java/security/MessageDigest",
    "java/text/",
    "java/time/",
    "java/util/concurrent/atomic/",
    "java/util/concurrent/locks/",
    "java/util/concurrent/TimeUnit",
    "java/util/zip/CRC32",
    "java/util/regex/",
];

/// Single methods of others.
pub const SILENT_METHODS: [(&str, &str); 8] = [
    ("java/lang/Thread", "currentThread"),
    ("java/lang/Thread", "getName"),
    ("java/lang/Thread", "getId"),
    ("java/lang/Thread", "threadId"),
    ("java/lang/Thread", "isInterrupted"),
    ("java/lang/Thread", "sleep"),
    ("java/lang/Runtime", "getRuntime"),
    ("java/lang/Runtime", "gc"),
];

/// Is it known that a call writes nothing that lasts, but what is recorded as written?
pub fn is_silent(owner: &str, name: &str) -> bool {
    calls::effect(owner, name) != calls::Effect::Unknown
        || matches!(calls::outcome(owner, name), calls::Outcome::Determined | calls::Outcome::Copy)
        || is_within(owner.as_bytes(), &SILENT)
        || SILENT_METHODS.contains(&(owner, name))
        || crate::machine::is_exception(owner)
        || name == "<init>"
            && owner.starts_with("java/io/")
            && !is_one_of(owner.as_bytes(), &super::NAMED_FILES)
        || owner == "java/util/Scanner" && name == "<init>"
}
