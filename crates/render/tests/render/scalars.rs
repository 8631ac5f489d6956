//! Objects that stand for one value, by the fields that JDK 17 and 25 give them.

use base::{ObjectId, Value};
use render::{KnownValue, RenderLimits, ValueKind, node, text};

use crate::heap::{FakeHeap, NULL, UNKNOWN, boxed, int, long, to};

fn shown(heap: &FakeHeap, object: ObjectId) -> String {
    text(heap, to(object), "", &RenderLimits::default())
}

fn bytes(heap: &mut FakeHeap, bytes: &[u8]) -> KnownValue {
    to(heap.array("[B", bytes.iter().map(|&byte| int(i32::from(byte as i8)))))
}

#[test]
fn a_builder_shows_its_content() {
    const BUILDER: &str = "java/lang/StringBuilder < java/lang/AbstractStringBuilder";
    let mut heap = FakeHeap::default();
    let latin = bytes(&mut heap, b"h\xe4llo\0\0\0");
    let wide = bytes(&mut heap, &[0x3d, 0xd8, 0x00, 0xde, b'!', 0, 9, 9]);
    let long = bytes(&mut heap, &[b'x'; 500]);
    let hole = to(heap.array("[B", [int(97), UNKNOWN]));
    for (value, coder, count, expected) in [
        (latin, 0, 5, "\"hällo\""),
        (wide, 1, 3, "\"😀!\""),
        (UNKNOWN, 0, 0, "\"\""),
        (long, 0, 500, &format!("\"{}\"… (500 chars)", "x".repeat(200))),
        (hole, 0, 1, "\"a\""),
        (hole, 0, 2, "StringBuilder@10 (content unknown: a library had it in hand)"),
        (UNKNOWN, 0, 3, "StringBuilder@11 (content unknown: a library had it in hand)"),
        (latin, 0, 100, "StringBuilder@12 (content unknown: a library had it in hand)"),
    ] {
        let fields = [("value", value), ("coder", int(coder)), ("count", int(count))];
        let builder = heap.object(BUILDER, &fields);
        assert_eq!(shown(&heap, builder), expected);
    }
}

#[test]
fn numbers_and_atomics_show_their_value() {
    let mut heap = FakeHeap::default();
    let mag = to(heap.array("[I", [int(1), int(0), int(-1)]));
    let big = to(heap.object("java/math/BigInteger", &[("signum", int(-1)), ("mag", mag)]));
    let words = to(heap.array("[J", [long(0b100101), long(1)]));
    let point = to(heap.record("demo/Point", &[("x:I", int(1))]));
    for (class, fields, expected) in [
        ("java/math/BigInteger", vec![("signum", int(0)), ("mag", UNKNOWN)], "0"),
        ("java/math/BigInteger", vec![("signum", int(-1)), ("mag", mag)], "-18446744078004518911"),
        ("java/math/BigDecimal", vec![("intCompact", long(-12345)), ("scale", int(2))], "-123.45"),
        (
            "java/math/BigDecimal",
            vec![("intCompact", long(i64::MIN)), ("intVal", big), ("scale", int(1))],
            "-1844674407800451891.1",
        ),
        ("java/util/concurrent/atomic/AtomicInteger", vec![("value:I", int(7))], "7"),
        ("java/util/concurrent/atomic/AtomicLong", vec![("value:J", long(-7))], "-7"),
        ("java/util/concurrent/atomic/AtomicBoolean", vec![("value:I", int(1))], "true"),
        ("java/util/concurrent/atomic/AtomicReference", vec![("value", point)], "Point[x=1]"),
        ("java/util/concurrent/atomic/AtomicReference", vec![("value", NULL)], "null"),
        ("java/util/concurrent/atomic/AtomicLongArray", vec![("array", words)], "[37, 1]"),
        ("java/util/BitSet", vec![("words", words), ("wordsInUse", int(2))], "{0, 2, 5, 64}"),
        ("java/util/BitSet", vec![("words", UNKNOWN), ("wordsInUse", int(0))], "{}"),
        (
            "java/util/UUID",
            vec![
                ("mostSigBits", long(0x0123_4567_89ab_cdef)),
                ("leastSigBits", long(0xfedc_ba98_7654_3210_u64 as i64)),
            ],
            "01234567-89ab-cdef-fedc-ba9876543210",
        ),
        ("java/util/Optional", vec![("value", boxed(3))], "Optional[3]"),
        ("java/util/Optional", vec![("value", NULL)], "Optional.empty"),
        ("java/util/OptionalInt", vec![("isPresent", int(1)), ("value", int(3))], "OptionalInt[3]"),
        ("java/util/OptionalDouble", vec![("isPresent", int(0))], "OptionalDouble.empty"),
    ] {
        let object = heap.object(class, &fields);
        assert_eq!(shown(&heap, object), expected, "{class}");
    }
}

#[test]
fn dates_and_times_are_made_of_their_halves() {
    let mut heap = FakeHeap::default();
    let date = [("year", int(2024)), ("month", int(2)), ("day", int(29))];
    let date = to(heap.object("java/time/LocalDate", &date));
    let time = [("hour", int(9)), ("minute", int(5)), ("second", int(0)), ("nano", int(0))];
    let time = to(heap.object("java/time/LocalTime", &time));
    let both = to(heap.object("java/time/LocalDateTime", &[("date", date), ("time", time)]));
    let offset = to(heap.object("java/time/ZoneOffset", &[("totalSeconds", int(3600))]));
    let id = heap.string("Europe/Paris");
    let paris = to(heap.object("java/time/ZoneRegion", &[("id", id)]));
    let zoned = |zone| [("dateTime", both), ("offset", offset), ("zone", zone)];
    let zoned = [
        to(heap.object("java/time/ZonedDateTime", &zoned(paris))),
        to(heap.object("java/time/ZonedDateTime", &zoned(offset))),
    ];
    for (object, expected) in [
        (date, "2024-02-29"),
        (both, "2024-02-29T09:05"),
        (zoned[0], "2024-02-29T09:05+01:00[Europe/Paris]"),
        (zoned[1], "2024-02-29T09:05+01:00"),
    ] {
        assert_eq!(text(&heap, object, "", &RenderLimits::default()), expected);
    }
}

#[test]
fn a_scalar_of_unknown_value_goes_by_its_name() {
    let mut heap = FakeHeap::default();
    for class in ["java/time/LocalDate", "java/math/BigInteger", "java/util/UUID"] {
        let object = heap.object(class, &[("year", KnownValue::Unknown)]);
        let node = node(&heap, Value::Object(object), "", &RenderLimits::node());
        let name = format!("{}@{}", render::short_name(class), object.0);
        let text = format!("{name} (content unknown: not seen by then)");
        assert_eq!((node.text, node.kind, node.unknown), (text, ValueKind::Scalar, true));
    }
}
