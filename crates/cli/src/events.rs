//! `inquest events`: what happened in a call, event by event.

use anyhow::Result;
use past::Action;
use wire::EventMaker;
use words::source_line;

use crate::args::EventsArgs;
use crate::opened;
use crate::terminal::{Style, Terminal};

const FOR_A_PERSON: usize = 1000;

pub fn run(typed: &EventsArgs) -> Result<()> {
    let past = opened::open(&typed.recording)?;
    let call = past.find_call(&typed.call)?;
    let from = typed.from.as_deref().map(|text| past.find_time(text)).transpose()?;
    let limit = typed.limit.unwrap_or(if typed.recording.json { usize::MAX } else { FOR_A_PERSON });
    let page = past.events(call, from, limit, typed.deep);
    let mut out = Terminal::open();
    if typed.recording.json {
        let (mut array, mut maker) = (out.array()?, EventMaker::new(&past));
        for event in &page.events {
            array.push(&maker.event(event))?;
        }
        array.end()?;
        out.flush()?;
        return Ok(());
    }
    let first = page.events.first().map_or(0, |event| event.depth);
    let width = page.events.last().map_or(1, |event| event.time.0.to_string().len());
    for event in &page.events {
        let indent = "  ".repeat(event.depth.saturating_sub(first) as usize);
        let place = source_line(&past, event.place.as_ref());
        let style = match event.action {
            Action::Throw { .. } | Action::Unwind { .. } | Action::Gap { .. } => Style::Red,
            Action::Call(_) | Action::Return { .. } => Style::Bold,
            Action::Branch { .. } | Action::Switch { .. } => Style::Faint,
            _ => Style::Plain,
        };
        let text = words::event(&past, &event.action, event.time, &words::LIST).to_string();
        out.line(&[
            (Style::Faint, &format!("{:>width$}  {place:<22} ", event.time.0)),
            (Style::Cyan, &format!("{:<8} ", event.kind)),
            (Style::Plain, &indent),
            (style, &text),
        ])?;
    }
    out.flush()?;
    if page.more {
        let next = page.events.last().map_or(0, |event| event.time.0 + 1);
        crate::pager::remark(format!("there is more; --from {next} goes on"));
    }
    Ok(())
}
