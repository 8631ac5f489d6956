//! What comes with the program when it is installed, and what it says about the machine that it is on: `inquest doctor`, `inquest
//! help`, man pages, completions, and which glibc it needs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::debuggee::{Ran, binary, inquest, jdks, left_out, root, run, scratch};

fn doctor(change: impl FnOnce(&mut Command)) -> (Ran, Value) {
    let mut command = inquest(&["doctor", "--json"]);
    change(&mut command);
    let ran = run(&mut command, None);
    let found = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    (ran, found)
}

/// The checks of a name.
fn checks<'f>(found: &'f Value, name: &str) -> Vec<&'f Value> {
    found["checks"].as_array().unwrap().iter().filter(|check| check["check"] == name).collect()
}

fn text<'f>(check: &'f Value, key: &str) -> &'f str {
    check[key].as_str().unwrap_or_default()
}

#[test]
fn the_doctor_tries_every_java_that_it_finds() {
    let old = tempfile::tempdir_in(scratch()).unwrap();
    fake_jdk(old.path(), "JAVA_VERSION=\"11.0.22\"\n", "#!/bin/sh\nexit 0\n");
    let broken = tempfile::tempdir_in(scratch()).unwrap();
    fake_jdk(broken.path(), "JAVA_VERSION=\"21.0.1\"\n", "#!/bin/sh\necho 'Error: no libjvm' >&2\nexit 1\n");
    for jdk in jdks() {
        let path = format!("{}:/usr/bin:/bin", jdk.home.join("bin").display());
        let (ran, found) = doctor(|command| {
            command.env("PATH", path).env("JAVA_HOME", old.path()).env("JDK_HOME", broken.path());
        });
        assert_eq!((ran.code, &found["ok"]), (Some(0), &Value::Bool(true)), "{found:#}");
        let javas = checks(&found, "java");
        let own = javas.iter().find(|check| text(check, "text").contains("first on PATH")).unwrap();
        assert!(text(own, "text").ends_with("can be recorded"), "{own:#}");
        let of = |home: &Path| {
            let home = home.canonicalize().unwrap();
            *javas.iter().find(|check| text(check, "text").contains(&home.display().to_string())).unwrap()
        };
        let refused = of(old.path());
        assert!(text(refused, "text").ends_with("cannot be recorded"), "{refused:#}");
        assert!(text(refused, "advice").contains("Java 17 or newer"), "{refused:#}");
        let tried = of(broken.path());
        assert!(text(tried, "text").ends_with("cannot be recorded"), "{tried:#}");
        assert!(text(tried, "advice").contains("no libjvm"), "{tried:#}");
    }
}

#[test]
fn the_doctor_says_what_is_missing_and_what_to_do() {
    // Nobody can write below /proc, root neither.
    let (ran, found) = doctor(|command| {
        command
            .env("XDG_CACHE_HOME", "/proc/nowhere")
            .env("TMPDIR", "/proc/nowhere")
            .env("PATH", "/usr/bin:/bin");
        command.env("SSH_CONNECTION", "1");
    });
    assert_eq!((ran.code, &found["ok"]), (Some(1), &Value::Bool(false)), "{found:#}");
    let agent = checks(&found, "agent")[0];
    assert!(agent["ok"] == false && text(agent, "advice").contains("XDG_CACHE_HOME"), "{agent:#}");
    let browser = checks(&found, "browser")[0];
    assert!(browser["ok"] == true && text(browser, "advice").contains("tunnel"), "{browser:#}");
    for name in ["memory", "disk", "rights", "build-tool", "page"] {
        let check = checks(&found, name)[0];
        assert!(check["ok"] == true && !text(check, "text").is_empty(), "{check:#}");
    }
    // For a person the same, each with what to do below it.
    let mut command = inquest(&["doctor"]);
    command.env("XDG_CACHE_HOME", "/proc/nowhere").env("TMPDIR", "/proc/nowhere");
    let ran = run(&mut command, None);
    assert!(ran.code == Some(1) && ran.stdout.contains("✗ agent"), "{ran:?}");
    assert!(
        ran.stdout.trim_end().ends_with("Programs cannot be recorded here: see what is marked with ✗."),
        "{ran:?}"
    );
}

/// A project brings its build tool along.
#[test]
fn the_doctor_sees_the_wrapper_of_a_project() {
    let project = tempfile::tempdir_in(scratch()).unwrap();
    fs::write(project.path().join("mvnw"), "").unwrap();
    let (_, found) = doctor(|command| {
        command.current_dir(project.path()).env("PATH", "/nowhere");
    });
    assert!(
        text(checks(&found, "build-tool")[0], "text").contains("inquest test -- ./mvnw test"),
        "{found:#}"
    );
}

fn fake_jdk(home: &Path, release: &str, java: &str) {
    fs::create_dir_all(home.join("bin")).unwrap();
    fs::create_dir_all(home.join("lib/server")).unwrap();
    fs::write(home.join("lib/server/libjvm.so"), "").unwrap();
    fs::write(home.join("release"), release).unwrap();
    fs::write(home.join("bin/java"), java).unwrap();
    fs::set_permissions(home.join("bin/java"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// The commands that `inquest --help` lists.
fn commands() -> Vec<String> {
    let help = run(&mut inquest(&["--help"]), None).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap();
    let names = list.lines().take_while(|line| line.starts_with("  "));
    let names =
        names.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn help_about_a_command_is_what_the_command_says_with_an_example() {
    let all = commands();
    assert!(
        all.len() > 15 && all.contains(&"doctor".to_owned()) && all.contains(&"report".to_owned()),
        "{all:?}"
    );
    assert!(!all.contains(&"generate".to_owned()));
    for name in &all {
        let said = run(&mut inquest(&["help", name]), None);
        assert_eq!(said, run(&mut inquest(&[name, "--help"]), None), "{name}");
        assert!(said.code == Some(0) && said.stdout.contains("Everywhere:"), "{said:?}");
        assert!(said.stdout.contains("\nExample:\n  inquest "), "{name}: {}", said.stdout);
    }
    let unknown = run(&mut inquest(&["help", "nothing"]), None);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("nothing"), "{unknown:?}");
}

#[test]
fn man_pages_and_completions_are_of_the_same_commands() {
    let folder = tempfile::tempdir_in(scratch()).unwrap();
    let ran = run(inquest(&["generate"]).arg(folder.path()), None);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    let read = |path: &str| {
        fs::read_to_string(folder.path().join("share").join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let bash = read("bash-completion/completions/inquest");
    let (zsh, fish) = (read("zsh/site-functions/_inquest"), read("fish/vendor_completions.d/inquest.fish"));
    for name in commands() {
        let page = read(&format!("man/man1/inquest-{name}.1"));
        assert!(page.contains(".SH SYNOPSIS") && page.contains("\\-\\-no\\-pager"), "{page}");
        assert!(page.contains("Example:"), "{page}");
        for script in [&bash, &zsh, &fish] {
            assert!(script.contains(&name), "{name}");
        }
    }
    assert!(read("man/man1/inquest.1").contains("inquest\\-record(1)"));
    // A shell takes it, and completes from it.
    let script = format!(
        ". '{}'; COMP_WORDS=(inquest report --form); COMP_CWORD=2; _inquest inquest --form report; echo \"${{COMPREPLY[*]}}\"",
        folder.path().join("share/bash-completion/completions/inquest").display()
    );
    let ran = run(Command::new("bash").args(["--noprofile", "--norc", "-c", &script]), None);
    assert_eq!(ran.stdout.trim(), "--format", "{ran:?}");
}

/// The oldest glibc that README and docs/ci.md promise; `scripts/dist` writes what is so into the package.
const GLIBC: &str = "2.34";

#[test]
fn the_binary_and_what_it_puts_into_a_jvm_need_no_newer_glibc_than_promised() {
    if run(Command::new("objdump").arg("--version"), None).code != Some(0) {
        left_out("which glibc is needed", "no objdump");
        return;
    }
    let mut command = Command::new(root().join("scripts/oldest-glibc"));
    let ran = run(command.arg(binary()), None);
    let number =
        |version: &str| -> Vec<u32> { version.trim().split('.').map(|part| part.parse().unwrap()).collect() };
    assert!(
        ran.code == Some(0) && number(&ran.stdout) <= number(GLIBC),
        "{} is needed: {ran:?}",
        ran.stdout.trim()
    );
    for page in ["README.md", "docs/ci.md"] {
        let page = fs::read_to_string(root().join(page)).unwrap();
        assert!(page.contains(&format!("glibc {GLIBC}")), "another version is promised");
    }
}
