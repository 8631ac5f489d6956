//! `inquest pack`: a recording as one file.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pack::{Packed, Request, SourcePlaces};
use serde::Serialize;
use words::size;

use crate::args::PackArgs;
use crate::open::{self, Opened};
use crate::opened;
use crate::pager::remark;
use crate::progress::ProgressLine;
use crate::terminal::{Style, Terminal};

/// What was packed, for programs.
#[derive(Serialize)]
struct Report {
    file: PathBuf,
    bytes: u64,
    bytes_before: u64,
    sources: usize,
}

pub fn run(typed: &PackArgs) -> Result<()> {
    let recordings = open::all(&typed.dir)?;
    for place in &recordings {
        if let Opened::Running(..) = open::as_it_is(place.clone()) {
            bail!("{} is still being recorded: pack it when the program has ended", place.display());
        }
        if typed.index {
            opened::past(Opened::Finished(place.clone()), &past::Settings::default())?;
        }
    }
    let file = match &typed.output {
        Some(file) => file.clone(),
        None => beside(&typed.dir)?,
    };
    let sources = (!typed.no_sources)
        .then(|| SourcePlaces { named: typed.source.clone(), working_folder: std::env::current_dir().ok() });
    let request = Request {
        // A single recording may lie in the folder of its JVM.
        folder: match recordings.as_slice() {
            [one] => one.clone(),
            _ => typed.dir.clone(),
        },
        recordings,
        index: typed.index,
        answers: !typed.no_answers,
        sources,
    };
    let mut progress = ProgressLine::waiting();
    let packed = pack::pack(&request, &file, &mut |done, all| progress.share("packing", done, all))?;
    progress.clear();
    say(typed, file, packed)
}

fn say(typed: &PackArgs, file: PathBuf, packed: Packed) -> Result<()> {
    let Packed { bytes_before, bytes, sources } = packed;
    let mut out = Terminal::open();
    if typed.json {
        out.json(&Report { file, bytes, bytes_before, sources })?;
    } else {
        let files = if sources == 1 { "source file" } else { "source files" };
        let said = format!("{}, {} before, with {sources} {files}", size(bytes), size(bytes_before));
        out.line(&[(Style::Bold, &file.display().to_string()), (Style::Plain, &format!(": {said}"))])?;
        remark(
            "a recording holds what the program handled, passwords included: hand it on as you would hand on that",
        );
    }
    out.flush()?;
    Ok(())
}

/// The folder's name with our ending, in the folder that it is in.
fn beside(dir: &Path) -> Result<PathBuf> {
    let whole = dir.canonicalize()?;
    match (whole.file_name(), dir.file_name()) {
        (_, Some(name)) => Ok(dir.with_file_name(format!("{}.inquest", name.to_string_lossy()))),
        (Some(name), None) => Ok(whole.with_file_name(format!("{}.inquest", name.to_string_lossy()))),
        (None, None) => bail!("{} has no name: say with -o how the file is to be called", dir.display()),
    }
}
