//! What is said about recording: `record`, `run`, and `open` with a command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::dialogue::DialogueArgs;
use words::parse_size;

/// Run a command and record every Java program in it
///
/// The command's input, output and exit code are its own; what inquest has to say goes to stderr at the end.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest record -o recordings/sort -- java -cp classes MergeSort 3 1 2
  inquest record --include com.acme -- mvn -q test")]
pub struct RecordArgs {
    #[command(flatten)]
    pub options: RecordOptions,
    /// The command to run, with its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// How a command is recorded.
#[derive(Debug, Args)]
pub struct RecordOptions {
    /// Folder for the recording [default: recordings/NAME-TIME]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Also record this package or class, e.g. from a library (repeatable)
    #[arg(long, value_name = "PKG", value_parser = parse_package)]
    pub include: Vec<String>,

    /// Treat this package or class as a library (repeatable)
    #[arg(long, value_name = "PKG", value_parser = parse_package)]
    pub exclude: Vec<String>,

    /// How much to record
    #[arg(long, value_enum, default_value_t = DetailArg::Full)]
    pub detail: DetailArg,

    /// Memory for what is not yet on disk, e.g. 512M [default: a quarter of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Characters of a string that are kept
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_string: u32,

    /// Elements kept of an array that a library returned or changed
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_array: u32,

    /// Replace the recording that is in the output folder
    #[arg(long)]
    pub force: bool,

    /// No progress line and no summary
    #[arg(short, long)]
    pub quiet: bool,

    /// Instrument everything and record nothing (for checking that every class links)
    #[arg(long, hide = true)]
    pub weave_only: bool,
}

/// Run a command, record it, and ask as soon as there is something to ask
///
/// Only calls that have ended are asked about. The program's output and exit code are its own. If answers come from
/// stdin, the program's own input is empty.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest run -o recordings/sort -- java -cp classes MergeSort 3 1 2
  inquest run --oracle reference:recordings/good -- java -jar junit.jar -cp classes --scan-classpath")]
pub struct RunArgs {
    #[command(flatten)]
    pub record: RecordArgs,
    #[command(flatten)]
    pub dialogue: DialogueArgs,
    /// Where sources are: a folder, a file or an archive (repeatable)
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Stop the program when the bug is found
    #[arg(long)]
    pub stop: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DetailArg {
    /// Calls, arguments, results
    Calls,
    /// Also field, static and array writes, and allocations
    Heap,
    /// Also local variables and branches
    Full,
}

impl DetailArg {
    /// As the agent's options and the manifest spell it.
    pub fn name(self) -> &'static str {
        match self {
            DetailArg::Calls => "calls",
            DetailArg::Heap => "heap",
            DetailArg::Full => "full",
        }
    }
}

/// A package or class name with dots; `com.acme.*` and `com/acme` are understood too.
fn parse_package(text: &str) -> Result<String, String> {
    let name = text.trim_end_matches(".*").trim_end_matches('.').replace('/', ".");
    let good = !name.is_empty()
        && name.split('.').all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        });
    if good { Ok(name) } else { Err("give a package or class, e.g. com.acme or com.acme.Main".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_taken_in_the_spellings_people_use() {
        for spelling in ["com.acme", "com.acme.*", "com/acme", "com.acme."] {
            assert_eq!(parse_package(spelling).unwrap(), "com.acme");
        }
        for bad in ["", "com..acme", "com acme", ".*", "a=b"] {
            assert!(parse_package(bad).is_err(), "{bad}");
        }
    }
}
