//! `inquest stats`: what was recorded, for a person or as JSON. The numbers are of what can be read, and not of what
//! somebody once meant to write: from the index, which has read everything, or by reading everything now.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use past::{Past, Settings};
use serde_json::{Value, json};
use trace::{Degraded, Manifest, Stats};

use crate::args::StatsArgs;
use crate::open;
use crate::quantity::{count, duration, size};

pub fn run(typed: &StatsArgs) -> Result<()> {
    let places = open::all(&typed.dir)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut documents = Vec::new();
    for place in &places {
        let (manifest, stats) = match Past::open_built(place, &Settings::default()) {
            Some(past) => (past.manifest().clone(), past.stats()),
            None => {
                let recording = open::recording(place)?;
                (recording.manifest().clone(), recording.stats())
            }
        };
        if typed.json {
            documents.push(as_json(place, &manifest, &stats));
            continue;
        }
        if places.len() > 1 {
            writeln!(out, "{}", place.display())?;
        }
        out.write_all(as_text(&manifest, &stats).as_bytes())?;
    }
    if typed.json {
        // A folder of several recordings is an array of what one would be.
        let document = if places.len() == 1 { documents.remove(0) } else { Value::Array(documents) };
        serde_json::to_writer_pretty(&mut out, &document).map_err(io::Error::from)?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}

fn as_json(place: &Path, manifest: &Manifest, stats: &Stats) -> Value {
    let degraded: Vec<Value> = stats.degraded.iter().map(degraded_json).collect();
    let kinds: serde_json::Map<String, Value> =
        stats.by_kind.iter().map(|(kind, count)| ((*kind).to_owned(), json!(count))).collect();
    json!({
        "dir": place.to_string_lossy(),
        "calls": stats.calls,
        "events": stats.events,
        "kinds": kinds,
        "threads": stats.threads,
        "objects": stats.objects,
        "doubtful": stats.doubtful,
        "strings": stats.strings,
        "bytes": stats.bytes,
        "raw_bytes": stats.raw_bytes,
        "complete": stats.complete,
        "stopped": manifest.stopped,
        "exit": manifest.exit,
        "waited_ms": stats.waited_ms,
        "gaps": stats.gaps,
        "degraded": degraded,
        "detail": manifest.detail,
        "scope": stats.scope,
        "jvm": manifest.jvm,
        "command": manifest.command,
        "started": manifest.started,
        "ended": manifest.ended,
    })
}

fn degraded_json(degraded: &Degraded) -> Value {
    json!({ "class": degraded.class.replace('/', "."), "method": degraded.method, "why": degraded.why })
}

fn as_text(manifest: &Manifest, stats: &Stats) -> String {
    let mut lines = Lines::default();
    lines.add("command", manifest.command.join(" "));
    if !manifest.jvm.version.is_empty() {
        lines.add("jvm", format!("{} {}", manifest.jvm.vendor, manifest.jvm.version).trim().to_owned());
    }
    if let Some(ended) = manifest.ended.filter(|_| manifest.started > 0) {
        lines.add("time", duration(Duration::from_millis(ended.saturating_sub(manifest.started))));
    }
    lines.add("detail", manifest.detail.clone());
    lines.add("calls", count(stats.calls));
    lines.add("events", count(stats.events));
    lines.add("threads", count(stats.threads));
    let doubtful = match stats.doubtful {
        0 => String::new(),
        some => format!(" ({} of doubtful identity)", count(some)),
    };
    lines.add("objects", count(stats.objects) + &doubtful);
    lines.add("strings", count(stats.strings));
    let per_event = stats.bytes as f64 / stats.events.max(1) as f64;
    lines.add("size", format!("{} ({per_event:.2} bytes per event)", size(stats.bytes)));
    lines.add("waited", duration(Duration::from_millis(stats.waited_ms)));
    lines.add("complete", completeness(manifest, stats));
    if stats.gaps > 0 {
        lines.add("gaps", format!("{} (`inquest verify` names them)", count(stats.gaps)));
    }
    for degraded in &stats.degraded {
        let class = degraded.class.replace('/', ".");
        let method = degraded.method.as_ref().map_or(String::new(), |method| format!(".{method}"));
        lines.add("degraded", format!("{class}{method}: {}", degraded.why));
    }
    lines.0
}

fn completeness(manifest: &Manifest, stats: &Stats) -> String {
    match (&manifest.stopped, manifest.ended) {
        _ if stats.complete => "yes".to_owned(),
        (Some(why), _) => format!("no: {why}"),
        (None, None) => "no: it is still being recorded".to_owned(),
        (None, Some(_)) => "no: the program or the recorder was cut off".to_owned(),
    }
}

/// Names and values in two columns.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, value: String) {
        self.0 += &format!("{name:<10}{value}\n");
    }
}
