//! Methods whose code makes an object of a class: those that make an exception check something, and may have failed to.

use classfile::opcode as op;
use trace::{MethodId, Program, simple_name};

use crate::code::each_body;

/// Of these methods those with a `new` of a class of one of these names, which are without packages.
pub fn makers(program: &Program, methods: &[MethodId], names: &[&str]) -> Vec<MethodId> {
    let mut found = Vec::new();
    each_body(program, methods, &mut |id, file, _, code| {
        let is_one = |index: u16| {
            let name = file.pool.class_name(index).ok().and_then(|name| std::str::from_utf8(name).ok());
            name.is_some_and(|name| names.contains(&simple_name(name).as_str()))
        };
        let mut insns = code.insns().map_while(|insn| insn.ok());
        if insns.any(|insn| insn.op == op::NEW && is_one(code.index(insn))) {
            found.push(id);
        }
    });
    found
}
