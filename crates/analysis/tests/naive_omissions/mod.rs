//! The omission finder of the paper, written down as simply as it is defined, to compare the real one with: for every
//! executed call, for every chain of calls from its method to a use of the object, for every instruction that would
//! have gone on along the chain, every executed jump from which only unexecuted code leads there.
//!
//! It knows less than the real one on purpose: no calls back from libraries, no exceptions (neither ways that only an
//! exception takes, nor the throw that prevented something), no dispatch, no values.

mod activations;
pub mod compare;

use std::collections::{BTreeMap, BTreeSet};

use analysis::cfg::BlockExit;
use analysis::code::{Code, Codes};
use classfile::opcode as op;
use index::Evidence;
use past::{CallId, ObjectId, Past, Position};
use pointsto::{MemberName, MethodNo, ObjectNo, OperandNo, Solution};
use trace::{MethodId, Site};

pub use activations::{Activation, activations, created};

/// What a balloon says: in this call, this jump kept this instruction of the same method from being executed, which
/// is the use itself or leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Balloon {
    pub call: CallId,
    pub jump: Site,
    pub target: u16,
    pub used: (MethodNo, u16),
}

/// All balloons for an object that the program's own code made there and then.
pub fn balloons(
    past: &Past,
    solution: &Solution,
    object: ObjectId,
    (site, made): (Site, Position),
    longest: usize,
) -> Option<BTreeSet<Balloon>> {
    let class = past.class_of(object)?;
    let objects = solution.created_at(number(past, solution, site.method)?, site.bci).into_iter();
    let objects = objects.filter(|&one| solution.class_name(solution.object(one).class) == class);
    let uses = use_sites(past, solution, &objects.collect::<Vec<_>>());
    let since = past.index().time(made)?;
    let mut found = BTreeSet::new();
    activations(past, &mut |call| {
        let Some(method) = number(past, solution, call.code.method) else { return };
        chains(solution, &mut vec![method], longest, &mut |chain| {
            let Some(sites) = uses.get(chain.last().unwrap_or(&method)) else { return };
            for &used in sites {
                let omitted = match chain.get(1) {
                    Some(next) => calls_of(solution, method, *next),
                    None => vec![used.1],
                };
                for target in omitted {
                    for (jump, last) in dominant_jumps(call, target) {
                        // A jump before the object was there kept nothing from it.
                        let at = Position { stream: call.call.stream, ordinal: last };
                        if past.index().time(at).is_some_and(|at| at >= since) {
                            let jump = Site { method: call.code.method, bci: jump };
                            found.insert(Balloon { call: call.call, jump, target, used });
                        }
                    }
                }
            }
        });
    });
    Some(found)
}

fn number(past: &Past, solution: &Solution, method: MethodId) -> Option<MethodNo> {
    let (class, method) = past.recording().program().method(method)?;
    let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
    solution.method(&MemberName { class: class.name.clone(), name, descriptor })
}

/// The instructions that may do something with one of the objects, by method. A call of the program's own code is none:
/// what that does is a use in there. Nor is the constructor of the object, or what makes a lambda that captures it.
fn use_sites(
    past: &Past,
    solution: &Solution,
    objects: &[ObjectNo],
) -> BTreeMap<MethodNo, Vec<(MethodNo, u16)>> {
    let codes = methods(past, solution);
    let mut found: BTreeMap<MethodNo, Vec<(MethodNo, u16)>> = BTreeMap::new();
    for one in solution.uses(objects) {
        let Some(code) = codes.get(&one.method) else { continue };
        let Some(insn) = code.at(one.bci).map(|at| code.insns[at]) else { continue };
        let first = one.operand == OperandNo(0);
        let callees = solution.callees(one.method, one.bci);
        let outside = |&callee: &MethodNo| !solution.is_program(callee);
        let constructs = |&callee: &MethodNo| solution.member(callee).name == "<init>";
        let wanted = match insn.op {
            op::INVOKEDYNAMIC => false,
            op::INVOKESPECIAL if first && callees.iter().any(constructs) => false,
            code if op::is_invoke(code) => callees.is_empty() || callees.iter().any(outside),
            op::GETFIELD | op::PUTFIELD => first,
            code => first && (op::is_array_load(code) || op::is_array_store(code)),
        };
        if wanted {
            found.entry(one.method).or_default().push((one.method, one.bci));
        }
    }
    found.values_mut().for_each(|sites| sites.dedup());
    found
}

/// The code of all methods of the program that the run knew.
fn methods(past: &Past, solution: &Solution) -> BTreeMap<MethodNo, std::sync::Arc<Code>> {
    let (mut codes, program) = (Codes::default(), past.recording().program());
    let mut found = BTreeMap::new();
    for class in program.classes() {
        let Some(model) = program.model(class) else { continue };
        for method in &model.methods {
            if let Some(number) = number(past, solution, method.id)
                && let Some(code) = codes.get(program, method.id)
            {
                found.insert(number, code);
            }
        }
    }
    found
}

/// Tells every way without circles through the call graph that begins with the given one and has at most so many calls
/// more; that one too.
fn chains(solution: &Solution, way: &mut Vec<MethodNo>, left: usize, tell: &mut dyn FnMut(&[MethodNo])) {
    tell(way);
    let Some(&last) = way.last().filter(|_| left > 0) else { return };
    let called = solution.calls_in(last).into_iter().flat_map(|bci| solution.callees(last, bci));
    let called: BTreeSet<MethodNo> = called.copied().filter(|&next| solution.is_program(next)).collect();
    for next in called {
        if !way.contains(&next) {
            way.push(next);
            chains(solution, way, left - 1, tell);
            way.pop();
        }
    }
}

/// The instructions of a method that may call another.
fn calls_of(solution: &Solution, method: MethodNo, callee: MethodNo) -> Vec<u16> {
    let calls = solution.calls_in(method).into_iter();
    calls.filter(|&bci| solution.callees(method, bci).contains(&callee)).collect()
}

/// The executed jumps from which a way leads to the instruction through unexecuted ones only, with the ordinal of the
/// last event of each.
fn dominant_jumps(call: &Activation, target: u16) -> Vec<(u16, u64)> {
    let leads = |jump: u16| {
        let mut seen = vec![false; call.code.insns.len()];
        let mut open = after(&call.code, jump);
        while let Some(at) = open.pop() {
            if call.executed[at] || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let bci = call.code.insns[at].bci;
            if bci == target {
                return true;
            }
            open.extend(after(&call.code, bci));
        }
        false
    };
    call.jumps.iter().map(|(&jump, &last)| (jump, last)).filter(|&(jump, _)| leads(jump)).collect()
}

/// The instructions that control may come to next if there is no exception, by their place in the method.
fn after(code: &Code, bci: u16) -> Vec<usize> {
    let Some(block) = code.cfg.block_at(bci).map(|block| code.cfg.block(block)) else { return Vec::new() };
    if bci != block.last {
        return code.at(bci).map(|at| at + 1).into_iter().collect();
    }
    let edges = match &block.exit {
        BlockExit::Falls(edge) | BlockExit::Goes(edge) => vec![*edge],
        BlockExit::Branches { taken, not } => vec![*taken, *not],
        BlockExit::Switches { cases, default } => cases.iter().copied().chain([*default]).collect(),
        BlockExit::Returns | BlockExit::Throws | BlockExit::Resumes => Vec::new(),
    };
    edges.into_iter().filter_map(|edge| code.at(code.cfg.block(code.cfg.edge_of(edge).to).first)).collect()
}
