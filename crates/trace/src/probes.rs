//! Which instruction leaves which record at detail `full` (docs/format.md). The instrumentation inserts by this
//! table and the replay reads by it, so the two cannot drift apart.

use classfile::{ClassFile, Code, Constant, Insn, Member, MemberRef, Result, TypeKind, access, opcode as op};

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

/// How a call that one recorded method makes of another can be linked, and how the called method knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    /// Always with a record.
    Never,
    /// By the names of class and method.
    Exact,
    /// By the name of the method, and the object on which it is called.
    Virtual,
}

/// Is the method that a call enters selected by the receiver's class? Otherwise the call names it.
fn is_selected(class: &ClassFile<'_>, insn: Insn, callee: MemberRef<'_>) -> bool {
    match insn.op {
        op::INVOKEINTERFACE => true,
        op::INVOKEVIRTUAL => !is_own_private(class, callee),
        _ => false,
    }
}

/// How a call can be linked, if its callee is recorded. What the JVM does besides the call (order of threads, hash codes)
/// keeps it from that, and so does a method of a superclass that is called as such: it may be anywhere above.
pub fn announces(class: &ClassFile<'_>, insn: Insn, callee: MemberRef<'_>, init: Option<Init>) -> Linking {
    let bare = callee.name == b"hashCode" || jdk::threads::orders(callee.class, callee.name);
    match insn.op {
        _ if callee.class.starts_with(b"[") || bare => Linking::Never,
        op::INVOKESTATIC => Linking::Exact,
        op::INVOKESPECIAL if callee.name == b"<init>" => match init {
            Some(_) => Linking::Exact,
            None => Linking::Never,
        },
        op::INVOKESPECIAL if !is_own_private(class, callee) => Linking::Never,
        op::INVOKESPECIAL => Linking::Exact,
        op::INVOKEVIRTUAL | op::INVOKEINTERFACE if is_selected(class, insn, callee) => Linking::Virtual,
        op::INVOKEVIRTUAL => Linking::Exact,
        _ => Linking::Never,
    }
}

/// How a method can be linked to. Constructors need a handler for all of them: else an exception could leave one unnoticed.
pub fn links(class: &ClassFile<'_>, method: &Member<'_>, inits: &[(u32, Init)]) -> Linking {
    let interface = class.access & access::INTERFACE != 0;
    match method.name {
        b"<clinit>" => Linking::Never,
        b"<init>" => match inits.iter().filter(|(_, on)| *on == Init::This).count() {
            1 if class.major >= FRAMES => Linking::Exact,
            _ => Linking::Never,
        },
        _ if method.is(access::STATIC) => Linking::Exact,
        _ if interface => Linking::Never,
        _ if method.is(access::PRIVATE) => Linking::Exact,
        _ => Linking::Virtual,
    }
}

/// Version of class files from which on each says what its locals hold.
pub const FRAMES: u16 = 51;

fn is_own_private(class: &ClassFile<'_>, callee: MemberRef<'_>) -> bool {
    class.name().is_ok_and(|name| name == callee.class)
        && class.methods.iter().any(|method| {
            method.is(access::PRIVATE) && method.name == callee.name && method.descriptor == callee.descriptor
        })
}
