//! `inquest stats`: what was recorded, for a person or as JSON. The numbers are of what can be read, and not of what
//! somebody once meant to write: from the index, which has read everything, or by reading everything now. Of a large recording
//! without an index they are about: reckoned from a part of it, within a second.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use past::{Past, Settings};
use trace::{Manifest, Stats};

use crate::args::StatsArgs;
use crate::{open, opened};
use words::{duration, size};

pub fn run(typed: &StatsArgs) -> Result<()> {
    let places = open::all(&typed.dir)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut documents = Vec::new();
    for place in &places {
        let Counted { manifest, stats, about } = counted(place, typed.exact)?;
        if typed.json {
            documents.push(as_json(place, &manifest, &stats, about));
            continue;
        }
        if places.len() > 1 {
            writeln!(out, "{}", place.display())?;
        }
        out.write_all(as_text(&manifest, &stats, about).as_bytes())?;
    }
    if typed.json {
        // A folder of several recordings is an array of what one would be.
        match &documents[..] {
            [document] => serde_json::to_writer_pretty(&mut out, document),
            documents => serde_json::to_writer_pretty(&mut out, documents),
        }
        .map_err(io::Error::from)?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}

struct Counted {
    manifest: Manifest,
    stats: Stats,
    /// Not everything was read.
    about: bool,
}

fn counted(place: &Path, exact: bool) -> Result<Counted> {
    let settings = Settings { large: opened::large(), ..Settings::default() };
    if let Some(past) = Past::open_built(place, &settings) {
        return Ok(Counted { manifest: past.manifest().clone(), stats: past.stats(), about: false });
    }
    if !exact && let Some(stats) = past::estimated_stats(place, &settings)? {
        return Ok(Counted { manifest: Manifest::load(place)?, stats, about: true });
    }
    let recording = open::recording(place)?;
    Ok(Counted { manifest: recording.manifest().clone(), stats: recording.stats(), about: false })
}

fn as_json(place: &Path, manifest: &Manifest, stats: &Stats, about: bool) -> wire::Stats {
    let degraded = stats.degraded.iter().map(|one| wire::Degraded {
        class: one.class.replace('/', "."),
        method: one.method.clone(),
        why: words::degraded(one.why).to_owned(),
    });
    let (scope, jvm) = (&stats.scope, &manifest.jvm);
    wire::Stats {
        dir: place.to_string_lossy().into_owned(),
        about,
        calls: stats.calls,
        events: stats.events,
        kinds: stats.by_kind.iter().map(|&(kind, count)| (kind.to_owned(), count)).collect(),
        threads: stats.threads,
        objects: stats.objects,
        doubtful: stats.doubtful,
        strings: stats.strings,
        bytes: stats.bytes,
        raw_bytes: stats.raw_bytes,
        complete: stats.complete,
        stopped: manifest.stopped.clone(),
        exit: manifest.exit,
        waited_ms: stats.waited_ms,
        gaps: stats.gaps,
        degraded: degraded.collect(),
        detail: manifest.detail.clone(),
        scope: wire::Scope {
            include: scope.include.clone(),
            exclude: scope.exclude.clone(),
            folders: scope.folders.clone(),
            main_jar: scope.main_jar.clone(),
        },
        jvm: wire::Jvm {
            version: jvm.version.clone(),
            vendor: jvm.vendor.clone(),
            home: jvm.home.clone(),
            class_path: jvm.class_path.clone(),
            module_path: jvm.module_path.clone(),
        },
        command: manifest.command.clone(),
        started: manifest.started,
        ended: manifest.ended,
    }
}

fn as_text(manifest: &Manifest, stats: &Stats, about: bool) -> String {
    let count = |number| match about {
        true => format!("about {}", words::count(rounded(number))),
        false => words::count(number),
    };
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
    lines.add("threads", words::count(stats.threads));
    let doubtful = match stats.doubtful {
        0 => String::new(),
        some => format!(" ({} of doubtful identity)", words::count(some)),
    };
    lines.add("objects", count(stats.objects) + &doubtful);
    lines.add("strings", count(stats.strings));
    let per_event = stats.bytes as f64 / stats.events.max(1) as f64;
    lines.add("size", format!("{} ({per_event:.2} bytes per event)", size(stats.bytes)));
    lines.add("waited", duration(Duration::from_millis(stats.waited_ms)));
    lines.add("complete", completeness(manifest, stats));
    if stats.gaps > 0 {
        lines.add("gaps", format!("{} (`inquest verify` names them)", words::count(stats.gaps)));
    }
    for degraded in &stats.degraded {
        let class = degraded.class.replace('/', ".");
        let method = degraded.method.as_ref().map_or(String::new(), |method| format!(".{method}"));
        lines.add("degraded", format!("{class}{method}: {}", words::degraded(degraded.why)));
    }
    lines.0
}

/// To two digits: more would claim to be known.
fn rounded(number: u64) -> u64 {
    let unit = 10u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (number + unit / 2) / unit * unit
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
