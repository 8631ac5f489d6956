//! Hash codes. The name of an object stands where the VM keeps its identity hash code, so wherever code asks for a hash
//! code, the answer is translated into the one that the program would see without us: in the program, in libraries,
//! and in those classes of the JDK that hand it on.

use std::ops::RangeInclusive;

use classfile::{
    ClassFile, CodeEdit, Constant, Exchange, MemberRef, MethodDescriptor, PoolBuilder, Result, opcode as op,
    write_class,
};
use jdk::identity::{HashCall, Invoke, hash_call};
use jdk::names::LAMBDA_METAFACTORY;

use crate::asm::{Asm, RECORDER};
use crate::{around, hide, rewrite_methods};

/// Descriptor of the recorder's methods that translate: hash code, object → hash code.
pub const TRANSLATOR: &str = "(ILjava/lang/Object;)I";

/// Which of them is to be called after a call, if any. A method `hashCode` may be the class's own, whose result is left
/// as it is.
pub fn translator(op: u8, callee: MemberRef<'_>) -> Option<&'static str> {
    let how = match op {
        op::INVOKESTATIC => Invoke::Static,
        op::INVOKESPECIAL => Invoke::Special,
        _ => Invoke::Virtual,
    };
    hash_call(how, callee.class, callee.name, callee.descriptor).map(|call| match call {
        HashCall::Identity => "identity",
        HashCall::Virtual => "hash",
    })
}

/// A class that is not recorded, with its hash codes translated; None if there is nothing to do. If it is a class loader
/// it does not notice that we are asked for.
pub fn translate_hashes(bytes: &[u8]) -> Option<Result<Vec<u8>>> {
    // Nearly all classes are let go here.
    let mentions = |name: &[u8]| bytes.windows(name.len()).any(|w| w == name);
    if !(mentions(b"hashCode") || mentions(b"identityHashCode") || mentions(b"loadClass")) {
        return None;
    }
    translated(bytes).transpose()
}

fn translated(bytes: &[u8]) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let codes = rewrite_methods(&class, &mut pool, |_, method, code, pool| {
        let mut edit = CodeEdit { extra_stack: 2, scratch: 1, ..CodeEdit::default() };
        for insn in code.insns() {
            let insn = insn?;
            if !op::is_invoke(insn.op) || insn.op == op::INVOKEDYNAMIC {
                continue;
            }
            let callee = class.pool.member(code.index(insn))?;
            if let Some(around) = around::hash_call(insn, callee, code.max_locals, pool)? {
                edit.before.push((insn.pc, around.before.code));
                edit.after.push((insn.pc, around.after.code));
            }
        }
        if hide::takes_class_name(method) {
            let mut asm = Asm::default();
            hide::from_class_loader(&mut asm, pool)?;
            edit.entry_frames.push(asm.code.len() as u32);
            edit.entry = asm.take();
        }
        Ok(edit)
    })?;
    let exchanges = references(&class, &mut pool)?;
    if codes.is_empty() && exchanges.is_empty() {
        return Ok(None);
    }
    write_class(&class, &mut pool, &codes, &exchanges).map(Some)
}

/// Method references to `hashCode` and `identityHashCode`, which become references to the recorder's methods that call
/// and translate. One that captures its receiver stays: the types of what is captured have to be the same.
pub fn references(class: &ClassFile<'_>, pool: &mut PoolBuilder) -> Result<Vec<Exchange>> {
    const OF: &[u8] = b"(Ljava/lang/Object;)I";
    let mut exchanges = Vec::new();
    for bootstrap in class.bootstraps()? {
        let &[method_type, implementation, _] = bootstrap.arguments.as_slice() else { continue };
        let Constant::MethodHandle { reference, .. } = class.pool.get(bootstrap.method)? else { continue };
        let linker = class.pool.member(reference)?;
        let is_lambda = linker.class == LAMBDA_METAFACTORY.as_bytes() && linker.name == b"metafactory";
        let (Constant::MethodType { descriptor }, Constant::MethodHandle { kind, reference }) =
            (class.pool.get(method_type)?, class.pool.get(implementation)?)
        else {
            continue;
        };
        let takes = MethodDescriptor::parse(class.pool.utf8(descriptor)?)?.parameters.len();
        if !is_lambda || takes != 1 || FIELDS.contains(&kind) {
            continue;
        }
        let callee = class.pool.member(reference)?;
        let op = if kind == INVOKE_STATIC { op::INVOKESTATIC } else { op::INVOKEVIRTUAL };
        let name: &[u8] = match translator(op, callee) {
            Some("identity") => b"identityOf",
            Some(_) => b"hashOf",
            None => continue,
        };
        exchanges.push(bootstrap.exchange(1, pool.static_handle(RECORDER, name, OF)?));
    }
    Ok(exchanges)
}

/// Kinds of method handles: those of fields, and of static methods.
const FIELDS: RangeInclusive<u8> = 1..=4;
const INVOKE_STATIC: u8 = 6;
