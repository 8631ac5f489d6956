//! The pool itself: what both sides share. The rule that makes it sound: a chunk's bytes belong to whoever its
//! state says, `owned` to one thread of the debuggee, `full` to the collector, `free` to nobody; states change
//! only by atomic operations.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::alive::Process;
use crate::layout::{self, AgentState, CHUNK_SIZE, Descriptor, Header, StopReason};
use crate::mapping::Mapping;

pub struct Pool {
    pub(crate) mapping: Mapping,
    pub(crate) file: File,
    pub(crate) path: PathBuf,
    pub(crate) capacity: u32,
    pub(crate) first_chunk: usize,
    /// The collector as it was when the debuggee created the pool: a later process with the same pid is not it.
    pub(crate) collector: Option<Process>,
}

impl Pool {
    pub(crate) fn new(
        mapping: Mapping,
        file: File,
        path: PathBuf,
        capacity: u32,
        collector: Option<Process>,
    ) -> Pool {
        Pool { mapping, file, path, capacity, first_chunk: layout::first_chunk(capacity), collector }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Chunks that the pool may have at most.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Chunks that have memory so far.
    pub fn reserved(&self) -> u32 {
        // Whatever the file says: an index below this must lie within the mapping.
        self.header().reserved.load(Acquire).min(self.capacity)
    }

    /// Chunks that the pool will grow to: its capacity, or less once memory ran short.
    pub fn limit(&self) -> u32 {
        self.header().limit.load(Relaxed).min(self.capacity)
    }

    /// Chunks that hold data or are in use by a thread.
    pub fn in_use(&self) -> u32 {
        self.reserved().saturating_sub(self.header().free.load(Relaxed))
    }

    /// Chunks waiting for the collector, or in its hands.
    pub fn full(&self) -> u64 {
        let released = self.header().released.load(Acquire);
        self.header().published.load(Acquire).saturating_sub(released)
    }

    /// Chunks handed over so far.
    pub fn published(&self) -> u64 {
        self.header().published.load(Relaxed)
    }

    /// Why recording was stopped, if it was.
    pub fn stopped(&self) -> Option<StopReason> {
        StopReason::from_code(self.header().stop.load(Acquire))
    }

    /// Stops recording. The first reason given is the one that stays.
    pub fn stop(&self, reason: StopReason) {
        let _ = self.header().stop.compare_exchange(0, reason as u32, Release, Relaxed);
    }

    pub fn waited_ns(&self) -> u64 {
        self.header().waited_ns.load(Relaxed)
    }

    pub fn debuggee(&self) -> u32 {
        self.header().debuggee.load(Relaxed)
    }

    pub fn agent_state(&self) -> AgentState {
        AgentState::from_code(self.header().agent_state.load(Acquire))
    }

    pub fn set_agent_state(&self, state: AgentState) {
        self.header().agent_state.store(state as u32, Release);
    }

    /// Methods that are recorded in less detail than asked for.
    pub fn degraded(&self) -> &AtomicU32 {
        &self.header().degraded
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the mapping is at least one header long (checked when opened), page-aligned, lives as long as
        // self, and everything in it that changes is atomic.
        unsafe { &*self.mapping.at(0).cast::<Header>() }
    }

    pub(crate) fn descriptor(&self, index: u32) -> Option<&Descriptor> {
        if index >= self.capacity {
            return None;
        }
        let offset = layout::DESCRIPTORS + index as usize * size_of::<Descriptor>();
        // SAFETY: descriptors of all chunks below capacity lie within the mapping, aligned, and are all atomics.
        Some(unsafe { &*self.mapping.at(offset).cast::<Descriptor>() })
    }

    /// Address of a chunk below capacity. Touching one at or above `reserved` may fault.
    pub fn chunk(&self, index: u32) -> *mut u8 {
        debug_assert!(index < self.capacity);
        self.mapping.at(self.first_chunk + index as usize * CHUNK_SIZE)
    }
}
