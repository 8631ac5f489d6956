//! Fields of the JDK that only remember what can be computed again, or count changes. A write to one is no change that
//! anybody can see, and what is in it is no part of what the object holds.

use crate::matching::is_one_of;

/// Counts how often the structure changed, for iterators: whoever changes it writes something else, too.
pub const MOD_COUNT: &str = "modCount";

/// Classes (by how their names begin) and fields. Code may name a field by a class below the one that declares it.
pub const CACHES: [(&str, &[&str]); 13] = [
    // Views that are made when they are first asked for.
    (
        "java/util/",
        &[
            "keySet",
            "values",
            "entrySet",
            "navigableKeySet",
            "descendingMap",
            // Of maps that are themselves a part of another.
            "keySetView",
            "valuesView",
            "entrySetView",
            "navigableKeySetView",
            "descendingMapView",
        ],
    ),
    ("java/util/", &[MOD_COUNT, "expectedModCount"]),
    // What a table of hash codes may grow to.
    ("java/util/", &["threshold"]),
    // Follow from the key; how a tree or a chain of pairs is kept in balance.
    ("java/util/HashMap$", &["hash", "parent", "left", "right", "prev", "red"]),
    ("java/util/Hashtable$", &["hash"]),
    ("java/util/WeakHashMap$", &["hash"]),
    ("java/util/TreeMap$Entry", &["color"]),
    ("java/util/Locale", &["hashCodeValue", "languageTag"]),
    ("java/util/Date", &["cdate"]),
    ("java/lang/String", &["hash", "hashIsZero"]),
    // From JDK 21 on.
    ("java/lang/AbstractStringBuilder", &["maybeLatin1"]),
    (
        "java/math/",
        &[
            "stringCache",
            "precision",
            "bitCountPlusOne",
            "lowestSetBitPlusTwo",
            // Up to JDK 17 or later, then under another name.
            "bitLengthPlusOne",
            "firstNonzeroIntNumPlusTwo",
            "magBitLengthPlusOne",
            "numberOfTrailingZeroIntsPlusTwo",
        ],
    ),
    ("java/net/", &["hashCode", "string", "hash"]),
];

/// Has a field of such a name that is what it stands for, not a cache.
pub const NO_CACHE: [(&str, &str); 1] = [("java/util/Properties$EntrySet", "entrySet")];

/// Methods whose writes are bookkeeping: the order of access that a map may keep, a lock of readers.
pub const BOOKKEEPING: [(&str, &str); 2] = [
    ("java/util/LinkedHashMap", "afterNodeAccess"),
    ("java/util/concurrent/ConcurrentHashMap$TreeBin", "find"),
];

/// Does a field only keep what can be worked out again? Then a write to it is no change of the object.
pub fn is_cache(class: impl AsRef<[u8]>, field: impl AsRef<[u8]>) -> bool {
    let (class, field) = (class.as_ref(), field.as_ref());
    let named =
        |(begin, fields): &(&str, &[&str])| class.starts_with(begin.as_bytes()) && is_one_of(field, fields);
    CACHES.iter().any(named)
        && !NO_CACHE.iter().any(|(own, name)| own.as_bytes() == class && name.as_bytes() == field)
}

pub fn is_bookkeeping(class: &str, method: &str) -> bool {
    BOOKKEEPING.contains(&(class, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_counters_are_no_content() {
        assert!(is_cache("java/util/HashMap", "keySet"));
        assert!(is_cache(b"java/util/ArrayList", b"modCount"));
        assert!(is_cache("java/util/TreeMap$NavigableSubMap", "entrySetView"));
        assert!(!is_cache("java/util/HashMap", "table"));
        assert!(is_cache("java/util/HashMap", "threshold") && is_cache("java/util/HashMap$Node", "hash"));
        assert!(is_cache("java/util/ArrayList$Itr", "expectedModCount"));
        assert!(!is_cache("java/util/Properties$EntrySet", "entrySet"));
        assert!(!is_cache("demo/Registry", "values"));
    }
}
