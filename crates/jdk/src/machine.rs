//! What the machine does by itself: exceptions that no code throws, and what natives do that an analysis must know.

/// What the machine throws by itself.
pub const THROWS: [&str; 14] = [
    "java/lang/NullPointerException",
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/ArrayStoreException",
    "java/lang/ClassCastException",
    "java/lang/NegativeArraySizeException",
    "java/lang/IllegalMonitorStateException",
    "java/lang/OutOfMemoryError",
    "java/lang/StackOverflowError",
    "java/lang/ExceptionInInitializerError",
    "java/lang/NoClassDefFoundError",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/UnsatisfiedLinkError",
    "java/lang/InternalError",
];

/// What goes wrong where a class is linked; above all such errors.
pub const LINKAGE: &str = "java/lang/LinkageError";
/// What an instruction may throw that names something.
pub const LINKING: &[&str] = &[LINKAGE];
/// What an instruction may throw that creates something.
pub const CREATING: &[&str] = &["java/lang/OutOfMemoryError", LINKAGE];
/// What `checkcast` may throw.
pub const CASTING: &[&str] = &["java/lang/ClassCastException", LINKAGE];
/// What storing into an array of references may throw, if index and array are right.
pub const STORING: &[&str] = &["java/lang/ArrayStoreException"];
/// What leaving a monitor may throw.
pub const RELEASING: &[&str] = &["java/lang/IllegalMonitorStateException"];

/// What a native does that has no code to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// Gives its receiver, as far as types go: a copy.
    Clone,
    /// Calls `run` on another thread.
    StartThread,
    CurrentThread,
    /// Writes this static field of its class.
    SetStatic(&'static str),
    /// Gives all constants of an enum, which the JDK finds by reflection.
    EnumConstants,
    /// Calls `run` of what it is given.
    Privileged,
}

/// Owner, name, what it does.
pub const NATIVES: [(&str, &str, Native); 10] = [
    ("java/lang/Object", "clone", Native::Clone),
    ("java/lang/Thread", "start0", Native::StartThread),
    // Of OpenJ9.
    ("java/lang/Thread", "startImpl", Native::StartThread),
    ("java/lang/Thread", "currentThread", Native::CurrentThread),
    // From JDK 19 on.
    ("java/lang/Thread", "currentCarrierThread", Native::CurrentThread),
    ("java/lang/System", "setIn0", Native::SetStatic("in")),
    ("java/lang/System", "setOut0", Native::SetStatic("out")),
    ("java/lang/System", "setErr0", Native::SetStatic("err")),
    // Java code, treated as a native.
    ("java/lang/Class", "getEnumConstantsShared", Native::EnumConstants),
    // A native in old JDKs, Java code later.
    ("java/security/AccessController", "doPrivileged", Native::Privileged),
];

/// What a native method does to objects, if that is known.
pub fn native(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Option<Native> {
    let (owner, name) = (owner.as_ref(), name.as_ref());
    let row = NATIVES.iter().find(|row| row.0.as_bytes() == owner && row.1.as_bytes() == name);
    row.map(|row| row.2)
}

/// Methods by which the JVM starts the JDK, before `main`: owner, name and descriptor.
pub const START: [(&str, &str, &str); 2] =
    [("java/lang/System", "initPhase1", "()V"), ("java/lang/System", "initPhase3", "()V")];

/// What the JVM calls for the first thread, with the thread and its group.
pub const FIRST_THREAD: [(&str, &str, &str); 2] = [
    ("java/lang/Thread", "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V"),
    ("java/lang/Thread", "exit", "()V"),
];

/// Classes that libraries make many objects of that nobody tells apart; with those below `Throwable`.
pub const NOT_TOLD_APART: [&str; 4] =
    ["java/lang/String", "java/lang/StringBuilder", "java/lang/StringBuffer", "java/lang/Throwable"];

/// Does the name say that it is an exception of the JDK's?
pub fn is_exception(class: impl AsRef<[u8]>) -> bool {
    let class = class.as_ref();
    class.starts_with(b"java/") && (class.ends_with(b"Exception") || class.ends_with(b"Error"))
}

/// Above arrays.
pub const ABOVE_ARRAYS: [&str; 2] = ["java/lang/Cloneable", "java/io/Serializable"];

/// Does a call do nothing that anybody needs to be shown?
pub fn is_nothing(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    name.as_ref() == b"<init>" && owner.as_ref() == crate::names::OBJECT.as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natives_are_known_by_owner_and_name() {
        assert_eq!(native("java/lang/System", "setOut0"), Some(Native::SetStatic("out")));
        assert_eq!(native("java/lang/Thread", "yield0"), None);
        assert!(is_nothing("java/lang/Object", "<init>") && !is_nothing("java/lang/Enum", "<init>"));
        assert!(is_exception("java/lang/StackOverflowError") && !is_exception("demo/AppException"));
    }
}
