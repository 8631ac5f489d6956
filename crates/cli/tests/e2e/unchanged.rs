//! Recording changes nothing: each program prints the same on stdout and stderr and ends with the same code, and what
//! was recorded fits its code everywhere. The programs are those of `fixtures/awkward` and two libraries.

use std::fs;

use crate::debuggee::{self, Jdk, Program, check_all, jdk17, jdks, left_out, newest, root};

/// Cases that are also run on the newest JDK. Not IdentityOrder: there, identity hashes differ with any agent that has
/// a class load hook, even an empty one, once the first string concatenation is linked.
const ON_NEWEST: [&str; 13] = [
    "Concurrency",
    "ConstructorExceptions",
    "FinallyJumps",
    "Handles",
    "HiddenClasses",
    "Lambdas",
    "Loaders",
    "NullMessages",
    "Proxies",
    "Serialization",
    "StackOverflow",
    "StackWalking",
    "VirtualThreads",
];

/// Cases that are also run at less detail.
const AT_LESS: [&str; 9] = [
    "ArrayWork",
    "ConstructorExceptions",
    "FinallyJumps",
    "HugeMethods",
    "Lambdas",
    "ManyThreads",
    "OutermostEnds",
    "StackTraces",
    "WideSlots",
];

struct Case {
    program: Program,
    /// With which it ends plainly, as the list says.
    code: i32,
}

/// `fixtures/awkward/cases.txt`: name | javac flags | java flags | arguments | stdin file | exit code.
fn awkward() -> Vec<Case> {
    let folder = root().join("fixtures/awkward");
    let list = fs::read_to_string(folder.join("cases.txt")).unwrap();
    let case = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[name, _javac, java, arguments, stdin, code] = cells.as_slice() else { panic!("{line}") };
        let words = |cell: &str| {
            cell.split_whitespace().filter(|&word| word != "-").map(str::to_owned).collect::<Vec<_>>()
        };
        let command = [words(java), vec![name.to_owned()], words(arguments)].concat();
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let mut program = Program::new("awkward", &command);
        program.stdin = (stdin != "-").then(|| folder.join(stdin));
        Case { program, code: code.parse().unwrap() }
    };
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(case).collect()
}

fn only(names: &[&str]) -> Vec<Case> {
    let mut cases = awkward();
    cases.retain(|case| names.iter().any(|name| case.program.name.split(' ').any(|word| word == *name)));
    assert!(cases.len() >= names.len(), "some of these are no longer in the list: {names:?}");
    cases
}

/// Runs it plain and recorded; says what differs, or what is wrong with the recording.
fn difference(case: &Case, jdk: &Jdk, detail: &str) -> Option<String> {
    let program = &case.program;
    let plain = program.run(jdk);
    let (recorded, recording) = program.record(jdk, &["--detail", detail]);
    let fault = if plain.code != Some(case.code) {
        Some(format!("plain exit code {:?}, not {}: {}", plain.code, case.code, plain.stderr))
    } else if recorded.code != plain.code {
        Some(format!("exit code {:?}, plain {:?}: {}", recorded.code, plain.code, recorded.stderr))
    } else {
        first_difference("stdout", &plain.stdout, &recorded.stdout)
            .or_else(|| first_difference("stderr", &plain.stderr, &recorded.stderr))
            .or_else(|| recording.faults())
    };
    fault.map(|fault| format!("{} on Java {} at {detail}: {fault}", program.name, jdk.version))
}

fn first_difference(what: &str, plain: &str, recorded: &str) -> Option<String> {
    if plain == recorded {
        return None;
    }
    let (mut expected, mut got) = (plain.lines(), recorded.lines());
    for line in 1.. {
        let (a, b) = (expected.next(), got.next());
        if a != b || a.is_none() {
            return Some(format!("{what} line {line}:\n  plain    {a:?}\n  recorded {b:?}"));
        }
    }
    None
}

#[test]
fn awkward_programs_do_the_same_when_recorded() {
    let jdk = jdk17();
    let mut cases = awkward();
    // Without an archive of classes the JVM itself draws identity hashes while it starts, recorded others than plain.
    if !jdk.home.join("lib/server/classes.jsa").exists() || jdk.version != "17" {
        left_out("IdentityOrder", "no Java 17 with a class archive");
        cases.retain(|case| case.program.name != "IdentityOrder");
    }
    check_all(&cases, |case| difference(case, &jdk, "full"));
}

#[test]
fn awkward_programs_do_the_same_on_the_newest_java() {
    // The cases are looked up on every machine: a name that is gone from the list fails without that Java, too.
    let cases = only(&ON_NEWEST);
    let Some(jdk) = newest() else { return };
    assert_ne!(jdk.home, jdk17().home, "the newest Java is the one of the other tests");
    check_all(&cases, |case| difference(case, &jdk, "full"));
}

#[test]
fn awkward_programs_do_the_same_at_less_detail() {
    let jdk = jdk17();
    for detail in ["heap", "calls"] {
        check_all(&only(&AT_LESS), |case| difference(case, &jdk, detail));
    }
}

/// With a little work each; `make stress` runs all programs of `bench/programs.txt`.
#[test]
fn real_programs_do_the_same_when_recorded() {
    let mut cases = Vec::new();
    for (main, work, jar, packages) in [
        ("LangProgram", "60", "commons-lang3", &["org.apache.commons.lang3"][..]),
        ("KxmlProgram", "10", "kxml2", &["org.kxml2", "org.xmlpull"]),
    ] {
        let jar = debuggee::jar(jar).expect("scripts/need programs installs it");
        let mut program = Program::new("bench", &[main, work]);
        program.arguments[1].push(":");
        program.arguments[1].push(jar);
        for package in packages {
            program = program.with_options(&["--include", package]);
        }
        cases.push(Case { program, code: 0 });
    }
    for jdk in jdks() {
        check_all(&cases, |case| difference(case, &jdk, "full"));
    }
}
