//! What a dialogue costs: the first question after opening, the next ones, and memory. `cargo bench -p session --bench
//! dialogue -- RECORDING [STRATEGY]` prints one JSON object; `ran_…` is processor time, which says what it takes where others
//! have the machine meanwhile. Answers are drawn at random, mostly "right", so that dialogues
//! are long; each dialogue that ends is begun anew.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use past::{Past, Settings};
use session::{Answer, Author, Next, Oracles, Session, SessionOptions, Strategy, Verdict};

const QUESTIONS: usize = 1000;
/// How many of the slowest are listed if the environment has `SLOWEST`.
const SLOWEST: usize = 30;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let Some(path) = words.next().map(PathBuf::from) else {
        // `cargo test --benches` runs it without arguments.
        println!("give a recording");
        return;
    };
    let strategy: Strategy =
        words.next().map_or(Strategy::DqOptimal, |name| name.parse().expect("a strategy"));
    let slowest = std::env::var_os("SLOWEST").is_some();
    let journals = tempfile::tempdir().expect("a folder");
    let settings = Settings::default();
    drop(Past::open(&path, &settings, &mut |_| {}).expect("a recording"));

    let opened = Instant::now();
    // A journal of its own for each: the one before still has its own in hand.
    let open = |number: usize| {
        let journal = journals.path().join(number.to_string());
        std::fs::create_dir(&journal).expect("a folder");
        let past = Past::open(&path, &settings, &mut |_| {}).expect("a recording");
        let oracles = Oracles::open(&[], &past, &settings).expect("no oracles");
        let options = SessionOptions {
            root: None,
            symptom: None,
            ask_root: false,
            root_first: false,
            take_over: false,
            lists: false,
            strategy,
            easy: false,
            transforms: Vec::new(),
            trust: Vec::new(),
            distrust: Vec::new(),
            changed: None,
            certain: false,
            fresh: true,
            repeat: true,
        };
        Session::open(past, &journal, options, oracles, 0).expect("a session")
    };
    let mut session = open(0);
    let (mut first, mut dialogues) = (None, 0);
    let mut times: Vec<(Duration, Duration, String)> = Vec::new();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut began = (opened, ran());
    while times.len() < QUESTIONS {
        match session.next(0).expect("a step") {
            Next::Question(asked) => {
                match first {
                    None => first = Some(opened.elapsed()),
                    Some(_) => {
                        let (clock, processor) = (began.0.elapsed(), ran().saturating_sub(began.1));
                        times.push((clock, processor, asked.question.call.clone()));
                    }
                }
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let answer = if random.is_multiple_of(16) { Answer::wrong() } else { Answer::Correct };
                began = (Instant::now(), ran());
                session.answer(answer, Author::Agent("bench".to_owned()), 0).expect("an answer");
            }
            Next::Answered(_) | Next::Confirmed(_) => {}
            Next::Verdict(Verdict::Buggy(_)) | Next::Verdict(_) => {
                dialogues += 1;
                session = open(dialogues);
                // Its first question is not one of the next.
                let _ = session.next(0).expect("a step");
                began = (Instant::now(), ran());
                session.answer(Answer::Correct, Author::Agent("bench".to_owned()), 0).expect("an answer");
            }
        }
    }
    times.sort();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    for (time, ran, subject) in times.iter().rev().take(if slowest { SLOWEST } else { 0 }) {
        eprintln!("{:.1} ms ({:.1} ms of processor) {subject}", milliseconds(*time), milliseconds(*ran));
    }
    let at = |share: usize| milliseconds(times[times.len() * share / 100].0);
    let mut processor: Vec<Duration> = times.iter().map(|&(_, ran, _)| ran).collect();
    processor.sort();
    let ran_at = |share: usize| milliseconds(processor[processor.len() * share / 100]);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("").trim().to_owned();
    let past = session.past();
    let calls: u64 =
        past.streams().iter().map(|&stream| u64::from(past.program_calls_before(stream, u32::MAX))).sum();
    println!(
        "{{\"calls\": {calls}, \"strategy\": \"{strategy}\", \"first_ms\": {:.1}, \"median_ms\": {:.2}, \"p99_ms\": {:.2}, \"max_ms\": {:.2}, \"ran_median_ms\": {:.2}, \"ran_p99_ms\": {:.2}, \"peak\": \"{peak}\"}}",
        first.unwrap_or_default().as_secs_f64() * 1000.0,
        at(50),
        at(99),
        times.last().map_or(0.0, |&(time, ..)| milliseconds(time)),
        ran_at(50),
        ran_at(99),
    );
}

/// How long this thread has had a processor. Nothing where the system does not tell.
fn ran() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
