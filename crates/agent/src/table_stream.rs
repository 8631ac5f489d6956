//! Writes the table stream (stream 0): classes, types, threads, notes. Rare records, so one lock suffices.

use std::sync::Mutex;
use std::sync::atomic::{Ordering, fence};

use pool::{CHUNK_SIZE, Chunk, Pool};

pub struct TableStream {
    state: Mutex<State>,
}

struct State {
    chunk: Option<Chunk>,
    used: usize,
    chunk_number: u32,
}

// SAFETY: the chunk's memory belongs to the pool, which lives as long as the process, and is written under the lock.
unsafe impl Send for State {}

impl TableStream {
    pub fn new() -> TableStream {
        TableStream { state: Mutex::new(State { chunk: None, used: 0, chunk_number: 0 }) }
    }

    /// Appends one or more whole records.
    pub fn append(&self, pool: &Pool, records: &[u8]) {
        let Ok(mut state) = self.state.lock() else { return };
        let mut rest = records;
        while !rest.is_empty() {
            if state.used == CHUNK_SIZE
                && let Some(full) = state.chunk.take()
            {
                pool.publish(full.index, CHUNK_SIZE, false);
            }
            let chunk = match state.chunk {
                Some(chunk) => chunk,
                None => {
                    let Ok(chunk) = pool.acquire(0, state.chunk_number) else { return };
                    state.chunk_number += 1;
                    state.used = 0;
                    state.chunk = Some(chunk);
                    chunk
                }
            };
            let n = rest.len().min(CHUNK_SIZE - state.used);
            // SAFETY: used + n stays within the chunk, which this stream owns. The first byte comes last, so that
            // whoever finds the chunk after a crash sees the piece whole or not at all.
            unsafe {
                let at = chunk.data.add(state.used);
                std::ptr::copy_nonoverlapping(rest.as_ptr().add(1), at.add(1), n - 1);
                fence(Ordering::Release);
                at.write_volatile(rest[0]);
            }
            state.used += n;
            rest = &rest[n..];
        }
        // A piece at the start of a chunk may go on with a record and begin with a zero: who looks on while we write
        // cannot see from the bytes whether it is whole.
        if let Some(chunk) = state.chunk {
            pool.note(chunk.index, state.used);
        }
    }
}
