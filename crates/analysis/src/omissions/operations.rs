//! The instructions of the program's code that may do something to the object. A call of the program's own code is
//! none: what that does is found in there. A call into a library is one, because there is no code to show in there.

use std::collections::HashSet;

use classfile::opcode as op;
use pointsto::{MemberName, MethodNo, ObjectNo, OperandNo, OperandUse, Solution};

use super::Operation;
use super::bodies::Bodies;
use super::subject::{OperationFilter, Sought};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    pub method: MethodNo,
    pub bci: u16,
    /// Which operand is the object; none for a static field.
    pub operand: Option<u8>,
    pub operation: Operation,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ops {
    pub list: Vec<Op>,
    /// Instructions that only read the object, in the list or not.
    pub reads: usize,
}

pub fn operations(solution: &Solution, bodies: &mut Bodies<'_>, sought: &Sought, reads: bool) -> Ops {
    if let OperationFilter::Static(field) = &sought.wanted {
        return Ops { list: static_writes(solution, bodies, field), reads: 0 };
    }
    let mut found = Ops::default();
    let mut reading = HashSet::new();
    for one in solution.uses(&sought.objects) {
        match operation(solution, bodies, sought, one) {
            Some((operation, true)) => found.list.push(op_of(one, operation)),
            Some((operation, false)) => {
                reading.insert((one.method, one.bci));
                if reads {
                    found.list.push(op_of(one, operation));
                }
            }
            None => {}
        }
    }
    found.reads = reading.len();
    found
}

fn op_of(one: OperandUse, operation: Operation) -> Op {
    Op { method: one.method, bci: one.bci, operand: Some(one.operand.0), operation }
}

/// What an instruction does with the object, and whether that may change it; none if it is no operation.
fn operation(
    solution: &Solution,
    bodies: &mut Bodies<'_>,
    sought: &Sought,
    one: OperandUse,
) -> Option<(Operation, bool)> {
    let callees = solution.callees(one.method, one.bci);
    let library = callees.iter().find(|&&callee| !solution.is_program(callee)).copied();
    if !callees.is_empty() && library.is_none() {
        return None;
    }
    let calls = library.is_some();
    let member = bodies.member(solution, one.method);
    let code = bodies.opcode(&member, one.bci)?;
    let base = one.operand == OperandNo(0);
    match code {
        op::PUTFIELD if base => {
            let name = bodies.of(solution, one.method)?.origins.name(one.bci)?.clone();
            let hit = match &sought.wanted {
                OperationFilter::Any => true,
                OperationFilter::Field(field) => {
                    field.name == name.name && field.descriptor == name.descriptor
                }
                OperationFilter::Elements | OperationFilter::Static(_) => false,
            };
            hit.then(|| (Operation::Put { field: name.name.clone() }, true))
        }
        code if op::is_array_store(code) && base => {
            let hit = matches!(sought.wanted, OperationFilter::Any | OperationFilter::Elements);
            hit.then_some((Operation::Store, true))
        }
        op::INVOKEDYNAMIC => {
            // `list::add`: what the library will call is the operation. A lambda's own code is the program's.
            let method = bodies.lambda(&member, one.bci)?;
            let library = solution.method(&method).is_none_or(|method| !solution.is_program(method));
            let wanted = library && !matches!(sought.wanted, OperationFilter::Field(_));
            wanted.then_some((Operation::Call { method, operand: one.operand.0, receiver: base }, true))
        }
        code if op::is_invoke(code) => {
            // A call that reaches nothing has no receiver that exists.
            if matches!(sought.wanted, OperationFilter::Field(_)) || !calls {
                return None;
            }
            let named = bodies.of(solution, one.method).and_then(|body| body.origins.name(one.bci).cloned());
            let method = named
                .map(|name| MemberName::clone(&name))
                .or_else(|| library.map(|callee| solution.member(callee)))?;
            let receiver = base && code != op::INVOKESTATIC;
            // An object that exists is not constructed again.
            if receiver && method.name == "<init>" {
                return None;
            }
            let may_write = |object: &ObjectNo| solution.may_write(one.method, one.bci, *object);
            let writes = sought.objects.iter().any(may_write)
                || (!base && sought.wanted == OperationFilter::Any && is_kept(&method));
            Some((Operation::Call { method, operand: one.operand.0, receiver }, writes))
        }
        op::GETFIELD if base => Some((Operation::Read, false)),
        code if op::is_array_load(code) && base => Some((Operation::Read, false)),
        _ => None,
    }
}

/// Does a collection keep what it is given? An object that should have been in it (a listener that nobody registered) is
/// missed as much as a change of it.
fn is_kept(method: &MemberName) -> bool {
    jdk::calls::keeps(&method.class, &method.name)
}

fn static_writes(solution: &Solution, bodies: &mut Bodies<'_>, field: &MemberName) -> Vec<Op> {
    let mut found = Vec::new();
    let declaring = solution.class(&field.class);
    for method in solution.reached().filter(|&method| solution.is_program(method)).collect::<Vec<_>>() {
        let member = solution.member(method);
        if !bodies.mentions(&member.class, &field.name) {
            continue;
        }
        let Some(body) = bodies.get(&member) else { continue };
        for insn in body.code.insns.iter().filter(|insn| insn.op == op::PUTSTATIC) {
            let Some(name) = body.origins.name(insn.bci) else { continue };
            let inherits = || match (solution.class(&name.class), declaring) {
                (Some(owner), Some(declaring)) => solution.is_subclass(owner, declaring),
                _ => false,
            };
            if name.name == field.name
                && name.descriptor == field.descriptor
                && (name.class == field.class || inherits())
            {
                let operation = Operation::Put { field: field.name.clone() };
                found.push(Op { method, bci: insn.bci, operand: None, operation });
            }
        }
    }
    found
}
