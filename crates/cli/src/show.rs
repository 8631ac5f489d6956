//! `inquest show`: one call with all that it got, gave, read and changed.

use anyhow::{Result, anyhow};
use past::{Bounds, KnownValue, Past, Time};
use serde_json::json;

use crate::args::ShowArgs;
use crate::effects_text;
use crate::look::{self, args_json, ending_texts, place_text, receiver_text};
use crate::quantity::count;
use crate::terminal::{Style, Terminal};

pub fn run(typed: &ShowArgs) -> Result<()> {
    let past = look::open(&typed.look)?;
    let id = past.find_call(&typed.call)?;
    let info = past.call(id).ok_or_else(|| anyhow!("the call {} cannot be read", typed.call))?;
    let changes = past.changes(id, typed.limit);
    let (reads, all_reads) = past.reads(id, typed.limit);
    let effects = past.effects(id, &Bounds { effects: typed.limit.max(1_000), ..Bounds::default() });
    let wrote = past.wrote(&effects.effects);
    let limits = if typed.look.json { look::JSON } else { look::SHORT };
    let text = |known: KnownValue, location: &past::Location, time: Time| {
        past.known_text(known, &past.descriptor(location), time, &limits)
    };
    let method = past.method_place(id);
    let source = typed.lines.then(|| past.source(id)).flatten();
    let mut out = Terminal::open();
    if typed.look.json {
        let (result, thrown) = ending_texts(&past, &info, &limits);
        let changed = changes.list.iter().map(|change| {
            json!({
                "location": past.location_name(&change.location),
                "before": text(change.before, &change.location, info.entry),
                "after": text(change.after, &change.location, info.exit),
            })
        });
        let changed = effects_text::wrote_json(&past, &wrote, &limits).into_iter().chain(changed);
        let read = reads.iter().map(|read| {
            json!({
                "location": past.location_name(&read.location),
                "value": text(KnownValue::Value(read.value), &read.location, info.entry),
            })
        });
        let read = read.chain(effects_text::inputs_json(&past, &effects.inputs, &limits));
        let lines = source.as_ref().map(|source| {
            let line = |line: &past::Line| {
                let values: serde_json::Map<_, _> =
                    line.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                json!({ "line": line.number, "text": line.text, "executed": line.executed, "values": values })
            };
            json!({
                "file": source.file,
                "bytecode": source.bytecode,
                "suspicious": source.suspicious,
                "lines": source.lines.iter().map(line).collect::<Vec<_>>(),
            })
        });
        let document = json!({
            "call": info.name,
            "number": info.id.number(),
            "method": info.method,
            "this": receiver_text(&past, &info, &limits),
            "args": args_json(&past, &info, &limits),
            "result": result,
            "thrown": thrown,
            "finished": info.ending != past::Ending::Open,
            "reads": read.collect::<Vec<_>>(),
            "reads_complete": all_reads,
            "changes": changed.collect::<Vec<_>>(),
            "changes_complete": !changes.more && !effects.more,
            "unknown_effects": effects.unknown.keys().collect::<Vec<_>>(),
            "created": changes.created,
            "entry": info.entry.0,
            "exit": info.exit.0,
            "events": info.events,
            "children": info.children,
            "trusted": info.library,
            "thread": info.id.stream.0,
            "file": method.as_ref().and_then(|place| place.file.clone()),
            "line": method.as_ref().and_then(|place| place.line),
            "called_at": info.site.as_ref().map(|place| place_text(&past, Some(place))),
            "source": lines,
        });
        out.json(&document)?;
        out.flush()?;
        return Ok(());
    }
    let heading = format!("  {}", place_text(&past, method.as_ref()));
    out.line(&[(Style::Bold, &info.name), (Style::Faint, &heading)])?;
    let mut row = |style: Style, name: &str, value: &str| {
        out.line(&[(Style::Faint, &format!("  {name:<10}")), (style, value)])
    };
    if let Some(site) = &info.site {
        row(Style::Plain, "called at", &place_text(&past, Some(site)))?;
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
    if let Some(this) = receiver_text(&past, &info, &limits) {
        row(Style::Plain, "this", &this)?;
    }
    for arg in &info.args {
        let value = past.known_text(KnownValue::Value(arg.value), &arg.descriptor, info.entry, &limits);
        row(Style::Plain, &arg.name, &value)?;
    }
    match (ending_texts(&past, &info, &limits), info.ending) {
        (_, past::Ending::Open) => row(Style::Yellow, "result", "unfinished")?,
        ((Some(result), _), _) => row(Style::Green, "result", &result)?,
        ((_, Some(thrown)), _) => row(Style::Red, "threw", &thrown)?,
        _ => row(Style::Faint, "result", "(none)")?,
    }
    if !reads.is_empty() || !effects.inputs.is_empty() {
        out.line(&[(Style::Cyan, "read")])?;
        effects_text::inputs(&mut out, &past, &effects.inputs, &limits)?;
        for read in reads.iter().take(20) {
            let value = text(KnownValue::Value(read.value), &read.location, info.entry);
            out.line(&[(Style::Plain, &format!("  {} = {value}", past.location_name(&read.location)))])?;
        }
        if reads.len() > 20 || !all_reads {
            let more = reads.len().saturating_sub(20);
            out.line(&[(Style::Faint, &format!("  … {more}{} more", if all_reads { "" } else { " or" }))])?;
        }
    }
    let heading = match changes.list.is_empty() && wrote.is_empty() {
        true if effects.is_nothing() && !changes.more => "changed nothing",
        true => "no known change",
        false => "changed",
    };
    out.line(&[(Style::Cyan, heading)])?;
    effects_text::wrote(&mut out, &past, &wrote, &limits)?;
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
    if changes.more || effects.more {
        out.line(&[(Style::Faint, "  … more (--limit)")])?;
    }
    effects_text::unknown(&mut out, &effects)?;
    if changes.created > 0 {
        out.line(&[(Style::Faint, &format!("  and created {} objects", count(changes.created)))])?;
    }
    if let Some(source) = source {
        print_source(&mut out, &past, &source)?;
    }
    out.flush()?;
    Ok(())
}

fn print_source(out: &mut Terminal, _past: &Past, source: &past::SourceView) -> Result<()> {
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
