//! Where the analysis starts: what the machine does before `main`, and what the run observed.

use crate::error::{Error, Result};
use crate::graph::NO_NODE;
use crate::hierarchy::{ClassIndex, MethodIndex};
use crate::input::{MemberName, Observed, SeenAt};
use crate::world::World;

impl World<'_> {
    pub fn start(&mut self, observed: &Observed) -> Result<()> {
        self.machine();
        self.begin();
        let mut any = false;
        for member in &observed.entries {
            any |= self.enter(member);
        }
        // A call whose code is not what the analysis reads still says that both methods run.
        for (place, callee) in &observed.calls {
            let caller = self.find(&place.method);
            let callee = self.find(callee);
            if let Some(at) = caller.and_then(|m| self.reach(m)) {
                any = true;
                if let (Some(site), Some(target)) = (self.site_at(at, place.bci), callee) {
                    self.connect(site, target, true);
                    continue;
                }
            }
            if let Some(target) = callee {
                self.reach(target);
                any = true;
            }
        }
        for (seen, class) in &observed.seen {
            let class = self.h.class(class.as_bytes());
            let node = match seen {
                SeenAt::Argument(member, n) | SeenAt::Given(member, n) => self.parameter(member, *n),
                SeenAt::Result(place) | SeenAt::GivenResult(place) => {
                    let at = self.find(&place.method).and_then(|m| self.reach(m));
                    at.and_then(|at| self.site_at(at, place.bci)).map(|s| self.sites[s as usize].to)
                }
            };
            let Some(node) = node.filter(|&node| node != NO_NODE) else { continue };
            let o = self.any_of(class);
            self.graph.insert(&self.filters, node, o);
            if matches!(seen, SeenAt::Given(..) | SeenAt::GivenResult(_)) && self.is_of_program(class) {
                let all = self.made_of(class);
                self.graph.copy(&self.filters, all, node);
            }
        }
        if any { Ok(()) } else { Err(Error::NothingObserved) }
    }

    /// Is it a class of the program, or an array of such?
    fn is_of_program(&mut self, mut class: ClassIndex) -> bool {
        while let Some(element) = self.h.element(class) {
            class = element;
        }
        self.h.load(class).program
    }

    /// The first thread, and the part of the JDK's start that fills `System.out` and the like.
    fn begin(&mut self) {
        let thread = self.h.class(b"java/lang/Thread");
        let main = self.any_of(thread);
        self.graph.insert(&self.filters, self.known.threads, main);
        let group = self.h.class(b"java/lang/ThreadGroup");
        let group = self.any_of(group);
        for called in jdk::machine::FIRST_THREAD {
            let member = member(called);
            for (n, o) in [(0, main), (1, group)] {
                if let Some(node) = self.parameter(&member, n) {
                    self.graph.insert(&self.filters, node, o);
                }
            }
        }
        for called in jdk::machine::START {
            self.enter(&member(called));
        }
    }

    fn enter(&mut self, member: &MemberName) -> bool {
        let Some(at) = self.find(member).and_then(|m| self.reach(m)) else { return false };
        if member.name == "main" && member.descriptor == "([Ljava/lang/String;)V" {
            let class = self.h.class(b"[Ljava/lang/String;");
            let o = self.any_of(class);
            let node = self.reached[at as usize].parameters;
            self.graph.insert(&self.filters, node, o);
        }
        true
    }

    /// The method of these names, declared in that class.
    pub fn find(&mut self, member: &MemberName) -> Option<MethodIndex> {
        let class = self.h.class(member.class.as_bytes());
        let sig = self.h.sig(member.name.as_bytes(), member.descriptor.as_bytes());
        self.h.declared(class, sig)
    }

    fn site_at(&self, at: u32, bci: u16) -> Option<u32> {
        let mut sites = self.reached[at as usize].sites.clone();
        sites.find(|&s| {
            let site = &self.sites[s as usize];
            site.caller == at && site.bci == bci
        })
    }

    /// The node of a parameter, 0 being the receiver if there is one; none for a primitive.
    fn parameter(&mut self, member: &MemberName, n: u8) -> Option<u32> {
        let method = self.find(member)?;
        let at = self.reach(method)?;
        let node = self.position(method, n)?;
        Some(self.reached[at as usize].parameters + node)
    }

    /// Where a parameter stands among the reference parameters.
    pub fn position(&self, method: MethodIndex, n: u8) -> Option<u32> {
        let m = self.h.method(method);
        let receiver = !m.is(classfile::access::STATIC) as usize;
        let n = n as usize;
        if n < receiver {
            return Some(0);
        }
        let parameters = &self.h.sigs.get(m.sig).parameters;
        parameters.get(n - receiver).filter(|t| t.is_reference())?;
        let before = parameters[..n - receiver].iter().filter(|t| t.is_reference()).count();
        Some((receiver + before) as u32)
    }
}

fn member((class, name, descriptor): (&str, &str, &str)) -> MemberName {
    MemberName { class: class.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
}
