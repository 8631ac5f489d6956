//! The source view: the file of a call's method, what this call did on its lines, and the way from a line to an event
//! on it. A call into a library is shown where the program made it.

use std::sync::Arc;

use analysis::{By, OnLine};
use axum::Json;
use axum::extract::{Path, Query, State};
use past::{CallId, KnownValue, Past, RenderLimits, Source, Time};
use serde::{Deserialize, Serialize};

use super::known_call;
use crate::desk::Desk;
use crate::failure::{Failure, Result};

const LIMITS: RenderLimits = RenderLimits { depth: 1, elements: 8, string: 40, width: 60 };
/// Events of a call that are looked at for an answer at once, for an event on a line, and if somebody asks for all.
const QUICK: u64 = 100_000;
const SEARCH: u64 = 300_000;
const LONG: u64 = 200_000_000;
/// Characters of a line that are given: nobody reads a longer one, and an editor chokes on it.
const MAX_LINE: usize = 20_000;

#[derive(Deserialize)]
pub struct Moment {
    at: Option<u64>,
    /// Look through the whole call, however long that takes.
    #[serde(default)]
    all: bool,
}

#[derive(Serialize)]
pub struct SourceJson {
    /// Whose method it is: the call, or what called it if it is a library's.
    call: u64,
    name: String,
    /// The line on which a library was called, if that is what was asked for.
    site: Option<u32>,
    /// Where the text is from; none if there is no source. `text` gives what it says.
    file: Option<String>,
    /// The source file by the class's own word.
    named: Option<String>,
    suspicious: Option<String>,
    /// The instructions, where there is no source.
    listing: Vec<Instruction>,
    /// Lines (or instructions) of the method, ascending.
    code: Vec<u32>,
    /// What is not among `lines` did not run.
    complete: bool,
    /// More can be known by asking for all.
    more: bool,
    /// The line of the last event up to the moment.
    current: Option<u32>,
    lines: Vec<LineJson>,
}

#[derive(Serialize)]
struct Instruction {
    number: u32,
    line: Option<u16>,
    text: String,
}

#[derive(Serialize)]
struct LineJson {
    number: u32,
    /// How often control came to it, and up to the moment.
    count: u64,
    until: u64,
    values: Vec<(String, String)>,
}

/// None if no code of the program is at or above the call.
pub async fn source(
    State(desk): State<Arc<Desk>>,
    Path(call): Path<u64>,
    Query(moment): Query<Moment>,
) -> Result<Option<SourceJson>> {
    desk.past(move |past| {
        let asked = known_call(past, call)?;
        let at = moment.at.map(|time| past.checked(time)).transpose()?;
        let limit = if moment.all { LONG } else { QUICK };
        past.program_call(asked).map(|call| shown(past, asked, call, at, limit)).transpose()
    })
    .await
    .map(Json)
}

fn shown(
    past: &Past,
    asked: CallId,
    call: CallId,
    at: Option<Time>,
    limit: u64,
) -> std::result::Result<SourceJson, Failure> {
    let missing = || Failure::Missing("such call".into());
    let method = past.method_of(call).ok_or_else(missing)?;
    let (class, method) = past.program().method(method).ok_or_else(missing)?;
    let source = past.source_of(call);
    let by = by(source.as_ref(), method.lines());
    let library = asked != call;
    let row = past.call_row(asked).ok_or_else(missing)?;
    let entry = past.time(past::Position { stream: asked.stream, ordinal: row.entry });
    // What a library call is about is the moment at which it was called.
    let passes = analysis::passes(past, call, by, at.or(entry.filter(|_| library)), limit)?;
    let site = past.call(asked).and_then(|info| info.site).filter(|_| library);
    let site = site.and_then(|place| match by {
        By::Line => place.line,
        By::Instruction => Some(u32::from(place.site.bci)),
    });
    let listing = match by {
        By::Line => Vec::new(),
        By::Instruction => past.listing(call),
    };
    let mut code: Vec<u32> = match by {
        By::Line => method.lines().iter().map(|&(_, line)| line.into()).collect(),
        By::Instruction => listing.iter().map(|&(bci, _)| bci).collect(),
    };
    code.sort_unstable();
    code.dedup();
    let lines = passes.lines.into_iter().map(|(number, pass)| {
        let values = pass.written.into_iter().map(|written| {
            let value = KnownValue::Value(written.value);
            (written.name, past.known_text(value, &written.descriptor, written.time, &LIMITS))
        });
        LineJson { number, count: pass.count, until: pass.until, values: values.collect() }
    });
    let events = past.call_row(call).map_or(0, |row| row.exit - row.entry);
    Ok(SourceJson {
        call: call.number(),
        name: past.call_name(call),
        site,
        named: past.program().model(class).and_then(|model| model.source_file.clone()),
        suspicious: source.as_ref().and_then(|source| source.suspicious.clone()),
        file: source.filter(|_| by == By::Line).map(|source| source.path),
        listing: listing
            .into_iter()
            .map(|(number, text)| Instruction {
                number,
                line: method.line(u16::try_from(number).unwrap_or(u16::MAX)),
                text: cut(&text),
            })
            .collect(),
        code,
        more: !passes.complete && limit < LONG && events > limit,
        complete: passes.complete,
        current: passes.current.filter(|_| at.is_some()),
        lines: lines.collect(),
    })
}

/// Lines where there is a source and the class says which line is which.
fn by(source: Option<&Source>, lines: &[(u16, u16)]) -> By {
    if source.is_some() && !lines.is_empty() { By::Line } else { By::Instruction }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{} … cut here", &line[..end]),
        None => line.to_owned(),
    }
}

/// The file that a call's method is in. Many calls share one: a page asks once for each file.
pub async fn text(State(desk): State<Arc<Desk>>, Path(call): Path<u64>) -> Result<Option<String>> {
    desk.past(move |past| {
        let call = known_call(past, call)?;
        let source = past.program_call(call).and_then(|call| past.source_of(call));
        Ok(source.map(|source| source.text.lines().map(cut).collect::<Vec<_>>().join("\n")))
    })
    .await
    .map(Json)
}

#[derive(Deserialize)]
pub struct WantedLine {
    line: u32,
    /// The moment after which, or before which, an event is wanted.
    at: Option<u64>,
    #[serde(default)]
    back: bool,
}

#[derive(Serialize)]
pub struct EventOnLine {
    time: Option<u64>,
    /// If there is no time: all of the call was looked through.
    sure: bool,
}

/// The next event of a call on a line, going round at the end.
pub async fn line(
    State(desk): State<Arc<Desk>>,
    Path(call): Path<u64>,
    Query(wanted): Query<WantedLine>,
) -> Result<EventOnLine> {
    desk.past(move |past| {
        let call = known_call(past, call)?;
        let at = wanted.at.map(|time| past.checked(time)).transpose()?;
        let method = past.method_of(call).and_then(|id| past.program().method(id));
        let (_, method) = method.ok_or_else(|| Failure::Bad("a call into a library has no lines".into()))?;
        let line = (by(past.source_of(call).as_ref(), method.lines()), wanted.line);
        let end = Time(past.last_time().map_or(0, |last| last.0 + 1));
        let find = |at: Option<Time>| match wanted.back {
            true => analysis::last_on_line(past, call, line, at.unwrap_or(end), SEARCH),
            false => analysis::next_on_line(past, call, line, at, SEARCH),
        };
        let mut found = find(at)?;
        if at.is_some() && found == OnLine::Nowhere {
            found = find(None)?;
        }
        Ok(match found {
            OnLine::At(time) => EventOnLine { time: Some(time.0), sure: true },
            OnLine::Nowhere => EventOnLine { time: None, sure: true },
            OnLine::NotNear => EventOnLine { time: None, sure: false },
        })
    })
    .await
    .map(Json)
}
