//! The `inquest` command: reads its arguments, calls the part that does the work, and decides the exit code. No
//! debugging logic is here; see `docs/architecture.md` for where it is.

mod agent_library;
mod args;
mod ask;
mod dump;
mod effects_text;
mod events;
mod find;
mod history;
mod omissions;
mod open;
mod opened;
mod page;
mod progress;
mod record;
mod run;
mod show;
mod simulate;
mod slice;
mod state;
mod stats;
mod step;
mod symptoms;
mod terminal;
mod tree;
mod verify;
mod version;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

/// Exit codes other than the recorded program's own.
const DAMAGED: u8 = 1;
const NOTHING_FOUND: u8 = 1;
const BAD_INPUT: u8 = 2;
const STOPPED: u8 = 3;

fn main() -> ExitCode {
    // clap itself ends with 2 on a usage error, which is our code for it too.
    let arguments = Arguments::parse();
    let result =
        match arguments.command {
            Command::Record(typed) => record::run(typed).map(ExitCode::from),
            Command::Run(typed) => run::run(typed).map(ExitCode::from),
            Command::Ask(typed) => ask::run(&typed).map(ExitCode::from),
            Command::Open(typed) => page::run(typed).map(ExitCode::from),
            Command::Symptoms(typed) => symptoms::run(&typed)
                .map(|found| if found { ExitCode::SUCCESS } else { NOTHING_FOUND.into() }),
            Command::Simulate(typed) => simulate::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::Stats(typed) => stats::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::Verify(typed) => {
                verify::run(&typed).map(|ok| if ok { ExitCode::SUCCESS } else { DAMAGED.into() })
            }
            Command::Tree(typed) => tree::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::Show(typed) => show::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::Events(typed) => events::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::History(typed) => history::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::State(typed) => state::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::Find(typed) => {
                find::run(&typed).map(|found| if found { ExitCode::SUCCESS } else { NOTHING_FOUND.into() })
            }
            Command::Slice(typed) => {
                slice::run(&typed).map(|found| if found { ExitCode::SUCCESS } else { NOTHING_FOUND.into() })
            }
            Command::Omissions(typed) => omissions::run(&typed)
                .map(|found| if found { ExitCode::SUCCESS } else { NOTHING_FOUND.into() }),
            Command::Step(typed) => {
                step::run(&typed).map(|found| if found { ExitCode::SUCCESS } else { NOTHING_FOUND.into() })
            }
            Command::Version(typed) => version::run(&typed).map(|()| ExitCode::SUCCESS),
            Command::Dump(typed) => dump::run(&typed).map(|()| ExitCode::SUCCESS),
        };
    match result {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("inquest: {}{}", error_chain(&error), option_for(&error));
            BAD_INPUT.into()
        }
    }
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
