//! Oracles against the truth: a small shop with one planted defect, its tests run by the real JUnit, and a good version
//! of the same. What the good recording says of each call of the bad one must be right, or nothing.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use index::Evidence;
use past::{CallId, KnownValue, Location, Past, Settings, Value};
use session::{
    Answer, Author, CodeKind, Fingerprints, Framework, Oracle, OracleSpec, Reference, RememberedAnswers,
    Subject, Symptom, SymptomReason, Trust, code_kind, fingerprints, symptom, symptoms,
};

use crate::debuggee::{Jdk, Openable, Program, Recorded, inquest, jar, jdk17, jdks, root, run, scratch};

/// The jar with all of JUnit.
fn junit() -> Option<PathBuf> {
    jar("junit-platform-console-standalone")
}

/// A fixture's classes in one version, compiled once: the sources of these folders.
pub fn compiled(fixture: &str, version: &str, folders: &[&str], classpath: &Path) -> PathBuf {
    static COMPILED: Mutex<BTreeMap<PathBuf, ()>> = Mutex::new(BTreeMap::new());
    let to = scratch().join(fixture).join(version);
    COMPILED.lock().unwrap().entry(to.clone()).or_insert_with(|| {
        let _ = std::fs::remove_dir_all(&to);
        let mut sources = Vec::new();
        for folder in folders {
            let folder = root().join("fixtures").join(fixture).join(folder);
            sources.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        }
        let mut javac = Command::new(jdk17().home.join("bin/javac"));
        javac.args(["--release", "17", "-g", "-nowarn", "-cp"]).arg(classpath);
        let ran = run(javac.arg("-d").arg(&to).args(sources), None);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    });
    to
}

fn record_tests(version: &'static str, junit: &Path, jdk: &Jdk) -> Recorded {
    let recorded = Recorded::new();
    let classes =
        compiled("junit", version, &["common/shop", &format!("{version}/shop"), "tests/shop"], junit);
    let mut command = inquest(&["record", "-q", "-o"]);
    command.arg(recorded.path()).arg("--").args(launched(junit, jdk, &classes));
    let ran = run(&mut command, None);
    assert_eq!(ran.code, Some(i32::from(version == "buggy")), "{ran:?}");
    recorded
}

/// The command that runs all tests in a folder. JUnit's launcher is the main class, but not the program.
fn launched(junit: &Path, jdk: &Jdk, classes: &Path) -> Vec<OsString> {
    let words = ["-cp", &junit.display().to_string(), "org.junit.platform.console.ConsoleLauncher", "-cp"];
    let mut command = vec![jdk.java().into_os_string()];
    command.extend(words.iter().map(OsString::from));
    command.push(classes.into());
    command.extend(["--scan-classpath", "--details=none"].map(OsString::from));
    command
}

/// From a failing test to the guilty method without a question to anybody.
#[test]
fn a_failing_test_is_explained_by_a_good_version_alone() {
    let Some(junit) = junit() else { return };
    for jdk in jdks() {
        let good = record_tests("good", &junit, &jdk);
        let classes = compiled("junit", "buggy", &["common/shop", "buggy/shop", "tests/shop"], &junit);
        let recorded = Recorded::new();
        let mut command = inquest(&["run", "-q", "--json", "--answers", "/dev/null", "--oracle"]);
        command.arg(format!("reference:{}", good.path().display())).arg("-o").arg(recorded.path());
        let ran = run(command.arg("--").args(launched(&junit, &jdk, &classes)), None);
        assert_eq!(ran.code, Some(1), "the exit code is JUnit's: {ran:?}");
        let lines: Vec<serde_json::Value> =
            ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let (verdict, questions) = lines.split_last().unwrap_or_else(|| panic!("{ran:?}"));
        assert_eq!(verdict["verdict"], "buggy", "{ran:?}");
        assert_eq!(verdict["method"], "Discounts.percent", "{ran:?}");
        assert_eq!(verdict["questions"], 0, "{ran:?}");
        assert!(!questions.is_empty());
        for line in questions {
            assert!(line["by"].as_str().unwrap().starts_with("reference:"), "{line}");
        }
    }
}

/// Calls of the shop's own code.
fn shop_calls(past: &Past) -> Vec<CallId> {
    let rows = past.tree_rows(None, None, false).map(|row| row.call);
    let of_shop =
        |call: &CallId| past.target(past.index().call(*call).unwrap().target).0.starts_with("shop/");
    rows.filter(of_shop).collect()
}

/// The calls that are wrong by the way the defect was planted: those of `percent` at exactly a limit, and all around
/// them, because no test of these ends as it should.
fn wrong_calls(past: &Past) -> HashSet<CallId> {
    let mut wrong = HashSet::new();
    for call in shop_calls(past) {
        let info = past.call(call).unwrap();
        if info.method == "Discounts.percent" && matches!(info.args[0].value, Value::Int(10 | 50)) {
            let mut around = Some(call);
            while let Some(call) = around {
                wrong.insert(call);
                around = past.call(call).unwrap().parent;
            }
        }
    }
    wrong
}

fn ask(oracle: &mut Oracle, past: &Past, call: CallId) -> Option<Answer> {
    let (answer, by) = oracle.answer(past, &Subject::Call { call: call.number() })?;
    assert!(matches!(by, Author::Reference(_) | Author::Tests(_) | Author::Remembered), "{by:?}");
    Some(answer)
}

fn open(spec: OracleSpec, past: &Past, memory: Option<&Path>) -> Oracle {
    Oracle::open(&spec, past, memory, &Settings::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_good_version_tells_right_calls_from_wrong_ones() {
    let Some(junit) = junit() else { return };
    for jdk in jdks() {
        let [bad, good] = ["buggy", "good"].map(|version| record_tests(version, &junit, &jdk));
        let past = bad.past();
        let mut oracle = open(OracleSpec::Reference(good.path()), &past, None);
        let wrong = wrong_calls(&past);
        let calls = shop_calls(&past);
        let (mut faults, mut silent) = (Vec::new(), Vec::new());
        for &call in &calls {
            let expected = if wrong.contains(&call) { Answer::wrong() } else { Answer::Correct };
            match ask(&mut oracle, &past, call) {
                None => silent.push(past.call_name(call)),
                Some(answer) if answer == expected => {}
                Some(answer) => faults.push(format!("{}: {answer:?}", past.call_name(call))),
            }
        }
        assert!(faults.is_empty(), "JDK {}: {faults:?}", jdk.version);
        assert!(calls.len() > 100 && wrong.len() >= 9, "{} calls, {} wrong", calls.len(), wrong.len());
        // Sums that come of a wrong percentage do not occur in the good run; JUnit's own objects cannot be looked into,
        // such as the rule that the test class makes and this test changes.
        let unknown = |name: &String| {
            let of_rule =
                name.starts_with("OldParserTest.new#") || name == "OldParserTest.refusesOtherMarks#1";
            of_rule || name.starts_with("Money.")
        };
        assert!(silent.iter().all(unknown), "{silent:?}");
    }
}

/// The two versions of the program whose calls say by their names what the good one says of the bad one.
fn record_questions(jdk: &Jdk) -> [Recorded; 2] {
    ["buggy", "good"].map(|version| record_program(version, jdk, "Questions", 0))
}

fn record_program(version: &str, jdk: &Jdk, main: &str, code: i32) -> Recorded {
    let recorded = Recorded::new();
    let classes = compiled("oracle", version, &["common", version], Path::new("."));
    let mut command = inquest(&["record", "-q", "-o"]);
    command.arg(recorded.path()).arg("--").arg(jdk.java());
    command.arg(format!("-Dversion={version}")).arg("-cp").arg(classes).arg(main);
    assert_eq!(run(&mut command, None).code, Some(code));
    recorded
}

/// `same`, `wrong` or `silent`, as the method's name begins.
fn kind(method: &str) -> Option<&str> {
    let (class, name) = method.rsplit_once('.')?;
    match (class, name.split_once('_')) {
        (_, Some((kind, _))) if !kind.contains('$') => Some(kind),
        ("Questions$Pair", None) => Some("wrong"),
        _ => None,
    }
}

/// What is said of the calls of the bad version, where it is not what their names say.
fn misjudged(past: &Past, mut said: impl FnMut(CallId) -> Option<bool>, silent: Option<bool>) -> Vec<String> {
    let (mut faults, mut seen) = (Vec::new(), HashSet::new());
    for row in past.tree_rows(None, None, false) {
        let info = past.call(row.call).unwrap();
        let expected = match kind(&info.method) {
            Some("same") => Some(true),
            Some("wrong") => Some(false),
            // Of those that run other code than the good version nothing is known either way.
            Some("silent") if info.method.contains("otherWay") || info.method.contains("OrNew") => None,
            Some("silent") if info.method == "Questions.silent_copyOrItself" => None,
            Some("silent") => silent,
            _ => continue,
        };
        let answer = said(row.call);
        seen.insert(info.method);
        if answer != expected {
            faults.push(format!("{}: {answer:?}", info.name));
        }
    }
    assert!(seen.len() > 50, "{}", seen.len());
    faults
}

#[test]
fn calls_that_were_asked_the_same_are_compared_as_their_names_say() {
    for jdk in jdks() {
        let [bad, good] = record_questions(&jdk);
        let past = bad.past();
        let mut reference = Reference::new(good.past(), "good", &past).unwrap();
        let faults = misjudged(&past, |call| reference.agrees(&past, call), None);
        assert!(faults.is_empty(), "JDK {}:\n{}", jdk.version, faults.join("\n"));
    }
}

/// The good version would have done the same with what it was given, whatever that was; unless it overrides what is called.
#[test]
fn a_call_that_runs_only_code_of_the_good_version_is_right() {
    for jdk in jdks() {
        let [bad, good] = record_questions(&jdk);
        let past = bad.past();
        let mut oracle = open(OracleSpec::Reference(good.path()), &past, None);
        let said = |call| ask(&mut oracle, &past, call).map(|answer| answer == Answer::Correct);
        let faults = misjudged(&past, said, Some(true));
        assert!(faults.is_empty(), "JDK {}:\n{}", jdk.version, faults.join("\n"));
    }
}

/// Where nothing is other code, something else makes the difference, and code says nothing.
#[test]
fn the_same_code_is_no_reason_to_call_anything_right() {
    let [bad, again] = [(); 2].map(|()| record_program("buggy", &jdk17(), "Questions", 0));
    let past = bad.past();
    let mut oracle = open(OracleSpec::Reference(again.path()), &past, None);
    let time = past.find_call("Questions.silent_time#1").unwrap();
    assert_eq!(ask(&mut oracle, &past, time), None);
}

#[test]
fn the_same_call_has_the_same_fingerprints_in_another_version() {
    let [bad, good] = record_questions(&jdk17()).map(|recorded| recorded.past());
    // What these call has other code there, and makes them look at other things.
    const SEE_OTHERS: [&str; 2] = ["Questions.same_otherWay", "Questions.same_writesWhatWasThere"];
    let (mut faults, mut seen) = (Vec::new(), 0);
    for row in bad.tree_rows(None, None, false) {
        let info = bad.call(row.call).unwrap();
        let Some(kind) = kind(&info.method) else { continue };
        if info.method == "Which.wrong_pick" || SEE_OTHERS.contains(&&*info.method) {
            continue;
        }
        let (Ok(other), Some(one)) = (good.find_call(&info.name), fingerprints(&bad, row.call)) else {
            if kind != "silent" {
                faults.push(format!("{}: none", info.name));
            }
            continue;
        };
        let Some(other) = fingerprints(&good, other) else { panic!("{}", info.name) };
        seen += 1;
        let fits = one.code == other.code
            && match kind {
                "same" => one == other,
                "wrong" => one.output != other.output,
                _ => one != other,
            };
        if !fits {
            faults.push(format!("{}: {one:?} {other:?}", info.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 40, "{seen}");
}

#[test]
fn tests_that_pass_confirm_only_what_they_saw() {
    let Some(junit) = junit() else { return };
    let jdk = jdk17();
    let [bad, good] = ["buggy", "good"].map(|version| record_tests(version, &junit, &jdk));
    let past = bad.past();
    let mut oracle = open(OracleSpec::Tests(good.path()), &past, None);
    let wrong = wrong_calls(&past);
    let calls = shop_calls(&past);
    let confirmed: Vec<CallId> =
        calls.iter().copied().filter(|&call| ask(&mut oracle, &past, call).is_some()).collect();
    for &call in &confirmed {
        assert!(!wrong.contains(&call), "{}", past.call_name(call));
        assert_ne!(past.call(call).unwrap().method, "Discounts.percent", "its code is another");
    }
    assert!(confirmed.len() * 2 > calls.len(), "{} of {}", confirmed.len(), calls.len());
}

/// The quick search, by looks and courses, against looking at every call that there is.
#[test]
fn tests_confirm_what_a_search_through_all_of_their_calls_finds() {
    let Some(junit) = junit() else { return };
    let [bad, good] = ["buggy", "good"].map(|version| record_tests(version, &junit, &jdk17()));
    let (past, passed) = (bad.past(), good.past());
    let mut oracle = open(OracleSpec::Tests(good.path()), &past, None);
    let all: HashSet<Fingerprints> =
        shop_calls(&passed).into_iter().filter_map(|call| fingerprints(&passed, call)).collect();
    let (mut faults, mut known) = (Vec::new(), 0);
    for call in shop_calls(&past) {
        let naive = fingerprints(&past, call).is_some_and(|prints| all.contains(&prints));
        known += usize::from(naive);
        // Asked again it is not worked out again.
        for _ in 0..2 {
            if ask(&mut oracle, &past, call).is_some() != naive {
                faults.push(format!("{}: {}", past.call_name(call), !naive));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
    assert!(known > 50, "{known}");
}

/// Forwards and backwards in time, as who compares calls asks.
#[test]
fn all_elements_of_an_array_are_what_each_of_them_is() {
    let [bad, _good] = record_questions(&jdk17());
    let states = |program: &str| Program::new("state", &[program]).record(&jdk17(), &["--exclude", "told"]).1;
    let recorded = [bad, states("ReadStates"), states("ArrayStates")];
    let asked: usize = recorded.iter().map(|recorded| check_elements(&recorded.past())).sum();
    assert!(asked >= 50, "{asked}");
}

/// How many arrays were asked for, at a moment each.
fn check_elements(past: &Past) -> usize {
    let mut asked = Vec::new();
    for row in past.tree_rows(None, None, true) {
        let info = past.call(row.call).unwrap();
        for value in info.args.iter().map(|arg| arg.value) {
            if let Value::Object(array) = value
                && let Some(length) = past.array_length(array).filter(|&length| length > 0)
            {
                asked.push((array, length, info.entry));
                asked.push((array, length, info.exit));
            }
        }
    }
    let backwards: Vec<_> = asked.iter().rev().copied().collect();
    for &(array, length, time) in asked.iter().chain(&backwards) {
        let each = |from: u32, count: u32| -> Vec<KnownValue> {
            let elements = (from..from + count).map(|index| Location::Element { array, index });
            elements.map(|element| past.value_at(&element, time)).collect()
        };
        for (from, count) in [(0, length), (length / 2, length - length / 2), (length - 1, 1)] {
            let all = past.elements_at(array, from, count, time);
            // By what they look like: what is no number equals nothing.
            let (all, each) = (format!("{all:?}"), format!("{:?}", each(from, count)));
            assert_eq!(all, each, "{} from {from} at {time:?}", past.object_name(array));
        }
    }
    asked.len()
}

/// Four tests of these fail; the others are evidence all the same.
#[test]
fn of_tests_some_of_which_failed_only_those_that_passed_confirm() {
    let Some(junit) = junit() else { return };
    let bad = record_tests("buggy", &junit, &jdk17());
    let past = bad.past();
    let mut oracle = open(OracleSpec::Tests(bad.path()), &past, None);
    let failed: HashSet<CallId> = symptoms(&past).into_iter().map(|found| found.call).collect();
    let (mut inside, mut confirmed) = (0, 0);
    for call in shop_calls(&past) {
        let answer = ask(&mut oracle, &past, call);
        if failed.contains(&call) {
            assert_eq!(answer, None, "{}", past.call_name(call));
            inside += 1;
        }
        confirmed += usize::from(answer.is_some());
    }
    assert!(inside >= 4 && confirmed > 50, "{inside} in failed tests, {confirmed} confirmed");
}

#[test]
fn a_run_that_ended_by_an_exception_is_no_evidence() {
    let [bad, _] = record_questions(&jdk17());
    let uncaught = record_program("good", &jdk17(), "Uncaught", 1);
    let refused = Oracle::open(&OracleSpec::Tests(uncaught.path()), &bad.past(), None, &Settings::default());
    let text = refused.err().expect("it failed").to_string();
    assert!(text.contains("it ended by IllegalStateException: uncaught"), "{text}");
}

#[test]
fn an_answer_is_remembered_in_another_version_of_the_program() {
    let [bad, good] = record_questions(&jdk17()).map(|recorded| (recorded.past(), recorded));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    let mut memory = RememberedAnswers::open(&path).unwrap();
    let named = |past: &Past, name: &str| past.find_call(name).unwrap();
    let [same, wrong] = ["Questions.same_partOfArray#1", "Questions.wrong_result#1"];
    for (name, answer) in [(same, Answer::Correct), (wrong, Answer::wrong())] {
        let prints = fingerprints(&bad.0, named(&bad.0, name)).unwrap();
        assert!(memory.remember(prints, &answer, &Author::Person, 1).unwrap());
    }
    let past = &good.0;
    let mut oracle = open(OracleSpec::Remembered, past, Some(&path));
    assert_eq!(ask(&mut oracle, past, named(past, same)), Some(Answer::Correct));
    assert_eq!(ask(&mut oracle, past, named(past, wrong)), None, "it answers something else there");
    assert_eq!(ask(&mut oracle, past, named(past, "Questions.same_cycle#1")), None, "nobody was asked");
    let mut oracle = open(OracleSpec::Remembered, &bad.0, Some(&path));
    assert_eq!(ask(&mut oracle, &bad.0, named(&bad.0, wrong)), Some(Answer::wrong()));
}

#[test]
fn a_reference_of_another_program_is_refused() {
    let [bad, _] = record_questions(&jdk17());
    let (_, other) = Program::new("examples", &["SumNumbers"]).record(&jdk17(), &[]);
    let past = bad.past();
    let refused = Oracle::open(&OracleSpec::Reference(other.path()), &past, None, &Settings::default());
    let text = refused.err().expect("another program").to_string();
    assert!(text.contains("another program") && text.contains("SumNumbers"), "{text}");
    let missing = Oracle::open(&OracleSpec::Reference("no/such".into()), &past, None, &Settings::default());
    assert!(missing.err().unwrap().to_string().contains("no such folder"));
}

#[test]
fn a_session_begins_where_the_symptom_shows() {
    let jdk = jdk17();
    let of = |past: &Past, root: Option<&str>| symptom(past, root).unwrap().unwrap();
    if let Some(junit) = junit() {
        let past = record_tests("buggy", &junit, &jdk).past();
        let mut tests: Vec<(Framework, String, String)> = Vec::new();
        for Symptom { call, why, .. } in symptoms(&past) {
            let SymptomReason::FailedTest { framework, test, message } = why else { panic!("{why:?}") };
            assert!(past.call_name(call).starts_with(test.split('(').next().unwrap()), "{test}");
            tests.push((framework, test, message));
        }
        tests.sort_by(|one, other| one.1.cmp(&other.1));
        let failed = |framework, test: &str, message: &str| (framework, test.to_owned(), message.to_owned());
        let expected = [
            failed(
                Framework::JUnit5,
                "BasketTest.never_costs_more(50)",
                "AssertionFailedError: expected: <4.00> but was: <4.75>",
            ),
            failed(
                Framework::JUnit5,
                "BasketTest.tenAreCheaper",
                "AssertionFailedError: expected: <4.38> but was: <4.60>",
            ),
            failed(
                Framework::JUnit4,
                "OldParserTest.parsesAndCharges",
                "AssertionError: expected:<80> but was:<95>",
            ),
            failed(
                Framework::JUnit3,
                "OldestTest.testFifty",
                "AssertionFailedError: expected:<20> but was:<5>",
            ),
        ];
        assert_eq!(tests, expected);
        // All tests pass, those that should throw too: then there is no better place than the first call.
        let past = record_tests("good", &junit, &jdk).past();
        let found = of(&past, None);
        assert_eq!((found.why, symptoms(&past)), (SymptomReason::WholeRun, Vec::new()));
        assert!(past.call_name(found.call).contains("Test."), "{}", past.call_name(found.call));
    }
    let past = record_program("good", &jdk, "Uncaught", 1).past();
    let found = of(&past, None);
    let why = SymptomReason::Uncaught { exception: "IllegalStateException: uncaught".to_owned() };
    assert_eq!((past.call_name(found.call), found.why), ("Uncaught.main#1".to_owned(), why));
    let (_, recorded) = Program::new("examples", &["SumNumbers"]).record(&jdk, &[]);
    let past = recorded.past();
    let found = of(&past, None);
    assert_eq!(
        (past.call_name(found.call), found.why),
        ("SumNumbers.main#1".to_owned(), SymptomReason::Main)
    );
    let found = of(&past, Some("SumNumbers.sumNumbers#1"));
    assert_eq!(
        (past.call_name(found.call), found.why),
        ("SumNumbers.sumNumbers#1".to_owned(), SymptomReason::Named)
    );
    let error = symptom(&past, Some("SumNumbers.sumNumber")).unwrap_err().to_string();
    assert!(error.contains("SumNumbers.sumNumbers"), "{error}");
}

#[test]
fn several_calls_are_right_together_if_each_of_them_is() {
    let Some(junit) = junit() else { return };
    let [bad, good] = ["buggy", "good"].map(|version| record_tests(version, &junit, &jdk17()));
    let past = bad.past();
    let mut oracle = open(OracleSpec::Reference(good.path()), &past, None);
    let mut of = |first: &str, last: &str| {
        let [first, last] = [first, last].map(|name| past.find_call(name).unwrap().number());
        let subject = Subject::Run { first, last, collapsed: false, independent: false };
        oracle.answer(&past, &subject).map(|(answer, _)| answer)
    };
    assert_eq!(of("Parser.parse#1", "Basket.add#4"), Some(Answer::Correct));
    let total = past.index().children(past.find_call("BasketTest.tenAreCheaper#1").unwrap(), 0, 100);
    let is_total = |&call: &CallId| past.call(call).unwrap().method == "Basket.total";
    let (first, total) =
        (past.call_name(total[0]), past.call_name(total.into_iter().find(is_total).unwrap()));
    assert_eq!(of(&first, &total), None, "one of them is wrong, the others may make up for it");
    assert_eq!(of("Parser.parse#1", "Parser.number#1"), None, "they are no siblings");
}

#[test]
fn only_code_that_no_source_has_is_taken_for_generated() {
    let kinds = |past: &Past| -> BTreeMap<String, CodeKind> {
        let rows = past.tree_rows(None, None, false);
        let targets = rows.map(|row| past.index().call(row.call).unwrap().target);
        targets.map(|target| (past.method_name(target), code_kind(past, target))).collect()
    };
    let past = record_program("good", &jdk17(), "Questions", 0).past();
    let kinds_here = kinds(&past);
    let generated: Vec<&str> = kinds_here
        .iter()
        .filter(|(_, kind)| **kind == CodeKind::Generated)
        .map(|(name, _)| name.as_str())
        .collect();
    let expected = [
        "Questions$Colour.$values",
        "Questions$Colour.valueOf",
        "Questions$Colour.values",
        "Questions$Point.compareTo(Object)",
        "Questions$Point.hashCode",
        "Questions$Point.toString",
        "Questions$Point.x",
    ];
    assert_eq!(generated, expected);
    let written = ["Questions$Point.y", "Questions$Point.new", "Questions$Point.compareTo(Questions$Point)"];
    for name in written {
        assert_eq!(kinds_here.get(name), Some(&CodeKind::Program), "{name} in {:?}", kinds_here.keys());
    }
    // The programs whose questions are counted have nothing but their own code.
    for name in ["Castling", "MergeSortMissing", "SumNumbers", "BottomUpMergeSort", "Cancelling"] {
        let (_, recorded) = Program::new("examples", &[name]).record(&jdk17(), &[]);
        let past = recorded.past();
        assert!(kinds(&past).values().all(|&kind| kind == CodeKind::Program), "{name}");
        let trust = Trust::default();
        let trusted = |call: CallId| trust.trusts_call(&past, call).is_some();
        assert!(!past.tree_rows(None, None, false).any(|row| trusted(row.call)), "{name}");
        assert!(past.tree_rows(None, None, true).any(|row| trusted(row.call)), "{name} calls the JDK");
    }
}

/// A person has called a call wrong: tests are asked about what lies in it, and about nothing else.
#[test]
fn tests_look_into_a_call_that_was_judged_wrong_and_nowhere_else() {
    let Some(junit) = junit() else { return };
    let [bad, good] = ["buggy", "good"].map(|version| record_tests(version, &junit, &jdk17()));
    let past = bad.past();
    let root = past.find_call("BasketTest.tenAreCheaper#1").unwrap();
    let tests = format!("tests:{}", good.path().display());
    let ask = |options: &[&str]| -> Vec<serde_json::Value> {
        let mut command = inquest(&["ask", "--json", "--answers", "/dev/null", "--root"]);
        command.arg("BasketTest.tenAreCheaper#1").args(["--oracle", &tests]).args(options).arg(bad.path());
        run(&mut command, None).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let said_by_tests = |lines: &[serde_json::Value]| -> Vec<CallId> {
        let by_tests =
            |line: &&serde_json::Value| line["by"].as_str().is_some_and(|by| by.starts_with("tests:"));
        let calls = lines.iter().filter(by_tests).map(|line| line["question"]["call"].as_str().unwrap());
        calls.map(|call| past.find_call(call).unwrap()).collect()
    };
    let is_in = |call: CallId, outer: CallId| {
        let mut around = Some(call);
        while around.is_some_and(|one| one != outer) {
            around = past.call(around.unwrap()).unwrap().parent;
        }
        around.is_some()
    };
    let mut children = past.index().children(root, 0, 100).into_iter();
    let total = children.find(|&call| past.call(call).unwrap().method == "Basket.total").unwrap();
    // Without a word of anybody they clear what was parsed before, too.
    let all = said_by_tests(&ask(&["--fresh"]));
    assert!(all.iter().any(|&call| is_in(call, total)) && all.iter().any(|&call| !is_in(call, total)));
    // A person calls `total` wrong, and stops.
    let mut is_said = false;
    let options = ["--root", "BasketTest.tenAreCheaper#1", "--strategy", "top-down"];
    crate::traps::play(&bad.path(), &options, |call, _| {
        let is_total = call == past.call_name(total);
        let answer = (!is_said).then(|| if is_total { "n" } else { "y" }.to_owned());
        is_said |= is_total;
        answer
    });
    assert!(is_said);
    let within = said_by_tests(&ask(&[]));
    assert!(!within.is_empty());
    assert!(within.iter().all(|&call| is_in(call, total)), "{within:?}");
}

/// Tests that passed before the code was changed: what was changed since is where to look first, and is named.
#[test]
fn what_was_changed_since_tests_passed_is_asked_about_first() {
    let Some(junit) = junit() else { return };
    let [bad, good] = ["buggy", "good"].map(|version| record_tests(version, &junit, &jdk17()));
    let ask = |tests: &Recorded| -> String {
        let tests = format!("tests:{}", tests.path().display());
        let mut command = inquest(&["ask", "--fresh", "--root", "BasketTest.tenAreCheaper#1"]);
        command.args(["--strategy", "belief", "--oracle", &tests]).arg(bad.path());
        run(&mut command, None).stdout
    };
    let said = ask(&good);
    assert!(said.contains("changed since it worked: Discounts.percent\n"), "{said}");
    let likeliest = said.lines().find(|line| line.contains("likeliest:")).unwrap_or_default();
    assert!(likeliest.contains("likeliest: Discounts.percent"), "{said}");
    // Tests of the very code that is looked into say nothing of that kind.
    assert!(!ask(&bad).contains("changed since it worked"));
}
