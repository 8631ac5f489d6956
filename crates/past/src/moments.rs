//! Where events are: by their number in a thread, and in the one order of all threads.

use std::ops::RangeInclusive;

use base::{Position, StreamId, Time};

use crate::past::Past;

impl Past {
    /// How many events there are. Times are below.
    pub fn event_count(&self) -> u64 {
        self.index.events()
    }

    /// How many events a thread has; none if there is no such thread.
    pub fn events_in(&self, stream: StreamId) -> Option<u64> {
        self.index.streams().find(|&(other, _)| other == stream).map(|(_, events)| events)
    }

    #[inline]
    pub fn time(&self, position: Position) -> Option<Time> {
        self.index.time(position)
    }

    #[inline]
    pub fn position(&self, time: Time) -> Option<Position> {
        self.index.position(time)
    }

    /// How many events of a thread have happened at a time, its own included.
    pub fn events_by(&self, stream: StreamId, time: Time) -> u64 {
        self.index.happened(stream, time)
    }

    /// Is something not known that happened among these events of a thread?
    pub fn has_gap(&self, stream: StreamId, ordinals: RangeInclusive<u64>) -> bool {
        let inside = |at: Position| at.stream == stream && ordinals.contains(&at.ordinal);
        self.index.gaps().any(|gap| inside(gap.position))
    }
}
