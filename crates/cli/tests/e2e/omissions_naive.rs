//! The omission finder against the naive algorithm that it stands for: same answers, object by object.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use past::Past;

use crate::debuggee::{Openable, Program, check_all, jdk17, root, scratch};

#[path = "../../../analysis/tests/naive_omissions/mod.rs"]
mod naive_omissions;

use naive_omissions::compare::compare;

#[test]
fn it_says_what_the_naive_algorithm_says() {
    let programs = [
        ("examples", "FileLister"),
        ("examples", "LoopOmission"),
        ("examples", "BottomUpMergeSort"),
        ("examples", "Castling"),
        ("examples", "SumNumbers"),
        ("omission", "Missed"),
        ("omissions", "shop.Shop"),
        ("omissions", "keep.Keep"),
        ("omissions", "sheet.SheetProgram"),
        ("omissions", "events.EventsProgram"),
        ("omissions", "packs.PacksProgram"),
        ("awkward", "FinallyJumps"),
        ("awkward", "Iterators"),
        ("awkward", "Patterns"),
        ("awkward", "ConstructorExceptions"),
    ];
    check_all(&programs, |&(group, program)| {
        let (_, recorded) = Program::new(group, &[program]).record(&jdk17(), &[]);
        check(&recorded.past()).map(|fault| format!("{program}: {fault}"))
    });
}

#[test]
fn it_says_so_of_buggy_programs_too() {
    let folder = root().join("fixtures/omissions");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let main: BTreeMap<String, String> = serde_json::from_str(&read("programs.json")).unwrap();
    let bugs: Vec<BTreeMap<String, serde_json::Value>> = serde_json::from_str(&read("bugs.json")).unwrap();
    check_all(&bugs, |bug| {
        let text = |name: &str| bug[name].as_str().unwrap();
        let place = tempfile::tempdir_in(scratch()).unwrap();
        let changed = read(text("file")).replace(text("replace"), text("by"));
        compile(&folder.join(text("program")), &folder.join(text("file")), &changed, place.path());
        let mut program = Program::new("omissions", &[&main[text("program")]]);
        program.arguments[1] = place.path().into();
        let (_, recorded) = program.record(&jdk17(), &[]);
        check(&recorded.past()).map(|fault| format!("{}: {fault}", text("id")))
    });
}

/// Compiles the sources in a folder, one of them with another text.
fn compile(folder: &Path, changed: &Path, text: &str, to: &Path) {
    let copy = to.join(changed.file_name().unwrap());
    std::fs::write(&copy, text).unwrap();
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let files = files.map(|file| if file == changed { copy.clone() } else { file });
    let jdk = Command::new(root().join("scripts/jdk")).arg("javac").output().unwrap();
    let javac = Path::new(String::from_utf8(jdk.stdout).unwrap().trim_end()).join("bin/javac");
    let words = ["--release", "17", "-Xlint:-options", "-g", "-nowarn", "-d"];
    let made = Command::new(javac).args(words).arg(to).args(files).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

fn check(past: &Past) -> Option<String> {
    match compare(past) {
        (0, None) => Some("nothing was compared".to_owned()),
        (_, faults) => faults,
    }
}
