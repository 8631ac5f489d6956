//! Heaps drawn at random, with the field names and classes of the JDK and references to anywhere: whatever they
//! are, rendering ends, keeps its limits and does not panic.

use crate::heap::{FakeHeap, NULL, UNKNOWN, boxed, int, long, to};
use base::ObjectId;
use proptest::prelude::*;
use render::{KnownValue, RenderLimits, RenderedNode, node, raw_node, text};

const CLASSES: &[&str] = &[
    "demo/Node",
    "demo/MyList < java/util/ArrayList",
    "java/util/ArrayList",
    "java/util/LinkedList",
    "java/util/ArrayDeque",
    "java/util/ArrayList$SubList",
    "java/util/AbstractList$SubList",
    "java/util/ImmutableCollections$SubList",
    "java/util/ReverseOrderListView",
    "java/util/LinkedList$ReverseOrderLinkedListView < java/util/LinkedList",
    "java/util/LinkedHashMap$ReversedLinkedHashMapView",
    "java/util/Collections$UnmodifiableCollection",
    "java/util/Collections$CopiesList",
    "java/util/HashMap",
    "java/util/LinkedHashMap < java/util/HashMap",
    "java/util/TreeMap",
    "java/util/TreeMap$DescendingSubMap < java/util/TreeMap$NavigableSubMap",
    "java/util/IdentityHashMap",
    "java/util/EnumMap",
    "java/util/JumboEnumSet",
    "java/util/BitSet",
    "java/util/concurrent/ConcurrentHashMap",
    "java/util/concurrent/ConcurrentSkipListMap",
    "java/util/concurrent/LinkedBlockingQueue",
    "java/util/Properties < java/util/Hashtable",
    "java/util/WeakHashMap",
    "java/util/HashMap$KeySet",
    "java/util/LinkedHashMap$LinkedValues",
    "java/util/HashSet",
    "java/util/TreeSet",
    "java/util/Optional",
    "java/util/concurrent/atomic/AtomicReference",
    "java/lang/StringBuilder < java/lang/AbstractStringBuilder",
    "java/math/BigInteger",
    "java/math/BigDecimal",
    "java/time/ZonedDateTime",
    "java/time/Duration",
    "java/util/UUID",
];

const FIELDS: &[&str] = &[
    "elementData",
    "size",
    "first",
    "item",
    "next",
    "elements",
    "head",
    "tail",
    "root",
    "offset",
    "base",
    "c",
    "n",
    "element",
    "table",
    "key",
    "value",
    "after",
    "left",
    "right",
    "m",
    "fromStart",
    "toEnd",
    "vals",
    "keyUniverse",
    "universe",
    "words",
    "wordsInUse",
    "hash",
    "val",
    "node",
    "map",
    "this$0",
    "reversed",
    "referent",
    "count",
    "coder",
    "signum",
    "mag",
    "intCompact",
    "intVal",
    "scale",
    "dateTime",
    "zone",
    "seconds",
    "nanos",
    "mostSigBits",
    "list",
];

/// What a place holds: a reference to the object of that number, or a small or extreme number.
fn place(objects: u32) -> impl Strategy<Value = KnownValue> {
    prop_oneof![
        4 => (1..=objects).prop_map(|id| to(ObjectId(id))),
        2 => (-1..40i32).prop_map(int),
        1 => Just(int(i32::MAX)),
        1 => Just(int(i32::MIN)),
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(-1), Just(5)].prop_map(long),
        1 => Just(NULL),
        1 => Just(UNKNOWN),
        1 => Just(boxed(3)),
    ]
}

fn size(node: &RenderedNode) -> usize {
    1 + node.children.iter().map(|child| size(&child.node)).sum::<usize>()
}

fn check_depth(node: &RenderedNode, depth: usize, elements: usize) {
    assert!(depth > 0 || node.children.is_empty());
    // An object of a subclass has its own fields beside the elements.
    assert!(node.children.len() <= elements + FIELDS.len());
    node.children.iter().for_each(|child| check_depth(&child.node, depth - 1, elements));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rendering_any_heap_ends_within_the_limits(
        objects in prop::collection::vec((0..CLASSES.len() + 3, prop::collection::vec(place(12), FIELDS.len())), 12)
    ) {
        let mut heap = FakeHeap::default();
        for (class, places) in objects {
            match CLASSES.get(class) {
                Some(class) => {
                    let fields: Vec<_> = FIELDS.iter().copied().zip(places).collect();
                    heap.object(class, &fields);
                }
                None => {
                    heap.objects(places);
                }
            }
        }
        let limits = RenderLimits { depth: 2, elements: 5, string: 20, width: 100, named: false };
        for id in 1..=12 {
            let line = text(&heap, to(ObjectId(id)), "", &limits);
            // Past the width only the part that was begun is ended, and brackets are closed.
            prop_assert!(line.chars().count() < 100 + 400, "{line}");
            for tree in [
                node(&heap, to(ObjectId(id)), "", &limits),
                raw_node(&heap, to(ObjectId(id)), "", &limits),
            ] {
                check_depth(&tree, 2, 5);
                prop_assert!(size(&tree) <= 10_001);
            }
        }
    }
}

#[test]
fn a_large_table_of_tables_is_cut_as_a_whole() {
    let mut heap = FakeHeap::default();
    let row = heap.array("[I", (0..100).map(int));
    let plane = heap.objects(vec![to(row); 100]);
    let cube = heap.objects(vec![to(plane); 100]);
    let tree = node(&heap, to(cube), "", &RenderLimits::node());
    assert!(size(&tree) <= 10_001);
    assert!(tree.cut.is_some());
}
