//! Damaged class files: reading, rewriting and weaving may refuse them, but never panic and always end. The agent does
//! this inside of the program's JVM. Seeds are the classes of `fixtures/`; a failure names what makes it again.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use classfile::{ClassFile, CodeEdit, MemberRef, PoolBuilder, rewrite_code, write_class};
use instrument::{OtherClasses, ProgramDetail, hide_recorder, weave, weave_library};
use testkit::{Chance, classes, long_run, scratch};

/// Limits of numbers, and the instructions that are hardest to read: wide, tableswitch, lookupswitch.
const LIKELY: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, 0xc4, 0xaa, 0xab];

struct Everything;

impl OtherClasses for Everything {
    fn is_volatile(&self, field: MemberRef<'_>) -> bool {
        field.name.len().is_multiple_of(2)
    }

    fn is_program(&self, _class: &[u8]) -> bool {
        true
    }
}

fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for group in ["awkward", "events"] {
        for entry in fs::read_dir(classes(group)).unwrap() {
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
    for detail in [ProgramDetail::Full, ProgramDetail::Heap, ProgramDetail::Calls] {
        let _ = weave(bytes, detail, 1, 1, &Everything);
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
    let _ = write_class(&class, &mut pool, &codes, &[]);
    true
}

fn fuzz(time: Duration, mut seed: u64) {
    let corpus = corpus();
    let (started, mut tried, mut readable) = (Instant::now(), 0, 0);
    while started.elapsed() < time || tried < 100 {
        let mut chance = Chance::new(seed);
        let (name, original) = &corpus[chance.below(corpus.len())];
        let mut bytes = original.clone();
        chance.damage(&mut bytes, &LIKELY);
        let begun = Instant::now();
        let used = catch_unwind(AssertUnwindSafe(|| use_class(&bytes)));
        assert!(begun.elapsed() < Duration::from_secs(20), "too slow: {} with seed {seed}", name.display());
        match used {
            Ok(read) => readable += usize::from(read),
            Err(_) => {
                let kept = scratch().join(format!("damaged-{seed}.class"));
                fs::write(&kept, &bytes).unwrap();
                panic!("panics: {} with seed {seed}, kept as {}", name.display(), kept.display());
            }
        }
        tried += 1;
        seed = seed.wrapping_add(1);
    }
    println!("{tried} damaged classes, {readable} of them could be read");
    assert!(readable * 20 > tried, "the damage is so great that nothing is tested: {readable} of {tried}");
}

#[test]
fn damaged_classes_do_no_harm() {
    fuzz(Duration::from_secs(1), testkit::seed(1));
}

#[test]
#[ignore = "long: make fuzz"]
fn fuzz_classes() {
    let (time, seed) = long_run();
    fuzz(time, seed);
}
