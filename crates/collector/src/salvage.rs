//! Finishes a recording whose collector died before it could. Called by whoever opens a recording; any number of
//! readers may start at once, one does the work and the others wait for it.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use pool::{Lock, Pool};
use trace::frame::{self, Header};
use trace::frame_reader::Piece;
use trace::{FrameReader, Manifest, StreamId};

use crate::close::{JvmSummary, finish, remove_traces};
use crate::ending::RunEnd;
use crate::error::{Error, io as io_error};
use crate::live::read_pointer;
use crate::plan::Written;
use crate::rest::write_rest;
use crate::table_cut::TableCut;

/// How long to wait for another who is finishing the same recording.
const MAX_WAIT_FOR_OTHER: Duration = Duration::from_secs(60);
/// How long a killed JVM may hold its lock: until the kernel has freed its memory.
const DYING: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What opening a recording found to do.
#[derive(Debug)]
pub enum Salvage {
    /// It had been finished, now or before.
    NotNeeded,
    /// Its JVM is alive: what is in files can be read, more will come.
    StillRunning,
    Done(JvmSummary),
    /// The pool is gone (the machine was restarted): what is in files is all there is.
    PoolLost,
}

/// Finishes the recording in `dir` if nobody else will.
pub fn salvage(dir: &Path) -> Result<Salvage, Error> {
    let start = Instant::now();
    let lock = loop {
        if read_pointer(dir)?.is_none() {
            return Ok(Salvage::NotNeeded);
        }
        let debuggee = dir.join(Lock::DEBUGGEE);
        let drain = dir.join(Lock::DRAIN);
        let is_held = |path: &Path| Lock::is_held(path).map_err(io_error("ask for the lock", path));
        if is_held(&debuggee)? {
            if start.elapsed() > DYING || is_held(&drain)? {
                return Ok(Salvage::StillRunning);
            }
        } else if let Some(lock) = Lock::try_hold(&drain).map_err(io_error("lock", &drain))? {
            break lock;
        } else if start.elapsed() > MAX_WAIT_FOR_OTHER {
            return Ok(Salvage::StillRunning);
        }
        std::thread::sleep(LOOK_AGAIN);
    };
    let result = salvage_locked(dir);
    drop(lock);
    result
}

fn salvage_locked(dir: &Path) -> Result<Salvage, Error> {
    // Between our look at the pointer and our lock, another may have finished; its lock file is ours then.
    let Some(path) = read_pointer(dir)? else {
        remove_traces(dir, None)?;
        return Ok(Salvage::NotNeeded);
    };
    remove_interrupted(dir)?;
    cut_half_frame(dir)?;
    let (written, table) = already_written(dir)?;
    match Pool::open(&path) {
        Ok(pool) => {
            let rest = write_rest(dir, &pool, &written, table, None);
            Ok(Salvage::Done(finish(dir, &pool, &rest, None, None)))
        }
        Err(pool::Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            without_pool(dir)?;
            Ok(Salvage::PoolLost)
        }
        Err(error) => Err(error.into()),
    }
}

/// Says in the manifest that the end is missing.
fn without_pool(dir: &Path) -> Result<(), Error> {
    let manifest = Manifest::load(dir).unwrap_or_default();
    // Killed between removing the pool and its pointer: the manifest is final already.
    if manifest.ended.is_none() {
        let ending = RunEnd {
            pid: manifest.pid,
            exit: None,
            stopped: None,
            whole: false,
            ended_well: false,
            waited_ms: 0,
            bytes: 0,
        };
        ending.store(dir)?;
    }
    remove_traces(dir, None)
}

/// What the files have: where each stream goes on, and where the table stream stands.
fn already_written(dir: &Path) -> Result<(Written, TableCut), Error> {
    let reader =
        FrameReader::open(dir).map_err(|source| Error::Recording { path: dir.to_path_buf(), source })?;
    let mut written = Written::default();
    let mut table = TableCut::default();
    for stream in reader.streams() {
        for piece in reader.pieces(stream) {
            let Piece::Frame(frame) = piece else { continue };
            written.advance(stream.0, frame.header.chunk_number + u32::from(frame.header.chunks));
            if stream == StreamId(0)
                && let Some(bytes) = reader.load(frame)
            {
                table.follow(&bytes);
            }
        }
    }
    Ok((written, table))
}

/// Cuts a frame off the last chunk file that a killed collector had begun to write; its chunks are in the pool.
fn cut_half_frame(dir: &Path) -> Result<(), Error> {
    let last = (0..).map(|number| dir.join(frame::file_name(number))).take_while(|path| path.exists()).last();
    let Some(path) = last else { return Ok(()) };
    let mut file = fs::File::options().read(true).write(true).open(&path).map_err(io_error("open", &path))?;
    let length = file.metadata().map_err(io_error("read", &path))?.len();
    let mut at = 0;
    while at < length {
        let mut header = [0; frame::HEADER];
        file.seek(SeekFrom::Start(at)).map_err(io_error("read", &path))?;
        if file.read_exact(&mut header).is_err() {
            break;
        }
        // Damage of another kind: not ours to remove.
        let Some(header) = Header::decode(&header) else { return Ok(()) };
        let end = at + frame::HEADER as u64 + u64::from(header.size);
        if end > length {
            break;
        }
        at = end;
    }
    if at < length {
        file.set_len(at).map_err(io_error("shorten", &path))?;
    }
    Ok(())
}

/// Removes what an interrupted salvage left; it was never part of the recording.
fn remove_interrupted(dir: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(dir).map_err(io_error("list", dir))? {
        let path = entry.map_err(io_error("list", dir))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("rest-") && path.is_dir() {
            fs::remove_dir_all(&path).map_err(io_error("remove", &path))?;
        }
    }
    Ok(())
}
