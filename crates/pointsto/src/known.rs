//! Classes and methods that the analysis knows by name, because the machine or the JDK treats them specially.

use crate::filters::{Filter, Filters};
use crate::graph::{Graph, Node};
use crate::hierarchy::{ClassId, Hierarchy};
use crate::signature::SigId;

pub struct Known {
    pub string: ClassId,
    pub class: ClassId,
    pub throwable: ClassId,
    pub thread: ClassId,
    pub run: SigId,
    /// What libraries make many of that nobody tells apart.
    pub merged: [ClassId; 4],
    pub enums: Filter,
    /// Holds every enum constant: `values()` is called by reflection in the JDK.
    pub all_enums: Node,
    /// Holds what the machine itself throws.
    pub machine_throws: Node,
    /// Holds all threads that were started.
    pub threads: Node,
}

impl Known {
    pub fn new(h: &mut Hierarchy<'_>, filters: &mut Filters, graph: &mut Graph) -> Known {
        let enumeration = h.class(b"java/lang/Enum");
        Known {
            string: h.class(b"java/lang/String"),
            class: h.class(b"java/lang/Class"),
            throwable: h.class(b"java/lang/Throwable"),
            thread: h.class(b"java/lang/Thread"),
            run: h.sig(b"run", b"()V"),
            merged: [
                h.class(b"java/lang/String"),
                h.class(b"java/lang/StringBuilder"),
                h.class(b"java/lang/StringBuffer"),
                h.class(b"java/lang/Throwable"),
            ],
            enums: filters.of(enumeration, h),
            all_enums: graph.add(1),
            machine_throws: graph.add(1),
            threads: graph.add(1),
        }
    }
}

/// What the machine throws by itself.
pub const MACHINE_THROWS: [&str; 14] = [
    "java/lang/NullPointerException",
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/ArrayStoreException",
    "java/lang/ClassCastException",
    "java/lang/NegativeArraySizeException",
    "java/lang/IllegalMonitorStateException",
    "java/lang/OutOfMemoryError",
    "java/lang/StackOverflowError",
    "java/lang/ExceptionInInitializerError",
    "java/lang/NoClassDefFoundError",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/UnsatisfiedLinkError",
    "java/lang/InternalError",
];
