//! What fingerprints and oracles cost: for random calls of a recording, its fingerprints, and the answer of a second
//! recording of the same program as reference.
//!
//!     cargo bench -p session --bench oracles -- RECORDING REFERENCE
//!
//! Prints one line of JSON, times in microseconds.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use base::Target;
use past::{CallId, Past, Settings};
use session::{Answer, Oracle, OracleSpec, Subject, fingerprints};

const ROUNDS: usize = 1000;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").map(PathBuf::from);
    let (Some(recording), Some(reference)) = (arguments.next(), arguments.next()) else {
        return println!("usage: oracles RECORDING REFERENCE");
    };
    let settings = Settings::default();
    let past = Past::open(&recording, &settings, &mut |_| {}).expect("the recording can be opened");
    let spec = OracleSpec::Reference(reference);
    let started = Instant::now();
    let mut oracle = Oracle::open(&spec, &past, None, &settings).expect("the reference can be opened");
    let open = started.elapsed();
    let calls: Vec<CallId> = past
        .streams()
        .into_iter()
        .flat_map(|stream| (0..past.calls_in(stream)).map(move |index| CallId { stream, index }))
        .filter(|&call| past.call_row(call).is_some_and(|row| matches!(row.target, Target::Method(_))))
        .collect();
    let (mut prints, mut answers) = (Vec::new(), Vec::new());
    let (mut printed, mut right, mut wrong) = (0, 0, 0);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..ROUNDS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let call = calls[(state % calls.len() as u64) as usize];
        printed += u32::from(timed(&mut prints, || fingerprints(&past, call)).is_some());
        let subject = Subject::Call { call: call.number() };
        match timed(&mut answers, || oracle.answer(&past, &subject)) {
            Some((Answer::Correct, _)) => right += 1,
            Some(_) => wrong += 1,
            None => {}
        }
    }
    println!(
        "{{\"calls\": {}, \"asked\": {ROUNDS}, \"open_us\": {}, \"fingerprints\": {{\"known\": {printed}, {}}}, \
         \"reference\": {{\"correct\": {right}, \"wrong\": {wrong}, \"first_us\": {}, {}}}}}",
        calls.len(),
        open.as_micros(),
        shown(&prints),
        answers[0].as_micros(),
        shown(&answers)
    );
}

fn timed<T>(times: &mut Vec<Duration>, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    times.push(started.elapsed());
    result
}

fn shown(times: &[Duration]) -> String {
    let mut sorted = times.to_vec();
    sorted.sort();
    let at = |share: usize| sorted[(sorted.len() - 1) * share / 100].as_micros();
    format!("\"median\": {}, \"p90\": {}, \"p99\": {}, \"max\": {}", at(50), at(90), at(99), at(100))
}
