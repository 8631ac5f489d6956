//! A line of output that the person names: what printed it is in the call around all of it.

use analysis::slice::Criterion;
use past::{Past, PrintedLine};

use super::{Symptom, SymptomKind, SymptomReason, WrongText, WrongValue, outermost};

/// The first line with a text in it.
pub fn printed(past: &Past, text: &str) -> Option<Symptom> {
    all_printed(past, text, 1).0.into_iter().next()
}

/// The lines with a text in them, in order of time, and whether there are more.
pub fn all_printed(past: &Past, text: &str, limit: usize) -> (Vec<Symptom>, bool) {
    let (lines, more) = past.printed_lines(text, limit);
    (lines.into_iter().filter_map(|line| symptom(past, line)).collect(), more)
}

fn symptom(past: &Past, line: PrintedLine) -> Option<Symptom> {
    let call = outermost(past, line.call)?;
    let wrong = WrongValue {
        criterion: Criterion::Event(line.position),
        value: None,
        descriptor: String::new(),
        text: Some(WrongText {
            at: base::text::units(&line.printed[..line.at]).count(),
            units: base::text::units(&line.printed).collect(),
        }),
        expression: None,
        call: past.program_call(line.call)?,
        time: line.time,
    };
    Some(Symptom {
        kind: SymptomKind::Output,
        time: Some(line.time),
        place: past.call(line.call).and_then(|info| info.site),
        wrong: Some(wrong),
        ..Symptom::of(call, SymptomReason::Output { line: line.text })
    })
}
