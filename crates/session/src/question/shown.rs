//! How values are written in questions, and how much of them.

use past::{KnownValue, Location, Past, RenderLimits, Time};

use super::{ChangedLocation, QuestionDetail};

/// Values in a list of their own.
pub(super) fn limits(detail: QuestionDetail) -> RenderLimits {
    match detail {
        QuestionDetail::Short => RenderLimits { depth: 2, elements: 12, string: 80, width: 160 },
        QuestionDetail::More => RenderLimits { depth: 4, elements: 200, string: 2_000, width: 8_000 },
    }
}

/// Values among others on the question's line.
pub(super) const IN_LINE: RenderLimits = RenderLimits { depth: 2, elements: 8, string: 40, width: 60 };

/// Chars of the question's line past which no further piece is begun.
const LINE: usize = 240;
/// Chars of its first piece.
const FIRST: usize = 160;

pub(super) fn value(
    past: &Past,
    location: &Location,
    known: KnownValue,
    time: Time,
    limits: &RenderLimits,
) -> String {
    past.known_text(known, &past.descriptor(location), time, limits)
}

/// `head; piece; piece; … 3 more`
pub(super) fn line(head: String, pieces: &[String]) -> String {
    let mut line = head;
    for (at, piece) in pieces.iter().enumerate() {
        // The first one says what the call did: a part of it is better than none.
        if at == 0 && piece.chars().count() > FIRST {
            line.push_str("; ");
            line.extend(piece.chars().take(FIRST));
            line.push('…');
            continue;
        }
        if at > 0 && line.chars().count() + piece.chars().count() > LINE {
            line.push_str(&format!("; … {} more", pieces.len() - at));
            break;
        }
        line.push_str("; ");
        line.push_str(piece);
    }
    line
}

pub(super) fn change(shown: &ChangedLocation) -> String {
    shown.text()
}

/// A value, and what became of it.
pub(super) fn part(before: &str, after: Option<&str>) -> String {
    match after {
        Some(after) => format!("{before} → {after}"),
        None => before.to_owned(),
    }
}
