//! Opening a recording, finished or still growing.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use index::{Follower, Index, IndexProgress};
use shelf::Shelf;
use trace::{KINDS, Recording, Stats, Tail};

use crate::error::Result;
use crate::names;
use crate::past::{Past, has_one_thread};

/// What a user can set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of memory for caches and buffers.
    pub memory: usize,
    /// Where to look for sources first: folders, files, archives.
    pub sources: Vec<PathBuf>,
    /// The folder below which sources are looked for.
    pub working_folder: Option<PathBuf>,
    /// Bytes of log before compression from which on a recording is large: then only what is needed is looked at first.
    pub large: u64,
}

/// Less is indexed within a few seconds.
const LARGE: u64 = 64 << 20;

impl Default for Settings {
    fn default() -> Self {
        Settings { memory: 512 << 20, sources: Vec::new(), working_folder: None, large: LARGE }
    }
}

impl Past {
    /// Opens a finished recording; its index is built first if need be.
    pub fn open(path: &Path, settings: &Settings, progress: &mut dyn FnMut(&IndexProgress)) -> Result<Past> {
        let (recording, index) = index::open(path, progress)?;
        Past::new(recording, index, settings)
    }

    /// Opens a recording whose index is there already.
    pub fn open_built(path: &Path, settings: &Settings) -> Option<Past> {
        let (recording, index) = index::open_built(path).ok()?;
        Past::new(recording, index, settings).ok()
    }

    /// What was recorded.
    pub fn stats(&self) -> Stats {
        let meta = self.index.meta();
        let count = |kind: &&str| meta.by_kind.get(*kind).copied().unwrap_or(0);
        self.recording.stats_of(std::array::from_fn(|at| count(&KINDS[at])), meta.gaps)
    }

    /// Opens a recording that still grows, with what has happened so far.
    pub fn open_live(path: &Path, tail: Option<Box<dyn Tail + Send>>, settings: &Settings) -> Result<Past> {
        let (follower, recording, index) = Follower::start(path, tail)?;
        let mut past = Past::new(recording, index, settings)?;
        past.follower = Mutex::new(Some(follower));
        Ok(past)
    }

    /// Takes in what happened since; false if nothing did, or the recording is finished.
    pub fn refresh(&mut self) -> Result<bool> {
        let follower = self.follower.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(follower) = follower else { return Ok(false) };
        if !self.recording.refresh()? {
            return Ok(false);
        }
        let index = follower.advance(&self.recording)?;
        self.renew(index);
        Ok(true)
    }

    /// From now on `catch_up` can be used instead of `refresh`.
    pub fn follow_beside(&mut self, tail: Option<Box<dyn Tail + Send>>) -> Result<()> {
        let follower = self.follower.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(follower) = follower {
            follower.open_spare(self.recording.path(), tail)?;
        }
        Ok(())
    }

    /// Reads and indexes what happened since, or a part of it if it is much, which takes a while. Others may ask
    /// meanwhile, and are answered as before. None if nothing happened.
    pub fn catch_up(&self) -> Result<Option<News>> {
        if let Some((recording, index)) = self.whole()? {
            return Ok(Some(News { recording, index }));
        }
        let mut follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(follower) = &mut *follower else { return Ok(None) };
        let Some(mut recording) = follower.spare.take() else { return Ok(None) };
        let index = match recording.refresh() {
            Ok(false) if !follower.behind => None,
            Ok(_) => Some(follower.advance_some(&recording)),
            Err(error) => Some(Err(error.into())),
        };
        match index {
            Some(Ok(index)) if !recording.is_live() || index.events() > self.index.events() => {
                Ok(Some(News { recording, index }))
            }
            other => {
                follower.spare = Some(recording);
                other.transpose().map(|_| None).map_err(Into::into)
            }
        }
    }

    /// From now on answers are about that too. This is short.
    pub fn take_in(&mut self, news: News) {
        let before = std::mem::replace(&mut self.recording, news.recording);
        self.renew(news.index);
        let follower = self.follower.get_mut().unwrap_or_else(PoisonError::into_inner);
        match follower {
            Some(follower) if self.recording.is_live() => follower.spare = Some(before),
            follower => *follower = None,
        }
    }

    fn renew(&mut self, index: Index) {
        self.methods = names::methods(&index);
        self.recording.use_library_fields(&index.meta().library_fields());
        self.one_thread = has_one_thread(&self.recording, &index);
        self.part = None;
        self.index = index;
        self.several = Default::default();
        self.tests = Default::default();
        self.contents = Default::default();
        self.lambdas = Default::default();
        self.throwers = Default::default();
        self.streams = Default::default();
        self.stretches = Default::default();
    }

    /// Where results about this recording are kept. Nothing is kept beside one that still grows (its folder is its
    /// recorder's, and a result would no longer fit), nor of a part.
    pub fn shelf(&self) -> Shelf {
        let folder = self.recording.path();
        if self.is_live() || self.part.is_some() || folder.join(trace::POOL).exists() {
            return Shelf::nowhere();
        }
        Shelf::in_folder(folder.join("analysis"))
    }

    /// May there be more to come?
    pub fn is_live(&self) -> bool {
        self.recording.is_live()
    }
}

/// What happened since the last time, indexed.
pub struct News {
    recording: Recording,
    index: Index,
}
