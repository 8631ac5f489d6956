//! The output of the run by lines: what several calls printed to one stream is one line to who reads it.

use std::collections::HashMap;

use index::{CallId, Position, Time};
use trace::Value;

use crate::effects::{Bounds, Piece};
use crate::past::Past;

/// A line of output that has a text in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedLine {
    /// Without its end. `?` stands for what is not known.
    pub text: String,
    /// The byte of it at which the text begins that was looked for.
    pub column: usize,
    /// The call into a library that printed where the text begins.
    pub call: CallId,
    pub position: Position,
    pub time: Time,
    /// All that this call printed, and where in it the text begins.
    pub printed: String,
    pub at: usize,
}

/// Longer lines are cut into several.
const MAX_LINE: usize = 1 << 16;

/// A line that has not ended, and who printed what of it: from which byte of the line on, which is which byte of what the
/// call printed.
#[derive(Default)]
struct OpenLine {
    text: String,
    parts: Vec<(usize, CallId, usize)>,
}

impl Past {
    /// The lines of output that have a text in them, in order of time, at most `limit`; and whether there are more.
    pub fn printed_lines(&self, containing: &str, limit: usize) -> (Vec<PrintedLine>, bool) {
        let mut calls: Vec<(Time, CallId)> = Vec::new();
        for noted in self.index.output() {
            calls.extend(self.index.time(noted.position).zip(noted.call));
        }
        calls.sort_unstable_by_key(|&(time, _)| time);
        let mut open: HashMap<Option<u32>, OpenLine> = HashMap::new();
        let mut found = Vec::new();
        for (_, call) in calls {
            let stream = match self.index.arguments(call).and_then(|given| given.receiver) {
                Some(Value::Object(object)) => Some(object.0),
                _ => None,
            };
            let line = open.entry(stream).or_default();
            let text = self.printed_text(call);
            let mut rest = text.as_str();
            while let Some(at) = rest.find('\n') {
                line.add(call, &rest[..at], text.len() - rest.len());
                rest = &rest[at + 1..];
                found.extend(self.ended(std::mem::take(line), containing));
                if found.len() > limit {
                    found.truncate(limit);
                    return (found, true);
                }
            }
            line.add(call, rest, text.len() - rest.len());
            if line.text.len() > MAX_LINE {
                found.extend(self.ended(std::mem::take(line), containing));
            }
        }
        found.extend(open.into_values().filter_map(|line| self.ended(line, containing)));
        found.sort_by_key(|line| line.time);
        let more = found.len() > limit;
        found.truncate(limit);
        (found, more)
    }

    fn ended(&self, line: OpenLine, containing: &str) -> Option<PrintedLine> {
        let at = line.text.find(containing)?;
        let part = line.parts.partition_point(|&(from, ..)| from <= at).saturating_sub(1);
        let &(from, call, offset) = line.parts.get(part)?;
        let position = Position { stream: call.stream, ordinal: self.index.call(call)?.entry };
        let text = line.text.trim_end_matches('\r').to_owned();
        let time = self.index.time(position)?;
        let printed = self.printed_text(call);
        let column = at.min(text.len());
        let at = (offset + at.saturating_sub(from)).min(printed.len());
        Some(PrintedLine { text, column, call, position, time, printed, at })
    }

    /// What a call printed, its line's end included; `?` for what is not known.
    fn printed_text(&self, call: CallId) -> String {
        let bounds = Bounds { calls: 1, effects: 1, inputs: 1 };
        let effects = self.effects(call, &bounds).effects;
        let Some(effect) = effects.first() else {
            // Its own `toString` may say it where the pieces do not.
            return self.printed(call).map_or_else(|| "?".to_owned(), |text| text + "\n");
        };
        let mut text = String::new();
        for piece in &effect.pieces {
            match piece {
                Piece::Text(units) | Piece::Formatted { text: Some(units), .. } => {
                    text.push_str(&base::text::from_units(units));
                }
                Piece::Bytes(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
                Piece::Value(..) => text.push_str(self.printed(call).as_deref().unwrap_or("?")),
                Piece::Formatted { text: None, .. } | Piece::Unknown => text.push('?'),
            }
        }
        text
    }
}

impl OpenLine {
    fn add(&mut self, call: CallId, text: &str, offset: usize) {
        if !text.is_empty() {
            self.parts.push((self.text.len(), call, offset));
            self.text.push_str(text);
        }
    }
}
