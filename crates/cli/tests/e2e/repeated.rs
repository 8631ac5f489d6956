//! Generated tests, compiled and run by the real JUnit: each must fail on the program that it was recorded from, and
//! one with the right value must pass once the defect is gone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use session::{JunitVersion, Subject, WhyNot, junit};

use crate::debuggee::{Openable, Program, classes, jdk17, root, run, scratch};

/// A jar that the tests need; `scripts/need programs` installs it.
fn jar(name: &str) -> PathBuf {
    let jars = std::env::var_os("INQUEST_JARS").map_or_else(|| "/usr/share/java".into(), PathBuf::from);
    let jar = jars.join(name);
    assert!(jar.exists(), "{} is missing: scripts/need programs installs it", jar.display());
    jar
}

fn joined(paths: &[&Path]) -> std::ffi::OsString {
    std::env::join_paths(paths).unwrap()
}

/// Tests that were found and that failed, of sources in a folder, run on compiled classes.
fn outcome(sources: &Path, program: &Path) -> (u32, u32) {
    let console = jar("junit-platform-console-standalone.jar");
    let junit4 = jar("junit4.jar");
    let made = sources.join("classes");
    let mut files = Vec::new();
    let mut folders = vec![sources.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "java") {
                files.push(path);
            }
        }
    }
    let mut javac = Command::new(jdk17().home.join("bin/javac"));
    javac.args(["-nowarn", "-encoding", "US-ASCII", "-cp"]).arg(joined(&[program, &console, &junit4]));
    let compiled = run(javac.arg("-d").arg(&made).args(&files), None);
    assert_eq!(compiled.code, Some(0), "{compiled:?}");
    let mut java = Command::new(jdk17().java());
    java.arg("-cp").arg(joined(&[&console, &junit4, &jar("hamcrest-core.jar")]));
    java.args(["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--details=summary", "-cp"]);
    java.arg(joined(&[&made, program])).args(["--include-classname", ".*", "--scan-classpath"]).arg(&made);
    let ran = run(&mut java, None);
    let count = |what: &str| {
        let line = ran.stdout.lines().find(|line| line.contains(what));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
            .unwrap_or_else(|| panic!("{ran:?}"))
    };
    (count("tests found"), count("tests failed"))
}

/// Writes a test for each call, under a name of its own, and gives the calls of which there is none.
fn written(past: &past::Past, to: &Path, version: JunitVersion) -> (u32, Vec<(String, WhyNot)>) {
    let (mut count, mut none) = (0, Vec::new());
    for row in past.tree_rows(None, None, false) {
        match junit(past, &Subject::Call { call: row.call.number() }, None, version) {
            Ok(test) => {
                count += 1;
                write(to, &test.class_name, &test.source, &count.to_string());
            }
            Err(why) => none.push((past.call_name(row.call), why)),
        }
    }
    (count, none)
}

fn write(to: &Path, class: &str, source: &str, ending: &str) {
    let simple = class.rsplit('.').next().unwrap();
    let name = format!("{simple}{ending}");
    let file = to.join(class.replace('.', "/")).with_file_name(format!("{name}.java"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, source.replace(simple, &name)).unwrap();
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(scratch()).unwrap()
}

#[test]
fn a_test_of_every_call_of_the_examples_fails() {
    for program in ["Castling", "SumNumbers", "MergeSortMissing", "BottomUpMergeSort", "Cancelling"] {
        let (_, recorded) = Program::new("examples", &[program]).record(&jdk17(), &[]);
        let to = folder();
        let (count, none) = written(&recorded.past(), to.path(), JunitVersion::Five);
        assert!(none.is_empty(), "{program}: {none:?}");
        assert!(count >= 4, "{program}: {count}");
        assert_eq!(outcome(to.path(), &classes("examples")), (count, count), "{program}");
    }
}

#[test]
fn a_test_is_written_exactly_where_its_inputs_can_be_made() {
    let (ran, recorded) = Program::new("repeat", &["shop.Shop"]).record(&jdk17(), &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let past = recorded.past();
    for version in [JunitVersion::Five, JunitVersion::Four] {
        let to = folder();
        let (count, none) = written(&past, to.path(), version);
        let refused: BTreeSet<&str> = none.iter().map(|(call, _)| call.as_str()).collect();
        // The log is final and had been written to before; the others cannot be called from outside at all.
        let expected: BTreeSet<&str> = [
            "Shop$Colour$1.new#1",
            "Shop$Colour.$values#1",
            "Shop$Colour.new#1",
            "Shop$Colour.new#2",
            "Shop$Colour.static#1",
            "Shop$Sealed.new#1",
            "Shop.lambda$found$0#1",
            "Shop.lambda$main$1#1",
            "Shop.logged#2",
            "Shop.static#1",
            "Shop.viaLambda#1",
        ]
        .into();
        assert_eq!(refused, expected, "{none:?}");
        assert!(none.iter().all(|(_, why)| why.to_string().len() > 10));
        let (found, failed) = outcome(to.path(), &classes("repeat"));
        assert_eq!((found, failed), (count, count), "{version:?}");
    }
}

#[test]
fn a_test_with_the_right_value_passes_once_the_defect_is_gone() {
    let cases = [
        (
            "SumNumbers",
            "SumNumbers.sumNumbers#1",
            "4",
            "int at = 1;",
            "int at = 0;",
            "assertEquals(4, result);",
        ),
        (
            "MergeSortMissing",
            "MergeSortMissing.merge#2",
            "[1, 2, 3]",
            "merged[next] = left[0];",
            "merged[next++] = left[0];",
            "assertArrayEquals(new int[] {1, 2, 3}, result);",
        ),
        (
            "BottomUpMergeSort",
            "BottomUpMergeSort.merge#3",
            "{1, 4, 7, 9}",
            "a[r++] = left[l++];",
            "a[out++] = left[l++];",
            "assertArrayEquals(new int[] {1, 4, 7, 9}, a);",
        ),
        ("Castling", "Square.right#1", "7", "file += 1;", "file -= 1;", "assertEquals(7, square.file);"),
    ];
    for (program, call, expected, wrong, right, assertion) in cases {
        let (_, recorded) = Program::new("examples", &[program]).record(&jdk17(), &[]);
        let past = recorded.past();
        let subject = Subject::Call { call: past.find_call(call).unwrap().number() };
        let test = junit(&past, &subject, Some(expected), JunitVersion::Five).unwrap();
        assert!(test.source.contains(assertion), "{}", test.source);
        let to = folder();
        write(to.path(), &test.class_name, &test.source, "");
        assert_eq!(outcome(to.path(), &classes("examples")), (1, 1), "{program}");

        let source = std::fs::read_to_string(root().join(format!("examples/{program}.java"))).unwrap();
        assert!(source.contains(wrong), "{program}");
        let fixed = folder();
        let file = fixed.path().join(format!("{program}.java"));
        std::fs::write(&file, source.replacen(wrong, right, 1)).unwrap();
        let mut javac = Command::new(jdk17().home.join("bin/javac"));
        let compiled = run(javac.arg("-d").arg(fixed.path()).arg(&file), None);
        assert_eq!(compiled.code, Some(0), "{compiled:?}");
        std::fs::remove_dir_all(to.path().join("classes")).unwrap();
        assert_eq!(outcome(to.path(), fixed.path()), (1, 0), "{program}");
    }
}

#[test]
fn words_that_are_no_value_become_a_comment() {
    let (_, recorded) = Program::new("examples", &["SumNumbers"]).record(&jdk17(), &[]);
    let past = recorded.past();
    let subject = Subject::Call { call: past.find_call("SumNumbers.sumNumbers#1").unwrap().number() };
    let words = "System.exit(1); // \\u000a the sum of 1 and 3\n}";
    let test = junit(&past, &subject, Some(words), JunitVersion::Five).unwrap();
    assert!(test.source.contains("assertNotEquals(3, result);"), "{}", test.source);
    let to = folder();
    write(to.path(), &test.class_name, &test.source, "");
    assert_eq!(outcome(to.path(), &classes("examples")), (1, 1));
}
