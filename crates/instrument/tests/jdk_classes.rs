//! Every class of the installed JDKs can be woven at every detail. That the result passes the JVM's verifier is shown
//! with a JVM, in `crates/cli/tests/e2e/link.rs`.

#[path = "../../classfile/tests/jdk/mod.rs"]
mod jdk;

use std::sync::Mutex;
use std::thread;

use classfile::{ClassFile, MemberRef};
use instrument::{Classes, Detail, NOT_RECORDED, Woven, is_collection, weave, weave_library};

/// Every other field is volatile, every other class is of the program: both ways are taken often.
struct Mixed;

impl Classes for Mixed {
    fn is_volatile(&self, field: MemberRef<'_>) -> bool {
        field.name.len().is_multiple_of(2)
    }

    fn is_program(&self, class: &[u8]) -> bool {
        class.len().is_multiple_of(2)
    }
}

fn check(version: &str) {
    let classes = jdk::classes(version);
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
