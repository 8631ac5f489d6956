//! Where a value came from, as rows that a client shows: each is something that happened, with why it matters.

use analysis::slice::{Criterion, Cut, Slice, SliceLimits, Tie, slice};
use past::{Location, Past, Pointed, Position, Time};
use serde::Serialize;

use crate::error::Result;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trail {
    /// What was asked about, by its name.
    pub location: String,
    pub time: u64,
    /// The latest first.
    pub rows: Vec<TrailRow>,
    /// Why there is more than is shown.
    pub cut: Option<&'static str>,
    /// Places where the trail ends because nothing was recorded there.
    pub unknown: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrailRow {
    pub time: u64,
    pub kind: &'static str,
    pub text: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// The call in which it happened.
    pub call: String,
    pub number: u64,
    /// Why it is in the trail: `value`, `address`, `condition`.
    pub why: &'static str,
    /// The times of the rows that it explains.
    pub explains: Vec<u64>,
}

/// The trail of a location at a time; without one, at the end of its call or of the recording.
pub fn trail(past: &Past, text: &str, at: Option<Time>, limits: &SliceLimits) -> Result<Trail> {
    let (criterion, time) = criterion(past, text, at)?;
    let found = slice(past, &criterion, limits)?;
    let location = match &criterion {
        Criterion::Location(location, _) => past.location_name(location),
        Criterion::Result(call) => format!("{}:{RESULT}", past.call_name(*call)),
        Criterion::Event(_) => text.to_owned(),
    };
    Ok(Trail {
        location,
        time: time.0,
        rows: rows(past, &found),
        cut: found.cut.map(|cut| match cut {
            Cut::Elements => "there is more",
            Cut::Events => "looking further back would take too long",
        }),
        unknown: found.unknown.len(),
    })
}

/// What a call gives, among the names of its variables.
const RESULT: &str = "result";

fn criterion(past: &Past, text: &str, at: Option<Time>) -> Result<(Criterion, Time)> {
    let location = match past.find_value(text, at)? {
        Pointed::Location(location) => location,
        // Of an object as a whole there is no value: the error says how to name a part of it.
        Pointed::Object(_) => past.find_location(text, at)?,
    };
    let end = past.last_time().unwrap_or(Time(0));
    Ok(match location {
        Location::Local { call, name } if name == RESULT => {
            let exit = past.call(call).map_or(end, |info| info.exit);
            (Criterion::Result(call), exit)
        }
        Location::Local { call, .. } => {
            let time = at.or_else(|| Some(past.call(call)?.exit)).unwrap_or(end);
            (Criterion::Location(location, time), time)
        }
        location => {
            let time = at.unwrap_or(end);
            (Criterion::Location(location, time), time)
        }
    })
}

fn rows(past: &Past, found: &Slice) -> Vec<TrailRow> {
    let positions: Vec<Position> = found.elements.iter().map(|element| element.position).collect();
    let happened = past.events_at(&positions);
    let rows = found.elements.iter().zip(happened).filter_map(|(element, happened)| {
        let happened = happened?;
        let place = happened.place.or_else(|| element.site.map(|site| past.source_line(site)));
        let explained = element.explains.iter();
        let why = explained.clone().map(|&(_, tie)| tie).min().unwrap_or(Tie::Start);
        Some(TrailRow {
            time: element.time.0,
            kind: happened.kind,
            text: happened.text,
            file: place.as_ref().and_then(|place| place.file.clone()),
            line: place.as_ref().and_then(|place| place.line),
            call: past.call_name(element.call),
            number: element.call.number(),
            why: match why {
                Tie::Start | Tie::Data => "value",
                Tie::Address => "address",
                Tie::Control => "condition",
            },
            explains: explained
                .filter_map(|&(at, _)| Some(found.elements.get(at as usize)?.time.0))
                .collect(),
        })
    });
    rows.collect()
}
