//! Changes to classes of the JDK that keep the recorder out of the program's sight.

use classfile::{ClassFile, CodeEdit, PoolBuilder, Result, opcode as op, rewrite_code, write_class};

use crate::asm::Asm;

/// The changed class, for the classes that would show traces of the recorder: reflection lists the field that holds
/// an object's name, `Object.toString` prints a hash code that may be one, and child JVMs find the agent in their
/// environment.
pub fn hide_recorder(name: &[u8], bytes: &[u8]) -> Option<Result<Vec<u8>>> {
    match name {
        b"jdk/internal/reflect/Reflection" => Some(change(bytes, b"filterFields", |op, callee| {
            (op == op::ARETURN && callee.is_none()).then_some(Change::FilterFields)
        })),
        b"java/lang/Object" => Some(change(bytes, b"toString", |_, callee| {
            (callee == Some(b"hashCode")).then_some(Change::ShownHash)
        })),
        b"java/lang/ProcessImpl" => Some(pass_on_agent(bytes)),
        _ => None,
    }
}

/// Makes child JVMs load the agent: `ProcessImpl.start` gets the command and the environment as its first parameters.
fn pass_on_agent(bytes: &[u8]) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let mut codes = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        let starts =
            method.name == b"start" && method.descriptor.starts_with(b"([Ljava/lang/String;Ljava/util/Map;");
        let (true, Some(code)) = (starts, method.code(&class)?) else { continue };
        let mut asm = Asm::default();
        asm.aload(0).call("command", "([Ljava/lang/String;)[Ljava/lang/String;", &mut pool)?.astore(0);
        asm.aload(0).aload(1);
        asm.call("environment", "([Ljava/lang/String;Ljava/util/Map;)Ljava/util/Map;", &mut pool)?.astore(1);
        let edit = CodeEdit { entry: asm.take(), extra_stack: 2, ..CodeEdit::default() };
        codes.push((index, rewrite_code(&class, method, &code, &edit, &mut pool)?));
    }
    write_class(&class, &mut pool, &codes, None)
}

/// Whether [`hide_recorder`] changes the class.
pub fn hides_recorder(name: &[u8]) -> bool {
    matches!(name, b"jdk/internal/reflect/Reflection" | b"java/lang/Object" | b"java/lang/ProcessImpl")
}

enum Change {
    /// Before the instruction: take our field out of the array on the stack.
    FilterFields,
    /// After the instruction: replace the hash code on the stack.
    ShownHash,
}

fn change(bytes: &[u8], method: &[u8], at: impl Fn(u8, Option<&[u8]>) -> Option<Change>) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let mut codes = Vec::new();
    for (index, member) in class.methods.iter().enumerate().filter(|(_, m)| m.name == method) {
        let Some(code) = member.code(&class)? else { continue };
        let mut edit = CodeEdit { extra_stack: 1, ..CodeEdit::default() };
        for insn in code.insns() {
            let insn = insn?;
            let callee =
                if op::is_invoke(insn.op) { Some(class.pool.member(code.index(insn))?.name) } else { None };
            let mut asm = Asm::default();
            match at(insn.op, callee) {
                Some(Change::FilterFields) => {
                    let descriptor = "([Ljava/lang/reflect/Field;)[Ljava/lang/reflect/Field;";
                    asm.call("visible", descriptor, &mut pool)?;
                    edit.before.push((insn.pc, asm.take()));
                }
                Some(Change::ShownHash) => {
                    asm.aload(0).call("hash", "(ILjava/lang/Object;)I", &mut pool)?;
                    edit.after.push((insn.pc, asm.take()));
                }
                None => {}
            }
        }
        codes.push((index, rewrite_code(&class, member, &code, &edit, &mut pool)?));
    }
    write_class(&class, &mut pool, &codes, None)
}
