//! `inquest test`: what a developer types when a test is red, with the build tools that are here. The builds are those of
//! `fixtures/builds`, each in a copy; what is printed by the build, and its exit code, are its own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::debuggee::{Jdk, Ran, inquest, jar, jdk17, jdks, left_out, root, run, scratch};
use crate::oracles::compiled;

/// A copy of a build, in which it is run.
pub struct Build(tempfile::TempDir);

impl Build {
    pub fn new(name: &str) -> Build {
        let build = Build(tempfile::tempdir_in(scratch()).unwrap());
        copy(&root().join("fixtures/builds").join(name), build.path());
        build
    }

    fn empty() -> Build {
        Build(tempfile::tempdir_in(scratch()).unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// `inquest test` with its recording in `red`.
    pub fn test(&self, options: &[&str], command: &[&str]) -> Ran {
        let mut all = vec!["test", "-o", "red"];
        all.extend(options);
        all.push("--");
        all.extend(command);
        self.inquest(&all)
    }

    pub fn inquest(&self, arguments: &[&str]) -> Ran {
        run(&mut self.command(arguments), None)
    }

    /// The build tools run on Java 17, with which all of them work.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = inquest(arguments);
        command.current_dir(self.path()).env("JAVA_HOME", jdk17().home).env_remove("JAVA_TOOL_OPTIONS");
        command.env("GRADLE_USER_HOME", scratch().join("gradle"));
        command
    }

    pub fn replace(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path().join(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(self.path().join(file), text.replace(from, to)).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

/// What `--json` ends with.
pub fn last_line(ran: &Ran) -> Value {
    let line = ran.stdout.lines().last().unwrap_or_else(|| panic!("{ran:?}"));
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

pub fn counts(document: &Value) -> [u64; 3] {
    ["tests", "passed", "failed"].map(|key| document[key].as_u64().unwrap())
}

fn tests(document: &Value) -> Vec<&str> {
    document["failures"].as_array().unwrap().iter().map(|one| one["test"].as_str().unwrap_or("-")).collect()
}

fn has(what: &str, file: &str) -> bool {
    let there = Path::new(file).exists();
    if !there {
        left_out(&format!("inquest test: {what}"), "scripts/need builds");
    }
    there
}

fn has_ant() -> bool {
    has("Ant", "/usr/share/ant/lib/ant-junit.jar") && has("Ant", "/usr/share/java/junit4.jar")
}

pub const MAVEN: [&str; 4] = ["mvn", "-o", "-s", "/etc/maven/settings-debian.xml"];

pub fn has_maven() -> bool {
    has("Maven", "/usr/share/maven-repo/org/apache/maven/surefire/surefire-junit-platform")
}

/// Two modules, the second with the first as a jar; each in a JVM of its own, and a build that goes on after failures.
#[test]
fn maven_modules_are_one_run_and_each_failure_can_be_asked_about() {
    if !has_maven() {
        return;
    }
    let build = Build::new("maven");
    let words = [&MAVEN[..], &["-B", "-Dmaven.test.failure.ignore=true", "package"]].concat();
    let ran = build.test(&["--json"], &words);
    assert_eq!(ran.code, Some(0), "as Maven ends: {ran:?}");
    assert!(ran.stdout.contains("BUILD SUCCESS"), "{ran:?}");
    let document = last_line(&ran);
    // One test of six gave up.
    assert_eq!(counts(&document), [6, 3, 2], "{document:#}");
    let mut failed = tests(&document);
    failed.sort_unstable();
    assert_eq!(failed, ["CartTest.tenAreCheaper", "CartTest.tenOfTwoKindsAreCheaper"]);
    assert!(
        ran.stderr.contains("6 tests: 3 passed, 2 failed, 1 skipped; recorded to red (2 JVMs"),
        "{ran:?}"
    );
    // Both for one reason, which lies in the jar of the other module.
    assert!(ran.stderr.contains("2 tests fail alike"), "{ran:?}");
    for failure in document["failures"].as_array().unwrap() {
        assert_eq!(failure["alike"], 1);
        let number = failure["symptom"].to_string();
        let words = ["ask", "--symptom", &number, "--fresh", "--answers", "/dev/null"];
        let asked = build.inquest(&[&words[..], &[failure["dir"].as_str().unwrap()]].concat());
        assert!(asked.stdout.contains(failure["test"].as_str().unwrap()), "{asked:?}");
    }
    let found = build.inquest(&["ask", "red", "--fresh", "--answers", "/dev/null"]);
    assert!(found.stdout.contains("Prices.total") || found.stdout.contains("Cart.add"), "{found:?}");
    // The build tool's own JVM is not among them.
    let red = fs::read_dir(build.path().join("red")).unwrap();
    assert_eq!(red.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count(), 2);
    // The rest of the commands choose by the symptom too.
    let tree = build.inquest(&["tree", "red", "--depth", "1", "--json"]);
    assert!(tree.code == Some(0) && tree.stderr.contains("this is red/jvm-"), "{tree:?}");
    let verified: Value = serde_json::from_str(&build.inquest(&["verify", "red", "--json"]).stdout).unwrap();
    assert!(verified.as_array().is_some_and(|all| all.iter().all(|one| one["ok"] == true)), "{verified:#}");
    let report = build.inquest(&["report", "red"]);
    assert!(report.code == Some(1) && report.stdout.contains("2 recorded JVMs"), "{report:?}");
}

#[test]
fn maven_builds_without_a_test_say_why() {
    if !has_maven() {
        return;
    }
    let build = Build::new("maven");
    build.replace("core/src/main/java/core/Prices.java", "int total = ", "int total = !");
    let ran = build.test(&["--json"], &[&MAVEN[..], &["-B", "test"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("mvn ended with exit code 1 before the first of them"), "{ran:?}");
    assert_eq!(counts(&last_line(&ran)), [0, 0, 0]);
    assert!(!build.path().join("red").exists(), "nothing is left of it");

    let empty = Build::empty();
    let ran = empty.test(&[], &[&MAVEN[..], &["-B", "test"]].concat());
    assert!(ran.code == Some(1) && ran.stderr.contains("there is no pom.xml in"), "{ran:?}");
    assert!(!empty.path().join("red").exists());
}

/// Tests in a JVM of their own and in Ant's, of JUnit 3 and 4; and none at all.
#[test]
fn ant_is_recorded_with_and_without_a_jvm_for_the_tests() {
    if !has_ant() {
        return;
    }
    for fork in ["-Dfork=yes", "-Dfork=no"] {
        let build = Build::new("ant");
        // By itself Ant stops at the first test class that fails.
        build.replace(
            "build.xml",
            "haltonfailure=\"yes\"",
            "haltonfailure=\"no\" failureproperty=\"failed\"",
        );
        build.replace("build.xml", "</junit>", "</junit><fail if=\"failed\"/>");
        let ran = build.test(&["--json"], &["ant", fork, "test"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let document = last_line(&ran);
        assert_eq!(counts(&document), [3, 2, 1], "{fork}: {document:#}");
        assert_eq!(tests(&document), ["TillTest.changeIsWhatIsLeft"]);
        assert_eq!(document["failures"][0]["text"], "expected 3, was 4", "{fork}");
        let asked = build.inquest(&["ask", "red", "--symptom", "1", "--answers", "/dev/null"]);
        assert!(asked.stdout.contains("Till.change"), "{fork}: {asked:?}");
        // Nothing of it stands in the way of the next one.
        let again = build.test(&["--force"], &["ant", fork, "-Dgreen=true", "test"]);
        assert!(again.code == Some(0) && again.stderr.contains("3 tests: 3 passed;"), "{again:?}");
    }
    let build = Build::new("ant");
    let ran = build.test(&[], &["ant", "compile"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("ant ran no test"), "{ran:?}");
}

/// A daemon has the environment of whoever started it, and still its tests are recorded; also in the next run, where nothing
/// changed.
#[test]
fn gradles_tests_are_recorded_behind_its_daemon() {
    if !has("Gradle", "/usr/bin/gradle") || !has("Gradle", "/usr/share/java/junit4.jar") {
        return;
    }
    let build = Build::new("gradle");
    let _daemon = Daemon;
    for round in 0..2 {
        let ran = build.test(&["--json", "--force"], &["gradle", "--offline", "test"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let document = last_line(&ran);
        assert_eq!(
            (counts(&document), tests(&document)),
            ([2, 1, 1], vec!["TillTest.changeIsWhatIsLeft"]),
            "{round}"
        );
    }
    let green = build.test(&["--force"], &["gradle", "--offline", "-Pgreen=true", "test"]);
    assert!(green.code == Some(0) && green.stderr.contains("2 tests: 2 passed;"), "{green:?}");
    // The daemon lives on, and knows nothing of us.
    let plain = run(
        Command::new("gradle")
            .args(["--offline", "-Pgreen=true", "test"])
            .current_dir(build.path())
            .env("JAVA_HOME", jdk17().home)
            .env("GRADLE_USER_HOME", scratch().join("gradle")),
        None,
    );
    assert!(plain.code == Some(0) && !plain.stderr.contains("inquest"), "{plain:?}");
    // A script that calls it is not reached.
    let script = build.test(&["--force"], &["sh", "-c", "gradle --offline test"]);
    assert!(script.stderr.contains("sh called Gradle, whose tests a daemon runs"), "{script:?}");
    let none = build.test(&["--force"], &["gradle", "--offline", "classes"]);
    assert!(none.code == Some(2) && none.stderr.contains("gradle ran no test"), "{none:?}");
}

/// Ends the daemons that the test's own folder of Gradle's has.
struct Daemon;

impl Drop for Daemon {
    fn drop(&mut self) {
        let mut stop = Command::new("gradle");
        stop.arg("--stop").env("JAVA_HOME", jdk17().home).env("GRADLE_USER_HOME", scratch().join("gradle"));
        run(&mut stop, None);
    }
}

/// The command of JUnit's console for compiled tests of a small shop.
fn console(jdk: &Jdk, version: &str) -> Option<Vec<String>> {
    let junit = jar("junit-platform-console-standalone")?;
    let folders = ["common/shop".to_owned(), format!("{version}/shop"), "tests/shop".to_owned()];
    let classes = compiled("junit", version, &folders.each_ref().map(String::as_str), &junit);
    let (classes, junit) = (classes.display().to_string(), junit.display().to_string());
    let words =
        ["-cp", &junit, "org.junit.platform.console.ConsoleLauncher", "--details=none", "-cp", &classes];
    let mut command = vec![jdk.java().display().to_string()];
    command.extend(words.map(str::to_owned));
    command.extend(["--scan-classpath".to_owned(), classes]);
    Some(command)
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

#[test]
fn a_launcher_of_tests_is_recorded_and_its_output_and_exit_code_are_its_own() {
    for jdk in jdks() {
        let (Some(red), Some(green)) = (console(&jdk, "buggy"), console(&jdk, "good")) else { return };
        let build = Build::empty();
        let plain = run(Command::new(&red[0]).args(&red[1..]).current_dir(build.path()), None);
        let ran = build.test(&[], &words(&red));
        let timeless = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.contains(" ms")).map(str::to_owned).collect()
        };
        assert_eq!((ran.code, timeless(&ran.stdout)), (plain.code, timeless(&plain.stdout)));
        let stderr: Vec<&str> = ran.stderr.lines().collect();
        assert!(
            stderr[0].starts_with("inquest: ")
                && stderr[0].contains(" 4 failed, 2 skipped; recorded to red ("),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("       inquest ask red\n"), "{ran:?}");
        // They fail for one reason, in tests of JUnit 3, 4 and 5.
        assert!(ran.stderr.contains("4 tests fail alike"), "{ran:?}");
        let green = build.test(&["--force", "--json"], &words(&green));
        let document = last_line(&green);
        assert!(green.code == Some(0) && tests(&document).is_empty(), "{green:?}");
        assert_eq!((counts(&document), &document["skipped"]), ([14, 12, 0], &Value::from(2)), "{green:?}");
    }
}

/// Answers lead into the dialogue; the build's exit code stays, and the last line is what failed.
#[test]
fn answers_are_taken_at_once() {
    let jdk = jdk17();
    let Some(red) = console(&jdk, "buggy") else { return };
    let build = Build::empty();
    let ran = build.test(&["--json", "--answers", "/dev/null"], &words(&red));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines: Vec<Value> = ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let [.., verdict, last] = &lines[..] else { panic!("{ran:?}") };
    assert!(verdict["verdict"].is_string() && last["failures"].is_array(), "{ran:?}");
    // A number that is not there is said, and changes nothing of how the build ended.
    let ran = build.test(&["--force", "--symptom", "99", "--answers", "/dev/null"], &words(&red));
    assert!(ran.code == Some(1) && ran.stderr.contains("the dialogue ended: "), "{ran:?}");
}

/// What hangs is ended after a time, and what had not ended is what is wrong.
#[test]
fn a_test_that_hangs_is_ended_and_is_the_symptom() {
    if !has_ant() {
        return;
    }
    let build = Build::new("ant");
    let compiled = run(
        Command::new("ant").arg("compile").current_dir(build.path()).env("JAVA_HOME", jdk17().home),
        None,
    );
    assert_eq!(compiled.code, Some(0), "{compiled:?}");
    let began = Instant::now();
    let ran = build.test(&["--json", "--timeout", "15s"], &["ant", "-Dgreen=true", "-Dhang=true", "test"]);
    assert!(began.elapsed() < Duration::from_secs(60), "{ran:?}");
    assert!(
        ran.code != Some(0) && ran.stderr.contains("what had not ended after 15.0 s was ended"),
        "{ran:?}"
    );
    let document = last_line(&ran);
    let failure = &document["failures"][0];
    assert_eq!(failure["kind"], "never-ended", "{document:#}");
    assert!(failure["text"].as_str().unwrap().contains("CountDownLatch.await"), "{document:#}");
    let asked = build.inquest(&["ask", "red", "--symptom", "1", "--answers", "/dev/null"]);
    assert!(asked.stdout.contains("TillTest.somebodyPays"), "{asked:?}");
}

/// Ctrl-C in a terminal reaches the whole group of processes.
#[test]
fn what_was_interrupted_is_the_symptom() {
    use std::os::unix::process::CommandExt;
    if !has_ant() {
        return;
    }
    let build = Build::new("ant");
    let direct =
        build.command(&["test", "-o", "red", "--json", "--", "ant", "-Dgreen=true", "-Dhang=true", "test"]);
    // Who runs tests in the background of a script has them ignore Ctrl-C, and so would all below.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(direct.get_program()).args(direct.get_args());
    command.current_dir(build.path());
    for (name, value) in direct.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = build.path().join("output");
    command.process_group(0).stdout(fs::File::create(&output).unwrap());
    let mut child = command.stderr(fs::File::create(build.path().join("errors")).unwrap()).spawn().unwrap();
    // Until the test hangs.
    let began = Instant::now();
    let reached = |text: &str| fs::read_to_string(&output).unwrap().contains(text);
    while !reached("Testsuite: till.OldTest") && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(3));
    let interrupted = Command::new("kill").args(["-s", "INT", "--", &format!("-{}", child.id())]).status();
    assert!(interrupted.unwrap().success());
    let code = child.wait().unwrap().code();
    let ran = Ran {
        code,
        stdout: fs::read_to_string(&output).unwrap(),
        stderr: fs::read_to_string(build.path().join("errors")).unwrap(),
    };
    assert!(ran.code != Some(0), "{ran:?}");
    let document = last_line(&ran);
    assert_eq!(document["failures"][0]["kind"], "never-ended", "{document:#} {ran:?}");
}

/// A command that fails every third time.
#[test]
fn a_flaky_test_is_run_until_it_fails_and_only_that_run_is_kept() {
    let jdk = jdk17();
    let (Some(red), Some(green)) = (console(&jdk, "buggy"), console(&jdk, "good")) else { return };
    let build = Build::empty();
    let quoted =
        |words: &[String]| words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let script = build.path().join("flaky.sh");
    let text = format!(
        "#!/bin/sh\necho run >> runs\nif [ $(wc -l < runs) -ge 3 ]; then exec {}; fi\nexec {}\n",
        quoted(&red),
        quoted(&green)
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = build.test(&["--json", "--until-fail", "5"], &["./flaky.sh"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("run 2 of 5: no test failed"), "{ran:?}");
    assert!(ran.stderr.contains("run 3 of 5: something failed"), "{ran:?}");
    assert!(!tests(&last_line(&ran)).is_empty());
    assert_eq!(fs::read_to_string(build.path().join("runs")).unwrap().lines().count(), 3);
    assert!(build.path().join("red/manifest.json").exists());
    // Where nothing fails nothing is kept.
    let ran = build.test(&["--force", "--until-fail", "2"], &words(&green));
    assert!(ran.code == Some(0) && ran.stderr.contains("run 2 of 2: no test failed"), "{ran:?}");
    assert!(!build.path().join("red/manifest.json").exists(), "{ran:?}");
}

/// One JVM green, one red.
#[test]
fn only_the_recordings_of_failures_are_kept_if_asked_for() {
    let jdk = jdk17();
    let (Some(red), Some(green)) = (console(&jdk, "buggy"), console(&jdk, "good")) else { return };
    let build = Build::empty();
    let quoted =
        |words: &[String]| words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let both = format!("{}; {}", quoted(&green), quoted(&red));
    let all = build.test(&["--json"], &["sh", "-c", &both]);
    let kept = |at: &str| -> Vec<PathBuf> {
        fs::read_dir(build.path().join(at)).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    assert_eq!(kept("red").iter().filter(|path| path.is_dir()).count(), 2);
    let some = build.test(&["--json", "--force", "--keep", "failed"], &["sh", "-c", &both]);
    let jvms = kept("red").iter().filter(|path| path.is_dir()).count();
    assert_eq!(jvms, 1, "{some:?}");
    let numbers = |ran: &Ran| -> Vec<(String, Value)> {
        let document = last_line(ran);
        let list = document["failures"].as_array().unwrap();
        list.iter().map(|one| (one["test"].to_string(), one["symptom"].clone())).collect()
    };
    assert_eq!((counts(&last_line(&all)), numbers(&all)), (counts(&last_line(&some)), numbers(&some)));
    let asked = build.inquest(&["ask", "red", "--symptom", "1", "--answers", "/dev/null"]);
    assert!(asked.code == Some(3) || asked.code == Some(0), "{asked:?}");
}

#[test]
fn what_cannot_be_recorded_says_why() {
    let build = Build::empty();
    // Nothing of the program ran.
    let java = jdk17().java().display().to_string();
    let ran = build.test(&["--json"], &[&java, "-version"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("no test was recorded"), "{ran:?}");
    assert_eq!(counts(&last_line(&ran)), [0, 0, 0]);
    let ran = build.test(&[], &["true"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("started no JVM that inquest could reach"), "{ran:?}");
    let ran = build.test(&[], &["sh", "-c", "exit 7"]);
    assert!(ran.code == Some(7) && ran.stderr.contains("no test was recorded"), "{ran:?}");
    // An old Java in the environment.
    let old = build.path().join("jdk-11");
    fs::create_dir_all(old.join("bin")).unwrap();
    fs::create_dir_all(old.join("lib")).unwrap();
    fs::write(old.join("lib/jvm.cfg"), "").unwrap();
    fs::write(old.join("release"), "JAVA_VERSION=\"11.0.2\"\n").unwrap();
    fs::write(old.join("bin/java"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(old.join("bin/java"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = build.command(&["test", "-o", "red", "--", "sh", "-c", "exec $JAVA_HOME/bin/java"]);
    let ran = run(command.env("JAVA_HOME", &old), None);
    assert!(
        ran.code == Some(2) && ran.stderr.contains("is Java 11.0.2; inquest records Java 17 or newer"),
        "{ran:?}"
    );
    // A file in the way of the recording.
    fs::write(build.path().join("red"), "").unwrap();
    let ran = build.test(&[], &["true"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("is not a folder"), "{ran:?}");
}

/// `inquest record` says what failed, and what to type next.
#[test]
fn a_plain_recording_says_what_failed_too() {
    let jdk = jdk17();
    let Some(red) = console(&jdk, "buggy") else { return };
    let build = Build::empty();
    let ran = build.inquest(&[&["record", "-o", "red", "--"], &words(&red)[..]].concat());
    assert!(
        ran.stderr.contains(" failed: ") && ran.stderr.contains("`inquest ask red` finds out why"),
        "{ran:?}"
    );
}
