//! A program is recorded however it is started: from its source, as a module, or from a module's descriptor.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::{Jdk, Program, Ran, Recorded, check_all, inquest, jdk17, jdks, run};

const SOURCE: &str = "package shop;
public class Till {
    static int twice(int x) { return 2 * x; }
    public static void main(String[] args) { System.out.println(twice(21)); }
}
";

#[test]
fn a_program_is_found_however_it_is_started() {
    let place = tempfile::tempdir_in(testkit::scratch()).unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    fs::create_dir_all(place.path().join("shop")).unwrap();
    fs::write(place.path().join("shop/Till.java"), SOURCE).unwrap();
    fs::write(place.path().join("module-info.java"), "module shop.till { }").unwrap();
    let tool = |name: &str, arguments: &[&str]| {
        let ran = run(Command::new(jdk17().home.join("bin").join(name)).args(arguments), None);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
    };
    tool("javac", &["--release", "17", "-d", &at("classes"), &at("shop/Till.java"), &at("module-info.java")]);
    tool("jar", &["--create", "--file", &at("plain.jar"), "-C", &at("classes"), "."]);
    tool(
        "jar",
        &["--create", "--file", &at("main.jar"), "--main-class", "shop.Till", "-C", &at("classes"), "."],
    );
    let ways: [&[&str]; 6] = [
        &[&at("shop/Till.java")],
        &["-p", &at("plain.jar"), "-m", "shop.till/shop.Till"],
        &["-p", &at("main.jar"), "-m", "shop.till"],
        &["-p", &at("classes"), "-m", "shop.till/shop.Till"],
        &["-jar", &at("main.jar")],
        &["-cp", &at("plain.jar"), "shop.Till"],
    ];
    let jdks = jdks();
    // A JDK that can only run programs has no compiler for the first.
    let has_compiler = |jdk: &Jdk| jdk.home.join("bin/javac").exists();
    let runs: Vec<_> = jdks
        .iter()
        .flat_map(|jdk| ways[usize::from(!has_compiler(jdk))..].iter().map(move |words| (jdk, *words)))
        .collect();
    check_all(&runs, |&(jdk, words)| {
        unfound(jdk, words).map(|fault| format!("JDK {} {words:?}: {fault}", jdk.version))
    });
}

fn unfound(jdk: &Jdk, words: &[&str]) -> Option<String> {
    let recorded = Recorded::new();
    let ran = record(jdk, &recorded.path(), &[], words);
    if ran.stdout != "42\n" || ran.stderr.contains("nothing") {
        return Some(format!("{ran:?}"));
    }
    let found = run(inquest(&["find", "--method", "Till.twice"]).arg(recorded.path()), None);
    (!found.stdout.contains("Till.twice#1")).then(|| format!("{found:?}")).or_else(|| recorded.faults())
}

#[test]
fn who_recorded_nothing_is_told_so_and_what_helps() {
    let recorded = Recorded::new();
    let hello = Program::new("examples", &["BottomUpMergeSort"]);
    let arguments = hello.arguments.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>();
    let ran = record(&jdk17(), &recorded.path(), &["--exclude", "BottomUpMergeSort"], &arguments);
    assert!(ran.stderr.contains("nothing of the program was recorded"), "{ran:?}");
    assert!(ran.stderr.contains("--include"), "{ran:?}");
}

fn record(jdk: &Jdk, place: &Path, options: &[&str], words: &[&str]) -> Ran {
    let mut command = inquest(&["record", "-o"]);
    run(command.arg(place).args(options).arg("--").arg(jdk.java()).args(words), None)
}
