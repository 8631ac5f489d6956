//! `inquest record`: runs a command with the agent in every JVM that it starts, collects what they record, and
//! returns the command's own exit code. The program comes first: once it runs, nothing here may end it.

mod inject;
mod java_command;
pub mod launcher;
mod options;
mod output;
mod progress;
mod shim;
mod signals;
mod summary;

use std::io::IsTerminal;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use collector::{Collector, ProcessExit};

use crate::args::RecordArgs;
use crate::record::inject::Injection;
use crate::record::options::RecordOptions;
use crate::record::output::Output;
use crate::record::progress::RecordingLine;

pub use signals::was_told_to_end;

/// The exit code that a shell gives for a program that a signal ended, less the signal's number.
const SIGNALLED: i32 = 128;
const REDRAW: Duration = Duration::from_millis(250);

pub fn run(typed: RecordArgs) -> Result<u8> {
    run_with(typed, None)
}

/// Something that goes on beside the program, in this process. The recording stays where it is until it is over.
pub trait BesideRecording: Sync {
    /// The program's own input would be taken away from it.
    fn takes_input(&self) -> bool;

    fn keep(&self, running: &RunningProgram);
}

/// A program that is being recorded.
pub struct RunningProgram<'r> {
    /// The folder in which each JVM has its own.
    pub dir: &'r Path,
    pub pid: u32,
    /// The program has ended, and all of it is in the files.
    pub over: &'r AtomicBool,
}

pub fn run_with(typed: RecordArgs, company: Option<&dyn BesideRecording>) -> Result<u8> {
    let options = RecordOptions::resolve(typed)?;
    let output = Output::prepare(&options.output, options.force)?;
    let result = record(&options, &output, company);
    if result.is_err() {
        output.abandon();
    }
    result
}

fn record(options: &RecordOptions, output: &Output, company: Option<&dyn BesideRecording>) -> Result<u8> {
    let injection = Injection::prepare(options, output.dir())?;
    let mut command = Command::new(&options.program);
    command.arg0(&options.command[0]).args(&injection.arguments).args(&options.command[1..]);
    for (name, value) in &injection.environment {
        command.env(name, value);
    }
    if company.is_some_and(BesideRecording::takes_input) {
        command.stdin(Stdio::null());
    }
    // Handlers first: a signal must find either no child, or one that it is passed on to.
    signals::install();
    let started = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot run {}", options.program.display()))?;
    signals::forward_to(child.id());
    let pid = child.id();
    let status = match Collector::start(output.dir(), pid) {
        Ok(collector) => {
            let over = AtomicBool::new(false);
            let (status, program, summary) = std::thread::scope(|scope| {
                if let Some(company) = company {
                    let running = RunningProgram { dir: output.dir(), pid, over: &over };
                    scope.spawn(move || company.keep(&running));
                }
                let status = wait(child, &collector, options.quiet || company.is_some());
                signals::forward_no_more();
                let program = started.elapsed();
                let exit = ProcessExit { pid, code: status.code(), signal: status.signal() };
                let summary = collector.finish(exit);
                over.store(true, Ordering::Release);
                (status, program, summary)
            });
            injection.clean_up();
            let moved = output.settle(&summary);
            if !options.quiet {
                let times = summary::Times { program, all: started.elapsed() };
                summary::print(options, output, &summary, moved, times);
            }
            status
        }
        Err(error) => {
            // The program runs on; its agents will find that nobody collects.
            eprintln!("inquest: nothing is recorded: {error}");
            let status = wait_only(child);
            signals::forward_no_more();
            status
        }
    };
    Ok(exit_code(status))
}

/// Waits for the command, and draws the progress line meanwhile if somebody can see it.
fn wait(child: Child, collector: &Collector, quiet: bool) -> ExitStatus {
    if quiet || !std::io::stderr().is_terminal() {
        return wait_only(child);
    }
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let drawing = scope.spawn(|| {
            let mut line = RecordingLine::new();
            while !ended.load(Ordering::Acquire) {
                line.draw(&collector.progress());
                std::thread::park_timeout(REDRAW);
            }
            line.clear();
        });
        let status = wait_only(child);
        ended.store(true, Ordering::Release);
        drawing.thread().unpark();
        status
    })
}

fn wait_only(mut child: Child) -> ExitStatus {
    // Only a child that was already waited for can fail here, and nobody else waits for ours.
    child.wait().unwrap_or_else(|_| ExitStatus::from_raw(0))
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| SIGNALLED + signal));
    code.unwrap_or(SIGNALLED) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(exit_code(ExitStatus::from_raw(255 << 8)), 255);
        assert_eq!(exit_code(ExitStatus::from_raw(9)), 137);
    }
}
