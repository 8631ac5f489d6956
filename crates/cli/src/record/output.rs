//! The folder that a recording goes to. Files that are not a recording's are never removed, whatever `--force` says.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use collector::Summary;

/// Name of the file that tells the agents what to do.
pub const AGENT_OPTIONS: &str = "agent.options";
/// Name of the folder with stand-ins for `java`.
pub const SHIM: &str = "shim";

pub struct Output {
    dir: PathBuf,
    /// We made it, so that we may remove it if nothing gets into it.
    created: bool,
    abandoned: Cell<bool>,
}

impl Output {
    /// Makes sure that `dir` is there, writable and empty.
    pub fn prepare(dir: &Path, force: bool) -> Result<Output> {
        let created = !dir.exists();
        if !created {
            if !dir.is_dir() {
                bail!("{} is not a folder: give another with -o", dir.display());
            }
            empty(dir, force)?;
        }
        fs::create_dir_all(dir).with_context(|| {
            format!("cannot create the output folder {}; give another with -o", dir.display())
        })?;
        let probe = dir.join(AGENT_OPTIONS);
        fs::write(&probe, "").with_context(|| {
            format!("cannot write to the output folder {}; give another with -o", dir.display())
        })?;
        let dir = dir.canonicalize().with_context(|| format!("cannot resolve {}", dir.display()))?;
        Ok(Output { dir, created, abandoned: Cell::new(false) })
    }

    /// Absolute, links resolved.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// After the run: puts a single recording where the user wants it. True if it is there.
    pub fn settle(&self, summary: &Summary) -> bool {
        if summary.jvms.is_empty() {
            self.abandon();
            return false;
        }
        match collector::gather(&self.dir) {
            Ok(moved) => moved,
            Err(error) => {
                // It can be read where it is.
                eprintln!("inquest: {error}");
                false
            }
        }
    }

    /// Removes what we made, if nothing else is in it.
    pub fn abandon(&self) {
        if self.abandoned.replace(true) {
            return;
        }
        let _ = fs::remove_file(self.dir.join(AGENT_OPTIONS));
        let _ = fs::remove_dir_all(self.dir.join(SHIM));
        if self.created {
            let _ = fs::remove_dir(&self.dir);
        }
    }
}

/// Removes an old recording; refuses to if not asked to, or if there is anything else.
fn empty(dir: &Path, force: bool) -> Result<()> {
    let entries = list(dir)?;
    if entries.is_empty() {
        return Ok(());
    }
    if !force {
        bail!(
            "{} is not empty: give another folder with -o, or --force to replace a recording",
            dir.display()
        );
    }
    for entry in &entries {
        let mut inside = vec![entry.clone()];
        if entry.is_dir() && is_jvm_folder(entry) {
            inside = list(entry)?;
        }
        if let Some(stranger) = inside.iter().find(|path| !belongs_to_recording(path)) {
            bail!(
                "{} is not part of a recording: inquest removes nothing else, give another folder with -o",
                stranger.display()
            );
        }
    }
    // The manifest first: what is left of an interrupted removal is no recording any more.
    let manifests = entries.iter().filter(|path| path.ends_with(trace::manifest::FILE));
    for path in manifests.chain(entries.iter()) {
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn list(dir: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> io::Result<Vec<PathBuf>> { fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect() };
    read().with_context(|| format!("cannot list {}", dir.display()))
}

fn is_jvm_folder(path: &Path) -> bool {
    name_of(path).strip_prefix("jvm-").is_some_and(|pid| pid.parse::<u32>().is_ok())
}

fn belongs_to_recording(path: &Path) -> bool {
    let name = name_of(path);
    let is_chunk_file = name.strip_prefix("chunks-").and_then(|rest| rest.strip_suffix(".inq")).is_some();
    let known = [
        "manifest.json",
        "manifest.json.tmp",
        "pool",
        "pool.tmp",
        "pool.data",
        "lock",
        "drain.lock",
        "reserve",
        AGENT_OPTIONS,
    ];
    if path.is_dir() {
        return is_jvm_folder(path) || name == SHIM || name.starts_with("rest-");
    }
    is_chunk_file || known.contains(&name)
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        dir
    }

    fn prepare(dir: &tempfile::TempDir, force: bool) -> Result<(), String> {
        Output::prepare(dir.path(), force).map(|_| ()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_folder_is_fine_and_a_full_one_is_not() {
        assert_eq!(prepare(&folder(&[]), false), Ok(()));
        assert!(prepare(&folder(&["manifest.json"]), false).unwrap_err().contains("not empty"));
    }

    #[test]
    fn force_replaces_recordings_and_nothing_else() {
        let recording =
            folder(&["manifest.json", "chunks-000.inq", "jvm-12/manifest.json", "jvm-12/chunks-012.inq"]);
        assert_eq!(prepare(&recording, true), Ok(()));
        assert_eq!(fs::read_dir(recording.path()).unwrap().count(), 1, "only the agent's options");
        for stranger in ["thesis.tex", "jvm-12/thesis.tex", "src/Main.java", "jvm-x/manifest.json"] {
            let mixed = folder(&["manifest.json", stranger]);
            assert!(prepare(&mixed, true).unwrap_err().contains("not part of a recording"), "{stranger}");
            assert!(mixed.path().join("manifest.json").exists());
        }
    }

    #[test]
    fn a_folder_that_stays_empty_goes_away_again() {
        let dir = tempfile::tempdir().unwrap();
        let output = Output::prepare(&dir.path().join("new"), false).unwrap();
        output.abandon();
        assert!(!dir.path().join("new").exists());
        let output = Output::prepare(dir.path(), false).unwrap();
        output.abandon();
        assert!(dir.path().exists(), "this one was there before");
    }

    #[test]
    fn a_file_in_the_way_is_refused() {
        let dir = folder(&["file"]);
        assert!(Output::prepare(&dir.path().join("file"), true).is_err());
        assert!(Output::prepare(&dir.path().join("file/below"), true).is_err());
    }
}
