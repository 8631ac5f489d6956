//! From a recording's folder to one file.

use std::fs::File;
use std::io::{Read, Write};

use std::path::{Path, PathBuf};

use trace::Recording;
use trace::frame::Header;

use crate::archive_writer::ArchiveWriter;
use crate::chunk_file;
use crate::contents::{self, Member};
use crate::error::{Error, Result};
use crate::label::{self, Label};
use crate::redact::{Redactor, Rules, Scanning, is_name};
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
    /// What is to be taken out.
    pub redact: Option<Rules>,
}

/// What was packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Of all files that went in.
    pub bytes_before: u64,
    /// Of the packed file.
    pub bytes: u64,
    pub sources: usize,
    /// Texts that were taken out wherever they were, and strings and arrays that were taken out where rules name them.
    pub redacted: Option<(usize, usize)>,
    /// The answers are left out, because a redacted text is in them.
    pub answers_left_out: bool,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The recordings are gone through for what is to be taken out, for so many times.
    Looking(usize),
    /// So many bytes of so many are packed.
    Packing(u64, u64),
}

/// Packs recordings into a new file.
pub fn pack(request: &Request, to: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Packed> {
    let members = members(request)?;
    let mut found = Found::new();
    let mut redactor = None;
    if request.sources.is_some() || request.redact.is_some() {
        let recordings = request.recordings.iter().map(|dir| Recording::open(dir));
        let recordings = recordings.collect::<trace::Result<Vec<_>>>()?;
        if let Some(places) = &request.sources {
            for recording in &recordings {
                sources::find(recording, places, &mut found)?;
            }
        }
        if let Some(rules) = &request.redact {
            redactor =
                Some(Redactor::new(&recordings, rules, &mut |round| progress(Progress::Looking(round)))?);
        }
    }
    let all = members.iter().map(|(_, member)| member.bytes).sum();
    let mut done = 0;
    let mut tell = |more: u64| {
        done += more;
        progress(Progress::Packing(done, all));
    };
    let redacted = redactor.as_ref().map(|redactor| (redactor.texts(), redactor.values()));
    let mut packed = Packed { bytes_before: all, sources: found.len(), redacted, ..Packed::default() };
    let mut archive = Archive { writer: ArchiveWriter::create(to)?, redactor: redactor.as_ref() };
    let written = |source| Error::Write { path: to.to_owned(), source };
    put_label(&mut archive, request, to)?;
    for (recording, member) in &members {
        let unreadable = |source| Error::Read { path: member.path.clone(), source };
        let mut file = File::open(&member.path).map_err(unreadable)?;
        let Some(redactor) = &redactor else {
            archive
                .writer
                .entry(&member.name, |out| chunk_file::copy(&mut file, out, &mut tell).map_err(written))?;
            continue;
        };
        if member.is_chunks() {
            let mut change = |header: &Header, raw: &[u8]| redactor.frame(*recording, header, raw);
            // What is compressed is searched frame by frame.
            archive.writer.entry(&member.name, |out| {
                chunk_file::change(&mut file, out, &mut tell, &mut change, &written)
            })?;
            continue;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        tell(bytes.len() as u64);
        if member.is_answers() && redactor.is_in(&bytes) {
            packed.answers_left_out = true;
            continue;
        }
        if member.is_manifest() {
            bytes = redactor.manifest(&bytes).map_err(unreadable)?;
        }
        archive.entry(&member.name, |out| out.write_all(&bytes).map_err(written))?;
    }
    for (name, text) in &found {
        let bytes = redactor.as_ref().map_or(text.as_bytes().to_vec(), |redactor| redactor.source(text));
        archive.entry(name, |out| out.write_all(&bytes).map_err(written))?;
    }
    packed.bytes = archive.writer.finish()?;
    Ok(packed)
}

/// An archive into which nothing gets that is to be taken out.
struct Archive<'r> {
    writer: ArchiveWriter,
    redactor: Option<&'r Redactor>,
}

impl Archive<'_> {
    fn entry(&mut self, name: &str, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let Some(needles) = self.redactor.map(Redactor::needles) else {
            return self.writer.entry(name, fill);
        };
        if let Some((at, length)) = needles.find(name.as_bytes()) {
            return Err(is_name(&format!("the name of {name}"), &name.as_bytes()[at..at + length]));
        }
        self.writer.entry(name, |out| {
            let mut scanning = Scanning::new(needles, out);
            fill(&mut scanning)?;
            if scanning.found { Err(is_name(name, b"")) } else { Ok(()) }
        })
    }
}

/// All files of all recordings, by the names that they get, each with the number of its recording.
fn members(request: &Request) -> Result<Vec<(usize, Member)>> {
    let mut members = Vec::new();
    for (at, dir) in request.recordings.iter().enumerate() {
        if dir.join(trace::POOL).exists() {
            return Err(Error::Running { path: dir.clone() });
        }
        // Below the folder of the run each JVM keeps its own.
        let below = match dir.strip_prefix(&request.folder).ok().and_then(Path::to_str) {
            Some(name) if !name.is_empty() => format!("{name}/"),
            _ => String::new(),
        };
        // It was made of what is to be taken out.
        let index = request.index && request.redact.is_none();
        let files = contents::of_recording(dir, &below, index, request.answers)?;
        members.extend(files.into_iter().map(|member| (at, member)));
    }
    Ok(members)
}

fn put_label(archive: &mut Archive<'_>, request: &Request, to: &Path) -> Result<()> {
    let name = request.folder.canonicalize().unwrap_or_else(|_| request.folder.clone());
    let name = name.file_name().unwrap_or_default().to_string_lossy();
    let written = |source| Error::Write { path: to.to_owned(), source };
    let text = serde_json::to_vec_pretty(&Label::new(&name, request.redact.is_some()))
        .map_err(|error| written(error.into()))?;
    archive.entry(label::NAME, |out| out.write_all(&text).map_err(written))
}
