//! The debuggee's side: creating a pool, getting chunks, handing them over. Called from the program's own threads,
//! so nothing here allocates after creation, panics, or waits without end.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::{Duration, Instant};

use crate::alive::Process;
use crate::backing_file;
use crate::error::{Error, Refused};
use crate::layout::{self, CHUNK_SIZE, FREE, FULL, LAST, OWNED, StopReason};
use crate::mapping::{Mapping, reserve};
use crate::pool::Pool;

const FIRST_STEP: u32 = (16 * 1024 * 1024 / CHUNK_SIZE) as u32;
const LARGEST_STEP: u32 = (64 * 1024 * 1024 / CHUNK_SIZE) as u32;
const SHORTEST_SLEEP: Duration = Duration::from_micros(50);
const LONGEST_SLEEP: Duration = Duration::from_millis(1);
const CHECK_COLLECTOR: Duration = Duration::from_millis(100);
/// How long a collector that cannot be looked up by pid may stay silent.
const SILENCE: Duration = Duration::from_secs(5);
/// How long all chunks must be owned, none full, before a thread gives up: an owner may be about to publish.
const EXHAUSTED_AFTER: Duration = Duration::from_millis(250);

/// What a new pool needs to know.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// Chunks it may grow to.
    pub capacity: u32,
    /// Pid of this process.
    pub debuggee: u32,
    /// Pid of the process that empties the pool.
    pub collector: u32,
    /// The file to use where shared memory has no room, e.g. `pool.data` in the recording's folder.
    pub fallback: &'a Path,
}

/// A chunk that the calling thread owns until it publishes it: [`CHUNK_SIZE`] bytes at `data`, all zero.
#[derive(Debug, Clone, Copy)]
pub struct Chunk {
    pub index: u32,
    pub data: *mut u8,
}

impl Pool {
    /// Creates a pool in shared memory, or at the fallback. Keep it for the life of the process: threads write to
    /// chunks by address, so dropping the pool while one runs would pull the memory from under it.
    pub fn create(setup: Setup<'_>) -> Result<Pool, Error> {
        Pool::create_in(Path::new(backing_file::SHARED_MEMORY), setup)
    }

    pub(crate) fn create_in(shared: &Path, setup: Setup<'_>) -> Result<Pool, Error> {
        let capacity = setup.capacity.max(1);
        let size = layout::file_size(capacity);
        let first = FIRST_STEP.min(capacity);
        let (file, path) = backing_file::create(shared, setup.fallback, setup.debuggee, |file| {
            file.set_len(size as u64)?;
            reserve(file, 0, layout::first_chunk(capacity) + first as usize * CHUNK_SIZE)
        })?;
        let map = || -> io::Result<Mapping> {
            let mapping = Mapping::new(&file, size)?;
            mapping.populate(layout::first_chunk(capacity), first as usize * CHUNK_SIZE);
            Ok(mapping)
        };
        let mapping = map().map_err(|source| {
            let _ = std::fs::remove_file(&path);
            Error::Io { doing: "map", path: path.clone(), source }
        })?;
        let pool = Pool::new(mapping, file, path, capacity, Process::find(setup.collector));
        let header = pool.header();
        header.chunk_size.store(CHUNK_SIZE as u32, Relaxed);
        header.capacity.store(capacity, Relaxed);
        header.limit.store(capacity, Relaxed);
        header.reserved.store(first, Relaxed);
        header.free.store(first, Relaxed);
        header.debuggee.store(setup.debuggee, Relaxed);
        header.collector.store(setup.collector, Relaxed);
        header.next_stream.store(1, Relaxed);
        // The magic comes last: a file that has it has the rest.
        if let Err(source) = pool.file.write_all_at(&layout::MAGIC, 0) {
            let _ = std::fs::remove_file(&pool.path);
            return Err(Error::Io { doing: "write", path: pool.path.clone(), source });
        }
        Ok(pool)
    }

    /// A chunk for the calling thread. Waits while the pool is full and the collector can still empty it; the time
    /// is added to `waited_ns`.
    pub fn acquire(&self, stream: u32, chunk_number: u32) -> Result<Chunk, Refused> {
        if let Some(reason) = self.stopped() {
            return Err(Refused::Stopped(reason));
        }
        match self.try_acquire(stream, chunk_number) {
            Some(chunk) => Ok(chunk),
            None => self.wait_for_chunk(stream, chunk_number),
        }
    }

    /// A chunk if there is one at once, perhaps by reserving more memory.
    pub fn try_acquire(&self, stream: u32, chunk_number: u32) -> Option<Chunk> {
        if self.take_promise() || (self.grow() && self.take_promise()) {
            return self.claim(stream, chunk_number);
        }
        None
    }

    /// Notes how many bytes of an owned chunk are valid, for who looks at it (see `peek`).
    pub fn note(&self, index: u32, length: usize) {
        if let Some(descriptor) = self.descriptor(index) {
            descriptor.length.store(length.min(CHUNK_SIZE) as u32, Release);
        }
    }

    /// Hands an owned chunk over to the collector. `length` counts its valid bytes; `last` says that its stream ends.
    pub fn publish(&self, index: u32, length: usize, last: bool) {
        let Some(descriptor) = self.descriptor(index) else { return };
        if descriptor.state.load(Relaxed) != OWNED {
            return;
        }
        let length = length.min(CHUNK_SIZE) as u32;
        descriptor.length.store(if last { length | LAST } else { length }, Relaxed);
        descriptor.state.store(FULL, Release);
        self.header().published.fetch_add(1, Release);
    }

    /// A stream number that nobody had before; the first is 1.
    pub fn next_stream(&self) -> u32 {
        self.header().next_stream.fetch_add(1, Relaxed) as u32
    }

    /// Where the counter of ordering points lies: Java code adds to it through Unsafe.
    pub fn seq_address(&self) -> *mut u64 {
        self.header().ordering_counter.as_ptr()
    }

    /// The number of the last ordering point so far.
    pub fn ordering(&self) -> u64 {
        self.header().ordering_counter.load(Relaxed)
    }

    /// Where the stop reason lies (u32, 0 = record).
    pub fn stop_address(&self) -> *mut u32 {
        self.header().stop.as_ptr()
    }

    /// Where the next stream number lies (u64), for code that cannot call [`Pool::next_stream`].
    pub fn next_stream_address(&self) -> *mut u64 {
        self.header().next_stream.as_ptr()
    }

    /// Takes one off the count of free chunks.
    fn take_promise(&self) -> bool {
        self.header().free.fetch_update(AcqRel, Acquire, |free| free.checked_sub(1)).is_ok()
    }

    /// Finds the free chunk that was promised: the lowest, because its memory is the most likely to be in a cache.
    fn claim(&self, stream: u32, chunk_number: u32) -> Option<Chunk> {
        let hint = &self.header().hint;
        // A promise is always kept, though perhaps by a chunk freed behind the search; the bound on the rounds only
        // guards the program against a damaged pool.
        for _ in 0..1000 {
            let reserved = self.reserved();
            let start = hint.load(Relaxed);
            for index in (start..reserved).chain(0..start.min(reserved)) {
                if self.claim_this(index, stream, chunk_number) {
                    // Fails when the collector freed a lower one meanwhile; then its hint is the better one.
                    let _ = hint.compare_exchange(start, index + 1, Relaxed, Relaxed);
                    return Some(Chunk { index, data: self.chunk(index) });
                }
            }
            std::thread::yield_now();
        }
        None
    }

    fn claim_this(&self, index: u32, stream: u32, chunk_number: u32) -> bool {
        let Some(descriptor) = self.descriptor(index) else { return false };
        if descriptor.state.load(Relaxed) != FREE
            || descriptor.state.compare_exchange(FREE, OWNED, AcqRel, Relaxed).is_err()
        {
            return false;
        }
        descriptor.stream.store(stream, Relaxed);
        descriptor.chunk_number.store(chunk_number, Relaxed);
        descriptor.length.store(0, Release);
        true
    }

    /// Reserves the next step of memory. False when at the limit, when another thread is at it, or when the
    /// collector is gone: nobody would ever empty what we add.
    fn grow(&self) -> bool {
        let header = self.header();
        if self.reserved() >= header.limit.load(Relaxed)
            || header.growing.compare_exchange(0, 1, AcqRel, Relaxed).is_err()
        {
            return false;
        }
        let grown = self.grow_alone(&header.limit);
        header.growing.store(0, Release);
        grown
    }

    fn grow_alone(&self, limit: &AtomicU32) -> bool {
        let reserved = self.reserved();
        let step = reserved.saturating_mul(2).clamp(1, LARGEST_STEP).min(self.capacity - reserved);
        if step == 0 || reserved >= limit.load(Relaxed) {
            return false;
        }
        if self.collector.is_some_and(|process| !process.is_alive()) {
            self.stop(StopReason::CollectorGone);
            return false;
        }
        let (offset, len) = (self.first_chunk + reserved as usize * CHUNK_SIZE, step as usize * CHUNK_SIZE);
        if reserve(&self.file, offset, len).is_err() {
            limit.store(reserved, Relaxed);
            return false;
        }
        self.mapping.populate(offset, len);
        self.header().reserved.store(reserved + step, Release);
        self.header().free.fetch_add(step, Release);
        true
    }

    fn wait_for_chunk(&self, stream: u32, chunk_number: u32) -> Result<Chunk, Refused> {
        let header = self.header();
        let start = Instant::now();
        let mut watch = CollectorWatch::new(start, &header.heartbeat);
        let mut owned_since = None;
        let mut sleep = SHORTEST_SLEEP;
        let mut counted = start;
        loop {
            std::thread::sleep(sleep);
            sleep = (sleep * 2).min(LONGEST_SLEEP);
            let now = Instant::now();
            header.waited_ns.fetch_add((now - counted).as_nanos() as u64, Relaxed);
            counted = now;
            if let Some(chunk) = self.try_acquire(stream, chunk_number) {
                return Ok(chunk);
            }
            if watch.is_gone(now, &header.heartbeat, self.collector) {
                self.stop(StopReason::CollectorGone);
            }
            if let Some(reason) = self.stopped() {
                return Err(Refused::Stopped(reason));
            }
            if self.full() == 0 && self.reserved() >= header.limit.load(Relaxed) {
                if now - *owned_since.get_or_insert(now) > EXHAUSTED_AFTER {
                    return Err(Refused::Exhausted);
                }
            } else {
                owned_since = None;
            }
        }
    }
}

/// What a waiting thread knows about the collector.
struct CollectorWatch {
    checked: Instant,
    heartbeat: u64,
    changed: Instant,
}

impl CollectorWatch {
    fn new(now: Instant, heartbeat: &AtomicU64) -> CollectorWatch {
        CollectorWatch { checked: now, heartbeat: heartbeat.load(Relaxed), changed: now }
    }

    fn is_gone(&mut self, now: Instant, heartbeat: &AtomicU64, collector: Option<Process>) -> bool {
        if now - self.checked < CHECK_COLLECTOR {
            return false;
        }
        self.checked = now;
        let heartbeat = heartbeat.load(Relaxed);
        if heartbeat != self.heartbeat {
            self.heartbeat = heartbeat;
            self.changed = now;
            return false;
        }
        match collector {
            // Silent but there: suspended together with the program, or starved of the processor.
            Some(process) => !process.is_alive(),
            None => now - self.changed > SILENCE,
        }
    }
}
