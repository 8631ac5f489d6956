//! The `inquest` command: reads its arguments, calls the part that does the work, and decides the exit code. No
//! debugging logic is here; see `docs/architecture.md` for where it is.

mod agent_library;
mod args;
mod ask;
mod doctor;
mod dump;
mod effects_text;
mod events;
mod find;
mod generate;
mod green;
mod history;
mod omissions;
mod open;
mod opened;
mod packed;
mod packing;
mod page;
mod pager;
mod progress;
mod record;
mod report;
mod run;
mod show;
mod simulate;
mod slice;
mod state;
mod stats;
mod step;
mod symptoms;
mod terminal;
mod test;
mod tree;
mod verify;
mod version;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::{Arguments, Command};
use pager::Pager;

/// Exit codes other than the recorded program's own.
const DAMAGED: u8 = 1;
const FAILED: u8 = 1;
const NOTHING_FOUND: u8 = 1;
const BAD_INPUT: u8 = 2;
const STOPPED: u8 = 3;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    terminal::set_up(arguments.color);
    let pager = (arguments.command.is_paged() && !arguments.no_pager).then(Pager::start).flatten();
    let mut command = arguments.command;
    let result = packed::unpack(&mut command).and_then(|()| run(command));
    if let Some(pager) = pager {
        pager.end();
    }
    match result {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("inquest: {}{}", error_chain(&error), option_for(&error));
            BAD_INPUT.into()
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    /// The exit code of a command that says whether something is so.
    fn when(no: u8) -> impl Fn(bool) -> ExitCode {
        move |yes| if yes { ExitCode::SUCCESS } else { no.into() }
    }
    let done = |()| ExitCode::SUCCESS;
    match command {
        Command::Record(typed) => record::run(typed).map(ExitCode::from),
        Command::Test(typed) => test::run(typed).map(ExitCode::from),
        Command::Run(typed) => run::run(typed).map(ExitCode::from),
        Command::Ask(typed) => ask::run(&typed).map(ExitCode::from),
        Command::Open(typed) => page::run(typed).map(ExitCode::from),
        Command::Symptoms(typed) => symptoms::run(&typed).map(when(NOTHING_FOUND)),
        Command::Simulate(typed) => simulate::run(&typed).map(done),
        Command::Stats(typed) => stats::run(&typed).map(done),
        Command::Verify(typed) => verify::run(&typed).map(when(DAMAGED)),
        Command::Tree(typed) => tree::run(&typed).map(done),
        Command::Show(typed) => show::run(&typed).map(done),
        Command::Events(typed) => events::run(&typed).map(done),
        Command::History(typed) => history::run(&typed).map(done),
        Command::State(typed) => state::run(&typed).map(done),
        Command::Find(typed) => find::run(&typed).map(when(NOTHING_FOUND)),
        Command::Slice(typed) => slice::run(&typed).map(when(NOTHING_FOUND)),
        Command::Omissions(typed) => omissions::run(&typed).map(when(NOTHING_FOUND)),
        Command::Step(typed) => step::run(&typed).map(when(NOTHING_FOUND)),
        Command::Report(typed) => report::run(&typed).map(when(FAILED)),
        Command::Pack(typed) => packing::run(&typed).map(done),
        Command::Doctor(typed) => doctor::run(&typed).map(when(FAILED)),
        Command::Generate(typed) => generate::run(&typed).map(done),
        Command::Version(typed) => version::run(&typed).map(done),
        Command::Dump(typed) => dump::run(&typed).map(done),
    }
}

/// What clap has to say: a mistake in the arguments ends with 2, our code for it too; help may be long.
fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        error.exit();
    }
    // It ended the reading of the arguments.
    let no_pager = std::env::args_os().any(|word| word == "--no-pager");
    let is_help = error.kind() == ErrorKind::DisplayHelp;
    let pager = (is_help && !no_pager).then(Pager::start).flatten();
    let _ = error.print();
    if let Some(pager) = pager {
        pager.end();
    }
    ExitCode::SUCCESS
}

/// An error with its causes, each said once: many errors name their cause themselves.
fn error_chain(error: &anyhow::Error) -> String {
    error.chain().skip(1).map(ToString::to_string).fold(error.to_string(), |text, cause| {
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}

/// The option that mends it: only for those who typed a command, not for who looks at a page.
fn option_for(error: &anyhow::Error) -> &'static str {
    match error.downcast_ref() {
        Some(session::Error::JournalVersion { .. } | session::Error::NoJournal { .. }) => {
            " (--fresh begins anew)"
        }
        _ => "",
    }
}

/// Whoever reads our output (`head`, a pager) has seen enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
