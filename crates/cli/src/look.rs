//! Opening a recording to look into it, with progress while its index is built, and the pieces of output that several
//! commands share.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::Result;
use past::{
    CallInfo, Ending, Flaws, IndexProgress, KnownValue, Past, RenderLimits, Settings, SourceLine, Time,
};
use serde_json::{Value, json};
use session::Preparing;

use crate::args::LookArgs;
use crate::open::{self, Opened};
use crate::quantity::count;

pub fn open(typed: &LookArgs) -> Result<Past> {
    past(open::to_look(&typed.dir)?, &settings(typed))
}

pub fn settings(typed: &LookArgs) -> Settings {
    Settings {
        memory: usize::try_from(typed.memory).unwrap_or(usize::MAX),
        sources: typed.source.clone(),
        working_folder: std::env::current_dir().ok(),
    }
}

pub fn past(opened: Opened, settings: &Settings) -> Result<Past> {
    let past = match opened {
        Opened::Finished(place) => {
            let mut progress = ProgressLine::new();
            let past = Past::open(&place, settings, &mut |at| progress.tell(at))?;
            progress.clear();
            past
        }
        Opened::Running(place, tail) => Past::open_live(&place, tail, settings)?,
    };
    warn(&past);
    Ok(past)
}

/// Says what is wrong with the recording as a whole: then answers may be incomplete.
fn warn(past: &Past) {
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

/// A line on stderr that is overwritten, if stderr is a terminal and it takes longer than a moment.
pub struct ProgressLine {
    started: Instant,
    told: Option<Instant>,
    is_terminal: bool,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        ProgressLine { started: Instant::now(), told: None, is_terminal: std::io::stderr().is_terminal() }
    }

    fn tell(&mut self, at: &IndexProgress) {
        let percent = at.done.saturating_mul(100) / at.all.max(1);
        self.say(|| format!("building the index: {percent:3}%, {} events", count(at.events)));
    }

    /// What is worked out for the omission finder.
    pub fn prepare(&mut self, step: Preparing) {
        self.say(|| match step {
            Preparing::Executed(share) => format!("what each call executed: {:3.0}%", share * 100.0),
            Preparing::Observed(share) => format!("what the run showed: {:3.0}%", share * 100.0),
            Preparing::PointsTo(done, known) => {
                format!(
                    "what may refer to what: {} of {} methods",
                    count(u64::from(done)),
                    count(u64::from(known))
                )
            }
        });
    }

    fn say(&mut self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        let recently = self.told.is_some_and(|told| now - told < Duration::from_millis(100));
        if !self.is_terminal || recently || now - self.started < Duration::from_millis(300) {
            return;
        }
        self.told = Some(now);
        eprint!("\rinquest: {}\x1b[K", text());
        let _ = std::io::stderr().flush();
    }

    pub fn clear(&mut self) {
        if self.told.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}

/// Limits of values that stand among others on a line.
pub const SHORT: RenderLimits = RenderLimits { depth: 2, elements: 10, string: 60, width: 120 };
/// Limits of values in JSON.
pub const JSON: RenderLimits = RenderLimits { depth: 3, elements: 100, string: 1000, width: 4000 };

pub fn call_json(past: &Past, info: &CallInfo, depth: u32, limits: &RenderLimits) -> Value {
    let (result, thrown) = ending_texts(past, info, limits);
    json!({
        "call": info.name,
        "number": info.id.number(),
        "depth": depth,
        "method": info.method,
        "this": receiver_text(past, info, limits),
        "args": args_json(past, info, limits),
        "result": result,
        "thrown": thrown,
        "finished": info.ending != Ending::Open,
        "children": info.children,
        "events": info.events,
        "trusted": info.library,
        "thread": info.id.stream.0,
        "entry": info.entry.0,
        "exit": info.exit.0,
        "file": info.site.as_ref().and_then(|place| place.file.clone()),
        "line": info.site.as_ref().and_then(|place| place.line),
    })
}

pub fn args_json(past: &Past, info: &CallInfo, limits: &RenderLimits) -> Vec<Value> {
    let arg = |arg: &past::Named| {
        let value = past.known_text(KnownValue::Value(arg.value), &arg.descriptor, info.entry, limits);
        json!({ "name": arg.name, "value": value })
    };
    info.args.iter().map(arg).collect()
}

pub fn receiver_text(past: &Past, info: &CallInfo, limits: &RenderLimits) -> Option<String> {
    info.receiver.map(|receiver| past.known_text(KnownValue::Value(receiver), "", info.entry, limits))
}

/// Result and exception, each as far as there is one.
pub fn ending_texts(past: &Past, info: &CallInfo, limits: &RenderLimits) -> (Option<String>, Option<String>) {
    let text =
        |value, descriptor: &str| past.known_text(KnownValue::Value(value), descriptor, info.exit, limits);
    match info.ending {
        Ending::Open | Ending::Returned(None) => (None, None),
        Ending::Returned(Some(value)) => (Some(text(value, &info.result_descriptor)), None),
        Ending::Threw(Some(value)) => (None, Some(text(value, ""))),
        Ending::Threw(None) => (None, Some("an unknown exception".to_owned())),
    }
}

/// `MergeSort.java:12`
pub fn place_text(past: &Past, place: Option<&SourceLine>) -> String {
    match place {
        Some(SourceLine { file: Some(file), line: Some(line), .. }) => format!("{file}:{line}"),
        Some(place) => past.site_text(place.site),
        None => String::new(),
    }
}

pub fn place_json(place: Option<&SourceLine>) -> (Value, Value) {
    let file = place.and_then(|place| place.file.clone());
    let line = place.and_then(|place| place.line);
    (json!(file), json!(line))
}

/// The moment that was asked for, or the end.
pub fn moment(past: &Past, at: Option<&str>) -> Result<Time> {
    Ok(match at {
        Some(text) => past.find_time(text)?,
        None => past.last_time().unwrap_or(Time(0)),
    })
}
