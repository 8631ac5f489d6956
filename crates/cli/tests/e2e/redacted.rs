//! What is taken out of a recording before it is handed on is nowhere in the file, and is shown as unknown; everything
//! else is as before. What cannot be taken out is refused.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::debuggee::{Program, Ran, Recorded, inquest, jdk17, root, run};

const READ: &str = "Qw9-r\u{e4}d-from-input";
const SETTING: &str = "Xk4-from-settings";
const CONSTANT: &str = "Zq7-constant-key";
const ARGUMENT: &str = "Jm2-from-command";

fn ask(home: &Path, words: &[&str]) -> Ran {
    let ran = run(inquest(words).env("XDG_DATA_HOME", home).current_dir(home), None);
    assert!(!ran.stderr.contains("panicked"), "{words:?}: {ran:?}");
    ran
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A recording of a program that reads a line.
fn recorded(words: &[&str], line: &str, options: &[&str]) -> Recorded {
    let input = tempfile::NamedTempFile::new().unwrap();
    fs::write(input.path(), format!("{line}\n")).unwrap();
    let mut program = Program::new("redact", words);
    program.stdin = Some(input.path().to_owned());
    let (ran, recorded) = program.record(&jdk17(), options);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    recorded
}

fn vault(options: &[&str]) -> Recorded {
    recorded(&["Vault", "--api-token", ARGUMENT], READ, options)
}

/// Packs with rules; gives the folder of the test, the file and what was said.
fn pack(recorded: &Recorded, rules: &str) -> (tempfile::TempDir, PathBuf, Ran) {
    let home = tempfile::tempdir().unwrap();
    let (file, named) = (home.path().join("shared.inquest"), home.path().join("rules.txt"));
    fs::write(&named, rules).unwrap();
    let (path, sources) = (recorded.path(), root().join("fixtures/redact"));
    let words =
        ["pack", text(&path), "-o", text(&file), "--source", text(&sources), "--redact", text(&named)];
    let ran = ask(home.path(), &words);
    (home, file, ran)
}

/// Every byte of every file below a folder, unpacked as far as it goes: the frames of chunk files, too.
fn all_bytes(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = Vec::new();
            fs::File::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
            found.push((format!("{} and its name", path.display()), text(&path).as_bytes().to_vec()));
            found.push((path.display().to_string(), bytes));
        }
        let Ok(frames) = trace::FrameReader::open(dir) else { continue };
        for stream in frames.streams() {
            let mut all = Vec::new();
            for piece in frames.pieces(stream) {
                if let trace::frame_reader::Piece::Frame(frame) = piece {
                    all.extend(frames.load(frame).unwrap());
                }
            }
            found.push((format!("stream {}", stream.0), all));
        }
    }
    found
}

/// The ways in which a JVM, a file or an address has a text.
fn spellings(secret: &str) -> Vec<Vec<u8>> {
    let units: Vec<u16> = secret.encode_utf16().collect();
    let percent: String = secret
        .bytes()
        .map(|byte| if byte.is_ascii() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    vec![
        secret.as_bytes().to_vec(),
        units.iter().map(|&unit| unit as u8).collect(),
        units.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        percent.into_bytes(),
    ]
}

fn has(bytes: &[u8], secret: &[u8]) -> bool {
    let mut rest = bytes;
    // Most of it is something else: comparing windows would take a minute.
    while let Some(at) = rest.iter().position(|&byte| byte == secret[0]) {
        if rest[at..].starts_with(secret) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

/// Unpacks a packed file, asks for the tree (which builds the index), and gives the folder.
fn unpacked(home: &Path, file: &Path) -> PathBuf {
    assert_eq!(ask(home, &["tree", text(file)]).code, Some(0));
    let entry = fs::read_dir(home.join("inquest/unpacked")).unwrap().next().unwrap();
    entry.unwrap().path()
}

#[test]
fn nothing_redacted_is_left_anywhere_in_the_file() {
    for detail in ["full", "heap", "calls"] {
        let recorded = vault(&["--detail", detail]);
        let path = recorded.path();
        let (home, file, ran) = pack(&recorded, "default\n");
        assert_eq!(ran.code, Some(0), "{detail}: {ran:?}");
        // What is searched for is there before.
        let before = all_bytes(&path);
        let folder = unpacked(home.path(), &file);
        let after = all_bytes(&folder);
        assert!(after.len() > 20, "{:?}", after.iter().map(|(name, _)| name).collect::<Vec<_>>());
        // What is put under a key is seen where calls into libraries are recorded.
        let secrets = [READ, CONSTANT, ARGUMENT, SETTING];
        for secret in &secrets[..if detail == "full" { 4 } else { 3 }] {
            let was_there = before.iter().any(|(_, bytes)| has(bytes, &spellings(secret)[1]));
            assert!(was_there, "{detail}: {secret} was not recorded");
            for spelling in spellings(secret) {
                for (name, bytes) in &after {
                    assert!(!has(bytes, &spelling), "{detail}: {secret} is in {name}");
                }
            }
        }
        // Base64 of joe:… is made of it as well.
        let encoded = base64(format!("joe:{READ}").as_bytes());
        let inner = &encoded.as_bytes()[8..encoded.len() - 4];
        assert!(!after.iter().any(|(_, bytes)| has(bytes, inner)), "{detail}");
        let verified = ask(home.path(), &["verify", text(&file)]);
        assert_eq!(verified.code, Some(0), "{detail}: {verified:?}");
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        out.extend((0..=group.len()).map(|at| char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize])));
    }
    out
}

#[test]
fn what_is_redacted_is_unknown_and_the_rest_is_as_before() {
    let recorded = vault(&[]);
    let (home, file, ran) = pack(&recorded, "default\n");
    assert!(ran.stdout.contains("taken out everywhere"), "{ran:?}");
    let path = recorded.path();
    let asked =
        |dir: &Path, words: &[&str]| ask(home.path(), &[&words[..1], &[text(dir)], &words[1..]].concat());

    let field = asked(&file, &["state", "Vault$User@1.password", "--json"]);
    let field: serde_json::Value = serde_json::from_str(&field.stdout).unwrap();
    assert_eq!((&field["value"], &field["known"]), (&"redacted".into(), &false.into()), "{field:#}");
    let name = asked(&file, &["state", "Vault$User@1.name"]);
    assert!(name.stdout.contains("\"joe\""), "{name:?}");
    for location in
        ["Vault$User@1.letters", "Vault$User@1.bytes", "Vault$User@1.letters[0]", "Vault.main#1:copy"]
    {
        let shown = asked(&file, &["state", location]);
        assert_eq!(shown.code, Some(0), "{location}: {shown:?}");
        assert!(!shown.stdout.contains('Q') && !shown.stdout.contains("81"), "{location}: {shown:?}");
        assert!(!shown.stdout.contains("\\0") && !shown.stdout.contains(" 0"), "{location}: {shown:?}");
    }
    // Nobody finds by an empty text what is not there any more.
    let found = asked(&file, &["find", "--value", "\"\"", "--json"]);
    assert!(!found.stdout.contains("redacted"), "{found:?}");

    // The same calls and events happened.
    let events = |dir: &Path| {
        let stats = asked(dir, &["stats", "--exact", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&stats.stdout).unwrap();
        (
            json["calls"].clone(),
            json["gaps"].clone(),
            json["kinds"]["enter"].clone(),
            json["kinds"]["branch"].clone(),
        )
    };
    assert_eq!(events(&path), events(&file));
    let tree = asked(&file, &["tree"]).stdout;
    assert!(tree.contains("Vault.line") && tree.contains("redacted"), "{tree}");
    assert!(asked(&file, &["show", "Vault.header#1", "--lines"]).stdout.contains("getEncoder"), "no source");
    assert!(asked(&file, &["dump"]).stdout.contains("an ordinary text"));
}

#[test]
fn a_rule_takes_out_what_it_names_and_nothing_else() {
    let recorded = vault(&[]);
    for (rules, gone, left) in [
        ("field Vault$User.password", vec![READ], vec![SETTING, CONSTANT, ARGUMENT]),
        ("argument Vault.fail.what", vec![READ], vec![SETTING, CONSTANT]),
        ("argument Vault.line.2", vec![READ, SETTING], vec![CONSTANT]),
        ("method Vault.header", vec![], vec![READ, SETTING, CONSTANT]),
        ("text Xk4-from-settings", vec![SETTING], vec![READ, CONSTANT]),
        ("pattern Zq?-*", vec![CONSTANT], vec![READ, SETTING, ARGUMENT]),
        ("name password\nkeep Xk4-from-settings", vec![READ], vec![SETTING, CONSTANT]),
        ("name apikey", vec![CONSTANT], vec![READ, SETTING]),
    ] {
        let (home, file, ran) = pack(&recorded, rules);
        assert_eq!(ran.code, Some(0), "{rules}: {ran:?}");
        let after = all_bytes(&unpacked(home.path(), &file));
        let is_there = |secret: &str| {
            spellings(secret).iter().any(|spelling| after.iter().any(|(_, bytes)| has(bytes, spelling)))
        };
        for secret in gone {
            assert!(!is_there(secret), "{rules}: {secret} is there");
        }
        for secret in left {
            assert!(is_there(secret), "{rules}: {secret} is gone");
        }
    }
}

#[test]
fn what_would_come_back_by_itself_is_refused() {
    for (words, line, rules, said) in [
        (
            &["Letters", "text", "Vb8-letters"][..],
            "",
            "default",
            "Letters.weight (line 9) handles single characters",
        ),
        (
            &["Letters", "array", "Vb8-letters"],
            "",
            "default",
            "Letters.weight (line 16) handles single characters",
        ),
        (&["Letters", "typed"], "Vb8-letters", "default", "handles single characters"),
        (&["Letters", "none", "Vb8-letters"], "", "field Letters.pin", "handles a number"),
        (&["Letters", "none", "password"], "", "default", "names cannot be taken out"),
    ] {
        let recorded = recorded(words, line, &[]);
        let (home, file, ran) = pack(&recorded, rules);
        assert_eq!(ran.code, Some(2), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains(said) && ran.stderr.contains("nothing is packed"), "{words:?}: {ran:?}");
        assert!(!file.exists());
        // Not even an unfinished file.
        let left: Vec<_> =
            fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["rules.txt"], "{words:?}");
    }
    let recorded = recorded(&["Letters", "none", "password"], "", &[]);
    let (_home, file, ran) = pack(&recorded, "default\nkeep names");
    assert!(ran.code == Some(0) && file.exists(), "{ran:?}");
}

#[test]
fn rules_that_are_none_are_told_with_their_line() {
    let recorded = recorded(&["Letters", "none", "x"], "", &[]);
    for (rules, said) in [
        ("default\nfoo bar", "line 2"),
        ("field password", "Class.name"),
        ("pattern *", "fits everything"),
        ("text abc", "4 characters"),
    ] {
        let (_home, file, ran) = pack(&recorded, rules);
        assert!(ran.code == Some(2) && ran.stderr.contains(said) && !file.exists(), "{rules}: {ran:?}");
    }
    let path = recorded.path();
    let home = tempfile::tempdir().unwrap();
    let ran = ask(home.path(), &["pack", text(&path), "--redact", "nothing.txt"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("cannot read the rules in nothing.txt"), "{ran:?}");
}

#[test]
fn what_was_answered_stays_out_if_a_secret_is_in_it() {
    let recorded = vault(&[]);
    let line = format!("00000000 {{\"note\":\"{SETTING}\"}}\n");
    fs::write(recorded.path().join("answers"), format!("inquest-answers 1\n{line}")).unwrap();
    let (home, file, ran) = pack(&recorded, "default");
    assert!(ran.code == Some(0) && ran.stderr.contains("what was answered is left out"), "{ran:?}");
    assert!(!unpacked(home.path(), &file).join("answers").exists());
    let (home, file, ran) = pack(&recorded, "text some-other-text");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(unpacked(home.path(), &file).join("answers").exists());
}
