//! `inquest events`: what happened in a call, event by event.

use anyhow::Result;

use crate::args::EventsArgs;
use crate::look::{self, place_text};
use crate::step::event_json;
use crate::terminal::{Style, Terminal};

const FOR_A_PERSON: usize = 1000;

pub fn run(typed: &EventsArgs) -> Result<()> {
    let past = look::open(&typed.look)?;
    let call = past.find_call(&typed.call)?;
    let from = typed.from.as_deref().map(|text| past.find_time(text)).transpose()?;
    let limit = typed.limit.unwrap_or(if typed.look.json { usize::MAX } else { FOR_A_PERSON });
    let page = past.events(call, from, limit, typed.deep);
    let mut out = Terminal::open();
    if typed.look.json {
        let mut array = out.array()?;
        for event in &page.events {
            array.push(&event_json(&past, event))?;
        }
        array.end()?;
        out.flush()?;
        return Ok(());
    }
    let first = page.events.first().map_or(0, |event| event.depth);
    let width = page.events.last().map_or(1, |event| event.time.0.to_string().len());
    for event in &page.events {
        let indent = "  ".repeat(event.depth.saturating_sub(first) as usize);
        let place = place_text(&past, event.place.as_ref());
        let style = match event.kind {
            "throw" | "unwind" | "gap" => Style::Red,
            "enter" | "call" | "exit" => Style::Bold,
            "branch" | "switch" => Style::Faint,
            _ => Style::Plain,
        };
        out.line(&[
            (Style::Faint, &format!("{:>width$}  {place:<22} ", event.time.0)),
            (Style::Cyan, &format!("{:<8} ", event.kind)),
            (Style::Plain, &indent),
            (style, &event.text),
        ])?;
    }
    out.flush()?;
    if page.more {
        let next = page.events.last().map_or(0, |event| event.time.0 + 1);
        eprintln!("inquest: there is more; --from {next} goes on");
    }
    Ok(())
}
