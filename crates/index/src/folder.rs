//! Where an index lives: in the folder `index` of its recording. It is built under another name and renamed when it
//! is whole, so an index that is there is complete; one that does not fit its recording or this program is thrown
//! away and built again. The index of a recording that still grows is temporary.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use base::StreamId;
use tempfile::TempDir;
use trace::{Recording, Tail};

use crate::build::{Builder, IndexProgress};
use crate::error::{Result, cannot_write};
use crate::index::Index;

const NAME: &str = "index";
const NEW: &str = "index.new";
const LOCK: &str = "index.lock";
/// The recording's own tables, within the index.
const TABLES: &str = "tables";

/// Opens a finished recording with its index, which is built first if there is none that fits.
pub fn open(path: &Path, progress: &mut dyn FnMut(&IndexProgress)) -> Result<(Recording, Index)> {
    let folder = path.join(NAME);
    match open_in(path, &folder) {
        Ok(opened) => Ok(opened),
        Err(_) => build(path, progress),
    }
}

/// Opens a recording with its index, if it has one that fits.
pub fn open_built(path: &Path) -> Result<(Recording, Index)> {
    open_in(path, &path.join(NAME))
}

/// Builds the index of a finished recording, whether or not there is one.
pub fn build(path: &Path, progress: &mut dyn FnMut(&IndexProgress)) -> Result<(Recording, Index)> {
    let folder = path.join(NAME);
    let lock_path = path.join(LOCK);
    let lock = match File::create(&lock_path) {
        Ok(lock) => lock,
        // The recording may be on a medium that cannot be written to.
        Err(_) => return build_elsewhere(path, progress),
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            lock.lock().map_err(cannot_write(&lock_path))?;
            // Somebody else has built it meanwhile.
            if let Ok(opened) = open_in(path, &folder) {
                return Ok(opened);
            }
        }
        Err(TryLockError::Error(error)) => return Err(cannot_write(&lock_path)(error)),
    }
    let new = path.join(NEW);
    remove(&new)?;
    remove(&folder)?;
    build_in(path, &new, progress)?;
    fs::rename(&new, &folder).map_err(cannot_write(&folder))?;
    let opened = open_in(path, &folder);
    let _ = fs::remove_file(&lock_path);
    opened
}

fn build_elsewhere(path: &Path, progress: &mut dyn FnMut(&IndexProgress)) -> Result<(Recording, Index)> {
    let folder = TempDir::with_prefix("inquest-index-").map_err(cannot_write(&std::env::temp_dir()))?;
    build_in(path, folder.path(), progress)?;
    let (recording, mut index) = open_in(path, folder.path())?;
    index.keep_until_closed(folder);
    Ok((recording, index))
}

fn build_in(path: &Path, folder: &Path, progress: &mut dyn FnMut(&IndexProgress)) -> Result<()> {
    let tables = folder.join(TABLES);
    fs::create_dir_all(&tables).map_err(cannot_write(&tables))?;
    let mut reading = |done, all| progress(&IndexProgress { events: 0, done: done / 10, all });
    let mut recording = Recording::open_for_index(path, &tables, &mut reading)?;
    let mut builder = Builder::create(folder)?;
    builder.advance(&recording, progress)?;
    builder.publish(&recording)?;
    recording.store_tables()?;
    Ok(())
}

fn open_in(path: &Path, folder: &Path) -> Result<(Recording, Index)> {
    let index = Index::open(folder)?;
    let recording = Recording::open_indexed(path, &folder.join(TABLES))?;
    Ok((recording, index))
}

fn remove(folder: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(folder) {
        Ok(found) if !found.is_dir() => fs::remove_file(folder),
        _ => fs::remove_dir_all(folder),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(cannot_write(folder)(error)),
        _ => Ok(()),
    }
}

/// The index of some streams of a recording, which goes when it is closed. `islands`: those that follow each other without a
/// gap.
pub fn index_part(
    recording: &Recording,
    islands: &[Vec<StreamId>],
    progress: &mut dyn FnMut(&IndexProgress),
) -> Result<Index> {
    let folder = TempDir::with_prefix("inquest-part-").map_err(cannot_write(&std::env::temp_dir()))?;
    let mut builder = Builder::create(folder.path())?.of_part(islands.len() > 1);
    builder.advance(recording, progress)?;
    builder.publish(recording)?;
    drop(builder);
    let mut index = Index::open(folder.path())?;
    index.set_islands(islands);
    index.keep_until_closed(folder);
    Ok(index)
}

/// Keeps the index of a recording that still grows up to date.
pub struct Follower {
    builder: Builder,
    folder: TempDir,
    /// The same recording once more, to be read on while the other one is asked. They take turns.
    pub spare: Option<Recording>,
    /// Something was recorded that is not indexed yet.
    pub behind: bool,
}

/// Events of a thread that are taken in at a time while the program runs, so that what is shown grows steadily.
const AT_A_TIME: u64 = 2_000_000;

impl Follower {
    /// Indexes what is there.
    pub fn start(path: &Path, tail: Option<Box<dyn Tail + Send>>) -> Result<(Follower, Recording, Index)> {
        let folder = TempDir::with_prefix("inquest-live-").map_err(cannot_write(&std::env::temp_dir()))?;
        let recording = Recording::follow(path, tail, None)?;
        let builder = Builder::create(folder.path())?;
        let mut follower = Follower { builder, folder, spare: None, behind: false };
        let index = follower.advance(&recording)?;
        Ok((follower, recording, index))
    }

    /// As `advance`, a part of it if it is much and more is to come.
    pub fn advance_some(&mut self, recording: &Recording) -> Result<Index> {
        let events = if recording.is_live() { AT_A_TIME } else { u64::MAX };
        self.behind = self.builder.advance_by(recording, events, &mut |_| {})?;
        self.builder.publish(recording)?;
        Index::open_growing(self.folder.path())
    }

    /// Opens the spare. Its tables lie in files: that there are two costs no memory.
    pub fn open_spare(&mut self, path: &Path, tail: Option<Box<dyn Tail + Send>>) -> Result<()> {
        let tables = self.folder.path().join("spare");
        fs::create_dir_all(&tables).map_err(cannot_write(&tables))?;
        self.spare = Some(Recording::follow(path, tail, Some(&tables))?);
        Ok(())
    }

    /// The index of what a recording has by now. The one before can be asked meanwhile, and afterwards.
    pub fn advance(&mut self, recording: &Recording) -> Result<Index> {
        self.builder.advance(recording, &mut |_| {})?;
        self.builder.publish(recording)?;
        Index::open_growing(self.folder.path())
    }
}

/// Where the index of a recording is kept.
pub fn index_folder(path: &Path) -> PathBuf {
    path.join(NAME)
}
