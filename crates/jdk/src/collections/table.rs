//! The collections that are known, by their classes.

use super::layout::{Bound, Special};
use super::{Collection, CollectionKind, Layout, LinkNode, PairNode, Recipe, TreeNode, ViewOf};
use crate::Field;

const fn row(kind: CollectionKind, class: &'static str, layout: Layout) -> Collection {
    Collection { class, kind, layout: Some(layout), recipe: None, since: 0 }
}

const fn list(class: &'static str, layout: Layout) -> Collection {
    row(CollectionKind::List, class, layout)
}

const fn set(class: &'static str, layout: Layout) -> Collection {
    row(CollectionKind::Set, class, layout)
}

const fn map(class: &'static str, layout: Layout) -> Collection {
    row(CollectionKind::Map, class, layout)
}

/// Laid out as the class above it.
const fn below(kind: CollectionKind, class: &'static str, recipe: Recipe) -> Collection {
    Collection { class, kind, layout: None, recipe: Some(recipe), since: 0 }
}

const fn entry(class: &'static str, key: Field, value: Field) -> Collection {
    row(CollectionKind::Entry, class, Layout::Entry { key, value })
}

const fn keys(class: &'static str, map: Field) -> Collection {
    set(class, Layout::View { of: ViewOf::Keys, map, reversed: None })
}

const fn values(class: &'static str, map: Field) -> Collection {
    list(class, Layout::View { of: ViewOf::Values, map, reversed: None })
}

const fn entries(class: &'static str, map: Field) -> Collection {
    set(class, Layout::View { of: ViewOf::Entries, map, reversed: None })
}

const fn wrapper(kind: CollectionKind, class: &'static str, around: Field) -> Collection {
    row(kind, class, Layout::Wrapper { around })
}

const fn optional(class: &'static str, present: Option<Field>, name: &'static str) -> Collection {
    row(CollectionKind::Optional, class, Layout::Optional { value: "value", present })
        .by(Recipe::Optional(name))
}

const fn array(array: Field, size: Option<Field>) -> Layout {
    Layout::Array { array, size, comparator: None }
}

const fn heap() -> Layout {
    Layout::Array { array: "queue", size: Some("size"), comparator: Some("comparator") }
}

const fn part(list: Field, of_array: bool) -> Layout {
    Layout::Part { list, offset: "offset", size: "size", of_array }
}

const fn linked(first: Field, size: Option<Field>, class: &'static str) -> Layout {
    Layout::Linked { first, size, node: LinkNode { class, item: "item", next: "next", before: None } }
}

const fn buckets(size: Option<Field>, backwards: bool, node: PairNode) -> Layout {
    Layout::Buckets { table: "table", size, backwards, node }
}

const fn node(class: &'static str, key: Field, value: Field) -> PairNode {
    PairNode { class, key, value, next: "next", special: None }
}

impl Collection {
    const fn by(mut self, recipe: Recipe) -> Collection {
        self.recipe = Some(recipe);
        self
    }

    const fn since(mut self, jdk: u8) -> Collection {
        self.since = jdk;
        self
    }

    /// A view whose map may be iterated from its end on, from JDK 21 on.
    const fn reversible(mut self) -> Collection {
        if let Some(Layout::View { of, map, .. }) = self.layout {
            self.layout = Some(Layout::View { of, map, reversed: Some("reversed") });
        }
        self
    }
}

const CONCURRENT_NODE: PairNode = PairNode {
    special: Some(Special {
        hash: "hash",
        class: "java/util/concurrent/ConcurrentHashMap$TreeBin",
        first: "first",
    }),
    ..node("java/util/concurrent/ConcurrentHashMap$Node", "key", "val")
};

pub static COLLECTIONS: [Collection; 113] = [
    // Lists on arrays.
    list("java/util/ArrayList", array("elementData", Some("size"))).by(Recipe::Copy("ArrayList")),
    list("java/util/Vector", array("elementData", Some("elementCount"))).by(Recipe::Copy("Vector")),
    below(CollectionKind::List, "java/util/Stack", Recipe::Filled("Stack")),
    list("java/util/Arrays$ArrayList", array("a", None)).by(Recipe::AsList),
    list("java/util/ImmutableCollections$ListN", array("elements", None)).by(Recipe::Of("List")),
    list("java/util/concurrent/CopyOnWriteArrayList", array("array", None)),
    list("java/util/PriorityQueue", heap()).by(Recipe::Copy("PriorityQueue")),
    list("java/util/concurrent/PriorityBlockingQueue", heap()),
    // Parts of lists.
    list("java/util/AbstractList$SubList", part("root", false)),
    list("java/util/ArrayList$SubList", part("root", true)),
    list("java/util/ImmutableCollections$SubList", part("root", true)),
    list("java/util/concurrent/CopyOnWriteArrayList$COWSubList", part("this$0", true)),
    // Other lists and queues.
    list("java/util/LinkedList", linked("first", Some("size"), "java/util/LinkedList$Node"))
        .by(Recipe::Copy("LinkedList")),
    list(
        "java/util/concurrent/LinkedBlockingDeque",
        linked("first", Some("count"), "java/util/concurrent/LinkedBlockingDeque$Node"),
    ),
    list(
        "java/util/concurrent/LinkedBlockingQueue",
        linked("head", None, "java/util/concurrent/LinkedBlockingQueue$Node"),
    ),
    list(
        "java/util/concurrent/ConcurrentLinkedQueue",
        linked("head", None, "java/util/concurrent/ConcurrentLinkedQueue$Node"),
    ),
    list(
        "java/util/concurrent/ConcurrentLinkedDeque",
        Layout::Linked {
            first: "head",
            size: None,
            node: LinkNode {
                class: "java/util/concurrent/ConcurrentLinkedDeque$Node",
                item: "item",
                next: "next",
                before: Some("prev"),
            },
        },
    ),
    list("java/util/ArrayDeque", Layout::Ring { array: "elements", head: "head", tail: "tail" })
        .by(Recipe::Copy("ArrayDeque")),
    list(
        "java/util/concurrent/ArrayBlockingQueue",
        Layout::CountedRing { array: "items", head: "takeIndex", count: "count" },
    ),
    list("java/util/ImmutableCollections$List12", Layout::OneOrTwo { first: "e0", second: "e1" })
        .by(Recipe::Of("List")),
    list("java/util/Collections$SingletonList", Layout::Single { element: "element" })
        .by(Recipe::Singleton("singletonList")),
    list("java/util/Collections$CopiesList", Layout::Copies { element: "element", count: "n" }),
    list("java/util/Collections$EmptyList", Layout::Empty).by(Recipe::Empty("emptyList")),
    // Others from their end on.
    list("java/util/ReverseOrderListView", Layout::Reversed { base: "base" }).since(21),
    list("java/util/ReverseOrderDequeView", Layout::Reversed { base: "base" }).since(21),
    set("java/util/ReverseOrderSortedSetView", Layout::Reversed { base: "base" }).since(21),
    list("java/util/concurrent/CopyOnWriteArrayList$Reversed", Layout::Reversed { base: "base" }).since(21),
    // It extends what it is a view of, but has nothing in the fields that it inherits.
    list("java/util/LinkedList$ReverseOrderLinkedListView", Layout::Reversed { base: "list" }).since(21),
    // Sets.
    set("java/util/HashSet", Layout::Keys { map: "map" }).by(Recipe::Copy("HashSet")),
    below(CollectionKind::Set, "java/util/LinkedHashSet", Recipe::Copy("LinkedHashSet")),
    set("java/util/TreeSet", Layout::Keys { map: "m" }).by(Recipe::Copy("TreeSet")),
    set("java/util/Collections$SetFromMap", Layout::Keys { map: "m" }),
    set("java/util/concurrent/ConcurrentSkipListSet", Layout::Keys { map: "m" }),
    set("java/util/ImmutableCollections$Set12", Layout::OneOrTwo { first: "e0", second: "e1" })
        .by(Recipe::Of("Set")),
    set("java/util/ImmutableCollections$SetN", Layout::Sparse { array: "elements", size: "size" })
        .by(Recipe::Of("Set")),
    set("java/util/Collections$SingletonSet", Layout::Single { element: "element" })
        .by(Recipe::Singleton("singleton")),
    set("java/util/Collections$EmptySet", Layout::Empty).by(Recipe::Empty("emptySet")),
    set(
        "java/util/RegularEnumSet",
        Layout::Bits { words: "elements", universe: "universe", class: "elementType" },
    ),
    set(
        "java/util/JumboEnumSet",
        Layout::Bits { words: "elements", universe: "universe", class: "elementType" },
    ),
    // Maps.
    map("java/util/HashMap", buckets(Some("size"), false, node("java/util/HashMap$Node", "key", "value")))
        .by(Recipe::Put("HashMap")),
    map(
        "java/util/LinkedHashMap",
        Layout::LinkedPairs {
            head: "head",
            size: "size",
            node: PairNode { next: "after", ..node("java/util/LinkedHashMap$Entry", "key", "value") },
        },
    )
    .by(Recipe::Put("LinkedHashMap")),
    map(
        "java/util/TreeMap",
        Layout::Tree {
            root: "root",
            size: "size",
            comparator: "comparator",
            node: TreeNode {
                class: "java/util/TreeMap$Entry",
                key: "key",
                value: "value",
                left: "left",
                right: "right",
            },
        },
    )
    .by(Recipe::Put("TreeMap")),
    map(
        "java/util/TreeMap$NavigableSubMap",
        Layout::SubTree {
            map: "m",
            low: Bound { open: "fromStart", key: "lo", inclusive: "loInclusive" },
            high: Bound { open: "toEnd", key: "hi", inclusive: "hiInclusive" },
            descending: "java/util/TreeMap$DescendingSubMap",
        },
    ),
    map("java/util/LinkedHashMap$ReversedLinkedHashMapView", Layout::Reversed { base: "base" }).since(21),
    map("java/util/ReverseOrderSortedMapView", Layout::Reversed { base: "base" }).since(21),
    map(
        "java/util/Hashtable",
        buckets(Some("count"), true, node("java/util/Hashtable$Entry", "key", "value")),
    ),
    map(
        "java/util/WeakHashMap",
        buckets(Some("size"), true, node("java/util/WeakHashMap$Entry", "referent", "value")),
    ),
    // Its size is spread over several counters.
    map("java/util/concurrent/ConcurrentHashMap", buckets(None, false, CONCURRENT_NODE)),
    map(
        "java/util/concurrent/ConcurrentSkipListMap",
        Layout::SkipList {
            head: "head",
            index: "java/util/concurrent/ConcurrentSkipListMap$Index",
            header: "node",
            node: node("java/util/concurrent/ConcurrentSkipListMap$Node", "key", "val"),
        },
    ),
    map("java/util/Properties", Layout::Delegated { map: "map" }),
    map("java/util/IdentityHashMap", Layout::OpenTable { table: "table", size: "size" }),
    map("java/util/ImmutableCollections$MapN", Layout::OpenTable { table: "table", size: "size" })
        .by(Recipe::Of("Map")),
    map(
        "java/util/EnumMap",
        Layout::EnumTable {
            values: "vals",
            size: "size",
            universe: "keyUniverse",
            class: "keyType",
            null: "java/util/EnumMap$1",
        },
    ),
    map("java/util/ImmutableCollections$Map1", Layout::SinglePair { key: "k0", value: "v0" })
        .by(Recipe::Of("Map")),
    map("java/util/Collections$SingletonMap", Layout::SinglePair { key: "k", value: "v" }),
    map("java/util/Collections$EmptyMap", Layout::Empty).by(Recipe::Empty("emptyMap")),
    // Views of maps.
    keys("java/util/HashMap$KeySet", "this$0"),
    values("java/util/HashMap$Values", "this$0"),
    entries("java/util/HashMap$EntrySet", "this$0"),
    keys("java/util/LinkedHashMap$LinkedKeySet", "this$0").reversible(),
    values("java/util/LinkedHashMap$LinkedValues", "this$0").reversible(),
    entries("java/util/LinkedHashMap$LinkedEntrySet", "this$0").reversible(),
    keys("java/util/TreeMap$KeySet", "m"),
    values("java/util/TreeMap$Values", "this$0"),
    entries("java/util/TreeMap$EntrySet", "this$0"),
    entries("java/util/TreeMap$NavigableSubMap$EntrySetView", "this$0"),
    keys("java/util/Hashtable$KeySet", "this$0"),
    values("java/util/Hashtable$ValueCollection", "this$0"),
    entries("java/util/Hashtable$EntrySet", "this$0"),
    keys("java/util/WeakHashMap$KeySet", "this$0"),
    values("java/util/WeakHashMap$Values", "this$0"),
    entries("java/util/WeakHashMap$EntrySet", "this$0"),
    keys("java/util/IdentityHashMap$KeySet", "this$0"),
    values("java/util/IdentityHashMap$Values", "this$0"),
    entries("java/util/IdentityHashMap$EntrySet", "this$0"),
    keys("java/util/EnumMap$KeySet", "this$0"),
    values("java/util/EnumMap$Values", "this$0"),
    entries("java/util/EnumMap$EntrySet", "this$0"),
    keys("java/util/concurrent/ConcurrentHashMap$KeySetView", "map"),
    values("java/util/concurrent/ConcurrentHashMap$ValuesView", "map"),
    entries("java/util/concurrent/ConcurrentHashMap$EntrySetView", "map"),
    keys("java/util/concurrent/ConcurrentSkipListMap$KeySet", "m"),
    values("java/util/concurrent/ConcurrentSkipListMap$Values", "m"),
    entries("java/util/concurrent/ConcurrentSkipListMap$EntrySet", "m"),
    // Entries of maps.
    entry("java/util/HashMap$Node", "key", "value"),
    entry("java/util/TreeMap$Entry", "key", "value"),
    entry("java/util/Hashtable$Entry", "key", "value"),
    entry("java/util/AbstractMap$SimpleEntry", "key", "value"),
    entry("java/util/AbstractMap$SimpleImmutableEntry", "key", "value"),
    entry("java/util/KeyValueHolder", "key", "value"),
    entry("java/util/WeakHashMap$Entry", "referent", "value"),
    entry("java/util/concurrent/ConcurrentHashMap$Node", "key", "val"),
    entry("java/util/concurrent/ConcurrentHashMap$MapEntry", "key", "val"),
    // What stands for another.
    wrapper(CollectionKind::List, "java/util/Collections$UnmodifiableCollection", "c")
        .by(Recipe::Wrapper("unmodifiableCollection")),
    below(
        CollectionKind::List,
        "java/util/Collections$UnmodifiableList",
        Recipe::Wrapper("unmodifiableList"),
    ),
    below(
        CollectionKind::List,
        "java/util/Collections$UnmodifiableRandomAccessList",
        Recipe::Wrapper("unmodifiableList"),
    ),
    below(CollectionKind::Set, "java/util/Collections$UnmodifiableSet", Recipe::Wrapper("unmodifiableSet")),
    wrapper(CollectionKind::Map, "java/util/Collections$UnmodifiableMap", "m")
        .by(Recipe::Wrapper("unmodifiableMap")),
    wrapper(CollectionKind::List, "java/util/Collections$SynchronizedCollection", "c"),
    wrapper(CollectionKind::Map, "java/util/Collections$SynchronizedMap", "m"),
    wrapper(CollectionKind::List, "java/util/Collections$CheckedCollection", "c"),
    wrapper(CollectionKind::Map, "java/util/Collections$CheckedMap", "m"),
    wrapper(CollectionKind::List, "java/util/Collections$AsLIFOQueue", "q"),
    wrapper(
        CollectionKind::Entry,
        "java/util/Collections$UnmodifiableMap$UnmodifiableEntrySet$UnmodifiableEntry",
        "e",
    ),
    wrapper(CollectionKind::Set, "java/util/Properties$EntrySet", "entrySet"),
    wrapper(CollectionKind::Set, "java/util/concurrent/CopyOnWriteArraySet", "al"),
    wrapper(CollectionKind::List, "java/util/concurrent/atomic/AtomicIntegerArray", "array"),
    wrapper(CollectionKind::List, "java/util/concurrent/atomic/AtomicLongArray", "array"),
    wrapper(CollectionKind::List, "java/util/concurrent/atomic/AtomicReferenceArray", "array"),
    // One element, or none.
    optional("java/util/Optional", None, "Optional"),
    optional("java/util/OptionalInt", Some("isPresent"), "OptionalInt"),
    optional("java/util/OptionalLong", Some("isPresent"), "OptionalLong"),
    optional("java/util/OptionalDouble", Some("isPresent"), "OptionalDouble"),
];
