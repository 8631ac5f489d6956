//! What an outcome depends on, line by line, in programs whose lines say so beside them (`fixtures/slices/cases`). No line
//! that an outcome depends on may be called one on which it does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;

use analysis::slice::{Depends, SliceLimits, lines, outcome};

use crate::debuggee::{Openable, Program, check_all, jdks, root};

const GROUPS: [&str; 8] = ["Lists", "Maps", "Texts", "Arrayed", "Streams", "Things", "Jumps", "Threaded"];
const LIMITS: SliceLimits = SliceLimits { elements: 5_000, events: 3_000_000, control: true };

/// A case: its name, and by line whether its outcome depends on it.
type Told = BTreeMap<String, BTreeMap<u32, bool>>;

fn told(source: &str) -> Told {
    let mut all = Told::new();
    let mut name = String::new();
    for (at, line) in source.lines().enumerate() {
        if let Some(rest) = line.trim().strip_prefix("static Object ") {
            name = rest.split('(').next().unwrap().to_owned();
        }
        let truth = match line.split("// <- ").nth(1) {
            Some("yes") => true,
            Some("no") => false,
            Some(other) => panic!("{other}"),
            None => continue,
        };
        all.entry(name.clone()).or_default().insert(at as u32 + 1, truth);
    }
    all
}

#[derive(Default)]
struct Tally {
    cases: usize,
    right: usize,
    /// Cases, lines, and lines that are unsure, too many, or wrongly said not to matter.
    by_jdk: BTreeMap<String, [usize; 5]>,
    unsure: BTreeSet<String>,
    too_many: BTreeSet<String>,
}

#[test]
fn no_line_that_an_outcome_depends_on_is_said_not_to_matter() {
    let tally = Mutex::new(Tally::default());
    let jobs: Vec<_> = jdks().into_iter().flat_map(|jdk| GROUPS.map(|group| (jdk.clone(), group))).collect();
    check_all(&jobs, |(jdk, group)| {
        let source = fs::read_to_string(root().join(format!("fixtures/slices/cases/{group}.java"))).unwrap();
        let (_, recorded) = Program::new("slices", &[group]).record(jdk, &[]);
        let past = recorded.past();
        let mut faults = Vec::new();
        for (name, told) in told(&source) {
            let call = past.find_call(&format!("{group}.{name}#1")).unwrap();
            let (criteria, complete) = outcome(&past, call).unwrap();
            assert!(complete, "{group}.{name}");
            let found = lines(&past, call, &criteria, &LIMITS).unwrap();
            let mut tally = tally.lock().unwrap();
            tally.cases += 1;
            let (mut all, mut unsure, mut too_many, mut false_no) = (0, 0, 0, 0);
            for (line, truth) in told {
                let text = source.lines().nth(line as usize - 1).unwrap().trim();
                let place = format!("{group}.{name} on {}, line {line}: {text}", jdk.version);
                all += 1;
                let depends = found.of.get(&line);
                unsure += usize::from(depends == Some(&Depends::Unsure));
                too_many += usize::from(!truth && depends == Some(&Depends::Yes));
                false_no += usize::from(truth && depends == Some(&Depends::No));
                match (truth, depends) {
                    (_, None) => faults.push(format!("{place}: did not run")),
                    (true, Some(Depends::No)) => faults.push(format!("{place}: said not to matter")),
                    (_, Some(Depends::Unsure)) => drop(tally.unsure.insert(place)),
                    (false, Some(Depends::Yes)) => drop(tally.too_many.insert(place)),
                    (true, Some(Depends::Yes)) | (false, Some(Depends::No)) => tally.right += 1,
                }
            }
            let sum = tally.by_jdk.entry(jdk.version.to_string()).or_default();
            sum.iter_mut().zip([1, all, unsure, too_many, false_no]).for_each(|(sum, one)| *sum += one);
        }
        (!faults.is_empty()).then(|| faults.join("\n"))
    });
    let tally = tally.into_inner().unwrap();
    let (unsure, too_many) = (tally.unsure.len(), tally.too_many.len());
    for (jdk, [cases, lines, unsure, too_many, false_no]) in &tally.by_jdk {
        println!("CASES|lines of {cases} slices|{jdk}|{lines}|{unsure}|{too_many}|{false_no}");
    }
    for (how, places) in [("UNKNOWN", &tally.unsure), ("TOO MANY", &tally.too_many)] {
        places.iter().for_each(|place| println!("{how}|{place}"));
    }
    let all = tally.right + unsure + too_many;
    assert!(
        tally.cases >= 600 && unsure * 100 <= all * 8 && too_many * 100 <= all * 4,
        "{unsure} {too_many} {all}"
    );
}
