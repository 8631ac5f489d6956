//! Can all that a method's code reads be seen? The recorder does not know the fields of library classes that it did not
//! weave; a method that reads one of them may depend on something that nobody can compare.

use base::MethodId;
use classfile::{ClassFile, Member, opcode};
use past::{Class, Detail, Mode, Program};

/// True if every read of the method is recorded, with the place that was read.
pub fn reads_are_visible(program: &Program, method: MethodId) -> bool {
    let Some((class, model)) = program.method(method) else { return false };
    if !class.recorded || class.detail != Detail::Full || model.mode != Mode::Replayed {
        return false;
    }
    let Ok(file) = ClassFile::parse(&class.bytes) else { return false };
    let own = |member: &&Member<'_>| {
        member.name == model.name.as_bytes() && member.descriptor == model.descriptor.as_bytes()
    };
    let Some(Ok(Some(code))) = file.methods.iter().find(own).map(|member| member.code(&file)) else {
        return false;
    };
    code.insns().all(|insn| {
        let Ok(insn) = insn else { return false };
        if !matches!(insn.op, opcode::GETFIELD | opcode::GETSTATIC) {
            return true;
        }
        let at = insn.pc as usize + 1;
        let index = code.code.get(at..at + 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
        let Some(Ok(field)) = index.map(|index| file.pool.member(index)) else { return false };
        // What an object from there is like shows when it is used.
        let is_object = insn.op == opcode::GETSTATIC && field.descriptor.starts_with(b"L");
        is_object || is_declared(program, class, field.class, field.name)
    })
}

/// Is the field declared in a class of the recording?
fn is_declared(program: &Program, from: &Class, owner: &[u8], wanted: &[u8]) -> bool {
    let Ok(owner) = std::str::from_utf8(owner) else { return false };
    let mut classes = vec![owner.to_owned()];
    // More than any class has above it: guards against circles in damaged files.
    for _ in 0..1000 {
        let Some(name) = classes.pop() else { break };
        // What a library declares is not known: the field may be among the rest.
        let Some(model) = program.class_named(&name, from.loader).and_then(|class| program.model(class))
        else {
            continue;
        };
        if model.fields.iter().any(|field| field.name.as_bytes() == wanted) {
            return true;
        }
        classes.extend(model.super_name.iter().chain(&model.interfaces).cloned());
    }
    false
}
