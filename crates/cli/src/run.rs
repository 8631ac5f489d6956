//! `inquest run`: records a program and asks while it runs. The dialogue lives beside the recording in this process
//! and only reads what is recorded: the program never waits for it.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Result;
use collector::LiveTail;
use past::{Past, Settings};
use session::{Session, Verdict};

use crate::args::{DialogueArgs, RunArgs};
use crate::ask::{self, Asked, DialogueEnd, DialogueOutput, Replies};
use crate::open;
use crate::record::{self, BesideRecording, RunningProgram};

/// How often a program is looked at that has nothing to ask about yet.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// So many times as long as the last look took is waited before the next.
const PAUSE: u32 = 4;

pub fn run(mut typed: RunArgs) -> Result<u8> {
    // What is wrong with the answers or the oracles is said before the program runs.
    let replies = Replies::open(typed.dialogue.answers.as_deref())?;
    let settings = Settings {
        sources: typed.source.clone(),
        working_folder: std::env::current_dir().ok(),
        ..Settings::default()
    };
    session::Oracles::check(&typed.dialogue.search.oracle)?;
    if let Some(output) = &typed.record.options.output {
        typed.record.options.output = Some(std::path::absolute(output)?);
    }
    let record = typed.record;
    let dialogue = Dialogue {
        reads_stdin: typed.dialogue.answers.as_deref().is_none_or(|path| path.as_os_str() == "-"),
        typed: typed.dialogue,
        settings,
        json: typed.json,
        stop: typed.stop,
        replies: Mutex::new(replies),
    };
    record::run_with(record, Some(&dialogue))
}

struct Dialogue {
    typed: DialogueArgs,
    settings: Settings,
    json: bool,
    stop: bool,
    reads_stdin: bool,
    replies: Mutex<Replies>,
}

impl BesideRecording for Dialogue {
    fn takes_input(&self) -> bool {
        self.reads_stdin
    }

    fn keep(&self, running: &RunningProgram) {
        match self.talk(running) {
            Ok(Some(DialogueEnd::Verdict(Verdict::Buggy(_)))) if self.stop => stop(running),
            Ok(_) => {}
            // The program goes on, and so does its recording.
            Err(error) => eprintln!("inquest: the dialogue ended: {}", crate::error_chain(&error)),
        }
    }
}

impl Dialogue {
    fn talk(&self, running: &RunningProgram) -> Result<Option<DialogueEnd>> {
        let root = self.typed.search.root.as_deref();
        let Some((place, past)) = first_symptom(running, root, &self.settings, true)? else {
            eprintln!("inquest: nothing of the program was recorded, so there is nothing to ask");
            return Ok(None);
        };
        let asked = Asked::by(self.json, &self.typed);
        let mut session = ask::begin(past, &place, &self.typed.search, None, &self.settings, asked, true)?;
        let Ok(mut replies) = self.replies.lock() else { return Ok(None) };
        let mut output = DialogueOutput::new(self.json, place, replies.driven());
        // Taking in what is new takes the longer the more there is: most of the time is for the person.
        let (mut last, mut took) = (Instant::now(), Duration::ZERO);
        let refresh = &mut |session: &mut Session| -> Result<bool> {
            let over = running.over.load(Ordering::Acquire);
            if !session.is_live() || !over && last.elapsed() < took * PAUSE {
                return Ok(false);
            }
            let began = Instant::now();
            let refreshed = session.refresh()?;
            (last, took) = (Instant::now(), began.elapsed());
            Ok(refreshed)
        };
        ask::converse(&mut session, &mut replies, &mut output, &self.typed, refresh).map(Some)
    }
}

/// The first recording in which there is a symptom, and where it is; none if the run is over and there is none
/// (`at_end`: it is looked at then too). A
/// program of which only libraries run `main`, such as a test runner, has none until a test fails or the run is over.
pub fn first_symptom(
    running: &RunningProgram,
    root: Option<&str>,
    settings: &Settings,
    at_end: bool,
) -> Result<Option<(PathBuf, Past)>> {
    let mut followed: Vec<(PathBuf, Past)> = Vec::new();
    loop {
        let over = running.over.load(Ordering::Acquire);
        if over && !at_end {
            return Ok(None);
        }
        for place in collector::jvm_folders(running.dir) {
            let known = followed.iter().any(|(other, _)| *other == place);
            if !known && let Some(past) = follow(&place, settings, over) {
                followed.push((place, past));
            }
        }
        for (_, past) in &mut followed {
            past.refresh()?;
        }
        if let Some(at) = followed.iter().position(|(_, past)| is_firm(past, root, over)) {
            return Ok(Some(followed.swap_remove(at)));
        }
        if over {
            return Ok(None);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Is there a symptom that more of the run would not replace by another?
pub fn is_firm(past: &Past, root: Option<&str>, over: bool) -> bool {
    let found = session::symptom(past, root).ok().flatten();
    found.is_some_and(|symptom| match symptom.why {
        // Nothing failed: in the JVM of a build tool that says nothing.
        session::SymptomReason::WholeRun => over && session::build_tool(past).is_none(),
        _ => true,
    })
}

fn follow(place: &std::path::Path, settings: &Settings, over: bool) -> Option<Past> {
    if !open::has_manifest(place) {
        return None;
    }
    let tail = LiveTail::open(place).map(|tail| Box::new(tail) as _);
    // One that begins may have its manifest already and its tail not yet. Followed without, it would not show what a program
    // that waits has done until it goes on.
    if tail.is_none() && !over && !open::has_ended(place) {
        return None;
    }
    Past::open_live(place, tail, settings).ok()
}

fn stop(running: &RunningProgram) {
    if running.over.load(Ordering::Acquire) {
        return;
    }
    eprintln!("inquest: the bug is found: stopping the program");
    // SAFETY: sends a signal to the child of this process, which has not been waited for yet.
    unsafe { libc::kill(running.pid as libc::pid_t, libc::SIGTERM) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_that_begins_is_followed_once_its_tail_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/recorded/merge-sort");
        let chunks = "chunks-000.inq";
        std::fs::copy(format!("{recorded}/{chunks}"), folder.path().join(chunks)).unwrap();
        let mut manifest = trace::Manifest::load(recorded.as_ref()).unwrap();
        let ended = manifest.ended.take();
        manifest.store(folder.path()).unwrap();
        let followed = |over| follow(folder.path(), &Settings::default(), over).is_some();
        assert!(!followed(false), "neither a tail nor an end");
        assert!(followed(true), "nothing more will come");
        manifest.ended = ended;
        manifest.store(folder.path()).unwrap();
        assert!(followed(false), "it has ended");
    }
}
