//! Identity: who draws an object's hash code, who hands it on, and what differs from run to run because of it.

use crate::matching::{begins, is_one_of};
use crate::util_parts::is_of_util;
use crate::{names, values};

/// A call that asks for a hash code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashCall {
    /// Of the identity, whatever the object's class.
    Identity,
    /// By a method that may be the class's own.
    Virtual,
}

/// How a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invoke {
    Static,
    /// That very method: a constructor, or one of the class above.
    Special,
    /// By the class of the receiver.
    Virtual,
}

/// Does a call ask for a hash code, and for which?
pub fn hash_call(how: Invoke, owner: &[u8], name: &[u8], descriptor: &[u8]) -> Option<HashCall> {
    match (name, descriptor, how) {
        (b"identityHashCode", b"(Ljava/lang/Object;)I", _) if owner == b"java/lang/System" => {
            Some(HashCall::Identity)
        }
        (b"hashCode", b"()I", Invoke::Special) if owner == names::OBJECT.as_bytes() => {
            Some(HashCall::Identity)
        }
        (b"hashCode", b"()I", Invoke::Special | Invoke::Virtual) => Some(HashCall::Virtual),
        _ => None,
    }
}

/// Classes that hand on identity hash codes, besides collections: they print one, or it is what their own method
/// `hashCode` gives.
pub const HANDS_ON: [&str; 4] = [
    "java/lang/Enum",
    "java/lang/Object",
    "java/lang/management/LockInfo",
    "java/lang/management/ThreadInfo",
];

/// Calls whatever it is told to, `hashCode` among that.
pub const REFLECTION: &str = "java/lang/reflect/Method";

/// Starts child processes, with their command line and environment.
pub const STARTS_PROCESSES: &str = "java/lang/ProcessImpl";

/// See `HANDS_ON`.
pub fn hands_on_hashes(class: impl AsRef<[u8]>) -> bool {
    is_one_of(class.as_ref(), &HANDS_ON)
}

/// A table that shows its keys in the order of their hash codes.
pub fn is_unordered(class: &str) -> bool {
    is_hash_table(class) && is_of_util(class) && !class.contains("Linked")
}

/// Does the place of a key within it follow from the key's hash code?
pub fn is_hash_table(class: &str) -> bool {
    class.contains("Hash")
}

/// Packages whose classes, as far as they are not the program's, have hash codes of their contents.
pub const HASHED_BY_CONTENTS: [&str; 2] = ["java/util/", "java/math/"];

/// Is the hash code of a library's object known to follow from its contents?
pub fn is_hashed_by_contents(class: impl AsRef<[u8]>) -> bool {
    begins(class.as_ref(), &HASHED_BY_CONTENTS)
}

/// Methods whose results depend on identity hash codes, on the caller's stack, or on chance, whatever they are called on.
pub const DRAWING: [&str; 5] = ["hashCode", "identityHashCode", "getStackTrace", "shuffle", "random"];

/// May a method give something else in each run, although its class computes?
pub fn draws(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    is_one_of(name.as_ref(), &DRAWING) && !values::is_plain(owner)
}

/// Methods that do not show in which order a hash table has its keys.
pub const ORDERLESS: [&str; 18] = [
    "<init>",
    "put",
    "get",
    "add",
    "remove",
    "contains",
    "containsKey",
    "containsValue",
    "getOrDefault",
    "putIfAbsent",
    "computeIfAbsent",
    "computeIfPresent",
    "compute",
    "merge",
    "size",
    "isEmpty",
    "clear",
    "equals",
];

/// Does a call on a hash table, or one that is given a hash table, show the order of its keys?
pub fn shows_order(name: impl AsRef<[u8]>) -> bool {
    !is_one_of(name.as_ref(), &ORDERLESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_for_hash_codes_are_told_apart() {
        let of = |how, owner: &str, name: &str, descriptor: &str| {
            hash_call(how, owner.as_bytes(), name.as_bytes(), descriptor.as_bytes())
        };
        let identity = Some(HashCall::Identity);
        assert_eq!(
            of(Invoke::Static, "java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I"),
            identity
        );
        assert_eq!(of(Invoke::Special, "java/lang/Object", "hashCode", "()I"), identity);
        assert_eq!(of(Invoke::Special, "demo/Point", "hashCode", "()I"), Some(HashCall::Virtual));
        assert_eq!(of(Invoke::Virtual, "java/lang/Object", "hashCode", "()I"), Some(HashCall::Virtual));
        assert_eq!(of(Invoke::Static, "demo/Point", "hashCode", "()I"), None);
        assert_eq!(of(Invoke::Virtual, "demo/Point", "hashCode", "(I)I"), None);
    }

    #[test]
    fn hash_tables_without_links_have_no_order_of_their_own() {
        assert!(is_unordered("java/util/HashSet") && is_unordered("java/util/Hashtable"));
        assert!(!is_unordered("java/util/LinkedHashMap") && !is_unordered("java/util/TreeMap"));
        assert!(!is_unordered("demo/HashTable"));
        assert!(shows_order("iterator") && !shows_order("containsKey"));
    }
}
