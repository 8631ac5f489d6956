//! What collections hold as values: all of it, or nothing.

use base::ObjectId;
use render::{CollectionContent, Items, KnownValue, held, wrapped};

use crate::collections::{array_list, chain, hash_map, items};
use crate::heap::{FakeHeap, NULL, UNKNOWN, boxed, boxes, int, to};

fn elements(values: &[i32]) -> Option<CollectionContent> {
    let items = Items::Elements(boxes(values.iter().copied()));
    Some(CollectionContent { items, natural: true })
}

fn pairs_of(heap: &FakeHeap, object: ObjectId) -> Option<Vec<(KnownValue, KnownValue)>> {
    match held(heap, object, 10)?.items {
        Items::Pairs(pairs) => Some(pairs),
        Items::Elements(_) => None,
    }
}

#[test]
fn elements_and_pairs_are_given_in_the_order_of_java() {
    let mut heap = FakeHeap::default();
    let list = array_list(&mut heap, &[1, 2, 3]);
    assert_eq!(held(&heap, list, 10), elements(&[1, 2, 3]));
    let first = chain(&mut heap, "java/util/LinkedList$Node", "next", &items(&[4, 5]));
    let linked = heap.object("java/util/LinkedList", &[("first", first), ("size", int(2))]);
    assert_eq!(held(&heap, linked, 10), elements(&[4, 5]));
    let map = hash_map(&mut heap, 3, &[&[("b", 2)], &[], &[("a", 1), ("c", 3)]]);
    let values = pairs_of(&heap, map).map(|pairs| pairs.into_iter().map(|(_, value)| value).collect());
    assert_eq!(values, Some(boxes([2, 1, 3])));
    let entries = heap.object("java/util/HashMap$EntrySet", &[("this$0", to(map))]);
    assert_eq!(pairs_of(&heap, entries), pairs_of(&heap, map));
    let nothing = heap.object("java/util/Optional", &[("value", NULL)]);
    assert_eq!(held(&heap, nothing, 10), elements(&[]));
    let number = heap.object("java/util/OptionalInt", &[("isPresent", int(1)), ("value", boxed(7))]);
    assert_eq!(held(&heap, number, 10), elements(&[7]));
}

#[test]
fn what_is_unknown_or_too_much_is_not_given_in_part() {
    let mut heap = FakeHeap::default();
    let list = array_list(&mut heap, &[1, 2, 3]);
    assert_eq!(held(&heap, list, 3), elements(&[1, 2, 3]));
    assert_eq!(held(&heap, list, 2), None);
    let data = heap.objects([boxed(1), UNKNOWN]);
    let gapped = heap.object("java/util/ArrayList", &[("elementData", to(data)), ("size", int(2))]);
    assert_eq!(held(&heap, gapped, 10), None);
    let table = heap.array("[Ljava/util/HashMap$Node;", [UNKNOWN]);
    let map = heap.object("java/util/HashMap", &[("table", to(table)), ("size", int(1))]);
    assert_eq!(held(&heap, map, 10), None);
    let plain = heap.object("demo/Point", &[("x", int(1))]);
    assert_eq!(held(&heap, plain, 10), None);
}

#[test]
fn an_order_by_a_comparator_is_told() {
    let mut heap = FakeHeap::default();
    let comparator = to(heap.object("demo/ByLength", &[]));
    for (by, natural) in [(NULL, true), (comparator, false), (UNKNOWN, false)] {
        let tree = [("root", NULL), ("size", int(0)), ("comparator", by)];
        let map = heap.object("java/util/TreeMap", &tree);
        assert_eq!(held(&heap, map, 10).map(|held| held.natural), Some(natural));
        let set = heap.object("java/util/TreeSet", &[("m", to(map))]);
        assert_eq!(held(&heap, set, 10).map(|held| held.natural), Some(natural));
        let queue = heap.object("java/util/PriorityQueue", &[("size", int(0)), ("comparator", by)]);
        assert_eq!(held(&heap, queue, 10).map(|held| held.natural), Some(natural));
    }
}

#[test]
fn wrappers_are_not_looked_through() {
    let mut heap = FakeHeap::default();
    let list = array_list(&mut heap, &[1]);
    let classes = "java/util/Collections$UnmodifiableList < java/util/Collections$UnmodifiableCollection";
    let wrapper = heap.object(classes, &[("c", to(list)), ("list", to(list))]);
    assert_eq!(held(&heap, wrapper, 10), None);
    assert_eq!(wrapped(&heap, wrapper), Some(to(list)));
    assert_eq!(wrapped(&heap, list), None);
}
