//! What was changed since it last worked: a diff from a file, from stdin, or made by `git`.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use session::Changed;

/// A revision, a file with a diff, or `-` for stdin.
pub fn changed(named: &str) -> Result<Changed> {
    let diff = match named {
        "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("cannot read the diff from stdin")?;
            text
        }
        path if Path::new(path).is_file() => {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read the diff in {path}"))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        revision => since(revision)?,
    };
    Changed::parse(&diff).with_context(|| format!("cannot take what was changed from {named}"))
}

/// What git says was changed since a revision, up to what lies in the working tree.
fn since(revision: &str) -> Result<String> {
    if revision.starts_with('-') {
        bail!("{revision} is neither a revision nor a file with a diff");
    }
    let words = ["diff", "--no-color", "--no-ext-diff", "--unified=0", revision, "--"];
    let done = Command::new("git").args(words).output().with_context(|| {
        format!("there is no file {revision}, and git cannot be run to compare with a revision")
    })?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr);
        let why = why.lines().next().unwrap_or("it does not say why");
        bail!("{revision} is no file with a diff, and git cannot compare with it: {why}");
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
