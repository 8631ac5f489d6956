//! Ways around the code: fields and elements that are written by offset or handle, methods that are called by
//! reflection. Neither the recorder nor an analysis of code sees those.

use crate::matching::{begins, is_one_of};

/// Reach into objects by offset.
pub const UNSAFE: [&str; 2] = ["jdk/internal/misc/Unsafe", "sun/misc/Unsafe"];
pub const VAR_HANDLE: &str = "java/lang/invoke/VarHandle";
pub const METHOD_HANDLE: &str = "java/lang/invoke/MethodHandle";

/// Methods of `Unsafe` that write, by how they begin.
pub const UNSAFE_WRITES: [&str; 6] =
    ["put", "compareAnd", "weakCompareAnd", "getAnd", "setMemory", "copyMemory"];

/// Methods of `Unsafe` and `VarHandle` that read and write in one.
const SWAPS: [&str; 3] = ["compareAnd", "weakCompareAnd", "getAnd"];

/// Access by offset or handle: the object is argument 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnseenAccess {
    Get,
    /// Writes the last argument.
    Put,
    /// Does both.
    Swap,
    /// Calls a method handle: only the run knows what that does.
    Invoke,
}

/// Parts of `java.util.concurrent` all of whose writes are plain ones, by how their names begin.
pub const PLAIN_CONCURRENT: [&str; 6] = [
    "java/util/concurrent/CopyOnWrite",
    "java/util/concurrent/ArrayBlockingQueue",
    "java/util/concurrent/LinkedBlockingQueue",
    "java/util/concurrent/LinkedBlockingDeque",
    "java/util/concurrent/PriorityBlockingQueue",
    "java/util/concurrent/DelayQueue",
];

pub fn is_unsafe(class: impl AsRef<[u8]>) -> bool {
    is_one_of(class.as_ref(), &UNSAFE)
}

/// Does a method write to a place in an object, by its offset?
pub fn writes_by_offset(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    is_unsafe(owner) && begins(name.as_ref(), &UNSAFE_WRITES)
}

/// What a method does to references that it reaches by offset or handle.
pub fn access(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Option<UnseenAccess> {
    let (owner, name) = (owner.as_ref(), name.as_ref());
    let mentions = |what: &[u8]| name.windows(what.len()).any(|part| part == what);
    if is_unsafe(owner) {
        return match name {
            // Those of primitives.
            _ if !mentions(b"Reference") && !mentions(b"Object") => None,
            _ if name.starts_with(b"put") => Some(UnseenAccess::Put),
            _ if begins(name, &SWAPS) => Some(UnseenAccess::Swap),
            _ => name.starts_with(b"get").then_some(UnseenAccess::Get),
        };
    }
    if owner == VAR_HANDLE.as_bytes() {
        return match name {
            _ if name.starts_with(b"set") => Some(UnseenAccess::Put),
            _ if begins(name, &SWAPS) => Some(UnseenAccess::Swap),
            b"get" | b"getVolatile" | b"getOpaque" | b"getAcquire" => Some(UnseenAccess::Get),
            _ => None,
        };
    }
    let invokes = owner == METHOD_HANDLE.as_bytes() && matches!(name, b"invoke" | b"invokeExact");
    invokes.then_some(UnseenAccess::Invoke)
}

/// How a call names the place that it writes to past all fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An object, and an offset in it.
    Offset,
    /// An object; which field, the handle knows.
    Field,
    /// An array, and an index.
    Element,
}

/// The place that a call writes to by offset or by handle. `parameters` are the descriptors of its parameters.
pub fn swap(owner: &[u8], name: &[u8], parameters: &[&[u8]]) -> Option<Place> {
    if is_unsafe(owner) {
        let in_object = matches!(parameters, [b"Ljava/lang/Object;", b"J", _, ..]);
        return (in_object && begins(name, &UNSAFE_WRITES[..4])).then_some(Place::Offset);
    }
    if owner != VAR_HANDLE.as_bytes() {
        return None;
    }
    let values = match name {
        _ if begins(name, &["compareAnd", "weakCompareAnd"]) => 2,
        _ if begins(name, &["set", "getAnd"]) => 1,
        _ => return None,
    };
    // With as many parameters as values it is a static field.
    match (parameters.len().checked_sub(values)?, parameters.first()?) {
        (1, object) if object.starts_with(b"L") => Some(Place::Field),
        (2, array) if array.starts_with(b"[") => Some(Place::Element),
        _ => None,
    }
}

/// Does a class write some of its fields by comparing and swapping? What was seen of it once says nothing later.
pub fn writes_by_swapping(class: impl AsRef<[u8]>) -> bool {
    let class = class.as_ref();
    class.starts_with(b"java/util/concurrent/") && !begins(class, &PLAIN_CONCURRENT)
}

/// Does a method call methods, create objects or write fields that no code names?
pub fn is_reflection(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    let owner = owner.as_ref();
    begins(owner, &["java/lang/reflect/", "java/lang/invoke/"]) || is_new_instance(owner, name)
}

/// Does a method make an object, run its constructor, and give it back, and nothing else?
pub fn is_new_instance(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    let makes = [crate::names::CLASS, "java/lang/reflect/Constructor"];
    makes.iter().any(|class| class.as_bytes() == owner.as_ref()) && name.as_ref() == b"newInstance"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_by_offset_or_handle_is_told_by_the_method() {
        for (owner, name, expected) in [
            ("sun/misc/Unsafe", "putObject", Some(UnseenAccess::Put)),
            ("jdk/internal/misc/Unsafe", "getReferenceVolatile", Some(UnseenAccess::Get)),
            ("jdk/internal/misc/Unsafe", "compareAndSetReference", Some(UnseenAccess::Swap)),
            ("jdk/internal/misc/Unsafe", "getAndSetReference", Some(UnseenAccess::Swap)),
            ("jdk/internal/misc/Unsafe", "putInt", None),
            ("java/lang/invoke/VarHandle", "setRelease", Some(UnseenAccess::Put)),
            ("java/lang/invoke/VarHandle", "getAndAdd", Some(UnseenAccess::Swap)),
            ("java/lang/invoke/VarHandle", "getAcquire", Some(UnseenAccess::Get)),
            ("java/lang/invoke/VarHandle", "toString", None),
            ("java/lang/invoke/MethodHandle", "invokeExact", Some(UnseenAccess::Invoke)),
            ("java/util/List", "get", None),
        ] {
            assert_eq!(access(owner, name), expected, "{owner}.{name}");
        }
        let object: &[u8] = b"Ljava/lang/Object;";
        assert_eq!(
            swap(UNSAFE[0].as_bytes(), b"compareAndSetReference", &[object, b"J", object, object]),
            Some(Place::Offset)
        );
        assert_eq!(swap(UNSAFE[0].as_bytes(), b"getReferenceAcquire", &[object, b"J"]), None);
        assert_eq!(swap(UNSAFE[0].as_bytes(), b"putInt", &[b"J", b"I"]), None);
        let handle = VAR_HANDLE.as_bytes();
        assert_eq!(swap(handle, b"compareAndSet", &[object, object, object]), Some(Place::Field));
        assert_eq!(swap(handle, b"compareAndSet", &[object, object]), None);
        assert_eq!(swap(handle, b"setRelease", &[b"[J", b"I", b"J"]), Some(Place::Element));
        assert_eq!(swap(handle, b"getAcquire", &[object]), None);
        assert!(writes_by_offset("sun/misc/Unsafe", "putInt"));
        assert!(!writes_by_offset("sun/misc/Unsafe", "getInt"));
    }

    #[test]
    fn classes_that_swap_are_told_from_those_that_lock() {
        assert!(writes_by_swapping("java/util/concurrent/ConcurrentHashMap"));
        assert!(!writes_by_swapping("java/util/concurrent/CopyOnWriteArrayList"));
        assert!(!writes_by_swapping("java/util/ArrayList"));
    }
}
