//! What cannot be recorded or read is refused, with a message that says what to do, and exit code 2. What needs no JVM
//! is in `tests/record.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::debuggee::{Program, Ran, Recorded, binary, classes, inquest, jdk17, run};

fn assert_refused(ran: &Ran, message: &str) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("inquest: ") && ran.stderr.contains(message), "{ran:?}");
    assert_eq!(ran.stdout, "");
}

/// A folder that looks like a JDK of that version; its `java` would print something.
fn fake_jdk(home: &Path, release: &str) {
    fs::create_dir_all(home.join("bin")).unwrap();
    fs::create_dir_all(home.join("lib/server")).unwrap();
    fs::write(home.join("lib/server/libjvm.so"), "").unwrap();
    fs::write(home.join("release"), release).unwrap();
    fs::write(home.join("bin/java"), "#!/bin/sh\necho started\n").unwrap();
    fs::set_permissions(home.join("bin/java"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_jvm_that_cannot_be_recorded_is_not_started() {
    let dir = tempfile::tempdir().unwrap();
    for (name, release, message) in [
        ("old", "JAVA_VERSION=\"11.0.22\"\n", "inquest records Java 17 or newer"),
        ("older", "JAVA_VERSION=\"1.8.0_392\"\n", "is Java 1.8.0_392"),
        ("other", "JAVA_VERSION=\"17.0.9\"\nJVM_VARIANT=\"Openj9\"\n", "inquest records only HotSpot"),
    ] {
        let home = dir.path().join(name);
        fake_jdk(&home, release);
        let mut command = inquest(&["record", "-o"]);
        let ran =
            run(command.arg(dir.path().join("rec")).arg("--").arg(home.join("bin/java")).arg("Main"), None);
        assert_refused(&ran, message);
        assert!(!dir.path().join("rec").exists());
    }
}

#[test]
fn an_output_folder_that_cannot_be_used_is_refused_before_the_program_runs() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("full")).unwrap();
    fs::write(dir.path().join("full/notes.txt"), "").unwrap();
    for (output, message) in [
        (dir.path().join("full"), "not empty"),
        (dir.path().join("full/notes.txt/below"), "notes.txt"),
        ("/proc/recording".into(), "/proc/recording"),
    ] {
        let mut command = inquest(&["record", "-o"]);
        command.arg(output).arg("--").arg(jdk17().java()).arg("-cp").arg(classes("examples"));
        assert_refused(&run(command.arg("BottomUpMergeSort"), None), message);
    }
}

/// A recording that was worked with has an index, answers and analyses beside it.
#[test]
fn force_replaces_a_recording_that_was_worked_with_and_no_folder_with_something_else_in_it() {
    let program = Program::new("examples", &["FileLister"]);
    let recorded = program.record(&jdk17(), &[]).1;
    let place = recorded.path();
    let answers = place.with_file_name("typed");
    fs::write(&answers, "d\n").unwrap();
    run(inquest(&["ask", "--answers", "-"]).arg(&place), Some(&answers));
    run(inquest(&["omissions"]).arg(&place).arg("FileLister@1.names"), None);
    for kept in ["index", "analysis", "answers"] {
        assert!(place.join(kept).exists(), "{kept}");
    }
    let again = || {
        let mut command = inquest(&["record", "-q", "--force", "-o"]);
        run(command.arg(&place).arg("--").arg(jdk17().java()).args(&program.arguments), None)
    };
    fs::write(place.join("index/thesis.tex"), "").unwrap();
    assert_refused(&again(), "not part of a recording");
    assert!(place.join("answers").exists() && place.join("manifest.json").exists());
    fs::remove_file(place.join("index/thesis.tex")).unwrap();
    assert_eq!(again().code, program.run(&jdk17()).code);
    assert!(!place.join("index").exists() && !place.join("answers").exists());
    assert_eq!(recorded.faults(), None);
}

/// A file of answers of all sessions that is none: what is said is kept beside the recording, and that is said.
#[test]
fn a_memory_that_cannot_be_used_is_told_of_and_does_not_keep_from_asking() {
    let recorded = Program::new("examples", &["FileLister"]).record(&jdk17(), &[]).1;
    let data = tempfile::tempdir().unwrap();
    fs::create_dir_all(data.path().join("inquest/answers")).unwrap();
    let mut command = inquest(&["ask", "--answers", "/dev/null"]);
    let ran = run(command.env("XDG_DATA_HOME", data.path()).arg(recorded.path()), None);
    assert!(ran.stderr.contains("inquest: cannot read the answers in"), "{ran:?}");
    assert!(ran.stderr.contains("this recording only"), "{ran:?}");
    assert!(ran.stdout.contains("Right?") || ran.stdout.contains("FileLister"), "{ran:?}");
}

/// One recorder inside another.
#[test]
fn a_command_that_is_recorded_already_is_refused() {
    let (outer, inner) = (Recorded::new(), Recorded::new());
    let mut command = inquest(&["record", "-q", "-o"]);
    command.arg(outer.path()).arg("--").arg(binary()).args(["record", "-o"]).arg(inner.path());
    command.arg("--").arg(jdk17().java()).arg("-cp").arg(classes("examples")).arg("BottomUpMergeSort");
    assert_refused(&run(&mut command, None), "loads inquest's agent already");
    assert!(!inner.path().exists());
}

#[test]
fn a_recording_of_an_unknown_version_is_refused() {
    let (_, recorded) = Program::new("examples", &["BottomUpMergeSort"]).record(&jdk17(), &[]);
    let file = recorded.path().join("manifest.json");
    let manifest = fs::read_to_string(&file).unwrap();
    let mut newer: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(newer["format"], 3);
    newer["format"] = 99.into();
    for (text, message) in
        [(newer.to_string(), "99"), (manifest[..manifest.len() / 2].to_owned(), "manifest.json")]
    {
        fs::write(&file, text).unwrap();
        for command in ["stats", "verify", "dump"] {
            assert_refused(&run(inquest(&[command]).arg(recorded.path()), None), message);
        }
    }
}

/// Cut anywhere, the rest is readable, and `verify` says where it ends.
#[test]
fn a_truncated_recording_is_read_up_to_the_cut() {
    let program = Program::new("events", &["Events", "2000"]).with_options(&["--exclude", "report"]);
    let (_, recorded) = program.record(&jdk17(), &[]);
    let whole = recorded.verify();
    assert_eq!(whole["ok"], true, "{whole:#}");
    let file = recorded.path().join("chunks-000.inq");
    let bytes = fs::read(&file).unwrap();
    for cut in [bytes.len() - 1, bytes.len() * 3 / 4, bytes.len() / 2] {
        fs::write(&file, &bytes[..cut]).unwrap();
        let found = recorded.verify();
        assert_eq!(found["ok"], false, "cut at {cut}: {found:#}");
        assert!(found["damaged"].as_array().is_some_and(|damaged| !damaged.is_empty()));
        // The last frame may be one of the tables.
        assert!(found["events"].as_u64() <= whole["events"].as_u64());
        assert!(cut > bytes.len() / 2 || found["events"].as_u64() < whole["events"].as_u64());
    }
}
