//! What orders threads: calls by which one thread can wait for another, or learn what it did.

use crate::matching::{is_one_of, is_within};

/// Classes all of whose methods may, and packages.
pub const ORDERING: [&str; 1] = ["java/util/concurrent/"];
/// The classes; see `ORDERING`.
pub const ORDERING_CLASSES: [&str; 2] = ["java/lang/Thread", "java/util/Timer"];

/// Methods of these names may, whatever they are called on: a class of the program may extend `Thread`.
pub const ORDERING_METHODS: [&str; 5] = ["wait", "notify", "notifyAll", "join", "start"];

/// Does a call order threads?
pub fn orders(owner: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    let owner = owner.as_ref();
    is_within(owner, &ORDERING)
        || is_one_of(owner, &ORDERING_CLASSES)
        || is_one_of(name.as_ref(), &ORDERING_METHODS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_may_wait_order_threads() {
        for (owner, name, ordering) in [
            ("java/util/concurrent/locks/Lock", "lock", true),
            ("java/lang/Thread", "interrupt", true),
            ("demo/Worker", "join", true),
            ("java/util/Timer", "schedule", true),
            ("java/util/TimerTask", "cancel", false),
            ("java/lang/ThreadLocal", "get", false),
            ("java/util/ArrayList", "add", false),
        ] {
            assert_eq!(orders(owner, name), ordering, "{owner}.{name}");
        }
    }
}
