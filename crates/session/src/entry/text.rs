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
    /// Of two texts of the run, one of which is as it should be; and where they part, if they are long.
    pub fn between(past: &Past, expected: Value, actual: Value) -> Option<(WrongText, Option<Parting>)> {
        let (expected, units) = (past.string_units(expected)?, past.string_units(actual)?);
        let at = expected.iter().zip(&units).take_while(|(one, other)| one == other).count();
        let parting = Parting::at(&expected, &units, at);
        (at < units.len().max(expected.len())).then_some((WrongText { units, at }, parting))
    }
}

/// What two long texts have around the first character that is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// Counted from 1; none if there is only one.
    pub line: Option<usize>,
    pub expected: String,
    pub actual: String,
}

/// Texts up to this many characters are seen as a whole.
const SEEN_WHOLE: usize = 60;
const BEFORE: usize = 24;
const BEHIND: usize = 36;
const NEW_LINE: u16 = b'\n' as u16;

impl Parting {
    fn at(expected: &[u16], actual: &[u16], at: usize) -> Option<Parting> {
        if expected.len().max(actual.len()) <= SEEN_WHOLE {
            return None;
        }
        let lines = expected.contains(&NEW_LINE) || actual.contains(&NEW_LINE);
        let line = 1 + expected[..at].iter().filter(|&&unit| unit == NEW_LINE).count();
        Some(Parting {
            line: lines.then_some(line),
            expected: line_around(expected, at),
            actual: line_around(actual, at),
        })
    }
}

/// The line around a character, or what is near it.
fn line_around(text: &[u16], at: usize) -> String {
    let before = text[..at].iter().rev().take(BEFORE).take_while(|&&unit| unit != NEW_LINE).count();
    let behind = text[at..].iter().take(BEHIND).take_while(|&&unit| unit != NEW_LINE).count();
    let (from, to) = (at - before, at + behind);
    let cut = |is_cut: bool| if is_cut { "…" } else { "" };
    let part = base::literal::quoted(&base::text::from_units(&text[from..to]));
    format!("{}{part}{}", cut(from > 0), cut(to < text.len()))
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

    fn parting(expected: &str, actual: &str) -> Option<Parting> {
        let (expected, actual): (Vec<u16>, Vec<u16>) =
            (expected.encode_utf16().collect(), actual.encode_utf16().collect());
        let at = expected.iter().zip(&actual).take_while(|(one, other)| one == other).count();
        Parting::at(&expected, &actual, at)
    }

    #[test]
    fn long_texts_are_shown_where_they_part() {
        let receipt = |tax: &str| {
            format!("Invoice A1001\nTo: Ben, Hafenstr. 12, Kiel\nTax{}{tax}\nTotal 76.37\n", ".".repeat(30))
        };
        let found = parting(&receipt("8.08"), &receipt("6.78")).unwrap();
        assert_eq!(found.line, Some(3));
        assert_eq!(found.expected, format!("…\"{}8.08\"…", ".".repeat(24)));
        assert_eq!(found.actual, format!("…\"{}6.78\"…", ".".repeat(24)));
        let words = "word ".repeat(20);
        let found = parting(&words, words.trim_end()).unwrap();
        assert_eq!(
            (found.line, found.expected, found.actual),
            (None, "…\"word word word word word \"".to_owned(), "…\"word word word word word\"".to_owned())
        );
    }

    #[test]
    fn short_texts_are_seen_as_a_whole() {
        assert_eq!(parting("31.89", "26.29"), None);
    }
}
