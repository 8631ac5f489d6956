//! Slices of real recordings: against a slow reading of all dependences, and where the examples go wrong.

use std::collections::BTreeSet;
use std::fs;

use analysis::slice::{Criterion, Cut, Element, Slice, SliceLimits, Tie, chop, slice, within, writers};
use index::Evidence;
use past::{CallId, Location, Past, Position, Value};

use crate::debuggee::{Openable, Program, Recorded, check_all, jdk17, jdks, root};
use crate::shadow::{Shadow, shadow};

const ALL: SliceLimits = SliceLimits { elements: usize::MAX, events: u64::MAX, control: true };

/// Programs whose values no library holds.
const COMPARED: [(&str, &str); 9] = [
    ("slices", "Flow"),
    ("slices", "Thrown"),
    ("slices", "Shared"),
    ("slices", "Far"),
    ("examples", "SumNumbers"),
    ("examples", "BottomUpMergeSort"),
    ("examples", "MergeSortMissing"),
    ("examples", "Castling"),
    ("examples", "Cancelling"),
];
/// With more criteria than these, only those of the outermost calls are compared.
const MANY: usize = 5000;

fn recorded(group: &str, name: &str) -> (Recorded, Past) {
    let (_, recorded) = Program::new(group, &[name]).record(&jdk17(), &[]);
    let past = recorded.past();
    (recorded, past)
}

#[test]
fn slices_equal_a_slow_reading_of_all_dependences() {
    check_all(&jdks(), |jdk| {
        let mut faults = Vec::new();
        for (group, name) in COMPARED {
            let (_, recorded) = Program::new(group, &[name]).record(jdk, &[]);
            let past = recorded.past();
            let shadow = shadow(&past);
            assert!(shadow.criteria.len() > 5, "{name}");
            let few = shadow.criteria.len() <= MANY;
            for &(position, depth) in shadow.criteria.iter().filter(|(_, depth)| few || *depth == 1) {
                for control in [true, false] {
                    faults.extend(difference(&past, &shadow, position, control).map(|text| {
                        format!(
                            "{name} on {}, event {} at depth {depth}: {text}",
                            jdk.version, position.ordinal
                        )
                    }));
                }
            }
        }
        faults.truncate(5);
        (!faults.is_empty()).then(|| faults.join("\n"))
    });
}

fn difference(past: &Past, shadow: &Shadow<'_>, position: Position, control: bool) -> Option<String> {
    let limits = SliceLimits { control, ..ALL };
    let found = slice(past, &Criterion::Event(position), &limits).unwrap();
    let (elements, ties) = shadow.slice(position, control);
    let own: BTreeSet<Position> = found.elements.iter().map(|element| element.position).collect();
    let own_ties: BTreeSet<(Position, Position, Tie)> = found
        .elements
        .iter()
        .flat_map(|element| {
            element
                .explains
                .iter()
                .map(|&(by, tie)| (element.position, found.elements[by as usize].position, tie))
        })
        .filter(|(_, _, tie)| *tie != Tie::Start)
        .collect();
    let lists = |more: &BTreeSet<Position>, less: &BTreeSet<Position>| {
        more.difference(less).map(|at| at.ordinal).take(5).collect::<Vec<_>>()
    };
    if own != elements {
        return Some(format!("missing {:?}, too many {:?}", lists(&elements, &own), lists(&own, &elements)));
    }
    let odd = own_ties.symmetric_difference(&ties).next();
    odd.map(|(cause, effect, tie)| format!("{} -> {} {tie:?}", cause.ordinal, effect.ordinal))
}

fn line(past: &Past, element: &Element) -> u32 {
    element.site.and_then(|site| past.source_line(site).line).unwrap_or(0)
}

/// Lines of a slice, ascending.
fn lines(past: &Past, elements: &[Element]) -> BTreeSet<u32> {
    elements.iter().map(|element| line(past, element)).collect()
}

/// The number of the line of a source that has this text.
fn line_with(source: &str, text: &str) -> u32 {
    let content = fs::read_to_string(root().join(source)).unwrap();
    content.lines().position(|line| line.contains(text)).unwrap() as u32 + 1
}

fn call(past: &Past, name: &str) -> CallId {
    past.find_call(name).unwrap()
}

#[test]
fn the_slice_of_the_wrong_sum_has_the_wrong_start_and_not_what_never_ran() {
    let (_recorded, past) = recorded("examples", "SumNumbers");
    let source = "examples/SumNumbers.java";
    let sum = call(&past, "SumNumbers.sumNumbers#1");
    let found = slice(&past, &Criterion::Result(sum), &SliceLimits::default()).unwrap();
    assert_eq!((found.cut, found.unknown.len()), (None, 0));
    let lines_found = lines(&past, &found.elements);
    for text in ["int at = 1;", "while (at < numbers.length)", "which.equals(\"odd\")", "at++"] {
        assert!(lines_found.contains(&line_with(source, text)), "{text}: {lines_found:?}");
    }
    // `even` was compared on the way, but decided on nothing that ran.
    let never = line_with(source, "which.equals(\"even\")") + 1;
    assert!(!lines_found.contains(&never) && !lines_found.contains(&(never - 1)), "{lines_found:?}");
    // The same within the call, by both ways.
    let own = within(&past, &found, sum);
    let (chopped, cut) = chop(&past, sum, &Criterion::Result(sum), &SliceLimits::default()).unwrap();
    assert_eq!(cut, None);
    assert_eq!(
        own.iter().map(|one| one.position).collect::<Vec<_>>(),
        chopped.iter().map(|one| one.position).collect::<Vec<_>>()
    );
    assert!(lines(&past, &own).contains(&line_with(source, "int at = 1;")));
    assert!(own.iter().all(|element| element.call == sum) && own.is_sorted_by_key(|element| element.time));
}

#[test]
fn a_wrong_element_leads_to_the_line_that_wrote_it_and_the_loop_that_let_it() {
    let (_recorded, past) = recorded("examples", "BottomUpMergeSort");
    let source = "examples/BottomUpMergeSort.java";
    let sort = past.call(call(&past, "BottomUpMergeSort.sort#1")).unwrap();
    let Value::Object(array) = sort.args[0].value else { panic!("{:?}", sort.args) };
    let location = Location::Element { array, index: 2 };
    let found =
        slice(&past, &Criterion::Location(location.clone(), sort.exit), &SliceLimits::default()).unwrap();
    let first = &found.elements[0];
    assert_eq!(first.location, Some(location.clone()));
    assert_eq!(first.explains, [(0, Tie::Start)]);
    let guilty = line_with(source, "a[r++] = left[l++]");
    assert_eq!(line(&past, first), guilty);
    assert!(lines(&past, &found.elements).contains(&(guilty - 1)), "the loop around it");
    assert!(found.elements.is_sorted_by_key(|element| std::cmp::Reverse(element.time)));
    // The value came from `merge`, which got it from `distribute`, and so on back to `main`.
    let names: Vec<String> =
        writers(&past, &location, sort.exit, 100).unwrap().iter().map(|&call| past.call_name(call)).collect();
    assert!(names[0].starts_with("BottomUpMergeSort.merge#"), "{names:?}");
    assert!(names[1].starts_with("BottomUpMergeSort.distribute#"), "{names:?}");
    assert_eq!(names.last().map(String::as_str), Some("BottomUpMergeSort.main#1"), "{names:?}");
    assert_eq!(writers(&past, &location, sort.exit, 1).unwrap().len(), 1);
}

/// Statics of `Held` with lines that must and must not be in their slice.
const HELD: [(&str, &[&str], &[&str]); 6] = [
    // What was added before says where something is, but not what it is.
    (
        "heaviest",
        &["new Item(5)", "items.add(light)", "items.add(heavy)", "items.get(1)"],
        &["new Item(1)", "names.put(\"one\""],
    ),
    ("count", &["items.add(light)", "items.add(heavy)", "items.size()"], &["names.put", "new Item(1)"]),
    ("name", &["names.put(\"one\"", "names.get"], &["names.put(\"two\"", "items.add(light)"]),
    ("text", &["builder.append(count)", "append('-')", "split", "second ="], &["names.put(\"one\""]),
    ("looked", &["item : items", "items.add(heavy)", "this.weight", "new Item(5)"], &["names.put(\"one\""]),
    ("sorted", &["{3, 1, 2}", "Arrays.sort"], &["split"]),
];

#[test]
fn what_libraries_held_leads_to_who_put_it_in() {
    let (_recorded, past) = recorded("slices", "Held");
    let source = "fixtures/slices/Held.java";
    let end = past.last_time().unwrap();
    for (name, with, without) in HELD {
        let location = past.find_location(&format!("Held.{name}"), Some(end)).unwrap();
        let found = slice(&past, &Criterion::Location(location, end), &SliceLimits::default()).unwrap();
        assert_eq!((found.cut, found.unknown.len()), (None, 0), "{name}");
        let lines = lines(&past, &found.elements);
        for text in with {
            assert!(lines.contains(&line_with(source, text)), "{name}: {text}: {lines:?}");
        }
        for text in without {
            assert!(!lines.contains(&line_with(source, text)), "{name}: not {text}: {lines:?}");
        }
    }
}

#[test]
fn a_write_of_another_thread_is_found_and_what_comes_from_outside_is_marked() {
    let (_recorded, past) = recorded("slices", "Shared");
    let source = "fixtures/slices/Shared.java";
    let main = past.call(call(&past, "Shared.main#1")).unwrap();
    let consumed = call(&past, "Shared.consume#1");
    let taken = past.changes(consumed, 10).list.into_iter().map(|change| change.location);
    let taken = taken.into_iter().find(|one| past.location_name(one).contains("taken")).unwrap();
    let found = slice(&past, &Criterion::Location(taken, main.exit), &ALL).unwrap();
    let threads: BTreeSet<_> = found.elements.iter().map(|element| element.position.stream).collect();
    assert_eq!(threads.len(), 2);
    // Back to who started the thread, and what it was given to run.
    let way = [
        "taken = box * 2",
        "box = made",
        "int made = input + 1",
        "input = 20",
        "other.start()",
        "new Thread(",
    ];
    for text in way {
        assert!(lines(&past, &found.elements).contains(&line_with(source, text)), "{text}");
    }
    let args = Location::Local { call: main.id, name: "args".to_owned() };
    let outside = slice(&past, &Criterion::Location(args, main.exit), &ALL).unwrap();
    let ends = (outside.elements.len(), outside.unknown.len() + outside.outside.len());
    assert_eq!(ends, (1, 1), "{outside:?}");
}

#[test]
fn a_location_that_was_never_written_comes_from_its_object_or_is_unknown() {
    let (_recorded, past) = recorded("slices", "Flow");
    let end = past.last_time().unwrap();
    let untouched = past.find_location("Flow@1.wide[2]", Some(end)).unwrap();
    let found = slice(&past, &Criterion::Location(untouched, end), &ALL).unwrap();
    assert_eq!(line(&past, &found.elements[0]), line_with("fixtures/slices/Flow.java", "new long[3]"));
    let nobody = Location::Element { array: past::ObjectId(0x7000_0000), index: 0 };
    let found = slice(&past, &Criterion::Location(nobody, end), &ALL).unwrap();
    assert_eq!((found.elements.len(), found.unknown.len()), (0, 1));
    let nowhere = CallId { stream: past::StreamId(77), index: 5 };
    assert!(slice(&past, &Criterion::Result(nowhere), &ALL).is_err());
}

#[test]
fn a_slice_is_cut_at_its_limits_and_says_so() {
    let (_recorded, past) = recorded("slices", "Far");
    let main = call(&past, "Far.main#1");
    let of = |limits: SliceLimits| -> Slice {
        let spin = call(&past, "Far.spin#1");
        let last = past.index().call(spin).unwrap().exit - 1;
        let criterion = Criterion::Event(Position { stream: main.stream, ordinal: last });
        slice(&past, &criterion, &limits).unwrap()
    };
    let few = of(SliceLimits { elements: 10, ..ALL });
    assert_eq!((few.elements.len(), few.cut), (10, Some(Cut::Elements)));
    let short = of(SliceLimits { events: 70_000, ..ALL });
    assert_eq!(short.cut, Some(Cut::Events));
    let all = of(ALL);
    assert!(all.cut.is_none() && all.elements.len() > short.elements.len());
    assert_eq!(
        all.elements[..10].iter().map(|one| one.position).collect::<Vec<_>>(),
        few.elements.iter().map(|one| one.position).collect::<Vec<_>>()
    );
}
