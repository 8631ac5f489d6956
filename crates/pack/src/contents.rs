//! What of a recording's folder goes into a packed file, and under which names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::chunk_file;
use crate::error::{Error, Result};

/// The journal of what was answered.
pub const ANSWERS: &str = "answers";
pub const INDEX: &str = "index";

/// A file and its name in the archive, with slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub path: PathBuf,
    pub name: String,
    pub bytes: u64,
}

impl Member {
    fn file(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    pub fn is_chunks(&self) -> bool {
        chunk_file::is_one(self.file())
    }

    pub fn is_manifest(&self) -> bool {
        self.file() == trace::manifest::FILE
    }

    pub fn is_answers(&self) -> bool {
        self.file() == ANSWERS
    }
}

/// The files of one recording, the manifest first; `below` is the name of its folder within the archive, with a slash
/// behind it, or nothing.
pub fn of_recording(dir: &Path, below: &str, index: bool, answers: bool) -> Result<Vec<Member>> {
    let mut members =
        vec![member(dir.join(trace::manifest::FILE), format!("{below}{}", trace::manifest::FILE))?];
    for (path, name) in entries(dir)? {
        if chunk_file::is_one(&name) || (answers && name == ANSWERS) {
            members.push(member(path, format!("{below}{name}"))?);
        } else if index && name == INDEX && path.is_dir() {
            below_folder(&path, &format!("{below}{name}/"), &mut members)?;
        }
    }
    Ok(members)
}

fn below_folder(dir: &Path, below: &str, members: &mut Vec<Member>) -> Result<()> {
    for (path, name) in entries(dir)? {
        if path.is_dir() {
            below_folder(&path, &format!("{below}{name}/"), members)?;
        } else {
            members.push(member(path, format!("{below}{name}"))?);
        }
    }
    Ok(())
}

fn member(path: PathBuf, name: String) -> Result<Member> {
    match fs::metadata(&path) {
        Ok(data) => Ok(Member { bytes: data.len(), path, name }),
        Err(source) => Err(Error::Read { path, source }),
    }
}

/// What is in a folder, in the order of names: the same recording gives the same archive.
fn entries(dir: &Path) -> Result<Vec<(PathBuf, String)>> {
    let cannot = |source| Error::Read { path: dir.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(dir).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        if let Some(name) = entry.file_name().to_str() {
            entries.push((entry.path(), name.to_owned()));
        }
    }
    entries.sort();
    Ok(entries)
}
