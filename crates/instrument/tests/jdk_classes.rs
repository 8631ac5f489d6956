//! Every class of the installed JDKs can be woven at every detail. That the result passes the JVM's verifier is shown
//! with a JVM, in `crates/cli/tests/e2e/link.rs`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use classfile::{ClassFile, MemberRef};
use instrument::{Classes, Detail, NOT_RECORDED, Woven, is_collection, weave, weave_library};

/// Every other field is volatile, every other class is of the program: both ways are taken often.
struct Mixed;

impl Classes for Mixed {
    fn is_volatile(&self, field: MemberRef<'_>) -> bool {
        field.name.len() % 2 == 0
    }

    fn is_program(&self, class: &[u8]) -> bool {
        class.len() % 2 == 0
    }
}

/// Name and bytes of every class of a JDK, or none if it is not installed (see `scripts/jdk-classes`).
fn classes(version: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made = Command::new(root.join("scripts/jdk-classes")).arg(version).output().unwrap();
    if !made.status.success() {
        println!("JDK {version} not available: left out");
        return Vec::new();
    }
    let file = fs::read(String::from_utf8(made.stdout).unwrap().trim_end()).unwrap();
    let mut rest = &file[..];
    let mut part = || {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (part, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        rest = after;
        Some(part)
    };
    let mut classes = Vec::new();
    while let (Some(name), Some(bytes)) = (part(), part()) {
        classes.push((String::from_utf8(name.to_vec()).unwrap(), bytes.to_vec()));
    }
    assert!(classes.len() > 5_000, "only {} classes", classes.len());
    classes
}

fn check(version: &str) {
    let classes = classes(version);
    let (faults, all) = (&Mutex::new(Vec::new()), &classes);
    let half = classes.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        for part in all.chunks(half) {
            scope.spawn(move || {
                for (name, bytes) in part {
                    let found = faults_of(name, bytes);
                    faults.lock().unwrap().extend(found);
                }
            });
        }
    });
    let faults = faults.lock().unwrap();
    assert!(faults.is_empty(), "{} faults, the first: {:#?}", faults.len(), &faults[..faults.len().min(20)]);
}

fn faults_of(name: &str, bytes: &[u8]) -> Vec<String> {
    let class = name.splitn(4, '/').nth(3).unwrap_or("").trim_end_matches(".class");
    let mut faults = Vec::new();
    let mut note = |how: &str, made: classfile::Result<Woven>| {
        let fault = match made {
            Err(error) => error.to_string(),
            Ok(woven) => match readable(&woven) {
                Err(error) => format!("the result is no class: {error}"),
                Ok(()) if woven.degraded.iter().any(|&(_, why)| why == NOT_RECORDED) => {
                    format!("methods are not recorded: {:?}", woven.degraded)
                }
                Ok(()) => return,
            },
        };
        faults.push(format!("{name} at {how}: {fault}"));
    };
    for (how, detail) in [("full", Detail::Full), ("heap", Detail::Heap), ("calls", Detail::Calls)] {
        note(how, weave(bytes, detail, 1000, 70_000, true, &Mixed));
    }
    if is_collection(class.as_bytes()) {
        note("library", weave_library(bytes, 70_000));
    }
    faults
}

/// Can all of it be read again, to the last instruction?
fn readable(woven: &Woven) -> classfile::Result<()> {
    let class = ClassFile::parse(&woven.bytes)?;
    for method in &class.methods {
        if let Some(code) = method.code(&class)? {
            code.insns().try_for_each(|insn| insn.map(|_| ()))?;
        }
    }
    Ok(())
}

#[test]
fn every_class_of_java_17_can_be_woven() {
    check("17");
}

#[test]
fn every_class_of_java_25_can_be_woven() {
    check("25");
}
