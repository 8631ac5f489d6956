//! Damaged class files: reading, rewriting and weaving may refuse them, but never panic and always end. The agent does
//! this inside of the program's JVM. Seeds are the classes of `fixtures/`; a failure names what makes it again.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use classfile::{ClassFile, CodeEdit, MemberRef, PoolBuilder, rewrite_code, write_class};
use instrument::{Classes, Detail, hide_recorder, weave, weave_library};

struct Everything;

impl Classes for Everything {
    fn is_volatile(&self, field: MemberRef<'_>) -> bool {
        field.name.len() % 2 == 0
    }

    fn is_program(&self, _class: &[u8]) -> bool {
        true
    }
}

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
        const NUMBERS: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, 0xc4, 0xaa, 0xab];
        for _ in 0..=self.below(6) {
            let at = self.below(bytes.len());
            match self.below(8) {
                0 => bytes.truncate(at),
                1 => {
                    let end = (at + self.below(16)).min(bytes.len());
                    bytes.drain(at..end);
                }
                2 => {
                    let piece = bytes[at..(at + self.below(16)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
                3 if !bytes.is_empty() => bytes[at] = NUMBERS[self.below(NUMBERS.len())],
                4 if at + 2 <= bytes.len() => bytes[at..at + 2].fill(0xff),
                _ if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                _ => {}
            }
        }
    }
}

fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made = Command::new(root.join("scripts/compile")).args(["awkward", "events"]).status().unwrap();
    assert!(made.success());
    let mut found = Vec::new();
    for group in ["awkward", "events"] {
        for entry in fs::read_dir(root.join("target/java").join(group)).unwrap() {
            let path = entry.unwrap().path();
            let small = fs::metadata(&path).unwrap().len() < 20_000;
            if small && path.extension().is_some_and(|extension| extension == "class") {
                found.push((path.file_name().unwrap().into(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 100, "only {} class files", found.len());
    found
}

/// What the agent may do with a class; says whether the class could be read at all.
fn use_class(bytes: &[u8]) -> bool {
    for detail in [Detail::Full, Detail::Heap, Detail::Calls] {
        let _ = weave(bytes, detail, 1, 1, true, &Everything);
    }
    let _ = weave_library(bytes, 1);
    let _ = hide_recorder(b"java/lang/Object", bytes);
    let _ = hide_recorder(b"jdk/internal/reflect/Reflection", bytes);
    let Ok(class) = ClassFile::parse(bytes) else { return false };
    let mut pool = PoolBuilder::new(&class.pool);
    let mut codes = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        if let Ok(Some(code)) = method.code(&class)
            && let Ok(code) = rewrite_code(&class, method, &code, &CodeEdit::default(), &mut pool)
        {
            codes.push((index, code));
        }
    }
    let _ = write_class(&class, &mut pool, &codes, None);
    true
}

fn fuzz(time: Duration, mut seed: u64) {
    let corpus = corpus();
    let (started, mut tried, mut readable) = (Instant::now(), 0, 0);
    while started.elapsed() < time || tried < 100 {
        seed += 1;
        let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (name, original) = &corpus[chance.below(corpus.len())];
        let mut bytes = original.clone();
        chance.damage(&mut bytes);
        let begun = Instant::now();
        let used = catch_unwind(AssertUnwindSafe(|| use_class(&bytes)));
        assert!(begun.elapsed() < Duration::from_secs(20), "too slow: {} with seed {seed}", name.display());
        match used {
            Ok(read) => readable += usize::from(read),
            Err(_) => {
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("damaged-{seed}.class"));
                fs::write(&kept, &bytes).unwrap();
                panic!("panics: {} with seed {seed}, kept as {}", name.display(), kept.display());
            }
        }
        tried += 1;
    }
    println!("{tried} damaged classes, {readable} of them could be read");
    assert!(readable * 20 > tried, "the damage is so great that nothing is tested: {readable} of {tried}");
}

#[test]
fn damaged_classes_do_no_harm() {
    fuzz(Duration::from_secs(1), 0);
}

#[test]
#[ignore = "long: make fuzz"]
fn fuzz_classes() {
    let seconds = env::var("INQUEST_FUZZ_SECONDS").map_or(60, |text| text.parse().unwrap());
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    fuzz(Duration::from_secs(seconds), now);
}
