//! `inquest show`: one call with all that it got, gave, read and changed.

use anyhow::{Result, anyhow};
use past::{Ending, KnownValue, Time};
use wire::{Call, LocationValue, NamedValue, ShownCall, SourceLine, SourceLines};
use words::{count, source_line};

use crate::args::ShowArgs;
use crate::opened;
use crate::terminal::{Style, Terminal};

pub fn run(typed: &ShowArgs) -> Result<()> {
    let past = opened::open(&typed.recording)?;
    let id = past.find_call(&typed.call)?;
    let info = past.call(id).ok_or_else(|| anyhow!("the call {} cannot be read", typed.call))?;
    let changes = past.changes(id, typed.limit);
    let (reads, all_reads) = past.reads(id, typed.limit);
    let limits = if typed.recording.json { opened::JSON } else { opened::SHORT };
    let text = |known: KnownValue, location: &past::Location, time: Time| {
        past.known_text(known, &past.descriptor(location), time, &limits)
    };
    let method = past.method_place(id);
    let source = typed.lines.then(|| past.source(id)).flatten();
    let mut out = Terminal::open();
    if typed.recording.json {
        let changed = changes.list.iter().map(|change| wire::Change {
            location: past.location_name(&change.location),
            before: text(change.before, &change.location, info.entry),
            after: text(change.after, &change.location, info.exit),
        });
        let read = reads.iter().map(|read| LocationValue {
            location: past.location_name(&read.location),
            value: text(KnownValue::Value(read.value), &read.location, info.entry),
        });
        out.json(&ShownCall {
            call: Call::of(&past, &info, &limits),
            reads: read.collect(),
            reads_complete: all_reads,
            changes: changed.collect(),
            changes_complete: !changes.more,
            created: changes.created,
            place: method.as_ref().into(),
            called_at: info.site.as_ref().map(|place| source_line(&past, Some(place))),
            source: source.as_ref().map(source_lines),
        })?;
        out.flush()?;
        return Ok(());
    }
    let heading = format!("  {}", source_line(&past, method.as_ref()));
    out.line(&[(Style::Bold, &info.name), (Style::Faint, &heading)])?;
    let mut row = |style: Style, name: &str, value: &str| {
        out.line(&[(Style::Faint, &format!("  {name:<10}")), (style, value)])
    };
    if let Some(site) = &info.site {
        row(Style::Plain, "called at", &source_line(&past, Some(site)))?;
    }
    row(
        Style::Plain,
        "time",
        &format!(
            "{} to {} ({} events, {} calls made)",
            info.entry.0,
            info.exit.0,
            count(info.events),
            count(u64::from(info.children))
        ),
    )?;
    let call = Call::of(&past, &info, &limits);
    if let Some(this) = &call.this {
        row(Style::Plain, "this", this)?;
    }
    for arg in &call.args {
        row(Style::Plain, &arg.name, &arg.value)?;
    }
    match (&call.result, &call.thrown) {
        _ if info.ending == Ending::Open => row(Style::Yellow, "result", "unfinished")?,
        (Some(result), _) => row(Style::Green, "result", result)?,
        (_, Some(thrown)) => row(Style::Red, "threw", thrown)?,
        _ => row(Style::Faint, "result", "(none)")?,
    }
    if !reads.is_empty() {
        out.line(&[(Style::Cyan, "read")])?;
        for read in reads.iter().take(20) {
            let value = text(KnownValue::Value(read.value), &read.location, info.entry);
            out.line(&[(Style::Plain, &format!("  {} = {value}", past.location_name(&read.location)))])?;
        }
        if reads.len() > 20 || !all_reads {
            let more = reads.len().saturating_sub(20);
            out.line(&[(Style::Faint, &format!("  … {more}{} more", if all_reads { "" } else { " or" }))])?;
        }
    }
    out.line(&[(Style::Cyan, if changes.list.is_empty() { "changed nothing" } else { "changed" })])?;
    let names: Vec<String> = changes.list.iter().map(|change| past.location_name(&change.location)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    for (change, name) in changes.list.iter().zip(&names) {
        let before = text(change.before, &change.location, info.entry);
        let after = text(change.after, &change.location, info.exit);
        out.line(&[
            (Style::Plain, &format!("  {name:<width$}  ")),
            (Style::Faint, &before),
            (Style::Plain, " → "),
            (Style::Red, &after),
        ])?;
    }
    if changes.more {
        out.line(&[(Style::Faint, "  … more (--limit)")])?;
    }
    if changes.created > 0 {
        out.line(&[(Style::Faint, &format!("  and created {} objects", count(changes.created)))])?;
    }
    if let Some(source) = source {
        print_source(&mut out, &source)?;
    }
    out.flush()?;
    Ok(())
}

fn print_source(out: &mut Terminal, source: &past::SourceView) -> Result<()> {
    let file = source.file.clone().unwrap_or_else(|| "bytecode".to_owned());
    out.line(&[(Style::Cyan, &file)])?;
    if let Some(why) = &source.suspicious {
        out.line(&[(Style::Yellow, &format!("  this may not be the source that ran: {why}"))])?;
    }
    for line in &source.lines {
        let mark = if line.executed > 0 { '●' } else { ' ' };
        let style = if line.executed > 0 { Style::Plain } else { Style::Faint };
        let values: Vec<String> =
            line.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let values = if values.is_empty() { String::new() } else { format!("   // {}", values.join(", ")) };
        out.line(&[
            (Style::Green, &format!("{mark} ")),
            (Style::Faint, &format!("{:>5}  ", line.number)),
            (style, &line.text.replace('\t', "    ")),
            (Style::Yellow, &values),
        ])?;
    }
    Ok(())
}

fn source_lines(source: &past::SourceView) -> SourceLines {
    let line = |line: &past::Line| SourceLine {
        line: line.number,
        text: line.text.clone(),
        executed: line.executed,
        values: line
            .values
            .iter()
            .map(|(name, value)| NamedValue { name: name.clone(), value: value.clone() })
            .collect(),
    };
    SourceLines {
        file: source.file.clone(),
        bytecode: source.bytecode,
        suspicious: source.suspicious.clone(),
        lines: source.lines.iter().map(line).collect(),
    }
}
