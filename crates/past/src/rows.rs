//! Calls as bare rows, for who goes through many of them: numbers and links, looked up one at a time. What a person
//! sees of a call, with names and values, is [`CallInfo`](crate::CallInfo).

use base::{Arguments, CallId, Position, StreamId, Value};
use index::CallRow;

use crate::past::Past;

impl Past {
    /// What the index has of a call, without a replay; `call` gives arguments and result as well.
    #[inline]
    pub fn call_row(&self, id: CallId) -> Option<CallRow> {
        self.stay_small_over(1);
        self.index.call(id)
    }

    pub fn arguments(&self, id: CallId) -> Option<Arguments> {
        self.stay_small_over(1);
        self.index.arguments(id)
    }

    /// An object under construction by the name that it got; other values as they are.
    pub fn resolved(&self, stream: StreamId, value: Value) -> Value {
        self.index.resolved(stream, value)
    }

    /// The call that a call was made in.
    pub fn parent(&self, id: CallId) -> Option<CallId> {
        let index = self.call_row(id)?.parent?;
        Some(CallId { stream: id.stream, index })
    }

    /// `count` calls that a call made itself, from number `from` on.
    pub fn children(&self, parent: CallId, from: u32, count: usize) -> Vec<CallId> {
        let children = self.index.children(parent, from, count);
        self.stay_small_over(children.len());
        children
    }

    /// `count` outermost calls of a thread, from number `from` on.
    pub fn roots(&self, stream: StreamId, from: u32, count: usize) -> Vec<CallId> {
        let roots = self.index.roots(stream, from, count);
        self.stay_small_over(roots.len());
        roots
    }

    /// How many calls a thread has.
    pub fn calls_in(&self, stream: StreamId) -> u32 {
        self.index.calls(stream)
    }

    /// Calls of a thread that have not ended, as far as is recorded, the outermost first.
    pub fn open_calls(&self, stream: StreamId) -> Vec<CallId> {
        self.index.open_calls(stream)
    }

    /// Is a call one of program code?
    #[inline]
    pub fn is_program_call(&self, id: CallId) -> bool {
        self.stay_small_over(1);
        self.index.is_program_call(id)
    }

    /// How many calls of a thread before the one with this number are of program code; the number may be one past the
    /// last.
    #[inline]
    pub fn program_calls_before(&self, stream: StreamId, index: u32) -> u32 {
        self.stay_small_over(1);
        self.index.program_calls_before(stream, index)
    }

    /// Calls in a call, itself included. Reads less than its row.
    #[inline]
    pub fn call_size(&self, id: CallId) -> u32 {
        self.stay_small_over(1);
        self.index.call_size(id)
    }

    /// The innermost call around an event.
    pub fn call_at(&self, position: Position) -> Option<CallId> {
        self.index.call_at(position)
    }

    /// The call of a thread that began last up to an event.
    pub fn last_begun(&self, position: Position) -> Option<CallId> {
        self.index.last_begun(position)
    }

    /// Does a call, which begins at this event, print something?
    pub fn prints(&self, at: Position) -> bool {
        self.index.prints(at)
    }
}
