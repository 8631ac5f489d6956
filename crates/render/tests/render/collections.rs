//! Collections of the JDK, by the fields that JDK 17 and 25 give them.

use base::{ObjectId, Value};
use render::{KnownValue, RenderLimits, RenderedNode, ValueKind, node, text};

use crate::heap::{FakeHeap, NULL, UNKNOWN, boxed, boxes, int, long, to};

fn shown(heap: &FakeHeap, object: ObjectId) -> String {
    text(heap, to(object), "", &RenderLimits::default())
}

fn tree(heap: &FakeHeap, object: ObjectId) -> RenderedNode {
    node(heap, to(object), "", &RenderLimits::node())
}

pub fn array_list(heap: &mut FakeHeap, values: &[i32]) -> ObjectId {
    let spare = [NULL, NULL];
    let data = heap.objects(boxes(values.iter().copied()).into_iter().chain(spare));
    heap.object(
        "java/util/ArrayList < java/util/AbstractList",
        &[("elementData", to(data)), ("size:I", int(values.len() as i32))],
    )
}

/// Nodes of a class that are linked by `next`, with one field that differs.
pub fn chain(heap: &mut FakeHeap, class: &str, next: &str, nodes: &[Vec<(&str, KnownValue)>]) -> KnownValue {
    let mut following = NULL;
    for fields in nodes.iter().rev() {
        let mut fields = fields.clone();
        fields.push((next, following));
        following = to(heap.object(class, &fields));
    }
    following
}

pub fn items(values: &[i32]) -> Vec<Vec<(&'static str, KnownValue)>> {
    values.iter().map(|&value| vec![("item", boxed(value))]).collect()
}

/// A hash map with the given buckets of pairs.
pub fn hash_map(heap: &mut FakeHeap, size: i32, buckets: &[&[(&str, i32)]]) -> ObjectId {
    let table: Vec<KnownValue> = buckets
        .iter()
        .map(|pairs| {
            let pairs: Vec<_> = pairs
                .iter()
                .map(|&(key, value)| vec![("key", heap.string(key)), ("value", boxed(value))])
                .collect();
            chain(heap, "java/util/HashMap$Node", "next", &pairs)
        })
        .collect();
    let table = heap.array("[Ljava/util/HashMap$Node;", table);
    heap.object("java/util/HashMap", &[("table", to(table)), ("size:I", int(size))])
}

#[test]
fn lists_on_arrays_show_what_counts_of_the_array() {
    let mut heap = FakeHeap::default();
    let list = array_list(&mut heap, &[1, 2, 3, 4]);
    let data = to(heap.objects(boxes([1, 2, 3, 4])));
    let fields: Vec<(&str, KnownValue)> = vec![("elementData", data), ("elementCount:I", int(2))];
    for (class, fields, expected) in [
        ("java/util/Vector", fields.clone(), "[1, 2]"),
        ("java/util/Stack < java/util/Vector", fields, "[1, 2]"),
        ("java/util/Arrays$ArrayList", vec![("a", data)], "[1, 2, 3, 4]"),
        ("java/util/ImmutableCollections$ListN", vec![("elements", data)], "[1, 2, 3, 4]"),
        ("java/util/concurrent/CopyOnWriteArrayList", vec![("array", data)], "[1, 2, 3, 4]"),
        ("java/util/PriorityQueue", vec![("queue", data), ("size", int(3))], "[1, 2, 3]"),
        (
            "java/util/ArrayList$SubList",
            vec![("root", to(list)), ("offset", int(1)), ("size", int(2))],
            "[2, 3]",
        ),
        ("java/util/ArrayDeque", vec![("elements", data), ("head", int(3)), ("tail", int(2))], "[4, 1, 2]"),
        ("java/util/ArrayDeque", vec![("elements", data), ("head", int(1)), ("tail", int(1))], "[]"),
        (
            "java/util/concurrent/ArrayBlockingQueue",
            vec![("items", data), ("takeIndex", int(2)), ("count", int(4))],
            "[3, 4, 1, 2]",
        ),
        ("java/util/ReverseOrderListView", vec![("base", to(list))], "[4, 3, 2, 1]"),
    ] {
        let object = heap.object(class, &fields);
        assert_eq!(shown(&heap, object), expected, "{class}");
        assert_eq!(tree(&heap, object).kind, ValueKind::List);
    }
    assert_eq!(shown(&heap, list), "[1, 2, 3, 4]");
}

#[test]
fn small_and_wrapped_collections_read_like_others() {
    let mut heap = FakeHeap::default();
    let list = to(array_list(&mut heap, &[5, 6]));
    let empty = to(heap.object("java/lang/Object", &[]));
    let map = to(hash_map(&mut heap, 1, &[&[("a", 1)]]));
    for (class, fields, expected) in [
        ("java/util/ImmutableCollections$List12", vec![("e0", boxed(1)), ("e1", empty)], "[1]"),
        ("java/util/ImmutableCollections$List12", vec![("e0", boxed(1)), ("e1", boxed(2))], "[1, 2]"),
        ("java/util/ImmutableCollections$Set12", vec![("e0", boxed(1)), ("e1", boxed(2))], "[1, 2]"),
        ("java/util/Collections$SingletonList", vec![("element", boxed(1))], "[1]"),
        ("java/util/Collections$SingletonSet", vec![("element", NULL)], "[null]"),
        ("java/util/Collections$SingletonMap", vec![("k", boxed(1)), ("v", boxed(2))], "{1=2}"),
        ("java/util/Collections$CopiesList", vec![("n", int(3)), ("element", boxed(9))], "[9, 9, 9]"),
        ("java/util/Collections$EmptyList", vec![], "[]"),
        ("java/util/Collections$EmptySet", vec![], "[]"),
        ("java/util/Collections$EmptyMap", vec![], "{}"),
        (
            "java/util/Collections$UnmodifiableRandomAccessList < java/util/Collections$UnmodifiableList < java/util/Collections$UnmodifiableCollection",
            vec![("c", list), ("list", list)],
            "[5, 6]",
        ),
        ("java/util/Collections$SynchronizedCollection", vec![("c", list)], "[5, 6]"),
        ("java/util/Collections$CheckedCollection", vec![("c", list)], "[5, 6]"),
        ("java/util/Collections$UnmodifiableMap", vec![("m", map)], "{\"a\"=1}"),
        ("java/util/concurrent/CopyOnWriteArraySet", vec![("al", list)], "[5, 6]"),
        ("java/util/ImmutableCollections$Map1", vec![("k0", boxed(1)), ("v0", NULL)], "{1=null}"),
    ] {
        let object = heap.object(class, &fields);
        assert_eq!(shown(&heap, object), expected, "{class}");
    }
    let pair = heap.object("java/util/ImmutableCollections$List12", &[("e0", boxed(1)), ("e1", boxed(2))]);
    let view = [("root", to(pair)), ("offset", int(1)), ("size", int(1))];
    let view = heap.object("java/util/ImmutableCollections$SubList", &view);
    assert_eq!(shown(&heap, view), "[2]");
}

#[test]
fn linked_lists_and_queues_follow_their_nodes() {
    let mut heap = FakeHeap::default();
    let first = chain(&mut heap, "java/util/LinkedList$Node", "next", &items(&[1, 2, 3]));
    let list = heap.object("java/util/LinkedList", &[("size", int(3)), ("first", first)]);
    assert_eq!(shown(&heap, list), "[1, 2, 3]");
    let mut with_header = items(&[0, 1, 2]);
    with_header[0] = vec![("item", NULL)];
    let head = chain(&mut heap, "java/util/concurrent/LinkedBlockingQueue$Node", "next", &with_header);
    let queue = heap.object("java/util/concurrent/LinkedBlockingQueue", &[("head", head)]);
    assert_eq!(shown(&heap, queue), "[1, 2]");
    let limits = RenderLimits { elements: 1, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(list), "", &limits), "[1, … 2 more]");
    assert_eq!(text(&heap, to(queue), "", &limits), "[1, … 1 more]");
}

#[test]
fn a_hash_map_is_read_in_the_order_of_its_table() {
    let mut heap = FakeHeap::default();
    let map = hash_map(&mut heap, 3, &[&[("b", 2)], &[], &[("a", 1), ("c", 3)]]);
    assert_eq!(shown(&heap, map), r#"{"b"=2, "a"=1, "c"=3}"#);
    for (class, field, expected) in [
        ("java/util/HashSet", "map", r#"["b", "a", "c"]"#),
        ("java/util/HashMap$KeySet", "this$0", r#"["b", "a", "c"]"#),
        ("java/util/HashMap$Values", "this$0", "[2, 1, 3]"),
        ("java/util/HashMap$EntrySet", "this$0", r#"["b"=2, "a"=1, "c"=3]"#),
        ("java/util/Collections$SetFromMap", "m", r#"["b", "a", "c"]"#),
    ] {
        let view = heap.object(class, &[(field, to(map))]);
        assert_eq!(shown(&heap, view), expected, "{class}");
    }
    let tree = tree(&heap, map);
    let labels: Vec<_> = tree.children.iter().map(|child| child.label.as_str()).collect();
    assert_eq!((tree.kind, labels), (ValueKind::Map, vec!["\"b\"", "\"a\"", "\"c\""]));
    let limits = RenderLimits { elements: 1, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(map), "", &limits), r#"{"b"=2, … 2 more}"#);
}

#[test]
fn hashtables_and_weak_maps_are_read_from_the_end() {
    let mut heap = FakeHeap::default();
    let pair = |value| vec![("key", boxed(value)), ("value", boxed(value * 10))];
    let nodes = [1, 2].map(|value| chain(&mut heap, "java/util/Hashtable$Entry", "next", &[pair(value)]));
    let table = to(heap.array("[Ljava/util/Hashtable$Entry;", nodes));
    let map = heap.object("java/util/Hashtable", &[("table", table), ("count", int(2))]);
    assert_eq!(shown(&heap, map), "{2=20, 1=10}");

    let reference = ("java/lang/ref/Reference.next", NULL);
    let second = heap.object(
        "java/util/WeakHashMap$Entry",
        &[("referent", boxed(2)), reference, ("value", NULL), ("next", NULL)],
    );
    let first = heap.object(
        "java/util/WeakHashMap$Entry",
        &[("referent", boxed(1)), reference, ("value", NULL), ("next", to(second))],
    );
    let table = to(heap.array("[Ljava/util/WeakHashMap$Entry;", [to(first)]));
    let map = heap.object("java/util/WeakHashMap", &[("table", table), ("size", int(2))]);
    assert_eq!(shown(&heap, map), "{1=null, 2=null}");
    assert_eq!(shown(&heap, first), "1=null");
}

#[test]
fn a_linked_hash_map_is_read_in_the_order_of_insertion() {
    let mut heap = FakeHeap::default();
    let pairs: Vec<_> =
        [3, 1, 2].iter().map(|&key| vec![("key", boxed(key)), ("value", boxed(-key))]).collect();
    let head = chain(&mut heap, "java/util/LinkedHashMap$Entry < java/util/HashMap$Node", "after", &pairs);
    let classes = "java/util/LinkedHashMap < java/util/HashMap";
    let map = heap.object(classes, &[("table", UNKNOWN), ("size", int(3)), ("head", head)]);
    assert_eq!(shown(&heap, map), "{3=-3, 1=-1, 2=-2}");
    let set = heap.object("java/util/LinkedHashSet < java/util/HashSet", &[("map", to(map))]);
    assert_eq!(shown(&heap, set), "[3, 1, 2]");
    let view = [("reversed", int(1)), ("this$0", to(map))];
    let view = heap.object("java/util/LinkedHashMap$LinkedKeySet", &view);
    assert_eq!(shown(&heap, view), "[2, 1, 3]");
}

fn tree_node(heap: &mut FakeHeap, key: i32, left: KnownValue, right: KnownValue) -> KnownValue {
    let fields = [("key", boxed(key)), ("value", boxed(key * key)), ("left", left), ("right", right)];
    to(heap.object("java/util/TreeMap$Entry", &fields))
}

#[test]
fn a_tree_map_is_read_in_order() {
    let mut heap = FakeHeap::default();
    let one = tree_node(&mut heap, 1, NULL, NULL);
    let three = tree_node(&mut heap, 3, NULL, NULL);
    let two = tree_node(&mut heap, 2, one, three);
    let five = tree_node(&mut heap, 5, NULL, NULL);
    let four = tree_node(&mut heap, 4, two, five);
    let map = heap.object("java/util/TreeMap", &[("root", four), ("size", int(5))]);
    assert_eq!(shown(&heap, map), "{1=1, 2=4, 3=9, 4=16, 5=25}");
    let set = heap.object("java/util/TreeSet", &[("m", to(map))]);
    assert_eq!(shown(&heap, set), "[1, 2, 3, 4, 5]");
    let classes = "java/util/TreeMap$DescendingSubMap < java/util/TreeMap$NavigableSubMap";
    let whole = [("m", to(map)), ("fromStart", int(1)), ("toEnd", int(1))];
    let down = heap.object(classes, &whole);
    assert_eq!(shown(&heap, down), "{5=25, 4=16, 3=9, 2=4, 1=1}");
    let part = heap.object(classes, &[("m", to(map)), ("fromStart", int(0)), ("toEnd", int(1))]);
    assert_eq!(
        shown(&heap, part),
        "DescendingSubMap@9 (content unknown: only the program can say which keys lie in its part)"
    );
    // With the order of numbers or strings its bounds are enough.
    let sorted = heap.object("java/util/TreeMap", &[("root", four), ("size", int(5)), ("comparator", NULL)]);
    let own = heap.object("Comparator", &[]);
    let by = heap.object("java/util/TreeMap", &[("root", four), ("size", int(5)), ("comparator", to(own))]);
    for (map, class, inclusive, expected) in [
        (sorted, "java/util/TreeMap$AscendingSubMap < java/util/TreeMap$NavigableSubMap", 1, "{2=4, 3=9}"),
        (sorted, "java/util/TreeMap$AscendingSubMap < java/util/TreeMap$NavigableSubMap", 0, "{3=9}"),
        (sorted, classes, 1, "{3=9, 2=4}"),
        (by, classes, 1, "content unknown"),
    ] {
        let part = heap.object(
            class,
            &[
                ("m", to(map)),
                ("fromStart", int(0)),
                ("lo", boxed(2)),
                ("loInclusive", int(inclusive)),
                ("toEnd", int(0)),
                ("hi", boxed(4)),
                ("hiInclusive", int(0)),
            ],
        );
        assert!(shown(&heap, part).contains(expected), "{}", shown(&heap, part));
    }
    let limits = RenderLimits { elements: 2, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(set), "", &limits), "[1, 2, … 3 more]");
    let hole = tree_node(&mut heap, 2, UNKNOWN, three);
    let map = heap.object("java/util/TreeMap", &[("root", hole), ("size", int(3))]);
    assert_eq!(shown(&heap, map), "{?, 2=4, 3=9}");
}

#[test]
fn a_concurrent_map_shows_what_is_known() {
    let mut heap = FakeHeap::default();
    let pair = |key| vec![("hash", int(7)), ("key", boxed(key)), ("val", boxed(key))];
    let plain = chain(&mut heap, "java/util/concurrent/ConcurrentHashMap$Node", "next", &[pair(1), pair(2)]);
    let in_tree = chain(&mut heap, "java/util/concurrent/ConcurrentHashMap$TreeNode", "next", &[pair(3)]);
    let bin = [("hash", int(-2)), ("key", NULL), ("val", NULL), ("next", NULL), ("first", in_tree)];
    let bin = to(heap.object("java/util/concurrent/ConcurrentHashMap$TreeBin", &bin));
    let table = to(heap.objects([plain, NULL, bin]));
    let map = heap.object("java/util/concurrent/ConcurrentHashMap", &[("table", table)]);
    assert_eq!(shown(&heap, map), "{1=1, 2=2, 3=3}");
    let properties =
        heap.object("java/util/Properties < java/util/Hashtable", &[("table", NULL), ("map", to(map))]);
    assert_eq!(shown(&heap, properties), "{1=1, 2=2, 3=3}");
    let unknown = heap.object("java/util/concurrent/ConcurrentHashMap", &[("table", UNKNOWN)]);
    assert_eq!(shown(&heap, unknown), "ConcurrentHashMap@8 (content unknown: not seen by then)");
    let fresh = heap.object("java/util/concurrent/ConcurrentHashMap", &[("table", NULL)]);
    assert_eq!(shown(&heap, fresh), "{}");
}

#[test]
fn open_tables_are_read_past_their_empty_places() {
    let mut heap = FakeHeap::default();
    let table = to(heap.objects([NULL, NULL, boxed(1), boxed(10), NULL, NULL, boxed(2), NULL]));
    for class in ["java/util/IdentityHashMap", "java/util/ImmutableCollections$MapN"] {
        let map = heap.object(class, &[("table", table), ("size", int(2))]);
        assert_eq!(shown(&heap, map), "{1=10, 2=null}", "{class}");
    }
    let elements = to(heap.objects([NULL, boxed(4), NULL, boxed(3)]));
    let set = heap.object("java/util/ImmutableCollections$SetN", &[("elements", elements), ("size", int(2))]);
    assert_eq!(shown(&heap, set), "[4, 3]");
}

#[test]
fn collections_of_enums_name_their_constants_where_these_are_known() {
    let mut heap = FakeHeap::default();
    let constants = ["RED", "GREEN"].map(|name| to(heap.constant("demo/Color", name, &[])));
    let universe = to(heap.array("[Ldemo/Color;", constants));
    let set = heap.object("java/util/RegularEnumSet", &[("elements:J", long(0b10)), ("universe", universe)]);
    assert_eq!(shown(&heap, set), "[Color.GREEN]");
    let words = to(heap.array("[J", [long(1), long(1)]));
    let jumbo = heap.object("java/util/JumboEnumSet", &[("elements", words), ("universe", universe)]);
    assert_eq!(shown(&heap, jumbo), "[Color.RED, ?]");
    let class = heap.class("demo/Color");
    heap.library_constant(class, 0, "RED");
    let type_field = ("elementType", KnownValue::Value(Value::Class(class)));
    let by_class = heap
        .object("java/util/RegularEnumSet", &[("elements:J", long(0b11)), ("universe", UNKNOWN), type_field]);
    assert_eq!(shown(&heap, by_class), "[Color.RED, ?]");
    let unknown = heap.object("java/util/RegularEnumSet", &[("elements:J", UNKNOWN)]);
    assert_eq!(
        shown(&heap, unknown),
        format!("RegularEnumSet@{} (content unknown: not seen by then)", unknown.0)
    );

    let masked = to(heap.object("java/util/EnumMap$1", &[]));
    let values = to(heap.objects([masked, boxed(2)]));
    let map =
        heap.object("java/util/EnumMap", &[("keyUniverse", universe), ("vals", values), ("size", int(2))]);
    assert_eq!(shown(&heap, map), "{Color.RED=null, Color.GREEN=2}");
}

#[test]
fn unknown_content_is_told_and_never_guessed() {
    let mut heap = FakeHeap::default();
    let data = to(heap.objects([boxed(1), UNKNOWN, boxed(3)]));
    let with = |heap: &mut FakeHeap, data, size| {
        heap.object("java/util/ArrayList", &[("elementData", data), ("size", size)])
    };
    for (data, size, expected) in [
        (data, int(3), "[1, ?, 3]"),
        (UNKNOWN, int(3), "ArrayList@3 (content unknown: not seen by then)"),
        (data, UNKNOWN, "ArrayList@4 (content unknown: not seen by then)"),
        (UNKNOWN, int(0), "[]"),
        (data, int(-1), "ArrayList@6 (content unknown: not seen by then)"),
    ] {
        let list = with(&mut heap, data, size);
        assert_eq!(shown(&heap, list), expected);
        assert_eq!(tree(&heap, list).unknown, expected.ends_with("unknown)"));
    }
    let node = [("key", boxed(1)), ("value", UNKNOWN), ("next", NULL)];
    let node = to(heap.object("java/util/HashMap$Node", &node));
    let table = to(heap.objects([UNKNOWN, node, UNKNOWN, UNKNOWN]));
    let all = heap.object("java/util/HashMap", &[("table", table), ("size", int(1))]);
    assert_eq!(shown(&heap, all), "{1=?}", "the one pair was found, so nothing is in the other buckets");
    let some = heap.object("java/util/HashMap", &[("table", table), ("size", int(5))]);
    assert_eq!(shown(&heap, some), "{?, 1=?, ?}");
    let dark = to(heap.objects([UNKNOWN, UNKNOWN]));
    let dark = heap.object("java/util/HashMap", &[("table", dark), ("size", int(5))]);
    assert_eq!(shown(&heap, dark), format!("HashMap@{} (content unknown: not seen by then)", dark.0));
}

#[test]
fn a_collection_of_the_program_has_its_name_before_it_and_keeps_its_fields() {
    let mut heap = FakeHeap::default();
    let data = to(heap.objects(boxes([1, 2])));
    let list = heap.object(
        "demo/Main$MyList < java/util/ArrayList",
        &[("elementData", data), ("size", int(2)), ("demo/Main$MyList.size", int(99))],
    );
    assert_eq!(shown(&heap, list), "MyList[1, 2]");
    let tree = tree(&heap, list);
    let children: Vec<_> =
        tree.children.iter().map(|child| (child.label.as_str(), child.node.text.as_str())).collect();
    assert_eq!(children, [("size", "99"), ("[0]", "1"), ("[1]", "2")]);
    let own = heap.object("demo/OwnList < java/util/AbstractList", &[("demo/OwnList.n", int(3))]);
    assert_eq!(shown(&heap, own), format!("OwnList@{}{{n=3}}", own.0));
    let wrapped = heap.object("java/util/Collections$UnmodifiableCollection", &[("c", to(own))]);
    assert_eq!(shown(&heap, wrapped), format!("OwnList@{}{{n=3}}", own.0));
}

#[test]
fn a_list_inside_itself_is_shown_by_its_name() {
    let mut heap = FakeHeap::default();
    let list = heap.object("java/util/Arrays$ArrayList", &[("a", NULL)]);
    let data = heap.objects([boxed(1), to(list)]);
    heap.set(list, "a", to(data));
    assert_eq!(shown(&heap, list), "[1, ArrayList@1]");
    let wrapper = heap.object("java/util/Collections$UnmodifiableCollection", &[("c", NULL)]);
    heap.set(wrapper, "c", to(wrapper));
    assert_eq!(shown(&heap, wrapper), "UnmodifiableCollection@3 (content unknown: not seen by then)");
}
