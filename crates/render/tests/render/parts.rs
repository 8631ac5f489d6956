//! The parts of an object a window at a time: the same parts as in the tree, each where it says that it lies.

use base::Value;
use render::{Heap, Home, KnownValue, RenderLimits, node, parts, raw_node};

use crate::collections::{array_list, chain, hash_map, items};
use crate::heap::{FakeHeap, int};

fn at_home(heap: &FakeHeap, home: Home) -> KnownValue {
    let named = |object, wanted: &str| heap.fields(object).into_iter().find(|field| field.name == wanted);
    match home {
        Home::Element(array, index) => heap.element(array, index),
        Home::Field(object, name) => named(object, name).map_or(KnownValue::Unknown, |field| field.value),
        Home::Own(object, at) => heap.fields(object)[at].value,
    }
}

#[test]
fn a_window_has_the_parts_of_the_tree_and_says_where_they_lie() {
    let mut heap = FakeHeap::default();
    let plain = heap.object("demo/Point", &[("x", int(1)), ("y", int(2)), ("z", int(3))]);
    let array = heap.array("[I", [4, 5, 6, 7].map(int));
    let list = array_list(&mut heap, &[3, 4, 5, 6, 7, 8]);
    let first = chain(&mut heap, "java/util/LinkedList$Node", "next", &items(&[1, 2, 3, 4]));
    let linked = heap.object("java/util/LinkedList", &[("first", first), ("size:I", int(4))]);
    let map = hash_map(&mut heap, 3, &[&[("one", 1)], &[], &[("two", 2), ("three", 3)]]);
    let cases = [
        (array, false, 4),
        (list, false, 6),
        (list, true, 2),
        (linked, false, 4),
        (map, false, 3),
        (map, true, 2),
        (plain, false, 3),
    ];
    let limits = RenderLimits { elements: 100, ..RenderLimits::node() };
    for (object, raw, total) in cases {
        let whole = if raw { raw_node } else { node }(&heap, Value::Object(object), "", &limits);
        let labels: Vec<&str> = whole.children.iter().map(|child| child.label.as_str()).collect();
        assert_eq!(labels.len(), total, "{}", heap.name(object));
        for skip in 0..=total {
            let window = parts(&heap, object, skip, 2, raw);
            assert_eq!(window.total, total as u64);
            let end = (skip + 2).min(total);
            let shown: Vec<&str> = window.list.iter().map(|part| part.label.as_str()).collect();
            assert_eq!(shown, labels[skip..end], "{} from {skip}", heap.name(object));
            for part in window.list {
                let home = part.home.unwrap_or_else(|| panic!("{} has no home", part.label));
                assert_eq!(at_home(&heap, home), part.value, "{}", part.label);
            }
        }
    }
}
