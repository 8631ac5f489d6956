//! Values, arrays and objects of the program: layout in, text out.

use crate::heap::{FakeHeap, NULL, UNKNOWN, boxes, int, to};
use base::{ObjectId, PendingId, StringId, Text, Value};
use render::{KnownValue, RenderLimits, RenderedNode, ValueKind, node, raw_node, text};

fn shown(heap: &FakeHeap, value: impl Into<KnownValue>) -> String {
    text(heap, value, "", &RenderLimits::default())
}

fn tree(heap: &FakeHeap, object: ObjectId) -> RenderedNode {
    node(heap, to(object), "", &RenderLimits::node())
}

/// Labels and texts of the children.
fn children(node: &RenderedNode) -> Vec<(&str, &str)> {
    node.children.iter().map(|child| (child.label.as_str(), child.node.text.as_str())).collect()
}

#[test]
fn values_read_as_in_source_code() {
    let heap = FakeHeap::default();
    for (value, descriptor, expected) in [
        (Value::Int(-3), "I", "-3"),
        (Value::Int(1), "Z", "true"),
        (Value::Int(0), "Z", "false"),
        (Value::Int(97), "C", "'a'"),
        (Value::Int(10), "C", "'\\n'"),
        (Value::Int(97), "", "97"),
        (Value::Long(1 << 40), "J", "1099511627776"),
        (Value::Float(0.5), "F", "0.5"),
        (Value::Double(1e10), "D", "1.0E10"),
        (Value::Null, "Ljava/lang/String;", "null"),
        (Value::Box { kind: b'I', bits: 7 }, "", "7"),
        (Value::Box { kind: b'Z', bits: 1 }, "", "true"),
        (Value::Box { kind: b'C', bits: 120 }, "", "'x'"),
        (Value::Box { kind: b'F', bits: 0x3f80_0000 }, "", "1.0"),
        (Value::Box64 { kind: b'J', bits: -1 }, "", "-1"),
        (Value::Box64 { kind: b'D', bits: 0x4000_0000_0000_0000 }, "", "2.0"),
        (Value::Pending(PendingId(4)), "", "new#4"),
        (Value::Str(StringId(99)), "", "?"),
    ] {
        assert_eq!(text(&heap, value, descriptor, &RenderLimits::default()), expected);
        assert_eq!(node(&heap, value, descriptor, &RenderLimits::node()).text, expected);
    }
    assert_eq!(shown(&heap, UNKNOWN), "?");
    assert!(node(&heap, UNKNOWN, "", &RenderLimits::node()).unknown);
    assert!(node(&heap, Value::Str(StringId(99)), "", &RenderLimits::node()).unknown);
}

#[test]
fn strings_are_quoted_and_cut_with_their_length() {
    let mut heap = FakeHeap::default();
    let (short, long) = (heap.string("it's \"ä\"\n"), heap.string(&"x".repeat(300)));
    let cut = heap.cut_string(Text { text: "begin".to_owned(), chars: 5000, cut: true });
    assert_eq!(shown(&heap, short), r#""it's \"ä\"\n""#);
    assert_eq!(shown(&heap, long), format!("\"{}\"… (300 chars)", "x".repeat(200)));
    assert_eq!(shown(&heap, cut), "\"begin\"… (5000 chars)");
}

#[test]
fn classes_enums_and_lambdas_go_by_their_names() {
    let mut heap = FakeHeap::default();
    let (class, level) = (heap.class("demo/Main$Point"), heap.class("java/time/DayOfWeek"));
    heap.library_constant(level, 1, "TUESDAY");
    let red = heap.constant("demo/Main$Color", "RED", &[("demo/Main$Color.rgb:I", int(255))]);
    let lambda = heap.lambda("Main.java:17");
    assert_eq!(shown(&heap, Value::Class(class)), "Point.class");
    assert_eq!(shown(&heap, Value::Enum { ty: level, ordinal: 1 }), "DayOfWeek.TUESDAY");
    assert_eq!(shown(&heap, Value::Enum { ty: level, ordinal: 5 }), "DayOfWeek.#5");
    assert_eq!(shown(&heap, to(red)), "Color.RED");
    assert_eq!(children(&tree(&heap, red)), [("rgb", "255")]);
    assert_eq!(shown(&heap, to(lambda)), "lambda at Main.java:17");
}

#[test]
fn arrays_are_lists_of_their_elements() {
    let mut heap = FakeHeap::default();
    let ints = heap.array("[I", [int(1), UNKNOWN, int(3)]);
    let chars = heap.array("[C", [int(104), int(105)]);
    let nested = heap.array("[[I", [to(ints), NULL]);
    let long = heap.array("[I", (0..120).map(int));
    let empty = heap.array("[I", []);
    let unknown = heap.array("[J", [UNKNOWN, UNKNOWN]);
    let lengthless = heap.object("[I", &[]);
    let limits = RenderLimits { elements: 3, ..RenderLimits::line() };
    assert_eq!(shown(&heap, to(ints)), "[1, ?, 3]");
    assert_eq!(shown(&heap, to(chars)), "['h', 'i']");
    assert_eq!(shown(&heap, to(nested)), "[[1, ?, 3], null]");
    assert_eq!(text(&heap, to(long), "[I", &limits), "[0, 1, 2, … 117 more]");
    assert_eq!(shown(&heap, to(empty)), "[]");
    assert_eq!(shown(&heap, to(unknown)), "long[]@6 (content unknown: not seen by then)");
    assert_eq!(shown(&heap, to(lengthless)), "int[]@7 (content unknown: not seen by then)");

    let tree = tree(&heap, long);
    assert_eq!((tree.kind, tree.children.len(), tree.cut), (ValueKind::Array, 100, Some(20)));
    assert!(tree.text.ends_with("18, 19, … 100 more]"), "{}", tree.text);
    assert_eq!(tree.children[99].label, "[99]");
}

#[test]
fn an_object_shows_its_fields_and_others_by_name() {
    let mut heap = FakeHeap::default();
    let leaf = heap.object("demo/Node", &[("key:I", int(1)), ("left", NULL), ("right", UNKNOWN)]);
    let root = heap.object("demo/Node", &[("key:I", int(3)), ("left", to(leaf)), ("right", NULL)]);
    let both = heap.objects([to(leaf), to(root)]);
    let owner = heap.object("demo/Graph", &[("nodes", to(both)), ("big:Z", int(1))]);
    let bare = heap.object("java/lang/Object", &[]);
    let dark = heap.object("demo/Dark", &[("x", UNKNOWN)]);
    assert_eq!(shown(&heap, to(root)), "Node@2{key=3, left=Node@1, right=null}");
    assert_eq!(
        shown(&heap, to(both)),
        "[Node@1{key=1, left=null, right=?}, Node@2{key=3, left=Node@1, right=null}]"
    );
    assert_eq!(shown(&heap, to(owner)), "Graph@4{nodes=[Node@1, Node@2], big=true}");
    assert_eq!(shown(&heap, to(bare)), "Object@5");
    assert_eq!(shown(&heap, to(dark)), "Dark@6");
    assert!(tree(&heap, dark).unknown);
    assert_eq!(
        children(&tree(&heap, root)),
        [("key", "3"), ("left", "Node@1{key=1, left=null, right=?}"), ("right", "null")]
    );
}

#[test]
fn a_hidden_field_is_told_from_the_one_that_hides_it() {
    let mut heap = FakeHeap::default();
    let object = heap.object("demo/Sub < demo/Base", &[("demo/Base.x", int(1)), ("demo/Sub.x", int(2))]);
    assert_eq!(shown(&heap, to(object)), "Sub@1{Base.x=1, x=2}");
}

#[test]
fn records_and_exceptions_read_as_they_print_themselves() {
    let mut heap = FakeHeap::default();
    let point = heap.record("demo/Main$Point", &[("x:I", int(1)), ("y:I", int(2))]);
    let line = heap.record("demo/Main$Line", &[("from", to(point)), ("to", UNKNOWN)]);
    let classes = "java/lang/IllegalStateException < java/lang/RuntimeException < java/lang/Throwable";
    let told = heap.exception(classes, Some("no\nway"), &[]);
    let mute = heap.exception("demo/MyError < java/lang/Throwable", None, &[("demo/MyError.code", int(7))]);
    assert_eq!(shown(&heap, to(line)), "Line[from=Point[x=1, y=2], to=?]");
    assert_eq!(shown(&heap, to(told)), "IllegalStateException: no\\nway");
    assert_eq!(shown(&heap, to(mute)), "MyError");
    assert_eq!(children(&tree(&heap, mute)), [("code", "7")]);
}

#[test]
fn an_object_inside_itself_is_shown_by_its_name() {
    let mut heap = FakeHeap::default();
    let node = heap.record("demo/Ring", &[("next", NULL)]);
    heap.set(node, "next", to(node));
    assert_eq!(shown(&heap, to(node)), "Ring[next=Ring@1]");
    let tree = tree(&heap, node);
    let next = &tree.children[0].node;
    assert_eq!((next.kind, next.object, next.children.len()), (ValueKind::Reference, Some(node), 0));
}

#[test]
fn what_lies_too_deep_is_shown_by_its_name() {
    let mut heap = FakeHeap::default();
    let empty = heap.array("[I", []);
    let mut inner = heap.array("[Ljava/lang/Object;", [int(1), to(empty)]);
    for _ in 0..3 {
        inner = heap.objects([to(inner)]);
    }
    assert_eq!(shown(&heap, to(inner)), "[[[Object[]@2]]]");
    let deeper = RenderLimits { depth: 4, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(inner), "", &deeper), "[[[[1, []]]]]");
    assert_eq!(text(&heap, to(inner), "", &RenderLimits { depth: 0, ..deeper }), "Object[]@5");

    let top = node(&heap, to(inner), "", &RenderLimits { depth: 1, ..RenderLimits::node() });
    let below = &top.children[0].node;
    assert_eq!((below.children.len(), below.cut), (0, Some(1)), "there is more to unfold");
}

#[test]
fn a_wide_line_ends_early_and_closes_its_brackets() {
    let mut heap = FakeHeap::default();
    let rows: Vec<KnownValue> =
        (0..10).map(|row| heap.objects(boxes(row * 10..row * 10 + 10))).map(to).collect();
    let table = heap.objects(rows);
    let limits = RenderLimits { width: 30, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(table), "", &limits), "[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], … 9 more]");
    let limits = RenderLimits { width: 12, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(table), "", &limits), "[[0, 1, 2, 3, … 6 more], … 9 more]");
}

#[test]
fn what_was_only_seen_is_marked() {
    let mut heap = FakeHeap::default();
    let array = heap.array("[I", [KnownValue::Seen(Value::Int(4)), int(5)]);
    let list = heap.object("java/util/Arrays$ArrayList", &[("a", KnownValue::Seen(Value::Object(array)))]);
    assert_eq!(shown(&heap, to(array)), "[4, 5]");
    let array = tree(&heap, array);
    assert_eq!(array.children.iter().map(|child| child.node.seen).collect::<Vec<_>>(), [true, false]);
    assert!(!array.seen);
    assert!(tree(&heap, list).seen);
}

#[test]
fn the_raw_form_has_the_plain_fields() {
    let mut heap = FakeHeap::default();
    let data = heap.objects([boxes([1])[0], NULL]);
    let list = heap.object("java/util/ArrayList", &[("elementData", to(data)), ("size:I", int(1))]);
    let raw = raw_node(&heap, to(list), "", &RenderLimits::node());
    assert_eq!(raw.text, "ArrayList@2{elementData=[1, null], size=1}");
    assert_eq!(children(&raw), [("elementData", "[1, null]"), ("size", "1")]);
    assert_eq!(tree(&heap, list).text, "[1]");
}

#[test]
fn what_is_shown_by_its_name_has_what_names_it_where_that_is_asked_for() {
    let mut heap = FakeHeap::default();
    let name = heap.string("ol");
    let long = heap.string("a title that nobody would read in passing");
    let tag = heap.object("demo/Tag", &[("block", int(1)), ("tagName", name)]);
    let page = heap.object("demo/Page", &[("title", long)]);
    let element = heap.object("demo/Element", &[("tag", to(tag)), ("page", to(page))]);
    let named = RenderLimits { named: true, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(element), "", &RenderLimits { depth: 0, ..named }), "Element@3");
    assert_eq!(text(&heap, to(tag), "", &RenderLimits { depth: 0, ..named }), "Tag@1{tagName=\"ol\"}");
    assert_eq!(text(&heap, to(page), "", &RenderLimits { depth: 0, ..named }), "Page@2");
    assert_eq!(text(&heap, to(tag), "", &RenderLimits { depth: 0, ..RenderLimits::line() }), "Tag@1");
}

#[test]
fn what_nobody_has_set_is_what_is_left_out() {
    let mut heap = FakeHeap::default();
    let fields: Vec<(&str, KnownValue)> =
        vec![("a", NULL), ("b", int(0)), ("c", int(0)), ("kept", int(7)), ("id", int(3))];
    let object = heap.object("demo/Token", &fields);
    let limits = RenderLimits { elements: 3, ..RenderLimits::line() };
    assert_eq!(text(&heap, to(object), "", &limits), "Token@1{id=3, kept=7, a=null, … 2 more}");
}
