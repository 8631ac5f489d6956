//! What a recording that grows has besides its files: the chunks in the pool. Reading a pool is the collector's
//! business; this is the shape in which it hands them over.

use crate::ids::StreamId;

/// Name of the file, in a recording's folder, that says where the pool is; there as long as the recording grows.
pub const POOL: &str = "pool";

/// Copies the chunks that are in the pool now.
pub trait Tail {
    fn chunks(&mut self) -> Vec<TailChunk>;
}

/// A chunk, or the part of it that its thread has written: whole records only (the table stream's may cross chunks).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TailChunk {
    pub stream: StreamId,
    pub chunk_number: u32,
    pub bytes: Vec<u8>,
    /// The stream ends with it.
    pub last: bool,
    /// Nothing more comes into it.
    pub full: bool,
}
