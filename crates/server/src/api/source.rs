//! The source view: the file of a call's method, what this call did on its lines, and the way from a line to an event
//! on it. A call into a library is shown where the program made it.

use std::sync::Arc;

use analysis::{By, OnLine};
use axum::extract::{Path, Query, State};
use axum::routing::get;
use axum::{Json, Router};
use past::{CallId, KnownValue, Past, RenderLimits, Source, Time};
use wire::{Instruction, LineEvent, LineQuery, LineRun, NamedValue, SourceQuery};

use super::known_call;
use crate::failure::{Failure, Result};
use crate::shared_session::SharedSession;

const LIMITS: RenderLimits = RenderLimits { depth: 1, elements: 8, string: 40, width: 60, named: false };
/// Events of a call that are looked at for an answer at once, for an event on a line, and if somebody asks for all.
const QUICK: u64 = 100_000;
const SEARCH: u64 = 300_000;
const LONG: u64 = 200_000_000;
/// Characters of a line that are given: nobody reads a longer one, and an editor chokes on it.
const MAX_LINE: usize = 20_000;

pub fn routes() -> Router<Arc<SharedSession>> {
    Router::new()
        .route("/api/call/{number}/source", get(source))
        .route("/api/call/{number}/text", get(text))
        .route("/api/call/{number}/line", get(line))
}

/// None if no code of the program is at or above the call.
async fn source(
    State(shared): State<Arc<SharedSession>>,
    Path(number): Path<u64>,
    Query(query): Query<SourceQuery>,
) -> Result<Option<wire::Source>> {
    shared
        .past(move |past| {
            let asked = known_call(past, number)?;
            let at = query.at.map(|time| past.checked(time)).transpose()?;
            let limit = if query.all { LONG } else { QUICK };
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
) -> std::result::Result<wire::Source, Failure> {
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
            let value = past.known_text(value, &written.descriptor, written.time, &LIMITS);
            NamedValue { name: written.name, value }
        });
        LineRun { line: number, count: pass.count, until: pass.until, values: values.collect() }
    });
    let events = past.call_row(call).map_or(0, |row| row.exit - row.entry);
    Ok(wire::Source {
        call: past.call_name(call),
        number: call.number(),
        site,
        named: past.program().model(class).and_then(|model| model.source_file.clone()),
        suspicious: source.as_ref().and_then(|source| source.suspicious.clone()),
        file: source.filter(|_| by == By::Line).map(|source| source.path),
        listing: listing
            .into_iter()
            .map(|(bci, text)| Instruction {
                bci,
                line: method.line(u16::try_from(bci).unwrap_or(u16::MAX)),
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
async fn text(State(shared): State<Arc<SharedSession>>, Path(number): Path<u64>) -> Result<Option<String>> {
    shared
        .past(move |past| {
            let call = known_call(past, number)?;
            let source = past.program_call(call).and_then(|call| past.source_of(call));
            Ok(source.map(|source| source.text.lines().map(cut).collect::<Vec<_>>().join("\n")))
        })
        .await
        .map(Json)
}

/// The next event of a call on a line, going round at the end.
async fn line(
    State(shared): State<Arc<SharedSession>>,
    Path(number): Path<u64>,
    Query(wanted): Query<LineQuery>,
) -> Result<LineEvent> {
    shared
        .past(move |past| {
            let call = known_call(past, number)?;
            let at = wanted.at.map(|time| past.checked(time)).transpose()?;
            let method = past.method_of(call).and_then(|id| past.program().method(id));
            let (_, method) =
                method.ok_or_else(|| Failure::Bad("a call into a library has no lines".into()))?;
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
                OnLine::At(time) => LineEvent { time: Some(time.0), sure: true },
                OnLine::Nowhere => LineEvent { time: None, sure: true },
                OnLine::NotNear => LineEvent { time: None, sure: false },
            })
        })
        .await
        .map(Json)
}
