//! What the points-to analysis of recorded programs costs: reads what the run showed, then solves with the run's JDK and
//! class path, then keeps and loads the result. Memory is the process's peak, so name one recording at a time to
//! compare. Prints one line of JSON per recording.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use analysis::observed::{RunClasses, observed};
use classfile::ClassFile;
use index::Evidence;
use past::{Past, Settings};
use pointsto::{ClassLookup, MemberName, Solution, solve};

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    for place in arguments.map(PathBuf::from) {
        measure(&place);
    }
}

fn measure(place: &Path) {
    let past = Past::open(place, &Settings::default(), &mut |_| {}).expect("the recording can be indexed");
    let opened = peak_memory();
    let started = Instant::now();
    let classes = RunClasses::new(&past);
    let finding = started.elapsed();
    let started = Instant::now();
    let facts = observed(&past, &mut |_, _| {}).expect("the index can be read");
    let looking = started.elapsed();
    past.make_room();
    let looked = peak_memory();
    let (started, before) = (Instant::now(), cpu_seconds());
    let solution = solve(&classes, &facts, &mut |_, _| {}).expect("something was observed");
    let (solving, solving_cpu) = (started.elapsed(), cpu_seconds() - before);
    let solved = peak_memory();

    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, key) = (folder.path().join("points-to"), [7; 32]);
    let started = Instant::now();
    std::fs::write(&file, solution.encode(&key)).expect("the result can be kept");
    let saving = started.elapsed();
    let started = Instant::now();
    let loaded = Solution::decode(&std::fs::read(&file).expect("what was kept can be read"), &key);
    let loading = started.elapsed();

    let reached = solution.reached().count();
    let own = solution.reached().filter(|&method| solution.is_program(method)).count();
    println!(
        "{{\"recording\":{:?},\"rows\":{},\"entries\":{},\"calls\":{},\"seen\":{},\"class_path_ms\":{:.1},\
         \"observed_s\":{:.3},\"solve_s\":{:.3},\"solve_cpu_s\":{solving_cpu:.2},\"save_ms\":{:.1},\"load_ms\":{:.1},\"kept_mb\":{:.1},\
         \"methods\":{reached},\"program_methods\":{own},\"objects\":{},\"left_out\":{},\"found_again\":{},\
         \"memory_before_mb\":{},\"memory_observed_mb\":{},\"memory_mb\":{}}}",
        place.display().to_string(),
        past.streams().iter().map(|&stream| u64::from(past.index().calls(stream))).sum::<u64>(),
        facts.entries.len(),
        facts.calls.len(),
        facts.seen.len(),
        finding.as_secs_f64() * 1e3,
        looking.as_secs_f64(),
        solving.as_secs_f64(),
        saving.as_secs_f64() * 1e3,
        loading.as_secs_f64() * 1e3,
        std::fs::metadata(&file).map_or(0, |data| data.len()) as f64 / 1e6,
        objects(&classes, &solution),
        solution.left_out().len(),
        loaded.is_some(),
        opened >> 10,
        looked >> 10,
        solved >> 10,
    );
}

/// Abstract objects that instructions of the program create.
fn objects(classes: &RunClasses<'_>, solution: &Solution) -> usize {
    let mut names: Vec<String> = Vec::new();
    for method in solution.reached().filter(|&method| solution.is_program(method)) {
        names.push(solution.member(method).class);
    }
    names.sort_unstable();
    names.dedup();
    let mut objects = HashSet::new();
    for name in names {
        let Some(bytes) = classes.bytes(&name) else { continue };
        let Ok(class) = ClassFile::parse(&bytes) else { continue };
        for declared in &class.methods {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (method, descriptor) = (text(declared.name), text(declared.descriptor));
            let member = MemberName { class: name.clone(), name: method, descriptor };
            let Some(method) = solution.method(&member) else { continue };
            let Ok(Some(code)) = declared.code(&class) else { continue };
            for insn in code.insns().flatten() {
                let bci = u16::try_from(insn.pc).unwrap_or(u16::MAX);
                objects.extend(solution.created_at(method, bci));
            }
        }
    }
    objects.len()
}

/// Processor time that the process has used so far, which other processes on the machine do not change much.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may have spaces in it, and ends with the last parenthesis.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory that the process had resident, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
