//! What a call into a library means for its caller: may its result come from outside, and what may it read or change?
//! The recorder sees what goes in and what comes out, not how.

use crate::matching::is_within;
use crate::{arrays, builders, identity, machine, testing, util_parts, values};

/// Where the result of a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Elements of one array become those of another: only that range is read.
    Copy,
    /// Follows from the contents of receiver and arguments.
    Determined,
    /// Nothing comes back.
    Output,
    /// Anything may come back: time, chance, files, other threads.
    Outside,
}

/// Packages and classes whose methods do nothing but compute, besides boxes and most of `java.util`.
pub const DETERMINED: [&str; 15] = [
    "java/lang/Object",
    "java/lang/Enum",
    "java/lang/Record",
    "java/lang/String",
    "java/lang/StringBuilder",
    "java/lang/StringBuffer",
    "java/lang/CharSequence",
    "java/lang/Comparable",
    "java/lang/Iterable",
    "java/lang/Appendable",
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/Number",
    "java/lang/Throwable",
    "java/math/",
];

/// Classes that put out what they are given.
pub const PRINTERS: [&str; 2] = ["java/io/PrintStream", "java/io/PrintWriter"];

pub fn outcome(owner: &str, name: &str) -> Outcome {
    if arrays::is_copy(owner, name) {
        return Outcome::Copy;
    }
    if crate::effects::is_output(owner, name) {
        return Outcome::Output;
    }
    if identity::draws(owner, name) {
        return Outcome::Outside;
    }
    let outermost = owner.split('$').next().unwrap_or(owner);
    let determined = match util_parts::part_of(owner) {
        Some(part) => part.determined,
        None => {
            is_within(owner.as_bytes(), &DETERMINED)
                || values::is_plain(outermost)
                || owner.starts_with('[')
                || testing::compares(owner, name)
                || machine::is_exception(owner)
        }
    };
    if determined { Outcome::Determined } else { Outcome::Outside }
}

/// What a call may read or change that is not recorded as such. Reads by libraries are never recorded, their writes
/// only in `java.util`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Works on values; nothing that lasts is read or changed.
    None,
    /// Reads what it is given. If it writes, that is recorded.
    Observed,
    /// Reads its receiver, and nothing else.
    Reads,
    /// Changes its receiver, and nothing else.
    Writes,
    /// Nobody knows: output, files, clocks, other threads.
    Unknown,
}

/// Interfaces of `java.lang` that collections and the program implement.
pub const OBSERVED: [&str; 2] = ["java/lang/Iterable", "java/lang/Comparable"];

/// `owner` is empty where a lambda or a string is linked.
pub fn effect(owner: &str, name: &str) -> Effect {
    // On an array there is only `clone`; what is copied is told.
    if owner.is_empty() || owner.starts_with('[') || arrays::is_copy(owner, name) {
        return Effect::None;
    }
    if let Some(part) = util_parts::part_of(owner) {
        return if part.hidden { Effect::Unknown } else { Effect::Observed };
    }
    if builders::is_of_builder(owner) {
        return if builders::only_looks(name) { Effect::Reads } else { Effect::Writes };
    }
    let exception = owner.starts_with("java/lang/") && machine::is_exception(owner);
    match () {
        () if OBSERVED.contains(&owner) => Effect::Observed,
        () if values::works_on_values(owner) || exception => Effect::None,
        () => Effect::Unknown,
    }
}

/// How methods begin that change their receiver, in classes of which nobody knows what they do: writers, streams,
/// buffers.
pub const CHANGING: [&str; 12] = [
    "add", "append", "clear", "delete", "insert", "print", "put", "remove", "set", "truncate", "update",
    "write",
];

/// Does the call change its receiver without a write that is recorded?
pub fn changes_receiver(owner: &str, name: &str) -> bool {
    match effect(owner, name) {
        Effect::Writes => name != "<init>",
        Effect::Unknown => CHANGING.iter().any(|begin| name.starts_with(begin)),
        Effect::None | Effect::Observed | Effect::Reads => false,
    }
}

/// Methods of collections that keep what they are given, by how they begin.
pub const KEEPING: [&str; 6] = ["add", "offer", "push", "put", "register", "set"];

/// Does a collection keep what this method is given?
pub fn keeps(owner: impl AsRef<[u8]>, name: &str) -> bool {
    util_parts::is_of_util(owner) && KEEPING.iter().any(|keeping| name.starts_with(keeping))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_come_from_outside_is_told_from_what_is_computed() {
        for (owner, name, expected) in [
            ("java/lang/System", "arraycopy", Outcome::Copy),
            ("java/lang/System", "nanoTime", Outcome::Outside),
            ("java/lang/Math", "max", Outcome::Determined),
            ("java/lang/Math", "random", Outcome::Outside),
            ("java/lang/Character$UnicodeBlock", "of", Outcome::Determined),
            ("java/lang/Mathematics", "max", Outcome::Outside),
            ("java/util/List", "get", Outcome::Determined),
            ("java/util/Map$Entry", "getKey", Outcome::Determined),
            ("java/util/Random", "nextInt", Outcome::Outside),
            ("java/util/RandomAccess", "get", Outcome::Determined),
            ("java/util/Collections", "shuffle", Outcome::Outside),
            ("java/util/concurrent/atomic/AtomicInteger", "get", Outcome::Outside),
            ("java/util/Scanner", "nextInt", Outcome::Outside),
            ("java/util/concurrent/TimeoutException", "<init>", Outcome::Outside),
            ("java/io/PrintStream", "println", Outcome::Output),
            ("java/io/BufferedReader", "readLine", Outcome::Outside),
            ("java/lang/Object", "hashCode", Outcome::Outside),
            ("java/lang/String", "hashCode", Outcome::Determined),
            ("java/lang/IllegalStateException", "<init>", Outcome::Determined),
            ("org/hamcrest/CoreMatchers", "is", Outcome::Determined),
            ("org/junit/jupiter/api/Assertions", "assertEquals", Outcome::Determined),
            ("junit/framework/TestCase", "assertEquals", Outcome::Determined),
            ("junit/framework/TestCase", "run", Outcome::Outside),
            ("org/example/Client", "fetch", Outcome::Outside),
            ("[I", "clone", Outcome::Determined),
        ] {
            assert_eq!(outcome(owner, name), expected, "{owner}.{name}");
        }
    }

    #[test]
    fn what_a_call_may_do_is_known_by_its_class() {
        for (owner, name, expected) in [
            ("", "apply", Effect::None),
            ("[I", "clone", Effect::None),
            ("java/lang/System", "arraycopy", Effect::None),
            ("java/lang/System", "nanoTime", Effect::Unknown),
            ("java/lang/StringBuilder", "append", Effect::Writes),
            ("java/lang/AbstractStringBuilder", "length", Effect::Reads),
            ("java/lang/Integer", "valueOf", Effect::None),
            ("java/lang/Iterable", "iterator", Effect::Observed),
            ("java/lang/StackOverflowError", "<init>", Effect::None),
            ("java/io/IOException", "<init>", Effect::Unknown),
            ("java/util/ArrayList", "add", Effect::Observed),
            ("java/util/zip/CRC32", "update", Effect::Unknown),
            ("java/util/ServiceLoader", "load", Effect::Unknown),
            ("org/example/Client", "fetch", Effect::Unknown),
        ] {
            assert_eq!(effect(owner, name), expected, "{owner}.{name}");
        }
        assert!(changes_receiver("java/io/StringWriter", "write"));
        assert!(!changes_receiver("java/io/StringWriter", "toString"));
        assert!(!changes_receiver("java/util/ArrayList", "add"), "its writes are recorded");
        assert!(keeps("java/util/List", "addAll") && !keeps("java/util/List", "get"));
        assert!(!keeps("demo/Registry", "register"));
    }
}
