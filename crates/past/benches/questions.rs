//! What questions about the past cost: builds the index of each recording that is named, opens it, and asks random
//! questions of every kind. `bench/past` makes recordings of growing size and runs this on them.
//!
//! Prints one line of JSON per recording.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use index::Evidence;
use past::{CallId, KnownValue, Location, Past, RenderLimits, Settings, StreamId, Time};

const ROUNDS: usize = 2000;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    for place in arguments.map(PathBuf::from) {
        measure(&place);
    }
}

fn measure(place: &Path) {
    let settings = Settings::default();
    let _ = std::fs::remove_dir_all(place.join("index"));
    let (before, started) = (cpu_seconds(), Instant::now());
    let past = Past::open(place, &settings, &mut |_| {}).expect("the recording can be indexed");
    let (build, build_cpu) = (started.elapsed(), cpu_seconds() - before);
    let build_memory = peak_memory();
    let events = past.index().events();
    drop(past);

    let mut opens: Vec<Duration> = (0..5)
        .map(|_| {
            let started = Instant::now();
            Past::open(place, &settings, &mut |_| {}).expect("the index can be opened");
            started.elapsed()
        })
        .collect();
    opens.sort();
    let past = Past::open(place, &settings, &mut |_| {}).expect("the index can be opened");

    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let stream = busiest(&past);
    let calls = past.index().calls(stream);
    let locations = sample_locations(&past, stream, &mut random);
    let mut writes = Times::default();
    let mut shows = Times::default();
    let mut pages = Times::default();
    let mut events_of = Times::default();
    let limits = RenderLimits { depth: 2, elements: 10, string: 60, width: 120, named: false };
    let (mut known, mut asked) = (0u64, 0u64);
    for _ in 0..ROUNDS {
        if !locations.is_empty() {
            let location = &locations[random.below(locations.len() as u64) as usize];
            let time = Time(random.below(events));
            let value = writes.time(|| past.value_at(location, time));
            asked += 1;
            known += u64::from(value != KnownValue::Unknown);
        }
        let call = CallId { stream, index: random.below(u64::from(calls)) as u32 };
        shows.time(|| (past.call(call), past.changes(call, 1000)));
    }
    for _ in 0..ROUNDS / 10 {
        let root = CallId { stream, index: random.below(u64::from(calls)) as u32 };
        pages.time(|| page(&past, root, &limits));
        let call = CallId { stream, index: random.below(u64::from(calls)) as u32 };
        events_of.time(|| past.events(call, None, 200, false));
    }
    println!(
        "{{\"recording\":{:?},\"events\":{events},\"calls\":{calls},\"build_s\":{:.2},\"build_cpu_s\":{:.2},\
         \"events_per_cpu_s\":{:.0},\"build_memory_mb\":{},\"index_mb\":{},\"open_ms\":{:.1},\
         \"value\":{},\"call_with_changes\":{},\"page_of_200\":{},\"events_of_call\":{},\"known\":\"{known} of {asked}\",\
         \"memory_mb\":{}}}",
        place.display().to_string(),
        build.as_secs_f64(),
        build_cpu,
        events as f64 / build_cpu,
        build_memory >> 10,
        folder_bytes(&place.join("index")) >> 20,
        opens[2].as_secs_f64() * 1e3,
        writes.json(),
        shows.json(),
        pages.json(),
        events_of.json(),
        peak_memory() >> 10,
    );
}

/// 200 rows as a client shows them: the rows around a call, with arguments and results as text.
fn page(past: &Past, first: CallId, limits: &RenderLimits) -> usize {
    let parent = past.call(first).and_then(|info| info.parent);
    let rows: Vec<CallId> = match parent {
        Some(parent) => past.tree_rows(Some(parent), None, true).take(200).map(|row| row.call).collect(),
        None => past.tree_rows(Some(first), None, true).take(200).map(|row| row.call).collect(),
    };
    rows.iter().map(|&call| texts(past, call, limits)).sum()
}

fn texts(past: &Past, call: CallId, limits: &RenderLimits) -> usize {
    let Some(info) = past.call(call) else { return 0 };
    let value = |arg: &past::Named| {
        past.known_text(KnownValue::Value(arg.value), &arg.descriptor, info.entry, limits)
    };
    info.args.iter().map(|arg| value(arg).len()).sum()
}

fn busiest(past: &Past) -> StreamId {
    past.streams().into_iter().max_by_key(|&stream| past.index().calls(stream)).expect("there is a thread")
}

/// Locations that were written at some time, chosen by random calls' changes.
fn sample_locations(past: &Past, stream: StreamId, random: &mut Random) -> Vec<Location> {
    let mut locations = Vec::new();
    for _ in 0..300 {
        let call = CallId { stream, index: random.below(u64::from(past.index().calls(stream))) as u32 };
        if past.call(call).is_some_and(|info| info.events < 100_000) {
            locations.extend(past.changes(call, 5).list.into_iter().map(|change| change.location));
        }
    }
    locations
}

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn time<T>(&mut self, question: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let answer = std::hint::black_box(question());
        self.0.push(started.elapsed());
        answer
    }

    /// Median, 99th percentile and maximum in microseconds.
    fn json(&mut self) -> String {
        self.0.sort();
        let at = |share: f64| {
            let index = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
            self.0.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e6)
        };
        format!("{{\"p50_us\":{:.0},\"p99_us\":{:.0},\"max_us\":{:.0}}}", at(0.5), at(0.99), at(1.0))
    }
}

/// Good enough for choosing questions, and the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

/// User and system time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The largest resident size so far, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => folder_bytes(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}
