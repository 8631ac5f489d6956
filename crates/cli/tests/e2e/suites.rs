//! Whole test suites: the log of a thread is split between outermost calls, and of a large recording only what failed is
//! looked at first. The suite here is a small one that is split and taken for large all the same; what the part says is held
//! against what the whole says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use past::{KnownValue, Past, Position, Settings};
use serde_json::Value;

use crate::debuggee::{Jdk, Openable, Recorded, inquest, jar, jdks, left_out, root, run, scratch};

const TESTS: usize = 60;

/// The compiled tests, made once.
fn classes() -> &'static Path {
    static CLASSES: std::sync::LazyLock<PathBuf> = std::sync::LazyLock::new(|| {
        let folder = scratch().join("suite");
        let _ = std::fs::remove_dir_all(&folder);
        let mut command = Command::new(root().join("bench/suite"));
        let ran = run(command.args(["--tests", &TESTS.to_string(), "--compile"]).arg(&folder), None);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        folder
    });
    &CLASSES
}

/// A recording of the suite; `split`: chunks after which a stream ends.
fn suite(jdk: &Jdk, split: u32) -> Option<Recorded> {
    let Some(junit) = jar("junit-platform-console-standalone") else {
        left_out("whole suites", "junit-platform-console-standalone.jar is missing");
        return None;
    };
    let recorded = Recorded::new();
    let mut command = inquest(&["record", "-q", "-o"]);
    command.env("INQUEST_SPLIT", split.to_string()).arg(recorded.path()).arg("--").arg(jdk.java());
    command.args(["-Drounds=10", "-cp"]).arg(junit).arg("org.junit.platform.console.ConsoleLauncher");
    command.arg("-cp").arg(classes()).arg("--scan-classpath").arg(classes()).arg("--details=none");
    let ran = run(&mut command, None);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains(&format!("{TESTS} tests found")), "{ran:?}");
    Some(recorded)
}

/// What a command prints of a recording that it takes for a large one.
fn early(command: &str, dir: &Path, options: &[&str]) -> String {
    let ran = run(inquest(&[command]).arg(dir).args(options).env("INQUEST_LARGE", "1000"), None);
    assert!(matches!(ran.code, Some(0 | 2 | 3)), "{ran:?}");
    ran.stdout
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_split_thread_is_one_thread_and_says_what_it_said_as_one_stream() {
    for jdk in jdks() {
        let (Some(one), Some(split)) = (suite(&jdk, 1 << 20), suite(&jdk, 2)) else { return };
        assert_eq!(split.faults(), None);
        let counted = |recorded: &Recorded| parsed(&early("stats", &recorded.path(), &["--json", "--exact"]));
        let (mut one_counted, mut split_counted) = (counted(&one), counted(&split));
        // Each stream tells its beginning and its end.
        for kind in ["thread-start", "thread-end"] {
            one_counted["kinds"][kind].take();
            split_counted["kinds"][kind].take();
        }
        for number in ["calls", "kinds", "threads"] {
            assert_eq!(one_counted[number], split_counted[number], "{number}");
        }
        assert_eq!(split_counted["threads"], 1);
        let (one, split) = (one.past(), split.past());
        assert_eq!(one.streams().len(), 1);
        assert!(split.streams().len() > TESTS / 4, "{} streams", split.streams().len());
        assert_eq!((split.threads().len(), split.thread_count()), (1, 1));
        // The same calls in the same order, with the same names.
        let names = |past: &Past| -> Vec<String> {
            past.tree_rows(None, Some(1), false).filter_map(|row| Some(past.call(row.call)?.name)).collect()
        };
        assert_eq!(names(&one), names(&split));
        let shown = |past: &Past| {
            session::symptoms(past).iter().map(|one| words::symptom_line(past, one)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&one), shown(&split));
    }
}

#[test]
fn what_failed_is_known_before_there_is_an_index() {
    for jdk in jdks() {
        let Some(recorded) = suite(&jdk, 2) else { return };
        let dir = recorded.path();
        let about = parsed(&early("stats", &dir, &["--json"]));
        let symptoms = parsed(&early("symptoms", &dir, &["--json"]));
        let asked = early("ask", &dir, &["--answers", "/dev/null"]);
        assert!(!dir.join("index").exists(), "nothing of this needs everything");
        std::fs::remove_file(dir.join("answers")).unwrap();
        drop(recorded.past());

        let exact = parsed(&early("stats", &dir, &["--json"]));
        assert_eq!((&about["about"], &exact["about"]), (&Value::Bool(true), &Value::Bool(false)));
        assert_eq!((&about["threads"], &about["raw_bytes"]), (&exact["threads"], &exact["raw_bytes"]));
        for (number, most) in [("events", 1.3), ("calls", 1.3), ("objects", 2.0)] {
            let (told, counted) = (about[number].as_f64().unwrap(), exact[number].as_f64().unwrap());
            assert!(told < counted * most && told > counted / most, "{number}: {told}, not {counted}");
        }
        let whole = parsed(&early("symptoms", &dir, &["--json"]));
        assert_eq!(whole.as_array().unwrap().len(), 1);
        for what in ["kind", "test", "text", "file", "line", "expected", "actual", "symptom"] {
            assert_eq!(symptoms[0][what], whole[0][what], "{what}");
        }
        let first = |text: &str| text.lines().take(3).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(first(&asked), first(&early("ask", &dir, &["--answers", "/dev/null"])));
    }
}

#[test]
fn a_part_says_what_the_whole_says_or_that_it_does_not_know() {
    let Some(recorded) = jdks().first().and_then(|jdk| suite(jdk, 2)) else { return };
    let settings = Settings { large: 1000, ..Settings::default() };
    let part =
        Past::open_part(&recorded.path(), &settings, session::suspected, &mut |_| {}).unwrap().unwrap();
    let whole = recorded.past();
    let share = part.partial().unwrap().share();
    assert!(share < 0.2, "{share}");
    assert!(whole.partial().is_none());
    let streams: BTreeSet<_> = part.streams().into_iter().collect();
    assert!(
        streams.len() < whole.streams().len() && streams.is_subset(&whole.streams().into_iter().collect())
    );
    let (mut values, mut unknown) = (0, 0);
    let mut same = |here: KnownValue, there: KnownValue, what: &dyn std::fmt::Debug| match here {
        KnownValue::Unknown => unknown += 1,
        // What was read is known, though the write is not.
        KnownValue::Seen(value) if there == KnownValue::Value(value) => values += 1,
        _ => {
            assert_eq!(here, there, "{what:?}");
            values += 1;
        }
    };
    for &stream in &streams {
        assert_eq!(part.calls_in(stream), whole.calls_in(stream));
        for index in 0..part.calls_in(stream) {
            let id = past::CallId { stream, index };
            let (row, other) = (part.call_row(id).unwrap(), whole.call_row(id).unwrap());
            assert_eq!(
                (row.target, row.ending, row.entry, row.exit),
                (other.target, other.ending, other.entry, other.exit)
            );
            assert_eq!(part.arguments(id), whole.arguments(id));
            let time = |past: &Past, ordinal| past.time(Position { stream, ordinal }).unwrap();
            for change in part.changes(id, 50).list {
                let at = &change.location;
                same(
                    part.value_at(at, time(&part, row.entry)),
                    whole.value_at(at, time(&whole, row.entry)),
                    at,
                );
                same(
                    part.value_at(at, time(&part, row.exit)),
                    whole.value_at(at, time(&whole, row.exit)),
                    at,
                );
            }
        }
    }
    assert!(values > 1000 && unknown > 0, "{values} values, {unknown} unknown");
}
