//! Reading and writing without edits is the identity, over all classes of the JDKs that are installed: some 27,000
//! each, small and very large.

use classfile::{ClassFile, CodeEdit, PoolBuilder, rewrite_code, write_class};

fn check(version: &str) {
    let mut faults = Vec::new();
    for (name, bytes) in testkit::jdk_classes(version) {
        let fault = fault(&bytes).unwrap_or_else(|error| Some(error.to_string()));
        faults.extend(fault.map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{} faults, the first: {:#?}", faults.len(), &faults[..faults.len().min(20)]);
}

/// Writes the class without edits, and then with every method's code laid out anew, with nothing inserted. The second
/// only adds constants, and writes stack maps in another form; that those are right is for the JVM to say.
fn fault(bytes: &[u8]) -> classfile::Result<Option<String>> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    if write_class(&class, &mut pool, &[], &[])? != bytes {
        return Ok(Some("is not written as it was read".to_owned()));
    }
    let mut codes = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        if let Some(code) = method.code(&class)? {
            codes.push((index, rewrite_code(&class, method, &code, &CodeEdit::default(), &mut pool)?));
        }
    }
    let written = write_class(&class, &mut pool, &codes, &[])?;
    let written = ClassFile::parse(&written)?;
    for (index, _) in codes {
        let (old, new) = (&class.methods[index], &written.methods[index]);
        let (Some(old), Some(new)) = (old.code(&class)?, new.code(&written)?) else { unreachable!() };
        let same = old.code == new.code
            && (old.max_stack, old.max_locals, old.lines()) == (new.max_stack, new.max_locals, new.lines())
            && format!("{:?}", old.exceptions) == format!("{:?}", new.exceptions);
        if !same {
            return Ok(Some(format!("the code of method {index} is another")));
        }
    }
    Ok(None)
}

#[test]
fn classes_of_java_17_are_written_as_they_were_read() {
    check("17");
}

#[test]
fn classes_of_java_25_are_written_as_they_were_read() {
    check("25");
}
