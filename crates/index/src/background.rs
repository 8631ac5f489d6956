//! A thread that does one kind of work while replay goes on, piece by piece in the order in which they come: so what it
//! writes does not depend on how fast it is, nor on how many processors there are. How many pieces may wait is the bound on
//! its memory.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::error::Result;

pub(crate) trait Work<J>: Send + 'static {
    /// Does a piece of work. What is left of it, its buffers, is used again.
    fn work(&mut self, job: &mut J) -> Result<()>;

    /// Puts everything into the files.
    fn flush(&mut self) -> Result<()>;
}

pub(crate) struct Background<J> {
    /// None once it was closed.
    jobs: Option<SyncSender<Message<J>>>,
    done: Receiver<J>,
    thread: Option<JoinHandle<Result<()>>>,
}

enum Message<J> {
    Job(J),
    /// Everything before must be in the files.
    Flush(SyncSender<()>),
}

impl<J: Send + 'static> Background<J> {
    /// `waiting`: how many pieces may wait for their turn. `dir` is where it writes, for the error's sake.
    pub fn start(name: &str, dir: &Path, waiting: usize, mut worker: impl Work<J>) -> Result<Background<J>> {
        let (jobs, received) = sync_channel::<Message<J>>(waiting);
        let (give_back, done) = sync_channel(waiting + 1);
        let run = move || {
            for message in received {
                match message {
                    Message::Job(mut job) => {
                        worker.work(&mut job)?;
                        // Nobody may be waiting for it: then it is simply freed.
                        let _ = give_back.try_send(job);
                    }
                    Message::Flush(done) => {
                        worker.flush()?;
                        let _ = done.send(());
                    }
                }
            }
            worker.flush()
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
        let thread = thread.map_err(crate::error::cannot_write(dir))?;
        Ok(Background { jobs: Some(jobs), done, thread: Some(thread) })
    }

    /// A piece that is done, for its buffers.
    pub fn done(&self) -> Option<J> {
        self.done.try_recv().ok()
    }

    pub fn send(&mut self, job: J) -> Result<()> {
        self.message(Message::Job(job))
    }

    /// Waits until everything is in the files.
    pub fn flush(&mut self) -> Result<()> {
        let (done, wait) = sync_channel(1);
        self.message(Message::Flush(done))?;
        match wait.recv() {
            Ok(()) => Ok(()),
            Err(_) => self.close(),
        }
    }

    fn message(&mut self, message: Message<J>) -> Result<()> {
        match &self.jobs {
            Some(jobs) if jobs.send(message).is_ok() => Ok(()),
            // The thread ended early: its result says why.
            _ => self.close(),
        }
    }

    /// Does the rest and says whether everything went well.
    fn close(&mut self) -> Result<()> {
        self.jobs = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(()),
        }
    }
}

impl<J> Drop for Background<J> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
