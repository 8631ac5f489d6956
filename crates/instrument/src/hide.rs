//! Changes that keep the recorder out of the program's sight, in class loaders and in classes of the JDK.

use classfile::{ClassFile, CodeEdit, Member, PoolBuilder, Result, access, opcode as op, write_class};
use jdk::identity::{REFLECTION, STARTS_PROCESSES, hands_on_hashes};

use crate::asm::{Asm, CHILDREN};
use crate::{hash, rewrite_methods};

/// Whether [`hide_recorder`] changes the class.
pub fn hides_recorder(name: &[u8]) -> bool {
    name == STARTS_PROCESSES.as_bytes() || name == REFLECTION.as_bytes() || hands_on_hashes(name)
}

/// The changed class, for the classes of the JDK that would show traces of the recorder.
pub fn hide_recorder(name: &[u8], bytes: &[u8]) -> Option<Result<Vec<u8>>> {
    // Child processes find the agent on their command line or in their environment.
    if name == STARTS_PROCESSES.as_bytes() {
        Some(pass_on_agent(bytes))
    } else if name == REFLECTION.as_bytes() {
        Some(reflected_hashes(bytes))
    } else if hands_on_hashes(name) {
        hash::translate_hashes(bytes)
    } else {
        None
    }
}

/// Makes child JVMs load the agent: `ProcessImpl.start` gets the command and the environment as its first parameters.
fn pass_on_agent(bytes: &[u8]) -> Result<Vec<u8>> {
    const COMMAND: &str = "([Ljava/lang/String;)[Ljava/lang/String;";
    const ENVIRONMENT: &str = "([Ljava/lang/String;Ljava/util/Map;)Ljava/util/Map;";
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let codes = rewrite_methods(&class, &mut pool, |_, method, _, pool| {
        let starts =
            method.name == b"start" && method.descriptor.starts_with(b"([Ljava/lang/String;Ljava/util/Map;");
        let mut asm = Asm::default();
        if starts {
            asm.aload(0).call_of(CHILDREN, "command", COMMAND, pool)?.astore(0);
            asm.aload(0).aload(1).call_of(CHILDREN, "environment", ENVIRONMENT, pool)?.astore(1);
        }
        Ok(CodeEdit { entry: asm.take(), extra_stack: 2, ..CodeEdit::default() })
    })?;
    write_class(&class, &mut pool, &codes, &[])
}

/// Has `Method.invoke` show its result to the recorder, with the method, the object and the arguments.
fn reflected_hashes(bytes: &[u8]) -> Result<Vec<u8>> {
    const REFLECTED: &str = "(Ljava/lang/Object;Ljava/lang/reflect/Method;Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let codes = rewrite_methods(&class, &mut pool, |_, method, code, pool| {
        let mut edit = CodeEdit { extra_stack: 3, ..CodeEdit::default() };
        for insn in code.insns() {
            let insn = insn?;
            if insn.op == op::ARETURN && method.name == b"invoke" {
                let mut asm = Asm::default();
                asm.aload(0).aload(1).aload(2).call("reflected", REFLECTED, pool)?;
                edit.before.push((insn.pc, asm.take()));
            }
        }
        Ok(edit)
    })?;
    write_class(&class, &mut pool, &codes, &[])
}

/// Whether it is a method by which the VM asks a class loader for a class.
pub fn takes_class_name(method: &Member<'_>) -> bool {
    method.name == b"loadClass"
        && (method.descriptor == b"(Ljava/lang/String;)Ljava/lang/Class;"
            || method.descriptor == b"(Ljava/lang/String;Z)Ljava/lang/Class;")
        && !method.is(access::STATIC)
}

/// Entry code of such a method. The VM asks for the recorder when code that the loader defined is linked, and the
/// loader must not notice. There is a frame behind it.
pub fn from_class_loader(asm: &mut Asm, pool: &mut PoolBuilder) -> Result<()> {
    asm.aload(1).call("isRecorder", "(Ljava/lang/String;)Z", pool)?;
    asm.code.extend([op::IFEQ, 0, 7]);
    asm.call("recorder", "()Ljava/lang/Class;", pool)?.op(op::ARETURN);
    Ok(())
}
