//! Both sides of a pool in one process, each with its own mapping, as debuggee and collector have.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pool::{CHUNK_SIZE, Chunk, FullChunk, Pool, Refused, Setup, StopReason};

/// A pool whose file is gone when the test ends, and the collector's view of it.
struct Pair {
    writer: Pool,
    reader: Pool,
    _dir: tempfile::TempDir,
}

fn pair(capacity: u32) -> Pair {
    pair_with_collector(capacity, std::process::id())
}

fn pair_with_collector(capacity: u32, collector: u32) -> Pair {
    let dir = tempfile::tempdir().unwrap();
    let fallback = dir.path().join("pool.data");
    let setup = Setup { capacity, debuggee: std::process::id(), collector, fallback: &fallback };
    let writer = Pool::create(setup).unwrap();
    let reader = Pool::open(writer.path()).unwrap();
    Pair { writer, reader, _dir: dir }
}

impl Drop for Pair {
    fn drop(&mut self) {
        std::fs::remove_file(self.writer.path()).unwrap();
    }
}

fn fill(chunk: Chunk, bytes: &[u8]) {
    assert!(bytes.len() <= CHUNK_SIZE);
    // SAFETY: the chunk is ours until published, and the bytes fit.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), chunk.data, bytes.len()) };
}

fn content(pool: &Pool, chunk: &FullChunk) -> Vec<u8> {
    let mut bytes = Vec::new();
    pool.read(chunk, &mut bytes);
    bytes
}

#[test]
fn a_published_chunk_arrives_and_comes_back_zeroed() {
    let pair = pair(4);
    let chunk = pair.writer.acquire(7, 3).unwrap();
    fill(chunk, b"hello");
    let mut found = Vec::new();
    pair.reader.list_full(&mut found);
    assert!(found.is_empty(), "an owned chunk is not full");
    pair.writer.publish(chunk.index, 5, true);
    pair.reader.list_full(&mut found);
    assert_eq!(found, [FullChunk { stream: 7, chunk_number: 3, index: chunk.index, length: 5, last: true }]);
    assert_eq!(content(&pair.reader, &found[0]), b"hello");
    assert_eq!((pair.reader.full(), pair.reader.in_use()), (1, 1));
    pair.reader.release(chunk.index);
    assert_eq!((pair.reader.full(), pair.reader.in_use()), (0, 0));

    let again = pair.writer.acquire(8, 0).unwrap();
    assert_eq!(again.index, chunk.index, "the lowest free chunk comes first");
    found.clear();
    pair.reader.list_owned(&mut found);
    assert_eq!(found.len(), 1);
    assert!(content(&pair.reader, &found[0]).iter().all(|byte| *byte == 0));
}

#[test]
fn a_pool_grows_up_to_its_capacity_and_then_waits() {
    let pair = pair(3000);
    assert_eq!(pair.writer.reserved(), 1024);
    let chunks: Vec<Chunk> =
        (0..3000).map(|chunk_number| pair.writer.acquire(1, chunk_number).unwrap()).collect();
    assert_eq!(pair.writer.reserved(), 3000);
    assert!(pair.writer.try_acquire(1, 3000).is_none());
    for chunk in &chunks {
        fill(*chunk, &[1; CHUNK_SIZE]);
        pair.writer.publish(chunk.index, CHUNK_SIZE, false);
    }
    assert_eq!(pair.writer.waited_ns(), 0);
    let freed = chunks[2].index;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            pair.reader.release(freed);
        });
        assert_eq!(pair.writer.acquire(1, 3000).unwrap().index, freed);
    });
    assert!(pair.reader.waited_ns() >= 20_000_000, "waited {} ns", pair.reader.waited_ns());
}

#[test]
fn waiting_ends_when_every_chunk_is_owned() {
    let pair = pair(2);
    pair.writer.acquire(1, 0).unwrap();
    pair.writer.acquire(2, 0).unwrap();
    assert_eq!(pair.writer.acquire(3, 0).unwrap_err(), Refused::Exhausted);
}

#[test]
fn waiting_ends_when_the_collector_is_dead() {
    let mut sleep = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pair = pair_with_collector(1, sleep.id());
    let chunk = pair.writer.acquire(1, 0).unwrap();
    pair.writer.publish(chunk.index, 1, false);
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    let start = Instant::now();
    assert_eq!(pair.writer.acquire(1, 1).unwrap_err(), Refused::Stopped(StopReason::CollectorGone));
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!(pair.reader.stopped(), Some(StopReason::CollectorGone));
}

#[test]
fn a_pool_does_not_grow_for_a_dead_collector() {
    let mut sleep = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pair = pair_with_collector(4096, sleep.id());
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    let refused = (0..4096).find_map(|chunk_number| pair.writer.acquire(1, chunk_number).err());
    assert_eq!(refused, Some(Refused::Stopped(StopReason::CollectorGone)));
    assert_eq!(pair.writer.reserved(), 1024);
}

#[test]
fn the_first_stop_reason_stays() {
    let pair = pair(1);
    pair.reader.stop(StopReason::DiskFull);
    pair.reader.stop(StopReason::Asked);
    assert_eq!(pair.writer.acquire(1, 0).unwrap_err(), Refused::Stopped(StopReason::DiskFull));
}

#[test]
fn counters_lie_where_java_code_finds_them() {
    let pair = pair(1);
    // SAFETY: the address is an aligned u64 in the mapping.
    unsafe { pair.writer.seq_address().write(42) };
    let bytes = std::fs::read(pair.writer.path()).unwrap();
    assert_eq!(bytes[48..56], 42u64.to_le_bytes());
    assert_eq!((pair.writer.next_stream(), pair.writer.next_stream()), (1, 2));
}

#[test]
fn files_that_are_no_pool_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pool");
    let refuse = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        assert!(Pool::open(&path).is_err());
    };
    refuse(b"");
    refuse(&[0; 200_000]);
    let pair = pair(4);
    let good = std::fs::read(pair.writer.path()).unwrap();
    refuse(&good[..good.len() - 1]);
    for (offset, value) in [(0, 0), (8, 1), (12, 99), (12, 0)] {
        let mut bad = good.clone();
        bad[offset] = value;
        refuse(&bad);
    }
    assert!(Pool::open(Path::new("/nonexistent/pool")).is_err());
}

#[test]
fn many_threads_lose_and_duplicate_nothing() {
    const THREADS: u32 = 8;
    const CHUNKS: u32 = 2000;
    let pair = pair(24);
    let done = AtomicBool::new(false);
    let mut seen: HashMap<u32, Vec<u32>> = HashMap::new();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (1..=THREADS)
            .map(|stream| {
                let writer = &pair.writer;
                scope.spawn(move || {
                    for chunk_number in 0..CHUNKS {
                        let chunk = writer.acquire(stream, chunk_number).unwrap();
                        // SAFETY: the chunk is ours; a stale byte would betray a chunk given twice.
                        let fresh = unsafe { std::slice::from_raw_parts(chunk.data, CHUNK_SIZE) };
                        assert!(fresh.iter().all(|byte| *byte == 0));
                        fill(chunk, &[stream.to_le_bytes(), chunk_number.to_le_bytes()].concat());
                        writer.publish(chunk.index, 8, chunk_number + 1 == CHUNKS);
                    }
                })
            })
            .collect();
        let collector = scope.spawn(|| {
            let mut seen: HashMap<u32, Vec<u32>> = HashMap::new();
            let mut found = Vec::new();
            loop {
                let finishing = done.load(Ordering::Acquire);
                found.clear();
                pair.reader.list_full(&mut found);
                for chunk in &found {
                    let expected = [chunk.stream.to_le_bytes(), chunk.chunk_number.to_le_bytes()].concat();
                    assert_eq!(content(&pair.reader, chunk), expected);
                    seen.entry(chunk.stream).or_default().push(chunk.chunk_number);
                    pair.reader.release(chunk.index);
                }
                pair.reader.beat();
                if finishing {
                    return seen;
                }
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Release);
        seen = collector.join().unwrap();
    });
    assert_eq!(seen.len(), THREADS as usize);
    for seqs in seen.values_mut() {
        seqs.sort_unstable();
        assert!(seqs.iter().copied().eq(0..CHUNKS));
    }
    assert_eq!(pair.writer.in_use(), 0);
    assert_eq!(pair.writer.published(), u64::from(THREADS * CHUNKS));
}

#[test]
fn who_looks_on_sees_full_and_owned_chunks_and_no_others() {
    let pair = pair(8);
    let view = Pool::peek(pair.writer.path()).unwrap();
    assert_eq!(view.list(), []);
    let full = pair.writer.acquire(7, 3).unwrap();
    fill(full, b"hello");
    pair.writer.publish(full.index, 5, true);
    let owned = pair.writer.acquire(0, 1).unwrap();
    fill(owned, &[1, 2, 0, 4]);
    pair.writer.note(owned.index, 3);
    let list = view.list();
    assert_eq!(
        list.iter().map(|seen| (seen.stream, seen.chunk_number, seen.full)).collect::<Vec<_>>(),
        [(7, 3, true), (0, 1, false)]
    );
    let copied = view.copy(&list[0]).unwrap();
    assert_eq!((&copied.bytes[..], copied.full, copied.last), (&b"hello"[..], true, true));
    let copied = view.copy(&list[1]).unwrap();
    assert_eq!(
        (copied.bytes.len(), copied.noted, copied.begun, copied.steady),
        (CHUNK_SIZE, 3, 4, CHUNK_SIZE)
    );
    pair.reader.release(full.index);
    assert_eq!(view.copy(&list[0]), None, "it is free");
    pair.writer.acquire(7, 4).unwrap();
    assert_eq!(view.copy(&list[0]), None, "it is another one");
}

/// Writers, collector and onlooker at once: a copy is what its entry says, or there is none.
#[test]
fn who_looks_on_never_takes_a_cleared_or_another_chunk_for_the_one_it_saw() {
    const CHUNKS: u32 = 4000;
    let pair = pair(6);
    let done = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        for stream in 1..=3u32 {
            let writer = &pair.writer;
            scope.spawn(move || {
                for chunk_number in 0..CHUNKS {
                    let chunk = writer.acquire(stream, chunk_number).unwrap();
                    let word = (u64::from(stream) << 32 | u64::from(chunk_number) | 1 << 63).to_le_bytes();
                    fill(chunk, &word.repeat(CHUNK_SIZE / 8));
                    writer.publish(chunk.index, CHUNK_SIZE, false);
                }
            });
        }
        scope.spawn(|| {
            let mut left = 3 * CHUNKS;
            let mut found = Vec::new();
            while left > 0 {
                found.clear();
                pair.reader.list_full(&mut found);
                left -= found.len() as u32;
                found.iter().for_each(|chunk| pair.reader.release(chunk.index));
                pair.reader.beat();
            }
            done.store(true, Ordering::Release);
        });
        let view = Pool::peek(pair.writer.path()).unwrap();
        let mut seen = 0;
        while !done.load(Ordering::Acquire) {
            for chunk in view.list() {
                let Some(copied) = view.copy(&chunk) else { continue };
                let word =
                    (u64::from(chunk.stream) << 32 | u64::from(chunk.chunk_number) | 1 << 63).to_le_bytes();
                let written = if copied.full { CHUNK_SIZE } else { copied.begun / 8 * 8 };
                assert!(copied.bytes[..written].chunks(8).all(|bytes| bytes == word), "{chunk:?}");
                seen += u32::from(copied.full);
            }
        }
        seen
    });
    assert!(seen > 0, "nothing was looked at");
}
