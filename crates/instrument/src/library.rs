//! Collections of `java.util`: their heap writes are recorded where they happen, so that a list's or a map's
//! content is known at any time. The recorder drops writes to objects that the program has never seen, so the JDK's
//! own use of collections costs little and leaves nothing.

use classfile::{
    ClassFile, Code, CodeEdit, Member, MemberRef, PoolBuilder, Result, opcode as op, write_class,
};

use crate::around::{self, COPY_SLOTS, SWAP_SLOTS, Write, is_before_super, is_copy};
use crate::{Sites, Woven, rewrite_methods};

/// Whether a class is woven here.
pub fn is_collection(name: &[u8]) -> bool {
    jdk::util_parts::is_woven(name)
}

/// Locals that inserted code may need.
const SLOTS: u16 = if COPY_SLOTS > SWAP_SLOTS { COPY_SLOTS } else { SWAP_SLOTS };

/// Weaves one class; fields and methods stay as they are, so that a loaded class can be woven too.
pub fn weave_library(bytes: &[u8], first_site: u32) -> Result<Woven> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let mut sites = Sites { first: first_site, method: 0, list: Vec::new() };
    let codes = rewrite_methods(&class, &mut pool, |index, method, code, pool| {
        sites.method = index as u16;
        edit(&class, method, code, pool, &mut sites)
    })?;
    let methods = class.methods.len() as u16;
    let bytes = write_class(&class, &mut pool, &codes, &[])?;
    Ok(Woven { bytes, methods, degraded: vec![], sites: sites.list, announced: vec![] })
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
    let inits = trace::probes::inits(class, method, code)?;
    let swaps = std::str::from_utf8(class.name()?).is_ok_and(jdk::contents::swaps);
    let shared = swaps && class.name()?.starts_with(b"java/util/concurrent/");
    let told = if shared { "shared" } else { "inside" };
    for insn in code.insns() {
        let insn = insn?;
        let around = match insn.op {
            op::PUTFIELD if is_before_super(&inits, insn.pc) => continue,
            op::PUTFIELD if is_unneeded(class.pool.member(code.index(insn))?) => continue,
            op::PUTFIELD | op::IASTORE..=op::SASTORE => {
                let Some(write) = Write::of(class, code, insn)? else { continue };
                let mut around = write.keep(|| scratch);
                around.after.int(sites.at(insn.pc) as i32, pool)?;
                around.after.call(told, &format!("({}I)V", write.parameters()), pool)?;
                around
            }
            o if op::is_invoke(o) && o != op::INVOKEDYNAMIC => {
                let callee = class.pool.member(code.index(insn))?;
                if is_copy(callee) {
                    around::copy(scratch, sites.at(insn.pc), pool)?
                } else if let Some(around) = around::hash_call(insn, callee, scratch, pool)? {
                    around
                } else if swaps
                    && let Some(around) = around::swap(callee, scratch, || sites.at(insn.pc), pool)?
                {
                    around
                } else {
                    continue;
                }
            }
            _ => continue,
        };
        edit.scratch = SLOTS;
        edit.before.push((insn.pc, around.before.code));
        edit.after.push((insn.pc, around.after.code));
    }
    Ok(edit)
}

/// It says nothing about the content.
fn is_unneeded(field: MemberRef<'_>) -> bool {
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or("");
    jdk::contents::is_unneeded(text(field.class), text(field.name))
}
