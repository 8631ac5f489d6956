//! What a slice costs: `cargo bench -p analysis --bench slice -- RECORDING` prints one JSON object. Criteria are writes of
//! locations at random times; each slice is cut at 1,000 elements.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use analysis::slice::{Criterion, Cut, SliceLimits, slice};
use index::{Evidence, PostingKind};
use past::{Past, Position, Settings, StreamId};

const SLICES: usize = 100;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let Some(path) = words.next().map(PathBuf::from) else {
        // `cargo test --benches` runs it without arguments.
        println!("give a recording");
        return;
    };
    let past = Past::open(&path, &Settings::default(), &mut |_| {}).expect("a recording");
    let streams: Vec<(StreamId, u64)> = past.index().streams().filter(|&(_, events)| events > 0).collect();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below.max(1)
    };
    let mut times: Vec<Duration> = Vec::new();
    let mut full: Vec<Duration> = Vec::new();
    let (mut cut_elements, mut cut_events, mut elements, mut unknown) = (0, 0, 0, 0);
    let total: u64 = streams.iter().map(|(_, events)| events).sum();
    while times.len() < SLICES {
        let mut at = draw(total);
        let Some(&(stream, _)) = streams.iter().find(|(_, events)| {
            let here = at < *events;
            at = if here { at } else { at - events };
            here
        }) else {
            break;
        };
        // The next write to a location at or behind a random event.
        let near = past.index().within(stream, at, at + 2000);
        let written =
            near.filter(|posting| !posting.library && matches!(posting.what, PostingKind::Written(_)));
        let Some(written) = written.min_by_key(|posting| posting.ordinal) else { continue };
        let criterion = Criterion::Event(Position { stream, ordinal: written.ordinal });
        let began = Instant::now();
        let found = slice(&past, &criterion, &SliceLimits::default()).expect("a slice");
        times.push(began.elapsed());
        if found.elements.len() == SliceLimits::default().elements {
            full.push(began.elapsed());
        }
        elements += found.elements.len();
        unknown += usize::from(!found.unknown.is_empty());
        match found.cut {
            Some(Cut::Elements) => cut_elements += 1,
            Some(Cut::Events) => cut_events += 1,
            None => {}
        }
    }
    let ms = |times: &mut Vec<Duration>, share: f64| {
        times.sort();
        let at = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    println!(
        "{{\"events\": {}, \"slices\": {}, \"elements\": {}, \"median_ms\": {:.1}, \"p99_ms\": {:.1}, \"max_ms\": {:.1}, \
         \"full\": {}, \"full_median_ms\": {:.1}, \"full_max_ms\": {:.1}, \"cut_elements\": {cut_elements}, \
         \"cut_events\": {cut_events}, \"with_unknown\": {unknown}}}",
        past.index().events(),
        times.len(),
        elements,
        ms(&mut times, 0.5),
        ms(&mut times, 0.99),
        ms(&mut times, 1.0),
        full.len(),
        ms(&mut full, 0.5),
        ms(&mut full, 1.0),
    );
}
