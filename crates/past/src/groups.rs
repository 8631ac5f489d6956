//! The calls of each method, numbered by when they began.

use base::{CallId, Target};
use index::MethodGroup;

use crate::past::Past;

impl Past {
    /// All methods that were called: owner (with slashes), name, descriptor, how many calls.
    pub fn methods(&self) -> impl Iterator<Item = (MethodGroup, &str, &str, &str, u64)> + '_ {
        self.index.methods()
    }

    pub fn group_of(&self, target: Target) -> Option<MethodGroup> {
        self.index.group_of(self.recording.program(), target)
    }

    /// How many calls a method has.
    pub fn call_count(&self, group: MethodGroup) -> u64 {
        self.index.count(group)
    }

    /// How many calls of the method came before this one.
    pub fn rank(&self, group: MethodGroup, id: CallId) -> Option<u64> {
        self.index.rank(group, id)
    }

    /// The call of a method with this number, from 0.
    pub fn ranked(&self, group: MethodGroup, at: u64) -> Option<CallId> {
        self.index.ranked(group, at)
    }

    /// The calls of a method from this number on.
    pub fn ranked_from(&self, group: MethodGroup, at: u64) -> impl Iterator<Item = CallId> + '_ {
        self.index.ranked_from(group, at)
    }
}
