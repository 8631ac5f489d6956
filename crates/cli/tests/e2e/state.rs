//! Programs say what Java itself sees of a variable, a field or a collection at marked moments; the recording, asked
//! for the same moment, must give the same. What it cannot know it may call unknown, but it must never say a wrong
//! value, and the unknown is counted.

use std::collections::BTreeMap;

use index::Evidence;
use past::{CallId, Ending, KnownValue, Past, Pointed, RenderLimits, Target, Value};

use crate::debuggee::{Jdk, Openable, Program, check_all, jdks};
use crate::traps::{Project, junit, record, standalone};

/// Each program, and how many of its answers may be unknown.
const PROGRAMS: [(&str, usize); 11] = [
    ("PlainStates", 8),
    ("ArrayStates", 0),
    ("CollectionStates", 0),
    ("ThreadStates", 0),
    ("ValueStates", 4),
    ("ConcurrentStates", 0),
    ("SubclassStates", 0),
    ("UnseenStates", 0),
    ("ReadStates", 10),
    ("MadeStates", 29),
    ("LibraryStates", 19),
];

const LIMITS: RenderLimits =
    RenderLimits { depth: 8, elements: 400, string: 1000, width: 100_000, named: false };

#[test]
fn the_state_at_any_marked_moment_is_what_the_program_saw() {
    let jdks = jdks();
    let cases: Vec<_> = jdks.iter().flat_map(|jdk| PROGRAMS.map(|program| (jdk, program))).collect();
    check_all(&cases, |&(jdk, (program, unknown))| check(jdk, program, unknown));
}

#[test]
fn no_write_is_lost() {
    check_all(&jdks(), |jdk| check(jdk, "LostStates", 2));
}

/// `fixtures/instances`: a framework has the tests' objects made, and writes to fields with annotations only.
#[test]
fn fields_of_tests_begin_with_zeros_unless_the_framework_may_have_set_them() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["instances"], &[&standalone]);
    let cases = [
        ("FiveTest.prepare#1", "count=0, name=null, never=null, folder=?"),
        ("FiveTest.works#1", "count=0, name=\"five\", never=null, folder=?"),
        ("FourTest.prepare#1", "given=?, count=0, name=null, never=null"),
        ("FourTest.used#1", "given=44, count=1, name=\"four\", never=null"),
        ("ThreeTest.setUp#1", "count=0, name=null, never=null"),
        ("ThreeTest.testWorks#1", "count=0, name=\"three\", never=null"),
    ];
    for jdk in jdks() {
        let past = record(&[], &junit(&jdk, &standalone, &project.classes())).past();
        for (call, fields) in cases {
            let id = past.find_call(call).unwrap();
            let info = past.call(id).unwrap();
            let this = text(&past, KnownValue::Value(info.receiver.unwrap()), "", info.entry);
            let class = call.split('.').next().unwrap();
            assert_eq!(this, format!("{class}@{{{fields}}}"), "{call} on JDK {}", jdk.version);
        }
        let used = past.call(past.find_call("FiveTest.used#1").unwrap()).unwrap();
        let this = text(&past, KnownValue::Value(used.receiver.unwrap()), "", used.entry);
        assert!(!this.contains('?'), "{this}");
    }
}

#[test]
fn a_call_read_and_changed_fields_that_a_library_declares() {
    for jdk in jdks() {
        let program = Program::new("state", &["LibraryStates"]).with_options(&["--exclude", "told"]);
        let past = program.record(&jdk, &[]).1.past();
        let call = |name: &str| past.find_call(&format!("LibraryStates${name}")).unwrap();
        let (read, _) = past.reads(call("Own.both#1"), 100);
        let read = read.iter().map(|one| (past.location_name(&one.location), one.value));
        let read: BTreeMap<String, Value> = read.collect();
        assert_eq!(read["LibraryStates$Own@1.x"], Value::Int(4), "{read:?}");
        let changed = |name| {
            let list = past.changes(call(name), 100).list.into_iter();
            let list = list.map(|one| (past.location_name(&one.location), (one.before, one.after)));
            list.collect::<BTreeMap<String, _>>()
        };
        let side = changed("Square.side#1");
        let width = (KnownValue::Unknown, KnownValue::Value(Value::Int(2)));
        assert_eq!(side["LibraryStates$Square@1.width"], width, "{side:?}");
        // It went to a library afterwards: what became of it is not known, but what was written is.
        let set = changed("Own.set#1");
        assert_eq!(set["LibraryStates$Own@1.x"], (KnownValue::Unknown, KnownValue::Unknown), "{set:?}");
        let lost = |name| {
            let list = past.changes(call(name), 100).list.into_iter();
            list.filter_map(|one| Some((past.location_name(&one.location), one.lost?)))
                .collect::<BTreeMap<_, _>>()
        };
        assert_eq!(lost("Own.set#1")["LibraryStates$Own@1.x"], Value::Int(4));
        // What is known afterwards is not lost; a name of two classes may be that of two fields.
        let side = lost("Square.side#1");
        assert_eq!(side, BTreeMap::from([("LibraryStates$Square@1.x".to_owned(), Value::Int(2))]));
        // What was only read is no change.
        assert!(!changed("Own.both#1").contains_key("LibraryStates$Own@1.x"));
    }
}

fn check(jdk: &Jdk, program: &str, may_be_unknown: usize) -> Option<String> {
    let (ran, recorded) =
        Program::new("state", &[program]).with_options(&["--exclude", "told"]).record(jdk, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let past = recorded.past();
    let marks = marks(&past);
    let mut faults = Vec::new();
    assert_eq!((past.index().meta().gaps, past.index().meta().unfiled), (0, 0));
    let mut unknown = Vec::new();
    let (mut lines, mut asked) = (0, 0);
    for line in ran.stdout.lines().filter_map(|line| line.strip_prefix("STATE ")) {
        lines += 1;
        let [number, path, expected] = line.splitn(3, '|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let Some(&mark) = marks.get(&number.parse().unwrap()) else {
            faults.push(format!("{line}: no such call"));
            continue;
        };
        for (what, answer) in answers(&past, program, mark, path) {
            asked += 1;
            let told = format!("{program} on JDK {}: {what} of mark {line}", jdk.version);
            match answer {
                Err(error) if error.contains("is not known") => unknown.push(format!("{told}: {error}")),
                Err(error) => faults.push(format!("{told}: {error}")),
                Ok(answer) if answer == expected => {}
                Ok(answer) if may_be(&answer, expected) => unknown.push(format!("{told}: {answer}")),
                Ok(answer) => faults.push(format!("{told}: {answer}")),
            }
        }
    }
    assert!(lines > 7 && lines == marks.len(), "{lines} lines, {} marks", marks.len());
    println!("CASES|values in `{program}`|{}|{asked}|{}|0|{}", jdk.version, unknown.len(), faults.len());
    unknown.iter().for_each(|one| println!("UNKNOWN|{one}"));
    if unknown.len() > may_be_unknown {
        faults.push(format!("{} answers are unknown:\n{}", unknown.len(), unknown.join("\n")));
    }
    (!faults.is_empty()).then(|| faults.join("\n"))
}

/// The calls that mark moments, by the number that each returned.
fn marks(past: &Past) -> BTreeMap<i32, CallId> {
    let mut marks = BTreeMap::new();
    let group = past.find_methods("Check.here").unwrap()[0];
    for rank in 0..past.index().count(group) {
        let id = past.index().ranked(group, rank).unwrap();
        let Ending::Returned(Some(Value::Int(number))) = past.index().call(id).unwrap().ending else {
            panic!("{} has no result", past.call_name(id));
        };
        assert!(marks.insert(number, id).is_none());
    }
    marks
}

/// What the recording says of the argument, and of the path, when the marking call was made.
fn answers(
    past: &Past,
    program: &str,
    mark: CallId,
    path: &str,
) -> Vec<(&'static str, Result<String, String>)> {
    let info = past.call(mark).unwrap();
    let argument = &info.args[1];
    let mut answers = vec![(
        "the argument",
        Ok(text(past, KnownValue::Value(argument.value), &argument.descriptor, info.entry)),
    )];
    if path == "-" {
        return answers;
    }
    let caller = info.parent.unwrap();
    assert!(matches!(past.index().call(caller).unwrap().target, Target::Method(_)));
    let is_static = path.starts_with(|first: char| first.is_uppercase());
    let place = if !is_static {
        format!("{}:{path}", past.call_name(caller))
    } else if path.starts_with(program) {
        path.to_owned()
    } else {
        format!("{program}.{path}")
    };
    let at_path = past.find_value(&place, Some(info.entry)).map_err(|error| error.to_string()).map(|found| {
        let (known, descriptor) = match &found {
            Pointed::Object(object) => (KnownValue::Value(Value::Object(*object)), String::new()),
            Pointed::Location(location) => (past.value_at(location, info.entry), past.descriptor(location)),
        };
        text(past, known, &descriptor, info.entry)
    });
    answers.push(("the path", at_path));
    answers
}

/// As the programs print it: without the numbers of objects.
fn text(past: &Past, known: KnownValue, descriptor: &str, time: past::Time) -> String {
    let text = past.known_text(known, descriptor, time, &LIMITS);
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('@') {
        plain.push_str(&rest[..=at]);
        rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    plain + rest
}

/// Is an answer right as far as it goes? A `?` stands for anything, and so does a name with `(content unknown: …)`.
fn may_be(answer: &str, expected: &str) -> bool {
    let mut pattern = String::new();
    let mut rest = answer;
    const UNKNOWN: &str = " (content unknown: ";
    while let Some(at) = rest.find(UNKNOWN) {
        let name = rest[..at].rfind([' ', '=', '{', '(']).map_or(0, |before| before + 1);
        let brackets = rest[name..].len() - rest[name..].trim_start_matches('[').len();
        let name = name + brackets;
        pattern.push_str(&rest[..name]);
        pattern.push('?');
        rest = &rest[at + UNKNOWN.len()..];
        rest = rest.split_once(')').map_or("", |(_, behind)| behind);
    }
    pattern.push_str(rest);
    // After an unknown element the number of elements is not known either.
    let pattern = pattern.replace(", ?", "?");
    if !pattern.contains('?') {
        return false;
    }
    let pieces: Vec<&str> = pattern.split('?').collect();
    let (first, last) = (pieces[0], pieces[pieces.len() - 1]);
    let Some(mut middle) = expected.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    pieces[1..pieces.len() - 1].iter().all(|piece| match middle.find(piece) {
        Some(at) => {
            middle = &middle[at + piece.len()..];
            true
        }
        None => false,
    })
}

#[test]
fn an_unknown_part_is_told_from_a_wrong_one() {
    for (answer, expected, may) in [
        ("[1, ?]", "[1, 2]", true),
        ("[1, ?]", "[2, 2]", false),
        ("ArrayList@ (content unknown: x)", "[1]", true),
        ("[int[][]@ (content unknown: x), 3]", "[[[1]], 3]", true),
        ("{a=ArrayList@ (content unknown: x), b=?}", "{a=[1, 2], b=3}", true),
        ("{a=ArrayList@ (content unknown: x), b=4}", "{a=[1, 2], b=3}", false),
        ("[1]", "[2]", false),
        ("[?, ?]", "[2]", true),
    ] {
        assert_eq!(may_be(answer, expected), may, "{answer} {expected}");
    }
}
