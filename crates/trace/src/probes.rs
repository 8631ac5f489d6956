//! Which instruction leaves which record at detail `full` (docs/format.md). The instrumentation inserts by this
//! table and the replay reads by it, so the two cannot drift apart.

use classfile::{ClassFile, Code, Constant, Insn, Member, Result, TypeKind, opcode as op};

/// What an instruction leaves in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The reader computes what it does.
    Nothing,
    /// The value that it pushed.
    Value(TypeKind),
    /// Before it jumps: whether the two references are the same.
    Sameness,
    /// A call: its result, or `return` for void. Constructors: see [`inits`].
    Call(TypeKind),
    /// `exit`, before it returns.
    Exit,
    OrderAfter,
    OrderBefore,
}

/// What a constructor is called on, which decides what follows its `return`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// On a new object; if its `new` was followed by `dup`, the object follows.
    New { dup: bool },
    /// On `this`, by a constructor: `this` follows.
    This,
}

pub fn leaves(class: &ClassFile<'_>, code: &Code<'_>, insn: Insn) -> Result<Leaves> {
    let given = || Ok(code.stack_effect(insn, &class.pool)?.gives());
    match insn.op {
        op::GETFIELD | op::GETSTATIC | op::INSTANCEOF => given().map(Leaves::Value),
        load if op::is_array_load(load) => given().map(Leaves::Value),
        op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY => given().map(Leaves::Value),
        op::LDC | op::LDC_W | op::LDC2_W => match class.pool.get(code.constant(insn))? {
            Constant::Class { .. }
            | Constant::MethodHandle { .. }
            | Constant::MethodType { .. }
            | Constant::Dynamic { .. } => given().map(Leaves::Value),
            _ => Ok(Leaves::Nothing),
        },
        op::IF_ACMPEQ | op::IF_ACMPNE => Ok(Leaves::Sameness),
        invoke if op::is_invoke(invoke) => given().map(Leaves::Call),
        exit if op::is_return(exit) => Ok(Leaves::Exit),
        op::MONITORENTER => Ok(Leaves::OrderAfter),
        op::MONITOREXIT => Ok(Leaves::OrderBefore),
        _ => Ok(Leaves::Nothing),
    }
}

/// pc of each constructor call of a method, and what it is called on. Compilers nest `new … <init>` like
/// brackets, so one walk over the code with a stack of open `new`s finds the pairs.
pub fn inits(class: &ClassFile<'_>, method: &Member<'_>, code: &Code<'_>) -> Result<Vec<(u32, Init)>> {
    let mut inits = Vec::new();
    let mut open: Vec<(&[u8], bool)> = Vec::new();
    let mut after_new = false;
    for insn in code.insns() {
        let insn = insn?;
        if after_new
            && insn.op == op::DUP
            && let Some(newest) = open.last_mut()
        {
            newest.1 = true;
        }
        after_new = insn.op == op::NEW;
        if insn.op == op::NEW {
            open.push((class.pool.class_name(code.index(insn))?, false));
        } else if insn.op == op::INVOKESPECIAL {
            let callee = class.pool.member(code.index(insn))?;
            if callee.name == b"<init>" {
                match open.last() {
                    Some(&(name, dup)) if name == callee.class => {
                        open.pop();
                        inits.push((insn.pc, Init::New { dup }));
                    }
                    // Only a constructor has a `this` that another constructor can be called on.
                    _ if method.name == b"<init>" => inits.push((insn.pc, Init::This)),
                    _ => {}
                }
            }
        }
    }
    Ok(inits)
}
