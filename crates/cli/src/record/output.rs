//! The folder that a recording goes to. Files that are not a recording's are never removed, whatever `--force` says.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use collector::Summary;

use crate::record::gradle::SCRIPT as GRADLE_SCRIPT;

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

    /// Removes what was recorded, and the folder if we made it.
    pub fn discard(&self) {
        let _ = empty(&self.dir, true);
        self.abandon();
    }

    /// Removes what we made, if nothing else is in it.
    pub fn abandon(&self) {
        if self.abandoned.replace(true) {
            return;
        }
        let _ = fs::remove_file(self.dir.join(AGENT_OPTIONS));
        let _ = fs::remove_dir_all(self.dir.join(SHIM));
        let _ = fs::remove_file(self.dir.join(GRADLE_SCRIPT));
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
    let mut stranger = first_stranger(&entries)?;
    for folder in entries.iter().filter(|path| path.is_dir() && is_jvm_folder(path)) {
        stranger = stranger.or(first_stranger(&list(folder)?)?);
    }
    if let Some(stranger) = stranger {
        bail!(
            "{} is not part of a recording: inquest removes nothing else, give another folder with -o",
            stranger.display()
        );
    }
    // The manifest first: what is left of an interrupted removal is no recording any more. What was recorded last: by it
    // the rest is known to be a recording's.
    let (last, rest): (Vec<_>, Vec<_>) = entries.iter().partition(|path| is_chunk_file(path));
    let manifests = entries.iter().filter(|path| path.ends_with(trace::manifest::FILE));
    for path in manifests.chain(rest).chain(last) {
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

/// Something in a folder of recordings that is not ours.
fn first_stranger(entries: &[PathBuf]) -> Result<Option<PathBuf>> {
    let recorded = entries.iter().any(|path| is_chunk_file(path));
    let several = entries.iter().any(|path| path.is_dir() && is_jvm_folder(path));
    for path in entries {
        let ours =
            belongs_to_recording(path) || recorded && is_kept_beside(path)? || several && is_testimony(path);
        if !ours {
            return Ok(Some(path.clone()));
        }
    }
    Ok(None)
}

/// What is kept beside what was recorded: answers (`answers.old1`: those that were set aside), and what was worked out.
fn is_kept_beside(path: &Path) -> Result<bool> {
    let name = name_of(path);
    if path.is_dir() {
        let known = ["index", "index.new", "analysis"].contains(&name);
        return Ok(known && list(path)?.iter().all(|inner| is_worked_out(inner)));
    }
    let set_aside = |rest: &str| rest.is_empty() || rest.starts_with(".old");
    Ok(name == "index.lock" || name.strip_prefix("answers").is_some_and(set_aside))
}

/// Names of files in the folders of what was worked out: plain words, most of them without an extension.
fn is_worked_out(path: &Path) -> bool {
    let word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let (name, extension) = name_of(path).split_once('.').unwrap_or((name_of(path), "new"));
    if path.is_dir() {
        let inside = || list(path).unwrap_or_default();
        return name_of(path) == "tables"
            && inside().iter().all(|inner| inner.is_file() && is_worked_out(inner));
    }
    word(name) && (["new", "json", "library", "program"].contains(&extension) || extension.ends_with(".tmp"))
}

fn is_chunk_file(path: &Path) -> bool {
    let number = name_of(path).strip_prefix("chunks-").and_then(|rest| rest.strip_suffix(".inq"));
    number.is_some() && !path.is_dir()
}

fn is_jvm_folder(path: &Path) -> bool {
    name_of(path).strip_prefix("jvm-").is_some_and(|pid| pid.parse::<u32>().is_ok())
}

/// What is kept of tests that passed, in the folder of a run with several JVMs.
fn is_testimony(path: &Path) -> bool {
    let beside = name_of(path).strip_prefix(session::TESTIMONY_FILE);
    beside.is_some_and(|rest| rest.is_empty() || rest == ".tmp") && !path.is_dir()
}

fn belongs_to_recording(path: &Path) -> bool {
    let name = name_of(path);
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
        GRADLE_SCRIPT,
    ];
    if path.is_dir() {
        return is_jvm_folder(path) || name == SHIM || name.starts_with("rest-");
    }
    is_chunk_file(path) || known.contains(&name)
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
    fn force_replaces_what_was_worked_out_and_said_about_a_recording_with_it() {
        let beside = [
            "index/calls",
            "index/index.json",
            "index/tables/objects.program",
            "index.new/calls",
            "index.lock",
            "analysis/executed",
            "analysis/points-to.123.tmp",
            "answers",
            "answers.old1",
        ];
        for place in ["", "jvm-12/"] {
            let with = |names: &[&str]| -> Vec<String> {
                names.iter().map(|name| format!("{place}{name}")).collect()
            };
            let folder = |names: &[String]| folder(&names.iter().map(String::as_str).collect::<Vec<_>>());
            let recording = folder(&with(&[&beside[..], &["manifest.json", "chunks-000.inq"]].concat()));
            assert_eq!(prepare(&recording, true), Ok(()), "{place}");
            assert_eq!(fs::read_dir(recording.path()).unwrap().count(), 1, "only the agent's options");
            for stranger in
                ["index/thesis.tex", "index/tables/a/b", "index/deep/er", "answers.txt", "analysis/a.png"]
            {
                let mixed = folder(&with(&["manifest.json", "chunks-000.inq", stranger]));
                assert!(prepare(&mixed, true).unwrap_err().contains("not part of a recording"), "{stranger}");
            }
            // Names that many folders have are ours only where something was recorded.
            for alone in beside {
                let other = folder(&with(&["manifest.json", alone]));
                assert!(prepare(&other, true).unwrap_err().contains("not part of a recording"), "{alone}");
            }
        }
    }

    #[test]
    fn force_replaces_what_was_left_of_tests_that_passed() {
        let run = folder(&["jvm-12/manifest.json", "testimony", "testimony.tmp"]);
        assert_eq!(prepare(&run, true), Ok(()));
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 1, "only the agent's options");
        for other in [["jvm-x/manifest.json", "testimony"], ["jvm-12/manifest.json", "testimony/of.tex"]] {
            assert!(prepare(&folder(&other), true).unwrap_err().contains("not part of a recording"));
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
