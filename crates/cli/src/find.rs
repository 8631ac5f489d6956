//! `inquest find`: calls and events that match.

use anyhow::{Result, bail};
use past::{KnownValue, Match, Past, SearchQuery};
use serde_json::json;

use crate::args::FindArgs;
use crate::look::{self, call_json, place_json, place_text};
use crate::terminal::{Style, Terminal};

/// False if nothing matches.
pub fn run(typed: &FindArgs) -> Result<bool> {
    let past = look::open(&typed.look)?;
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
    if typed.look.json {
        let mut array = out.array()?;
        for one in &found {
            array.push(&as_json(&past, one))?;
        }
        array.end()?;
    } else {
        for one in &found {
            print(&mut out, &past, one)?;
        }
    }
    out.flush()?;
    if more {
        eprintln!("inquest: there is more; --limit shows it");
    }
    if found.is_empty() && !typed.look.json {
        eprintln!("inquest: nothing matches");
    }
    Ok(!found.is_empty())
}

fn as_json(past: &Past, found: &Match) -> serde_json::Value {
    match found {
        Match::Call { call, why } => {
            let mut document = match past.call(*call) {
                Some(info) => call_json(past, &info, info.depth, &look::SHORT),
                None => json!({ "call": past.call_name(*call) }),
            };
            document["match"] = json!(why);
            document
        }
        Match::Write { time, location, value, place, position, .. } => {
            let (file, line) = place_json(place.as_ref());
            let text =
                past.known_text(KnownValue::Value(*value), &past.descriptor(location), *time, &look::JSON);
            let name = past.location_name(location);
            let call = past.call_at(*position).map(|call| past.call_name(call));
            json!({ "time": time.0, "kind": "write", "text": format!("{name} = {text}"), "location": name, "call": call, "file": file, "line": line })
        }
        Match::Throw { time, call, exception, place, .. } => {
            let (file, line) = place_json(place.as_ref());
            let text = past.known_text(KnownValue::Value(*exception), "", *time, &look::JSON);
            json!({ "time": time.0, "kind": "throw", "text": text, "call": call.map(|call| past.call_name(call)), "file": file, "line": line })
        }
    }
}

fn print(out: &mut Terminal, past: &Past, found: &Match) -> Result<()> {
    match found {
        Match::Call { call, why } => {
            let time = past.call(*call).map_or(0, |info| info.entry.0);
            let text = past.call_text(*call, &look::SHORT);
            let why = if why.is_empty() { String::new() } else { format!("  ({why})") };
            out.line(&[(Style::Faint, &format!("{time:>8}  ")), (Style::Plain, &text), (Style::Cyan, &why)])?;
        }
        Match::Write { time, location, value, place, .. } => {
            let text =
                past.known_text(KnownValue::Value(*value), &past.descriptor(location), *time, &look::SHORT);
            let place = place_text(past, place.as_ref());
            out.line(&[
                (Style::Faint, &format!("{:>8}  ", time.0)),
                (Style::Plain, &format!("{} = {text}", past.location_name(location))),
                (Style::Faint, &format!("  {place}")),
            ])?;
        }
        Match::Throw { time, call, exception, place, .. } => {
            let text = past.known_text(KnownValue::Value(*exception), "", *time, &look::SHORT);
            let call = call.map_or(String::new(), |call| past.call_name(call));
            let place = place_text(past, place.as_ref());
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
    let lines = past.output(0, typed.limit);
    let found = !lines.is_empty();
    if typed.look.json {
        let mut array = out.array()?;
        for (time, call, text) in &lines {
            array.push(
                &json!({ "time": time.0, "kind": "output", "text": text, "call": past.call_name(*call) }),
            )?;
        }
        array.end()?;
    } else {
        for (time, call, text) in &lines {
            out.line(&[
                (Style::Faint, &format!("{:>8}  ", time.0)),
                (Style::Plain, text.as_deref().unwrap_or("(not known)")),
                (Style::Cyan, &format!("  {}", past.call_name(*call))),
            ])?;
        }
    }
    out.flush()?;
    Ok(found)
}
