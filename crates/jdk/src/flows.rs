//! What flows where in a call of a library: what of the objects in its hands a result follows from, and in which state the
//! call leaves them. One closed table, by the kind of object and the name of the method. What has no row is taken to do all
//! that it could: its result, and whatever it was given that can change, may follow from everything that it was given.

use crate::matching::{begins, is_one_of};
use crate::{arrays, boxes, builders, effects, machine, owner, values};

/// What kind of thing an object of a library is, as far as things flow through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// Pairs that are found by their keys.
    Map,
    /// Elements that are found by being equal.
    Set,
    /// Elements in the order in which they came.
    List,
    /// Elements in an order of their own.
    Queue,
    /// Goes over something.
    Iterator,
    /// A pair.
    Entry,
    /// Text that grows.
    Builder,
    /// Holds one thing: atomics, references, variables of threads.
    Cell,
    /// A step of a pipeline.
    Stream,
    /// Whatever else.
    Other,
}

/// What a result follows from, besides the values that the call was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Nothing.
    Values,
    /// How many things are held and where, not which.
    Shape,
    /// What is filed under the first argument.
    Key,
    /// One of the things that are held: the one that came out.
    Taken,
    /// All of it, and of what the other arguments hold.
    Content,
}

/// In which state a call leaves what it is made on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// As it was.
    Same,
    /// With the last argument in it; those before say where.
    Stored,
    /// With something else filed under the first argument.
    Keyed,
    /// Without one thing, or one thing further.
    Less,
    /// Nothing is left of what it was.
    Fresh,
    /// The same, if the first argument is zero; something else otherwise.
    FreshIfZero,
    /// Anything may have become of it.
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    pub reads: Reads,
    pub leaves: Leaves,
    /// What it does to an iterator or an entry, it does to what that goes over.
    pub through: bool,
    /// There is a row for it, or for all of its class.
    pub known: bool,
}

/// Kind, methods, what is read, what is left.
type Row = (Holder, &'static [&'static str], Reads, Leaves);

const SHAPE: &[&str] = &["size", "isEmpty", "empty", "mappingCount", "remainingCapacity", "length"];
const VIEWING: &[&str] = &[
    "iterator",
    "listIterator",
    "descendingIterator",
    "spliterator",
    "stream",
    "parallelStream",
    "subList",
    "elements",
    "keys",
    "keySet",
    "values",
    "entrySet",
    "navigableKeySet",
    "descendingKeySet",
    "descendingMap",
    "descendingSet",
    "headMap",
    "tailMap",
    "subMap",
    "headSet",
    "tailSet",
    "subSet",
    "reversed",
    "comparator",
];
const LOOKING: &[&str] = &[
    "toString",
    "equals",
    "hashCode",
    "contains",
    "containsAll",
    "containsValue",
    "indexOf",
    "lastIndexOf",
    "search",
    "toArray",
    "forEach",
    "clone",
    "copyInto",
    "first",
    "last",
    "floor",
    "ceiling",
    "lower",
    "higher",
    "firstKey",
    "lastKey",
    "floorKey",
    "ceilingKey",
    "lowerKey",
    "higherKey",
    "firstEntry",
    "lastEntry",
    "floorEntry",
    "ceilingEntry",
    "lowerEntry",
    "higherEntry",
    "stringPropertyNames",
    "getClass",
];
const CLEARING: &[&str] = &["clear", "removeAllElements"];
const MAKING: &[&str] = &["<init>"];

/// The first row that fits holds; `Other` is looked at last, for all kinds.
pub static FLOWS: [Row; 40] = [
    (Holder::Map, &["get", "getOrDefault", "containsKey", "getProperty"], Reads::Key, Leaves::Same),
    (
        Holder::Map,
        &[
            "put",
            "putIfAbsent",
            "replace",
            "merge",
            "compute",
            "computeIfAbsent",
            "computeIfPresent",
            "remove",
            "setProperty",
        ],
        Reads::Key,
        Leaves::Keyed,
    ),
    (Holder::Set, &["contains"], Reads::Key, Leaves::Same),
    (Holder::Set, &["add", "remove"], Reads::Key, Leaves::Keyed),
    (
        Holder::List,
        &[
            "get",
            "getFirst",
            "getLast",
            "peek",
            "peekFirst",
            "peekLast",
            "element",
            "firstElement",
            "lastElement",
            "elementAt",
        ],
        Reads::Taken,
        Leaves::Same,
    ),
    (
        Holder::List,
        &["add", "addFirst", "addLast", "offer", "offerFirst", "offerLast", "addElement", "push", "put"],
        Reads::Shape,
        Leaves::Stored,
    ),
    (Holder::List, &["set", "setElementAt", "insertElementAt"], Reads::Taken, Leaves::Stored),
    (
        Holder::List,
        &[
            "poll",
            "pollFirst",
            "pollLast",
            "pop",
            "take",
            "takeFirst",
            "takeLast",
            "removeFirst",
            "removeLast",
            "remove",
        ],
        Reads::Taken,
        Leaves::Less,
    ),
    (Holder::Queue, &["peek", "element"], Reads::Content, Leaves::Same),
    (
        Holder::Iterator,
        &["hasNext", "hasPrevious", "hasMoreElements", "hasMoreTokens", "nextIndex", "previousIndex"],
        Reads::Shape,
        Leaves::Same,
    ),
    (
        Holder::Iterator,
        &["next", "previous", "nextElement", "nextToken", "nextInt", "nextLong", "nextDouble"],
        Reads::Taken,
        Leaves::Less,
    ),
    (Holder::Iterator, &["set"], Reads::Values, Leaves::Stored),
    (Holder::Iterator, &["countTokens"], Reads::Content, Leaves::Same),
    (Holder::Entry, &["getKey", "getValue"], Reads::Taken, Leaves::Same),
    (Holder::Entry, &["setValue"], Reads::Taken, Leaves::Stored),
    (Holder::Builder, &["setLength"], Reads::Values, Leaves::FreshIfZero),
    (Holder::Builder, &builders::LOOKS, Reads::Content, Leaves::Same),
    (Holder::Builder, &["chars", "codePoints", "codePointAt", "compareTo"], Reads::Content, Leaves::Same),
    (Holder::Cell, &["set", "lazySet", "setPlain", "setOpaque", "setRelease"], Reads::Values, Leaves::Fresh),
    (
        Holder::Cell,
        &[
            "get",
            "getPlain",
            "getOpaque",
            "getAcquire",
            "intValue",
            "longValue",
            "doubleValue",
            "sum",
            "isMarked",
            "getReference",
            "getStamp",
        ],
        Reads::Content,
        Leaves::Same,
    ),
    (Holder::Map, SHAPE, Reads::Shape, Leaves::Same),
    (Holder::Set, SHAPE, Reads::Shape, Leaves::Same),
    (Holder::List, SHAPE, Reads::Shape, Leaves::Same),
    (Holder::Queue, SHAPE, Reads::Shape, Leaves::Same),
    (Holder::Map, VIEWING, Reads::Values, Leaves::Same),
    (Holder::Set, VIEWING, Reads::Values, Leaves::Same),
    (Holder::List, VIEWING, Reads::Values, Leaves::Same),
    (Holder::Queue, VIEWING, Reads::Values, Leaves::Same),
    (Holder::Map, CLEARING, Reads::Values, Leaves::Fresh),
    (Holder::Set, CLEARING, Reads::Values, Leaves::Fresh),
    (Holder::List, CLEARING, Reads::Values, Leaves::Fresh),
    (Holder::Queue, CLEARING, Reads::Values, Leaves::Fresh),
    (Holder::Map, LOOKING, Reads::Content, Leaves::Same),
    (Holder::Set, LOOKING, Reads::Content, Leaves::Same),
    (Holder::List, LOOKING, Reads::Content, Leaves::Same),
    (Holder::Queue, LOOKING, Reads::Content, Leaves::Same),
    (Holder::Iterator, LOOKING, Reads::Content, Leaves::Same),
    (Holder::Entry, LOOKING, Reads::Content, Leaves::Same),
    (Holder::Cell, LOOKING, Reads::Content, Leaves::Same),
    (Holder::Other, MAKING, Reads::Content, Leaves::Fresh),
];

/// Methods of `Object` and `Throwable` that leave everything as it is.
const LOOKS_ANYWHERE: [&str; 15] = [
    "toString",
    "equals",
    "hashCode",
    "getClass",
    "compareTo",
    "compare",
    "getMessage",
    "getLocalizedMessage",
    "getCause",
    "name",
    "ordinal",
    "getStackTrace",
    "isEmpty",
    "size",
    "length",
];

/// What a method does, made on an object of this kind. `owner`: the class that the instruction names.
pub fn flow(holder: Holder, owner: &str, name: &str, descriptor: &str) -> Flow {
    let known = is_known(owner) || holder != Holder::Other;
    if owner.starts_with('[') {
        // A copy of an array: what becomes of its elements is told.
        return Flow { reads: Reads::Values, leaves: Leaves::Same, through: false, known };
    }
    let fits = |row: &&Row| row.1.contains(&name) && (row.0 == holder || row.0 == Holder::Other);
    let through = matches!(holder, Holder::Iterator | Holder::Entry)
        && matches!(name, "remove" | "set" | "add" | "setValue");
    if let Some(&(_, _, reads, leaves)) = FLOWS.iter().find(fits) {
        // Which element goes is a matter of what is equal to it.
        let by_value = holder == Holder::List && name == "remove" && descriptor.starts_with("(Ljava/");
        let leaves = if by_value { Leaves::Anything } else { leaves };
        return Flow { reads, leaves, through, known };
    }
    let leaves = match () {
        () if known && LOOKS_ANYWHERE.contains(&name) => Leaves::Same,
        () if values::is_unchangeable(owner) || values::works_on_values(owner) => Leaves::Same,
        () => Leaves::Anything,
    };
    Flow { reads: Reads::Content, leaves, through, known }
}

/// The kind of a class of a library, by its name.
pub fn holder(class: &str) -> Holder {
    if builders::is_of_builder(class) || class == "java/io/StringWriter" {
        return Holder::Builder;
    }
    let of_util = class.strip_prefix("java/util/");
    let Some(name) = of_util else {
        return match class {
            "java/lang/ThreadLocal" | "java/lang/InheritableThreadLocal" => Holder::Cell,
            _ if class.starts_with("java/lang/ref/") => Holder::Cell,
            _ => Holder::Other,
        };
    };
    let last = name.rsplit(['$', '/']).next().unwrap_or(name);
    match () {
        () if name.starts_with("stream/") => Holder::Stream,
        () if name.starts_with("concurrent/atomic/") => Holder::Cell,
        () if last.ends_with("Itr") || last.ends_with("Iterator") || last.ends_with("Enumerator") => {
            Holder::Iterator
        }
        () if matches!(last, "Enumeration" | "EnumerationView" | "StringTokenizer") => Holder::Iterator,
        () if last.ends_with("Entry") || last.ends_with("Node") || last == "KeyValueHolder" => Holder::Entry,
        () if last.contains("PriorityQueue") || last.contains("PriorityBlockingQueue") => Holder::Queue,
        () if last == "DelayQueue" => Holder::Queue,
        () if last.contains("Map") || matches!(last, "Hashtable" | "Properties" | "Dictionary") => {
            if last == "SetFromMap" { Holder::Set } else { Holder::Map }
        }
        () if last.contains("Set") || matches!(last, "KeyView" | "KeySetView") => Holder::Set,
        () if ["List", "Deque", "Queue", "Vector", "Stack", "Collection", "Values"]
            .iter()
            .any(|end| last.ends_with(end)) =>
        {
            Holder::List
        }
        () if matches!(last, "ListN" | "List12") => Holder::List,
        () => Holder::Other,
    }
}

/// Classes of the JDK whose methods do nothing to their arguments and their surroundings but what the tables say.
const KNOWN: [&str; 9] = [
    "java/lang/",
    "java/util/",
    "java/math/",
    "java/time/",
    "java/text/",
    "java/io/",
    "java/nio/",
    "java/net/URI",
    "[",
];
/// Within those: what reaches for code or state of others.
const NOT_KNOWN: [&str; 8] = [
    "java/lang/reflect/",
    "java/lang/invoke/",
    "java/util/ServiceLoader",
    "java/util/prefs/",
    "java/util/logging/",
    "java/lang/ProcessBuilder",
    "java/lang/Runtime",
    "java/io/Object",
];

/// Do we know of a class that its methods leave alone what the tables do not say they change?
pub fn is_known(class: &str) -> bool {
    begins(class.as_bytes(), &KNOWN) && !begins(class.as_bytes(), &NOT_KNOWN)
}

/// Does a method of the JDK leave all that was there before as it is, whatever it is given?
pub fn leaves_all(owner: &str, name: &str, descriptor: &str) -> bool {
    let leaves = flow(holder(owner), owner, name, descriptor).leaves;
    is_known(owner)
        && (leaves == Leaves::Same || name == "<init>")
        && !changes_arguments(owner, name)
        && !effects::is_output(owner, name)
        && !starts(owner, name)
        && (!descriptor.contains('[') || arrays::leaves_arrays(owner, name))
}

/// Methods of the JDK that change objects which they are given, besides arrays.
const CHANGING_ARGUMENTS: [(&str, &[&str]); 4] = [
    (
        "java/util/Collections",
        &["sort", "shuffle", "reverse", "swap", "fill", "addAll", "rotate", "replaceAll", "copy"],
    ),
    ("java/util/regex/Matcher", &["appendReplacement", "appendTail"]),
    ("java/util/concurrent/", &["drainTo"]),
    ("java/util/stream/", &["collect", "toCollection"]),
];

/// Does a method change what it is given? Of classes that are not known any may.
pub fn changes_arguments(owner: &str, name: &str) -> bool {
    let rows = CHANGING_ARGUMENTS.iter().filter(|row| owner.starts_with(row.0));
    rows.clone().any(|row| row.1.contains(&name)) || name == "drainTo" || !is_known(owner)
}

const ATOMS: [&str; 5] =
    ["java/lang/Object", "java/lang/String", "java/lang/Class", "java/util/UUID", "java/util/Locale"];

/// Does one who holds it hold something that nobody can change, and that holds nothing else?
pub fn is_atom(class: &str) -> bool {
    boxes::letter_of(class).is_some()
        || is_one_of(class.as_bytes(), &ATOMS)
        || (owner::is_jdk(class) && class.contains("Comparator"))
        || begins(class.as_bytes(), &["java/time/", "java/math/Big", "java/net/URI"])
        || owner::is_lambda(class)
}

/// Classes inside of others stand for something else, but for these.
const NO_VIEWS: [&str; 2] = ["java/util/ImmutableCollections$", "java/util/AbstractMap$Simple"];
/// What is wrapped around something.
const WRAPPERS: [&str; 4] = ["java/io/", "java/util/Formatter", "java/util/Scanner", "java/nio/"];

/// Does an object of this class stand for what it was made from? What is read from it is read from that then.
pub fn is_view(class: &str) -> bool {
    if begins(class.as_bytes(), &WRAPPERS) {
        return class != "java/io/File";
    }
    class.starts_with("java/util/")
        && !begins(class.as_bytes(), &NO_VIEWS)
        && (class.contains('$') || class.starts_with("java/util/stream/"))
}

/// Iterators that can do nothing but go on and remove, which the collection's size tells.
pub fn only_removes(class: &str) -> bool {
    ["$Itr", "KeyIterator", "ValueIterator", "DescendingIterator", "DeqIterator"]
        .iter()
        .any(|end| class.ends_with(end))
}

/// Fields that every change of the number of elements writes.
const SIZES: [&str; 3] = ["size", "elementCount", "count"];

pub fn is_size(field: &str) -> bool {
    SIZES.contains(&field)
}

/// Maps and sets that find by `equals`: of two keys that differ they take neither for the other.
pub fn finds_by_equals(class: &str) -> bool {
    ["java/util/HashMap", "java/util/LinkedHashMap", "java/util/Hashtable", "java/util/Properties"]
        .contains(&class)
        || ["java/util/HashSet", "java/util/LinkedHashSet", "java/util/EnumMap", "java/util/EnumSet"]
            .iter()
            .any(|one| class.starts_with(one))
        || ["java/util/RegularEnumSet", "java/util/JumboEnumSet"].contains(&class)
        || class == "java/util/concurrent/ConcurrentHashMap"
        || is_one_of(class.as_bytes(), &["java/util/WeakHashMap", "java/util/TreeMap", "java/util/TreeSet"])
}

/// Of those: sorted ones, which may be told by whom a key is equal.
pub fn may_be_told_order(class: &str) -> bool {
    class.starts_with("java/util/Tree")
}

/// Calls whose result comes from outside of the program, whatever it did before: owner, names.
const OUTSIDE: [(&str, &[&str]); 6] = [
    ("java/lang/System", &["nanoTime", "currentTimeMillis", "identityHashCode", "getenv", "lineSeparator"]),
    ("java/lang/Math", &["random"]),
    ("java/lang/Thread", &["currentThread", "onSpinWait", "yield", "sleep"]),
    ("java/lang/Runtime", &["availableProcessors", "freeMemory", "totalMemory", "maxMemory"]),
    ("java/util/UUID", &["randomUUID"]),
    ("java/time/", &["now"]),
];

/// Does a result come from outside, and from nothing that the program did?
pub fn is_outside(class: &str, name: &str) -> bool {
    OUTSIDE.iter().any(|row| class.starts_with(row.0) && row.1.contains(&name))
}

/// Calls by which another thread begins to run what they are given: owner (or how it begins), names.
const STARTING: [(&str, &[&str]); 3] = [
    ("java/lang/Thread", &["start", "startVirtualThread"]),
    (
        "java/util/concurrent/",
        &[
            "execute",
            "submit",
            "schedule",
            "scheduleAtFixedRate",
            "scheduleWithFixedDelay",
            "invokeAll",
            "invokeAny",
            "invoke",
            "fork",
            "runAsync",
            "supplyAsync",
            "thenApplyAsync",
            "thenAcceptAsync",
            "thenRunAsync",
        ],
    ),
    ("java/util/Timer", &["schedule", "scheduleAtFixedRate"]),
];

/// Does a call make another thread run something? A class of the program may be a thread.
pub fn starts(class: &str, name: &str) -> bool {
    STARTING.iter().any(|row| class.starts_with(row.0) && row.1.contains(&name)) || name == "start"
}

/// Classes whose results follow from what was done with the object, and from chance if that was asked for.
const SELF_CONTAINED: [&str; 14] = [
    "java/util/Random",
    "java/util/SplittableRandom",
    "java/util/Scanner",
    "java/util/Date",
    "java/util/Calendar",
    "java/util/GregorianCalendar",
    "java/util/regex/",
    "java/util/zip/CRC32",
    "java/util/zip/Adler32",
    "java/text/",
    "java/io/String",
    "java/io/ByteArray",
    "java/io/CharArray",
    "java/time/",
];

/// Is all that an object of this class can tell something that was done with it?
pub fn is_self_contained(class: &str) -> bool {
    begins(class.as_bytes(), &SELF_CONTAINED)
        || values::is_unchangeable(class)
        || machine::is_exception(class)
}

/// Methods that fill a collection with what another one holds.
const COPYING: [&str; 12] = [
    "<init>",
    "addAll",
    "putAll",
    "addAllAbsent",
    "copyOf",
    "clone",
    "collect",
    "toList",
    "retainAll",
    "removeAll",
    "copy",
    "drainTo",
];

/// Does a method copy what a collection holds, and keep nothing of the collection itself?
pub fn copies(holder: Holder, name: &str) -> bool {
    matches!(holder, Holder::List | Holder::Set | Holder::Map | Holder::Queue) && COPYING.contains(&name)
}

/// May a call on an object of this class wait for what other threads do with it?
pub fn may_wait(class: &str) -> bool {
    class.starts_with("java/util/concurrent/")
}

/// Methods that put something in which is none of their arguments, by how they begin.
const WORKING_OUT: [&str; 5] = ["merge", "compute", "replaceAll", "getAnd", "putIfAbsent"];
/// Those that do so if something is as they are told: these take one argument more.
const IF_IT_IS: [(&str, &str); 2] = [
    ("replace", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Z"),
    ("remove", "(Ljava/lang/Object;Ljava/lang/Object;)Z"),
];

/// Does a method leave something that is more than one of its arguments says?
pub fn works_out(name: &str, descriptor: &str) -> bool {
    begins(name.as_bytes(), &WORKING_OUT) || IF_IT_IS.contains(&(name, descriptor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_the_names_of_classes() {
        for (class, expected) in [
            ("java/util/HashMap", Holder::Map),
            ("java/util/Collections$UnmodifiableMap", Holder::Map),
            ("java/util/HashMap$KeySet", Holder::Set),
            ("java/util/HashMap$Values", Holder::List),
            ("java/util/HashMap$EntrySet", Holder::Set),
            ("java/util/HashMap$Node", Holder::Entry),
            ("java/util/Map$Entry", Holder::Entry),
            ("java/util/HashMap$EntryIterator", Holder::Iterator),
            ("java/util/ArrayList$Itr", Holder::Iterator),
            ("java/util/ArrayList", Holder::List),
            ("java/util/Collection", Holder::List),
            ("java/util/ArrayDeque", Holder::List),
            ("java/util/PriorityQueue", Holder::Queue),
            ("java/util/concurrent/LinkedBlockingQueue", Holder::List),
            ("java/util/concurrent/ConcurrentHashMap", Holder::Map),
            ("java/util/concurrent/atomic/AtomicInteger", Holder::Cell),
            ("java/util/stream/ReferencePipeline$Head", Holder::Stream),
            ("java/util/ImmutableCollections$ListN", Holder::List),
            ("java/lang/StringBuilder", Holder::Builder),
            ("java/util/Random", Holder::Other),
        ] {
            assert_eq!(holder(class), expected, "{class}");
        }
    }

    #[test]
    fn what_a_method_reads_and_leaves_is_a_row() {
        let of = |class, name, descriptor| {
            let flow = flow(holder(class), class, name, descriptor);
            (flow.reads, flow.leaves)
        };
        assert_eq!(of("java/util/Map", "get", ""), (Reads::Key, Leaves::Same));
        assert_eq!(of("java/util/HashMap", "merge", ""), (Reads::Key, Leaves::Keyed));
        assert_eq!(of("java/util/HashSet", "add", ""), (Reads::Key, Leaves::Keyed));
        assert_eq!(of("java/util/ArrayList", "add", ""), (Reads::Shape, Leaves::Stored));
        assert_eq!(of("java/util/List", "remove", "(I)Ljava/lang/Object;"), (Reads::Taken, Leaves::Less));
        assert_eq!(of("java/util/List", "remove", "(Ljava/lang/Object;)Z"), (Reads::Taken, Leaves::Anything));
        assert_eq!(of("java/util/List", "sort", ""), (Reads::Content, Leaves::Anything));
        assert_eq!(of("java/util/List", "<init>", ""), (Reads::Content, Leaves::Fresh));
        assert_eq!(of("java/lang/StringBuilder", "append", ""), (Reads::Content, Leaves::Anything));
        assert_eq!(of("java/lang/StringBuilder", "toString", ""), (Reads::Content, Leaves::Same));
        assert_eq!(of("java/lang/String", "trim", ""), (Reads::Content, Leaves::Same));
        assert_eq!(of("org/example/Client", "fetch", ""), (Reads::Content, Leaves::Anything));
        assert!(!flow(Holder::Other, "org/example/Client", "fetch", "").known);
        assert!(flow(Holder::Iterator, "java/util/Iterator", "remove", "()V").through);
        assert!(!flow(Holder::Iterator, "java/util/Iterator", "next", "").through);
    }

    #[test]
    fn what_is_not_known_may_change_what_it_is_given() {
        assert!(changes_arguments("org/example/Client", "send"));
        assert!(changes_arguments("java/util/Collections", "sort"));
        assert!(!changes_arguments("java/util/Collections", "max"));
        assert!(!changes_arguments("java/util/ArrayList", "add"));
    }

    #[test]
    fn a_call_leaves_all_as_it_is_only_if_it_neither_changes_prints_nor_starts_anything() {
        for (owner, name, descriptor) in [
            ("java/util/List", "get", "(I)Ljava/lang/Object;"),
            ("java/lang/Math", "max", "(II)I"),
            ("java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;"),
            ("java/lang/IllegalStateException", "<init>", "(Ljava/lang/String;)V"),
        ] {
            assert!(leaves_all(owner, name, descriptor), "{owner}.{name}");
        }
        for (owner, name, descriptor) in [
            ("java/util/List", "add", "(Ljava/lang/Object;)Z"),
            ("java/util/Arrays", "sort", "([I)V"),
            ("java/util/Collections", "sort", "(Ljava/util/List;)V"),
            ("java/io/PrintStream", "println", "(I)V"),
            ("java/lang/Thread", "start", "()V"),
            ("org/example/Client", "fetch", "()V"),
        ] {
            assert!(!leaves_all(owner, name, descriptor), "{owner}.{name}");
        }
    }

    #[test]
    fn what_stands_for_something_else_is_told_from_what_is_a_copy() {
        for class in ["java/util/ArrayList$Itr", "java/util/HashMap$KeySet", "java/util/ArrayList$SubList"] {
            assert!(is_view(class), "{class}");
        }
        for class in
            ["java/util/ArrayList", "java/util/ImmutableCollections$ListN", "java/util/KeyValueHolder"]
        {
            assert!(!is_view(class), "{class}");
        }
        assert!(only_removes("java/util/ArrayList$Itr") && !only_removes("java/util/ArrayList$ListItr"));
    }

    #[test]
    fn every_row_of_the_table_is_reached() {
        for (holder, names, ..) in FLOWS {
            assert!(
                names.iter().any(|name| flow(holder, "x/Y", name, "").leaves != Leaves::Anything),
                "{names:?}"
            );
        }
    }
}
