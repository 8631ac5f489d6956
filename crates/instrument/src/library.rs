//! Collections of `java.util`: their heap writes are recorded where they happen, so that a list's or a map's
//! content is known at any time. The recorder drops writes to objects that the program has never seen, so the JDK's
//! own use of collections costs little and leaves nothing.

use classfile::{
    ClassFile, Code, CodeEdit, Insn, Member, MemberRef, PoolBuilder, Result, TypeKind, opcode as op,
    rewrite_code, write_class,
};

use crate::asm::{Asm, parameter};
use crate::{Sites, Woven, hash};

/// Whether a class is woven here.
pub fn is_collection(name: &[u8]) -> bool {
    jdk::util_parts::is_woven(name)
}

/// Weaves one class; fields and methods stay as they are, so that a loaded class can be woven too.
pub fn weave_library(bytes: &[u8], first_site: u32) -> Result<Woven> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let mut sites = Sites { first: first_site, method: 0, list: Vec::new() };
    let mut codes = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        let Some(code) = method.code(&class)? else { continue };
        sites.method = index as u16;
        let edit = edit(&class, method, &code, &mut pool, &mut sites)?;
        if !edit.after.is_empty() {
            codes.push((index, rewrite_code(&class, method, &code, &edit, &mut pool)?));
        }
    }
    let methods = class.methods.len() as u16;
    let bytes = write_class(&class, &mut pool, &codes, &[])?;
    Ok(Woven { bytes, methods, degraded: vec![], sites: sites.list })
}

fn edit(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &Code<'_>,
    pool: &mut PoolBuilder,
    sites: &mut Sites,
) -> Result<CodeEdit> {
    let mut edit = CodeEdit { extra_stack: 6, ..CodeEdit::default() };
    let scratch = code.max_locals;
    let inits = trace::probes::inits(class, code)?;
    let last_init = inits.iter().filter(|(_, on)| *on == trace::probes::Init::This).map(|(pc, _)| *pc).max();
    let before_super = |pc: u32| method.name == b"<init>" && last_init.is_some_and(|at| pc < at);
    for insn in code.insns() {
        let insn = insn?;
        let (mut before, mut after) = (Asm::default(), Asm::default());
        match insn.op {
            op::PUTFIELD if !before_super(insn.pc) => {
                let field = class.pool.member(code.index(insn))?;
                // It says nothing about the content.
                if field.name == jdk::caches::MOD_COUNT.as_bytes() {
                    continue;
                }
                let kind = TypeKind::of(field.descriptor)?;
                before.store(kind, scratch).op(op::DUP).load(kind, scratch);
                after.load(kind, scratch).int(sites.at(insn.pc) as i32, pool)?;
                after.call("inside", &format!("(Ljava/lang/Object;{}I)V", parameter(kind)), pool)?;
            }
            op::IASTORE..=op::SASTORE => {
                let kind = element_kind(insn);
                before.store(kind, scratch).op(op::DUP2).load(kind, scratch);
                after.load(kind, scratch).int(sites.at(insn.pc) as i32, pool)?;
                after.call("inside", &format!("(Ljava/lang/Object;I{}I)V", parameter(kind)), pool)?;
            }
            o if op::is_invoke(o) && o != op::INVOKEDYNAMIC => {
                let callee = class.pool.member(code.index(insn))?;
                if is_copy(callee) {
                    spill_copy(&mut before, scratch);
                    reload_copy(&mut after, scratch);
                    after.int(sites.at(insn.pc) as i32, pool)?;
                    after.call("copied", COPIED, pool)?;
                } else if let Some(translator) = hash::translator(insn.op, callee) {
                    before.op(op::DUP).astore(scratch);
                    after.aload(scratch).call(translator, hash::TRANSLATOR, pool)?;
                }
            }
            _ => {}
        }
        if !after.code.is_empty() {
            edit.scratch = COPY_SLOTS;
            edit.before.push((insn.pc, before.take()));
            edit.after.push((insn.pc, after.take()));
        }
    }
    Ok(edit)
}

pub fn element_kind(insn: Insn) -> TypeKind {
    match insn.op {
        op::LASTORE => TypeKind::Long,
        op::FASTORE => TypeKind::Float,
        op::DASTORE => TypeKind::Double,
        op::AASTORE => TypeKind::Reference,
        _ => TypeKind::Int,
    }
}

/// The arguments of `System.arraycopy`: source, position, target, position, length.
const COPY: [TypeKind; 5] =
    [TypeKind::Reference, TypeKind::Int, TypeKind::Reference, TypeKind::Int, TypeKind::Int];

pub const COPY_SLOTS: u16 = COPY.len() as u16;

/// Descriptor of the recorder's method: the arguments and the site.
pub const COPIED: &str = "(Ljava/lang/Object;ILjava/lang/Object;III)V";

pub fn is_copy(callee: MemberRef<'_>) -> bool {
    jdk::arrays::is_copy(callee.class, callee.name)
}

pub fn spill_copy(asm: &mut Asm, scratch: u16) {
    for (i, kind) in COPY.iter().enumerate().rev() {
        asm.store(*kind, scratch + i as u16);
    }
    reload_copy(asm, scratch);
}

pub fn reload_copy(asm: &mut Asm, scratch: u16) {
    for (i, kind) in COPY.iter().enumerate() {
        asm.load(*kind, scratch + i as u16);
    }
}
