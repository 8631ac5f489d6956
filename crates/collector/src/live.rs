//! A JVM that is being recorded: its pool, and the files that its chunks go to. Frames are written one at a time
//! under a lock, so that the background thread and, under pressure, the watching thread can both do it.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pool::{AgentState, FullChunk, Lock, Pool, StopReason};
use trace::FrameWriter;

use crate::ending::{Reserve, Stopped};
use crate::error::{Error, io as io_error};
use crate::plan::{self, Eagerness, PlannedFrame, Written};
use crate::rest::write_frame;
use crate::table_cut::TableCut;

/// Name of the file that says where the pool is.
pub(crate) const POINTER: &str = trace::POOL;
/// After this time even frames that are not full are written, so that a reader of a running program sees it.
const SWEEP: Duration = Duration::from_millis(500);

pub(crate) struct Live {
    pub dir: PathBuf,
    pub pool: Pool,
    /// Held while we live: a reader must not salvage what we still empty.
    pub drain_lock: Lock,
    files: Mutex<Files>,
}

/// What has been written so far, and what comes next.
pub(crate) struct Files {
    pub writer: Option<FrameWriter>,
    pub written: Written,
    pub table: TableCut,
    pub stopped: Option<Stopped>,
    pub reserve: Option<Reserve>,
    pub chunks: u64,
    planned: VecDeque<PlannedFrame>,
    swept: Instant,
    raw: Vec<u8>,
    found: Vec<FullChunk>,
}

impl Live {
    /// Opens the JVM in this folder; None while its pool is not ready, or when another empties it.
    pub fn open(dir: &Path) -> Result<Option<Live>, Error> {
        let Some(path) = read_pointer(dir)? else { return Ok(None) };
        let lock_path = dir.join(Lock::DRAIN);
        let Some(drain_lock) = Lock::try_hold(&lock_path).map_err(io_error("lock", &lock_path))? else {
            return Ok(None);
        };
        let pool = Pool::open(&path)?;
        let files = Files {
            writer: None,
            written: Written::default(),
            table: TableCut::default(),
            stopped: None,
            reserve: Reserve::create(dir).ok(),
            chunks: 0,
            planned: VecDeque::new(),
            swept: Instant::now(),
            raw: Vec::new(),
            found: Vec::new(),
        };
        Ok(Some(Live { dir: dir.to_path_buf(), pool, drain_lock, files: Mutex::new(files) }))
    }

    pub fn pid(&self) -> u32 {
        self.pool.debuggee()
    }

    /// Dead JVMs hold no lock. When it cannot be asked, the JVM counts as alive: its process will end some time.
    pub fn is_dead(&self) -> bool {
        matches!(Lock::is_held(&self.dir.join(Lock::DEBUGGEE)), Ok(false))
    }

    /// More than half of what the pool may hold is in use.
    pub fn is_pressed(&self) -> bool {
        self.pool.in_use() > self.pool.limit() / 2
    }

    /// Less than three eighths are: far enough from `is_pressed` not to go back and forth.
    pub fn is_relaxed(&self) -> bool {
        self.pool.in_use() < self.pool.limit() / 8 * 3
    }

    /// Writes one frame, compressed or as it is, and releases its chunks. False when there is nothing to do now.
    pub fn drain_frame(&self, eagerness: Eagerness, compress: bool) -> bool {
        let mut guard = self.files();
        let files = &mut *guard;
        // After a failed write nothing more is drained: the agent gets no new chunks, so none is missed, and what
        // the pool holds gets a last chance when the JVM ends.
        if files.stopped.is_some() {
            return false;
        }
        if let Some(reason) = self.pool.stopped() {
            files.stopped = Some(Stopped::now(reason, None));
        }
        if files.planned.is_empty() {
            self.plan(files, eagerness);
        }
        let Some(frame) = files.planned.pop_front() else { return false };
        match self.write(files, &frame, compress) {
            Ok(()) => {
                for chunk in &frame.chunks {
                    self.pool.release(chunk.index);
                }
                true
            }
            Err(error) => {
                let reason = stop_reason(&error);
                self.pool.stop(reason);
                files.stopped = Some(Stopped::now(reason, Some(&error)));
                files.planned.clear();
                false
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        self.files().writer.as_ref().map_or(0, FrameWriter::bytes_written)
    }

    pub fn files(&self) -> MutexGuard<'_, Files> {
        // A panic while writing leaves at worst a frame that is planned but not written, which the end repairs.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_parts(self) -> (PathBuf, Pool, Lock, Files) {
        (
            self.dir,
            self.pool,
            self.drain_lock,
            self.files.into_inner().unwrap_or_else(PoisonError::into_inner),
        )
    }

    pub fn failed_to_start(&self) -> bool {
        self.pool.agent_state() == AgentState::Failed
    }

    fn plan(&self, files: &mut Files, eagerness: Eagerness) {
        let sweep = files.swept.elapsed() > SWEEP;
        let eagerness = if sweep && eagerness == Eagerness::Whole { Eagerness::InOrder } else { eagerness };
        if sweep {
            files.swept = Instant::now();
        }
        files.found.clear();
        self.pool.list_full(&mut files.found);
        let (frames, known) = plan::plan(&files.found, &files.written, eagerness);
        for chunk in known {
            self.pool.release(chunk.index);
        }
        files.planned = frames.into();
    }

    fn write(&self, files: &mut Files, frame: &PlannedFrame, compress: bool) -> io::Result<()> {
        let writer = match &mut files.writer {
            Some(writer) => writer,
            none => none.insert(FrameWriter::create(&self.dir)?),
        };
        writer.compresses = compress;
        write_frame(writer, &self.pool, frame, &mut files.raw)?;
        if frame.stream() == 0 {
            files.table.follow(&files.raw);
        }
        files.written.advance(frame.stream(), frame.next());
        files.chunks += frame.chunks.len() as u64;
        Ok(())
    }
}

/// The path in a JVM folder's `pool` file; None when there is no such file.
pub(crate) fn read_pointer(dir: &Path) -> Result<Option<PathBuf>, Error> {
    let path = dir.join(POINTER);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(PathBuf::from(text.trim_end_matches('\n')))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read", &path)(error)),
    }
}

pub(crate) fn stop_reason(error: &io::Error) -> StopReason {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StopReason::DiskFull,
        _ => StopReason::WriteError,
    }
}
