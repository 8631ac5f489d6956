//! `invokedynamic`: a lambda is an object made at its place, of a class with one method that calls the implementation
//! with what was captured and what is given. Concatenation gives a string. What other bootstraps give is not known.

use std::str::from_utf8;

use classfile::{Bootstrap, Constant, access};
use jdk::names;

use crate::graph::{GraphNode, NO_NODE, Reaction};
use crate::hierarchy::{ClassIndex, MethodIndex};
use crate::instantiate::Call;
use crate::signature::{SigId, Type};
use crate::world::{Pending, World};

/// The class of a lambda: its one method, and the name under which it is called.
pub struct Lambda {
    pub method: MethodIndex,
    pub sig: SigId,
}

/// Kinds of method handles, as in the specification.
const INVOKE_VIRTUAL: u8 = 5;
const INVOKE_STATIC: u8 = 6;
const INVOKE_SPECIAL: u8 = 7;
const NEW_INVOKE_SPECIAL: u8 = 8;
const INVOKE_INTERFACE: u8 = 9;

/// Flags of `LambdaMetafactory.altMetafactory`.
const SERIALIZABLE: i32 = 1;
const MARKERS: i32 = 2;

impl World<'_> {
    pub fn dynamic(&mut self, call: Call, index: u16, captured: &[GraphNode]) {
        let Some(pool) = self.h.classes[call.class.0 as usize].pool.clone() else { return };
        let Some(bootstrap) = self.bootstrap(call.class, index, &pool) else { return };
        let Ok(Constant::MethodHandle { reference, .. }) = pool.get(bootstrap.method) else { return };
        let Ok(linker) = pool.member(reference) else { return };
        let Ok(member) = pool.member(index) else { return };
        let sig = self.h.sig(member.name, member.descriptor);
        match from_utf8(linker.class).unwrap_or("") {
            names::LAMBDA_METAFACTORY => {
                let made = self.lambda(call, sig, &bootstrap.arguments, &pool, captured);
                if let (Some(o), true) = (made, call.to != NO_NODE) {
                    self.graph.insert(&self.filters, call.to, o);
                }
            }
            names::STRING_CONCAT_FACTORY | names::OBJECT_METHODS => {
                // toString of what is concatenated may run.
                self.concatenated(call, sig, captured, linker.class);
                let string = self.known.string;
                self.give(call.to, string);
            }
            _ => {}
        }
    }

    fn give(&mut self, to: GraphNode, class: ClassIndex) {
        if to != NO_NODE {
            let o = self.any_of(class);
            self.graph.insert(&self.filters, to, o);
        }
    }

    fn concatenated(&mut self, call: Call, sig: SigId, captured: &[GraphNode], factory: &[u8]) {
        let names: &[(&[u8], &[u8])] = if factory == names::STRING_CONCAT_FACTORY.as_bytes() {
            &[(b"toString", b"()Ljava/lang/String;")]
        } else {
            &[]
        };
        let types: Vec<Type> = self.h.sigs.get(sig).parameters.to_vec();
        for (name, descriptor) in names {
            let called = self.h.sig(name, descriptor);
            for (&node, &t) in captured.iter().zip(&types) {
                let Type::Reference(class) = t else { continue };
                if class == self.known.string || node == NO_NODE {
                    continue;
                }
                let object = self.h.object;
                let site = self.site(Call { to: NO_NODE, ..call }, object, called, &[node], true);
                self.when(node, Reaction::Call { site });
            }
        }
    }

    fn bootstrap(
        &self,
        class: ClassIndex,
        index: u16,
        pool: &classfile::ConstantPool<'_>,
    ) -> Option<Bootstrap> {
        let Ok(Constant::InvokeDynamic { bootstrap, .. }) = pool.get(index) else { return None };
        self.h.classes[class.0 as usize].bootstraps.get(usize::from(bootstrap)).cloned()
    }

    /// Makes the class of a lambda and its object.
    fn lambda(
        &mut self,
        call: Call,
        sig: SigId,
        arguments: &[u16],
        pool: &classfile::ConstantPool<'_>,
        captured: &[GraphNode],
    ) -> Option<u32> {
        let &[erased, handle, actual, ..] = arguments else { return None };
        let method_type = |index: u16| match pool.get(index) {
            Ok(Constant::MethodType { descriptor }) => pool.utf8(descriptor).ok(),
            _ => None,
        };
        let (erased, actual) = (method_type(erased)?, method_type(actual)?);
        let Ok(Constant::MethodHandle { kind, reference }) = pool.get(handle) else { return None };
        let (name, interface) = match self.h.sigs.get(sig) {
            s @ crate::signature::Sig { result: Type::Reference(c), .. } => {
                (self.h.names.get(s.name).to_vec(), *c)
            }
            _ => return None,
        };
        let called = self.h.sig(&name, erased);
        let actual = self.h.sig(&name, actual);
        let creator = self.reached[call.at as usize].method;
        let outer = self.h.class_name(call.class).to_vec();
        let place = format!("$$Lambda@{}:{}", creator.0, call.bci);
        let program = self.h.classes[call.class.0 as usize].program;
        let object = self.h.object;
        let interfaces =
            [interface].into_iter().chain(self.further_interfaces(call.class, arguments, pool)).collect();
        let class = self.h.make(&[&outer[..], place.as_bytes()].concat(), object, interfaces, program);
        let method = self.h.add_method(class, called, access::PUBLIC | access::SYNTHETIC);
        self.lambdas.insert(class, Lambda { method, sig: called });
        let at = self.reach(method)?;
        let (owner, target) = self.method_at(call.class, reference)?;
        self.body_of_lambda(at, call, kind, (owner, target), (called, actual), captured, sig);
        Some(self.object(class, Some((creator, call.bci))))
    }

    /// Interfaces of a lambda that a cast to several types asks for: they are told to `altMetafactory`.
    fn further_interfaces(
        &mut self,
        class: ClassIndex,
        arguments: &[u16],
        pool: &classfile::ConstantPool<'_>,
    ) -> Vec<ClassIndex> {
        let number = |at: usize| match arguments.get(at).map(|&index| pool.get(index)) {
            Some(Ok(Constant::Integer(number))) => number,
            _ => 0,
        };
        let flags = number(3);
        let mut further = Vec::new();
        if flags & SERIALIZABLE != 0 {
            further.push(self.h.class(b"java/io/Serializable"));
        }
        if flags & MARKERS != 0 {
            let count = usize::try_from(number(4)).unwrap_or(0);
            let markers = arguments.iter().skip(5).take(count);
            further.extend(markers.filter_map(|&index| self.class_at(class, index)));
        }
        further
    }

    /// The lambda's method calls the implementation.
    #[allow(clippy::too_many_arguments)]
    fn body_of_lambda(
        &mut self,
        at: u32,
        made: Call,
        kind: u8,
        (owner, target): (ClassIndex, SigId),
        (called, actual): (SigId, SigId),
        captured: &[GraphNode],
        capture: SigId,
    ) {
        // What it is given, by position: the node of a reference, or the letter of a primitive.
        let mut given: Vec<(GraphNode, Type)> =
            captured.iter().copied().zip(self.h.sigs.get(capture).parameters.iter().copied()).collect();
        let r = &self.reached[at as usize];
        let (mut node, thrown, result) = (r.parameters + 1, r.thrown, r.result);
        let types = self.h.sigs.get(called).parameters.to_vec();
        let precise = self.h.sigs.get(actual).parameters.to_vec();
        for (i, t) in types.into_iter().enumerate() {
            if t.is_reference() {
                // The lambda's own type says more than the interface's.
                if let Some(Type::Reference(c)) = precise.get(i) {
                    self.graph.filter[node as usize] = self.filters.of(*c, &self.h);
                }
                given.push((node, t));
                node += 1;
            } else {
                given.push((NO_NODE, t));
            }
        }
        let first = self.sites.len() as u32;
        let mut wanted: Vec<Type> = Vec::new();
        let has_receiver = kind != INVOKE_STATIC;
        if has_receiver && kind != NEW_INVOKE_SPECIAL {
            wanted.push(Type::Reference(owner));
        }
        wanted.extend(self.h.sigs.get(target).parameters.iter().copied());
        let mut arguments: Vec<GraphNode> = Vec::new();
        let mut to = result;
        if kind == NEW_INVOKE_SPECIAL {
            self.initialise(owner);
            let creator = self.reached[made.at as usize].method;
            let o = self.object(owner, Some((creator, made.bci)));
            let node = self.graph.add(1);
            self.graph.insert(&self.filters, node, o);
            self.graph.copy(&self.filters, node, result);
            arguments.push(node);
            to = NO_NODE;
        }
        for (i, want) in wanted.iter().enumerate() {
            if want.is_reference() {
                let node = match given.get(i) {
                    Some(&(_, Type::Primitive(letter))) => self.boxed(letter),
                    Some(&(node, _)) => node,
                    None => NO_NODE,
                };
                arguments.push(node);
            }
        }
        if let (Type::Primitive(letter), true) = (self.h.sigs.get(target).result, to != NO_NODE) {
            let node = self.boxed(letter);
            self.graph.copy(&self.filters, node, to);
            to = NO_NODE;
        }
        let call = Call { at, class: made.class, bci: made.bci, to, thrown };
        if kind == INVOKE_STATIC {
            self.initialise(owner);
        }
        let resolved = self.resolve(owner, target);
        let is_private = resolved.is_some_and(|m| self.h.method(m).is(access::PRIVATE));
        let site = self.site(call, owner, target, &arguments, has_receiver);
        match kind {
            INVOKE_VIRTUAL | INVOKE_INTERFACE if !is_private => {
                let receiver = arguments.first().copied().unwrap_or(NO_NODE);
                self.when(receiver, Reaction::Call { site });
            }
            INVOKE_VIRTUAL | INVOKE_INTERFACE | INVOKE_STATIC | INVOKE_SPECIAL | NEW_INVOKE_SPECIAL => {
                if let Some(target) = resolved {
                    self.pending.push(Pending::Connect { site, target });
                }
            }
            _ => {}
        }
        self.reached[at as usize].sites = first..self.sites.len() as u32;
    }

    /// A node that holds a box of a primitive.
    fn boxed(&mut self, letter: u8) -> GraphNode {
        let name = jdk::boxes::class_of(letter).unwrap_or("java/lang/Double");
        let class = self.h.class(name.as_bytes());
        let node = self.graph.add(1);
        let o = self.any_of(class);
        self.graph.insert(&self.filters, node, o);
        node
    }
}
