//! The `inquest` binary from outside, with a program that plays a recorded JVM (`examples/fake_jvm.rs`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use trace::Manifest;

const INQUEST: &str = env!("CARGO_BIN_EXE_inquest");

fn fake_jvm() -> PathBuf {
    Path::new(INQUEST).parent().unwrap().join("examples/fake_jvm")
}

/// Runs inquest in `dir`, with a cache of its own.
fn inquest(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(INQUEST);
    command.current_dir(dir).args(arguments).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", dir.join("cache")).env_remove("JAVA_HOME").env_remove("JAVA_TOOL_OPTIONS");
    command
}

fn record(dir: &Path, options: &[&str], jvm: &[&str]) -> Output {
    let fake = fake_jvm();
    let fake = fake.to_str().unwrap();
    let arguments = [&["record", "-o", "rec"], options, &["--", fake], jvm].concat();
    inquest(dir, &arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The values of thread 1, and nothing but them.
fn values(dir: &Path, recording: &str) -> Vec<u64> {
    let output = inquest(dir, &["dump", "--raw", "--thread", "1", recording]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let value = |line: &str| line.split(['(', ')']).nth(1).and_then(|value| value.parse().ok());
    text(&output.stdout).lines().map(|line| value(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_leaves_the_programs_output_and_exit_code_alone() {
    let dir = tempfile::tempdir().unwrap();
    let output = record(dir.path(), &["--detail", "heap"], &["50", "exit", "7"]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(text(&output.stdout), "out\n");
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("err\ninquest: recorded to rec ("), "{stderr}");
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    assert_eq!(names(&dir.path().join("rec")), ["chunks-000.inq", "manifest.json"]);
    let manifest = Manifest::load(&dir.path().join("rec")).unwrap();
    assert_eq!((manifest.exit, manifest.complete, &*manifest.detail), (Some(7), true, "heap"));
    assert!(values(dir.path(), "rec").into_iter().eq(0..50_000));
}

#[test]
fn a_killed_program_gives_the_shells_exit_code_and_all_it_had_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let output = record(dir.path(), &[], &["20", "kill"]);
    assert_eq!(output.status.code(), Some(128 + 9));
    assert!(!Manifest::load(&dir.path().join("rec")).unwrap().complete);
    assert!(values(dir.path(), "rec").into_iter().eq(0..20_000));
}

#[test]
fn child_jvms_get_a_recording_each() {
    let dir = tempfile::tempdir().unwrap();
    let output = record(dir.path(), &[], &["5", "exit", "0", "children", "2"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("recorded 3 JVMs to rec"), "{}", text(&output.stderr));
    let jvms = names(&dir.path().join("rec"));
    assert_eq!(jvms.len(), 3, "{jvms:?}");
    let ambiguous = inquest(dir.path(), &["dump", "rec"]).output().unwrap();
    assert_eq!(ambiguous.status.code(), Some(2));
    assert!(text(&ambiguous.stderr).contains(&jvms[0]));
    let stats = inquest(dir.path(), &["stats", "rec", "--json"]).output().unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(stats.as_array().unwrap().len(), 3);
    let sizes: Vec<_> = jvms.iter().map(|jvm| values(dir.path(), &format!("rec/{jvm}")).len()).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 11_000);
}

#[test]
fn a_killed_recorder_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let fake = fake_jvm();
    let arguments = ["record", "-o", "rec", "--", fake.to_str().unwrap(), "30", "hang"];
    let mut recorder =
        inquest(dir.path(), &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pid = wait_for_jvm(dir.path(), &mut recorder);
    std::thread::sleep(Duration::from_millis(300));
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    let running = inquest(dir.path(), &["stats", "rec"]).output().unwrap();
    assert!(text(&running.stderr).contains("still being recorded"), "{}", text(&running.stderr));
    // SAFETY: plain system call on the program that our child started.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    while Path::new(&format!("/proc/{pid}/maps")).exists()
        && !fs::read(format!("/proc/{pid}/maps")).unwrap_or_default().is_empty()
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(values(dir.path(), "rec").into_iter().eq(0..30_000));
    let stats = inquest(dir.path(), &["stats", "rec", "--json"]).output().unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(stats["complete"], false);
}

#[test]
fn a_signal_to_the_recorder_reaches_the_program_and_the_recording_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let fake = fake_jvm();
    let arguments = ["record", "-o", "rec", "--", fake.to_str().unwrap(), "4", "hang"];
    let mut recorder =
        inquest(dir.path(), &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_jvm(dir.path(), &mut recorder);
    // SAFETY: plain system call on our child.
    unsafe { libc::kill(recorder.id() as i32, libc::SIGTERM) };
    assert_eq!(recorder.wait().unwrap().code(), Some(128 + 15));
    assert!(values(dir.path(), "rec").len() >= 3000);
}

/// Waits until a JVM has announced itself and written something, and says its pid.
fn wait_for_jvm(dir: &Path, recorder: &mut Child) -> i32 {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_secs(20) && recorder.try_wait().unwrap().is_none());
        let entries = fs::read_dir(dir.join("rec"))
            .map(|entries| entries.flatten().collect::<Vec<_>>())
            .unwrap_or_default();
        for entry in entries {
            let name = entry.file_name().into_string().unwrap();
            if let Some(pid) = name.strip_prefix("jvm-")
                && entry.path().join("drain.lock").exists()
            {
                return pid.parse().unwrap();
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_command_without_java_still_runs() {
    let dir = tempfile::tempdir().unwrap();
    let output =
        inquest(dir.path(), &["record", "-o", "rec", "--", "sh", "-c", "echo hi; exit 4"]).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(text(&output.stdout), "hi\n");
    assert!(text(&output.stderr).contains("no Java program was recorded"), "{}", text(&output.stderr));
    assert!(!dir.path().join("rec").exists());
}

#[test]
fn bad_requests_are_refused_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("full")).unwrap();
    fs::write(dir.path().join("full/thesis.tex"), "").unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    for (arguments, message) in [
        (&["record", "--", "no-such-command"][..], "no command no-such-command found on PATH"),
        (&["record", "--", "./no-such-file"], "there is no ./no-such-file"),
        (&["record", "--", "./file"], "not an executable"),
        (&["record", "-o", "full", "--", "true"], "not empty"),
        (&["record", "-o", "full", "--force", "--", "true"], "not part of a recording"),
        (&["record", "-o", "file", "--", "true"], "not a folder"),
        (&["record", "--memory", "10", "--", "true"], "at least 1M"),
        (&["record", "--", "sh", "-agentpath:/x/inquest-agent-1.so"], "loads inquest's agent already"),
        (&["record"], "required"),
        (&["stats", "nowhere"], "there is no nowhere"),
        (&["verify", "full"], "is not a recording"),
    ] {
        let output = inquest(dir.path(), arguments).output().unwrap();
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
        assert_eq!(text(&output.stdout), "");
    }
    assert!(dir.path().join("full/thesis.tex").exists());
    let output = inquest(dir.path(), &["record", "--", "java"]).env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no java found"), "{}", text(&output.stderr));
}

#[test]
fn force_replaces_an_older_recording() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(record(dir.path(), &[], &["40", "exit", "0"]).status.code(), Some(0));
    assert_eq!(record(dir.path(), &[], &["2", "exit", "0"]).status.code(), Some(2));
    assert_eq!(record(dir.path(), &["--force"], &["2", "exit", "0"]).status.code(), Some(0));
    assert_eq!(values(dir.path(), "rec").len(), 2000);
}

#[test]
fn verify_finds_a_flipped_bit() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path(), &[], &["40", "exit", "0"]);
    let file = dir.path().join("rec/chunks-000.inq");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let output = inquest(dir.path(), &["verify", "--json", "rec"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["ok"], false);
    assert_eq!(found["damaged"][0]["file"], "chunks-000.inq");
}
