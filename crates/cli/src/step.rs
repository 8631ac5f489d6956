//! `inquest step`: from one event to another, in both directions.

use anyhow::{Result, anyhow};
use past::{Past, ShownEvent, Step};
use serde_json::{Value, json};

use crate::args::{Direction, StepArgs};
use crate::look::{self, place_json, place_text};
use crate::terminal::{Style, Terminal};

/// False if there is nothing in that direction.
pub fn run(typed: &StepArgs) -> Result<bool> {
    let past = look::open(&typed.look)?;
    let time = past.find_time(&typed.time)?;
    let from = past.position(time).ok_or_else(|| anyhow!("there is nothing at time {}", time.0))?;
    let location = typed.location.as_deref().map(|text| past.find_location(text, Some(time))).transpose()?;
    let step = match (typed.direction, location) {
        (Direction::Into, _) => Step::Into,
        (Direction::Over, _) => Step::Over,
        (Direction::Out, _) => Step::Out,
        (Direction::BackInto, _) => Step::BackInto,
        (Direction::BackOver, _) => Step::BackOver,
        (Direction::BackOut, _) => Step::BackOut,
        (Direction::Thrown, _) => Step::Thrown,
        (Direction::NextWrite, Some(location)) => Step::NextWrite(location),
        (Direction::LastWrite, Some(location)) => Step::LastWrite(location),
        (_, None) => return Err(anyhow!("say which location is meant: --location")),
    };
    let reached = past.step(from, &step);
    let mut out = Terminal::open();
    match (&reached, typed.look.json) {
        (Some(event), true) => out.json(&event_json(&past, event))?,
        (None, true) => out.json(&Value::Null)?,
        (Some(event), false) => out.line(&[
            (Style::Faint, &format!("{}  {}  ", event.time.0, place_text(&past, event.place.as_ref()))),
            (Style::Cyan, &format!("{}  ", event.kind)),
            (Style::Plain, &event.text),
        ])?,
        (None, false) => eprintln!("inquest: there is nothing in that direction"),
    }
    out.flush()?;
    Ok(reached.is_some())
}

/// An event as `events`, `find` and `step` give it.
pub fn event_json(past: &Past, event: &ShownEvent) -> Value {
    let (file, line) = place_json(event.place.as_ref());
    json!({
        "time": event.time.0,
        "kind": event.kind,
        "text": event.text,
        "file": file,
        "line": line,
        "depth": event.depth,
        "call": event.child.map(|child| past.call_name(child)),
        "location": event.location.as_ref().map(|location| past.location_name(location)),
    })
}
