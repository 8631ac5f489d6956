//! `inquest report`: what failed in a run, for a pipeline and for people who were not there. What is said is gathered once and
//! written in one of several formats; who reads it may be a tool.

mod annotations;
mod gathered;
mod junit_xml;
mod repository;
mod sarif;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use words::{RunReport, run_html, run_markdown};

use crate::args::{ReportArgs, ReportFormat};
use gathered::Gathered;
pub use gathered::shell_word;

/// False if something failed.
pub fn run(typed: &ReportArgs) -> Result<bool> {
    let Gathered { report, rows } = gathered::gathered(typed)?;
    if typed.recording.json {
        let document =
            wire::RunReport { failed: report.has_failed(), failures: rows, remarks: report.remarks.clone() };
        write(typed.output.as_deref(), &(serde_json::to_string_pretty(&document)? + "\n"))?;
        return Ok(!report.has_failed());
    }
    let output = typed.output.as_deref();
    match format(typed) {
        ReportFormat::Markdown => write(output, &run_markdown(&report))?,
        ReportFormat::Html => write(output, &run_html(&report))?,
        ReportFormat::Sarif => write(output, &sarif::sarif(&report)?)?,
        ReportFormat::JunitXml => write(output, &junit_xml::junit_xml(&report))?,
        ReportFormat::Github => github(output, &report)?,
    }
    Ok(!report.has_failed())
}

/// What was asked for, or what a file of that name holds.
fn format(typed: &ReportArgs) -> ReportFormat {
    let ending = typed.output.as_deref().and_then(Path::extension).and_then(OsStr::to_str);
    typed.format.unwrap_or(match ending {
        Some("html" | "htm") => ReportFormat::Html,
        Some("sarif") => ReportFormat::Sarif,
        Some("xml") => ReportFormat::JunitXml,
        _ => ReportFormat::Markdown,
    })
}

fn write(output: Option<&Path>, text: &str) -> Result<()> {
    match output {
        Some(path) => {
            fs::write(path, text).with_context(|| format!("cannot write the report to {}", path.display()))
        }
        None => {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            Ok(out.flush()?)
        }
    }
}

/// Commands on stdout, the summary to the file that the job has for it: others may have written there before.
fn github(output: Option<&Path>, report: &RunReport) -> Result<()> {
    write(None, &annotations::annotations(report))?;
    let summary = match output {
        Some(path) => return write(Some(path), &run_markdown(report)),
        None => std::env::var_os("GITHUB_STEP_SUMMARY").filter(|name| !name.is_empty()),
    };
    let Some(path) = summary.map(PathBuf::from) else { return Ok(()) };
    let file = fs::OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(run_markdown(report).as_bytes()))
        .with_context(|| format!("cannot append the summary to {} (GITHUB_STEP_SUMMARY)", path.display()))
}
