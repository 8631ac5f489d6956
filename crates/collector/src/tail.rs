//! The pool of a running JVM as a reader of its recording sees it: copies of the chunks that no file may have yet.
//! Looking on costs the program nothing and needs no lock; a chunk that changes hands meanwhile is looked at again.

use std::path::Path;

use pool::{CHUNK_SIZE, Glimpse, Pool, PoolView};
use trace::{StreamId, Tail, TailChunk, record};

use crate::live::read_pointer;

/// Full chunks that are copied at a time, at most: the collector writes the rest before long.
const MOST_FULL: usize = 256 * 1024 * 1024 / CHUNK_SIZE;
/// How often a chunk that changes hands is looked at again.
const ATTEMPTS: usize = 3;

/// Looks at the pool of the recording in a folder.
pub struct LiveTail {
    pool: PoolView,
}

impl LiveTail {
    /// None when the recording is finished, or has not begun.
    pub fn open(dir: &Path) -> Option<LiveTail> {
        let path = read_pointer(dir).ok()??;
        Some(LiveTail { pool: Pool::peek(&path).ok()? })
    }

    fn copy(&self, chunk: &Glimpse) -> Option<TailChunk> {
        let copied = (0..ATTEMPTS).find_map(|_| self.pool.copy(chunk))?;
        let length = match chunk.stream {
            _ if copied.full => copied.bytes.len(),
            0 => copied.noted,
            _ => record::live_len(&copied.bytes, copied.begun, copied.steady),
        };
        let mut bytes = copied.bytes;
        bytes.truncate(length);
        let (stream, chunk_number) = (StreamId(chunk.stream), chunk.chunk_number);
        // One that was only just taken may show a stream and number that are not its own; it is empty.
        let is_known = copied.full || !bytes.is_empty();
        is_known.then_some(TailChunk { stream, chunk_number, bytes, last: copied.last, full: copied.full })
    }
}

impl Tail for LiveTail {
    fn chunks(&mut self) -> Vec<TailChunk> {
        let mut found = self.pool.list();
        // The first of each stream are those that can be shown.
        found.sort_unstable_by_key(|chunk| (!chunk.full, chunk.chunk_number, chunk.stream));
        let full = found.partition_point(|chunk| chunk.full);
        let (full, owned) = found.split_at(full);
        full.iter().take(MOST_FULL).chain(owned).filter_map(|chunk| self.copy(chunk)).collect()
    }
}
