//! Where a text goes wrong: the character at which it does, and who wrote that one, through builders and writers that were
//! turned into texts and written into others.

use analysis::slice::{Criterion, SliceLimits, slice};
use base::{CallId, Ending, Target, Value};
use past::{Past, Position};

use super::WrongValue;

/// A text of the run that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongText {
    /// In units of UTF-16, as Java counts.
    pub units: Vec<u16>,
    /// The first one that is wrong; one past the last where something is missing at the end.
    pub at: usize,
}

/// Texts in texts that are followed.
const MAX_DEPTH: usize = 8;
/// What a text was made from last is among the latest of what it was made from.
const NEAR: SliceLimits = SliceLimits { elements: 400, events: 200_000, control: false };

impl WrongText {
    /// Of two texts of the run, one of which is as it should be.
    pub fn between(past: &Past, expected: Value, actual: Value) -> Option<WrongText> {
        let (expected, units) = (past.string_units(expected)?, past.string_units(actual)?);
        let at = expected.iter().zip(&units).take_while(|(one, other)| one == other).count();
        (at < units.len().max(expected.len())).then_some(WrongText { units, at })
    }
}

/// The call into a library that wrote the first wrong character of a symptom's text, or that took the text out before that was
/// written; none if it has no text, or it is not known who wrote it.
pub fn text_writer(past: &Past, wrong: &WrongValue) -> Option<CallId> {
    let (mut text, mut criterion) = (wrong.text.clone()?, wrong.criterion.clone());
    let mut found = None;
    for _ in 0..MAX_DEPTH {
        let Some((writer, part)) = written(past, &criterion, &text) else { break };
        found = Some(writer);
        let Some(row) = past.call_row(writer) else { break };
        criterion = Criterion::Event(Position { stream: writer.stream, ordinal: row.entry });
        text = part;
    }
    found
}

/// Who wrote a character of a text, if that was put together in a builder or writer; and what that call wrote of it.
fn written(past: &Past, criterion: &Criterion, text: &WrongText) -> Option<(CallId, WrongText)> {
    let found = slice(past, criterion, &NEAR).ok()?;
    found.elements.iter().find_map(|element| taken_out(past, element.position, text)).flatten()
}

/// The same for the call at an event, if it took the text, or a part of it around the character, out of a builder or writer.
fn taken_out(past: &Past, position: Position, text: &WrongText) -> Option<Option<(CallId, WrongText)>> {
    let call = past.call_at(position)?;
    let row = past.call_row(call).filter(|row| row.entry == position.ordinal)?;
    let (Target::Library(_), Ending::Returned(Some(value))) = (row.target, row.ending) else { return None };
    let Value::Object(builder) = past.arguments(call)?.receiver? else { return None };
    let taken = past.string_units(value).filter(|taken| !taken.is_empty())?;
    let offset = around(&text.units, &taken, text.at)?;
    let by = past.authors(builder, past.time(Position { ordinal: row.exit, ..position })?, &taken)?;
    let at = text.at - offset;
    let Some(&writer) = by.get(at) else {
        return Some(Some((call, WrongText { units: Vec::new(), at: 0 })));
    };
    let same = |by: &&Option<CallId>| **by == writer;
    let from = at - by[..at].iter().rev().take_while(same).count();
    let to = at + by[at..].iter().take_while(same).count();
    let part = WrongText { units: taken[from..to].to_vec(), at: at - from };
    Some(writer.map(|writer| (writer, part)))
}

/// Where a text begins in another one that has it around a place.
fn around(whole: &[u16], part: &[u16], at: usize) -> Option<usize> {
    let last = at.min(whole.len().checked_sub(part.len())?);
    (at.saturating_sub(part.len())..=last).rev().find(|&from| whole[from..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_around_a_place_or_up_to_it() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        let whole = units("xml 1: <a><a>");
        assert_eq!(around(&whole, &units("<a><a>"), 9), Some(7));
        assert_eq!(around(&whole, &units("<a>"), 8), Some(7));
        assert_eq!(around(&whole, &units("<a>"), 11), Some(10));
        assert_eq!(around(&whole, &units("<a>"), 13), Some(10));
        assert_eq!(around(&whole, &units("<a>"), 3), None);
        assert_eq!(around(&whole, &units("longer than the whole text"), 3), None);
    }
}
