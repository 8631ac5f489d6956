//! Reading and writing without edits is the identity, over all classes of the JDKs that are installed: real compilers'
//! output of two decades, large and small.

use std::fs;
use std::path::Path;
use std::process::Command;

use classfile::{ClassFile, CodeEdit, PoolBuilder, rewrite_code, write_class};

/// Name and bytes of every class of a JDK, or none if it is not installed (see `scripts/jdk-classes`).
fn for_each_class(version: &str, mut visit: impl FnMut(&str, &[u8])) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made = Command::new(root.join("scripts/jdk-classes")).arg(version).output().unwrap();
    if !made.status.success() {
        println!("JDK {version} not available: left out");
        return 0;
    }
    let file = fs::read(String::from_utf8(made.stdout).unwrap().trim_end()).unwrap();
    let (mut rest, mut count) = (&file[..], 0);
    let mut part = || {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (part, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        rest = after;
        Some(part)
    };
    while let (Some(name), Some(bytes)) = (part(), part()) {
        visit(std::str::from_utf8(name).unwrap(), bytes);
        count += 1;
    }
    count
}

fn check(version: &str) {
    let mut faults = Vec::new();
    let count = for_each_class(version, |name, bytes| {
        let fault = match rewritten(bytes) {
            Err(error) => Some(error.to_string()),
            Ok(written) if written != bytes => Some("is not the same".to_owned()),
            Ok(_) => None,
        };
        faults.extend(fault.map(|fault| format!("{name}: {fault}")));
    });
    assert!(count == 0 || count > 5_000, "only {count} classes");
    assert!(faults.is_empty(), "{} of {count}, the first: {:#?}", faults.len(), &faults[..faults.len().min(20)]);
}

/// All of the class through all of the writer: every method's code is laid out anew, with nothing inserted.
fn rewritten(bytes: &[u8]) -> classfile::Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let mut codes = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        if let Some(code) = method.code(&class)? {
            codes.push((index, rewrite_code(&class, method, &code, &CodeEdit::default(), &mut pool)?));
        }
    }
    write_class(&class, &mut pool, &codes, None)
}

#[test]
fn classes_of_java_17_are_written_as_they_were_read() {
    check("17");
}

#[test]
fn classes_of_java_25_are_written_as_they_were_read() {
    check("25");
}
