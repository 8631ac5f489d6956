//! What outcomes depend on, by experiment: methods at random (`random_methods.rs`) find out themselves which of their sources
//! make something else come out when they are changed (`fixtures/slices/experiments`). The line of such a source may not be called
//! one on which the outcome does not depend.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use analysis::slice::{Depends, SliceLimits, lines, outcome};
use index::Evidence;
use past::{CallId, Past, Target};
use testkit::{Chance, Jdk, Program, check_all, classes, jdk17, jdks, run, seed};

use crate::open;
use crate::random_methods::{RandomClass, random_class};

const LIMITS: SliceLimits = SliceLimits { elements: 5_000, events: 3_000_000, control: true };

const QUICK: &str = "-XX:TieredStopAtLevel=1";

/// Lines with a source, on which the outcome was found to depend or not, and what was said about them.
#[derive(Clone, Copy, Default)]
struct Tally {
    methods: usize,
    lines: usize,
    matter: usize,
    /// Of those that matter: not sure, and said not to.
    unsure: usize,
    denied: usize,
    /// Of those for which no experiment showed anything: said to matter, not sure.
    unproven: usize,
    unproven_unsure: usize,
}

#[test]
fn no_line_that_was_found_to_matter_by_experiment_is_said_not_to() {
    experiment(seed(15), 300);
}

#[test]
#[ignore = "long: make fuzz"]
fn fuzz_slices_by_experiment() {
    let (limit, first) = testkit::long_run();
    let started = std::time::Instant::now();
    let mut at = first;
    while started.elapsed() < limit {
        experiment(at, 300);
        at += 1;
    }
}

fn experiment(seed: u64, count: usize) {
    let class = random_class("Methods", count, &mut Chance::new(seed));
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = folder.join(class.name).with_extension("java");
    fs::write(&source, &class.source).unwrap();
    let mut javac = Command::new(jdk17().home.join("bin/javac"));
    // Most of the time goes into the JVM's own compiler otherwise.
    javac.arg(format!("-J{QUICK}")).args(["--release", "17", "-g", "-nowarn", "-XDsuppressNotes", "-cp"]);
    javac.arg(classes("slices"));
    let compiled = run(javac.arg("-d").arg(folder).arg(&source), None);
    assert_eq!(compiled.code, Some(0), "{compiled:?}");

    let tallies: Mutex<BTreeMap<&str, Tally>> = Mutex::default();
    check_all(&jdks(), |jdk| {
        let (tally, faults) = compared(&class, folder, jdk);
        tallies.lock().unwrap().insert(jdk.version, tally);
        if faults.is_empty() {
            return None;
        }
        // The methods of the faults, to be looked at.
        let shown = std::env::temp_dir().join(format!("inquest-experiment-{seed}.java"));
        fs::write(&shown, &class.source).unwrap();
        Some(format!("seed {seed}, {}:\n{}", shown.display(), faults.join("\n")))
    });
    for (jdk, tally) in tallies.into_inner().unwrap() {
        let Tally { methods, lines, matter, unsure, denied, unproven, unproven_unsure } = tally;
        let (not_sure, sure) = (unsure + unproven_unsure, matter - unsure - denied);
        println!(
            "seed {seed}: of {lines} lines {matter} matter, {sure} for sure, {unsure} perhaps, {denied} are denied"
        );
        println!("CASES|lines of {methods} methods at random|{jdk}|{lines}|{not_sure}|{unproven}|{denied}");
        // It would be easy to be sure of nothing, or to try what never matters.
        assert!(matter * 10 > lines && unsure * 4 <= matter, "{unsure} of {matter} of {lines}");
        let said_not_to = lines - matter - unproven - unproven_unsure;
        assert!(said_not_to * 3 > lines, "{said_not_to} of {lines}");
    }
}

fn compared(class: &RandomClass, folder: &Path, jdk: &Jdk) -> (Tally, Vec<String>) {
    let path = std::env::join_paths([folder, &classes("slices")]).unwrap();
    let program = |words: &[&str]| {
        let mut program = Program::new("slices", words);
        program.arguments[1] = path.clone();
        program.arguments.insert(0, QUICK.into());
        program
    };
    let tried = program(&[class.name, "try"]).run(jdk);
    assert_eq!(tried.code, Some(0), "{tried:?}");
    let matter: BTreeSet<usize> = tried.stdout.lines().map(|line| line.parse().unwrap()).collect();
    let (ran, recorded) = program(&[class.name]).record(jdk, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let past = open(&recorded.path());
    let texts: Vec<&str> = class.source.lines().collect();
    let mut tally = Tally { methods: class.methods.len(), ..Tally::default() };
    let mut faults = Vec::new();
    let calls = calls(&past, class.name);
    for method in &class.methods {
        let call = calls[method];
        let (criteria, complete) = outcome(&past, call).unwrap();
        assert!(complete, "{method}");
        let found = lines(&past, call, &criteria, &LIMITS).unwrap();
        let mut sources = method.split('_').skip(1).map(|number| number.parse().unwrap());
        for source in sources.next().unwrap()..sources.next().unwrap() {
            let line = class.lines[source];
            let said = found.of.get(&line);
            let place = || format!("{method} on {}, line {line}: {}", jdk.version, texts[line as usize - 1]);
            tally.lines += usize::from(said.is_some());
            if matter.contains(&source) {
                tally.matter += 1;
                match said {
                    Some(Depends::Yes) => {}
                    Some(Depends::Unsure) => tally.unsure += 1,
                    Some(Depends::No) | None => {
                        tally.denied += 1;
                        faults.push(place());
                    }
                }
            } else {
                tally.unproven += usize::from(said == Some(&Depends::Yes));
                tally.unproven_unsure += usize::from(said == Some(&Depends::Unsure));
            }
        }
    }
    (tally, faults)
}

/// The first call of each method of a class.
fn calls(past: &Past, class: &str) -> HashMap<String, CallId> {
    let mut calls = HashMap::new();
    let program = past.recording().program();
    for row in past.tree_rows(None, None, false) {
        if let Some(Target::Method(method)) = past.index().call(row.call).map(|row| row.target)
            && let Some((_, method)) = program.method(method).filter(|(owner, _)| owner.name == class)
        {
            calls.entry(method.name.clone()).or_insert(row.call);
        }
    }
    calls
}
