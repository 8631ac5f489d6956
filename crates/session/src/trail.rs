//! Where a value came from, as rows that a client shows: each is something that happened, with why it matters.

use analysis::slice::{Criterion, Slice, SliceLimits, slice};
use past::{CallId, Location, Past, Pointed, Position, ShownEvent, SourceLine, Time};

use crate::error::Result;

pub use analysis::slice::{Cut, Tie};

#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    /// What was asked about, by its name.
    pub location: String,
    pub time: Time,
    /// The latest first.
    pub rows: Vec<TrailRow>,
    /// Why there is more than is shown.
    pub cut: Option<Cut>,
    /// Places where the trail ends because nothing was recorded there.
    pub unknown: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TrailRow {
    pub happened: ShownEvent,
    pub place: Option<SourceLine>,
    /// The call in which it happened.
    pub call: CallId,
    /// Why it is in the trail.
    pub why: Tie,
    /// The times of the rows that it explains.
    pub explains: Vec<Time>,
}

/// The trail of a location at a time; without one, at the end of its call or of the recording.
pub fn trail(past: &Past, text: &str, at: Option<Time>, limits: &SliceLimits) -> Result<Trail> {
    let (criterion, time) = criterion(past, text, at)?;
    let found = slice(past, &criterion, limits)?;
    let location = match &criterion {
        Criterion::Location(location, _) => past.location_name(location),
        Criterion::Result(call) => format!("{}:{RESULT}", past.call_name(*call)),
        Criterion::Object(object, _) => past.object_name(*object),
        Criterion::Event(_) | Criterion::Operand(..) => text.to_owned(),
    };
    let unknown = found.unknown.len() + found.outside.len();
    Ok(Trail { location, time, rows: rows(past, &found), cut: found.cut, unknown })
}

/// What a call gives, among the names of its variables.
const RESULT: &str = "result";

fn criterion(past: &Past, text: &str, at: Option<Time>) -> Result<(Criterion, Time)> {
    let end = past.last_time().unwrap_or(Time(0));
    let location = match past.find_value(text, at)? {
        Pointed::Location(location) => location,
        // Of an object as a whole, what it holds.
        Pointed::Object(object) => {
            let time = at.unwrap_or(end);
            return Ok((Criterion::Object(object, time), time));
        }
    };
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
        let place = happened.place.clone().or_else(|| element.site.map(|site| past.source_line(site)));
        let explained = element.explains.iter();
        Some(TrailRow {
            happened,
            place,
            call: element.call,
            why: explained.clone().map(|&(_, tie)| tie).min().unwrap_or(Tie::Start),
            explains: explained.filter_map(|&(at, _)| Some(found.elements.get(at as usize)?.time)).collect(),
        })
    });
    rows.collect()
}
