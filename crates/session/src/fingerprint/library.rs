//! What calls into libraries mean for the input of the call that makes them. The recorder sees what goes in and what
//! comes out, not how. So each is one of three: its result follows from what it was given, or it only puts something
//! out, or it may bring in something from outside (time, chance, files, other threads), which is then input too.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Elements of one array become those of another: only that range is read.
    Copy,
    /// Follows from the contents of receiver and arguments.
    Determined,
    /// Nothing comes back.
    Output,
    /// Anything may come back.
    Outside,
}

/// Packages and classes (up to `$` or their end) whose methods do nothing but compute.
const DETERMINED: [&str; 26] = [
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
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Boolean",
    "java/lang/Float",
    "java/lang/Double",
    "java/lang/Throwable",
    "java/util/",
    "java/math/",
    "org/hamcrest/",
    "org/opentest4j/",
];

/// What of `java.util` is not so.
const NOT_DETERMINED: [&str; 15] = [
    "java/util/concurrent/",
    "java/util/random/",
    "java/util/prefs/",
    "java/util/logging/",
    "java/util/zip/",
    "java/util/jar/",
    "java/util/ServiceLoader",
    "java/util/Random",
    "java/util/SplittableRandom",
    "java/util/UUID",
    "java/util/Date",
    "java/util/Calendar",
    "java/util/GregorianCalendar",
    "java/util/Timer",
    "java/util/Scanner",
];

/// Results that depend on identity hash codes, on the caller's stack, or on chance, whatever they are called on.
const NEVER_DETERMINED: [&str; 5] = ["hashCode", "identityHashCode", "getStackTrace", "shuffle", "random"];

pub fn kind(owner: &str, name: &str) -> Kind {
    if owner == "java/lang/System" && name == "arraycopy" {
        return Kind::Copy;
    }
    if matches!(owner, "java/io/PrintStream" | "java/io/PrintWriter")
        && (name.starts_with("print") || matches!(name, "write" | "flush" | "append" | "format"))
    {
        return Kind::Output;
    }
    if NEVER_DETERMINED.contains(&name) && !has_own_hash(owner) {
        return Kind::Outside;
    }
    let within = |list: &[&str]| list.iter().any(|known| is_in(owner, known));
    if within(&NOT_DETERMINED) {
        return Kind::Outside;
    }
    if within(&DETERMINED) || owner.starts_with('[') || is_assertion(owner, name) || is_exception(owner) {
        return Kind::Determined;
    }
    Kind::Outside
}

fn is_in(owner: &str, known: &str) -> bool {
    owner
        .strip_prefix(known)
        .is_some_and(|rest| known.ends_with('/') || rest.is_empty() || rest.starts_with('$'))
}

/// Classes whose hash codes follow from their contents.
fn has_own_hash(owner: &str) -> bool {
    const VALUES: [&str; 9] =
        ["String", "Integer", "Long", "Short", "Byte", "Character", "Boolean", "Float", "Double"];
    owner.strip_prefix("java/lang/").is_some_and(|name| VALUES.contains(&name))
}

/// Test frameworks compare what they are given, and say so.
fn is_assertion(owner: &str, name: &str) -> bool {
    let framework = owner.starts_with("org/junit/") || owner.starts_with("junit/framework/");
    let compares = owner.contains("Assert") || owner.contains("Assum") || name.starts_with("assert");
    framework && compares
}

fn is_exception(owner: &str) -> bool {
    owner.starts_with("java/") && (owner.ends_with("Exception") || owner.ends_with("Error"))
}

/// Does a call on a hash table, or one that is given a hash table, show the order of its keys?
pub fn shows_order(name: &str) -> bool {
    !matches!(
        name,
        "<init>"
            | "put"
            | "get"
            | "add"
            | "remove"
            | "contains"
            | "containsKey"
            | "containsValue"
            | "getOrDefault"
            | "putIfAbsent"
            | "computeIfAbsent"
            | "computeIfPresent"
            | "compute"
            | "merge"
            | "size"
            | "isEmpty"
            | "clear"
            | "equals"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_come_from_outside_is_told_from_what_is_computed() {
        for (owner, name, expected) in [
            ("java/lang/System", "arraycopy", Kind::Copy),
            ("java/lang/System", "nanoTime", Kind::Outside),
            ("java/lang/Math", "max", Kind::Determined),
            ("java/lang/Math", "random", Kind::Outside),
            ("java/util/List", "get", Kind::Determined),
            ("java/util/Map$Entry", "getKey", Kind::Determined),
            ("java/util/Random", "nextInt", Kind::Outside),
            ("java/util/RandomAccess", "get", Kind::Determined),
            ("java/util/Collections", "shuffle", Kind::Outside),
            ("java/util/concurrent/atomic/AtomicInteger", "get", Kind::Outside),
            ("java/util/Scanner", "nextInt", Kind::Outside),
            ("java/io/PrintStream", "println", Kind::Output),
            ("java/io/BufferedReader", "readLine", Kind::Outside),
            ("java/lang/Object", "hashCode", Kind::Outside),
            ("java/lang/String", "hashCode", Kind::Determined),
            ("java/lang/IllegalStateException", "<init>", Kind::Determined),
            ("org/junit/jupiter/api/Assertions", "assertEquals", Kind::Determined),
            ("junit/framework/TestCase", "assertEquals", Kind::Determined),
            ("junit/framework/TestCase", "run", Kind::Outside),
            ("org/example/Client", "fetch", Kind::Outside),
            ("[I", "clone", Kind::Determined),
        ] {
            assert_eq!(kind(owner, name), expected, "{owner}.{name}");
        }
    }
}
