//! What a dead JVM left in its pool: full chunks that nobody wrote yet, and those that its threads still owned.
//! It is written into new files beside the recording's and moved in when whole, so that this can be cut short and
//! done again; and in parallel, because now both the processors and the user have nothing else to do.

use std::fs;
use std::io;
use std::path::Path;

use pool::{FullChunk, Pool};
use trace::FrameWriter;

use crate::plan::{self, Eagerness, PlannedFrame, Written};
use crate::table_cut::TableCut;

/// Below this many bytes a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 4 * 1024 * 1024;

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    pub chunks: u64,
    /// Frames that start later than their stream's last one ended.
    pub holes: u64,
    /// Threads that the recording has something of, now and before.
    pub threads: usize,
    pub failure: Option<io::Error>,
}

/// Writes all that the pool holds and `written` does not. Leaves the pool as it is: whoever repeats this needs it.
/// A little goes to the file that is open already, if one is.
pub(crate) fn write_rest(
    dir: &Path,
    pool: &Pool,
    written: &Written,
    mut table: TableCut,
    open: Option<FrameWriter>,
) -> Rest {
    let mut chunks = Vec::new();
    pool.list_full(&mut chunks);
    let handed_over = chunks.len();
    pool.list_owned(&mut chunks);
    let (full, owned) = chunks.split_at_mut(handed_over);
    cut_owned(pool, full, owned, written, &mut table);
    chunks.retain(|chunk| chunk.length > 0 || chunk.last);
    chunks.sort_unstable();
    chunks.dedup_by_key(|chunk| (chunk.stream, chunk.chunk_number));
    let (frames, _) = plan::plan(&chunks, written, Eagerness::Everything);

    let mut reached = written.clone();
    let mut rest = Rest::default();
    for frame in &frames {
        rest.chunks += frame.chunks.len() as u64;
        rest.holes += u64::from(frame.first_chunk() != reached.next(frame.stream()));
        reached.advance(frame.stream(), frame.next());
    }
    rest.threads = reached.threads();
    rest.failure = write_frames(dir, pool, &frames, open).err();
    rest
}

/// Sets the valid length of chunks whose owners died before saying it.
fn cut_owned(
    pool: &Pool,
    full: &[FullChunk],
    owned: &mut [FullChunk],
    written: &Written,
    table: &mut TableCut,
) {
    let mut bytes = Vec::new();
    // The table stream's full chunks come before its owned one; both lists are in order.
    for chunk in full.iter().filter(|chunk| chunk.stream == 0 && chunk.chunk_number >= written.next(0)) {
        bytes.clear();
        pool.read(chunk, &mut bytes);
        table.follow(&bytes);
    }
    for chunk in owned {
        bytes.clear();
        pool.read(chunk, &mut bytes);
        chunk.length = match chunk.stream {
            0 => table.follow(&bytes),
            _ => trace::record::valid_len(&bytes),
        };
    }
}

fn write_frames(
    dir: &Path,
    pool: &Pool,
    frames: &[PlannedFrame],
    open: Option<FrameWriter>,
) -> io::Result<()> {
    let bytes: usize = frames.iter().map(frame_bytes).sum();
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let parts = (bytes / WORTH_A_THREAD).clamp(1, processors.min(4));
    if let (1, Some(mut writer)) = (parts, open) {
        // Whatever the machine did meanwhile: now there is time.
        writer.compresses = true;
        return write_all(&mut writer, pool, frames);
    }
    let places: Vec<_> = (0..parts).map(|part| dir.join(format!("rest-{part}"))).collect();
    let mut remaining = frames;
    let results: Vec<io::Result<()>> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (part, place) in places.iter().enumerate() {
            let count = if part + 1 == parts { remaining.len() } else { share(remaining, bytes / parts) };
            let (mine, others) = remaining.split_at(count);
            remaining = others;
            threads.push(scope.spawn(move || write_part(place, pool, mine)));
        }
        let failed = |_| Err(io::Error::other("a writing thread failed"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).collect()
    });
    // Up to the first failure: what comes after it would only be found behind a hole.
    let mut failure = None;
    for (place, result) in places.iter().zip(results) {
        if failure.is_none() {
            failure = result.and(move_in(dir, place)).err();
        }
        if place.exists() {
            let _ = fs::remove_dir_all(place);
        }
    }
    failure.map_or(Ok(()), Err)
}

fn frame_bytes(frame: &PlannedFrame) -> usize {
    frame.chunks.iter().map(|chunk| chunk.length).sum()
}

/// How many of the frames make up about `bytes`.
fn share(frames: &[PlannedFrame], bytes: usize) -> usize {
    let mut sum = 0;
    frames
        .iter()
        .take_while(|frame| {
            let more = sum < bytes;
            sum += frame_bytes(frame);
            more
        })
        .count()
}

fn write_part(dir: &Path, pool: &Pool, frames: &[PlannedFrame]) -> io::Result<()> {
    if frames.is_empty() {
        return Ok(());
    }
    // Left by someone who was interrupted; nothing in it was ever part of the recording.
    if dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir(dir)?;
    write_all(&mut FrameWriter::create(dir)?, pool, frames)
}

fn write_all(writer: &mut FrameWriter, pool: &Pool, frames: &[PlannedFrame]) -> io::Result<()> {
    let mut raw = Vec::new();
    frames.iter().try_for_each(|frame| write_frame(writer, pool, frame, &mut raw))
}

/// Writes one frame; `raw` is room to work in, and holds the frame's bytes afterwards.
pub(crate) fn write_frame(
    writer: &mut FrameWriter,
    pool: &Pool,
    frame: &PlannedFrame,
    raw: &mut Vec<u8>,
) -> io::Result<()> {
    raw.clear();
    for chunk in &frame.chunks {
        pool.read(chunk, raw);
    }
    writer.write(frame.stream(), frame.first_chunk(), frame.chunks.len() as u16, frame.is_last(), raw)
}

/// Moves chunk files from `part` to `dir`, numbered after those that are there.
fn move_in(dir: &Path, part: &Path) -> io::Result<()> {
    if !part.exists() {
        return Ok(());
    }
    let mut number = 0;
    while dir.join(trace::frame::file_name(number)).exists() {
        number += 1;
    }
    for from in (0..).map(|n| part.join(trace::frame::file_name(n))).take_while(|path| path.exists()) {
        if fs::metadata(&from)?.len() > 0 {
            fs::rename(&from, dir.join(trace::frame::file_name(number)))?;
            number += 1;
        }
    }
    Ok(())
}
