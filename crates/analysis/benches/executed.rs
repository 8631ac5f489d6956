//! What it costs to work out what every call executed, and to ask for it. `cargo bench -p analysis --bench executed --
//! RECORDING` prints one JSON object; nothing is left in the recording's folder.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use analysis::code::Codes;
use analysis::executed::Executed;
use index::Evidence;
use past::{CallId, Past, Settings};
use shelf::Shelf;

const QUESTIONS: u32 = 1_000_000;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let Some(path) = words.next().map(PathBuf::from) else {
        // `cargo test --benches` runs it without arguments.
        println!("give a recording");
        return;
    };
    let past = Past::open(&path, &Settings::default(), &mut |_| {}).expect("a recording");
    let events = past.index().events();
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = Shelf::in_folder(folder.path().to_owned());

    let began = Instant::now();
    let made = Executed::open(&past, &shelf, &mut |_| {}).expect("what was executed");
    let making = began.elapsed();
    let peak = peak();
    drop(made);
    let size = std::fs::metadata(folder.path().join("executed")).map_or(0, |file| file.len());
    let began = Instant::now();
    let executed = Executed::open(&past, &shelf, &mut |_| {}).expect("what was executed");
    let opening = began.elapsed();

    let streams: Vec<_> =
        past.streams().into_iter().filter(|&stream| past.index().calls(stream) > 0).collect();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let began = Instant::now();
    let mut found = 0u64;
    for _ in 0..QUESTIONS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let stream = streams[random as usize % streams.len()];
        let index = ((random >> 32) % u64::from(past.index().calls(stream))) as u32;
        found += u64::from(black_box(executed.shape_of(CallId { stream, index })).is_some());
    }
    let looking = began.elapsed();

    let mut codes = Codes::default();
    let (mut shapes, mut most, mut ran, mut unknown) = (0, 0, 0u64, 0u64);
    let began = Instant::now();
    let mut asked = 0u64;
    for method in executed.methods() {
        most = most.max(executed.shapes(method).len());
        shapes += executed.shapes(method).len();
        let Some(code) = codes.get(past.recording().program(), method) else { continue };
        for &shape in executed.shapes(method) {
            unknown += u64::from(executed.shape(shape).unknown) * executed.shape(shape).calls;
            asked += code.insns.len() as u64;
            ran += code.insns.iter().filter(|insn| executed.ran(shape, &code, insn.bci)).count() as u64;
        }
    }
    let asking = began.elapsed();
    let rarest = executed.methods().flat_map(|method| executed.shapes(method)).copied();
    let rarest = rarest.min_by_key(|&shape| executed.shape(shape).calls).expect("a shape");
    let began = Instant::now();
    black_box(executed.calls(&past, rarest).count());
    let listing = began.elapsed();
    println!(
        "{{\"events\": {events}, \"make_s\": {:.2}, \"ns_per_event\": {:.1}, \"peak\": \"{peak}\", \"bytes\": {size}, \"shapes\": {shapes}, \"most_of_a_method\": {most}, \"unknown_calls\": {unknown}, \"open_ms\": {:.1}, \"shape_of_ns\": {:.0}, \"program_share\": {:.2}, \"ran_ns\": {:.0}, \"ran_share\": {:.2}, \"calls_of_rarest_ms\": {:.1}}}",
        making.as_secs_f64(),
        making.as_nanos() as f64 / events.max(1) as f64,
        opening.as_secs_f64() * 1000.0,
        looking.as_nanos() as f64 / f64::from(QUESTIONS),
        found as f64 / f64::from(QUESTIONS),
        asking.as_nanos() as f64 / asked.max(1) as f64,
        ran as f64 / asked.max(1) as f64,
        listing.as_secs_f64() * 1000.0,
    );
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("").trim().to_owned()
}
