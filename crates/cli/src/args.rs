//! The command line as typed. What it means (defaults, places, sizes) is resolved beside each command, so that
//! this file stays a plain list of what can be said.

mod dialogue;
mod packing;
mod recording;
mod report;
mod test;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use words::parse_size;

pub use dialogue::{AskArgs, DialogueArgs, OpenArgs, SearchArgs, SimulateArgs, SymptomArgs, SymptomsArgs};
pub use packing::PackArgs;
pub use recording::{DetailArg, RecordArgs, RunArgs};
pub use report::{Color, DoctorArgs, GenerateArgs, ReportArgs, ReportFormat};
pub use test::{Keep, TestArgs};

#[derive(Debug, Parser)]
#[command(
    name = "inquest",
    version,
    about = "Records Java programs completely, and finds bugs in the recording",
    after_help = "Example:
  inquest test -- mvn test
  inquest record -o sort -- java -cp classes MergeSort 3 1 2
  inquest ask sort
  inquest help ask

Long output goes through a pager in a terminal: INQUEST_PAGER, PAGER, or less."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Coloured output
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t, help_heading = EVERYWHERE)]
    pub color: Color,
    /// Print long output to the terminal as it is
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_pager: bool,
}

const EVERYWHERE: &str = "Everywhere";

#[derive(Debug, Subcommand)]
pub enum Command {
    Record(RecordArgs),
    Test(TestArgs),
    Run(RunArgs),
    Ask(AskArgs),
    Open(OpenArgs),
    Symptoms(SymptomsArgs),
    Simulate(SimulateArgs),
    Stats(StatsArgs),
    Tree(TreeArgs),
    Show(ShowArgs),
    Events(EventsArgs),
    History(HistoryArgs),
    State(StateArgs),
    Find(FindArgs),
    Slice(SliceArgs),
    Omissions(OmissionsArgs),
    Step(StepArgs),
    Verify(VerifyArgs),
    Dump(DumpArgs),
    Report(ReportArgs),
    Pack(PackArgs),
    Doctor(DoctorArgs),
    Version(VersionArgs),
    #[command(hide = true)]
    Generate(GenerateArgs),
}

impl Command {
    /// Does it only print, perhaps more than a screen holds?
    pub fn is_paged(&self) -> bool {
        use Command::*;
        match self {
            Symptoms(_) | Simulate(_) | Stats(_) | Tree(_) | Show(_) | Events(_) | History(_) | State(_)
            | Find(_) | Slice(_) | Omissions(_) | Step(_) | Verify(_) | Dump(_) | Report(_) | Doctor(_)
            | Pack(_) => true,
            Record(_) | Test(_) | Run(_) | Ask(_) | Open(_) | Version(_) | Generate(_) => false,
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
    /// Count everything, where numbers of a large recording would be reckoned from a part of it
    #[arg(long)]
    pub exact: bool,
    /// As one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What every command that looks into a recording understands.
#[derive(Debug, Args)]
pub struct RecordingArgs {
    /// The recording
    pub dir: PathBuf,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Where sources are: a folder, a file or an archive (repeatable)
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// Memory for caches and buffers
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = parse_size)]
    pub memory: u64,
}

/// Show the call tree
///
/// A row per call, in the order in which they began. Calls into libraries are marked as trusted.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest tree recordings/sort --root MergeSort.sort#1 --depth 2")]
pub struct TreeArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// Only this call and what it called
    #[arg(long, value_name = "CALL")]
    pub root: Option<String>,
    /// Only so many levels below the root
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Leave out calls into libraries
    #[arg(long)]
    pub no_library: bool,
    /// Begin at this row
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub from: usize,
    /// Stop after so many rows [default: 1000; with --json: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Show one call: what it got, gave, read and changed
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest show recordings/sort MergeSort.merge#3
  inquest show recordings/sort 7 --lines")]
pub struct ShowArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// The call, as `Class.method#3` or by its number
    pub call: String,
    /// With the source, what ran in this call marked
    #[arg(long)]
    pub lines: bool,
    /// Stop after so many changed and read locations
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub limit: usize,
}

/// Show what happened in a call, event by event
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest events recordings/sort MergeSort.merge#3")]
pub struct EventsArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// The call, as `Class.method#3` or by its number
    pub call: String,
    /// Also the events of the calls that it made
    #[arg(long)]
    pub deep: bool,
    /// Begin at this time
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Stop after so many events [default: 1000; with --json: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Show every write to a location
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest history recordings/sort 'MergeSort.sort#1:a[2]'
  inquest history recordings/sort Node@7.left")]
pub struct HistoryArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// `Node@7.left`, `int[]@4[2]`, `Config.DEFAULT`, `Foo.bar#1:x`, and paths from there
    pub location: String,
    /// Follow the path as it was at this time [default: at the end]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Stop after so many writes [default: 1000; with --json: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Show what a location or an object held at a moment
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest state recordings/sort 'MergeSort.sort#1:a' --at MergeSort.merge#3:entry
  inquest state recordings/sort ArrayList@1 --at 250 --raw")]
pub struct StateArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// A location or an object
    pub location: String,
    /// The moment: a number, `CALL:entry` or `CALL:exit` [default: the end]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// How many levels of objects to expand
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub depth: usize,
    /// The plain fields, not what they mean
    #[arg(long)]
    pub raw: bool,
}

/// Show where a value came from
///
/// Everything that the value depends on, the latest first: what was computed, what was read, and the conditions that let
/// it happen.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest slice recordings/sort 'MergeSort.sort#1:a[2]'
  inquest slice recordings/sum Sums.sum#1:result
  inquest slice recordings/sort 'int[]@4[2]' --at MergeSort.merge#3:exit --no-conditions")]
pub struct SliceArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// `Node@7.left`, `int[]@4[2]`, `Config.DEFAULT`, `Foo.bar#1:x`, `Foo.bar#1:result`, and paths from there
    pub location: String,
    /// The value as it was at this time [default: at the end]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Only how values flowed, not which conditions let it happen
    #[arg(long)]
    pub no_conditions: bool,
    /// Stop after so many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub limit: usize,
}

/// Show what should have happened to an object but did not
///
/// Operations on it that were not executed, each with the branch, loop, exception or call that prevented it. For an
/// object that was right at first and lacks something later; where a wrong value was written, `history` and `slice` help.
/// Exit code 1 if there is no sign of an omission.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest omissions recordings/list ArrayList@1
  inquest omissions recordings/list FileLister@1.names --at FileLister.printItems#1:entry
  inquest omissions recordings/sort 'MergeSort.sort#1:a' --hide clear --reads")]
pub struct OmissionsArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// The object, or a location that refers to it or should have been written
    pub object: String,
    /// Only what could have happened until this time [default: the end]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Operations that only read it, too
    #[arg(long)]
    pub reads: bool,
    /// Leave out calls of this method, as `add` or `List.add` (repeatable)
    #[arg(long, value_name = "METHOD")]
    pub hide: Vec<String>,
    /// Calls between what was prevented and the operation, at most
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub chain: usize,
    /// Stop after so many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub limit: usize,
}

/// Go from one event to another, forwards or backwards
///
/// Exit code 1 if there is nothing in that direction.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest step recordings/sort 153 over
  inquest step recordings/sort MergeSort.merge#3:exit last-write --location 'MergeSort.sort#1:a[2]'")]
pub struct StepArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// Where to start: a number, `CALL:entry` or `CALL:exit`
    pub time: String,
    pub direction: Direction,
    /// The location whose writes are meant
    #[arg(long, value_name = "LOCATION", required_if_eq_any([("direction", "next-write"), ("direction", "last-write")]))]
    pub location: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// The next event of the thread, into calls
    Into,
    /// The next event of the call, over calls
    Over,
    /// The end of the call
    Out,
    /// The event before, into calls
    BackInto,
    /// The event before in the call, over calls
    BackOver,
    /// The beginning of the call
    BackOut,
    /// The next write to a location
    NextWrite,
    /// The last write to a location
    LastWrite,
    /// Where the last exception was thrown
    Thrown,
}

/// Find calls and events
///
/// What is found has everything that is asked for. Exit code 1 if nothing is found.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest find recordings/sort --method merge
  inquest find recordings/sort --value 9
  inquest find recordings/sort --thrown NullPointerException")]
pub struct FindArgs {
    #[command(flatten)]
    pub recording: RecordingArgs,
    /// Calls of this method
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// With this value: 7, "text", null, Node@3; with --output: with this in it
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub value: Option<String>,
    /// With this object: Node@3
    #[arg(long, value_name = "O")]
    pub object: Option<String>,
    /// Exceptions of this class or below, or with this in their class's name or message
    #[arg(long, value_name = "T")]
    pub thrown: Option<String>,
    /// What was printed, and whose code printed it
    #[arg(long)]
    pub output: bool,
    /// Stop after so many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub limit: usize,
}

/// Read everything, check it, and say what is damaged
///
/// Exit code 0 if all is well, 1 if something is damaged.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest verify recordings/sort")]
pub struct VerifyArgs {
    /// A recording, or a folder of several
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

/// Say which version this is, and which version of its JSON
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest version --json")]
pub struct VersionArgs {
    /// As one JSON document
    #[arg(long)]
    pub json: bool,
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
        assert_eq!(record.options.detail, DetailArg::Heap);
        assert_eq!(record.command, ["java", "-o", "--help"]);
        assert!(Arguments::try_parse_from(["inquest", "record", "--"]).is_err());
    }
}
