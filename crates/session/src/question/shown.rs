//! How values are written in questions, and how much of them.

use past::{KnownValue, Location, Past, RenderLimits, Time};

use super::QuestionDetail;

/// Values in a list of their own.
pub(super) fn limits(detail: QuestionDetail) -> RenderLimits {
    match detail {
        QuestionDetail::Short => {
            RenderLimits { depth: 2, elements: 12, string: 160, width: 160, named: true }
        }
        QuestionDetail::More => {
            RenderLimits { depth: 4, elements: 200, string: 2_000, width: 8_000, named: true }
        }
    }
}

/// Values among others on the question's line.
pub(super) const IN_LINE: RenderLimits =
    RenderLimits { depth: 2, elements: 8, string: 40, width: 60, named: true };

pub(super) fn value(
    past: &Past,
    location: &Location,
    known: KnownValue,
    time: Time,
    limits: &RenderLimits,
) -> String {
    past.known_text(known, &past.descriptor(location), time, limits)
}

/// What says which object it is, with nothing of what else is in there.
pub(super) const NAME: RenderLimits = RenderLimits { depth: 0, ..IN_LINE };

/// Chars that a result may have, and the levels that it is expanded to as long as it stays within them: what is deep in it is
/// what a person looks at.
const RESULT: usize = 240;
const LEVELS: [usize; 3] = [5, 4, 3];

/// What a call gave, with as much of what is in it as has room.
pub(super) fn result(
    past: &Past,
    known: KnownValue,
    descriptor: &str,
    time: Time,
    detail: QuestionDetail,
) -> String {
    let limits = limits(detail);
    let short = past.known_text(known, descriptor, time, &limits);
    let all = |text: &String| text.chars().count() <= RESULT && (short.contains('…') || !text.contains('…'));
    let deep = |depth: usize| {
        let limits = RenderLimits { depth, width: RESULT, ..limits };
        let nested = past.nested_text(known, descriptor, time, &limits);
        Some(nested)
            .filter(all)
            .or_else(|| Some(past.known_text(known, descriptor, time, &limits)).filter(all))
    };
    match detail {
        QuestionDetail::Short => LEVELS.into_iter().find_map(deep).unwrap_or(short),
        QuestionDetail::More => short,
    }
}
