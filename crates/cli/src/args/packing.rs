//! What is said about packed recordings.

use std::path::PathBuf;

use clap::Args;

/// Pack a recording into one file, to hand it on
///
/// With the sources of the recorded classes and what was answered. Every command that looks into a recording takes the file
/// instead of a folder; it is unpacked once. Takes the folder of a run with several JVMs.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  inquest pack recordings/sort
  inquest pack recordings/sort -o sort.inquest --index
  inquest open sort.inquest")]
pub struct PackArgs {
    /// The recording, or a folder of several
    pub dir: PathBuf,
    /// The file [default: DIR.inquest]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// With the index, so that who opens it need not wait for it: the file is about twice as large
    #[arg(long)]
    pub index: bool,
    /// Without sources
    #[arg(long, conflicts_with = "source")]
    pub no_sources: bool,
    /// Without what was answered
    #[arg(long)]
    pub no_answers: bool,
    /// Where sources are: a folder, a file or an archive (repeatable)
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// As one JSON document
    #[arg(long)]
    pub json: bool,
}
