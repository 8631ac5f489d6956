//! What is left of JVMs in which nothing failed: a build of two modules, the tests of the first are green. What they say counts for
//! who debugs the second, and only that: no verdict comes of it.

use std::fs;

use serde_json::Value;

use crate::builds::{Build, MAVEN, counts, has_maven, last_line};

/// What is believed to be wrong, by method.
fn believed(build: &Build) -> Vec<(String, f64)> {
    let report = build.inquest(&["report", "red", "--json"]);
    let report: Value =
        serde_json::from_str(&report.stdout).unwrap_or_else(|error| panic!("{error}: {report:?}"));
    let places = report["failures"][0]["places"].as_array().unwrap();
    let one = |place: &Value| {
        (place["method"].as_str().unwrap().to_owned(), place["probability"].as_f64().unwrap())
    };
    places.iter().map(one).collect()
}

fn chance(believed: &[(String, f64)], method: &str) -> f64 {
    believed.iter().find(|(name, _)| name == method).unwrap_or_else(|| panic!("{believed:?}")).1
}

/// Who answered what, without a person; and the verdict.
fn answered(build: &Build, oracle: &[&str]) -> (Vec<(String, String)>, String) {
    let words = [&["ask", "red", "--fresh", "--json", "--answers", "/dev/null"], oracle].concat();
    let ran = build.inquest(&words);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdict = lines.last().unwrap_or_else(|| panic!("{ran:?}"))["verdict"].as_str().unwrap().to_owned();
    let by = lines.iter().filter_map(|line| {
        let head = line["question"]["head"].as_str()?;
        Some((line["by"].as_str()?.to_owned(), head.to_owned()))
    });
    (by.collect(), verdict)
}

#[test]
fn what_passed_in_jvms_that_are_not_kept_is_evidence_and_no_verdict() {
    if !has_maven() {
        return;
    }
    let build = Build::new("maven");
    // A call that the other module's tests make, too.
    let test = "app/src/test/java/app/CartTest.java";
    build.replace(
        test,
        "cart.add(7, 10);\n        assertEquals(108,",
        "cart.add(10, 3);\n        assertEquals(75,",
    );
    let words = [&MAVEN[..], &["-B", "-Dmaven.test.failure.ignore=true", "package"]].concat();

    // Kept as they are: which methods the green tests ran is evidence all the same.
    let all = build.test(&["--json"], &words);
    let file = build.path().join("red/testimony");
    let with = believed(&build);
    let methods_only = fs::metadata(&file).unwrap().len();
    fs::remove_file(&file).unwrap();
    let without = believed(&build);
    assert!(chance(&with, "Prices.total") < chance(&without, "Prices.total"), "{with:?} {without:?}");

    let some = build.test(&["--json", "--force", "--keep", "failed"], &words);
    assert_eq!(counts(&last_line(&all)), counts(&last_line(&some)));
    let said = "1 JVM in which nothing failed: not kept but for what 2 tests that passed say of 2 calls";
    assert!(some.stderr.contains(said), "{some:?}");
    let folder = fs::read_dir(build.path().join("red")).unwrap();
    assert_eq!(folder.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count(), 1);
    assert!(fs::metadata(&file).unwrap().len() > methods_only);
    assert_eq!(believed(&build), with, "they say the same as their recording");

    // Calls are looked up by who names it.
    let (by_itself, _) = answered(&build, &[]);
    assert!(by_itself.iter().all(|(by, _)| !by.starts_with("tests:")), "{by_itself:?}");
    let (by, verdict) = answered(&build, &["--oracle", "tests:red", "--symptom", "2"]);
    assert!(by.contains(&("tests:red".to_owned(), "Prices.total(10, 3) = 30".to_owned())), "{by:?}");
    assert!(!by.iter().any(|(_, head)| head.contains("Prices.total(5, 10)")), "{by:?}");
    assert_ne!(verdict, "buggy", "tests that passed blame nobody");

    // What cannot be read is said, and says nothing.
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(believed(&build), without);
    let asked = build.inquest(&["ask", "red", "--fresh", "--answers", "/dev/null"]);
    assert!(asked.stderr.contains("testimony is damaged: what passed in other JVMs"), "{asked:?}");
    let named = build.inquest(&["ask", "red", "--fresh", "--oracle", "tests:red", "--answers", "/dev/null"]);
    assert!(named.code == Some(2) && named.stderr.contains("testimony is damaged"), "{named:?}");

    // It goes with its run.
    let green = build.test(&["--force"], &[&MAVEN[..], &["-B", "-pl", "core", "test"]].concat());
    assert!(green.code == Some(0) && !file.exists(), "{green:?}");
}
