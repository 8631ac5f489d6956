//! Symptoms: what went wrong in a run, as `inquest symptoms` lists it, against suites and programs of which it is known
//! (`fixtures/symptoms`). Each case has the line that it must give: what was compared are values of the run.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use session::{SliceLimits, symptom_slice, symptoms};

use crate::debuggee::{Jdk, Openable, Recorded, inquest, jar, jdk17, jdks, run};
use crate::oracles::compiled;

/// Jars that tests are compiled and run with; none if one is missing.
fn jars(names: &[&str]) -> Option<Vec<PathBuf>> {
    names.iter().map(|name| jar(name)).collect()
}

fn path_of(entries: &[PathBuf]) -> String {
    entries.iter().map(|entry| entry.display().to_string()).collect::<Vec<_>>().join(":")
}

fn record(command: &[String]) -> Recorded {
    let recorded = Recorded::new();
    let mut record = inquest(&["record", "-q", "-o"]);
    let ran = run(record.arg(recorded.path()).arg("--").args(command), None);
    assert!(recorded.path().exists(), "{ran:?}");
    recorded
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn plain(jdk: &Jdk, arguments: &[&str]) -> Vec<String> {
    let classes = compiled("symptoms", "plain", &["plain"], Path::new("."));
    let mut command = vec![jdk.java().display().to_string()];
    command.extend(words(&["-ea", "-cp", &classes.display().to_string()]));
    command.extend(words(arguments));
    command
}

fn listed(dir: &Path, options: &[&str]) -> Vec<Value> {
    let mut command = inquest(&["symptoms", "--json"]);
    let ran = run(command.arg(dir).args(options), None);
    let code = if ran.stdout.trim() == "[]" { 1 } else { 0 };
    assert_eq!(ran.code, Some(code), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// `kind | test or call | text | file:line`
fn line(row: &Value) -> String {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let shown = row["test"].as_str().map_or_else(|| text("call"), str::to_owned);
    let place = match row["line"].as_u64() {
        Some(line) => format!("{}:{line}", text("file")),
        None => String::new(),
    };
    format!("{} | {shown} | {} | {place}", text("kind"), text("text"))
}

fn lines(rows: &[Value]) -> Vec<String> {
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.sort();
    lines
}

/// The lines that a table has, sorted as they are.
fn table(text: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    lines.sort();
    lines
}

const TESTS: &str = r#"
    assertion | OldestTest.testTotal | expected 6, was 5 | OldestTest.java:6
    expected-exception | OldestTest.testRefuses | expected IllegalArgumentException to be thrown, and nothing was | OldestTest.java:12
    assertion | OldTest.compares | expected "pears", was "pear" | OldTest.java:21
    assertion | OldTest.comparesArrays | expected [1, 2], was [1, 3] | OldTest.java:26
    assertion | OldTest.isTrue | expected true, was false | OldTest.java:31
    expected-exception | OldTest.shouldThrow | expected IllegalArgumentException to be thrown, and nothing was | OldTest.java:36
    expected-exception | OldTest.shouldThrowByRule | expected IllegalArgumentException to be thrown, and nothing was | OldTest.java:41
    expected-exception | OldTest.shouldThrowInCode | expected IllegalArgumentException to be thrown, and nothing was | OldTest.java:47
    assertion | OldTest.matches | expected 5, was 3 | OldTest.java:68
    assertion | OldTest.matchesAnItem | expected hasItem "plum", was ["apple", "pear"] | OldTest.java:73
    assertion | NewTest.compares | expected 9, was 5 | NewTest.java:24
    assertion | NewTest.withParameters(3) | expected 3, was 0 | NewTest.java:30
    assertion | NewTest.again | expected false, was true | NewTest.java:36
    assertion | NewTest.dynamic(8) | expected 8, was 0 | NewTest.java:41
    assertion | NewTest.checked | expected null, was ["apple", "pear"] | NewTest.java:50
    assertion | NewTest.all | expected 7, was 2 | NewTest.java:55
    expected-exception | NewTest.shouldThrow | expected IllegalArgumentException to be thrown, and nothing was | NewTest.java:60
    expected-exception | NewTest.shouldThrowAnother | expected IllegalStateException to be thrown, came IllegalArgumentException | NewTest.java:65
    null | NewTest.dereferencesNull | order.customer is null | Till.java:29
    index | NewTest.leavesTheArray | at is 3, out of range of customer.points with 3 elements | Till.java:33
    index | NewTest.leavesTheList | at is 0, out of range of order.items with 0 elements | Till.java:37
    assertion | NewTest$Inside.compares | expected 3, was 2 | NewTest.java:87
    assertion | FluentTest.equal | expected 3, was 2 | FluentTest.java:12
    assertion | FluentTest.contains | expected contains ["plum"], was ["apple", "pear"] | FluentTest.java:17
    assertion | FluentTest.part | expected "plum", was ["apple", "pear"] | FluentTest.java:22
    expected-exception | FluentTest.throwing | expected an exception, and nothing was thrown | FluentTest.java:27
    assertion | FluentTest.truth | expected 3, was 2 | FluentTest.java:32
    assertion | FluentTest.truthWithMessage | expected hasSize 3, was ["apple", "pear"] | FluentTest.java:37
"#;

fn tests(jdk: &Jdk) -> Option<Recorded> {
    let mut jars =
        jars(&["junit-platform-console-standalone", "assertj-core", "truth", "guava", "hamcrest"])?;
    let junit = jars[0].clone();
    let classes = compiled("symptoms", "tests", &["tests"], Path::new(&path_of(&jars)));
    jars[0] = classes.clone();
    let mut command = vec![jdk.java().display().to_string()];
    let launcher = "org.junit.platform.console.ConsoleLauncher";
    command.extend(words(&["-cp", &junit.display().to_string(), launcher, "-cp", &path_of(&jars)]));
    command.extend(words(&["--scan-classpath", &classes.display().to_string(), "--details=none"]));
    Some(record(&command))
}

#[test]
fn failed_tests_of_junit_are_listed_with_what_they_compared() {
    for jdk in jdks() {
        let Some(recorded) = tests(&jdk) else { return };
        let rows = listed(&recorded.path(), &[]);
        assert_eq!(lines(&rows), table(TESTS), "JDK {}", jdk.version);
        // Those first that say which value is wrong.
        let kinds: Vec<&str> = rows.iter().map(|row| row["kind"].as_str().unwrap()).collect();
        let last = kinds.iter().rposition(|kind| *kind == "assertion").unwrap();
        assert!(kinds[..last].iter().all(|kind| *kind == "assertion"), "{kinds:?}");
        let numbers: Vec<u64> = rows.iter().map(|row| row["symptom"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=rows.len() as u64).collect::<Vec<_>>());
    }
}

#[test]
fn what_throws_what_did_not_come_is_believed_first_and_not_the_test() {
    let Some(recorded) = tests(&jdk17()) else { return };
    let rows = listed(&recorded.path(), &[]);
    for test in ["NewTest.shouldThrow", "OldTest.shouldThrow"] {
        let row = rows.iter().find(|row| row["test"] == test).unwrap();
        let number = row["symptom"].to_string();
        let options =
            ["ask", "--json", "--fresh", "--strategy", "belief", "--answers", "/dev/null", "--symptom"];
        let ran = run(inquest(&options).arg(&number).arg(recorded.path()), None);
        let first = ran.stdout.lines().next().unwrap();
        let first: Value = serde_json::from_str(first).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!(first["places"][0]["method"], "Till.refuse", "{test}: {first}");
    }
}

#[test]
fn failed_tests_of_testng_are_listed_with_what_they_compared() {
    let Some(jars) = jars(&["testng", "jcommander", "bsh"]) else { return };
    let expected = "
        assertion | NgTest.compares | expected 6, was 9 | NgTest.java:20
        expected-exception | NgTest.shouldThrow | expected IllegalStateException to be thrown, and nothing was | NgTest.java:25
        assertion | NgTest.provided(5) | expected 10, was 25 | NgTest.java:45
        assertion | NgTest$Whole.fails | expected true, was false | NgTest.java:56";
    for jdk in jdks() {
        let classes = compiled("symptoms", "ng", &["ng"], Path::new(&path_of(&jars)));
        let out = tempfile::tempdir().unwrap();
        let mut path = jars.clone();
        path.push(classes);
        let out = out.path().display().to_string();
        let mut command = vec![jdk.java().display().to_string()];
        command.extend(words(&["-cp", &path_of(&path), "org.testng.TestNG", "-d", &out]));
        command.extend(words(&["-testclass", "NgTest,NgTest$Whole"]));
        assert_eq!(lines(&listed(&record(&command).path(), &[])), table(expected), "JDK {}", jdk.version);
    }
}

/// What is thrown out of `main`, by the word that the program is given: the line, and the expression that is wrong.
const PLAIN: [(&str, &str, Option<&str>); 13] = [
    ("field", "null | Plain.main#1 | node.next().next() is null | Plain.java:22", Some("node.next().next()")),
    (
        "unboxed",
        "null | Plain.main#1 | node.next().count() is null | Plain.java:24",
        Some("node.next().count()"),
    ),
    (
        "element",
        "index | Plain.main#1 | Plain.counted(two) is 6, out of range of numbers with 3 elements | Plain.java:27",
        Some("Plain.counted(two)"),
    ),
    (
        "list",
        "index | Plain.main#1 | two + 1 is 3, out of range of list with 2 elements | Plain.java:28",
        Some("two + 1"),
    ),
    (
        "string",
        "index | Plain.main#1 | Plain.stated is 4, out of range of \"abc\" with 3 characters | Plain.java:29",
        Some("Plain.stated"),
    ),
    (
        "required",
        "null | Plain.main#1 | node.next().name() is null | Plain.java:30",
        Some("node.next().name()"),
    ),
    (
        "divided",
        "exception | Plain.main#1 | the divisor Plain.stated - 4 is 0 | Plain.java:31",
        Some("Plain.stated - 4"),
    ),
    ("cast", "exception | Plain.main#1 | list.get(0) is String | Plain.java:32", Some("list.get(0)")),
    (
        "parsed",
        "exception | Plain.main#1 | NumberFormatException: For input string: \"a\" | Plain.java:33",
        Some("list.get(0)"),
    ),
    ("stated", "assertion | Plain.main#1 | expected sum == 7, was sum = 6 | Plain.java:36", None),
    ("thrown", "exception | Plain.main#1 | IllegalStateException: no more | Plain.java:41", None),
    (
        "thread",
        "null | Plain.lambda$main$0#1 | node.next().name() is null | Plain.java:47",
        Some("node.next().name()"),
    ),
    (
        "wrapped",
        "index | Plain.main#1 | value * 3 is 3, out of range of numbers with 3 elements | Plain.java:51",
        Some("value * 3"),
    ),
];

#[test]
fn what_leaves_a_thread_is_listed_with_the_expression_that_was_at_fault() {
    for jdk in jdks() {
        let mut faults = Vec::new();
        for (word, expected, expression) in PLAIN {
            let rows = listed(&record(&plain(&jdk, &["Plain", word])).path(), &[]);
            let found: Vec<String> = rows.iter().map(line).collect();
            if found != [expected] || rows[0]["expression"].as_str() != expression {
                faults.push(format!("{word}: {found:?} {:?}", rows.first().map(|row| &row["expression"])));
            }
        }
        assert!(faults.is_empty(), "JDK {}\n{}", jdk.version, faults.join("\n"));
    }
}

#[test]
fn where_nothing_failed_it_is_said_what_to_do() {
    let recorded = record(&plain(&jdk17(), &["Plain", "printed"]));
    let ran = run(inquest(&["symptoms"]).arg(recorded.path()), None);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.stderr.contains("--root CALL") && ran.stderr.contains("--output TEXT"), "{ran:?}");
    // Who ends the program by `System.exit` leaves calls open, and that is no symptom.
    let exited = record(&plain(&jdk17(), &["Plain", "exits"]));
    assert_eq!(listed(&exited.path(), &[]), Vec::<Value>::new());
    for (option, value, said) in [
        ("--symptom", "1", "there is no symptom 1: none is found"),
        ("--request", "2", "there is no request 2"),
        ("--output", "sum 7", "no line of output has `sum 7` in it"),
    ] {
        let mut ask = inquest(&["ask", option, value, "--answers", "/dev/null"]);
        let ran = run(ask.arg(recorded.path()), None);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
}

#[test]
fn a_line_of_output_is_a_symptom_whoever_printed_its_parts() {
    let recorded = record(&plain(&jdk17(), &["Plain", "printed"]));
    for (text, line_of) in [
        ("sum 6 of", "output | Plain.main#1 | printed `sum 6 of two` | Plain.java:53"),
        ("6 of two", "output | Plain.main#1 | printed `sum 6 of two` | Plain.java:54"),
        ("first has 1", "output | Plain.main#1 | printed `first has 1` | Plain.java:56"),
    ] {
        assert_eq!(lines(&listed(&recorded.path(), &["--output", text])), [line_of], "{text}");
    }
    // What is wrong there came from `counted`.
    let past = recorded.past();
    let (found, _) = session::printed_symptoms(&past, "6 of two", 1);
    let slice = symptom_slice(&past, &found[0], &SliceLimits::default()).unwrap();
    let names: Vec<String> = slice.calls.iter().map(|&call| past.call_name(call)).collect();
    assert!(names.contains(&"Plain.counted#1".to_owned()), "{names:?}");
    let mut ask = inquest(&["ask", "--output", "6 of two", "--answers", "/dev/null"]);
    let ran = run(ask.arg(recorded.path()), None);
    assert!(ran.stdout.contains("which printed `sum 6 of two`"), "{ran:?}");
}

/// The calls that had a part in the actual value of each failed assertion: the mistake is in `total`, nothing else.
#[test]
fn the_slice_of_a_wrong_value_has_who_made_it_and_not_who_did_not() {
    let Some(recorded) = tests(&jdk17()) else { return };
    let past = recorded.past();
    let mut looked_at = 0;
    for symptom in symptoms(&past) {
        let test = symptom.why.test().unwrap_or_default().to_owned();
        let Some(slice) = symptom_slice(&past, &symptom, &SliceLimits::default()) else { continue };
        let methods: Vec<String> =
            slice.calls.iter().filter_map(|&call| Some(past.call(call)?.method)).collect();
        let has = |name: &str| methods.iter().any(|method| method == name);
        let made = match test.as_str() {
            "OldestTest.testTotal"
            | "NewTest.compares"
            | "FluentTest.equal"
            | "FluentTest.truth"
            | "OldTest.matches"
            | "OldTest.comparesArrays" => "Till.total",
            "FluentTest.part" | "FluentTest.contains" | "OldTest.compares" => "Till.names",
            "NewTest.dereferencesNull" => "Till.customerOf",
            _ => continue,
        };
        looked_at += 1;
        assert!(has(made), "{test}: {methods:?}");
        assert!(!has("Till.refuse") && slice.calls.len() < 10, "{test}: {methods:?}");
    }
    assert_eq!(looked_at, 10);
}

/// Ended from outside while it hangs.
fn cut_off(jdk: &Jdk, how: &str) -> Recorded {
    let mut command = words(&["timeout", "-s", "KILL", "6"]);
    command.extend(plain(jdk, &["Hangs", how]));
    record(&command)
}

#[test]
fn what_never_ended_says_what_it_was_at() {
    for jdk in jdks() {
        let rows = listed(&cut_off(&jdk, "spin").path(), &[]);
        let main = "never-ended | Hangs.main#1 | never ended: it";
        let [only] = rows.as_slice() else { panic!("{rows:?}") };
        let spins = [
            format!("{main} waits in Thread.sleep | Hangs.java:13"),
            format!("{main} is in the loop of lines 11–13 | Hangs.java:11"),
            format!("{main} is in the loop of lines 11–13 | Hangs.java:12"),
            format!("{main} is in the loop of lines 11–13 | Hangs.java:13"),
        ];
        assert!(spins.contains(&line(only)), "{only}");
        let rows = listed(&cut_off(&jdk, "lock").path(), &[]);
        let expected = [
            "never-ended | Hangs.lambda$main$0#1 | never ended: it waits for the lock of other | Hangs.java:21".to_owned(),
            format!("{main} waits for the lock of other | Hangs.java:21"),
        ];
        assert_eq!(lines(&rows), expected, "JDK {}", jdk.version);
    }
}

#[test]
fn requests_that_failed_are_symptoms_and_all_can_be_chosen() {
    for jdk in jdks() {
        let recorded = record(&plain(&jdk, &["Shop"]));
        let expected = "
            request | Shop.answer#2 | GET /broken: status 503 | Shop.java:19
            request | Shop.answer#3 | GET /pear: NullPointerException: Shop.STOCK.get(path) is null | Shop.java:21";
        assert_eq!(lines(&listed(&recorded.path(), &[])), table(expected), "JDK {}", jdk.version);
        let all = listed(&recorded.path(), &["--requests"]);
        let texts: Vec<&str> = all.iter().map(|row| row["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["GET /apple", "GET /broken", "GET /pear", "GET /apple"]);
        let mut ask = inquest(&["ask", "--request", "4", "--answers", "/dev/null"]);
        let ran = run(ask.arg(recorded.path()), None);
        assert!(
            ran.stdout.contains("Shop.answer#4") && ran.stdout.contains("which answered GET /apple"),
            "{ran:?}"
        );
    }
}

#[test]
fn entry_points_of_containers_are_requests() {
    let Some(jars) = jars(&["servlet-api", "jaxrs-api"]) else { return };
    let classes = compiled("symptoms", "entries", &["entries"], Path::new(&path_of(&jars)));
    let mut path = jars;
    path.push(classes);
    for jdk in jdks() {
        let mut command = vec![jdk.java().display().to_string()];
        command.extend(words(&["-cp", &path_of(&path), "Entries"]));
        let recorded = record(&command);
        let calls: Vec<String> = listed(&recorded.path(), &["--requests"])
            .iter()
            .map(|row| row["call"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(calls, ["Entries$Stock.left#1", "Entries$Orders.doGet#1"], "JDK {}", jdk.version);
        let expected = "
            request | Entries$Stock.left#1 | Entries$Stock.left: IndexOutOfBoundsException: Index: 1 Size: 1 | Entries.java:21
            request | Entries$Orders.doGet#1 | Entries$Orders.doGet: status 500 | Entries.java:35";
        assert_eq!(lines(&listed(&recorded.path(), &[])), table(expected), "JDK {}", jdk.version);
    }
}

#[test]
fn a_run_of_two_jvms_is_asked_about_where_the_symptom_is() {
    for jdk in jdks() {
        let recorded = record(&plain(&jdk, &["Two"]));
        let rows = listed(&recorded.path(), &[]);
        let [only] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!(
            line(only),
            "index | Two.main#1 | args.length + 1 is 2, out of range of List.of(1, 2) with 2 elements | Two.java:7"
        );
        assert!(only["jvm"].as_str().is_some_and(|jvm| jvm.starts_with("jvm-")), "{only}");
        for options in [&[][..], &["--symptom", "1"]] {
            let mut ask = inquest(&["ask", "--answers", "/dev/null"]);
            let ran = run(ask.args(options).arg(recorded.path()), None);
            assert!(ran.stdout.contains("which was left by"), "{ran:?}");
        }
        let mut ask = inquest(&["ask", "--root", "Two.main#1", "--answers", "/dev/null"]);
        let ran = run(ask.arg(recorded.path()), None);
        assert!(ran.code == Some(2) && ran.stderr.contains("2 JVMs of this run have a call"), "{ran:?}");
    }
}

#[test]
fn what_fails_in_the_reference_too_comes_last_by_its_own_number() {
    let Some(recorded) = tests(&jdk17()) else { return };
    let rows = listed(&recorded.path(), &["--reference", &recorded.path().display().to_string()]);
    assert!(rows.iter().all(|row| row["in_reference"] == true), "{rows:?}");
    let other = record(&plain(&jdk17(), &["Plain", "list"]));
    let rows = listed(&recorded.path(), &["--oracle", &format!("reference:{}", other.path().display())]);
    assert!(rows.iter().all(|row| row["in_reference"] == false), "{rows:?}");
    let third = &rows[2];
    let mut ask = inquest(&["ask", "--symptom", "3", "--answers", "/dev/null"]);
    let ran = run(ask.arg(recorded.path()), None);
    assert!(
        ran.stdout.contains(&format!("Looking for the bug in {}", third["call"].as_str().unwrap())),
        "{ran:?}"
    );
}

#[test]
fn symptoms_are_printed_a_line_each() {
    let recorded = record(&plain(&jdk17(), &["Plain", "list"]));
    let mut command: Command = inquest(&["symptoms"]);
    let ran = run(command.arg(recorded.path()), None);
    assert_eq!(
        ran.stdout, "  1  Plain.main  two + 1 is 3, out of range of list with 2 elements  Plain.java:28\n",
        "{ran:?}"
    );
}
