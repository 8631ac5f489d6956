//! Methods whose code makes an object of a class: those that make an exception check something, and may have failed to.

use classfile::{ClassFile, opcode as op};
use trace::{MethodId, Program, simple_name};

/// Of these methods those with a `new` of a class of one of these names, which are without packages. Each class is read once.
pub fn makers(program: &Program, methods: &[MethodId], names: &[&str]) -> Vec<MethodId> {
    let mut sorted = methods.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut found = Vec::new();
    let first = |id: &MethodId| program.method(*id).map(|(class, _)| class.first_method);
    for of_class in sorted.chunk_by(|one, other| first(one) == first(other)) {
        let Some((class, _)) = program.method(of_class[0]) else { continue };
        let Ok(file) = ClassFile::parse(&class.bytes) else { continue };
        let is_one = |index: u16| {
            let name = file.pool.class_name(index).ok().and_then(|name| std::str::from_utf8(name).ok());
            name.is_some_and(|name| names.contains(&simple_name(name).as_str()))
        };
        for &id in of_class {
            let index = id.0.wrapping_sub(class.first_method.0) as usize;
            let Some(member) = file.methods.get(index) else { continue };
            let Ok(Some(code)) = member.code(&file) else { continue };
            let mut insns = code.insns().map_while(|insn| insn.ok());
            if insns.any(|insn| insn.op == op::NEW && is_one(code.index(insn))) {
                found.push(id);
            }
        }
    }
    found
}
