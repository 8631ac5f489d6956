//! `inquest history`: every write to a location, or to a stream, writer or builder.

use anyhow::Result;
use past::{HistoryEntry, Manner, ObjectId, Operation, Past, Pointed, Sink, Time};
use wire::{SinkWrite, Write};
use words::source_line;

use crate::args::HistoryArgs;
use crate::opened;
use crate::terminal::{Style, Terminal};

const FOR_A_PERSON: usize = 1000;

pub fn run(typed: &HistoryArgs) -> Result<()> {
    let past = opened::open(&typed.recording)?;
    let at = typed.at.as_deref().map(|text| past.find_time(text)).transpose()?;
    if let Some(object) = sink(&past, &typed.location, at)? {
        return operations(&past, object, typed);
    }
    let location = past.find_location(&typed.location, at)?;
    let descriptor = past.descriptor(&location);
    let limit = typed.limit.unwrap_or(if typed.recording.json { usize::MAX } else { FOR_A_PERSON });
    let mut out = Terminal::open();
    if typed.recording.json {
        let mut array = out.array()?;
        for entry in past.writes(&location, None).take(limit) {
            array.push(&Write::of(&past, &location, &entry, &opened::JSON))?;
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
        let value = past.known_text(entry.value, &descriptor, entry.time, &opened::SHORT);
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
            (Style::Faint, &format!("  {}{how}", source_line(&past, entry.place.as_ref()))),
        ])?;
    }
    out.flush()?;
    if more {
        crate::pager::remark("there is more; --limit shows it");
    }
    Ok(())
}

/// The stream, writer, builder or buffer that is meant, if it is one.
fn sink(past: &Past, text: &str, at: Option<Time>) -> Result<Option<ObjectId>> {
    if text.starts_with("System.") {
        return Ok(past.find_standard_stream(text));
    }
    Ok(match past.find_value(text, at)? {
        Pointed::Object(object) if past.is_sink(object) => Some(object),
        _ => None,
    })
}

/// What was written to it, call by call.
fn operations(past: &Past, object: ObjectId, typed: &HistoryArgs) -> Result<()> {
    let limit = typed.limit.unwrap_or(if typed.recording.json { usize::MAX } else { FOR_A_PERSON });
    let mut out = Terminal::open();
    let told = |operation: &Operation| past.wrote(std::slice::from_ref(&operation.effect)).pop();
    let name = past.sink_name(&Sink::Object(object), past.last_time().unwrap_or(Time(0)));
    let held = |operation: &Operation, limits| {
        let content = operation.content.clone()?;
        Some(past.pieces_text(&[content.piece()], operation.effect.to, limits))
    };
    if typed.recording.json {
        let mut array = out.array()?;
        for operation in past.operations(object).take(limit) {
            let Some(wrote) = told(&operation) else { continue };
            array.push(&SinkWrite {
                time: operation.effect.to.0,
                value: words::wrote(past, &wrote, &opened::JSON),
                known: wrote.is_exact(),
                manner: wrote.verb.to_owned(),
                text: wire::whole_text(&wrote.pieces),
                content: held(&operation, &opened::JSON),
                call: operation.by.map(|call| past.call_name(call)),
                number: operation.by.map(past::CallId::number),
                place: operation.place.as_ref().into(),
                thread: operation.effect.call.stream.0,
                location: name.clone(),
            })?;
        }
        array.end()?;
        out.flush()?;
        return Ok(());
    }
    let mut list: Vec<Operation> = past.operations(object).take(limit.saturating_add(1)).collect();
    let more = list.len() > limit;
    list.truncate(limit);
    out.line(&[(Style::Bold, &name), (Style::Faint, &format!("  {} writes", list.len()))])?;
    let width = list.last().map_or(1, |last| last.effect.to.0.to_string().len());
    for operation in &list {
        let Some(wrote) = told(operation) else { continue };
        let call = operation.by.map_or(String::new(), |call| past.call_name(call));
        let held = held(operation, &opened::SHORT).map_or(String::new(), |held| format!("  now {held}"));
        out.line(&[
            (Style::Faint, &format!("  {:>width$}  ", operation.effect.to.0)),
            (Style::Plain, &format!("{:<20} ", words::wrote(past, &wrote, &opened::SHORT))),
            (Style::Cyan, &call),
            (Style::Faint, &format!("  {}{held}", source_line(past, operation.place.as_ref()))),
        ])?;
    }
    out.flush()?;
    if more {
        crate::pager::remark("there is more; --limit shows it");
    }
    Ok(())
}
