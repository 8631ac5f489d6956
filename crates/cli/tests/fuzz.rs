//! Damaged recordings: opening, verifying and counting may name damage, but never panic and always end. The seed is a
//! recording of a real program; its streams are damaged below the checksums, so that the damage is read.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use trace::frame_reader::Piece;
use trace::{FrameReader, FrameWriter, Recording, StreamId};

/// Xorshift: the same seed gives the same damage on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// Flips bits, puts in interesting numbers, cuts and doubles pieces.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(5) {
            let at = self.below(bytes.len());
            let end = (at + self.below(24)).min(bytes.len());
            match self.below(8) {
                0 if self.below(4) == 0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                3 if !bytes.is_empty() => bytes[at] = self.below(0x44) as u8,
                4 => bytes[at..end.min(at + 4)].fill(0xff),
                _ if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                _ => {}
            }
        }
    }
}

/// A frame, unpacked.
struct Frame {
    stream: StreamId,
    seq: u32,
    chunks: u16,
    last: bool,
    raw: Vec<u8>,
}

struct Seed {
    manifest: Vec<u8>,
    frames: Vec<Frame>,
    files: Vec<u8>,
}

/// Records a small program.
fn seed(detail: &str, folder: &Path) -> Seed {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(Command::new(root.join("scripts/compile")).arg("events").status().unwrap().success());
    let home = Command::new(root.join("scripts/jdk")).arg("javac").output().unwrap();
    let java = PathBuf::from(String::from_utf8(home.stdout).unwrap().trim_end()).join("bin/java");
    let place = folder.join(detail);
    let mut record = Command::new(env!("CARGO_BIN_EXE_inquest"));
    record.args(["record", "-q", "--exclude", "report", "--detail", detail, "-o"]).arg(&place);
    record.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let ran = record
        .arg("--")
        .arg(java)
        .arg("-cp")
        .arg(root.join("target/java/events"))
        .args(["Events", "20"])
        .output();
    assert!(ran.unwrap().status.success());
    let reader = FrameReader::open(&place).unwrap();
    let mut frames = Vec::new();
    for stream in reader.streams() {
        for piece in reader.pieces(stream) {
            let Piece::Frame(frame) = piece else { panic!("a gap in a whole recording") };
            let header = &frame.header;
            let raw = reader.load(frame).unwrap();
            frames.push(Frame { stream, seq: header.seq, chunks: header.chunks, last: header.last, raw });
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
        chance.damage(&mut bytes);
        fs::write(place.join("chunks-000.inq"), bytes).unwrap();
        return;
    }
    let mut writer = FrameWriter::create(place).unwrap();
    let spoilt = chance.below(seed.frames.len());
    for (at, frame) in seed.frames.iter().enumerate() {
        let mut raw = frame.raw.clone();
        if at == spoilt {
            chance.damage(&mut raw);
        }
        writer.write(frame.stream.0, frame.seq, frame.chunks, frame.last, &raw).unwrap();
    }
}

/// What the commands do with a recording; says whether damage was found.
fn read(place: &Path) -> bool {
    let Ok(recording) = Recording::open(place) else { return true };
    let found = recording.verify();
    let _ = recording.stats();
    for thread in recording.threads() {
        recording.events(thread.stream, |event| {
            std::hint::black_box(recording.event_line(event));
            std::ops::ControlFlow::Continue(())
        });
    }
    !found.ok
}

fn fuzz(time: Duration, mut seed_number: u64) {
    let folder = tempfile::tempdir().unwrap();
    let seeds = ["full", "heap"].map(|detail| seed(detail, folder.path()));
    let place = folder.path().join("damaged");
    static TRIED: AtomicU64 = AtomicU64::new(0);
    let watched = TRIED.load(Ordering::Relaxed);
    assert_eq!(watched, 0, "one fuzz at a time");
    // A reader that does not end cannot be stopped from here: the process ends, and says with what.
    static CURRENT: AtomicU64 = AtomicU64::new(0);
    thread::spawn(|| {
        let mut last = (0, Instant::now());
        loop {
            thread::sleep(Duration::from_secs(1));
            let tried = TRIED.load(Ordering::Relaxed);
            if tried != last.0 {
                last = (tried, Instant::now());
            } else if tried > 0 && tried != u64::MAX && last.1.elapsed() > Duration::from_secs(60) {
                eprintln!("does not end: seed {}", CURRENT.load(Ordering::Relaxed));
                std::process::abort();
            }
        }
    });
    let (started, mut tried, mut damaged) = (Instant::now(), 0, 0);
    while started.elapsed() < time || tried < 20 {
        seed_number += 1;
        tried += 1;
        CURRENT.store(seed_number, Ordering::Relaxed);
        TRIED.store(tried, Ordering::Relaxed);
        let mut chance = Chance(seed_number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        write(&seeds[chance.below(2)], &mut chance, &place);
        match catch_unwind(AssertUnwindSafe(|| read(&place))) {
            Ok(found) => damaged += u64::from(found),
            Err(_) => {
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("damaged-{seed_number}"));
                let _ = fs::rename(&place, &kept);
                panic!("panics: seed {seed_number}, kept as {}", kept.display());
            }
        }
    }
    TRIED.store(u64::MAX, Ordering::Relaxed);
    println!("{tried} damaged recordings, {damaged} of them named as such");
    assert!(damaged > 0 && damaged < tried, "the damage tests nothing: {damaged} of {tried}");
}

#[test]
fn damaged_recordings_do_no_harm() {
    fuzz(Duration::from_secs(1), 0);
}

#[test]
#[ignore = "long: make fuzz"]
fn fuzz_recordings() {
    let seconds = env::var("INQUEST_FUZZ_SECONDS").map_or(60, |text| text.parse().unwrap());
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    fuzz(Duration::from_secs(seconds), now);
}
