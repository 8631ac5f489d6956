//! `inquest pack`: a recording as one file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pack::{Packed, Progress, Request, Rules, SourcePlaces};
use words::size;

use crate::args::PackArgs;
use crate::open::{self, Opened};
use crate::opened;
use crate::pager::remark;
use crate::progress::ProgressLine;
use crate::terminal::{Style, Terminal};

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
        redact: rules(&typed.redact)?,
    };
    let mut progress = ProgressLine::waiting();
    let packed = pack::pack(&request, &file, &mut |at| match at {
        Progress::Looking(round) => {
            progress.draw(|_| format!("looking for what is to be taken out, round {round}"));
        }
        Progress::Packing(done, all) => progress.share("packing", done, all),
    })?;
    progress.clear();
    say(typed, file, packed)
}

/// The rules that were named, all together.
fn rules(named: &[PathBuf]) -> Result<Option<Rules>> {
    if named.is_empty() {
        return Ok(None);
    }
    let mut rules = Rules::default();
    for file in named {
        if file.as_os_str() == "default" {
            rules.add("default")?;
            continue;
        }
        let text = fs::read_to_string(file).with_context(|| {
            format!("cannot read the rules in {}: name a file with rules, or `default`", file.display())
        })?;
        rules.add(&text).with_context(|| file.display().to_string())?;
    }
    Ok(Some(rules))
}

fn say(typed: &PackArgs, file: PathBuf, packed: Packed) -> Result<()> {
    let Packed { bytes_before, bytes, sources, redacted, answers_left_out } = packed;
    let mut out = Terminal::open();
    if typed.json {
        let (redacted_texts, redacted_values) = redacted.unwrap_or_default();
        out.json(&wire::Packed {
            file: file.display().to_string(),
            bytes,
            bytes_before,
            sources,
            redacted: redacted.is_some(),
            redacted_texts,
            redacted_values,
            answers_left_out,
        })?;
        out.flush()?;
        return Ok(());
    }
    let files = if sources == 1 { "source file" } else { "source files" };
    let mut said = format!("{}, {} before, with {sources} {files}", size(bytes), size(bytes_before));
    if let Some((texts, values)) = redacted {
        let (one, other) =
            (if texts == 1 { "text" } else { "texts" }, if values == 1 { "value" } else { "values" });
        said.push_str(&format!(
            ", {texts} {one} taken out everywhere and {values} {other} where rules mean them"
        ));
    }
    out.line(&[(Style::Bold, &file.display().to_string()), (Style::Plain, &format!(": {said}"))])?;
    out.flush()?;
    if answers_left_out {
        remark("what was answered is left out, because a text in it was taken out");
    }
    remark(match redacted {
        None => {
            "a recording holds what the program handled, passwords included: --redact default takes them out"
        }
        Some((0, 0)) => {
            "nothing was recorded that these rules mean: `inquest pack --help` says what `default` means and how to write more"
        }
        Some(_) => {
            "numbers, and what was computed from a text in a way that is not known here (encrypted, hashed), are still in it"
        }
    });
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
