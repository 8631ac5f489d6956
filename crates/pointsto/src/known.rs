//! Classes and methods that the analysis knows by name, because the machine or the JDK treats them specially.

use jdk::names;

use crate::filters::{Filter, Filters};
use crate::graph::{Graph, GraphNode};
use crate::hierarchy::{ClassIndex, Hierarchy};
use crate::signature::SigId;

pub struct KnownClasses {
    pub string: ClassIndex,
    pub class: ClassIndex,
    pub throwable: ClassIndex,
    pub thread: ClassIndex,
    pub run: SigId,
    /// What libraries make many of that nobody tells apart.
    pub merged: [ClassIndex; 4],
    pub enums: Filter,
    /// Holds every enum constant: `values()` is called by reflection in the JDK.
    pub all_enums: GraphNode,
    /// Holds what the machine itself throws.
    pub machine_throws: GraphNode,
    /// Holds all threads that were started.
    pub threads: GraphNode,
}

impl KnownClasses {
    pub fn new(h: &mut Hierarchy<'_>, filters: &mut Filters, graph: &mut Graph) -> KnownClasses {
        let enumeration = h.class(names::ENUM.as_bytes());
        KnownClasses {
            string: h.class(names::STRING.as_bytes()),
            class: h.class(names::CLASS.as_bytes()),
            throwable: h.class(names::THROWABLE.as_bytes()),
            thread: h.class(b"java/lang/Thread"),
            run: h.sig(b"run", b"()V"),
            merged: jdk::machine::NOT_TOLD_APART.map(|name| h.class(name.as_bytes())),
            enums: filters.of(enumeration, h),
            all_enums: graph.add(1),
            machine_throws: graph.add(1),
            threads: graph.add(1),
        }
    }
}
