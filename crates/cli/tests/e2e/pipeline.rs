//! `inquest report`: what a pipeline gets of a run in which tests failed, in every format, and the recipes of `docs/ci.md`, whose
//! shell parts run here with a build command that runs real tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::debuggee::{Ran, Recorded, binary, inquest, jar, jdk17, jdks, root, run, scratch};
use crate::oracles::compiled;

/// A project as a pipeline has it: sources in the usual place, and a `mvn` that runs its tests, which fail.
struct Project(tempfile::TempDir);

impl Project {
    /// None where there is no JUnit.
    fn new(version: &str) -> Option<Project> {
        let junit = jar("junit-platform-console-standalone")?;
        let folders = ["common/shop".to_owned(), format!("{version}/shop"), "tests/shop".to_owned()];
        let classes = compiled("junit", version, &folders.each_ref().map(String::as_str), &junit);
        let project = Project(tempfile::tempdir_in(scratch()).unwrap());
        for (folder, to) in folders.iter().zip(["main", "main", "test"]) {
            let to = project.path().join("src").join(to).join("java/shop");
            fs::create_dir_all(&to).unwrap();
            for source in fs::read_dir(root().join("fixtures/junit").join(folder)).unwrap() {
                let source = source.unwrap();
                fs::copy(source.path(), to.join(source.file_name())).unwrap();
            }
        }
        let tools = project.path().join("tools");
        fs::create_dir(&tools).unwrap();
        let script = format!(
            "#!/bin/sh\n[ \"$*\" = '-B test' ] || exit 64\nexec '{java}' -cp '{junit}' \
             org.junit.platform.console.ConsoleLauncher --details=none -cp '{classes}' --scan-classpath '{classes}'\n",
            java = jdk17().java().display(),
            junit = junit.display(),
            classes = classes.display(),
        );
        executable(&tools.join("mvn"), &script);
        Some(project)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn inquest(&self, arguments: &[&str]) -> Ran {
        run(inquest(arguments).current_dir(self.path()).env_remove("GITHUB_STEP_SUMMARY"), None)
    }

    /// Records its tests to `recordings`.
    fn record(&self) -> Ran {
        let mvn = self.path().join("tools/mvn");
        self.inquest(&["record", "-q", "-o", "recordings", "--", mvn.to_str().unwrap(), "-B", "test"])
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_report_says_what_failed_and_where_the_fault_is_likely() {
    let Some(project) = Project::new("buggy") else { return };
    assert_eq!(project.record().code, Some(1));
    let report = |options: &[&str]| project.inquest(&[&["report", "recordings"], options].concat());

    let symptoms = parsed(&project.inquest(&["symptoms", "recordings", "--json"]).stdout);
    let first = &symptoms[0];
    let markdown = report(&[]);
    assert_eq!(markdown.code, Some(1), "{markdown:?}");
    let text = |key: &str| first[key].as_str().unwrap();
    for part in [
        format!("## 1. `{}`", text("test")).as_str(),
        format!("- expected: `{}`\n- was: `{}`", text("expected"), text("actual")).as_str(),
        "| likely | method | place |",
        " % | `",
        "It is no verdict",
        "`inquest ask recordings`",
        "`inquest open recordings`",
        "`src/main/java/shop/",
    ] {
        assert!(markdown.stdout.contains(part), "no {part} in {}", markdown.stdout);
    }
    let json = parsed(&report(&["--json"]).stdout);
    let places = json["failures"][0]["places"].as_array().unwrap();
    let chances: Vec<f64> = places.iter().map(|place| place["probability"].as_f64().unwrap()).collect();
    assert!(!chances.is_empty() && chances.is_sorted_by(|one, next| one >= next), "{chances:?}");
    assert_eq!(json["failed"], true);
    assert_eq!(json["failures"][0]["test"], first["test"]);
    assert!(json["failures"][0]["path"].as_str().unwrap().starts_with("src/test/java/shop/"), "{json:#}");

    let html = report(&["-o", "failures.html", "--artifact", "the artifact <x>"]);
    assert_eq!((html.code, html.stdout.as_str()), (Some(1), ""));
    let page = project.read("failures.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("the artifact &lt;x&gt;"), "{page}");
    // Nobody was asked anything, and what is reported is what a dialogue begins by believing.
    assert!(!project.path().join("recordings/answers").exists());
    let asked = project.inquest(&[
        "ask",
        "recordings",
        "--json",
        "--answers",
        "/dev/null",
        "--transform",
        "loops,balance",
    ]);
    let question = asked.stdout.lines().map(parsed).find(|line| line["places"].is_array());
    let question = question.unwrap_or_else(|| panic!("nothing was asked: {asked:?}"));
    let listed = |list: &Value| -> Vec<(String, i64)> {
        let one = |place: &Value| {
            (place["method"].to_string(), (place["probability"].as_f64().unwrap() * 100.0).round() as i64)
        };
        list.as_array().unwrap().iter().map(one).collect()
    };
    assert_eq!(listed(&json["failures"][0]["places"]), listed(&question["places"]), "{asked:?}");
}

#[test]
fn a_report_for_tools_is_as_their_formats_want_it() {
    let Some(project) = Project::new("buggy") else { return };
    project.record();
    let report = |options: &[&str]| project.inquest(&[&["report", "recordings"], options].concat());
    let failures = parsed(&report(&["--json"]).stdout)["failures"].as_array().unwrap().len();

    // SARIF 2.1.0, section 3: what has to be there, and what refers to what.
    let sarif = parsed(&report(&["--format", "sarif"]).stdout);
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sarif["$schema"].as_str().unwrap().ends_with("sarif-2.1.0.json"));
    let found = &sarif["runs"][0];
    let driver = &found["tool"]["driver"];
    assert_eq!(driver["name"], "Inquest");
    let rules = driver["rules"].as_array().unwrap();
    assert!(
        found["invocations"].as_array().unwrap().iter().all(|one| one["executionSuccessful"].is_boolean())
    );
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), failures);
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"], "{result:#}");
        assert_eq!(result["level"], "error");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let related = result["relatedLocations"].as_array().unwrap();
        assert!(related.iter().any(|one| one["message"]["text"].as_str().unwrap().contains(" % ")
            || one["message"]["text"].as_str().unwrap().ends_with(" %")));
        for location in result["locations"].as_array().unwrap().iter().chain(related) {
            let place = &location["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(project.path().join(uri).is_file(), "{uri}");
            assert!(place["region"]["startLine"].as_u64() > Some(0), "{location:#}");
        }
        assert!(result["partialFingerprints"].as_object().unwrap().values().all(Value::is_string));
    }

    let xml = report(&["--format", "junit-xml", "-o", "inquest.xml"]);
    assert_eq!((xml.code, xml.stdout.as_str()), (Some(1), ""));
    let xml = project.read("inquest.xml");
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), failures);
    assert_eq!(xml.matches("<failure ").count() + xml.matches("<error ").count(), failures);
    assert!(xml.contains(&format!("tests=\"{failures}\"")) && xml.contains("classname=\"shop."), "{xml}");
    assert!(xml.contains("Likeliest places:"), "{xml}");

    // Annotations on stdout; the summary goes after what is in its file.
    let summary = project.path().join("summary.md");
    fs::write(&summary, "before\n").unwrap();
    let mut command = inquest(&["report", "recordings", "--format", "github"]);
    command
        .current_dir(project.path())
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("GITHUB_WORKSPACE", project.path());
    command
        .env("GITHUB_SERVER_URL", "https://github.com")
        .env("GITHUB_REPOSITORY", "acme/shop")
        .env("GITHUB_SHA", "12ab");
    let ran = run(&mut command, None);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let errors: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), failures, "{ran:?}");
    assert!(
        errors.iter().all(|line| line.contains("file=src/test/java/shop/") && line.contains(",line=")),
        "{ran:?}"
    );
    assert!(
        ran.stdout.lines().all(|line| line.starts_with("::error ") || line.starts_with("::notice ")),
        "{ran:?}"
    );
    let summary = project.read("summary.md");
    assert!(summary.starts_with("before\n# "), "{summary}");
    assert!(summary.contains("(<https://github.com/acme/shop/blob/12ab/src/main/java/shop/"), "{summary}");
}

#[test]
fn the_exit_code_says_whether_something_failed() {
    let Some(good) = Project::new("good") else { return };
    assert_eq!(good.record().code, Some(0));
    let ran = good.inquest(&["report", "recordings"]);
    assert!(ran.code == Some(0) && ran.stdout.starts_with("# Nothing failed\n"), "{ran:?}");
    assert_eq!(good.inquest(&["report", "recordings", "--format", "sarif"]).code, Some(0));
    for (arguments, message) in [
        (["report", "nothing-here", "--format", "github"], "there is no nothing-here"),
        (["report", "src", "--format", "sarif"], "is not a recording"),
        (["report", "recordings", "-o", "no/such/folder"], "cannot write the report"),
        (["report", "recordings", "--changed", "no-such-revision"], "no-such-revision"),
    ] {
        let ran = good.inquest(&arguments);
        assert!(ran.code == Some(2) && ran.stderr.contains(message), "{arguments:?}: {ran:?}");
    }
    // A JVM in which nothing of a program ran.
    let idle = Recorded::new();
    let mut record = inquest(&["record", "-q", "-o"]);
    run(record.arg(idle.path()).arg("--").arg(jdk17().java()).arg("-version"), None);
    let ran = run(inquest(&["report"]).arg(idle.path()), None);
    assert!(ran.code == Some(2) && ran.stderr.contains("nothing of a program was recorded"), "{ran:?}");
}

/// One passes, one fails: the folder above both is what a build with several JVMs leaves.
#[test]
fn a_run_with_several_jvms_is_one_report() {
    let (Some(good), Some(buggy)) = (Project::new("good"), Project::new("buggy")) else { return };
    let both = buggy.path().join("both");
    let mvn = |project: &Project| project.path().join("tools/mvn").display().to_string();
    executable(&both, &format!("#!/bin/sh\n'{}' -B test\n'{}' -B test\n", mvn(&good), mvn(&buggy)));
    let ran = buggy.inquest(&["record", "-q", "-o", "recordings", "--", both.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let ran = buggy.inquest(&["report", "recordings"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("In 2 recorded JVMs of the run of"), "{ran:?}");
    assert!(ran.stdout.contains(" in `jvm-"), "{ran:?}");
}

/// Programs that are no tests: one ends by an exception, of another only the exit code says that it failed.
#[test]
fn a_program_that_fails_is_reported_too() {
    for jdk in jdks() {
        let classes = compiled("symptoms", "plain", &["plain"], Path::new("."));
        for (word, message) in
            [("list", "## 1. `Plain.main`"), ("exits", "# Something failed that is not in the recording")]
        {
            let recorded = Recorded::new();
            let mut record = inquest(&["record", "-q", "-o"]);
            record.arg(recorded.path()).arg("--").arg(jdk.java()).arg("-cp").arg(&classes);
            run(record.args(["Plain", word]), None);
            let mut report = inquest(&["report"]);
            let ran = run(report.arg(recorded.path()), None);
            assert!(
                ran.code == Some(1) && ran.stdout.contains(message),
                "{word}, JDK {}: {ran:?}",
                jdk.version
            );
        }
    }
}

/// The commands below `run: |` or `- |` in the recipe under a heading, each as a script of its own.
fn scripts(heading: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let part =
        page.split("\n## ").find(|part| part.starts_with(heading)).unwrap_or_else(|| panic!("no {heading}"));
    let recipe = part.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut found, mut lines) = (Vec::new(), recipe.lines().peekable());
    while let Some(line) = lines.next() {
        if !matches!(line.trim(), "run: |" | "- |") {
            continue;
        }
        let mut script = String::new();
        while let Some(inner) =
            lines.next_if(|inner: &&str| inner.trim().is_empty() || indent(inner) > indent(line))
        {
            script.push_str(inner.trim_start());
            script.push('\n');
        }
        found.push(script);
    }
    found
}

/// The archive that a job fetches, as `make dist` lays it out. Made once.
fn archive() -> &'static Path {
    static ARCHIVE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = scratch().join("archive");
        let _ = fs::remove_dir_all(&folder);
        let bin = folder.join("inquest-1/bin");
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(binary(), bin.join("inquest")).unwrap();
        let archive = folder.join("inquest.tar.gz");
        let mut tar = Command::new("tar");
        let ran = run(tar.arg("-C").arg(&folder).arg("-czf").arg(&archive).arg("inquest-1"), None);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        archive
    });
    &ARCHIVE
}

/// A shell as a pipeline's runner starts it.
fn step(project: &Project, script: &str, path: &str, told: &[(&str, &str)]) -> Ran {
    let mut shell = Command::new("bash");
    shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(project.path());
    shell.env("PATH", format!("{path}{}:/usr/bin:/bin", project.path().join("tools").display()));
    shell.env("XDG_CACHE_HOME", scratch().join("cache")).env("XDG_DATA_HOME", scratch().join("data"));
    shell.env_remove("JAVA_HOME").env_remove("JAVA_TOOL_OPTIONS");
    for (name, value) in told {
        shell.env(name, value);
    }
    run(&mut shell, None)
}

/// So that a branch can be compared with.
fn commit(project: &Project) {
    let script = "git init -q . && git add src && git -c user.name=a -c user.email=a@b commit -qm one && \
                  git update-ref refs/remotes/origin/main HEAD && echo '// changed' >> src/main/java/shop/$(ls src/main/java/shop | head -n 1)";
    let ran = step(project, script, "", &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn the_recipe_for_github_works() {
    let Some(project) = Project::new("buggy") else { return };
    commit(&project);
    let all = scripts("GitHub Actions");
    let [get, test, report] = all.as_slice() else { panic!("{all:?}") };
    let own = |name: &str| project.path().join(name).display().to_string();
    let archive = format!("file://{}", archive().display());
    let (temp, added, summary) = (own("temp"), own("added"), own("summary.md"));
    let told = [
        ("INQUEST_ARCHIVE", archive.as_str()),
        ("RUNNER_TEMP", temp.as_str()),
        ("GITHUB_PATH", added.as_str()),
        ("GITHUB_STEP_SUMMARY", summary.as_str()),
    ];
    let ran = step(&project, get, "", &told);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let path = project.read("added").trim().to_owned() + ":";
    let ran = step(&project, test, &path, &told);
    assert!(ran.code == Some(1) && ran.stdout.contains("tests failed"), "{ran:?}");
    let ran = step(&project, report, &path, &told);
    assert!(ran.code == Some(1) && ran.stdout.contains("::error file=src/test/java/shop/"), "{ran:?}");
    assert!(project.read("summary.md").contains("The recording is kept as the artifact"), "{ran:?}");
    assert_eq!(parsed(&project.read("inquest.sarif"))["version"], "2.1.0");
    // In a job whose tests pass there is nothing to report, and the step for that is passed over.
    let Some(good) = Project::new("good") else { return };
    assert_eq!(step(&good, test, &path, &told).code, Some(0));
}

#[test]
fn the_recipe_for_gitlab_works() {
    let Some(project) = Project::new("buggy") else { return };
    let all = scripts("GitLab");
    let [get, test, after] = all.as_slice() else { panic!("{all:?}") };
    let archive = format!("file://{}", archive().display());
    let told = [("INQUEST_ARCHIVE", archive.as_str()), ("CI_JOB_ID", "12")];
    assert_eq!(step(&project, get, "", &told).code, Some(0));
    let ran = step(&project, test, "", &told);
    assert!(ran.code == Some(1) && ran.stdout.contains("tests failed"), "{ran:?}");
    let ran = step(&project, after, "", &told);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(project.read("inquest.xml").contains("<failure "), "{ran:?}");
    assert!(project.read("inquest.html").contains("an artifact of job 12"), "{ran:?}");
}
