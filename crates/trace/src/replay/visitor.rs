//! Who a replay tells what happens. A trait and no closure, so that one that also wants the reads of fields and
//! elements pays for them, and all others do not.

use crate::event::{Event, EventKind, FieldRef, Jump, Site};
use crate::value::Value;

/// What a visitor wants after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Then {
    On,
    /// Nothing more; the replay cannot be continued.
    Stop,
    /// At an `Enter`: the call's own events up to its end are left out. Elsewhere the same as `On`.
    Skip(Jump),
}

pub trait Visitor {
    /// Is `read` to be called? Decided when the replay is compiled.
    const READS: bool = false;
    /// Are the events wanted that only say how code went on: locals, branches and switches? Otherwise `flow` is told.
    const FLOW: bool = true;

    fn event(&mut self, event: &Event<'_>) -> Then;

    /// An event of those that are not wanted, of replayed code. It counts like all others.
    fn flow(&mut self, _kind: &EventKind<'_>) {}

    /// Replayed code has read a field or an element. That is no event and has no ordinal.
    fn read(&mut self, _read: &Read<'_>) {}
}

/// A value that replayed code got from the heap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Read<'a> {
    pub site: Site,
    /// As in [`Event`].
    pub depth: u32,
    pub kind: ReadKind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReadKind<'a> {
    Field { object: Value, field: &'a FieldRef, value: Value },
    Static { field: &'a FieldRef, value: Value },
    Element { array: Value, index: i32, value: Value },
}
