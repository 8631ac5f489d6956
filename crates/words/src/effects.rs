//! What was written to streams, builders and files, and what came from outside, on a line each.

use past::{Aside, Input, Past, RenderLimits, SinkDeed, SinkLine, Wrote};

use crate::quantity::count;

/// What is said where a stream had nothing more to give.
pub(crate) const ENDED: &str = "nothing: its end was reached";

/// What became of a sink: `appended "01"`, `"ab" → "ac"`.
pub fn wrote(past: &Past, wrote: &Wrote, limits: &RenderLimits) -> String {
    sink_line(&past.sink_line(wrote, limits))
}

pub(crate) fn sink_line(line: &SinkLine) -> String {
    let deed = match &line.deed {
        SinkDeed::Became(before, after) => format!("{before} → {after}"),
        SinkDeed::Changed { steps } => format!("changed in {steps} steps"),
        SinkDeed::Did(verb) => (*verb).to_owned(),
        SinkDeed::Wrote(verb, what) => format!("{verb} {what}"),
    };
    let to = line.leads_to.as_ref().map_or(String::new(), |end| format!(" (to {end})"));
    let broken = if line.whole { "" } else { " (an exception came in between)" };
    format!("{deed}{to}{broken}")
}

/// What came from outside.
pub fn taken(past: &Past, input: &Input, limits: &RenderLimits) -> String {
    past.taken_text(input, limits).unwrap_or_else(|| ENDED.to_owned())
}

/// Classes that are named, at most.
const CLASSES: usize = 3;

/// Changes that say nothing about a call: `first use of 2 classes: Mode, Level; 7 constants`.
pub fn aside(aside: &Aside) -> String {
    let mut parts = Vec::new();
    if !aside.classes.is_empty() {
        let count = many(aside.classes.len() as u64, "class", "classes");
        let named = aside.classes.iter().take(CLASSES).cloned().collect::<Vec<_>>().join(", ");
        let more = if aside.classes.len() > CLASSES { ", …" } else { "" };
        parts.push(format!("first use of {count}: {named}{more}"));
    }
    if aside.constants > 0 {
        parts.push(many(aside.constants as u64, "constant", "constants"));
    }
    if aside.bookkeeping > 0 {
        parts.push(many(aside.bookkeeping as u64, "counter or cache", "counters and caches"));
    }
    parts.join("; ")
}

fn many(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_one_line() {
        let of = |classes: &[&str], constants, bookkeeping| {
            let classes = classes.iter().map(|&class| class.to_owned()).collect();
            aside(&Aside { classes, constants, bookkeeping })
        };
        assert_eq!(of(&["Mode"], 1, 0), "first use of 1 class: Mode; 1 constant");
        assert_eq!(
            of(&["A", "B", "C", "D"], 28, 2),
            "first use of 4 classes: A, B, C, …; 28 constants; 2 counters and caches"
        );
        assert_eq!(of(&[], 0, 1), "1 counter or cache");
    }

    #[test]
    fn a_line_says_what_was_done_where_to_and_whether_to_its_end() {
        let text = |text: &str| text.to_owned();
        let line = |deed, leads_to: Option<&str>, whole| {
            sink_line(&SinkLine { deed, leads_to: leads_to.map(text), whole })
        };
        for (found, expected) in [
            (line(SinkDeed::Became(text("\"ab\""), text("\"ac\"")), None, true), "\"ab\" → \"ac\""),
            (line(SinkDeed::Changed { steps: 3 }, None, true), "changed in 3 steps"),
            (line(SinkDeed::Did("deleted"), None, true), "deleted"),
            (
                line(SinkDeed::Wrote("printed", text("\"01\"")), Some("System.out"), false),
                "printed \"01\" (to System.out) (an exception came in between)",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }
}
