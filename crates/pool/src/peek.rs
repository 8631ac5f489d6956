//! A third side: somebody who only looks, while the program runs and the collector empties. It cannot take a chunk,
//! so it copies one and then asks whether it was the same chunk all the time. Nothing here writes to the pool.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicU64, fence};

use crate::error::Error;
use crate::layout::{CHUNK_SIZE, FULL, LAST, OWNED};
use crate::pool::Pool;

/// A pool, to be looked at.
pub struct PoolView(Pool);

/// A chunk as its entry describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glimpse {
    pub stream: u32,
    pub chunk_number: u32,
    pub index: u32,
    /// Handed over: its thread writes no more to it.
    pub full: bool,
}

/// A copy of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Valid bytes of a full chunk; all bytes of one that its thread still owns.
    pub bytes: Vec<u8>,
    pub full: bool,
    pub last: bool,
    /// How many bytes the owner says are valid; only the table stream's writer says it.
    pub noted: usize,
    /// An owned chunk is copied twice, and `bytes` is the second copy. The first held nothing but zeros from here on:
    /// so all that its thread wrote before it began what stands here is whole in the second.
    pub begun: usize,
    /// Up to here the two copies are the same.
    pub steady: usize,
}

impl Pool {
    /// Opens a pool of a running program to look at it.
    pub fn peek(path: &Path) -> Result<PoolView, Error> {
        let io = |source| Error::Io { doing: "open", path: path.to_path_buf(), source };
        let file = File::open(path).map_err(io)?;
        Pool::open_file(file, path, false).map(PoolView)
    }
}

impl PoolView {
    /// All chunks that are full or owned. One that is being taken may be shown with a stream and number it does not
    /// have; then it is empty.
    pub fn list(&self) -> Vec<Glimpse> {
        (0..self.0.reserved()).filter_map(|index| self.glimpse(index)).collect()
    }

    /// Copies a chunk; none if it is not the same one any more.
    pub fn copy(&self, chunk: &Glimpse) -> Option<Copied> {
        let before = self.glimpse(chunk.index)?;
        if (before.stream, before.chunk_number) != (chunk.stream, chunk.chunk_number) {
            return None;
        }
        let note = self.0.descriptor(chunk.index)?.length.load(Acquire);
        let length = ((note & !LAST) as usize).min(CHUNK_SIZE);
        let mut bytes = Vec::with_capacity(CHUNK_SIZE);
        self.copy_bytes(chunk.index, &mut bytes);
        let (mut begun, mut steady) = (length, length);
        if before.full {
            bytes.truncate(length);
        } else {
            let mut first = Vec::with_capacity(CHUNK_SIZE);
            std::mem::swap(&mut first, &mut bytes);
            // The second copy must not be made of loads from before the first one's.
            fence(Acquire);
            self.copy_bytes(chunk.index, &mut bytes);
            begun = first.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            steady = first.iter().zip(&bytes).take_while(|(one, two)| one == two).count();
        }
        // Whoever clears the chunk changes its state before (see `release`): if a cleared byte was copied, this sees
        // the other state.
        fence(Acquire);
        let after = self.glimpse(chunk.index)?;
        if (after.stream, after.chunk_number) != (chunk.stream, chunk.chunk_number)
            || (before.full && !after.full)
        {
            return None;
        }
        Some(Copied {
            bytes,
            full: before.full,
            last: before.full && note & LAST != 0,
            noted: length,
            begun,
            steady,
        })
    }

    fn glimpse(&self, index: u32) -> Option<Glimpse> {
        let descriptor = self.0.descriptor(index).filter(|_| index < self.0.reserved())?;
        let state = descriptor.state.load(Acquire);
        (state == OWNED || state == FULL).then(|| Glimpse {
            stream: descriptor.stream.load(Relaxed),
            chunk_number: descriptor.chunk_number.load(Relaxed),
            index,
            full: state == FULL,
        })
    }

    /// Appends the chunk's bytes word by word: its owner may write at the same time.
    fn copy_bytes(&self, index: u32, bytes: &mut Vec<u8>) {
        let base = self.0.chunk(index).cast::<AtomicU64>();
        for at in 0..CHUNK_SIZE / 8 {
            // SAFETY: the chunk lies within the mapping and has memory (index < reserved, asked by `glimpse`), is
            // aligned to its size, and is read as atomics.
            let word = unsafe { &*base.add(at) };
            bytes.extend_from_slice(&word.load(Relaxed).to_ne_bytes());
        }
    }
}
