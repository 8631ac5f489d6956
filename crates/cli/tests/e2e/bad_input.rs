//! Damaged recordings, indexes that do not fit, names that mean nothing: every question gets an answer or a message
//! that says what is wrong, the right exit code, and never a panic.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::debuggee::{Program, Ran, Recorded, inquest, jdk17, run};

/// Asks, and holds the answer to what holds for all of them.
fn ask(dir: &Path, words: &[&str]) -> Ran {
    let mut command = inquest(&words[..1]);
    let ran = run(command.arg(dir).args(&words[1..]), None);
    assert!(!ran.stderr.contains("panicked") && !ran.stderr.contains("RUST_BACKTRACE"), "{words:?}: {ran:?}");
    assert!(matches!(ran.code, Some(0..=2)), "{words:?}: {ran:?}");
    if ran.code == Some(2) {
        assert!(ran.stderr.contains("inquest: ") || ran.stderr.starts_with("error: "), "{words:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{words:?}");
    }
    ran
}

fn json(dir: &Path, words: &[&str]) -> serde_json::Value {
    let words = [words, &["--json"]].concat();
    let ran = ask(dir, &words);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {ran:?}"))
}

/// Questions of every kind about a recording of `PlainStates`.
const QUESTIONS: [&[&str]; 12] = [
    &["tree"],
    &["tree", "--json", "--depth", "2"],
    &["show", "PlainStates.objects#1"],
    &["show", "PlainStates.main#1", "--json"],
    &["events", "PlainStates.numbers#1", "--json"],
    &["events", "PlainStates.main#1", "--deep", "--limit", "200"],
    &["history", "PlainStates.numbers#1:i"],
    &["history", "PlainStates.outerCount", "--json"],
    &["state", "PlainStates$Node@1"],
    &["state", "PlainStates.numbers#1:d", "--at", "PlainStates.numbers#1:exit", "--json"],
    &["find", "--method", "thrower"],
    &["find", "--thrown", "Broken", "--json"],
];

fn plain(options: &[&str]) -> Recorded {
    let program = Program::new("state", &["PlainStates"]).with_options(&["--exclude", "told"]);
    program.record(&jdk17(), options).1
}

#[test]
fn a_name_that_means_nothing_or_too_much_is_told_with_what_there_is() {
    let recorded = plain(&[]);
    let dir = recorded.path();
    for (words, message) in [
        (&["show", "PlainStates.thrower"][..], "PlainStates.thrower#4"),
        (&["show", "PlainStates.throwr#1"], "PlainStates.thrower"),
        (&["show", "thrower#9"], "has 4 calls"),
        (&["show", "thrower#0"], "calls are written as"),
        (&["show", "thrower#x"], "calls are written as"),
        (&["show", "new#1"], "may mean several things"),
        (&["show", "99999999"], "nothing is called"),
        (&["show", "99999999999999999999999"], "nothing is called"),
        (&["show", ""], "nothing is called"),
        (&["show", "#"], "calls are written as"),
        (&["show", "((((#1"], "nothing is called"),
        (&["show", "\u{4e2d}\u{6587}#1"], "nothing is called"),
        (&["tree", "--root", "Nothing.here#1"], "nothing is called"),
        (&["events", "PlainStates.main#1", "--from", "1000000000"], "out of range"),
        (&["state", "PlainStates$Node@1", "--at", "99999999999"], "out of range"),
        (&["state", "PlainStates$Node@1", "--at", "never"], "times are numbers"),
        (&["state", "PlainStates$Node@1", "--at", "PlainStates.main#1:middle"], "times are numbers"),
        (&["state", "PlainStates$Node@99"], "there is no number 99"),
        (&["state", "Nod@1"], "nothing is called"),
        (&["state", "Node@1"], "PlainStates$Node@1"),
        (&["state", "@"], "objects are written as"),
        (&["state", "PlainStates$Node@x"], "objects are written as"),
        (&["state", "PlainStates$Node@1.kye"], "key"),
        (&["state", "PlainStates$Node@1.key.more"], "it has no parts"),
        (&["state", "PlainStates$Node@1["], "paths are written as"),
        (&["state", "PlainStates$Node@1[0]"], "is no array"),
        (&["state", "PlainStates$Node@1..key"], "nothing is called"),
        (&["state", "int[]@1[999]"], "no [999]"),
        (&["state", "int[]@1[-1]"], "paths are written as"),
        (&["state", "PlainStates.main#1:nothing"], "args"),
        (&["state", "PlainStates.main#1:"], "args"),
        (&["history", "PlainStates$Node@1"], "is an object: name a part of it"),
        (&["history", "PlainStates.nothing"], "PlainStates"),
        (&["history", "...."], "nothing is called"),
        (&["history", "\u{e9}@1"], "nothing is called"),
        (&["find", "--method", "nothing.at.all"], "nothing is called"),
        (&["find", "--object", "Nothing@1"], "nothing is called"),
        (&["find"], "say what to find"),
    ] {
        let ran = ask(&dir, words);
        assert_eq!(ran.code, Some(2), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains(message), "{words:?} does not say {message:?}: {}", ran.stderr);
    }
    for words in [&["find", "--value", "123456789"][..], &["find", "--thrown", "NoSuchException"]] {
        assert_eq!(ask(&dir, words).code, Some(1), "{words:?}");
        assert_eq!(json(&dir, words), serde_json::json!([]), "{words:?}");
    }
    for words in QUESTIONS.iter().filter(|words| !words.contains(&"PlainStates.outerCount")) {
        let ran = ask(&dir, words);
        assert_eq!((ran.code, ran.stdout.is_empty()), (Some(0), false), "{words:?}: {ran:?}");
    }
}

#[test]
fn a_damaged_recording_answers_what_is_left() {
    let recorded = plain(&[]);
    let file = recorded.path().join("chunks-000.inq");
    let whole = fs::read(&file).unwrap();
    type Damage = (&'static str, Box<dyn Fn(&mut Vec<u8>)>);
    let damages: [Damage; 7] = [
        ("a byte in the middle", Box::new(|bytes| *middle(bytes, 2) ^= 0x55)),
        ("a byte early on", Box::new(|bytes| *middle(bytes, 20) ^= 0x55)),
        (
            "a byte near the end",
            Box::new(|bytes| bytes.iter_mut().rev().take(40).for_each(|byte| *byte ^= 0xff)),
        ),
        (
            "zeros in the middle",
            Box::new(|bytes| {
                let (from, to) = (bytes.len() / 3, bytes.len() / 2);
                bytes[from..to].fill(0);
            }),
        ),
        ("cut in the middle", Box::new(|bytes| bytes.truncate(bytes.len() / 2))),
        ("cut by one byte", Box::new(|bytes| bytes.truncate(bytes.len() - 1))),
        ("nothing left", Box::new(Vec::clear)),
    ];
    for (what, damage) in &damages {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(&file, bytes).unwrap();
        let _ = fs::remove_dir_all(recorded.path().join("index"));
        let mut warned = 0;
        for words in QUESTIONS {
            let ran = ask(&recorded.path(), words);
            warned += usize::from(!ran.stderr.is_empty());
        }
        assert!(warned > 0, "{what}: nothing is said");
    }
}

fn middle(bytes: &mut [u8], part: usize) -> &mut u8 {
    let at = bytes.len() / part;
    &mut bytes[at]
}

/// Without class bytes little can be replayed; what is asked is still answered or refused.
#[test]
fn a_recording_without_its_tables_is_no_panic() {
    let recorded = plain(&[]);
    let stripped = Recorded::new();
    fs::create_dir_all(stripped.path()).unwrap();
    fs::copy(recorded.path().join("manifest.json"), stripped.path().join("manifest.json")).unwrap();
    let frames = trace::FrameReader::open(&recorded.path()).unwrap();
    let mut writer = trace::FrameWriter::create(&stripped.path()).unwrap();
    for stream in frames.streams().filter(|&stream| stream != trace::StreamId::TABLES) {
        for piece in frames.pieces(stream) {
            if let trace::frame_reader::Piece::Frame(frame) = piece {
                let bytes = frames.load(frame).unwrap();
                let header = frame.header;
                writer.write(stream.0, header.chunk_number, header.chunks, header.last, &bytes).unwrap();
            }
        }
    }
    drop(writer);
    for words in QUESTIONS {
        ask(&stripped.path(), words);
    }
}

#[test]
fn an_index_that_does_not_fit_is_built_again() {
    let recorded = plain(&[]);
    let index = recorded.path().join("index");
    let first = ask(&recorded.path(), &["tree", "--json"]);
    let built = files(&index);
    assert!(built.len() > 10, "{:?}", built.keys());

    let spoil = |name: &str, change: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        let path = index.join(name);
        fs::write(&path, change(fs::read(&path).unwrap())).unwrap();
    };
    type Spoil<'s> = (&'s str, Box<dyn Fn() + 's>);
    let spoils: Vec<Spoil<'_>> = vec![
        ("removed", Box::new(|| fs::remove_dir_all(&index).unwrap())),
        (
            "another version",
            Box::new(|| {
                spoil("index.json", &|text| {
                    String::from_utf8(text).unwrap().replacen("\"version\": ", "\"version\": 9", 1).into()
                })
            }),
        ),
        ("garbage instead of JSON", Box::new(|| spoil("index.json", &|_| b"{\"version\": [".to_vec()))),
        ("a file is missing", Box::new(|| fs::remove_file(index.join("calls")).unwrap())),
        (
            "killed while building",
            Box::new(|| {
                fs::rename(&index, recorded.path().join("index.new")).unwrap();
                fs::remove_file(recorded.path().join("index.new/calls")).unwrap();
                fs::write(recorded.path().join("index.lock"), "").unwrap();
            }),
        ),
        (
            "a file in its place",
            Box::new(|| {
                fs::remove_dir_all(&index).unwrap();
                fs::write(&index, "not a folder").unwrap();
            }),
        ),
    ];
    for (what, spoil) in spoils {
        spoil();
        let again = ask(&recorded.path(), &["tree", "--json"]);
        assert_eq!((again.code, &again.stdout), (Some(0), &first.stdout), "{what}: {}", again.stderr);
        let now = files(&index);
        let differing: Vec<_> = built.iter().filter(|(name, bytes)| now.get(*name) != Some(*bytes)).collect();
        let differing: Vec<_> = differing.into_iter().map(|(name, _)| name).collect();
        assert!(differing.is_empty() && now.len() == built.len(), "{what}: other bytes in {differing:?}");
        assert!(!recorded.path().join("index.new").exists(), "{what}");
    }
}

#[test]
fn a_damaged_index_is_never_a_panic() {
    let recorded = plain(&[]);
    ask(&recorded.path(), &["tree"]);
    let index = recorded.path().join("index");
    let built = files(&index);
    for (name, bytes) in built.iter().filter(|(name, _)| !name.ends_with("index.json")) {
        let path = index.join(name);
        let garbage: Vec<u8> = (0..bytes.len()).map(|at| (at * 131 + 7) as u8).collect();
        let flipped: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
        for damaged in [bytes[..bytes.len() / 2].to_vec(), garbage, flipped] {
            fs::write(&path, damaged).unwrap();
            for words in QUESTIONS.iter().step_by(2) {
                ask(&recorded.path(), words);
            }
        }
        // It may have been built again meanwhile.
        for (name, bytes) in &built {
            fs::write(index.join(name), bytes).unwrap();
        }
    }
}

/// All files below a folder, by their path in it.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(dir).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Nothing can be written beside the recording: the index is built elsewhere, for this once.
#[test]
fn a_recording_that_cannot_be_written_to_can_be_read() {
    let recorded = plain(&[]);
    let lock = recorded.path().join("index.lock");
    fs::create_dir(&lock).unwrap();
    for words in [&["tree", "--depth", "1"][..], &["show", "PlainStates.main#1"]] {
        let ran = ask(&recorded.path(), words);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    assert!(!recorded.path().join("index").exists());
}

#[test]
fn recordings_with_less_detail_answer_with_less() {
    for detail in ["calls", "heap"] {
        let recorded = plain(&["--detail", detail]);
        for words in QUESTIONS {
            ask(&recorded.path(), words);
        }
        let tree = json(&recorded.path(), &["tree"]);
        assert!(tree.as_array().unwrap().iter().any(|row| row["call"] == "PlainStates.main#1"));
    }
    // At `calls` no write is recorded: a static is unknown, and not its initial value.
    let recorded = plain(&["--detail", "calls"]);
    let counter = json(&recorded.path(), &["state", "PlainStates.Statics.counter"]);
    assert_eq!((&counter["known"], &counter["value"]), (&false.into(), &"?".into()), "{counter:#}");
    let constant = json(&recorded.path(), &["state", "PlainStates.Statics.COMPILED"]);
    assert_eq!(constant["value"], "42", "{constant:#}");
}

/// A program that ends at once, and one of which nothing is in scope.
#[test]
fn an_empty_recording_is_an_answer_too() {
    let nothing = Program::new("examples", &["BottomUpMergeSort"])
        .with_options(&["--exclude", "BottomUpMergeSort"])
        .record(&jdk17(), &[])
        .1;
    let version = Program { arguments: vec!["-version".into()], ..Program::new("examples", &[]) };
    for recorded in [nothing, version.record(&jdk17(), &[]).1] {
        assert_eq!(json(&recorded.path(), &["tree"]), serde_json::json!([]));
        for words in QUESTIONS.iter().filter(|words| words[0] != "tree") {
            let ran = ask(&recorded.path(), words);
            assert!(matches!(ran.code, Some(1 | 2)), "{words:?}: {ran:?}");
        }
        assert_eq!(ask(&recorded.path(), &["state", "Foo.bar", "--at", "0"]).code, Some(2));
    }
}

#[test]
fn a_recording_of_several_jvms_names_its_folders() {
    let (_, recorded) = Program::new("children", &["Parent"]).record(&jdk17(), &[]);
    let folders = collector::jvm_folders(&recorded.path());
    assert!(folders.len() > 1, "{folders:?}");
    for words in QUESTIONS {
        let ran = ask(&recorded.path(), words);
        assert_eq!(ran.code, Some(2), "{words:?}: {ran:?}");
        for folder in &folders {
            assert!(ran.stderr.contains(&*folder.to_string_lossy()), "{}", ran.stderr);
        }
    }
    for folder in folders {
        assert_eq!(ask(&folder, &["tree"]).code, Some(0));
    }
    assert_eq!(ask(Path::new("/nowhere/at/all"), &["tree"]).code, Some(2));
}
