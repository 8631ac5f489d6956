//! The last step of a run: with one JVM, the folder that the user named is the recording itself; with several, it
//! holds one folder each. Agents cannot know, so each makes its own folder, and a single one is moved up at the end.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, io};

/// The folders `jvm-PID` below `dir`, in order of their names.
pub fn jvm_folders(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let is_jvm = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.strip_prefix("jvm-")).is_some_and(|pid| pid.parse::<u32>().is_ok())
    };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_jvm).collect();
    folders.sort();
    folders
}

/// Moves a single JVM's files up to `dir`; true if that is where the recording is now. The manifest goes last: who
/// is killed before has a folder without one, and whoever opens it can call this again.
pub fn gather(dir: &Path) -> Result<bool, Error> {
    let folders = jvm_folders(dir);
    let [folder] = &folders[..] else { return Ok(false) };
    let manifest = folder.join(trace::manifest::FILE);
    if !manifest.exists() {
        return Ok(false);
    }
    for entry in fs::read_dir(folder).map_err(io("list", folder))? {
        let path = entry.map_err(io("list", folder))?.path();
        if path != manifest {
            move_up(&path, dir)?;
        }
    }
    move_up(&manifest, dir)?;
    fs::remove_dir(folder).map_err(io("remove", folder))?;
    Ok(true)
}

fn move_up(path: &Path, dir: &Path) -> Result<(), Error> {
    let Some(name) = path.file_name() else { return Ok(()) };
    fs::rename(path, dir.join(name)).map_err(io("move", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(dir: &Path) {
        fs::create_dir(dir).unwrap();
        for name in ["manifest.json", "chunks-000.inq", "chunks-001.inq"] {
            fs::write(dir.join(name), name).unwrap();
        }
    }

    #[test]
    fn a_single_recording_moves_up_even_after_an_interruption() {
        let dir = tempfile::tempdir().unwrap();
        let jvm = dir.path().join("jvm-12");
        recording(&jvm);
        fs::rename(jvm.join("chunks-000.inq"), dir.path().join("chunks-000.inq")).unwrap();
        assert!(gather(dir.path()).unwrap());
        assert!(!jvm.exists());
        for name in ["manifest.json", "chunks-000.inq", "chunks-001.inq"] {
            assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), name);
        }
    }

    #[test]
    fn several_recordings_stay_where_they_are() {
        let dir = tempfile::tempdir().unwrap();
        recording(&dir.path().join("jvm-12"));
        recording(&dir.path().join("jvm-13"));
        fs::create_dir(dir.path().join("jvm-files")).unwrap();
        assert!(!gather(dir.path()).unwrap());
        assert_eq!(jvm_folders(dir.path()).len(), 2);
    }
}
