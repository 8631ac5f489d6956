//! Objects are told apart whatever happens to their headers: while other threads hold their locks, and in monitors.

use serde_json::Value;

use crate::debuggee::{Jdk, Program, check_all, inquest, jdks, run};

/// Ways of locking that a JVM can be told to use; those that it does not know are left out.
const LOCKING: [&[&str]; 4] = [
    &[],
    &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"],
    &["-XX:+UnlockDiagnosticVMOptions", "-XX:+UseHeavyMonitors"],
    &["-XX:-UseCompressedClassPointers"],
];

#[test]
fn an_object_that_another_thread_locks_stays_the_same_object() {
    let jdks = jdks();
    let runs: Vec<_> = jdks.iter().flat_map(|jdk| LOCKING.map(|flags| (jdk, flags))).collect();
    check_all(&runs, |&(jdk, flags)| {
        confused(jdk, flags).map(|fault| format!("JDK {} {flags:?}: {fault}", jdk.version))
    });
}

/// `LockedByOthers` hands two objects to `use` in turn: so the recording has to say.
fn confused(jdk: &Jdk, flags: &[&str]) -> Option<String> {
    let program = Program::new("locks", &[flags, &["LockedByOthers", "4000"]].concat());
    let plain = program.run(jdk);
    if plain.stderr.contains("Could not create the Java Virtual Machine") {
        return None;
    }
    let (ran, recorded) = program.record(jdk, &[]);
    if [&ran, &plain].iter().any(|ran| !ran.stdout.ends_with("true\n")) {
        return Some(format!("plain {plain:?}, recorded {ran:?}"));
    }
    let find = ["find", "--json", "--limit", "5000", "--method", "LockedByOthers.use"];
    let calls = run(inquest(&find).arg(recorded.path()), None);
    let calls: Vec<Value> = serde_json::from_str(&calls.stdout).unwrap();
    let out_of_turn = calls.iter().enumerate().find(|(n, call)| {
        let cell = format!("LockedByOthers$Cell@{}{{", n % 2 + 1);
        !call["args"][0]["value"].as_str().is_some_and(|value| value.starts_with(&cell))
    });
    if let Some((n, call)) = out_of_turn {
        return Some(format!("call {n} of {}: {call}", calls.len()));
    }
    (calls.len() != 4_002).then(|| format!("{} calls", calls.len())).or_else(|| recorded.faults())
}
