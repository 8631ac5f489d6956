//! `inquest record`: runs a command with the agent in every JVM that it starts, collects what they record, and
//! returns the command's own exit code. The program comes first: once it runs, nothing here may end it.

mod gradle;
mod inject;
mod java_command;
pub mod launcher;
pub mod options;
pub mod output;
mod progress;
mod shim;
mod signals;
pub mod summary;

use std::io::IsTerminal;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use collector::{Collector, ProcessExit, Summary};

use crate::args::RecordArgs;
use crate::record::inject::Injection;
use crate::record::options::RecordOptions;
use crate::record::output::Output;
use crate::record::progress::RecordingLine;
use crate::record::summary::Times;

pub use signals::{release as release_signals, was_interrupted, was_told_to_end};

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

    /// It writes to the terminal, which a progress line would disturb.
    fn speaks(&self) -> bool {
        true
    }

    fn keep(&self, running: &RunningProgram);
}

/// A program that is being recorded.
pub struct RunningProgram<'r> {
    /// The folder in which each JVM has its own.
    pub dir: &'r Path,
    pub pid: u32,
    /// The command has ended; others of its processes may go on.
    pub has_ended: &'r AtomicBool,
    /// The program has ended, and all of it is in the files.
    pub over: &'r AtomicBool,
}

/// What became of a command.
pub struct Ended {
    /// As a shell would give it.
    pub code: u8,
    /// None if nobody could collect: then the program ran unrecorded.
    pub summary: Option<Summary>,
    pub times: Times,
    /// It was ended because it took too long.
    pub late: bool,
}

pub fn run_with(typed: RecordArgs, company: Option<&dyn BesideRecording>) -> Result<u8> {
    let options = RecordOptions::resolve(typed)?;
    let output = Output::prepare(&options.output, options.force)?;
    let ended = record(&options, &output, company)?;
    if let Some(summary) = &ended.summary {
        let moved = output.settle(summary);
        if !options.quiet {
            summary::print(&options, &output, summary, moved, ended.times);
        }
    }
    Ok(ended.code)
}

/// Runs the command and collects what its JVMs record, each in a folder of its own.
pub fn record(
    options: &RecordOptions,
    output: &Output,
    company: Option<&dyn BesideRecording>,
) -> Result<Ended> {
    let ended = spawn(options, output, company);
    if ended.is_err() {
        output.abandon();
    }
    ended
}

fn spawn(options: &RecordOptions, output: &Output, company: Option<&dyn BesideRecording>) -> Result<Ended> {
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
    match Collector::start(output.dir(), pid) {
        Ok(collector) => {
            let (has_ended, over) = (AtomicBool::new(false), AtomicBool::new(false));
            let (status, program, summary) = std::thread::scope(|scope| {
                if let Some(company) = company {
                    let running =
                        RunningProgram { dir: output.dir(), pid, has_ended: &has_ended, over: &over };
                    scope.spawn(move || company.keep(&running));
                }
                let quiet = options.quiet || company.is_some_and(BesideRecording::speaks);
                let status = wait(child, &collector, quiet);
                signals::forward_no_more();
                has_ended.store(true, Ordering::Release);
                let program = started.elapsed();
                let exit = ProcessExit { pid, code: status.code(), signal: status.signal() };
                let summary = collector.finish(exit);
                over.store(true, Ordering::Release);
                (status, program, summary)
            });
            injection.clean_up();
            let times = Times { program, all: started.elapsed() };
            Ok(Ended { code: exit_code(status), summary: Some(summary), times, late: false })
        }
        Err(error) => {
            // The program runs on; its agents will find that nobody collects.
            eprintln!("inquest: nothing is recorded: {error}");
            let status = wait_only(child);
            signals::forward_no_more();
            let times = Times { program: started.elapsed(), all: started.elapsed() };
            Ok(Ended { code: exit_code(status), summary: None, times, late: false })
        }
    }
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
