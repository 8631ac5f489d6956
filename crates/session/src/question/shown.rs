//! How values are written in questions, and how much of them.

use past::{KnownValue, Location, Past, RenderLimits, Time};

use super::QuestionDetail;

/// Values in a list of their own.
pub(super) fn limits(detail: QuestionDetail) -> RenderLimits {
    match detail {
        QuestionDetail::Short => RenderLimits { depth: 2, elements: 12, string: 160, width: 160 },
        QuestionDetail::More => RenderLimits { depth: 4, elements: 200, string: 2_000, width: 8_000 },
    }
}

/// Values among others on the question's line.
pub(super) const IN_LINE: RenderLimits = RenderLimits { depth: 2, elements: 8, string: 40, width: 60 };

pub(super) fn value(
    past: &Past,
    location: &Location,
    known: KnownValue,
    time: Time,
    limits: &RenderLimits,
) -> String {
    past.known_text(known, &past.descriptor(location), time, limits)
}
