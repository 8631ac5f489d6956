//! Threads that hand an object to each other: the writes to it are in the recording in the order in which they happened,
//! whatever the threads wait for each other by.

use past::{KnownValue, Location, Past, Value};

use crate::debuggee::{Openable, Program, check_all, jdks};

/// By what means, and how often each is tried.
const WAYS: [&str; 4] = ["monitor", "condition", "queue", "volatile"];
const TIMES: usize = 3;

#[test]
fn writes_of_threads_that_take_turns_are_in_order() {
    let jdks = jdks();
    let runs: Vec<_> = jdks.iter().flat_map(|jdk| WAYS.map(|way| (jdk, way))).collect();
    check_all(&runs, |&(jdk, way)| {
        (0..TIMES).find_map(|turn| {
            let (ran, recorded) = Program::new("threads", &["Handover", way, "50"]).record(jdk, &[]);
            let fault = out_of_order(&recorded.past(), &ran.stdout)?;
            Some(format!("{way} on JDK {}, run {turn}: {fault}", jdk.version))
        })
    });
}

/// One run of `scripts/stress order`, which has recorded it: `INQUEST_PAST` is the recording, `INQUEST_LOG` what the
/// program printed.
#[test]
#[ignore = "long; see scripts/stress order"]
fn stress_writes_are_in_order() {
    let recordings = std::env::var("INQUEST_PAST").expect("INQUEST_PAST names a folder of recordings");
    let (mut runs, mut faults) = (0, Vec::new());
    for entry in std::fs::read_dir(recordings).unwrap() {
        let dir = entry.unwrap().path();
        let log = std::fs::read_to_string(dir.join("log")).unwrap();
        let past = Past::open(&dir.join("recording"), &past::Settings::default(), &mut |_| {}).unwrap();
        runs += 1;
        faults.extend(out_of_order(&past, &log).map(|fault| format!("{}: {fault}", dir.display())));
    }
    println!("{} of {runs} in order", runs - faults.len());
    assert!(faults.is_empty() && runs > 0, "{}", faults.join("\n"));
}

/// Compares the history of the parcel's mark, and that of the log's elements, with what was printed.
fn out_of_order(past: &Past, stdout: &str) -> Option<String> {
    let line = stdout.lines().find_map(|line| line.strip_prefix("LOG ")).expect("the program prints its log");
    let log: Vec<i32> = line.split(' ').map(|mark| mark.parse().unwrap()).collect();
    let int = |known| match known {
        KnownValue::Value(Value::Int(value)) => value,
        other => panic!("{other:?}"),
    };
    let mark = past.find_location("Handover$Parcel@1.mark", None).unwrap();
    let entries = past.history(&mark).unwrap();
    let history: Vec<i32> = entries.iter().map(|entry| int(entry.value)).collect();
    if history != log {
        let at = history.iter().zip(&log).take_while(|(one, other)| one == other).count();
        let near = |list: &[i32]| list[at.min(list.len())..].iter().take(4).copied().collect::<Vec<_>>();
        return Some(format!("differs from write {at} on: {:?}, really {:?}", near(&history), near(&log)));
    }
    let threads: Vec<i32> = entries.iter().map(|entry| entry.position.stream.0 as i32).collect();
    let one_each = history.iter().zip(&threads).map(|(mark, thread)| (mark / 1_000_000, thread));
    if one_each.collect::<std::collections::BTreeSet<_>>().len() != 2 {
        return Some("writes are filed with the wrong thread".to_owned());
    }
    // Between a write and the next, the field holds what was written, seen from either thread.
    for pair in entries.windows(2) {
        let before = past::Time(pair[1].time.0 - 1);
        if past.value_at(&mark, before) != pair[0].value {
            return Some(format!("at {} it does not hold what was written at {}", before.0, pair[0].time.0));
        }
    }
    let Ok(Location::Static(_)) = past.find_location("Handover.logged", None) else { panic!("a static") };
    let logged = past.history(&past.find_location("Handover.logged", None).unwrap()).unwrap();
    let counts: Vec<i32> = logged.iter().map(|entry| int(entry.value)).collect();
    (counts != (1..=log.len() as i32).collect::<Vec<_>>()).then(|| format!("log counts as {counts:?}"))
}
