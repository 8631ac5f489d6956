//! What code does that has no bytecode, or whose bytecode would mix up all its callers: copying arrays, cloning, access by
//! offset or handle, starting threads, reflection. A native that is not listed gives one object of its return type;
//! which methods and classes reflection finds is taken from what the run observed.

use jdk::arrays::{BulkOperation, bulk};
use jdk::machine::{Native, native};
use jdk::unseen::{UnseenAccess, access, is_unsafe};

use crate::body::Returns;
use crate::graph::{GraphNode, NO_NODE, Reaction};
use crate::hierarchy::{ClassIndex, MethodIndex};
use crate::instantiate::Call;
use crate::signature::{SigId, Type};
use crate::world::{ELEMENTS, Reached, UsedAt, World};

/// How a call is handled at its own place, instead of through the method that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// Copies or makes an array.
    Array(BulkOperation),
    /// Reads or writes by offset or handle.
    Access(UnseenAccess),
}

impl World<'_> {
    /// Handles a call at its place, if it is one of those. `arguments` are the references.
    pub fn special_call(
        &mut self,
        call: Call,
        owner: ClassIndex,
        sig: SigId,
        arguments: &[GraphNode],
    ) -> bool {
        let s = self.h.sigs.get(sig);
        let name = self.h.names.get(s.name);
        let of_objects = matches!(s.result, Type::Reference(c) if self.h.class_name(c).len() > 2);
        let Some(special) = special(self.h.class_name(owner), name, of_objects, arguments.len()) else {
            return false;
        };
        let argument = |n: usize| arguments.get(n).copied().unwrap_or(NO_NODE);
        match special {
            Special::Array(BulkOperation::Copy) => {
                let between = self.graph.add(1);
                self.when(argument(0), Reaction::Load { field: ELEMENTS, to: between });
                self.when(argument(1), Reaction::Store { field: ELEMENTS, from: between });
                if argument(1) != NO_NODE {
                    self.used.push(UsedAt { bci: call.bci, operand: 2, written: true, node: argument(1) });
                }
            }
            Special::Array(BulkOperation::CopyOf) => {
                let o = self.any_array(call);
                let elements = self.field_node(o, ELEMENTS);
                self.when(argument(0), Reaction::Load { field: ELEMENTS, to: elements });
            }
            Special::Array(_) => {
                self.any_array(call);
            }
            Special::Access(UnseenAccess::Get) => self.when(argument(1), Reaction::LoadAny { to: call.to }),
            Special::Access(UnseenAccess::Put | UnseenAccess::Swap) => {
                for &from in arguments.get(2..).unwrap_or(&[]) {
                    if from != NO_NODE {
                        self.when(argument(1), Reaction::StoreAny { from });
                    }
                }
                if argument(1) != NO_NODE {
                    self.used.push(UsedAt { bci: call.bci, operand: 1, written: true, node: argument(1) });
                }
                if special == Special::Access(UnseenAccess::Swap) && call.to != NO_NODE {
                    self.when(argument(1), Reaction::LoadAny { to: call.to });
                }
            }
            Special::Access(UnseenAccess::Invoke) => {}
        }
        // The call itself stays visible.
        let has_receiver = matches!(special, Special::Access(_));
        let site = self.site(call, owner, sig, arguments, has_receiver);
        if let Some(target) = self.resolve(owner, sig) {
            self.calls.insert((site, target));
            self.note(target);
        }
        true
    }

    /// An array of a class that only the run knows, made here.
    fn any_array(&mut self, call: Call) -> u32 {
        let creator = self.reached[call.at as usize].method;
        let o = self.object(self.h.any_array, Some((creator, call.bci)));
        if call.to != NO_NODE {
            self.graph.insert(&self.filters, call.to, o);
        }
        o
    }

    /// Marks a method as reached without looking into it.
    fn note(&mut self, method: MethodIndex) {
        if !self.reached_at.contains_key(&method) {
            let nodes = self.graph.add(1);
            self.reached_at.insert(method, self.reached.len() as u32);
            self.reached.push(Reached {
                method,
                parameters: nodes,
                count: 0,
                result: NO_NODE,
                thrown: nodes,
                returns: Returns::Nothing,
                sites: 0..0,
                used: 0..0,
                given: 0..0,
            });
        }
    }

    /// The body of a native method.
    pub fn native(&mut self, at: u32) {
        let Reached { method, parameters, count, result, thrown, .. } = self.reached[at as usize];
        let m = self.h.method(method);
        let (class, sig, exceptions) = (m.class, m.sig, m.exceptions);
        let s = self.h.sigs.get(sig);
        let returned = s.result;
        let known = native(self.h.class_name(class), self.h.names.get(s.name));
        let call = Call { at, class, bci: 0, to: result, thrown };
        match known {
            Some(Native::Clone) => self.reached[at as usize].returns = Returns::Parameter(0),
            Some(Native::StartThread) => {
                let (run, thread) = (self.known.run, self.known.thread);
                self.graph.copy(&self.filters, parameters, self.known.threads);
                let site = self.site(Call { to: NO_NODE, ..call }, thread, run, &[parameters], true);
                self.when(parameters, Reaction::Call { site });
            }
            Some(Native::CurrentThread) => {
                self.graph.copy(&self.filters, self.known.threads, result);
            }
            Some(Native::SetStatic(field)) => self.set_static(class, field.as_bytes(), parameters),
            Some(Native::EnumConstants) => {
                let o = self.object(self.h.any_array, Some((method, 0)));
                let elements = self.field_node(o, ELEMENTS);
                self.graph.copy(&self.filters, self.known.all_enums, elements);
                self.graph.insert(&self.filters, result, o);
            }
            Some(Native::Privileged) if count > 0 => {
                let object = self.h.object;
                let run = self.h.sig(b"run", b"()Ljava/lang/Object;");
                let site = self.site(call, object, run, &[parameters], true);
                self.when(parameters, Reaction::Call { site });
            }
            _ => {
                if let Type::Reference(c) = returned {
                    let o = self.any_of(c);
                    self.graph.insert(&self.filters, result, o);
                }
            }
        }
        for i in 0..exceptions.len().saturating_sub(2) / 2 {
            let index = u16::from_be_bytes([exceptions[2 + 2 * i], exceptions[3 + 2 * i]]);
            if let Some(c) = self.class_at(class, index) {
                let o = self.any_of(c);
                self.graph.insert(&self.filters, thrown, o);
            }
        }
    }

    fn set_static(&mut self, class: ClassIndex, name: &[u8], from: GraphNode) {
        let name = self.h.names.intern(name);
        if let Some(f) = self.h.find_field(class, name) {
            let to = self.static_node(f);
            self.graph.copy(&self.filters, from, to);
        }
    }

    /// What the machine throws is there from the start.
    pub fn machine(&mut self) {
        for name in jdk::machine::THROWS {
            let class = self.h.class(name.as_bytes());
            let o = self.any_of(class);
            self.graph.insert(&self.filters, self.known.machine_throws, o);
        }
    }

    /// Java code that is handled as if it were native.
    pub fn is_modelled(&self, class: ClassIndex, sig: SigId) -> bool {
        let name = self.h.names.get(self.h.sigs.get(sig).name);
        native(self.h.class_name(class), name) == Some(Native::EnumConstants)
    }
}

/// `of_objects`: the result is no array of primitives.
fn special(class: &[u8], name: &[u8], of_objects: bool, references: usize) -> Option<Special> {
    match bulk(class, name) {
        Some(bulk @ (BulkOperation::Copy | BulkOperation::New)) => return Some(Special::Array(bulk)),
        Some(BulkOperation::CopyOf) => return of_objects.then_some(Special::Array(BulkOperation::CopyOf)),
        Some(BulkOperation::Fill | BulkOperation::Clone) | None => {}
    }
    if is_unsafe(class) && references < 2 {
        return None;
    }
    access(class, name).map(Special::Access)
}
