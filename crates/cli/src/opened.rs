//! Opening a recording to look into it, with progress while its index is built, and how much of values commands show.

use std::path::{Path, PathBuf};

use anyhow::Result;
use past::{Flaws, Past, RenderLimits, Settings, Time};
use words::count;

use crate::args::RecordingArgs;
use crate::open::{self, Opened};
use crate::progress::ProgressLine;
use crate::symptoms::Run;

pub fn open(typed: &RecordingArgs) -> Result<Past> {
    let settings = settings(typed);
    let place = chosen(&typed.dir, &settings)?;
    past(open::as_it_is(place), &settings)
}

/// The recording in a folder; of a run with several JVMs the one with the most telling symptom.
fn chosen(dir: &Path, settings: &Settings) -> Result<PathBuf> {
    let places = open::all(dir)?;
    if places.len() > 1 {
        let run = Run::open_failed(dir, settings)?;
        if let Some(first) = run.listed(None).into_iter().next() {
            let (place, past) = &run.jvms[first.jvm];
            let name = words::symptom_line(past, &first.symptom);
            eprintln!("inquest: this is {} of {} recordings, with {name}", place.display(), places.len());
            return Ok(place.clone());
        }
    }
    open::one(dir)
}

pub fn settings(typed: &RecordingArgs) -> Settings {
    Settings {
        memory: usize::try_from(typed.memory).unwrap_or(usize::MAX),
        sources: typed.source.clone(),
        working_folder: std::env::current_dir().ok(),
        large: large(),
    }
}

/// For tests, which take small recordings for large ones.
pub fn large() -> u64 {
    let told = std::env::var("INQUEST_LARGE").ok();
    told.and_then(|bytes| bytes.parse().ok()).unwrap_or(Settings::default().large)
}

pub fn past(opened: Opened, settings: &Settings) -> Result<Past> {
    let past = match opened {
        Opened::Finished(place) => {
            let mut progress = ProgressLine::waiting();
            let past = Past::open(&place, settings, &mut |at| progress.indexing(at))?;
            progress.clear();
            past
        }
        Opened::Running(place, tail) => Past::open_live(&place, tail, settings)?,
    };
    warn(&past);
    Ok(past)
}

/// What is needed to say what failed, and to ask about it: of a large recording without an index, the part in which something
/// failed. Everything, if that does not show what is wrong.
pub fn failed(opened: Opened, settings: &Settings) -> Result<Past> {
    let Opened::Finished(place) = &opened else { return past(opened, settings) };
    if let Some(past) = Past::open_built(place, settings) {
        warn(&past);
        return Ok(past);
    }
    let mut progress = ProgressLine::waiting();
    let part = Past::open_part(place, settings, session::suspected, &mut |at| progress.indexing(at))?;
    progress.clear();
    match part.filter(|part| !session::symptoms(part).is_empty()) {
        Some(part) => {
            warn(&part);
            Ok(part)
        }
        None => past(opened, settings),
    }
}

/// Says what is wrong with the recording as a whole: then answers may be incomplete.
fn warn(past: &Past) {
    if let Some(part) = past.partial() {
        let share = (part.share() * 100.0).max(0.1);
        let left_out = match part.left_out {
            0 => String::new(),
            some => format!(
                "; {} more places where something may have failed are not among them",
                count(some as u64)
            ),
        };
        eprintln!(
            "inquest: only the {share:.1} % of the run in which something failed were looked at, and numbers behind # count \
             there{left_out}"
        );
    }
    if let Err(error) = session::Testimony::of_run(past) {
        eprintln!("inquest: {error}: what passed in other JVMs of the run says nothing");
    }
    let Flaws { damaged, gaps, unfiled } = past.flaws();
    if damaged > 0 {
        eprintln!(
            "inquest: the recording is damaged in {damaged} places (`inquest verify` names them): what was there is missing"
        );
    }
    if gaps > 0 {
        eprintln!(
            "inquest: {} calls could not be followed to their end: what they wrote is missing (`inquest verify` names them)",
            count(gaps)
        );
    }
    if unfiled > 0 {
        eprintln!("inquest: {} writes to fields of unknown classes are missing", count(unfiled));
    }
}

/// Limits of values that stand among others on a line.
pub const SHORT: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 60, width: 120, named: false };
/// Limits of values in JSON.
pub const JSON: RenderLimits =
    RenderLimits { depth: 3, elements: 100, string: 1000, width: 4000, named: false };

/// The moment that was asked for, or the end.
pub fn moment(past: &Past, at: Option<&str>) -> Result<Time> {
    Ok(match at {
        Some(text) => past.find_time(text)?,
        None => past.last_time().unwrap_or(Time(0)),
    })
}
