//! The command line as typed. What it means (defaults, places, sizes) is resolved beside each command, so that
//! this file stays a plain list of what can be said.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::quantity::parse_size;

#[derive(Debug, Parser)]
#[command(
    name = "inquest",
    version,
    about = "Records Java programs completely, and finds bugs in the recording",
    disable_help_subcommand = true
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Record(RecordArgs),
    Stats(StatsArgs),
    Verify(VerifyArgs),
    Dump(DumpArgs),
}

/// Run a command and record every Java program in it
///
/// The command's input, output and exit code are its own; what inquest has to say goes to stderr at the end.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest record -o recordings/sort -- java -cp classes MergeSort 3 1 2
  inquest record --include com.acme -- mvn -q test")]
pub struct RecordArgs {
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
    #[arg(long, value_enum, default_value_t = Detail::Full)]
    pub detail: Detail,

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

    /// The command to run, with its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Detail {
    /// Calls, arguments, results
    Calls,
    /// Also field, static and array writes, and allocations
    Heap,
    /// Also local variables and branches
    Full,
}

impl Detail {
    /// As the agent's options and the manifest spell it.
    pub fn name(self) -> &'static str {
        match self {
            Detail::Calls => "calls",
            Detail::Heap => "heap",
            Detail::Full => "full",
        }
    }
}

/// Say what was recorded
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest stats recordings/sort --json")]
pub struct StatsArgs {
    /// A recording, or a folder of several
    pub dir: PathBuf,
    /// As one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Read everything, check it, and say what is damaged
///
/// Exit code 0 if all is well, 1 if something is damaged.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest verify recordings/sort")]
pub struct VerifyArgs {
    /// The recording
    pub dir: PathBuf,
    /// As one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Print the events of a recording, one per line
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest dump recordings/sort --thread 1 --limit 50")]
pub struct DumpArgs {
    /// The recording
    pub dir: PathBuf,
    /// Only this thread, by its number
    #[arg(long, value_name = "N")]
    pub thread: Option<u32>,
    /// The stored records instead of the events that they stand for
    #[arg(long)]
    pub raw: bool,
    /// Stop after this many lines
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
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
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_follows_the_dashes_belongs_to_the_command() {
        let line = ["inquest", "record", "--detail", "heap", "--", "java", "-o", "--help"];
        let Command::Record(record) = Arguments::try_parse_from(line).unwrap().command else { panic!() };
        assert_eq!(record.detail, Detail::Heap);
        assert_eq!(record.command, ["java", "-o", "--help"]);
        assert!(Arguments::try_parse_from(["inquest", "record", "--"]).is_err());
    }

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
