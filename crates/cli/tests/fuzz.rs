//! Damaged recordings: opening, verifying and counting may name damage, but never panic and always end. The seed is a
//! recording of a real program; its streams are damaged below the checksums, so that the damage is read.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use testkit::{Chance, Program, jdk17, long_run, scratch};
use trace::frame_reader::Piece;
use trace::{FrameReader, FrameWriter, Recording, StreamId};

/// Tags of records.
const LIKELY: [u8; 12] = [0, 1, 3, 4, 0x0a, 0x10, 0x11, 0x12, 0x13, 0x14, 0x35, 0x36];

/// A frame, unpacked.
struct FrameBytes {
    stream: StreamId,
    chunk_number: u32,
    chunks: u16,
    last: bool,
    raw: Vec<u8>,
}

struct Seed {
    manifest: Vec<u8>,
    frames: Vec<FrameBytes>,
    files: Vec<u8>,
}

/// Records a small program.
fn seed(detail: &str) -> Seed {
    let program = Program::new("events", &["Events", "20"]);
    let (ran, recorded) = program.record(&jdk17(), &["--exclude", "report", "--detail", detail]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let place = recorded.path();
    let reader = FrameReader::open(&place).unwrap();
    let mut frames = Vec::new();
    for stream in reader.streams() {
        for piece in reader.pieces(stream) {
            let Piece::Frame(frame) = piece else { panic!("a gap in a whole recording") };
            let header = &frame.header;
            let raw = reader.load(frame).unwrap();
            frames.push(FrameBytes {
                stream,
                chunk_number: header.chunk_number,
                chunks: header.chunks,
                last: header.last,
                raw,
            });
        }
    }
    let manifest = fs::read(place.join("manifest.json")).unwrap();
    Seed { manifest, frames, files: fs::read(place.join("chunks-000.inq")).unwrap() }
}

/// Writes a damaged copy: of the file as it lies on disk, or of one stream with its checksums made right again.
fn write(seed: &Seed, chance: &mut Chance, place: &Path) {
    let _ = fs::remove_dir_all(place);
    fs::create_dir(place).unwrap();
    fs::write(place.join("manifest.json"), &seed.manifest).unwrap();
    if chance.below(6) == 0 {
        let mut bytes = seed.files.clone();
        chance.damage(&mut bytes, &LIKELY);
        fs::write(place.join("chunks-000.inq"), bytes).unwrap();
        return;
    }
    let mut writer = FrameWriter::create(place).unwrap();
    // Most of a small recording are tables, and most of those are classes that nobody asks for.
    let tables = chance.below(3) == 0;
    let mut candidates =
        (0..seed.frames.len()).filter(|&at| (seed.frames[at].stream == StreamId::TABLES) == tables);
    let count = candidates.clone().count();
    let spoilt = candidates.nth(chance.below(count)).unwrap();
    for (at, frame) in seed.frames.iter().enumerate() {
        let mut raw = frame.raw.clone();
        if at == spoilt {
            chance.damage(&mut raw, &LIKELY);
        }
        writer.write(frame.stream.0, frame.chunk_number, frame.chunks, frame.last, &raw).unwrap();
    }
}

/// What the commands do with a recording; says whether damage was found.
fn read(place: &Path) -> bool {
    let Ok(recording) = Recording::open(place) else { return true };
    let found = recording.verify();
    let _ = recording.stats();
    for thread in recording.threads() {
        recording.events(thread.stream, |event| {
            std::hint::black_box(words::recorded_event(&recording, event));
            std::ops::ControlFlow::Continue(())
        });
    }
    !found.ok
}

fn fuzz(time: Duration, mut seed_number: u64) {
    let folder = tempfile::tempdir().unwrap();
    let seeds = ["full", "heap"].map(seed);
    let place = folder.path().join("damaged");
    // A reader that does not end cannot be stopped from here: the process ends, and says with what.
    static CURRENT: Mutex<Option<(u64, Instant)>> = Mutex::new(None);
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            if let Some((seed, since)) = *CURRENT.lock().unwrap()
                && since.elapsed() > Duration::from_secs(60)
            {
                eprintln!("does not end: seed {seed}");
                std::process::abort();
            }
        }
    });
    let (started, mut tried, mut damaged) = (Instant::now(), 0, 0);
    while started.elapsed() < time || tried < 20 {
        tried += 1;
        *CURRENT.lock().unwrap() = Some((seed_number, Instant::now()));
        let mut chance = Chance::new(seed_number);
        write(&seeds[chance.below(2)], &mut chance, &place);
        match catch_unwind(AssertUnwindSafe(|| read(&place))) {
            Ok(found) => damaged += u64::from(found),
            Err(_) => {
                let kept = scratch().join(format!("damaged-{seed_number}"));
                let _ = fs::rename(&place, &kept);
                panic!("panics: seed {seed_number}, kept as {}", kept.display());
            }
        }
        seed_number = seed_number.wrapping_add(1);
    }
    *CURRENT.lock().unwrap() = None;
    println!("{tried} damaged recordings, {damaged} of them named as such");
    assert!(damaged > 0 && damaged < tried, "the damage tests nothing: {damaged} of {tried}");
}

#[test]
fn damaged_recordings_do_no_harm() {
    fuzz(Duration::from_secs(1), testkit::seed(1));
}

#[test]
#[ignore = "long: make fuzz"]
fn fuzz_recordings() {
    let (time, seed) = long_run();
    fuzz(time, seed);
}
