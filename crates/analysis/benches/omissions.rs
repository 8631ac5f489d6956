//! What omission questions cost on a recording: `cargo bench -p analysis --bench omissions -- DIR [OBJECT|-] [QUERIES]`.
//! With an object (a name, or a location that holds it), the naive algorithm is timed beside the finder; then random
//! objects that the program made are asked about. Prints one line of JSON. `-- --check DIR...` compares the two.

use std::path::Path;
use std::time::{Duration, Instant};

use analysis::executed::Executed;
use analysis::observed::points_to;
use analysis::omissions::{OmissionOptions, OmissionSubject, omissions};
use index::Evidence;
use past::{KnownValue, ObjectId, Past, Pointed, Settings, Value};
use pointsto::Solution;

#[path = "../tests/naive_omissions/mod.rs"]
mod naive_omissions;

use naive_omissions::{balloons, created};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [place, rest @ ..] = words.as_slice() else { return };
    let open = |place: &str| {
        Past::open(Path::new(place), &Settings::default(), &mut |_| {}).expect("the recording can be indexed")
    };
    if place == "--check" {
        for place in rest {
            let (said, faults) = naive_omissions::compare::compare(&open(place));
            println!("{place}: {said} compared, {}", faults.as_deref().unwrap_or("the same"));
        }
        return;
    }
    let past = open(place);
    let (solution, solving) =
        timed(|| points_to(&past, &past.shelf(), &mut |_| {}).expect("something was observed"));
    let (executed, looking) =
        timed(|| Executed::open(&past, &past.shelf(), &mut |_| {}).expect("the recording can be read"));
    let made = created(&past);
    let naive = match rest.first().filter(|word| *word != "-") {
        Some(name) => compare(&past, &solution, &executed, object(&past, name), &made),
        None => "null".to_owned(),
    };
    let queries = rest.get(1).map_or(200, |count| count.parse().expect("a number of queries"));
    let objects: Vec<ObjectId> = made.keys().copied().collect();
    let mut random = 88_172_645_463_325_252_u64;
    let mut times: Vec<Duration> = Vec::new();
    let mut lengths: Vec<usize> = Vec::new();
    for _ in 0..queries.min(if objects.is_empty() { 0 } else { queries }) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let subject = OmissionSubject::Object(objects[(random % objects.len() as u64) as usize]);
        let (answer, took) = timed(|| {
            omissions(&past, &solution, &executed, &subject, &OmissionOptions::default()).expect("an answer")
        });
        times.push(took);
        lengths.push(answer.list.len());
    }
    times.sort_unstable();
    lengths.sort_unstable();
    let ms = |share: f64| {
        times.get((times.len() as f64 * share) as usize).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    println!(
        "{{\"recording\":{place:?},\"events\":{},\"objects\":{},\"points_to_s\":{:.3},\"executed_s\":{:.3},\"naive\":{naive},\
         \"queries\":{},\"p50_ms\":{:.2},\"p99_ms\":{:.2},\"max_ms\":{:.2},\"median_list\":{}}}",
        past.index().events(),
        objects.len(),
        solving.as_secs_f64(),
        looking.as_secs_f64(),
        times.len(),
        ms(0.5),
        ms(0.99),
        ms(1.0 - 1e-9),
        lengths.get(lengths.len() / 2).copied().unwrap_or(0),
    );
}

/// The naive algorithm and the finder on one object, both without values and with reads: the finder is the best of
/// five, the naive one is run once.
fn compare(
    past: &Past,
    solution: &Solution,
    executed: &Executed,
    object: ObjectId,
    made: &std::collections::BTreeMap<ObjectId, (trace::Site, past::Position)>,
) -> String {
    let Some(&here) = made.get(&object) else { return "\"not made by the program's own code\"".to_owned() };
    let (found, naive) = timed(|| balloons(past, solution, object, here, 5).unwrap_or_default().len());
    let options =
        OmissionOptions { reads: true, values: false, limit: usize::MAX, ..OmissionOptions::default() };
    let asked = |_| {
        timed(|| {
            omissions(past, solution, executed, &OmissionSubject::Object(object), &options)
                .expect("an answer")
        })
    };
    let (answer, ours) = (0..5).map(asked).min_by_key(|(_, took)| *took).expect("five");
    format!(
        "{{\"object\":{:?},\"balloons\":{found},\"bundles\":{},\"naive_ms\":{:.2},\"ours_ms\":{:.3},\"times\":{:.0}}}",
        past.object_name(object),
        answer.list.len(),
        naive.as_secs_f64() * 1e3,
        ours.as_secs_f64() * 1e3,
        naive.as_secs_f64() / ours.as_secs_f64(),
    )
}

fn object(past: &Past, name: &str) -> ObjectId {
    match past.find_value(name, None).expect("an object or a location") {
        Pointed::Object(object) => object,
        Pointed::Location(location) => match past.value_at(&location, past.last_time().expect("a time")) {
            KnownValue::Value(Value::Object(object)) | KnownValue::Seen(Value::Object(object)) => object,
            other => panic!("{name} is no object but {other:?}"),
        },
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let made = work();
    (made, started.elapsed())
}
