//! What code does that has no bytecode, or whose bytecode would mix up all its callers: copying arrays, cloning, access by
//! offset or handle, starting threads, reflection. A native that is not listed gives one object of its return type;
//! which methods and classes reflection finds is taken from what the run observed.

use crate::body::Returns;
use crate::graph::{NO_NODE, Node, Reaction};
use crate::hierarchy::{ClassId, MethodId};
use crate::instantiate::Call;
use crate::known::MACHINE_THROWS;
use crate::signature::{SigId, Type};
use crate::world::{ELEMENTS, Reached, UsedAt, World};

/// How a call is handled at its own place, instead of through the method that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// `System.arraycopy`
    CopyElements,
    /// `Arrays.copyOf`, `copyOfRange`: a new array with the elements of the first.
    CopyArray,
    /// `Array.newInstance`
    NewArray,
    /// Reads by offset or handle: argument 1 is the object.
    Get,
    /// Writes the last argument.
    Put,
    /// Does both.
    Swap,
    /// Calls a method handle: only the run knows what that does.
    Handle,
}

impl World<'_> {
    /// Handles a call at its place, if it is one of those. `arguments` are the references.
    pub fn special_call(&mut self, call: Call, owner: ClassId, sig: SigId, arguments: &[Node]) -> bool {
        let s = self.h.sigs.get(sig);
        let name = self.h.names.get(s.name);
        let of_objects = matches!(s.result, Type::Reference(c) if self.h.class_name(c).len() > 2);
        let Some(special) = special(self.h.class_name(owner), name, of_objects, arguments.len()) else {
            return false;
        };
        let argument = |n: usize| arguments.get(n).copied().unwrap_or(NO_NODE);
        match special {
            Special::CopyElements => {
                let between = self.graph.add(1);
                self.when(argument(0), Reaction::Load { field: ELEMENTS, to: between });
                self.when(argument(1), Reaction::Store { field: ELEMENTS, from: between });
                if argument(1) != NO_NODE {
                    self.used.push(UsedAt { bci: call.bci, operand: 2, written: true, node: argument(1) });
                }
            }
            Special::CopyArray => {
                let o = self.any_array(call);
                let elements = self.field_node(o, ELEMENTS);
                self.when(argument(0), Reaction::Load { field: ELEMENTS, to: elements });
            }
            Special::NewArray => {
                self.any_array(call);
            }
            Special::Get => self.when(argument(1), Reaction::LoadAny { to: call.to }),
            Special::Put | Special::Swap => {
                for &from in arguments.get(2..).unwrap_or(&[]) {
                    if from != NO_NODE {
                        self.when(argument(1), Reaction::StoreAny { from });
                    }
                }
                if argument(1) != NO_NODE {
                    self.used.push(UsedAt { bci: call.bci, operand: 1, written: true, node: argument(1) });
                }
                if special == Special::Swap && call.to != NO_NODE {
                    self.when(argument(1), Reaction::LoadAny { to: call.to });
                }
            }
            Special::Handle => {}
        }
        // The call itself stays visible.
        let has_receiver = !matches!(special, Special::CopyElements | Special::CopyArray | Special::NewArray);
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
    fn note(&mut self, method: MethodId) {
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
        let key = [self.h.class_name(class), b".", self.h.names.get(s.name)].concat();
        let call = Call { at, class, bci: 0, to: result, thrown };
        match &key[..] {
            b"java/lang/Object.clone" => self.reached[at as usize].returns = Returns::Parameter(0),
            b"java/lang/Thread.start0" | b"java/lang/Thread.startImpl" => {
                let (run, thread) = (self.known.run, self.known.thread);
                self.graph.copy(&self.filters, parameters, self.known.threads);
                let site = self.site(Call { to: NO_NODE, ..call }, thread, run, &[parameters], true);
                self.when(parameters, Reaction::Call { site });
            }
            b"java/lang/Thread.currentThread" | b"java/lang/Thread.currentCarrierThread" => {
                self.graph.copy(&self.filters, self.known.threads, result);
            }
            b"java/lang/System.setIn0" => self.set_static(class, b"in", parameters),
            b"java/lang/System.setOut0" => self.set_static(class, b"out", parameters),
            b"java/lang/System.setErr0" => self.set_static(class, b"err", parameters),
            b"java/lang/Class.getEnumConstantsShared" => {
                let o = self.object(self.h.any_array, Some((method, 0)));
                let elements = self.field_node(o, ELEMENTS);
                self.graph.copy(&self.filters, self.known.all_enums, elements);
                self.graph.insert(&self.filters, result, o);
            }
            b"java/security/AccessController.doPrivileged" if count > 0 => {
                // Only old JDKs: it became Java code later.
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

    fn set_static(&mut self, class: ClassId, name: &[u8], from: Node) {
        let name = self.h.names.intern(name);
        if let Some(f) = self.h.find_field(class, name) {
            let to = self.static_node(f);
            self.graph.copy(&self.filters, from, to);
        }
    }

    /// What the machine throws is there from the start.
    pub fn machine(&mut self) {
        for name in MACHINE_THROWS {
            let class = self.h.class(name.as_bytes());
            let o = self.any_of(class);
            self.graph.insert(&self.filters, self.known.machine_throws, o);
        }
    }

    /// Java code that is handled as if it were native.
    pub fn is_modelled(&self, class: ClassId, sig: SigId) -> bool {
        class == self.known.class && self.h.names.get(self.h.sigs.get(sig).name) == b"getEnumConstantsShared"
    }
}

/// `of_objects`: the result is no array of primitives.
fn special(class: &[u8], name: &[u8], of_objects: bool, references: usize) -> Option<Special> {
    match class {
        b"java/lang/System" if name == b"arraycopy" => Some(Special::CopyElements),
        b"java/util/Arrays" if of_objects && matches!(name, b"copyOf" | b"copyOfRange") => {
            Some(Special::CopyArray)
        }
        b"java/lang/reflect/Array" if name == b"newInstance" => Some(Special::NewArray),
        b"jdk/internal/misc/Unsafe" | b"sun/misc/Unsafe" => {
            let contains = |what: &[u8]| name.windows(what.len()).any(|w| w == what);
            if !contains(b"Reference") && !contains(b"Object") || references < 2 {
                None
            } else if name.starts_with(b"put") {
                Some(Special::Put)
            } else if name.starts_with(b"compareAnd")
                || name.starts_with(b"weakCompareAnd")
                || name.starts_with(b"getAnd")
            {
                Some(Special::Swap)
            } else if name.starts_with(b"get") {
                Some(Special::Get)
            } else {
                None
            }
        }
        b"java/lang/invoke/VarHandle" => {
            let starts = |what: &[u8]| name.starts_with(what);
            if starts(b"set") {
                Some(Special::Put)
            } else if starts(b"compareAnd") || starts(b"weakCompareAnd") || starts(b"getAnd") {
                Some(Special::Swap)
            } else if matches!(name, b"get" | b"getVolatile" | b"getOpaque" | b"getAcquire") {
                Some(Special::Get)
            } else {
                None
            }
        }
        b"java/lang/invoke/MethodHandle" if matches!(name, b"invoke" | b"invokeExact") => {
            Some(Special::Handle)
        }
        _ => None,
    }
}
