//! Which calls trust takes out of the suspects: those of trusted methods, and what such a method calls by name in its
//! own package, because whoever trusts a method trusts what it is made of. What it only reaches through an interface, an
//! override or a library is somebody else's code that it calls back, and stays suspected.

use std::collections::{HashMap, HashSet};

use base::{CallId, MethodId, Target};
use classfile::{ClassFile, opcode};
use past::{MethodGroup, Past};
use tree::{Bits, Node, Tree};

use super::PlainTree;
use crate::oracle::{CodeKind, Trust, TrustedCode, code_kind};

/// Calls below trusted ones that are looked at, at most: beyond that they stay suspected.
const MAX_LOOKED_AT: usize = 5_000_000;
/// Superclasses of one class, at most.
const MAX_SUPERS: usize = 100;

impl PlainTree {
    /// A bit for each node that trust speaks for; none if there is no such rule. `wrong` lies in what trust was wrong
    /// about.
    pub(super) fn trusted_calls(&self, trust: &Trust, wrong: Option<CallId>) -> Option<Bits> {
        let past = self.past();
        let methods = trusted_methods(past, trust);
        if methods.is_empty() {
            return None;
        }
        let mut bits = Bits::new(self.len());
        let mark = |bits: &mut Bits, node: Node| {
            // What is no suspect anyway is not counted twice.
            if self.is_counted(node) && !self.is_open(node) {
                bits.set(node.0);
            }
        };
        let mut parts = Parts { past, named: HashMap::new(), of_code: HashMap::new() };
        let mut left = MAX_LOOKED_AT;
        for &(group, said) in &methods {
            for (call, node) in past.ranked_from(group, 0).filter_map(|call| Some((call, self.node(call)?))) {
                mark(&mut bits, node);
                if said && !holds(past, call, wrong) {
                    parts.below(call, &mut left, |call| {
                        if let Some(node) = self.node(call) {
                            mark(&mut bits, node);
                        }
                    });
                }
            }
        }
        bits.count();
        Some(bits)
    }
}

/// Is a call the other one, or around it?
fn holds(past: &Past, call: CallId, inner: Option<CallId>) -> bool {
    inner.is_some_and(|inner| {
        let size = past.call_row(call).map_or(1, |row| row.size);
        call.stream == inner.stream && inner.index.wrapping_sub(call.index) < size
    })
}

/// Methods of the program that a rule speaks for, and whether somebody said so: what compilers make calls what it stands
/// for, so trust in that says nothing of what it calls.
fn trusted_methods(past: &Past, trust: &Trust) -> Vec<(MethodGroup, bool)> {
    let methods = past.methods().filter_map(|(group, owner, name, descriptor, _)| {
        let target = past.ranked(group, 0).and_then(|id| past.call_row(id)).map(|call| call.target);
        let kind = target.map_or(CodeKind::Library, |target| code_kind(past, target));
        let rule = trust.trusts(owner, name, descriptor, kind).filter(|_| kind != CodeKind::Library)?;
        Some((group, matches!(rule.code, TrustedCode::Named { .. })))
    });
    methods.collect()
}

/// Owner, name and descriptor.
type Callee = (String, String, String);

/// Which calls are parts of the method that made them.
struct Parts<'p> {
    past: &'p Past,
    /// What a method's code calls, as it stands there.
    named: HashMap<MethodId, HashSet<Callee>>,
    /// Is a call of the second by the first one a part of it, with or without a library between?
    of_code: HashMap<(MethodId, MethodId, bool), bool>,
}

impl Parts<'_> {
    /// Tells of every call below a trusted one that is part of it.
    fn below(&mut self, call: CallId, left: &mut usize, mut tell: impl FnMut(CallId)) {
        let Some(row) = self.past.call_row(call) else { return };
        let Target::Method(method) = row.target else { return };
        // The calls around, innermost last: where each ends, the method that is trusted, and whether a library is
        // between that and what comes next.
        let mut around = vec![(call.index + row.size, method, false)];
        let mut index = call.index + 1;
        while index < call.index + row.size && *left > 0 {
            *left -= 1;
            while around.last().is_some_and(|&(end, ..)| end <= index) {
                around.pop();
            }
            let id = CallId { stream: call.stream, index };
            let (Some(row), Some(&(_, by, library))) = (self.past.call_row(id), around.last()) else {
                return;
            };
            let size = row.size.max(1);
            match row.target {
                Target::Library(_) => around.push((index + size, by, true)),
                Target::Method(method) if self.is_part(by, method, library) => {
                    tell(id);
                    around.push((index + size, method, false));
                }
                Target::Method(_) => {
                    index += size;
                    continue;
                }
            }
            index += 1;
        }
    }

    fn is_part(&mut self, by: MethodId, method: MethodId, library: bool) -> bool {
        if let Some(&known) = self.of_code.get(&(by, method, library)) {
            return known;
        }
        let is = self.find_part(by, method, library).unwrap_or(false);
        self.of_code.insert((by, method, library), is);
        is
    }

    fn find_part(&mut self, by: MethodId, method: MethodId, library: bool) -> Option<bool> {
        let program = self.past.program();
        let ((class, own), (callers, caller)) = (program.method(method)?, program.method(by)?);
        // Its own lambda, whoever runs it.
        let lambda = own.name.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
        if lambda.is_some_and(|(name, _)| name == caller.name && class.name == callers.name) {
            return Some(true);
        }
        if library || own.name == "<clinit>" || package(&class.name) != package(&callers.name) {
            return Some(false);
        }
        let past = self.past;
        let called = self.named.entry(by).or_insert_with(|| named(past, by).unwrap_or_default());
        let same = |(_, name, descriptor): &&Callee| *name == own.name && *descriptor == own.descriptor;
        let mut owners = called.iter().filter(same).map(|(owner, ..)| owner);
        Some(owners.any(|owner| resolves(past, owner, class.loader, &class.name, own)))
    }
}

/// Is this the method that a call names, rather than one that stands in for it?
fn resolves(past: &Past, owner: &str, loader: u32, class: &str, method: &past::Method) -> bool {
    let program = past.program();
    let mut at = program.class_named(owner, loader);
    for _ in 0..MAX_SUPERS {
        let Some(now) = at else { return false };
        let Some(model) = program.model(now) else { return false };
        let declares = |own: &past::Method| own.name == method.name && own.descriptor == method.descriptor;
        if model.methods.iter().any(declares) {
            return now.name == class;
        }
        at = model.super_name.as_deref().and_then(|name| program.class_named(name, now.loader));
    }
    false
}

fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

/// What the code of a method calls.
fn named(past: &Past, method: MethodId) -> Option<HashSet<Callee>> {
    let (class, model) = past.program().method(method)?;
    let file = ClassFile::parse(&class.bytes).ok()?;
    let member = file.methods.iter().find(|member| {
        member.name == model.name.as_bytes() && member.descriptor == model.descriptor.as_bytes()
    })?;
    let code = member.code(&file).ok()??;
    let calls = code.insns().map_while(|insn| insn.ok()).filter(|insn| {
        matches!(
            insn.op,
            opcode::INVOKEVIRTUAL | opcode::INVOKESPECIAL | opcode::INVOKESTATIC | opcode::INVOKEINTERFACE
        )
    });
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let names = calls.filter_map(|insn| {
        let member = file.pool.member(code.index(insn)).ok()?;
        Some((text(member.class), text(member.name), text(member.descriptor)))
    });
    Some(names.collect())
}
