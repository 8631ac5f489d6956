//! What is said about reports of a run, and about the machine and the program itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::RecordingArgs;

/// Report what failed in a run, for a pipeline or for people who were not there
///
/// Each symptom with its test, its message, what was expected and what was; the places where the fault is likeliest, with how
/// likely that is (a belief from what ran, never a verdict); and how to open the recording. Takes the folder of a run with
/// several JVMs.
///
/// markdown and html are for people. sarif (2.1.0) and junit-xml are for tools: the annotations of a code host, the list of a
/// pipeline's tests. github prints workflow commands, which GitHub shows beside the lines, and appends the Markdown to the file
/// that GITHUB_STEP_SUMMARY names, or writes it to -o.
///
/// In a job of GitHub or GitLab, places become links to the commit.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 nothing failed, 1 something failed, 2 bad input, or nothing of a program was recorded.

Example:
  inquest report recordings/tests
  inquest report recordings/tests --format html -o failures.html
  inquest report recordings/tests --format github --changed origin/main
  inquest report recordings/tests --format junit-xml -o inquest.xml
  inquest report recordings/tests --format markdown --artifact 'the artifact inquest'"
)]
pub struct ReportArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// How it is written [default: by the name of FILE, otherwise markdown]
    #[arg(long, value_name = "F", value_enum, conflicts_with = "json")]
    pub format: Option<ReportFormat>,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What was changed since it last worked, likely to be wrong: a revision for `git diff`, a file with a diff, or -
    #[arg(long, value_name = "REV|FILE|-")]
    pub changed: Option<String>,
    /// Say that the recording is kept there: the name of an artifact, or an address
    #[arg(long, value_name = "WHERE")]
    pub artifact: Option<String>,
    /// Look for the likeliest places of so many symptoms, the most telling first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub places: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Markdown,
    Html,
    /// The Static Analysis Results Interchange Format 2.1.0, as JSON
    Sarif,
    /// The failed tests; their places in the text of each failure
    JunitXml,
    /// Workflow commands of GitHub Actions, and a job summary
    Github,
}

/// Say what will work on this machine, and what to do about the rest
///
/// Starts each Java that it finds with the recorder in it. Exit code 1 if programs cannot be recorded here.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest doctor
  inquest doctor --json")]
pub struct DoctorArgs {
    /// As one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Write the man pages and the completions for bash, zsh and fish to a folder
///
/// Laid out as below a prefix: share/man/man1, share/bash-completion, share/zsh, share/fish.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest generate ~/.local")]
pub struct GenerateArgs {
    /// The prefix
    pub dir: PathBuf,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// In a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}
