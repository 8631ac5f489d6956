//! `inquest slice`: where a value came from.

use anyhow::Result;
use session::{SliceLimits, trail};
use wire::{Slice, SliceCut, SliceReason, SliceRow};

use crate::args::SliceArgs;
use crate::opened;
use crate::terminal::{Style, Terminal};

/// False if nothing is known of where it came from.
pub fn run(typed: &SliceArgs) -> Result<bool> {
    let past = opened::open(&typed.recording)?;
    let at = typed.at.as_deref().map(|text| past.find_time(text)).transpose()?;
    let limits =
        SliceLimits { elements: typed.limit, control: !typed.no_conditions, ..SliceLimits::default() };
    let found = Slice::of(&past, &trail(&past, &typed.location, at, &limits)?);
    let mut out = Terminal::open();
    if typed.recording.json {
        let mut array = out.array()?;
        for row in &found.rows {
            array.push(row)?;
        }
        array.end()?;
    } else {
        print(&found, &mut out)?;
    }
    out.flush()?;
    if let Some(cut) = found.cut {
        let why = match cut {
            SliceCut::Rows => "there is more",
            SliceCut::Time => "looking further back would take too long",
        };
        crate::pager::remark(format!("this is not all: {why} (--limit)"));
    }
    if found.unknown > 0 {
        let places = if found.unknown == 1 { "at one place" } else { "at several places" };
        crate::pager::remark(format!("the trail is lost {places}: what happened before was not recorded"));
    }
    Ok(!found.rows.is_empty())
}

fn print(found: &Slice, out: &mut Terminal) -> Result<()> {
    let count = match found.rows.len() {
        0 => "nothing is known of where it came from".to_owned(),
        1 => "one event".to_owned(),
        count => format!("{count} events, the latest first"),
    };
    out.line(&[(Style::Bold, &found.location), (Style::Faint, &format!("  {count}"))])?;
    let width = found.rows.iter().map(|row| row.time.to_string().len()).max().unwrap_or(1);
    let mut call = "";
    for row in &found.rows {
        if row.call != call {
            out.line(&[(Style::Cyan, &format!("  {}", row.call))])?;
            call = &row.call;
        }
        out.line(&[
            (Style::Faint, &format!("  {:>width$}  ", row.time)),
            (style(row), &format!("{:<10}", mark(row))),
            (Style::Plain, &row.text),
            (Style::Faint, &place(row)),
        ])?;
    }
    Ok(())
}

fn mark(row: &SliceRow) -> &'static str {
    match row.why {
        SliceReason::Value => "",
        SliceReason::Address => "address",
        SliceReason::Condition => "condition",
        SliceReason::Perhaps => "perhaps",
    }
}

fn style(row: &SliceRow) -> Style {
    if row.why == SliceReason::Condition { Style::Yellow } else { Style::Faint }
}

fn place(row: &SliceRow) -> String {
    match (&row.place.file, row.place.line) {
        (Some(file), Some(line)) => format!("  {file}:{line}"),
        _ => String::new(),
    }
}
