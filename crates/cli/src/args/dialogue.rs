//! What is said about a dialogue: `ask`, `open`, `simulate`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use session::{OracleSpec, Strategy, Transform};

use super::RecordingArgs;
use super::recording::RecordOptions;
use crate::ask::reply;

/// Find the bug in a recording by answering questions
///
/// Each question is about one call (or several together): what it got, what it gave, what it changed. With a few
/// answers the guilty code is found. Everything that is said is kept in the recording's folder at once; a session that
/// was left is gone on with.
#[derive(Debug, Args)]
#[command(after_help = ask_help())]
pub struct AskArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    #[command(flatten)]
    pub symptom: SymptomArgs,
    /// Begin at the first line of output with this text in it, which is wrong
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["root", "symptom", "request"])]
    pub output: Option<String>,
    #[command(flatten)]
    pub dialogue: DialogueArgs,
    /// Ask nothing: say how long the last hunt took, and on what
    #[arg(long)]
    pub summary: bool,
}

/// Which symptom of a recorded run a session begins at.
#[derive(Debug, Args)]
pub struct SymptomArgs {
    /// Begin at this symptom, by its number in `inquest symptoms` [default: the first]
    #[arg(long, value_name = "N", conflicts_with_all = ["root", "request"])]
    pub symptom: Option<usize>,
    /// Begin at this request of a server, by its number in `inquest symptoms --requests`
    #[arg(long, value_name = "N", conflicts_with = "root")]
    pub request: Option<usize>,
}

/// List what went wrong in a run, over all its JVMs
///
/// Failed tests (JUnit 3, 4, 5, TestNG) with what they expected and what was, uncaught exceptions, null and index errors
/// with the expression that was at fault, expected exceptions that did not come, requests that failed, calls that never
/// ended: the most telling first. Exit code 1 if nothing failed.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest symptoms recordings/tests
  inquest symptoms recordings/tests --reference recordings/good --json
  inquest symptoms recordings/shop --output 'total: 40'")]
pub struct SymptomsArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// A recording of a good version: what fails there too comes last
    #[arg(long, value_name = "DIR")]
    pub reference: Option<PathBuf>,
    /// As in `ask`: of reference:DIR, what fails there too comes last
    #[arg(long, value_name = "O")]
    pub oracle: Vec<OracleSpec>,
    /// Lines of output with this text in them, instead
    #[arg(long, value_name = "TEXT")]
    pub output: Option<String>,
    /// All requests of a server, instead
    #[arg(long, conflicts_with = "output")]
    pub requests: bool,
    /// Stop after so many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub limit: usize,
}

/// Debug a recording on a page in the browser
///
/// The page is served to this machine only, under an address with a random token; nothing is sent anywhere. What is
/// answered there and in `ask` is the same session. Ends with Ctrl-C; everything is kept.
///
/// With a command, it is recorded and can be debugged at once. Its input, output and exit code are its own, so the address
/// goes to stderr. While it runs, Ctrl-C is for the command; afterwards the page stays until Ctrl-C.
///
/// Options of `record` are for a command. `--memory` with a recording is for caches and buffers [default: 512M].
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest open recordings/sort
  inquest open recordings/sort --no-browser --port 8080
  inquest open -o recordings/sort -- java -cp classes MergeSort 3 1 2")]
pub struct OpenArgs {
    /// The recording; if it is still being made, it is followed
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub record: RecordOptions,
    #[command(flatten)]
    pub symptom: SymptomArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    /// Where sources are: a folder, a file or an archive (repeatable)
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// Only print the address
    #[arg(long)]
    pub no_browser: bool,
    /// Listen on this port [default: a free one]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// The command to record, with its arguments
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// What `ask` and `run` both understand.
#[derive(Debug, Args)]
pub struct DialogueArgs {
    #[command(flatten)]
    pub search: SearchArgs,
    /// Take answers from this file, or from stdin with `-`
    #[arg(long, value_name = "FILE|-")]
    pub answers: Option<PathBuf>,
    /// Write the report to this file: as a page of its own if the name ends in .html, else as Markdown
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write a JUnit test that reproduces the wrong call to this folder
    #[arg(long, value_name = "DIR")]
    pub junit: Option<PathBuf>,
    /// When the guilty call is found, go on to its statements
    #[arg(long)]
    pub zoom: bool,
}

/// Where and how a bug is looked for.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The call that shows the symptom [default: that of the first symptom, or main]
    #[arg(long, value_name = "CALL")]
    pub root: Option<String>,
    /// Ask about the root too, instead of taking it as wrong: first, unless a strategy is named
    #[arg(long)]
    pub ask_root: bool,
    #[arg(long, value_name = "S", help = strategy_help())]
    pub strategy: Option<Strategy>,
    /// Prefer questions that are easy to answer, where that costs few more of them
    #[arg(long)]
    pub easy: bool,
    #[arg(long, help = transform_help(), value_name = "T,…", value_delimiter = ',', value_parser = parse_transform)]
    pub transform: Vec<Option<Transform>>,
    /// Who answers: user, reference:DIR, tests:DIR, remembered, command:CMD (repeatable; the first that knows)
    #[arg(long, value_name = "O")]
    pub oracle: Vec<OracleSpec>,
    /// How long an answer of command:CMD is waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub oracle_wait: u64,
    /// Trust this method, class or package, as `MergeSort.merge`, `com.acme.Sorter` or `com.acme` (repeatable)
    #[arg(long, value_name = "NAME")]
    pub trust: Vec<String>,
    /// Do not trust what is trusted by default or was before (repeatable)
    #[arg(long, value_name = "NAME")]
    pub distrust: Vec<String>,
    /// What was changed since it last worked, likely to be wrong: a revision for `git diff`, a file with a diff, or - (belief)
    #[arg(long, value_name = "REV|FILE|-")]
    pub changed: Option<String>,
    /// Ask until the verdict is certain, however likely it is before (belief)
    #[arg(long)]
    pub certain: bool,
    /// Begin anew, whatever was answered before
    #[arg(long)]
    pub fresh: bool,
}

/// Count the questions that strategies need, with every call as the bug in turn
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest simulate recordings/sort --strategy all --transform balance
  inquest simulate recordings/sort --root MergeSort.sort#1 --strategy top-down,dq-optimal")]
pub struct SimulateArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// The call under which the bug is [default: as in ask]
    #[arg(long, value_name = "CALL")]
    pub root: Option<String>,
    /// The root is asked about too
    #[arg(long)]
    pub ask_root: bool,
    /// Strategies with commas, or all
    #[arg(long, value_name = "S,…", value_delimiter = ',', default_value = "all")]
    pub strategy: Vec<String>,
    #[arg(long, help = simulated_transform_help(), value_name = "T,…", value_delimiter = ',', value_parser = parse_transform)]
    pub transform: Vec<Option<Transform>>,
}

fn strategy_help() -> String {
    format!("How questions are chosen; all are listed below [default: {}]", Strategy::DEFAULT)
}

fn transform_help() -> String {
    let names = Transform::DEFAULT.map(|one| one.to_string()).join(",");
    format!(
        "How the tree is changed before: {}; several with commas [default: {names} for a person who names no strategy]",
        Transform::names()
    )
}

fn simulated_transform_help() -> String {
    format!("How the tree is changed before: {}; several with commas", Transform::names())
}

fn ask_help() -> String {
    format!(
        "Answers, as keys in a terminal or one per line otherwise:
{}

{}

Exit code: 0 the bug was found, 1 it was not, 2 bad input, 3 answers ran out.

A program as an oracle (command:CMD) is started once by a shell. It gets each question as a line of JSON, as --json shows it, and
answers with one: {{\"answer\": \"y\", \"why\": \"…\", \"reliability\": 0.9}}, d if it does not know. What it calls wrong with less than 1
is confirmed by you before anything is blamed.

Example:
  inquest ask recordings/sort
  inquest ask recordings/tests --symptom 2
  inquest ask recordings/shop --output 'total: 40'
  inquest ask recordings/sort --root MergeSort.sort#1 --strategy top-down --answers answers.txt --json
  inquest ask recordings/sort --summary
  inquest ask recordings/sort --strategy belief --changed HEAD~1
  inquest ask recordings/new --oracle reference:recordings/old --oracle user --report bug.md
  inquest ask recordings/sort --oracle 'command:python3 spec.py'",
        reply::overview(),
        strategies(),
    )
}

/// All strategies by name, in lines that a page of this width holds.
fn strategies() -> String {
    const WIDTH: usize = 120;
    let mut lines = vec!["Strategies:".to_owned()];
    for strategy in Strategy::ALL {
        let line = lines.len() - 1;
        if lines[line].len() + 1 + strategy.name().len() > WIDTH {
            lines.push(format!("  {strategy}"));
        } else {
            lines[line].push_str(&format!(" {strategy}"));
        }
    }
    lines.join("\n")
}

fn parse_transform(text: &str) -> Result<Option<Transform>, String> {
    if text == Transform::NONE {
        Ok(None)
    } else {
        text.parse().map(Some).map_err(|error| format!("{error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strategies_are_listed_in_lines_of_a_page() {
        assert_eq!(
            strategies(),
            "Strategies: single-step top-down top-down-zoom heaviest-first more-rules dq-shapiro dq-hirunkitti dq-nearest dq-optimal
  divide-by-rules less-yes divide-by-yes dynamic-weight hat-delta coverage-edge coverage-defuse optimal belief"
        );
    }
}
