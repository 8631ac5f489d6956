//! From a recording's folder to one file.

use std::fs::File;

use std::path::{Path, PathBuf};

use trace::Recording;

use crate::archive_writer::ArchiveWriter;
use crate::chunk_file;
use crate::contents::{self, Member};
use crate::error::{Error, Result};
use crate::label::{self, Label};
use crate::sources::{self, Found, SourcePlaces};

/// What is to be packed, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder of the run, for its name.
    pub folder: PathBuf,
    /// The recordings in it: itself, or one per JVM.
    pub recordings: Vec<PathBuf>,
    /// With the index, which then need not be built by who opens it.
    pub index: bool,
    /// With what was answered.
    pub answers: bool,
    /// Where sources are; none if they are not wanted.
    pub sources: Option<SourcePlaces>,
}

/// What was packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Of all files that went in.
    pub bytes_before: u64,
    /// Of the packed file.
    pub bytes: u64,
    pub sources: usize,
}

/// Packs recordings into a new file. Tells `progress` how many bytes of how many are packed.
pub fn pack(request: &Request, to: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<Packed> {
    let members = members(request)?;
    let mut found = Found::new();
    if let Some(places) = &request.sources {
        for dir in &request.recordings {
            sources::find(&Recording::open(dir)?, places, &mut found)?;
        }
    }
    let all = members.iter().map(|member| member.bytes).sum();
    let mut done = 0;
    let mut tell = |more: u64| {
        done += more;
        progress(done, all);
    };
    let mut archive = ArchiveWriter::create(to)?;
    let written = |source| Error::Write { path: to.to_owned(), source };
    put_label(&mut archive, request, to)?;
    for member in &members {
        let unreadable = |source| Error::Read { path: member.path.clone(), source };
        let mut file = File::open(&member.path).map_err(unreadable)?;
        archive.entry(&member.name, |out| {
            let copied = match member.is_chunks() {
                true => chunk_file::copy(&mut file, out, false, &mut tell),
                false => chunk_file::rest(&mut file, out, &mut tell),
            };
            copied.map_err(written)
        })?;
    }
    for (name, text) in &found {
        archive.entry(name, |out| out.write_all(text.as_bytes()).map_err(written))?;
    }
    Ok(Packed { bytes_before: all, bytes: archive.finish()?, sources: found.len() })
}

/// All files of all recordings, by the names that they get.
fn members(request: &Request) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for dir in &request.recordings {
        if dir.join(trace::POOL).exists() {
            return Err(Error::Running { path: dir.clone() });
        }
        // Below the folder of the run each JVM keeps its own.
        let below = match dir.strip_prefix(&request.folder).ok().and_then(Path::to_str) {
            Some(name) if !name.is_empty() => format!("{name}/"),
            _ => String::new(),
        };
        members.extend(contents::of_recording(dir, &below, request.index, request.answers)?);
    }
    Ok(members)
}

fn put_label(archive: &mut ArchiveWriter, request: &Request, to: &Path) -> Result<()> {
    let name = request.folder.canonicalize().unwrap_or_else(|_| request.folder.clone());
    let name = name.file_name().unwrap_or_default().to_string_lossy();
    let written = |source| Error::Write { path: to.to_owned(), source };
    let text = serde_json::to_vec_pretty(&Label::new(&name, false)).map_err(|error| written(error.into()))?;
    archive.entry(label::NAME, |out| out.write_all(&text).map_err(written))
}
