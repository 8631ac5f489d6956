//! `inquest step`: from one event to another, in both directions.

use anyhow::{Result, anyhow};
use past::Step;
use wire::EventMaker;
use words::source_line;

use crate::args::{Direction, StepArgs};
use crate::opened;
use crate::terminal::{Style, Terminal};

/// False if there is nothing in that direction.
pub fn run(typed: &StepArgs) -> Result<bool> {
    let past = opened::open(&typed.recording)?;
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
    match (&reached, typed.recording.json) {
        (event, true) => out.json(&event.as_ref().map(|event| EventMaker::new(&past).event(event)))?,
        (Some(event), false) => {
            let text = words::event(&past, &event.action, event.time, &words::LIST).to_string();
            out.line(&[
                (Style::Faint, &format!("{}  {}  ", event.time.0, source_line(&past, event.place.as_ref()))),
                (Style::Cyan, &format!("{}  ", event.kind)),
                (Style::Plain, &text),
            ])?;
        }
        (None, false) => crate::pager::remark("there is nothing in that direction"),
    }
    out.flush()?;
    Ok(reached.is_some())
}
