//! The collector's side: opening a pool that another process made, taking what is full, and, once its writer is
//! dead, what was still in its hands. Nothing the file says is trusted: every index and length is checked.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::fence;

use crate::error::Error;
use crate::layout::{self, CHUNK_SIZE, CLEARED, FREE, FULL, Header, LAST, MAGIC, OWNED};
use crate::mapping::Mapping;
use crate::pool::Pool;

/// A chunk that the collector may read and must release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FullChunk {
    // Sorted by stream, then by number within it: the order in which frames are made.
    pub stream: u32,
    pub chunk_number: u32,
    pub index: u32,
    /// Valid bytes; for a chunk taken from a dead owner, all of them, because nobody noted how many are valid.
    pub length: usize,
    pub last: bool,
}

impl Pool {
    /// Opens a pool that another process created.
    pub fn open(path: &Path) -> Result<Pool, Error> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.map_err(|source| Error::Io { doing: "open", path: path.to_path_buf(), source })?;
        Pool::open_file(file, path, true)
    }

    pub(crate) fn open_file(file: File, path: &Path, writable: bool) -> Result<Pool, Error> {
        let io = |doing| move |source| Error::Io { doing, path: path.to_path_buf(), source };
        let format = |problem| Error::Format { path: path.to_path_buf(), problem };
        let size = file.metadata().map_err(io("open"))?.len() as usize;
        if size < layout::first_chunk(1) + CHUNK_SIZE {
            return Err(format("it is too short"));
        }
        let mapping = if writable { Mapping::new(&file, size) } else { Mapping::read_only(&file, size) };
        let mapping = mapping.map_err(io("map"))?;
        // SAFETY: the mapping is long enough for a header, aligned to a page, and outlives this reference; what
        // changes is atomic.
        let header = unsafe { &*mapping.at(0).cast::<Header>() };
        if header.magic != MAGIC {
            return Err(format("it does not begin with INQPOOL1"));
        }
        let capacity = header.capacity.load(Relaxed);
        if header.chunk_size.load(Relaxed) as usize != CHUNK_SIZE {
            return Err(format("its chunks have another size"));
        }
        if capacity == 0 || layout::file_size(capacity) != size {
            return Err(format("its size does not fit its number of chunks"));
        }
        Ok(Pool::new(mapping, file, path.to_path_buf(), capacity, None))
    }

    /// Adds every full chunk to `found`, in order of stream and number. A chunk stays full until released, so a second call finds it again.
    pub fn list_full(&self, found: &mut Vec<FullChunk>) {
        self.list(FULL, found);
        found.sort_unstable();
    }

    /// Adds every chunk that a thread still owned. Only once the debuggee is dead: their owners write to them.
    pub fn list_owned(&self, found: &mut Vec<FullChunk>) {
        self.list(OWNED, found);
        found.sort_unstable();
    }

    /// Appends the chunk's valid bytes to `bytes`.
    pub fn read(&self, chunk: &FullChunk, bytes: &mut Vec<u8>) {
        if chunk.index >= self.reserved() {
            return;
        }
        let length = chunk.length.min(CHUNK_SIZE);
        bytes.reserve(length);
        // SAFETY: the chunk lies within the mapping and has memory (index < reserved); its bytes belong to us while
        // its state is full, or owned by a dead process; the target was reserved above and is ours alone.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.chunk(chunk.index),
                bytes.as_mut_ptr().add(bytes.len()),
                length,
            );
            bytes.set_len(bytes.len() + length);
        }
    }

    /// Gives a chunk back, all zeros. Does nothing for one that is already free.
    pub fn release(&self, index: u32) {
        let Some(descriptor) = self.descriptor(index).filter(|_| index < self.reserved()) else { return };
        if descriptor.state.load(Acquire) == FREE {
            return;
        }
        // Who copies the chunk meanwhile (see `peek`) must not take zeros for its content.
        descriptor.state.store(CLEARED, Relaxed);
        fence(Release);
        // SAFETY: within the mapping, with memory, and ours (see `read`) until the state says free.
        unsafe { std::ptr::write_bytes(self.chunk(index), 0, CHUNK_SIZE) };
        descriptor.stream.store(0, Relaxed);
        descriptor.chunk_number.store(0, Relaxed);
        descriptor.length.store(0, Relaxed);
        descriptor.state.store(FREE, Release);
        let header = self.header();
        header.hint.fetch_min(index, Relaxed);
        header.released.fetch_add(1, Release);
        header.free.fetch_add(1, AcqRel);
    }

    /// Tells the debuggee that somebody still empties the pool. To be called at least every 100 ms.
    pub fn beat(&self) {
        self.header().heartbeat.fetch_add(1, Relaxed);
    }

    fn list(&self, state: u32, found: &mut Vec<FullChunk>) {
        for index in 0..self.reserved() {
            let Some(descriptor) = self.descriptor(index) else { break };
            if descriptor.state.load(Acquire) != state {
                continue;
            }
            let length = descriptor.length.load(Relaxed);
            found.push(FullChunk {
                stream: descriptor.stream.load(Relaxed),
                chunk_number: descriptor.chunk_number.load(Relaxed),
                index,
                length: if state == FULL { ((length & !LAST) as usize).min(CHUNK_SIZE) } else { CHUNK_SIZE },
                last: state == FULL && length & LAST != 0,
            });
        }
    }
}
