//! Sorts and writes full segments on a thread of its own, in the order in which they come, while replay goes on
//! filling the next. At most two buffers are under way: that is the bound on its memory.

use std::mem;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::error::Result;
use crate::file::{Appender, RowWriter};
use crate::posting::Stored;
use crate::segment::{self, SegmentRow};
use crate::uses::{UseEntry, UseWriter};

/// Postings per segment, about: more, and the edges of a long call take longer to look through; fewer, and there are
/// more segments to ask.
pub(crate) const FULL: usize = 1 << 18;

pub(crate) struct Sealer {
    /// None once it was closed.
    jobs: Option<SyncSender<Job>>,
    empty: Receiver<Vec<Stored>>,
    thread: Option<JoinHandle<Result<()>>>,
}

enum Job {
    Seal {
        stream: u32,
        postings: Vec<Stored>,
    },
    Uses {
        stream: u32,
        entries: Vec<UseEntry>,
    },
    /// Everything before must be in the files.
    Flush(SyncSender<()>),
}

impl Sealer {
    pub fn create(dir: &Path) -> Result<Sealer> {
        let mut file = Appender::create(dir.join("postings"))?;
        let mut list: RowWriter<SegmentRow> = RowWriter::create(dir.join("segments"))?;
        let mut uses = UseWriter::create(dir)?;
        let (jobs, received) = sync_channel::<Job>(1);
        let (give_back, empty) = sync_channel(2);
        let work = move || {
            let mut bytes = Vec::new();
            for job in received {
                match job {
                    Job::Seal { stream, mut postings } => {
                        bytes.clear();
                        let row = segment::seal(&postings, stream, file.length(), &mut bytes);
                        file.append(&bytes)?;
                        list.push(&row)?;
                        postings.clear();
                        // Nobody may be waiting for it: then it is simply freed.
                        let _ = give_back.try_send(postings);
                    }
                    Job::Uses { stream, mut entries } => uses.seal(stream, &mut entries)?,
                    Job::Flush(done) => {
                        file.flush()?;
                        list.flush()?;
                        uses.flush()?;
                        let _ = done.send(());
                    }
                }
            }
            file.flush()?;
            list.flush()?;
            uses.flush()
        };
        let thread = std::thread::Builder::new()
            .name("index-sort".to_owned())
            .spawn(work)
            .map_err(crate::error::cannot_write(dir))?;
        Ok(Sealer { jobs: Some(jobs), empty, thread: Some(thread) })
    }

    /// Takes the postings away and leaves an empty buffer.
    pub fn seal(&mut self, stream: u32, postings: &mut Vec<Stored>) -> Result<()> {
        if postings.is_empty() {
            return Ok(());
        }
        let empty = self.empty.try_recv().unwrap_or_default();
        self.send(Job::Seal { stream, postings: mem::replace(postings, empty) })
    }

    /// The same with entries of which blocks of calls used which objects.
    pub fn seal_uses(&mut self, stream: u32, entries: &mut Vec<UseEntry>) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        self.send(Job::Uses { stream, entries: mem::take(entries) })
    }

    /// Waits until everything is in the files.
    pub fn flush(&mut self) -> Result<()> {
        let (done, wait) = sync_channel(1);
        self.send(Job::Flush(done))?;
        match wait.recv() {
            Ok(()) => Ok(()),
            Err(_) => self.close(),
        }
    }

    fn send(&mut self, job: Job) -> Result<()> {
        match &self.jobs {
            Some(jobs) if jobs.send(job).is_ok() => Ok(()),
            // The thread ended early: its result says why.
            _ => self.close(),
        }
    }

    /// Writes the rest and says whether everything went well.
    pub fn close(&mut self) -> Result<()> {
        self.jobs = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(()),
        }
    }
}

impl Drop for Sealer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
