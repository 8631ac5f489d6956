//! Compares what recorded runs showed with what the points-to analysis says of their programs: once as it is used, and
//! once without being told of any call that was seen, so that its own call graph is what is tested. `bench/soundness`
//! records real programs and runs this on them. Prints one line of JSON per recording and mode; examples of what is
//! missing go to the error output.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use analysis::observed::{FactSelection, RunClasses, observed_as};
use analysis::soundness::{Counted, Excuse, Run};
use past::{Past, Settings};
use pointsto::solve;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    for place in arguments.map(PathBuf::from) {
        check(&place);
    }
}

fn check(place: &Path) {
    let past = Past::open(place, &Settings::default(), &mut |_| {}).expect("the recording can be indexed");
    let run = Run::new(&past);
    let classes = RunClasses::new(&past);
    for (mode, want) in [("all", FactSelection::All), ("without-calls", FactSelection::WithoutCalls)] {
        let facts = observed_as(&past, want, &mut |_, _| {}).expect("the index can be read");
        let started = Instant::now();
        let solution = solve(&classes, &facts, &mut |_, _| {}).expect("something was observed");
        let seconds = started.elapsed().as_secs_f64();
        let found = run.check(&solution, &classes);
        println!(
            "{{\"recording\":{:?},\"mode\":\"{mode}\",\"solve_s\":{seconds:.2},\"reached\":{},\"reached_program\":{},\
             \"left_out\":{},\"entered\":{},\"calls\":{},\"pairs\":{}}}",
            place.display().to_string(),
            found.reached,
            found.reached_program,
            solution.left_out().len(),
            json(&found.entered),
            json(&found.calls),
            json(&found.pairs),
        );
        for (class, why) in solution.left_out().iter().take(20) {
            eprintln!("{mode}: left out {class}: {why}");
        }
        for example in &found.examples {
            eprintln!("{mode}: missing {example}");
        }
        for example in &found.explained {
            eprintln!("{mode}: explained by {example}");
        }
    }
}

fn json(counted: &Counted) -> String {
    let names: BTreeMap<Excuse, &str> = [
        (Excuse::Generated, "generated"),
        (Excuse::LeftOut, "left_out"),
        (Excuse::Reflection, "reflection"),
        (Excuse::Native, "native"),
    ]
    .into();
    let reasons: Vec<String> =
        counted.explained.iter().map(|(reason, count)| format!("\"{}\":{count}", names[reason])).collect();
    format!(
        "{{\"observed\":{},\"contained\":{},\"explained\":{{{}}},\"missing\":{}}}",
        counted.observed,
        counted.contained,
        reasons.join(","),
        counted.missing
    )
}
