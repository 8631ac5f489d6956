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

/// Characters of a long line that are told, before what is wrong and from there on.
const BEFORE: usize = 40;
const FROM: usize = 80;

/// A line, of a long one what lies around a byte.
fn told(line: &str, at: usize) -> String {
    let begin = line[..at].char_indices().rev().nth(BEFORE - 1).map_or(0, |(begin, _)| begin);
    let end = line[at..].char_indices().nth(FROM).map_or(line.len(), |(end, _)| at + end);
    let dots = |cut: bool| if cut { "…" } else { "" };
    format!("{}{}{}", dots(begin > 0), &line[begin..end], dots(end < line.len()))
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
        ..Symptom::of(call, SymptomReason::Output { line: told(&line.text, line.column) })
    })
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn of_a_long_line_what_lies_around_the_text_is_told() {
        assert_eq!(told("short", 2), "short");
        let long = format!("{}wrong{}", "ä".repeat(200), "ö".repeat(200));
        let expected = format!("…{}wrong{}…", "ä".repeat(40), "ö".repeat(75));
        assert_eq!(told(&long, 400), expected);
        assert_eq!(told(&long, 0), format!("{}…", "ä".repeat(80)));
    }
}
