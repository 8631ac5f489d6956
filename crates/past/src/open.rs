//! Opening a recording, finished or still growing.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use index::{Follower, Progress};
use trace::{KINDS, Stats, Tail};

use crate::error::Result;
use crate::names;
use crate::past::Past;

/// What a user can set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of memory for caches and buffers.
    pub memory: usize,
    /// Where to look for sources first: folders, files, archives.
    pub sources: Vec<PathBuf>,
    /// The folder below which sources are looked for.
    pub working_folder: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { memory: 512 << 20, sources: Vec::new(), working_folder: None }
    }
}

impl Past {
    /// Opens a finished recording; its index is built first if need be.
    pub fn open(path: &Path, settings: &Settings, progress: &mut dyn FnMut(&Progress)) -> Result<Past> {
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
        if !follower.refresh(&mut self.recording, &mut self.index)? {
            return Ok(false);
        }
        self.methods = names::methods(&self.index);
        self.several = Default::default();
        self.builders = Default::default();
        Ok(true)
    }
}
