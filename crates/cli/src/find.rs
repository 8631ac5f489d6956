//! `inquest find`: calls and events that match.

use anyhow::{Result, bail};
use past::{CallId, KnownValue, Match, Past, Printed, SearchQuery, Time};
use wire::{CallMatch, CallRow, EventMatch, MatchKind, SourcePlace};
use words::source_line;

use crate::args::FindArgs;
use crate::opened;
use crate::terminal::{Style, Terminal};

/// False if nothing matches.
pub fn run(typed: &FindArgs) -> Result<bool> {
    let past = opened::open(&typed.recording)?;
    let mut out = Terminal::open();
    if typed.output {
        return print_output(typed, &past, &mut out);
    }
    let query = SearchQuery {
        method: typed.method.clone(),
        value: typed.value.clone(),
        object: typed.object.clone(),
        thrown: typed.thrown.clone(),
    };
    if query == SearchQuery::default() {
        bail!("say what to find: --method, --value, --object or --thrown");
    }
    let (found, more) = past.find(&query, typed.limit)?;
    if typed.recording.json {
        let mut array = out.array()?;
        for one in &found {
            if let Some(found) = as_json(&past, one) {
                array.push(&found)?;
            }
        }
        array.end()?;
    } else {
        for one in &found {
            print(&mut out, &past, one)?;
        }
    }
    out.flush()?;
    if more {
        crate::pager::remark("there is more; --limit shows it");
    }
    if found.is_empty() && !typed.recording.json {
        crate::pager::remark("nothing matches");
    }
    Ok(!found.is_empty())
}

fn as_json(past: &Past, found: &Match) -> Option<wire::Match> {
    let event = |time: Time, kind, text, call: Option<CallId>| EventMatch {
        time: time.0,
        kind,
        text,
        location: None,
        call: call.map(|call| past.call_name(call)),
        number: call.map(CallId::number),
        printer: None,
        place: SourcePlace::default(),
    };
    Some(match found {
        Match::Call { call, part } => {
            let info = past.call(*call)?;
            let row = CallRow::of(past, &info, info.depth, &opened::SHORT);
            let why = part.as_ref().map_or("", words::call_part).to_owned();
            wire::Match::Call(Box::new(CallMatch { row, why }))
        }
        Match::Write { time, location, value, place, position, .. } => {
            let text =
                past.known_text(KnownValue::Value(*value), &past.descriptor(location), *time, &opened::JSON);
            let name = past.location_name(location);
            let text = Some(format!("{name} = {text}"));
            wire::Match::Event(EventMatch {
                location: Some(name),
                printer: None,
                place: place.as_ref().into(),
                ..event(*time, MatchKind::Write, text, past.call_at(*position))
            })
        }
        Match::Throw { time, call, exception, place, .. } => {
            let text = past.known_text(KnownValue::Value(*exception), "", *time, &opened::JSON);
            wire::Match::Event(EventMatch {
                printer: None,
                place: place.as_ref().into(),
                ..event(*time, MatchKind::Throw, Some(text), *call)
            })
        }
    })
}

fn print(out: &mut Terminal, past: &Past, found: &Match) -> Result<()> {
    match found {
        Match::Call { call, part } => {
            let time = past.call(*call).map_or(0, |info| info.entry.0);
            let text = words::call(past, *call, &opened::SHORT).to_string();
            let why = part.as_ref().map_or(String::new(), |part| format!("  ({})", words::call_part(part)));
            out.line(&[(Style::Faint, &format!("{time:>8}  ")), (Style::Plain, &text), (Style::Cyan, &why)])?;
        }
        Match::Write { time, location, value, place, .. } => {
            let text =
                past.known_text(KnownValue::Value(*value), &past.descriptor(location), *time, &opened::SHORT);
            let place = source_line(past, place.as_ref());
            out.line(&[
                (Style::Faint, &format!("{:>8}  ", time.0)),
                (Style::Plain, &format!("{} = {text}", past.location_name(location))),
                (Style::Faint, &format!("  {place}")),
            ])?;
        }
        Match::Throw { time, call, exception, place, .. } => {
            let text = past.known_text(KnownValue::Value(*exception), "", *time, &opened::SHORT);
            let call = call.map_or(String::new(), |call| past.call_name(call));
            let place = source_line(past, place.as_ref());
            out.line(&[
                (Style::Faint, &format!("{:>8}  ", time.0)),
                (Style::Red, &text),
                (Style::Cyan, &format!("  in {call}")),
                (Style::Faint, &format!("  {place}")),
            ])?;
        }
    }
    Ok(())
}

fn print_output(typed: &FindArgs, past: &Past, out: &mut Terminal) -> Result<bool> {
    // A text as it is, or quoted as values are.
    let value = typed.value.as_deref();
    let inner = |text: &str| Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    let part = value.map(|text| inner(text).unwrap_or_else(|| text.to_owned()));
    let (lines, more) = past.output(part.as_deref(), typed.limit);
    let by = |printed: &Printed| printed.by.unwrap_or(printed.call);
    if typed.recording.json {
        let mut array = out.array()?;
        for line in &lines {
            array.push(&EventMatch {
                time: line.time.0,
                kind: MatchKind::Output,
                text: line.text.clone(),
                location: None,
                call: Some(past.call_name(by(line))),
                number: Some(by(line).number()),
                printer: Some(past.call_name(line.call)),
                place: SourcePlace::default(),
            })?;
        }
        array.end()?;
    } else {
        for line in &lines {
            out.line(&[
                (Style::Faint, &format!("{:>8}  ", line.time.0)),
                (Style::Plain, line.text.as_deref().unwrap_or("(not known)")),
                (Style::Cyan, &format!("  in {}", past.call_name(by(line)))),
            ])?;
        }
    }
    out.flush()?;
    if more {
        crate::pager::remark("there is more; --limit shows it");
    }
    if lines.is_empty() && !typed.recording.json {
        crate::pager::remark("nothing matches");
    }
    Ok(!lines.is_empty())
}
