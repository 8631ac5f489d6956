//! A recording that is read while the program runs. `refresh` takes in what came since; nothing that was shown
//! changes or goes away, it only gets longer.
//!
//! The order of a refresh makes what it shows complete. A thread's data mention classes, types, strings and objects
//! that the table stream or another thread's stream defines, and a definition is written before its number is used
//! elsewhere (of two threads that meet at a new object, one may be a moment early). So thread data are looked at
//! first, and all definitions after that: what was looked at later can only define more than is needed. Each look
//! copies the pool before it reads the files: a chunk leaves the pool only when a file has it, so it is in one of
//! the two.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::definitions::Definitions;
use crate::error::{Error, Result};
use crate::frame_reader::FrameReader;
use crate::ids::StreamId;
use crate::manifest::{self, Manifest};
use crate::objects::Objects;
use crate::recording::Recording;
use crate::table_reader::TableReader;
use crate::tail::{POOL, Tail};

/// What a recording that grows needs to know from one refresh to the next.
pub(crate) struct Follower {
    /// Behind a lock only so that threads may share the recording; it is used by who has it alone.
    tail: Option<Mutex<Box<dyn Tail + Send>>>,
    definitions: Definitions,
    tables: TableReader,
}

impl Recording {
    /// Opens a recording that may still grow, with what is there by now. `tail` reads its pool; without one, only
    /// what is in files is seen. The tables of objects lie in files in `tables`, or in memory.
    pub fn follow(
        path: &Path,
        tail: Option<Box<dyn Tail + Send>>,
        tables: Option<&Path>,
    ) -> Result<Recording> {
        let (path, manifest) = locate(path)?;
        let objects = tables.map_or(Ok(Objects::default()), Objects::create)?;
        let mut recording = Recording::new(path, manifest, FrameReader::default(), objects);
        recording.follower = Some(Follower {
            tail: tail.map(Mutex::new),
            definitions: Definitions::default(),
            tables: TableReader::default(),
        });
        recording.refresh()?;
        Ok(recording)
    }

    /// Takes in what came since the last time; false if nothing did. Once the run is over, everything is final, and
    /// there will be nothing new.
    pub fn refresh(&mut self) -> Result<bool> {
        let Some(mut follower) = self.follower.take() else { return Ok(false) };
        let result = self.refresh_with(&mut follower);
        // The last refresh of a run that is over needs no follower any more; one that failed may be tried again.
        if !matches!(result, Ok((_, true))) {
            self.follower = Some(follower);
        }
        result.map(|(news, _)| news)
    }

    /// May more come to a thread's stream?
    pub fn may_grow(&self, stream: StreamId) -> bool {
        self.follower.is_some() && !self.frames.is_ended(stream)
    }

    /// Is the recording followed, and not over?
    pub fn is_live(&self) -> bool {
        self.follower.is_some()
    }

    /// Says whether there was something new, and whether it was the last time.
    fn refresh_with(&mut self, follower: &mut Follower) -> Result<(bool, bool)> {
        // Asked before anything is read: if it is over now, the files have everything.
        let (path, manifest) = locate(&self.path)?;
        let over = manifest.ended.is_some() && !path.join(POOL).exists();
        (self.path, self.manifest) = (path, manifest);

        self.scan(follower, over)?;
        let placed = self.frames.place(over);
        if over {
            follower.tables.read(&self.frames, &mut self.program, Some(&mut self.objects), false);
            self.define(follower, self.frames.streams().collect());
            return Ok((true, true));
        }

        self.scan(follower, false)?;
        self.frames.place_stream(StreamId::TABLES, false);
        let described = follower.tables.read(&self.frames, &mut self.program, Some(&mut self.objects), true);
        self.define(follower, placed.union(&self.frames.news).copied().collect());
        Ok((described || placed.iter().any(|&stream| stream != StreamId::TABLES), false))
    }

    /// Looks at pool and files; what is found is not among the pieces yet.
    fn scan(&mut self, follower: &mut Follower, over: bool) -> Result<()> {
        if let Some(tail) = follower.tail.as_mut().filter(|_| !over) {
            self.frames.offer(tail.get_mut().unwrap_or_else(PoisonError::into_inner).chunks());
        }
        let folders: Vec<&Path> =
            [Some(self.path.as_path()), parent(&self.path)].into_iter().flatten().collect();
        let (definitions, objects) = (&mut follower.definitions, &mut self.objects);
        self.frames.scan(&folders, !over, &mut |found| definitions.found(objects, &found))
    }

    /// Definitions in everything that was looked at and that the scan did not read itself.
    fn define(&mut self, follower: &mut Follower, streams: BTreeSet<StreamId>) {
        for stream in streams {
            follower.definitions.rest(&mut self.objects, &self.frames, stream);
        }
        let damage = follower.definitions.damage();
        self.frames.damaged.extend(damage);
    }
}

/// Where the recording is now, and its manifest. The files of a single JVM are moved up when it ends, the manifest
/// last: so it is here, or it has gone up.
fn locate(path: &Path) -> Result<(PathBuf, Manifest)> {
    match (Manifest::load(path), parent(path)) {
        (Err(Error::NoManifest { .. }), Some(above)) if above.join(manifest::FILE).is_file() => {
            Ok((above.to_owned(), Manifest::load(above)?))
        }
        (found, _) => Ok((path.to_owned(), found?)),
    }
}

/// The folder that the files of a JVM's folder may be moved up to.
fn parent(path: &Path) -> Option<&Path> {
    let is_jvm = path.file_name()?.to_str()?.starts_with("jvm-");
    path.parent().filter(|above| is_jvm && above.is_dir())
}
