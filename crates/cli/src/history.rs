//! `inquest history`: every write to a location.

use anyhow::Result;
use past::{HistoryEntry, KnownValue, Manner};
use serde_json::json;

use crate::args::HistoryArgs;
use crate::look::{self, place_json, place_text};
use crate::terminal::{Style, Terminal};

const FOR_A_PERSON: usize = 1000;

pub fn run(typed: &HistoryArgs) -> Result<()> {
    let past = look::open(&typed.look)?;
    let at = typed.at.as_deref().map(|text| past.find_time(text)).transpose()?;
    let location = past.find_location(&typed.location, at)?;
    let descriptor = past.descriptor(&location);
    let limit = typed.limit.unwrap_or(if typed.look.json { usize::MAX } else { FOR_A_PERSON });
    let mut out = Terminal::open();
    if typed.look.json {
        let mut array = out.array()?;
        for entry in past.writes(&location, None).take(limit) {
            let (file, line) = place_json(entry.place.as_ref());
            array.push(&json!({
                "time": entry.time.0,
                "value": past.known_text(entry.value, &descriptor, entry.time, &look::JSON),
                "known": entry.value != KnownValue::Unknown,
                "manner": manner(entry.manner),
                "call": entry.call.map(|call| past.call_name(call)),
                "file": file,
                "line": line,
                "thread": entry.position.stream.0,
                "location": past.location_name(&location),
            }))?;
        }
        array.end()?;
        out.flush()?;
        return Ok(());
    }
    let mut entries: Vec<HistoryEntry> = past.writes(&location, None).take(limit.saturating_add(1)).collect();
    let more = entries.len() > limit;
    entries.truncate(limit);
    let heading = past.location_name(&location);
    let count = match entries.len() {
        1 => "one write".to_owned(),
        count if more => format!("the first {count} writes"),
        count => format!("{count} writes"),
    };
    out.line(&[(Style::Bold, &heading), (Style::Faint, &format!("  {count}"))])?;
    let width = entries.last().map_or(1, |entry| entry.time.0.to_string().len());
    for entry in &entries {
        let value = past.known_text(entry.value, &descriptor, entry.time, &look::SHORT);
        let call = entry.call.map_or(String::new(), |call| past.call_name(call));
        let how = match entry.manner {
            Manner::Written | Manner::Created => "",
            Manner::ByLibrary => " by the library",
            Manner::Seen => " seen",
        };
        out.line(&[
            (Style::Faint, &format!("  {:>width$}  ", entry.time.0)),
            (Style::Plain, &format!("{value:<20} ")),
            (Style::Cyan, &call),
            (Style::Faint, &format!("  {}{how}", place_text(&past, entry.place.as_ref()))),
        ])?;
    }
    out.flush()?;
    if more {
        eprintln!("inquest: there is more; --limit shows it");
    }
    Ok(())
}

fn manner(manner: Manner) -> &'static str {
    match manner {
        Manner::Written => "written",
        Manner::ByLibrary => "library",
        Manner::Seen => "seen",
        Manner::Created => "created",
    }
}
