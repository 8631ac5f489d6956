//! Every class of the installed JDKs can be woven at every detail, and have its hash codes translated. That the result passes the JVM's verifier is shown
//! with a JVM, in `crates/cli/tests/e2e/link.rs`.

use std::sync::Mutex;
use std::thread;

use classfile::{ClassFile, MemberRef, opcode};
use instrument::{
    NOT_RECORDED, OtherClasses, ProgramDetail, RECORDER, Woven, is_collection, translate_hashes, weave,
    weave_library,
};

/// Every other field is volatile, every other class is of the program: both ways are taken often.
struct Mixed;

impl OtherClasses for Mixed {
    fn is_volatile(&self, field: MemberRef<'_>) -> bool {
        field.name.len().is_multiple_of(2)
    }

    fn is_program(&self, class: &[u8]) -> bool {
        class.len().is_multiple_of(2)
    }
}

fn check(version: &str) {
    let classes = testkit::jdk_classes(version);
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
    for (how, detail) in
        [("full", ProgramDetail::Full), ("heap", ProgramDetail::Heap), ("calls", ProgramDetail::Calls)]
    {
        note(how, weave(bytes, detail, 1000, 70_000, &Mixed));
    }
    if is_collection(class.as_bytes()) {
        note("library", weave_library(bytes, 70_000));
    }
    if let Err(fault) = hashes_are_translated(bytes) {
        faults.push(format!("{name}: {fault}"));
    }
    faults
}

/// Behind each call that may give an identity hash code, and nowhere else, is one of the recorder.
fn hashes_are_translated(bytes: &[u8]) -> Result<(), String> {
    let told = |e: classfile::Error| e.to_string();
    let made = translate_hashes(bytes).transpose().map_err(told)?;
    let (asked, _) = hash_calls(bytes).map_err(told)?;
    let (still, translated) = made.as_deref().map_or(Ok((asked, 0)), hash_calls).map_err(told)?;
    let right = still == asked && translated == asked;
    if right { Ok(()) } else { Err(format!("{asked} hash codes are asked for, {translated} are translated")) }
}

/// How many hash codes a class asks for, and how many calls of a translator it has.
fn hash_calls(bytes: &[u8]) -> classfile::Result<(usize, usize)> {
    let class = ClassFile::parse(bytes)?;
    let mut count = (0, 0);
    for method in &class.methods {
        let Some(code) = method.code(&class)? else { continue };
        for insn in code.insns() {
            let insn = insn?;
            if !opcode::is_invoke(insn.op) || insn.op == opcode::INVOKEDYNAMIC {
                continue;
            }
            let callee = class.pool.member(code.index(insn))?;
            let is_static = insn.op == opcode::INVOKESTATIC;
            match (callee.name, callee.descriptor) {
                (b"hash" | b"identity", _) if callee.class == RECORDER => count.1 += 1,
                (b"hashCode", b"()I") if !is_static => count.0 += 1,
                (b"identityHashCode", _) if callee.class == b"java/lang/System" => count.0 += 1,
                _ => {}
            }
        }
    }
    Ok(count)
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
