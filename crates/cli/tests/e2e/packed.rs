//! A recording as one file: whoever gets it sees what its folder shows, with every command, and a file that did not
//! arrive whole is said to be damaged.

use std::fs;
use std::path::{Path, PathBuf};

use crate::debuggee::{Program, Ran, Recorded, inquest, jdk17, root, run};

/// Asks with what is unpacked below a folder of this test.
fn ask(home: &Path, words: &[&str]) -> Ran {
    let ran = run(inquest(words).env("XDG_DATA_HOME", home).current_dir(home), None);
    assert!(!ran.stderr.contains("panicked"), "{words:?}: {ran:?}");
    ran
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A recording of a merge sort, and the file it is packed in.
fn packed(options: &[&str]) -> (Recorded, tempfile::TempDir, PathBuf) {
    let (_, recorded) = Program::new("examples", &["BottomUpMergeSort"]).record(&jdk17(), &[]);
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("sort.inquest");
    let sources = root().join("examples");
    let mut words = vec!["pack", "-o", text(&file), "--source", text(&sources)];
    words.extend(options);
    let path = recorded.path();
    words.push(text(&path));
    let ran = ask(home.path(), &words);
    assert_eq!((ran.code, ran.stdout.contains("with 1 source file")), (Some(0), true), "{ran:?}");
    (recorded, home, file)
}

/// Where a file was unpacked.
fn unpacked(home: &Path) -> Vec<PathBuf> {
    let folder = home.join("inquest/unpacked");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_packed_recording_answers_like_its_folder() {
    let (recorded, home, file) = packed(&[]);
    let folder = recorded.path();
    for words in [
        &["tree", "--json"][..],
        &["stats", "--json"],
        &["dump", "--json", "--limit", "500"],
        &["verify", "--json"],
        &["show", "main#1", "--json"],
        &["events", "main#1", "--json"],
        &["find", "--method", "main", "--json"],
        &["symptoms", "--json"],
        &["history", "main#1:args", "--json"],
        &["state", "main#1:args", "--json"],
        &["slice", "main#1:args", "--json"],
        &["step", "3", "over"],
        &["simulate", "--strategy", "top-down", "--json"],
        &["omissions", "main#1:args", "--json"],
    ] {
        let asked = |dir: &Path| ask(home.path(), &[&words[..1], &[text(dir)], &words[1..]].concat());
        let (here, there) = (asked(&folder), asked(&file));
        let (mut one, mut other) = (here.stdout.clone(), there.stdout.clone());
        if words[0] == "stats" {
            // Where it is and how well it is compressed is no part of what was recorded.
            let bytes = |text: &str| {
                let mut json: serde_json::Value = serde_json::from_str(text).unwrap();
                for name in ["bytes", "dir"] {
                    json.as_object_mut().unwrap().remove(name);
                }
                json.to_string()
            };
            (one, other) = (bytes(&one), bytes(&other));
        }
        assert_eq!((here.code, one), (there.code, other), "{words:?}: {there:?}");
    }
    assert_eq!(unpacked(home.path()).len(), 1);
}

#[test]
fn it_comes_with_its_sources_and_without_the_project() {
    let (_, home, file) = packed(&[]);
    let ran = ask(home.path(), &["show", text(&file), "main#1", "--lines"]);
    assert!(ran.stdout.contains("public static void main"), "{ran:?}");
    let all = files(&unpacked(home.path())[0].join("sources"));
    assert_eq!(all, ["BottomUpMergeSort.java"]);
}

#[test]
fn it_is_unpacked_once_and_found_again_under_another_name() {
    let (_, home, file) = packed(&[]);
    let first = ask(home.path(), &["tree", text(&file)]);
    assert!(first.stderr.contains("is unpacked in"), "{first:?}");
    let moved = home.path().join("elsewhere.zip");
    fs::rename(&file, &moved).unwrap();
    let again = ask(home.path(), &["tree", text(&moved)]);
    assert_eq!((&again.stdout, again.stderr.as_str()), (&first.stdout, ""));
    assert_eq!(unpacked(home.path()).len(), 1);
}

#[test]
fn answers_are_kept_where_it_is_said_and_go_along() {
    let (_, home, file) = packed(&[]);
    let answers = home.path().join("answers.txt");
    fs::write(&answers, "y\n").unwrap();
    let words =
        ["ask", text(&file), "--root", "main#1", "--strategy", "top-down", "--answers", text(&answers)];
    let asked = ask(home.path(), &words);
    let folder = unpacked(home.path()).remove(0);
    assert!(asked.stderr.contains(&format!("{}: what you answer is kept there", text(&folder))), "{asked:?}");
    let journal = fs::read_to_string(folder.join("answers")).unwrap();
    assert!(journal.contains("judged"), "{journal}");

    let second = home.path().join("answered.inquest");
    assert_eq!(ask(home.path(), &["pack", text(&file), "-o", text(&second)]).code, Some(0));
    let elsewhere = tempfile::tempdir().unwrap();
    ask(elsewhere.path(), &["tree", text(&second)]);
    let there = &unpacked(elsewhere.path())[0];
    assert_eq!(fs::read_to_string(there.join("answers")).unwrap(), journal);
    assert_eq!(files(&there.join("sources")), ["BottomUpMergeSort.java"]);
}

#[test]
fn with_an_index_nobody_builds_it_again() {
    let (recorded, home, file) = packed(&["--index"]);
    let first = ask(home.path(), &["tree", text(&file), "--json"]);
    assert_eq!(first.code, Some(0));
    let folder = unpacked(home.path()).remove(0);
    for name in ["chunks-000.inq", "index/index.json", "index/calls", "index/tables/frames"] {
        let [before, after] = [&recorded.path(), &folder].map(|dir| fs::read(dir.join(name)).unwrap());
        assert!(before == after, "{name} is not what was packed");
    }
}

#[test]
fn a_file_that_did_not_arrive_whole_is_refused() {
    let (_, home, file) = packed(&[]);
    let whole = fs::read(&file).unwrap();
    let damages: [(&str, Vec<u8>); 5] = [
        ("half of it", whole[..whole.len() / 2].to_vec()),
        ("a byte is missing", whole[..whole.len() - 1].to_vec()),
        ("another byte in the middle", flipped(&whole, whole.len() / 2)),
        ("another byte near the start", flipped(&whole, 200)),
        ("only its beginning", whole[..8].to_vec()),
    ];
    for (what, bytes) in damages {
        fs::write(&file, bytes).unwrap();
        let ran = ask(home.path(), &["tree", text(&file)]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{what}: {ran:?}");
        assert!(ran.stderr.contains("is damaged") && ran.stderr.contains("get it again"), "{what}: {ran:?}");
        assert!(unpacked(home.path()).is_empty(), "{what}: {:?}", unpacked(home.path()));
    }
    fs::write(&file, &whole).unwrap();
    assert_eq!(ask(home.path(), &["tree", text(&file)]).code, Some(0));
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0xff;
    bytes
}

#[test]
fn what_is_no_packed_recording_is_told_from_one() {
    let home = tempfile::tempdir().unwrap();
    let (jar, other) = (home.path().join("some.jar"), home.path().join("some.txt"));
    fs::write(&jar, archive("Main.class")).unwrap();
    fs::write(&other, "text").unwrap();
    let ran = ask(home.path(), &["tree", text(&jar)]);
    assert!(ran.code == Some(2) && ran.stderr.contains("no packed recording"), "{ran:?}");
    let ran = ask(home.path(), &["tree", text(&other)]);
    assert!(ran.code == Some(2) && ran.stderr.contains("is not a recording"), "{ran:?}");
}

/// An archive with one empty entry.
fn archive(name: &str) -> Vec<u8> {
    let length = u8::try_from(name.len()).unwrap();
    let sizes = [[0; 12].as_slice(), &[length, 0, 0, 0]].concat();
    let local = [b"PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0".as_slice(), &sizes, name.as_bytes()].concat();
    let head = b"PK\x01\x02\x0a\0\x0a\0\0\0\0\0\0\0\0\0".as_slice();
    let entry = [head, &sizes, &[0; 14], name.as_bytes()].concat();
    let places =
        [[entry.len() as u32, local.len() as u32].map(u32::to_le_bytes).concat(), vec![0; 2]].concat();
    [local, entry, b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec(), places].concat()
}

#[test]
fn nothing_is_overwritten_and_nothing_left_behind() {
    let (recorded, home, file) = packed(&[]);
    let before = fs::read(&file).unwrap();
    let path = recorded.path();
    let ran = ask(home.path(), &["pack", text(&path), "-o", text(&file)]);
    assert!(ran.code == Some(2) && ran.stderr.contains("is there already"), "{ran:?}");
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(files(home.path()), ["sort.inquest"]);
}

#[test]
fn a_run_with_several_jvms_is_one_file() {
    let (_, recorded) = Program::new("children", &["Parent"]).record(&jdk17(), &[]);
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("run.inquest");
    let path = recorded.path();
    let ran = ask(home.path(), &["pack", text(&path), "-o", text(&file), "--json"]);
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(said["bytes"].as_u64(), Some(fs::metadata(&file).unwrap().len()), "{said}");
    assert!(said["bytes"].as_u64() < said["bytes_before"].as_u64(), "{said}");
    let [here, there] = [&path, &file].map(|dir| {
        let json: serde_json::Value =
            serde_json::from_str(&ask(home.path(), &["symptoms", text(dir), "--json"]).stdout).unwrap();
        json
    });
    assert_eq!(here, there);
    let ran = ask(home.path(), &["tree", text(&file)]);
    assert!(ran.code == Some(2) && ran.stderr.contains("one per JVM"), "{ran:?}");
}

/// All files below a folder, by their paths there.
fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(text(path.strip_prefix(dir).unwrap()).to_owned());
            }
        }
    }
    found.sort();
    found
}
