//! `inquest test`: the build as its developer types it, recorded; what failed, and into the dialogue about it. The build comes
//! first: its output is its own, so all that is said here goes to stderr, and its exit code is ours.

mod alike;
mod deadline;
mod failures;
mod jvms;
mod listing;
mod nothing;
mod testimony;

use std::io::{self, IsTerminal};
use std::time::Duration;

use anyhow::Result;
use past::Settings;
use session::Oracles;

use crate::args::{DialogueArgs, Keep, RecordArgs, TestArgs};
use crate::ask::{self, Replies};
use crate::open;
use crate::opened;
use crate::record::options::RecordOptions;
use crate::record::output::Output;
use crate::record::{self, Ended, summary};
use crate::terminal::Terminal;
use deadline::Deadline;
use failures::{Failures, RunFacts};
use jvms::TestJvms;
use testimony::Extent;

/// The exit code where nothing was recorded of a command that ended well.
const NOTHING_RECORDED: u8 = 2;

pub fn run(typed: TestArgs) -> Result<u8> {
    let TestArgs { record: options, command, dialogue, source, json, .. } = typed;
    // What is wrong with the answers or the oracles is said before the tests run.
    Oracles::check(&dialogue.search.oracle)?;
    let replies = match typed.no_ask {
        true => None,
        false => replies(&dialogue, json)?,
    };
    let settings = Settings {
        sources: source,
        working_folder: std::env::current_dir().ok(),
        large: opened::large(),
        ..Settings::default()
    };
    let options = RecordOptions::resolve(RecordArgs { options, command })?;
    let takes_input = dialogue.answers.as_deref().is_some_and(|path| path.as_os_str() == "-");
    let tests = Tests { options, timeout: typed.timeout, takes_input, keep: typed.keep, settings };
    let (ended, found) = tests.run_until_fail(typed.until_fail.unwrap_or(1))?;
    record::release_signals();
    let Some(found) = found else {
        let code = if ended.code == 0 { NOTHING_RECORDED } else { ended.code };
        say_as_json(json, &Failures::none(code))?;
        return Ok(code);
    };
    let by_hand = replies.as_ref().is_some_and(Replies::by_hand);
    if !tests.options.quiet {
        listing::print(&found, by_hand && typed.symptom.is_none() && found.groups.len() > 1);
    }
    let document = found.as_json();
    if let Some(replies) = replies.filter(|_| !found.list.is_empty()) {
        let chosen = match typed.symptom {
            None if by_hand && found.groups.len() > 1 => listing::choose(&found)?,
            named => Some(named.unwrap_or(found.list[0].listed.number)),
        };
        // Whatever comes of it, the build ended as it did.
        if let Some(number) = chosen
            && let Err(error) = tests.ask(found, number, &dialogue, replies, json)
        {
            eprintln!("inquest: the dialogue ended: {}", crate::error_chain(&error));
        }
    }
    if json {
        say(&document)?;
    }
    Ok(ended.code)
}

/// Who answers, if anybody does: a person at a terminal, or the answers that were named.
fn replies(typed: &DialogueArgs, json: bool) -> Result<Option<Replies>> {
    let terminal = || io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
    match typed.answers.is_some() || !json && terminal() {
        true => Replies::open(typed.answers.as_deref()).map(Some),
        false => Ok(None),
    }
}

fn say_as_json(json: bool, found: &Failures) -> Result<()> {
    if json { say(&found.as_json()) } else { Ok(()) }
}

fn say(document: &wire::TestRun) -> Result<()> {
    let mut out = Terminal::open();
    // Maven ends with a colour, and no end of line.
    out.line(&[])?;
    out.json_line(document)?;
    Ok(out.flush()?)
}

struct Tests {
    options: RecordOptions,
    timeout: Option<Duration>,
    /// Answers are read from stdin: the build gets none of it.
    takes_input: bool,
    keep: Keep,
    settings: Settings,
}

impl Tests {
    /// Until something fails, at most so many times; gives the last run.
    fn run_until_fail(&self, times: u32) -> Result<(Ended, Option<Failures>)> {
        let mut number = 1;
        loop {
            let output = Output::prepare(&self.options.output, self.options.force)?;
            let mut ended = self.record(&output)?;
            // Whatever comes of it, the build ended as it did.
            let found = self.look(&mut ended, &output).unwrap_or_else(|error| {
                let dir = output.dir().display();
                eprintln!(
                    "inquest: what failed cannot be told, look into {dir}: {}",
                    crate::error_chain(&error)
                );
                None
            });
            let passed = ended.code == 0 && found.as_ref().is_some_and(|found| found.list.is_empty());
            let repeats = times > 1 && found.is_some();
            if !self.options.quiet {
                if repeats {
                    let what = if passed { "no test failed" } else { "something failed" };
                    eprintln!("inquest: run {number} of {times}: {what}");
                }
                if let Some(found) = found.as_ref().filter(|_| !(repeats && passed)) {
                    listing::print_summary(found, &self.options, ended.times.program);
                }
            }
            // Only what failed is worth keeping.
            if repeats && passed {
                output.discard();
            }
            if number == times || !passed || record::was_interrupted() {
                return Ok((ended, found));
            }
            number += 1;
        }
    }

    fn record(&self, output: &Output) -> Result<Ended> {
        let deadline = Deadline::new(self.timeout, self.takes_input);
        let mut ended = record::record(&self.options, output, Some(&deadline))?;
        ended.late = deadline.has_passed();
        Ok(ended)
    }

    /// What came of a run. None if nothing was recorded, which is said.
    fn look(&self, ended: &mut Ended, output: &Output) -> Result<Option<Failures>> {
        let (code, late) = (ended.code, ended.late);
        let Some(summary) = &mut ended.summary else {
            output.discard();
            return Ok(None);
        };
        if late {
            let time = words::duration(self.timeout.unwrap_or_default());
            eprintln!("inquest: what had not ended after {time} was ended");
        }
        let jvms = TestJvms::sort_out(summary);
        if jvms.kept == 0 {
            eprintln!("inquest: {}", nothing::why(&self.options, code, summary, &jvms));
            output.discard();
            return Ok(None);
        }
        if !self.options.quiet {
            summary::print_problems(summary);
        }
        output.settle(summary);
        let places = open::all(output.dir())?;
        let cut_off = late || record::was_interrupted();
        // A build that failed for nothing that shows at once is looked at as a whole.
        let suspects = match jvms.suspects(&places, cut_off) {
            none if none.is_empty() && code != 0 => places.clone(),
            some => some,
        };
        let dir = output.dir().to_owned();
        let facts = RunFacts { dir, code, tests: jvms.ran, skipped: jvms.skipped, cut_off };
        let mut found = Failures::find(facts, &places, suspects, &self.settings)?;
        let green = found.green(&places);
        let took = ended.times.program;
        match self.keep {
            Keep::Failed => {
                found.taken = testimony::take(output.dir(), &green, Extent::Calls, took, &self.settings);
                found.drop(&green);
            }
            Keep::All => drop(testimony::take(output.dir(), &green, Extent::Methods, took, &self.settings)),
        }
        Ok(Some(found))
    }

    /// The dialogue about one of the failures.
    fn ask(
        &self,
        found: Failures,
        number: usize,
        dialogue: &DialogueArgs,
        replies: Replies,
        json: bool,
    ) -> Result<()> {
        let Some(run) = found.run else { return Ok(()) };
        let named = dialogue.search.root.is_none().then_some(number);
        ask::about(run, named, dialogue, replies, json, &self.settings)?;
        Ok(())
    }
}
