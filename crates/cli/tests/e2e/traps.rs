//! Verdict traps (`fixtures/traps`): projects in which a debugger may blame the wrong code with confidence. Each is answered as
//! by somebody who knows the defect, by a program that reads a question and writes an answer in turn. It must end with
//! the right verdict, or with an honest "not enough"; with nobody to answer it must not end with a verdict at all.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::debuggee::{Jdk, Recorded, inquest, jar, jdk17, jdks, root, run, scratch};

/// Classes of a project, compiled for one test.
pub struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// The sources of these folders of a trap; `libraries` are on the class path.
    pub fn compiled(folders: &[&str], libraries: &[&Path]) -> Project {
        let project = Project { folder: tempfile::tempdir_in(scratch()).unwrap() };
        project.compile(folders, libraries, &project.classes());
        project
    }

    fn compile(&self, folders: &[&str], libraries: &[&Path], to: &Path) {
        let mut sources = Vec::new();
        for folder in folders {
            // Some have a folder of their own.
            let [own, trap] = ["fixtures", "fixtures/traps"].map(|place| root().join(place).join(folder));
            collect(if trap.exists() { &trap } else { &own }, &mut sources);
        }
        let mut javac = Command::new(jdk17().home.join("bin/javac"));
        javac.args(["--release", "17", "-g", "-nowarn", "-cp"]).arg(path_of(libraries));
        let ran = run(javac.arg("-d").arg(to).args(sources), None);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn classes(&self) -> PathBuf {
        self.path("classes")
    }
}

/// The Java sources in a folder and below.
fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            collect(&entry, sources);
        } else if entry.extension().is_some_and(|end| end == "java") {
            sources.push(entry);
        }
    }
}

fn path_of(entries: &[&Path]) -> String {
    let entries: Vec<String> = entries.iter().map(|entry| entry.display().to_string()).collect();
    entries.join(":")
}

/// Records a command.
pub fn record(options: &[&str], command: &[String]) -> Recorded {
    let recorded = Recorded::new();
    let mut record = inquest(&["record", "-q", "-o"]);
    let ran = run(record.arg(recorded.path()).args(options).arg("--").args(command), None);
    assert!(recorded.path().exists(), "{ran:?}");
    recorded
}

pub fn java(jdk: &Jdk, class_path: &[&Path], arguments: &[&str]) -> Vec<String> {
    let mut command = vec![jdk.java().display().to_string(), "-cp".to_owned(), path_of(class_path)];
    command.extend(arguments.iter().map(|&word| word.to_owned()));
    command
}

/// The command that runs all tests in a folder.
pub fn junit(jdk: &Jdk, junit: &Path, classes: &Path) -> Vec<String> {
    let classes = classes.display().to_string();
    let words = ["org.junit.platform.console.ConsoleLauncher", "-cp", &classes, "--scan-classpath"];
    java(jdk, &[junit], &[&words[..], &["--details=none"]].concat())
}

pub fn standalone() -> Option<PathBuf> {
    jar("junit-platform-console-standalone")
}

/// A dialogue as it went.
#[derive(Debug)]
pub struct Played {
    /// The call of each question to the person, and what was answered.
    pub asked: Vec<(String, String)>,
    /// All lines but the last.
    pub lines: Vec<Value>,
    pub verdict: Value,
    pub code: Option<i32>,
}

impl Played {
    pub fn outcome(&self) -> (&str, &str) {
        (self.verdict["verdict"].as_str().unwrap(), self.verdict["method"].as_str().unwrap_or("-"))
    }

    pub fn calls(&self) -> Vec<&str> {
        self.asked.iter().map(|(call, _)| call.as_str()).collect()
    }
}

/// A dialogue with who answers each question when it is there, and not before. None: nobody answers any more.
pub fn play(
    recording: &Path,
    options: &[&str],
    mut answer: impl FnMut(&str, &str) -> Option<String>,
) -> Played {
    let mut command = inquest(&["ask", "--fresh", "--json", "--answers", "-"]);
    let command = command.arg(recording).args(options);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut answers = child.stdin.take();
    let (mut asked, mut lines) = (Vec::new(), Vec::new());
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if line["question"].is_object() && line["answer"].is_null() {
            let (call, text) =
                (line["question"]["call"].as_str().unwrap(), line["question"]["text"].as_str());
            match answer(call, text.unwrap()) {
                Some(said) => {
                    writeln!(answers.as_mut().unwrap(), "{said}").unwrap();
                    asked.push((call.to_owned(), said));
                }
                None => answers = None,
            }
        }
        lines.push(line);
    }
    let code = child.wait().unwrap().code();
    let verdict = lines.pop().unwrap_or_else(|| panic!("nothing was said about {}", recording.display()));
    Played { asked, lines, verdict, code }
}

/// Nobody answers: then nothing may be blamed.
pub fn unanswered(recording: &Path, options: &[&str]) -> Played {
    let played = play(recording, options, |_, _| None);
    assert_eq!(played.verdict["verdict"], "suspects", "{played:?}");
    assert_eq!(played.code, Some(3), "{played:?}");
    played
}

/// `n` for calls of these methods, `y` for all others.
pub fn knowing(wrong: &[&str]) -> impl FnMut(&str, &str) -> Option<String> {
    let wrong: Vec<String> = wrong.iter().map(|name| (*name).to_owned()).collect();
    move |call, _| {
        let method = call.split('#').next().unwrap();
        Some(if wrong.iter().any(|name| name == method) { "n" } else { "y" }.to_owned())
    }
}

#[test]
fn without_a_main_in_scope_the_whole_run_is_looked_into() {
    let project = Project::compiled(&["no-main"], &[]);
    for jdk in jdks() {
        let recorded =
            record(&["--exclude", "driver"], &java(&jdk, &[&project.classes()], &["driver.Driver"]));
        unanswered(&recorded.path(), &[]);
        let played = play(&recorded.path(), &[], knowing(&["Till.total", "Till.withTax"]));
        assert_eq!(played.outcome(), ("buggy", "Till.withTax"), "{played:?}");
        // Who finds nothing wrong is not told that something is.
        let played = play(&recorded.path(), &[], knowing(&[]));
        assert_eq!(played.outcome(), ("correct", "-"), "{played:?}");
        assert!(!played.asked.is_empty(), "{played:?}");
    }
}

#[test]
fn a_call_that_never_ended_is_a_suspect_like_others() {
    let project = Project::compiled(&["hang"], &[]);
    for jdk in jdks() {
        let mut command = vec!["timeout".to_owned(), "-s".to_owned(), "KILL".to_owned(), "4".to_owned()];
        command.extend(java(&jdk, &[&project.classes()], &["jobs.Main"]));
        let recorded = record(&[], &command);
        let played = unanswered(&recorded.path(), &[]);
        assert!(played.lines[0]["question"].is_object(), "{played:?}");
        // `next` is right as long as there is a word, and wrong where there is none: at 4 it gives 4.
        let stuck = |call: &str, text: &str| {
            let wrong = match call.split('#').next().unwrap() {
                "Parser.next" => text.contains("4) = 4"),
                "Parser.find" | "Parser.rest" => false,
                _ => true,
            };
            Some(if wrong { "n" } else { "y" }.to_owned())
        };
        let played = play(&recorded.path(), &[], stuck);
        assert_eq!(played.outcome(), ("buggy", "Parser.next"), "{played:?}");
    }
}

#[test]
fn a_test_that_never_ended_is_the_symptom_and_not_the_first_call() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["hang-test"], &[&standalone]);
    for jdk in jdks() {
        let mut command = vec!["timeout".to_owned(), "-s".to_owned(), "KILL".to_owned(), "12".to_owned()];
        command.extend(junit(&jdk, &standalone, &project.classes()));
        let recorded = record(&[], &command);
        unanswered(&recorded.path(), &[]);
        // That it waits is right by what it was given: what it was given is not.
        let played = play(&recorded.path(), &[], knowing(&["Gate.new"]));
        assert_eq!(played.outcome(), ("buggy", "Gate.new"), "{played:?}");
        let text = run(inquest(&["ask", "--fresh", "--answers", "/dev/null"]).arg(recorded.path()), None);
        assert!(text.stdout.contains("GateTest.opensWithAllKeys#1, which never ended"), "{text:?}");
    }
}

#[test]
fn the_jvm_of_a_build_tool_is_not_debugged() {
    let (Some(ant), Some(launcher)) = (jar("ant"), jar("ant-launcher")) else { return };
    let project = Project::compiled(&["build-tool/task", "build-tool/app"], &[&ant]);
    let script = root().join("fixtures/traps/build-tool/build.xml").display().to_string();
    for jdk in jdks() {
        let classes = format!("-Dclasses={}", project.classes().display());
        let java_of = format!("-Djava={}", jdk.java().display());
        let words = ["org.apache.tools.ant.Main", "-q", "-f", &script, &classes, &java_of];
        let recorded = record(&[], &java(&jdk, &[&launcher, &ant], &words));
        let folders: Vec<PathBuf> =
            fs::read_dir(recorded.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(folders.len(), 2, "Ant's JVM and the program's: {folders:?}");
        let (mut refused, mut found) = (0, 0);
        for folder in &folders {
            let ran = run(inquest(&["ask", "--fresh", "--json", "--answers", "/dev/null"]).arg(folder), None);
            if ran.code == Some(2) {
                let other = folders.iter().find(|other| *other != folder).unwrap();
                assert!(ran.stderr.contains("this is Ant's own JVM"), "{ran:?}");
                assert!(ran.stderr.contains(&other.display().to_string()), "{ran:?}");
                refused += 1;
                continue;
            }
            let played = play(folder, &[], knowing(&["Main.half"]));
            assert_eq!(played.outcome(), ("buggy", "Main.half"), "{played:?}");
            found += 1;
        }
        assert_eq!((refused, found), (1, 1));
    }
}

/// A project of two modules, of which one comes as a jar: `lib/target/rates-1.0.jar`, or `vendor/rates.jar` without sources.
pub fn with_jar(jar: &str) -> (Project, PathBuf) {
    let project = Project { folder: tempfile::tempdir_in(scratch()).unwrap() };
    let (compiled, jar) = (project.path("compiled"), project.path(jar));
    project.compile(&["sibling/lib"], &[], &compiled);
    fs::create_dir_all(jar.parent().unwrap()).unwrap();
    let mut pack = Command::new(jdk17().home.join("bin/jar"));
    let ran = run(pack.arg("cf").arg(&jar).arg("-C").arg(&compiled).arg("."), None);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    fs::remove_dir_all(compiled).unwrap();
    project.compile(&["sibling/app"], &[&jar], &project.classes());
    (project, jar)
}

#[test]
fn a_module_of_the_same_build_is_program_code_also_as_a_jar() {
    let (project, jar) = with_jar("lib/target/rates-1.0.jar");
    fs::copy(root().join("fixtures/traps/sibling/lib/pom.xml"), project.path("lib/pom.xml")).unwrap();
    for jdk in jdks() {
        let recorded = record(&[], &java(&jdk, &[&project.classes(), &jar], &["shop.Main"]));
        unanswered(&recorded.path(), &[]);
        let played = play(&recorded.path(), &[], knowing(&["Main.price", "Rates.percent"]));
        assert_eq!(played.outcome(), ("buggy", "Rates.percent"), "{played:?}");
    }
}

#[test]
fn what_is_trusted_as_a_library_is_named_where_the_defect_could_be() {
    let (project, jar) = with_jar("vendor/rates.jar");
    for jdk in jdks() {
        let recorded = record(&[], &java(&jdk, &[&project.classes(), &jar], &["shop.Main"]));
        let played = play(&recorded.path(), &[], knowing(&["Main.price"]));
        assert_eq!(played.outcome(), ("buggy", "Main.price"), "{played:?}");
        assert_eq!(
            played.verdict["trusted"],
            serde_json::json!([{"name": "rates.jar", "calls": 1}]),
            "{played:?}"
        );
        let answers = project.path("answers");
        fs::write(&answers, "n\n").unwrap();
        let text = run(inquest(&["ask", "--fresh", "--answers"]).arg(answers).arg(recorded.path()), None);
        assert!(text.stdout.contains("or in what it trusted: rates.jar, 1 call"), "{text:?}");
    }
}

#[test]
fn nobody_answers_for_what_is_not_recorded() {
    let [good, buggy] =
        ["good", "buggy"].map(|version| Project::compiled(&[&format!("opaque/{version}")], &[]));
    for jdk in jdks() {
        let [good, buggy] =
            [&good, &buggy].map(|project| record(&[], &java(&jdk, &[&project.classes()], &["Sums"])));
        let oracle = format!("reference:{}", good.path().display());
        let options = ["--oracle", &oracle, "--oracle", "user"];
        unanswered(&buggy.path(), &options);
        let played = play(&buggy.path(), &options, knowing(&["Sums.of"]));
        assert_eq!(played.outcome(), ("buggy", "Sums.of"), "{played:?}");
    }
}

#[test]
fn a_stale_value_is_followed_to_who_put_it_in_before_the_test_began() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["cache"], &[&standalone]);
    for jdk in jdks() {
        let recorded = record(&[], &junit(&jdk, &standalone, &project.classes()));
        let answer = |call: &str, _: &str| {
            Some(match call.split('#').next().unwrap() {
                // What it gives is wrong; who says so does not know whose fault it is.
                "Prices.get" => "n result".to_owned(),
                "Basket.add" | "Prices.put" | "Prices.load" => "n".to_owned(),
                _ => "y".to_owned(),
            })
        };
        let played = play(&recorded.path(), &[], answer);
        assert_eq!(played.outcome(), ("buggy", "Prices.put"), "{played:?}");
        assert_eq!(played.verdict["call"], "Prices.put#1", "{played:?}");
        // If who put it in was right, it is the getter's fault, which takes the wrong one.
        let answer = |call: &str, _: &str| {
            Some(match call.split('#').next().unwrap() {
                "Prices.get" => "n result".to_owned(),
                "Basket.add" => "n".to_owned(),
                _ => "y".to_owned(),
            })
        };
        let played = play(&recorded.path(), &[], answer);
        assert_eq!(played.outcome(), ("buggy", "Prices.get"), "{played:?}");
    }
}

#[test]
fn a_location_that_has_nothing_to_do_with_the_question_is_refused() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["cache"], &[&standalone]);
    let recorded = record(&[], &junit(&jdk17(), &standalone, &project.classes()));
    let mut said = 0;
    let played = play(&recorded.path(), &["--root", "BasketTest.twoOfOneKind#1"], |_, _| {
        said += 1;
        // A variable of a call that is over, and was somewhere else.
        (said == 1).then(|| "n Prices.put#2:parts".to_owned())
    });
    let notes: Vec<&str> = played.lines.iter().filter_map(|line| line["note"].as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("has nothing to do with")), "{played:?}");
    assert_eq!(played.verdict["answers"], 0, "{played:?}");
}

#[test]
fn a_test_that_fails_in_the_good_version_too_is_not_the_symptom() {
    let Some(standalone) = standalone() else { return };
    let [good, buggy] = ["good", "buggy"].map(|version| {
        Project::compiled(&[&format!("both-fail/{version}"), "both-fail/tests"], &[&standalone])
    });
    for jdk in jdks() {
        let [good, buggy] =
            [&good, &buggy].map(|project| record(&[], &junit(&jdk, &standalone, &project.classes())));
        let oracle = format!("reference:{}", good.path().display());
        let options = ["--oracle", &oracle, "--oracle", "user"];
        let played = play(&buggy.path(), &options, |_, _| None);
        assert_eq!(played.outcome(), ("buggy", "Rounding.down"), "{played:?}");
        assert!(played.asked.is_empty(), "{played:?}");
        // Of the one that always fails the good version finds everything right: that does not make the test guilty.
        let root = ["--root", "RoundingTest.aZoneOfThisMachine#1"];
        let options = [&options[..], &root].concat();
        let played = unanswered(&buggy.path(), &options);
        assert!(played.verdict["lacking"].as_str().unwrap().contains("oracles"), "{played:?}");
        let played = play(&buggy.path(), &options, knowing(&["Rounding.zone", "Rounding.label"]));
        assert_eq!(played.outcome(), ("buggy", "Rounding.label"), "{played:?}");
        let played = play(&buggy.path(), &options, knowing(&[]));
        assert_eq!(played.outcome(), ("buggy", "RoundingTest.aZoneOfThisMachine"), "{played:?}");
        assert_eq!(
            played.calls(),
            ["Rounding.zone#1"],
            "what the oracle found right is asked again: {played:?}"
        );
    }
}

#[test]
fn a_lost_update_is_found_in_the_call_that_read_too_early() {
    let project = Project::compiled(&["lost-update"], &[]);
    for jdk in jdks() {
        let recorded = record(&[], &java(&jdk, &[&project.classes()], &["bank.Main"]));
        unanswered(&recorded.path(), &[]);
        // The one of 10 began at 0, and what the one of 5 added in between is gone.
        let answer = |call: &str, text: &str| {
            let lost = call.starts_with("Account.add") && text.contains("add(10");
            let around =
                (call.starts_with("Main.run") || call.starts_with("Main.lambda")) && text.contains("10");
            Some(if lost || around { "n" } else { "y" }.to_owned())
        };
        let played = play(&recorded.path(), &[], answer);
        assert_eq!(played.outcome(), ("buggy", "Account.add"), "{played:?}");
        // What the other thread wrote is not taken for the call's own, and seen in it.
        let lost = "balance: 0 → 10 (meanwhile 5 by thread quick)";
        let asks = |line: &Value| line["question"]["text"].as_str().is_some_and(|text| text.contains(lost));
        assert!(played.lines.iter().any(asks), "{played:?}");
        let ran = run(inquest(&["show"]).arg(recorded.path()).arg("Account.add#1"), None);
        assert!(ran.stdout.contains("0 → 10 (meanwhile 5 by thread quick)"), "{ran:?}");
    }
}

#[test]
fn a_suite_of_old_and_new_tests_begins_at_a_failed_one_and_says_what_it_compared() {
    let (Some(junit4), Some(hamcrest)) = (jar("junit4"), jar("hamcrest")) else { return };
    let project = Project { folder: tempfile::tempdir_in(scratch()).unwrap() };
    project.compile(&["../suite"], &[&junit4, &hamcrest], &project.classes());
    for jdk in jdks() {
        let classes = project.classes();
        let path: &[&Path] = &[&classes, &junit4, &hamcrest];
        let recorded = record(&[], &java(&jdk, path, &["junit.textui.TestRunner", "shop.AllTests"]));
        // JUnit 3 runs tests in the order in which the JVM has their methods.
        let ran = run(inquest(&["ask", "--answers", "/dev/null"]).arg(recorded.path()), None);
        let begins = |line: &&str| line.contains("a test that failed: ");
        let symptom = ran.stdout.lines().find(begins).unwrap_or_else(|| panic!("{ran:?}"));
        assert!(["OldTest.test", "NewTest."].iter().any(|test| symptom.contains(test)), "{symptom}");
        let failures = ["testName", "testPrice", "testBoth", "NewTest.sums", "NewTest.counts"];
        assert!(failures.iter().any(|test| symptom.contains(test)), "{symptom}");
        let root = ["--root", "OldTest.testName#1", "--ask-root", "--answers", "/dev/null", "--json"];
        let ran = run(inquest(&["ask"]).args(root).arg(recorded.path()), None);
        let first: Value = serde_json::from_str(ran.stdout.lines().next().unwrap_or("")).unwrap();
        assert_eq!(first["question"]["call"], "OldTest.testName#1", "{ran:?}");
        // What another thread put into a map that all share is not the test's doing.
        let is_own = |change: &Value| {
            change["name"].as_str().is_some_and(|name| !name.contains("SEEN"))
                || change["meanwhile"].is_object()
        };
        let changes = first["question"]["changes"].as_array().unwrap();
        assert!(changes.len() < 5 && changes.iter().all(is_own), "{changes:?}");
        let ran = run(
            inquest(&["ask", "--root", "OldTest.testName#1", "--answers", "/dev/null"]).arg(recorded.path()),
            None,
        );
        assert!(!ran.stdout.contains("job-"), "{ran:?}");
        let shown = run(inquest(&["find", "--thrown", "ComparisonFailure"]).arg(recorded.path()), None);
        assert!(shown.stdout.contains("ComparisonFailure: expected:<m[i]lk> but was:<m[u]lk>"), "{shown:?}");
    }
}

#[test]
fn what_only_a_passing_test_of_the_same_code_vouches_for_is_asked_before_something_else_is_blamed() {
    let Some(standalone) = standalone() else { return };
    let project = Project::compiled(&["weak-test"], &[&standalone]);
    for jdk in jdks() {
        let recorded = record(&[], &junit(&jdk, &standalone, &project.classes()));
        let oracle = format!("tests:{}", recorded.path().display());
        let options = ["--root", "PricesTest.tenAreCheaper#1", "--oracle", &oracle];
        let played = play(&recorded.path(), &options, knowing(&["Prices.price", "Prices.discount"]));
        let vouched = |line: &&Value| line["by"].as_str().is_some_and(|by| by.starts_with("tests:"));
        let vouched: Vec<&str> = played
            .lines
            .iter()
            .filter(vouched)
            .filter_map(|line| line["question"]["call"].as_str())
            .collect();
        assert!(vouched.iter().any(|call| call.starts_with("Prices.discount#")), "{played:?}");
        assert!(played.calls().iter().any(|call| call.starts_with("Prices.discount#")), "{played:?}");
        assert_eq!(played.outcome(), ("buggy", "Prices.discount"), "{played:?}");
        // Who finds it right all the same blames what called it; who finds nothing wrong, the test.
        let played = play(&recorded.path(), &options, knowing(&["Prices.price"]));
        assert_eq!(played.outcome(), ("buggy", "Prices.price"), "{played:?}");
        let played = play(&recorded.path(), &options, knowing(&[]));
        assert_eq!(played.outcome(), ("buggy", "PricesTest.tenAreCheaper"), "{played:?}");
        unanswered(&recorded.path(), &options);
    }
}

#[test]
fn code_that_is_made_while_the_program_runs_is_not_blamed_but_what_made_it_so() {
    let [good, buggy] =
        ["good", "buggy"].map(|version| Project::compiled(&["made/common", &format!("made/{version}")], &[]));
    for jdk in jdks() {
        let [good, buggy] =
            [&good, &buggy].map(|project| record(&[], &java(&jdk, &[&project.classes()], &["app.Main"])));
        for (root, guilty) in [("Main.area#1", "Factors.of"), ("Main.taxed#1", "Rates.of")] {
            // A good version needs nobody.
            let reference = format!("reference:{}", good.path().display());
            let played = play(&buggy.path(), &["--root", root, "--oracle", &reference], |_, _| None);
            assert_eq!(played.outcome(), ("buggy", guilty), "{played:?}");
            // Passing runs confirm none of it, however the classes are called.
            let tests = format!("tests:{}", good.path().display());
            let wrong = ["Main.area", "Main.taxed", "Maker.lambda$tax$0", guilty];
            let played = play(&buggy.path(), &["--root", root, "--oracle", &tests], knowing(&wrong));
            assert_eq!(played.outcome(), ("buggy", guilty), "{played:?}");
            for line in &played.lines {
                let call = line["question"]["call"].as_str().unwrap_or("");
                let said = line["by"].as_str().is_some_and(|by| by.starts_with("tests:"));
                assert!(!said || !call.starts_with("Template.applyAsInt"), "{line}");
            }
        }
    }
}
