//! A method that is reached for the first time: its body becomes nodes and ways of the graph, its constants become
//! classes, fields and methods, its calls become call sites.

use classfile::opcode as op;
use classfile::{Constant, access};

use crate::body::{Body, ESCAPE, Local, NONE, Op, Returns};
use crate::filters::ALL;
use crate::given;
use crate::graph::{GraphNode, NO_NODE, Reaction};
use crate::hierarchy::{ClassIndex, FieldIndex, MethodIndex};
use crate::signature::{SigId, Type};
use crate::translate::Signature;
use crate::world::{CallSite, ELEMENTS, Pending, Reached, UsedAt, World};

/// Where the variables of a body are in the graph.
#[derive(Clone, Copy)]
struct Nodes {
    parameters: GraphNode,
    count: u32,
    rest: GraphNode,
    thrown: GraphNode,
}

impl Nodes {
    fn of(self, local: Local) -> GraphNode {
        match local {
            NONE => NO_NODE,
            ESCAPE => self.thrown,
            l if l < self.count => self.parameters + l,
            l => self.rest + (l - self.count),
        }
    }
}

impl World<'_> {
    /// Its place among the reached methods.
    pub fn reach(&mut self, method: MethodIndex) -> Option<u32> {
        if let Some(&at) = self.reached_at.get(&method) {
            return Some(at);
        }
        let at = self.reached.len() as u32;
        self.reached_at.insert(method, at);
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        let m = self.h.method(method);
        let (class, sig, code) = (m.class, m.sig, m.code);
        let is_static = m.is(access::STATIC);
        let is_native = m.is(access::NATIVE) || self.is_modelled(class, sig);
        let program = self.h.classes[class.0 as usize].program;
        if let (Some(code), false, Some(pool)) = (code, is_native, &self.h.classes[class.0 as usize].pool) {
            let descriptor = self.h.names.get(self.h.sigs.get(sig).descriptor);
            let signature = Signature { is_static, descriptor };
            if let Err(why) = self.translator.translate(code, pool, signature, program, &mut body) {
                body.clear();
                let s = self.h.sigs.get(sig);
                let name = [
                    self.h.class_name(class),
                    b".",
                    self.h.names.get(s.name),
                    self.h.names.get(s.descriptor),
                ];
                self.h.left_out.push((String::from_utf8_lossy(&name.concat()).into_owned(), why.to_owned()));
            }
        }
        let nodes = self.parameters(method, body.locals);
        let result = nodes.1;
        let nodes = nodes.0;
        self.reached.push(Reached {
            method,
            parameters: nodes.parameters,
            count: nodes.count,
            result,
            thrown: nodes.thrown,
            returns: body.returns,
            sites: 0..0,
            used: 0..0,
            given: 0..0,
        });
        let (sites, used) = (self.sites.len() as u32, self.used.len() as u32);
        if is_native {
            self.native(at);
        } else {
            self.instantiate(at, class, &body, nodes, result);
        }
        let r = &mut self.reached[at as usize];
        r.sites = sites..self.sites.len() as u32;
        r.used = used..self.used.len() as u32;
        self.note_given(at, method, &body);
        self.body = body;
        if is_static {
            self.initialise(class);
        }
        Some(at)
    }

    /// Notes which operands come from the method's parameters.
    fn note_given(&mut self, at: u32, method: MethodIndex, body: &Body) {
        let start = self.given.len() as u32;
        let m = self.h.method(method);
        let receiver = !m.is(access::STATIC);
        let types = self.h.sigs.get(m.sig).parameters.iter().map(|t| t.is_reference());
        let own = receiver.then_some(true).into_iter().chain(types).enumerate();
        let positions: Vec<usize> = own.filter(|&(_, reference)| reference).map(|(n, _)| n).collect();
        let mut all = Vec::new();
        given::given(body, positions.len(), |n| positions[n as usize], &mut all);
        self.given.append(&mut all);
        self.reached[at as usize].given = start..self.given.len() as u32;
    }

    /// Makes the nodes of a method: parameters, result, what it throws, the rest.
    fn parameters(&mut self, method: MethodIndex, locals: u32) -> (Nodes, GraphNode) {
        let m = self.h.method(method);
        let (class, is_static) = (m.class, m.is(access::STATIC));
        let sig = self.h.sigs.get(m.sig);
        let mut types: Vec<ClassIndex> = Vec::with_capacity(8);
        if !is_static {
            types.push(class);
        }
        types.extend(sig.parameters.iter().filter_map(|t| match t {
            Type::Reference(c) => Some(*c),
            _ => None,
        }));
        let returned = match sig.result {
            Type::Reference(c) => Some(c),
            _ => None,
        };
        let count = types.len() as u32;
        let rest = locals.saturating_sub(count);
        let first = self.graph.add(count + 1 + returned.is_some() as u32 + rest);
        for (i, t) in types.into_iter().enumerate() {
            self.graph.filter[first as usize + i] = self.filters.of(t, &self.h);
        }
        let thrown = first + count;
        let mut at = thrown + 1;
        let mut result = NO_NODE;
        if let Some(c) = returned {
            result = at;
            self.graph.filter[at as usize] = self.filters.of(c, &self.h);
            at += 1;
        }
        (Nodes { parameters: first, count, rest: at, thrown }, result)
    }

    /// The initialisers of a class and its superclasses run.
    pub fn initialise(&mut self, class: ClassIndex) {
        if self.h.classes[class.0 as usize].initialised {
            return;
        }
        for c in self.h.chain(class) {
            if std::mem::replace(&mut self.h.classes[c.0 as usize].initialised, true) {
                continue;
            }
            if let Some(m) = self.h.initialiser(c) {
                self.pending.push(Pending::Reach(m));
            }
        }
    }

    fn instantiate(&mut self, at: u32, class: ClassIndex, body: &Body, nodes: Nodes, result: GraphNode) {
        let method = self.reached[at as usize].method;
        for &(local, index) in &body.types {
            if let Some(c) = self.class_at(class, index) {
                self.graph.filter[nodes.of(local) as usize] = self.filters.of(c, &self.h);
            }
        }
        for u in &body.used {
            let node = nodes.of(u.local);
            self.used.push(UsedAt { bci: u.bci, operand: u.operand, written: u.written, node });
        }
        for &o in &body.ops {
            match o {
                Op::New { to, class: c, bci } => {
                    if let Some(c) = self.class_at(class, c) {
                        self.initialise(c);
                        self.create(method, bci, c, nodes.of(to));
                    }
                }
                Op::NewPrimitives { to, letter, bci } => {
                    let c = self.h.class(&[b'[', letter]);
                    self.create(method, bci, c, nodes.of(to));
                }
                Op::NewArray { to, element, bci } => {
                    if let Some(c) = self.class_at(class, element) {
                        let c = self.h.array_of(c);
                        self.create(method, bci, c, nodes.of(to));
                    }
                }
                Op::NewArrays { to, class: c, dimensions, bci } => {
                    if let Some(c) = self.class_at(class, c) {
                        self.create_nested(method, bci, c, dimensions, nodes.of(to));
                    }
                }
                Op::Constant { to, index } => self.constant(class, index, nodes.of(to)),
                Op::Copy { from, to } => self.graph.copy(&self.filters, nodes.of(from), nodes.of(to)),
                Op::Load { base, field, to } => {
                    if let Some(f) = self.field_at(class, field) {
                        self.when(nodes.of(base), Reaction::Load { field: f.0, to: nodes.of(to) });
                    }
                }
                Op::Store { base, field, from } => {
                    if let Some(f) = self.field_at(class, field) {
                        self.when(nodes.of(base), Reaction::Store { field: f.0, from: nodes.of(from) });
                    }
                }
                Op::LoadStatic { field, to } => {
                    if let Some(f) = self.field_at(class, field) {
                        let owner = self.h.field(f).class;
                        self.initialise(owner);
                        if to != NONE {
                            let from = self.static_node(f);
                            self.graph.copy(&self.filters, from, nodes.of(to));
                        }
                    }
                }
                Op::StoreStatic { field, from } => {
                    if let Some(f) = self.field_at(class, field) {
                        let owner = self.h.field(f).class;
                        self.initialise(owner);
                        if from != NONE {
                            let to = self.static_node(f);
                            self.graph.copy(&self.filters, nodes.of(from), to);
                        }
                    }
                }
                Op::LoadElement { base, to } => {
                    self.when(nodes.of(base), Reaction::Load { field: ELEMENTS, to: nodes.of(to) });
                }
                Op::StoreElement { base, from } => {
                    self.when(nodes.of(base), Reaction::Store { field: ELEMENTS, from: nodes.of(from) });
                }
                Op::Return { from } => {
                    if body.returns == Returns::Values {
                        self.graph.copy(&self.filters, nodes.of(from), result);
                    }
                }
                Op::Caught { to } => {
                    self.graph.copy(&self.filters, self.known.machine_throws, nodes.of(to));
                }
                Op::Call { opcode, index, bci, arguments, count, to, thrown } => {
                    let locals = &body.arguments[arguments as usize..arguments as usize + count as usize];
                    let all: Vec<GraphNode> = locals.iter().map(|&l| nodes.of(l)).collect();
                    let call = Call { at, class, bci, to: nodes.of(to), thrown: nodes.of(thrown) };
                    if opcode == op::INVOKEDYNAMIC {
                        self.dynamic(call, index, &all);
                    } else {
                        self.call(call, opcode, index, &all);
                    }
                }
            }
        }
    }

    /// An instruction creates an object. What libraries create of some classes is not told apart.
    fn create(&mut self, method: MethodIndex, bci: u16, class: ClassIndex, to: GraphNode) {
        let merged = !self.h.is_program(method) && (self.is_merged(class) || self.is_constant(method, class));
        let o = if merged { self.any_of(class) } else { self.object(class, Some((method, bci))) };
        if to != NO_NODE {
            self.graph.insert(&self.filters, to, o);
        }
    }

    /// The constants of an enum or of a class like one.
    fn is_constant(&mut self, creator: MethodIndex, class: ClassIndex) -> bool {
        self.h.method(creator).class == class && self.h.initialiser(class) == Some(creator)
    }

    fn is_merged(&mut self, class: ClassIndex) -> bool {
        let known = self.known.merged;
        known[..3].contains(&class)
            || self.h.class_name(class).len() == 2
            || self.h.is_subtype(class, self.known.throwable) && !self.h.classes[class.0 as usize].incomplete
    }

    fn create_nested(
        &mut self,
        method: MethodIndex,
        bci: u16,
        class: ClassIndex,
        dimensions: u8,
        to: GraphNode,
    ) {
        let outer = self.object(class, Some((method, bci)));
        if to != NO_NODE {
            self.graph.insert(&self.filters, to, outer);
        }
        let (mut holder, mut class) = (outer, class);
        for _ in 1..dimensions {
            let Some(inner) = self.h.element(class) else { break };
            let o = self.object(inner, Some((method, bci)));
            let node = self.field_node(holder, ELEMENTS);
            self.graph.insert(&self.filters, node, o);
            (holder, class) = (o, inner);
        }
    }

    fn constant(&mut self, class: ClassIndex, index: u16, to: GraphNode) {
        let Some(pool) = &self.h.classes[class.0 as usize].pool else { return };
        let c = match pool.get(index) {
            Ok(Constant::String { .. }) => self.known.string,
            Ok(Constant::Class { .. }) => self.known.class,
            Ok(Constant::MethodHandle { .. }) => self.h.class(b"java/lang/invoke/MethodHandle"),
            Ok(Constant::MethodType { .. }) => self.h.class(b"java/lang/invoke/MethodType"),
            // What a bootstrap makes is not known.
            _ => return,
        };
        let o = self.any_of(c);
        self.graph.insert(&self.filters, to, o);
    }

    /// A constant's meaning, kept for the next time.
    fn resolved(
        &mut self,
        class: ClassIndex,
        index: u16,
        find: impl FnOnce(&mut Self) -> Option<u32>,
    ) -> Option<u32> {
        let c = &mut self.h.classes[class.0 as usize];
        if c.resolved.is_empty() {
            c.resolved = vec![0; c.pool.as_ref().map_or(0, |p| p.len())];
        }
        match c.resolved.get(index as usize) {
            None => return None,
            Some(0) => {}
            Some(&u32::MAX) => return None,
            Some(&known) => return Some(known - 1),
        }
        let found = find(self);
        self.h.classes[class.0 as usize].resolved[index as usize] = found.map_or(u32::MAX, |n| n + 1);
        found
    }

    pub fn class_at(&mut self, class: ClassIndex, index: u16) -> Option<ClassIndex> {
        self.resolved(class, index, |w| {
            let name = w.h.classes[class.0 as usize].pool.as_ref()?.class_name(index).ok()?;
            Some(w.h.class(name).0)
        })
        .map(ClassIndex)
    }

    fn field_at(&mut self, class: ClassIndex, index: u16) -> Option<FieldIndex> {
        self.resolved(class, index, |w| {
            let member = w.h.classes[class.0 as usize].pool.as_ref()?.member(index).ok()?;
            let owner = w.h.class(member.class);
            let name = w.h.names.intern(member.name);
            if let Some(f) = w.h.find_field(owner, name) {
                return Some(f.0);
            }
            if let Some(f) = w.missing_fields.get(&(owner, name)) {
                return Some(f.0);
            }
            let holds = match member.descriptor {
                [b'L', inner @ .., b';'] => Some(w.h.class(inner)),
                array @ [b'[', ..] => Some(w.h.class(array)),
                _ => None,
            };
            let f = w.h.add_field(owner, name, holds, 0);
            w.missing_fields.insert((owner, name), f);
            Some(f.0)
        })
        .map(FieldIndex)
    }

    /// The class and signature that a reference to a method names.
    pub fn method_at(&mut self, class: ClassIndex, index: u16) -> Option<(ClassIndex, SigId)> {
        self.resolved(class, index, |w| {
            let member = w.h.classes[class.0 as usize].pool.as_ref()?.member(index).ok()?;
            let owner = w.h.class(member.class);
            let sig = w.h.sig(member.name, member.descriptor);
            w.references.push((owner, sig));
            Some(w.references.len() as u32 - 1)
        })
        .map(|at| self.references[at as usize])
    }

    fn call(&mut self, call: Call, opcode: u8, index: u16, all: &[GraphNode]) {
        let Some((owner, sig)) = self.method_at(call.class, index) else { return };
        if opcode == op::INVOKESTATIC {
            self.initialise(owner);
        }
        let arguments = self.references_of(sig, opcode != op::INVOKESTATIC, all);
        if self.special_call(call, owner, sig, &arguments) {
            return;
        }
        let target = self.resolve(owner, sig);
        let direct = matches!(opcode, op::INVOKESTATIC | op::INVOKESPECIAL)
            || target.is_some_and(|t| self.h.method(t).is(access::PRIVATE));
        let site = self.site(call, owner, sig, &arguments, opcode != op::INVOKESTATIC);
        if !direct {
            let receiver = arguments.first().copied().unwrap_or(NO_NODE);
            self.when(receiver, Reaction::Call { site });
        } else if let Some(target) = target {
            self.pending.push(Pending::Connect { site, target });
        }
    }

    /// The nodes of reference parameters only.
    fn references_of(&self, sig: SigId, has_receiver: bool, all: &[GraphNode]) -> Vec<GraphNode> {
        let own = all.iter().take(has_receiver as usize);
        let rest = all.iter().skip(has_receiver as usize);
        let types = self.h.sigs.get(sig).parameters.iter();
        own.chain(rest.zip(types).filter(|(_, t)| t.is_reference()).map(|(n, _)| n)).copied().collect()
    }

    pub fn site(
        &mut self,
        call: Call,
        owner: ClassIndex,
        sig: SigId,
        arguments: &[GraphNode],
        has_receiver: bool,
    ) -> u32 {
        let start = self.arguments.len() as u32;
        self.arguments.extend_from_slice(arguments);
        let filter = if has_receiver { self.filters.of(owner, &self.h) } else { ALL };
        self.sites.push(CallSite {
            caller: call.at,
            bci: call.bci,
            sig,
            filter,
            arguments: start,
            count: arguments.len() as u16,
            has_receiver,
            to: call.to,
            thrown: call.thrown,
        });
        self.sites.len() as u32 - 1
    }

    /// A call may reach a method: arguments flow in, what it gives and throws flows out. The receiver too if `direct`;
    /// else each one is put there by itself.
    pub fn connect(&mut self, site: u32, target: MethodIndex, direct: bool) {
        if !self.calls.insert((site, target)) {
            return;
        }
        let Some(at) = self.reach(target) else { return };
        let s = self.sites[site as usize];
        let Reached { parameters, count, result, thrown, returns, .. } = self.reached[at as usize];
        let own = !self.h.method(target).is(access::STATIC);
        // A static method called with a receiver, or the other way around, is damaged code.
        if own == s.has_receiver {
            let skip = (own && !direct) as u32;
            for i in skip..count.min(s.count as u32) {
                let from = self.arguments[(s.arguments + i) as usize];
                self.graph.copy(&self.filters, from, parameters + i);
            }
        }
        match returns {
            Returns::Parameter(n) if n < s.count as u32 => {
                let from = self.arguments[(s.arguments + n) as usize];
                self.graph.copy(&self.filters, from, s.to);
            }
            _ => self.graph.copy(&self.filters, result, s.to),
        }
        if s.thrown != NO_NODE {
            self.late.push((thrown, s.thrown));
        }
    }
}

/// A call in the code of a class, by a reached method.
#[derive(Clone, Copy)]
pub struct Call {
    pub at: u32,
    pub class: ClassIndex,
    pub bci: u16,
    pub to: GraphNode,
    pub thrown: GraphNode,
}
