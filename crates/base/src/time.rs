//! When something happened: by its number in its own thread, or in the one order of all threads.

use crate::ids::StreamId;

/// A moment: the number of an event in the order of all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(pub u64);

/// An event: its thread's stream and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub stream: StreamId,
    pub ordinal: u64,
}
