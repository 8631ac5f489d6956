//! `inquest show`: one call with all that it got, gave, read and changed.

use std::collections::HashMap;

use anyhow::{Result, anyhow};
use past::{Bounds, Ending, KnownValue, Past, Time, Value};
use session::Meanwhile;
use wire::{Call, NamedValue, Read, ShownCall, SourceLine, SourceLines};
use words::{count, source_line};

use crate::args::ShowArgs;
use crate::effects_text;
use crate::opened;
use crate::terminal::{Style, Terminal};

pub fn run(typed: &ShowArgs) -> Result<()> {
    let past = opened::open(&typed.recording)?;
    let id = past.find_call(&typed.call)?;
    let info = past.call(id).ok_or_else(|| anyhow!("the call {} cannot be read", typed.call))?;
    let mut changes = past.changes(id, typed.limit);
    changes.list.retain(|change| !past.is_first_sight(change, info.entry));
    let (reads, all_reads) = past.reads(id, typed.limit);
    let effects = past.effects(id, &Bounds { effects: typed.limit.max(1_000), ..Bounds::default() });
    let wrote = past.wrote(&effects.effects);
    let limits = if typed.recording.json { opened::JSON } else { opened::SHORT };
    let text = |known: KnownValue, location: &past::Location, time: Time| {
        past.known_text(known, &past.descriptor(location), time, &limits)
    };
    let changed = changed(&past, &changes.list, &info, &limits);
    let kept = session::kept_by(&past, id);
    let method = past.method_place(id);
    let source = typed.lines.then(|| lines(&past, id)).flatten();
    let mut out = Terminal::open();
    if typed.recording.json {
        let changed = changed.into_iter().map(|change| wire::Change {
            noise: change.noise,
            meanwhile: change.meanwhile.map(Into::into),
            ..wire::Change::of(change.name, change.before, change.after)
        });
        let wrote = wrote.iter().map(|wrote| wire::Change::written(&past, wrote, &limits));
        let read = reads.iter().map(|read| {
            let value = text(KnownValue::Value(read.value), &read.location, info.entry);
            Read::of(past.location_name(&read.location), value)
        });
        let taken = effects.inputs.iter().map(|input| Read::taken(&past, input, &limits));
        out.json(&ShownCall {
            call: Call::of(&past, &info, &limits),
            reads: read.chain(taken).collect(),
            reads_complete: all_reads,
            changes: wrote.chain(changed).collect(),
            changes_complete: !changes.more && !effects.more,
            kept: kept.iter().map(|kept| format!("{} {}", kept.location, words::kept_text(kept))).collect(),
            unknown_effects: effects.unknown.keys().cloned().collect(),
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
    let heading = match changed.is_empty() && wrote.is_empty() {
        true if effects.is_nothing() && !changes.more => "changed nothing",
        true => "no known change",
        false => "changed",
    };
    out.line(&[(Style::Cyan, heading)])?;
    effects_text::wrote(&mut out, &past, &wrote, &limits)?;
    let told: Vec<&Changed> = changed.iter().filter(|change| !change.noise).collect();
    let width = told.iter().map(|change| change.name.chars().count()).max().unwrap_or(0).min(40);
    for Changed { name, before, after, meanwhile, .. } in told {
        out.line(&[
            (Style::Plain, &format!("  {name:<width$}  ")),
            (Style::Faint, before),
            (Style::Plain, " → "),
            (Style::Red, after),
            (Style::Yellow, &meanwhile.as_ref().map_or(String::new(), words::meanwhile)),
        ])?;
    }
    for kept in &kept {
        out.line(&[
            (Style::Plain, &format!("  {:<width$}  ", kept.location)),
            (Style::Yellow, &words::kept_text(kept)),
        ])?;
    }
    let aside = past.aside(&changes.list, info.entry, info.exit);
    if !aside.is_empty() {
        out.line(&[(Style::Faint, &format!("  {}", words::aside(&aside)))])?;
    }
    if changes.more || effects.more {
        out.line(&[(Style::Faint, "  … more (--limit)")])?;
    }
    effects_text::unknown(&mut out, &effects)?;
    if changes.created > 0 {
        out.line(&[(Style::Faint, &format!("  and created {} objects", count(changes.created)))])?;
    }
    if let Some(source) = source {
        print_source(&mut out, &source)?;
    }
    out.flush()?;
    Ok(())
}

struct Changed {
    name: String,
    before: String,
    after: String,
    noise: bool,
    meanwhile: Option<Meanwhile>,
}

/// What another thread wrote there; none of a collection's parts by itself.
fn meanwhile(past: &Past, change: &past::Change, limits: Option<&past::RenderLimits>) -> Option<Meanwhile> {
    let other = change.meanwhile?;
    let descriptor = past.descriptor(&change.location);
    let value = limits.map(|limits| past.known_text(other.value, &descriptor, other.time, limits));
    Some(Meanwhile { value, thread: past.thread_name(other.thread), call: other.call })
}

/// Changes as a person thinks of them: what is inside of a collection is one of the collection, noise comes last.
fn changed(
    past: &Past,
    changes: &[past::Change],
    info: &past::CallInfo,
    limits: &past::RenderLimits,
) -> Vec<Changed> {
    let mut list: Vec<Changed> = Vec::new();
    // Collections that were come by: are they shown as a whole?
    let mut whole: HashMap<past::ObjectId, bool> = HashMap::new();
    for change in changes {
        let object = match change.location {
            past::Location::Field { object, .. } => Some(object),
            past::Location::Element { array, .. } => Some(array),
            past::Location::Static(_) | past::Location::Local { .. } => None,
        };
        // What a library made for itself was not there before.
        let unheard = |object: past::ObjectId| !object.is_program() && !past.is_known_by(object, info.entry);
        if change.before == KnownValue::Unknown && object.is_some_and(unheard) {
            continue;
        }
        let is_part = |object: &past::ObjectId| !object.is_program() || past.array_length(*object).is_some();
        let collection = object.filter(is_part).and_then(|object| {
            past.collection_of(object, info.exit).or_else(|| past.collection_of(object, info.entry))
        });
        if let Some(collection) = collection {
            let differs = *whole.entry(collection).or_insert_with(|| {
                let shown =
                    |time| past.known_text(KnownValue::Value(Value::Object(collection)), "", time, limits);
                let (before, after) = (shown(info.entry), shown(info.exit));
                let differs = before != after;
                if differs {
                    let name = past.object_name(collection);
                    list.push(Changed { name, before, after, noise: false, meanwhile: None });
                }
                differs
            });
            // Where the line is too short to show it, its parts do.
            if differs {
                let name = past.object_name(collection);
                if let Some(shown) = list.iter_mut().find(|shown| shown.name == name) {
                    shown.meanwhile = shown.meanwhile.take().or_else(|| meanwhile(past, change, None));
                }
                continue;
            }
        }
        let shown = |known, time| past.known_text(known, &past.descriptor(&change.location), time, limits);
        let (before, mut after) = (shown(change.before, info.entry), shown(change.after, info.exit));
        if let Some(written) = change.lost {
            after = format!("{}, then {after}", shown(KnownValue::Value(written), info.exit));
        }
        let noise = past.noise(&change.location, info.entry, info.exit).is_some();
        let meanwhile = meanwhile(past, change, Some(limits));
        list.push(Changed { name: past.location_name(&change.location), before, after, noise, meanwhile });
    }
    list.sort_by_key(|change| change.noise);
    list
}

/// Lines of the source; where it is not found, instructions say more than line numbers.
fn lines(past: &Past, call: past::CallId) -> Option<past::SourceView> {
    let source = past.source(call)?;
    if source.lines.iter().all(|line| line.text.is_empty()) { past.bytecode(call) } else { Some(source) }
}

fn print_source(out: &mut Terminal, source: &past::SourceView) -> Result<()> {
    match (&source.file, source.bytecode) {
        (Some(file), false) => out.line(&[(Style::Cyan, file)])?,
        (Some(file), true) => {
            let where_to = format!("  {file} was not found (--source); these are its instructions");
            out.line(&[(Style::Cyan, "bytecode"), (Style::Faint, &where_to)])?;
        }
        (None, _) => out.line(&[(Style::Cyan, "bytecode")])?,
    }
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
