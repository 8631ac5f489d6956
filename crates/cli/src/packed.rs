//! Packed recordings on the command line. Before a command runs, each file that it names instead of a folder is
//! unpacked, once: below the user's data, by its content, so that it is found again wherever the file lies then, and
//! what is answered is kept there like in every recording.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pack::Archived;
use session::OracleSpec;

use crate::args::Command;
use crate::pager::remark;
use crate::progress::ProgressLine;

/// What of a command names recordings, and where the sources that come with them belong.
struct Named<'c> {
    dir: Option<&'c mut PathBuf>,
    sources: Option<&'c mut Vec<PathBuf>>,
    others: Vec<&'c mut PathBuf>,
    /// Answers may be given.
    asks: bool,
}

/// Puts folders in the place of packed files.
pub fn unpack(command: &mut Command) -> Result<()> {
    let Some(named) = named(command) else { return Ok(()) };
    for other in named.others {
        if let Some((folder, _)) = unpacked(other)? {
            *other = folder;
        }
    }
    let Some(dir) = named.dir else { return Ok(()) };
    let Some((folder, is_new)) = unpacked(dir)? else { return Ok(()) };
    if named.asks || is_new {
        remark(format!(
            "{} is unpacked in {}: what you answer is kept there",
            dir.display(),
            folder.display()
        ));
    }
    let sources = folder.join(pack::SOURCES);
    if let Some(list) = named.sources
        && sources.is_dir()
    {
        list.push(sources);
    }
    *dir = folder;
    Ok(())
}

fn named(command: &mut Command) -> Option<Named<'_>> {
    fn recording(typed: &mut crate::args::RecordingArgs) -> Named<'_> {
        let (dir, sources) = (Some(&mut typed.dir), Some(&mut typed.source));
        Named { dir, sources, others: Vec::new(), asks: false }
    }
    fn bare(dir: &mut PathBuf) -> Named<'_> {
        Named { dir: Some(dir), sources: None, others: Vec::new(), asks: false }
    }
    fn by_oracles(oracles: &mut [OracleSpec]) -> Vec<&mut PathBuf> {
        fn path(oracle: &mut OracleSpec) -> Option<&mut PathBuf> {
            match oracle {
                OracleSpec::Reference(path) | OracleSpec::Tests(path) => Some(path),
                _ => None,
            }
        }
        oracles.iter_mut().filter_map(path).collect()
    }
    Some(match command {
        Command::Ask(typed) => {
            let others = by_oracles(&mut typed.dialogue.search.oracle);
            Named { others, asks: !typed.summary, ..recording(&mut typed.recording) }
        }
        Command::Open(typed) => Named {
            dir: typed.dir.as_mut(),
            sources: Some(&mut typed.source),
            others: by_oracles(&mut typed.search.oracle),
            asks: true,
        },
        Command::Run(typed) => Named {
            dir: None,
            sources: None,
            others: by_oracles(&mut typed.dialogue.search.oracle),
            asks: false,
        },
        Command::Test(typed) => Named {
            dir: None,
            sources: None,
            others: by_oracles(&mut typed.dialogue.search.oracle),
            asks: false,
        },
        Command::Symptoms(typed) => {
            let mut others = by_oracles(&mut typed.oracle);
            others.extend(typed.reference.as_mut());
            Named { others, ..recording(&mut typed.recording) }
        }
        Command::Simulate(typed) => recording(&mut typed.recording),
        Command::Tree(typed) => recording(&mut typed.recording),
        Command::Show(typed) => recording(&mut typed.recording),
        Command::Events(typed) => recording(&mut typed.recording),
        Command::History(typed) => recording(&mut typed.recording),
        Command::State(typed) => recording(&mut typed.recording),
        Command::Find(typed) => recording(&mut typed.recording),
        Command::Slice(typed) => recording(&mut typed.recording),
        Command::Omissions(typed) => recording(&mut typed.recording),
        Command::Step(typed) => recording(&mut typed.recording),
        Command::Report(typed) => recording(&mut typed.recording),
        Command::Stats(typed) => bare(&mut typed.dir),
        Command::Verify(typed) => bare(&mut typed.dir),
        Command::Dump(typed) => bare(&mut typed.dir),
        Command::Pack(typed) => Named { sources: Some(&mut typed.source), ..bare(&mut typed.dir) },
        Command::Record(_) | Command::Doctor(_) | Command::Version(_) | Command::Generate(_) => return None,
    })
}

/// The folder that a packed file is unpacked in, and whether it was unpacked just now; none if it is no such file.
fn unpacked(file: &Path) -> Result<Option<(PathBuf, bool)>> {
    if !pack::is_archive(file) {
        return Ok(None);
    }
    let archived = Archived::open(file)?;
    let all = session::data_folder()
        .context("there is no place to unpack recordings: set XDG_DATA_HOME to a folder that can be written")?
        .join("unpacked");
    let name = format!("{}-{}", plain(&archived.label.name), &archived.identity()[..16]);
    let folder = all.join(&name);
    if folder.exists() {
        return Ok(Some((folder, false)));
    }
    fs::create_dir_all(&all).with_context(|| format!("cannot make {}", all.display()))?;
    remove_leftovers(&all);
    let temporary = Temporary(all.join(format!(".{name}.{}", std::process::id())));
    let mut progress = ProgressLine::waiting();
    archived.unpack(&temporary.0, &mut |done, all| progress.share("unpacking", done, all))?;
    progress.clear();
    // Another process may have been faster: then its folder is as good.
    if let Err(error) = fs::rename(&temporary.0, &folder)
        && !folder.exists()
    {
        return Err(error).with_context(|| format!("cannot make {}", folder.display()));
    }
    Ok(Some((folder, true)))
}

/// A folder that is gone afterwards, unless it got another name.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Folders that processes were unpacking to which are no more.
fn remove_leftovers(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with('.')) else { continue };
        let process = name.rsplit('.').next().and_then(|number| number.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A name from elsewhere, as one of a folder.
fn plain(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name: String = name.chars().take(40).map(|c| if kept(c) { c } else { '-' }).collect();
    if name.is_empty() { "recording".to_owned() } else { name }
}
