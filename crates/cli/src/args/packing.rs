//! What is said about packed recordings.

use std::path::PathBuf;

use clap::Args;

/// Pack a recording into one file, to hand it on
///
/// With the sources of the recorded classes and what was answered. Every command
/// that looks into a recording takes the file instead of a folder; it is unpacked
/// once. Takes the folder of a run with several JVMs, too.
///
/// With --redact, passwords and the like are taken out: texts that rules mean are
/// found and are then gone everywhere, and are shown as `redacted`. Rules are
/// `default` (passwords, tokens, keys) or a file with a rule a line:
///
///   name pin                    whatever has this in its name: fields, arguments,
///                               variables, methods, keys
///   field com.acme.User.code    also: class, method, argument
///   text hunter2                this text
///   pattern sk-????*            texts that look so
///   keep guest                  is no secret; `keep names`: nor is what is a name in the code
///   default                     the default rules, too
///
/// What cannot be taken out safely is refused, and it is said why.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Example:
  inquest pack recordings/sort
  inquest pack recordings/sort -o sort.inquest --index
  inquest pack recordings/shop --redact default
  inquest pack recordings/shop --redact rules.txt
  inquest open sort.inquest"
)]
pub struct PackArgs {
    /// The recording, or a folder of several
    pub dir: PathBuf,
    /// The file [default: DIR.inquest]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// With the index, so that who opens it need not wait for it: the file is several times as large
    #[arg(long)]
    pub index: bool,
    /// Take out what these rules mean: `default`, or a file (repeatable)
    #[arg(long, value_name = "RULES", conflicts_with = "index")]
    pub redact: Vec<PathBuf>,
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
