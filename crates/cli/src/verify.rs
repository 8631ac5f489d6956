//! `inquest verify`: reads everything and says what is damaged. Calls that were open when a program was killed are
//! its unfinished tail: told, but no damage.

use std::io::{self, Write};

use anyhow::Result;
use trace::{Gap, Recording, StreamId, Verification};
use wire::{Damage, Unfinished};

use crate::args::VerifyArgs;
use crate::open;
use words::{count, gap_reason};

/// True if nothing is damaged.
pub fn run(typed: &VerifyArgs) -> Result<bool> {
    let places = open::all(&typed.dir)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut ok, mut documents) = (true, Vec::new());
    for place in &places {
        let recording = Recording::open(place)?;
        let found = recording.verify();
        ok &= found.ok;
        if typed.json {
            documents.push(as_json(&recording, &found));
            continue;
        }
        if places.len() > 1 {
            writeln!(out, "{}", place.display())?;
        }
        out.write_all(as_text(&recording, &found).as_bytes())?;
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
    Ok(ok)
}

fn as_json(recording: &Recording, found: &Verification) -> wire::Verification {
    let in_files = found.damaged.iter().map(|damage| Damage {
        what: damage.what.to_string(),
        thread: damage.stream.map(|stream| stream.0),
        file: Some(damage.file.to_string()),
        offset: Some(damage.offset),
        after_events: None,
        place: None,
    });
    let in_logs = found.gaps.iter().map(|(stream, gap)| Damage {
        what: gap_reason(gap.why).to_owned(),
        thread: Some(stream.0),
        file: None,
        offset: None,
        after_events: Some(gap.after),
        place: place(recording, gap),
    });
    wire::Verification {
        ok: found.ok,
        events: found.events,
        damaged: in_files.chain(in_logs).collect(),
        gaps: found.gap_count,
        unfinished: found
            .unfinished
            .iter()
            .map(|&(stream, calls)| Unfinished { thread: stream.0, calls })
            .collect(),
        complete: recording.manifest().complete,
    }
}

fn as_text(recording: &Recording, found: &Verification) -> String {
    let mut text = String::new();
    for damage in &found.damaged {
        let thread = damage.stream.map_or(String::new(), |stream| format!(" ({})", thread(stream)));
        text += &format!("damaged: {} at {}{thread}: {}\n", damage.file, damage.offset, damage.what);
    }
    for (stream, gap) in &found.gaps {
        let place = place(recording, gap).map_or(String::new(), |place| format!(" in {place}"));
        text += &format!(
            "gap: {} after {} events{place}: {}\n",
            thread(*stream),
            count(gap.after),
            gap_reason(gap.why)
        );
    }
    let unnamed = found.gap_count.saturating_sub(found.gaps.len() as u64);
    if unnamed > 0 {
        text += &format!("and {} more gaps\n", count(unnamed));
    }
    for (stream, calls) in &found.unfinished {
        text += &format!(
            "unfinished: {} has {} open calls at its end\n",
            thread(*stream),
            count((*calls).into())
        );
    }
    let verdict = if found.ok { "ok" } else { "damaged" };
    text + &format!("{verdict}: {} events read\n", count(found.events))
}

fn thread(stream: StreamId) -> String {
    match stream {
        StreamId::TABLES => "tables".to_owned(),
        StreamId(number) => format!("thread {number}"),
    }
}

fn place(recording: &Recording, gap: &Gap) -> Option<String> {
    gap.site.map(|site| recording.place(site))
}
