//! What objects of the JDK hold, for whoever records or compares them: which fields say what the object is. Fields are
//! read, never methods called: these may be the program's own, or have effects. Caches, counters, locks and threads
//! are left out, and so is what only leads further into the JDK (the zone rules of a zone, the file system of a path).

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::caches::is_cache;
use crate::collections::COLLECTIONS;
use crate::matching::{begins, is_one_of};
use crate::scalars::SCALARS;
use crate::util_parts::is_of_util;
use crate::{boxes, builders};

/// Classes of which these fields are recorded, besides those that the tables of collections and of scalars read.
pub const LISTED: [(&str, &[&str]); 13] = [
    // The region and the language of a `Locale`.
    ("sun/util/locale/BaseLocale", &["language", "script", "region", "variant"]),
    ("sun/util/locale/LocaleExtensions", &["id"]),
    // Beside the milliseconds of a `Date`.
    ("sun/util/calendar/CalendarDate", &["normalized"]),
    // From where on it has the text, in later JDKs.
    ("java/util/regex/Matcher$ImmutableMatchResult", &["minStart"]),
    // A map of two lists.
    ("java/util/stream/Collectors$Partition", &["forTrue", "forFalse"]),
    // Declared above the classes that the tables name.
    ("java/util/concurrent/ConcurrentHashMap$CollectionView", &["map"]),
    // Below 0 if it is no pair.
    ("java/util/concurrent/ConcurrentHashMap$Node", &["hash"]),
    ("java/util/concurrent/atomic/Striped64", &["base", "cells"]),
    ("java/util/concurrent/atomic/Striped64$Cell", &["value"]),
    ("java/util/concurrent/ConcurrentSkipListMap", &["comparator"]),
    ("java/util/concurrent/atomic/AtomicStampedReference$Pair", &["reference", "stamp"]),
    ("java/util/concurrent/atomic/AtomicMarkableReference$Pair", &["reference", "mark"]),
    ("java/util/concurrent/CompletableFuture$AltResult", &["ex"]),
];

/// Parts of `java.util` of which only what is listed, or stands in another table, is recorded: machinery whose fields
/// tell nobody anything, or that is changed out of sight.
pub const MACHINERY: [&str; 14] = [
    "java/util/concurrent/",
    "java/util/function/",
    "java/util/jar/",
    "java/util/logging/",
    "java/util/prefs/",
    "java/util/random/",
    "java/util/regex/",
    "java/util/spi/",
    "java/util/stream/",
    "java/util/zip/",
    "java/util/ResourceBundle",
    "java/util/Scanner",
    "java/util/ServiceLoader",
    "java/util/Timer",
];

/// What nobody counts among an object's contents, by descriptor.
const NO_CONTENT: [&str; 3] =
    ["Ljava/util/concurrent/locks/", "Ljava/lang/Thread;", "Ljava/lang/invoke/VarHandle;"];

/// The fields of a class that are listed one by one.
fn listed(class: &str) -> Option<&'static [&'static str]> {
    static BY_CLASS: LazyLock<HashMap<&str, Vec<&'static str>>> = LazyLock::new(|| {
        let mut by_class: HashMap<&str, Vec<&'static str>> = HashMap::new();
        for (class, fields) in LISTED {
            by_class.entry(class).or_default().extend(fields);
        }
        for row in &SCALARS {
            if boxes::letter_of(row.class).is_none() && row.class != builders::ABSTRACT {
                by_class.entry(row.class).or_default().extend(row.form.fields());
            }
        }
        for row in COLLECTIONS.iter().filter(|row| begins(row.class.as_bytes(), &MACHINERY)) {
            let Some(layout) = row.layout else { continue };
            by_class.entry(row.class).or_default().extend(layout.fields());
            for (class, fields) in layout.inner() {
                by_class.entry(class).or_default().extend(fields);
            }
        }
        by_class
    });
    BY_CLASS.get(class).map(Vec::as_slice)
}

/// Does a field, of the class that declares it, help to say what an object holds? Then it is recorded when the object is
/// first seen.
pub fn is_content(class: &str, field: &str, descriptor: &str) -> bool {
    listed(class).is_some_and(|fields| is_one_of(field.as_bytes(), fields))
        || is_of_util(class)
            && !begins(class.as_bytes(), &MACHINERY)
            && !is_cache(class, field)
            && !begins(descriptor.as_bytes(), &NO_CONTENT)
}

/// Does a field count where what objects hold is compared?
pub fn counts(class: &str, field: &str, descriptor: &str) -> bool {
    is_content(class, field, descriptor) && !is_cache(class, field)
}

/// Are the contents of an object of this class of the JDK recorded when it is first seen?
pub fn is_recorded(class: &str) -> bool {
    listed(class).is_some() || is_of_util(class) && !begins(class.as_bytes(), &MACHINERY)
}

/// Classes that nobody can look into, and why.
pub const UNKNOWABLE: [(&str, &str); 12] = [
    ("java/lang/ThreadLocal", "each thread has its own"),
    ("java/util/stream/AbstractPipeline", "a stream is computed when it is used"),
    ("java/util/Scanner", "it comes from outside"),
    ("java/io/InputStream", "it comes from outside"),
    ("java/io/Reader", "it comes from outside"),
    ("java/util/concurrent/ThreadPoolExecutor", "its threads change it"),
    ("java/util/concurrent/ForkJoinPool", "its threads change it"),
    ("java/util/Timer", "its thread changes it"),
    ("java/nio/Buffer", "what is in a buffer is not recorded"),
    ("java/text/Format", "how it writes is not recorded"),
    ("java/util/concurrent/Semaphore", "other threads change it"),
    ("java/util/concurrent/locks/ReentrantLock", "other threads change it"),
];

/// Why nobody can know what an object of this class holds, if so.
pub fn why_unknown(class: &str) -> Option<&'static str> {
    UNKNOWABLE.iter().find(|row| row.0 == class).map(|row| row.1)
}

/// Classes whose objects change out of sight: the JDK does it by code that is not woven, other threads do it, or the
/// JVM. After a call of one of their methods the receiver is recorded once more, but not after these, which only read.
pub const CHANGING: [(&str, &[&str]); 16] = [
    (
        "java/util/regex/Matcher",
        &[
            "group",
            "start",
            "end",
            "hitEnd",
            "requireEnd",
            "pattern",
            "toMatchResult",
            "region",
            "has",
            "toString",
        ],
    ),
    ("java/lang/ref/Reference", &[]),
    ("java/lang/ref/WeakReference", &[]),
    ("java/lang/ref/SoftReference", &[]),
    ("java/lang/ref/PhantomReference", &[]),
    ("java/util/concurrent/Future", &[]),
    ("java/util/concurrent/CompletionStage", &[]),
    ("java/util/concurrent/CompletableFuture", &[]),
    ("java/util/concurrent/RunnableFuture", &[]),
    ("java/util/concurrent/FutureTask", &[]),
    ("java/util/concurrent/ScheduledFuture", &[]),
    ("java/util/Date", NO_SETTER),
    ("java/sql/Date", NO_SETTER),
    ("java/sql/Time", NO_SETTER),
    ("java/sql/Timestamp", NO_SETTER),
    ("java/lang/Thread", &["get", "is", "to", "join", "start", "interrupt", "run", "check"]),
];

/// Of dates: what neither writes its parts one by one nor puts the whole together from them, as a getter does.
const NO_SETTER: &[&str] =
    &["before", "after", "compareTo", "equals", "hashCode", "clone", "setTime", "valueOf"];

/// By this method a thread gets another name; a class of the program may be a thread.
const RENAMES: (&str, &str) = ("setName", "(Ljava/lang/String;)V");

/// May a call of this method change its receiver, which is of a library, in a way that is not recorded as a write?
pub fn changes_unseen(owner: &[u8], name: &[u8], descriptor: &[u8]) -> bool {
    if (name, descriptor) == (RENAMES.0.as_bytes(), RENAMES.1.as_bytes()) {
        return true;
    }
    let row = CHANGING.iter().find(|row| row.0.as_bytes() == owner);
    row.is_some_and(|(_, reading)| name != b"<init>" && !begins(name, reading))
}

/// Is the class, or what it is nested in, one whose writes by offset and by handle have to be seen?
pub fn swaps(class: &str) -> bool {
    let outermost = class.split('$').next().unwrap_or(class);
    is_recorded(class) || is_recorded(outermost)
}

/// A write to a cache or counter, which nobody needs to know of? Code may name a field by a class below the one that
/// declares it: only what is listed for the class that is named is known not to be among its contents.
pub fn is_unneeded(class: &str, field: &str) -> bool {
    match listed(class) {
        Some(fields) if is_one_of(field.as_bytes(), fields) => false,
        Some(_) => is_cache(class, field) || begins(class.as_bytes(), &MACHINERY),
        None => is_cache(class, field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_object_holds_is_told_from_what_it_remembers() {
        for (class, field, descriptor, counts) in [
            ("java/util/ArrayList", "elementData", "[Ljava/lang/Object;", true),
            ("java/util/AbstractList", "modCount", "I", false),
            ("java/math/BigDecimal", "intCompact", "J", true),
            ("java/math/BigDecimal", "stringCache", "Ljava/lang/String;", false),
            ("java/time/ZoneRegion", "rules", "Ljava/time/zone/ZoneRules;", false),
            ("java/util/concurrent/ConcurrentHashMap", "table", "[LNode;", true),
            ("java/util/concurrent/ConcurrentHashMap", "sizeCtl", "I", false),
            ("java/util/concurrent/ConcurrentHashMap$Node", "val", "Ljava/lang/Object;", true),
            ("java/util/concurrent/ForkJoinPool", "ctl", "J", false),
            ("java/util/regex/Pattern", "pattern", "Ljava/lang/String;", true),
            ("java/util/regex/Pattern$Node", "next", "Ljava/util/regex/Pattern$Node;", false),
            ("java/lang/StringBuilder", "value", "[B", false),
            ("java/lang/AbstractStringBuilder", "value", "[B", false),
            ("java/lang/Integer", "value", "I", false),
            ("demo/Order", "lines", "Ljava/util/List;", false),
        ] {
            assert_eq!(is_content(class, field, descriptor), counts, "{class}.{field}");
        }
        assert!(changes_unseen(b"java/util/regex/Matcher", b"find", b"()Z"));
        assert!(!changes_unseen(b"java/util/regex/Matcher", b"group", b"()Ljava/lang/String;"));
        assert!(changes_unseen(b"demo/Worker", b"setName", b"(Ljava/lang/String;)V"));
        assert!(!changes_unseen(b"java/util/List", b"add", b"(Ljava/lang/Object;)Z"));
        assert!(swaps("java/util/concurrent/ConcurrentHashMap$Traverser"));
        assert!(!swaps("java/util/concurrent/ForkJoinPool"));
        assert!(is_unneeded("java/util/concurrent/ConcurrentHashMap", "sizeCtl"));
        assert!(!is_unneeded("java/util/concurrent/ConcurrentHashMap$TreeNode", "next"));
        assert!(is_unneeded("java/util/AbstractList", "modCount") && !is_unneeded("java/util/Date", "cdate"));
        assert!(is_recorded("java/util/HashMap") && is_recorded("java/time/LocalDate"));
        assert!(!is_recorded("java/util/stream/ReferencePipeline") && !is_recorded("demo/Order"));
    }
}
