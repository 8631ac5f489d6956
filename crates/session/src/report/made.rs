//! The lines of the guilty call that made what came out wrong: who wrote it last, then who wrote it before. What was written
//! elsewhere is not the call's doing, and a line that is no guilty one is not named. Where it is known how the wrong value came
//! about, only what it came through counts: a call may give and change other things as well, and these are right.

use past::{Ending, Past, Position, Time};

use super::origins::ValueOrigin;
use super::{MadeAt, ReportLine};
use crate::entry::Way;
use crate::subject::Subject;

/// Lines that are named.
const MAX: usize = 4;

pub(super) fn made(
    past: &Past,
    subject: &Subject,
    origins: &[ValueOrigin],
    lines: &[ReportLine],
    way: Option<&Way>,
) -> Vec<MadeAt> {
    // Of several calls nobody said which one it is.
    if let Subject::Run { .. } | Subject::Thread { .. } = subject {
        return Vec::new();
    }
    let Some(info) = subject.call().and_then(|call| past.call(call)) else { return Vec::new() };
    let name = past.call_name(info.id);
    let left = past.position(info.exit);
    let on_way = |position: Option<Position>| match (way, position) {
        (Some(way), Some(position)) => way.has(position),
        _ => true,
    };
    let mut made: Vec<MadeAt> = Vec::new();
    let mut add = |line: Option<u32>, location: &str, value: &str| {
        let found = lines.iter().find(|one| Some(one.number) == line && one.guilty && !one.text.is_empty());
        let Some(found) = found else { return };
        if made.len() < MAX && !made.iter().any(|known| known.line == found.number) {
            let (location, value) = (location.to_owned(), value.to_owned());
            made.push(MadeAt { line: found.number, text: found.text.trim().to_owned(), location, value });
        }
    };
    let most = origins.iter().map(|origin| origin.writes.len()).max().unwrap_or(0);
    // The last write of each, then the one before of each.
    for turn in 0..most {
        for origin in origins {
            if let Some(write) =
                origin.writes.get(turn).filter(|write| write.call.as_deref() == Some(name.as_str()))
                && on_way(past.position(Time(write.time)))
            {
                add(write.line, &origin.location, &write.value);
            }
        }
    }
    let place = left.and_then(|at| past.event_at(at)).and_then(|event| event.place);
    let line = place.filter(|place| Some(place.site.method) == past.method_of(info.id));
    let left_at = line.and_then(|place| place.line);
    match info.ending {
        Ending::Returned(Some(value)) if on_way(left) => {
            add(left_at, "result", &past.text(value, &info.result_descriptor, info.exit));
        }
        Ending::Threw(Some(value)) => add(left_at, "thrown", &past.text(value, "", info.exit)),
        Ending::Returned(_) | Ending::Threw(None) | Ending::Open => {}
    }
    made
}
