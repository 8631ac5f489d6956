//! The renderer against the JDK itself: objects of a real JVM, field by field, have to read as they print themselves.

use std::process::Command;

use base::{ObjectId, Value};
use render::{KnownValue, RenderLimits, text};
use testkit::{Jdk, classes, left_out};

use crate::heap::{FakeHeap, NULL, UNKNOWN, int, long, to};

#[test]
fn objects_of_jdk_17_read_as_they_print_themselves() {
    compare("17");
}

#[test]
fn objects_of_jdk_25_read_as_they_print_themselves() {
    compare("25");
}

fn compare(jdk: &'static str) {
    let Some(jdk) = Jdk::find(jdk) else {
        return left_out(&format!("objects of JDK {jdk}"), "it is not installed");
    };
    let mut command = Command::new(jdk.java());
    for package in
        ["io", "lang", "lang.ref", "math", "net", "time", "util", "util.concurrent", "util.concurrent.atomic"]
    {
        command.args(["--add-opens", &format!("java.base/java.{package}=ALL-UNNAMED")]);
    }
    command.arg("-Dfile.encoding=UTF-8").arg("-Dstdout.encoding=UTF-8");
    let output = command.arg("-cp").arg(classes("layouts")).arg("Layouts").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = String::from_utf8(output.stdout).unwrap();
    let mut compared = 0;
    let mut different = Vec::new();
    for sample in output.split("sample\t").skip(1) {
        let (head, graph) = sample.split_once('\n').unwrap();
        let (class, printed) = head.split_once('\t').unwrap();
        let heap = heap_of(graph);
        let limits = RenderLimits { elements: 100, width: 10_000, ..RenderLimits::line() };
        let shown = text(&heap, to(ObjectId(1)), "", &limits);
        // Strings and chars have quotes in ours, and constants have their class.
        let shown = shown.replace(['"', '\''], "").replace("Color.", "");
        if shown != printed {
            different.push(format!("{class}\n  prints {printed}\n  shows  {shown}"));
        }
        compared += 1;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared > 500, "{compared} objects were compared");
}

fn heap_of(graph: &str) -> FakeHeap {
    let mut heap = FakeHeap::default();
    for line in graph.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts.as_slice() {
            ["array", class, elements @ ..] => {
                let elements: Vec<KnownValue> = elements.iter().map(|one| value(&mut heap, one)).collect();
                heap.array(class, elements);
            }
            ["object", classes, mark, fields @ ..] => {
                let mut named = Vec::new();
                for field in fields {
                    let [class, name, descriptor, value] = parts_of(field);
                    named.push((format!("{class}.{name}:{descriptor}"), self::value(&mut heap, value)));
                }
                let fields: Vec<(&str, KnownValue)> =
                    named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                match *mark {
                    "" => heap.object(classes, &fields),
                    "record" => heap.record(classes, &fields),
                    constant => heap.constant(classes, constant, &fields),
                };
            }
            other => panic!("{other:?}"),
        }
    }
    heap
}

fn parts_of(field: &str) -> [&str; 4] {
    field.splitn(4, '|').collect::<Vec<_>>().try_into().unwrap()
}

fn value(heap: &mut FakeHeap, text: &str) -> KnownValue {
    let (kind, content) = text.split_once(':').unwrap_or((text, ""));
    let number = || content.parse::<i64>().unwrap();
    match kind {
        "null" => NULL,
        "string" => heap.string(content),
        "int" => int(number() as i32),
        "long" => long(number()),
        "double" => KnownValue::Value(Value::Double(f64::from_bits(number() as u64))),
        "box int" => KnownValue::Value(Value::Box { kind: b'I', bits: number() as i32 }),
        "box long" => KnownValue::Value(Value::Box64 { kind: b'J', bits: number() }),
        "box double" => KnownValue::Value(Value::Box64 { kind: b'D', bits: number() }),
        "object" => to(ObjectId(number() as u32)),
        _ => UNKNOWN,
    }
}
