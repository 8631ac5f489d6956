//! Which method a name means in a class, and which one a receiver chooses.

use classfile::access;

use crate::hierarchy::{ClassIndex, ClassState, MethodIndex};
use crate::signature::SigId;
use crate::world::World;

impl World<'_> {
    /// The method that runs when one of this name is called on an object of a class: the nearest superclass's, else
    /// the most specific interface's.
    pub fn dispatch(&mut self, class: ClassIndex, sig: SigId) -> Option<MethodIndex> {
        if let Some(&known) = self.dispatched.get(&(class, sig)) {
            return known;
        }
        let found = self.select(class, sig);
        self.dispatched.insert((class, sig), found);
        found
    }

    fn select(&mut self, class: ClassIndex, sig: SigId) -> Option<MethodIndex> {
        if let Some(lambda) = self.lambdas.get(&class) {
            let (method, own) = (lambda.method, self.h.sigs.get(lambda.sig));
            let asked = self.h.sigs.get(sig);
            // Bridges have the same name and number of parameters.
            if own.name == asked.name && own.parameters.len() == asked.parameters.len() {
                return Some(method);
            }
        }
        for c in self.h.chain(class) {
            if let Some(m) = self.h.declared(c, sig) {
                let method = self.h.method(m);
                if method.is(access::STATIC) {
                    continue;
                }
                if !method.is(access::ABSTRACT) {
                    return Some(m);
                }
                break;
            }
        }
        self.default_method(class, sig)
    }

    fn default_method(&mut self, class: ClassIndex, sig: SigId) -> Option<MethodIndex> {
        let mut best: Option<MethodIndex> = None;
        for s in self.h.supers(class) {
            let c = self.h.load(s);
            if c.access & access::INTERFACE == 0 || c.state != ClassState::Loaded {
                continue;
            }
            let Some(m) = self.h.declared(s, sig) else { continue };
            if self.h.method(m).access & (access::ABSTRACT | access::STATIC | access::PRIVATE) != 0 {
                continue;
            }
            let better = match best {
                None => true,
                Some(b) => {
                    let other = self.h.method(b).class;
                    self.h.is_subtype(s, other)
                }
            };
            if better {
                best = Some(m);
            }
        }
        best
    }

    /// The method that a reference in code means: declared there or inherited.
    pub fn resolve(&mut self, class: ClassIndex, sig: SigId) -> Option<MethodIndex> {
        for c in self.h.chain(class) {
            if let Some(m) = self.h.declared(c, sig) {
                return Some(m);
            }
        }
        let mut found = None;
        for s in self.h.supers(class) {
            if let Some(m) = self.h.declared(s, sig) {
                if !self.h.method(m).is(access::ABSTRACT) {
                    return Some(m);
                }
                found = found.or(Some(m));
            }
        }
        found
    }
}
