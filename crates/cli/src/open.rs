//! From the folder that a user names to the recording in it. A run with several JVMs has several; one whose recorder
//! was killed is finished first.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use collector::{LiveTail, Salvage};
use trace::{Recording, Tail};

/// The recordings that a folder holds: itself, or one per JVM.
pub fn all(dir: &Path) -> Result<Vec<PathBuf>> {
    if !dir.exists() {
        bail!("there is no {}: give the folder that `inquest record` wrote", dir.display());
    }
    if has_manifest(dir) {
        finish(dir);
        return Ok(vec![dir.to_path_buf()]);
    }
    let folders: Vec<_> =
        collector::jvm_folders(dir).into_iter().filter(|folder| has_manifest(folder)).collect();
    if folders.is_empty() {
        bail!("{} is not a recording: give the folder that `inquest record` wrote", dir.display());
    }
    for folder in &folders {
        finish(folder);
    }
    // Killed while moving a single recording's files up: some are here, some there.
    let is_torn = dir.join(trace::frame::file_name(0)).exists();
    if is_torn && collector::gather(dir)? {
        return Ok(vec![dir.to_path_buf()]);
    }
    Ok(folders)
}

/// The one recording in a folder.
pub fn one(dir: &Path) -> Result<PathBuf> {
    let mut found = all(dir)?;
    if found.len() == 1 {
        return Ok(found.remove(0));
    }
    let names: Vec<_> = found.iter().map(|path| format!("  {}", path.display())).collect();
    bail!(
        "{} holds {} recordings, one per JVM: name one of\n{}",
        dir.display(),
        found.len(),
        names.join("\n")
    )
}

/// A recording to look into.
pub enum Opened {
    Finished(PathBuf),
    /// It is still being recorded; with what is not in its files yet.
    Running(PathBuf, Option<Box<dyn Tail + Send>>),
}

/// A recording that `all` or `one` found, finished or not.
pub fn as_it_is(place: PathBuf) -> Opened {
    match LiveTail::open(&place) {
        Some(tail) => Opened::Running(place, Some(Box::new(tail))),
        None => Opened::Finished(place),
    }
}

/// Opens a recording that `all` or `one` found. One that still grows is shown as far as it has come, with what is
/// in memory only.
pub fn recording(place: &Path) -> Result<Recording> {
    Ok(match LiveTail::open(place) {
        Some(tail) => Recording::follow(place, Some(Box::new(tail)), None)?,
        None => Recording::open(place)?,
    })
}

/// What cannot be finished can still be read, so problems are only told.
fn finish(dir: &Path) {
    let shown = dir.display();
    match collector::salvage(dir) {
        Ok(Salvage::NotNeeded) => {}
        Ok(Salvage::StillRunning) => {
            eprintln!("inquest: {shown} is still being recorded: this is what there is so far");
        }
        Ok(Salvage::Done(_)) => {
            eprintln!("inquest: the recorder of {shown} was killed; took over what it had left")
        }
        Ok(Salvage::PoolLost) => {
            eprintln!("inquest: the recorder of {shown} was killed, and what it had in memory is lost")
        }
        Err(error) => eprintln!("inquest: {shown} could not be finished: {error}"),
    }
}

pub fn has_manifest(dir: &Path) -> bool {
    dir.join(trace::manifest::FILE).exists()
}

/// Does its manifest say how it ended?
pub fn has_ended(dir: &Path) -> bool {
    trace::Manifest::load(dir).is_ok_and(|manifest| manifest.ended.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn recording(dir: &Path) {
        fs::create_dir_all(dir).unwrap();
        trace::Manifest::default().store(dir).unwrap();
    }

    #[test]
    fn a_recording_is_found_directly_and_one_level_down() {
        let dir = tempfile::tempdir().unwrap();
        assert!(one(dir.path()).unwrap_err().to_string().contains("is not a recording"));
        assert!(one(&dir.path().join("none")).unwrap_err().to_string().contains("there is no"));
        let jvm = dir.path().join("jvm-12");
        recording(&jvm);
        assert_eq!(one(dir.path()).unwrap(), jvm);
        assert_eq!(one(&jvm).unwrap(), jvm);
        recording(&dir.path().join("jvm-13"));
        let error = one(dir.path()).unwrap_err().to_string();
        assert!(error.contains("jvm-12") && error.contains("jvm-13"), "{error}");
        assert_eq!(all(dir.path()).unwrap().len(), 2);
    }

    #[test]
    fn a_recording_torn_while_moving_up_is_put_together() {
        let dir = tempfile::tempdir().unwrap();
        let jvm = dir.path().join("jvm-12");
        recording(&jvm);
        fs::write(dir.path().join("chunks-000.inq"), "").unwrap();
        fs::write(jvm.join("chunks-001.inq"), "").unwrap();
        assert_eq!(one(dir.path()).unwrap(), dir.path());
        assert!(dir.path().join("chunks-001.inq").exists());
    }
}
