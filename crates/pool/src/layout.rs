//! The pool's layout in memory: header, one descriptor per chunk, then the chunks. All fields are atomics because
//! two processes look at them at once; `repr(C)` and the assertions below pin the offsets of `docs/format.md`.

use std::fmt;
use std::mem::offset_of;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Bytes of one chunk. Small enough that thousands of threads can own one, large enough that handing one over is
/// rare next to filling it.
pub const CHUNK_SIZE: usize = 16 * 1024;

pub(crate) const MAGIC: [u8; 8] = *b"INQPOOL1";
pub(crate) const DESCRIPTORS: usize = 4096;
pub(crate) const CHUNK_ALIGNMENT: usize = 64 * 1024;
/// Bit of [`Descriptor::length`]: the last chunk of its stream.
pub(crate) const LAST: u32 = 1 << 31;

pub(crate) const FREE: u32 = 0;
pub(crate) const OWNED: u32 = 1;
pub(crate) const FULL: u32 = 2;
/// In a file, and about to be free.
pub(crate) const CLEARED: u32 = 3;

#[repr(C)]
pub(crate) struct Header {
    pub magic: [u8; 8],
    pub chunk_size: AtomicU32,
    pub capacity: AtomicU32,
    pub reserved: AtomicU32,
    pub stop: AtomicU32,
    pub waited_ns: AtomicU64,
    pub debuggee: AtomicU32,
    pub collector: AtomicU32,
    pub heartbeat: AtomicU64,
    pub ordering_counter: AtomicU64,
    pub next_stream: AtomicU64,
    pub published: AtomicU64,
    _unused: [u64; 2],
    pub agent_state: AtomicU32,
    /// No free chunk is likely below this index. Advice only: it makes the search for the lowest free chunk short.
    pub hint: AtomicU32,
    /// Free chunks among the reserved ones that no thread has been promised yet; counted as a semaphore is, so that
    /// a thread which got one off it is sure to find a free chunk.
    pub free: AtomicU32,
    /// 1 while a thread reserves more memory.
    pub growing: AtomicU32,
    /// Chunks that the collector gave back so far; `published - released` are full or being compressed.
    pub released: AtomicU64,
    /// Chunks that the pool will really grow to: the capacity, or less once memory ran short.
    pub limit: AtomicU32,
    /// Methods that are recorded in less detail than asked for.
    pub degraded: AtomicU32,
}

#[repr(C)]
pub(crate) struct Descriptor {
    pub state: AtomicU32,
    pub stream: AtomicU32,
    pub chunk_number: AtomicU32,
    pub length: AtomicU32,
}

const _: () = {
    assert!(offset_of!(Header, stop) == 20);
    assert!(offset_of!(Header, waited_ns) == 24);
    assert!(offset_of!(Header, debuggee) == 32);
    assert!(offset_of!(Header, heartbeat) == 40);
    assert!(offset_of!(Header, ordering_counter) == 48);
    assert!(offset_of!(Header, next_stream) == 56);
    assert!(offset_of!(Header, published) == 64);
    assert!(offset_of!(Header, agent_state) == 88);
    assert!(offset_of!(Header, hint) == 92);
    assert!(offset_of!(Header, free) == 96);
    assert!(offset_of!(Header, growing) == 100);
    assert!(offset_of!(Header, released) == 104);
    assert!(offset_of!(Header, limit) == 112);
    assert!(offset_of!(Header, degraded) == 116);
    assert!(size_of::<Header>() <= DESCRIPTORS);
    assert!(size_of::<Descriptor>() == 16);
};

/// Where the first chunk lies in a pool of `capacity` chunks.
pub(crate) fn first_chunk(capacity: u32) -> usize {
    (DESCRIPTORS + capacity as usize * size_of::<Descriptor>()).next_multiple_of(CHUNK_ALIGNMENT)
}

/// Bytes of the whole file.
pub(crate) fn file_size(capacity: u32) -> usize {
    first_chunk(capacity) + capacity as usize * CHUNK_SIZE
}

/// Why nothing more is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum StopReason {
    DiskFull = 1,
    WriteError = 2,
    CollectorGone = 3,
    Asked = 4,
    Exhausted = 5,
}

impl StopReason {
    pub fn from_code(code: u32) -> Option<StopReason> {
        Some(match code {
            0 => return None,
            1 => StopReason::DiskFull,
            3 => StopReason::CollectorGone,
            4 => StopReason::Asked,
            5 => StopReason::Exhausted,
            // A code of a later version still means that recording ended; treat it as the least specific reason.
            _ => StopReason::WriteError,
        })
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::DiskFull => "the disk is full",
            StopReason::WriteError => "the recording could not be written",
            StopReason::CollectorGone => "the inquest process is gone",
            StopReason::Asked => "it was asked to",
            StopReason::Exhausted => "every chunk of the pool was in use",
        })
    }
}

/// How far the agent got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum AgentState {
    Starting = 0,
    Recording = 1,
    /// It could not record; a note in the table stream says why.
    Failed = 2,
    /// The JVM announced its end: what comes after is not the program's doing.
    Ended = 3,
}

impl AgentState {
    pub(crate) fn from_code(code: u32) -> AgentState {
        match code {
            0 => AgentState::Starting,
            1 => AgentState::Recording,
            3 => AgentState::Ended,
            _ => AgentState::Failed,
        }
    }
}
